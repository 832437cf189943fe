"""Scene: the energy and the noise of every eigendirection."""

import numpy as np

from ...plots import CHANCE_BARS, MODELS, SOFT, Finding, estimate, misses, panel, reference, words
from ...teach.explore import explore
from ...teach.marks import number, tell
from ..shared.spectra_of_digits import CAST, LEVELS, THREE, rows, spectrum_of_rows, weights

__all__ = ["energy_and_noise"]

LEFT, LOW = 1e-5, 1e-9  # where the axes begin
LONGEST = 1.5  # bar; noise is a mean, and an error may come out below it


def energy_and_noise():
    """Energy of each direction against its eigenvalue, above its noise; and the noise's share of three errors."""

    def setup(fig):
        for name in CAST:
            rows(name)
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, grid[0], xscale="log", yscale="log", xlim=(LEFT, 2), ylim=(LOW, 1), ylabel="energy",
                     xlabel="rare or fine   ←   eigenvalue μ   →   common and coarse", y=[1e-8, 1e-6, 1e-4, 1e-2, 1])
        left.set_xticks([1e-4, 1e-2, 1], ["0.0001", "0.01", "1"])
        left.minorticks_off()
        words(left, 1.3e-5, 0.4, "dashes: the most there can be", colour=SOFT, size=11, ha="left")
        words(left, 1.3e-5, 0.1, "grey: noise alone, on average", colour=SOFT, size=11, ha="left")
        right = panel(fig, grid[1], read_y=False, xlim=(0, 2.5), ylim=(-0.6, 2.6), xticks=[], base=False)
        right.set_title("share of the noise in each error", color=SOFT)
        for k, name in enumerate(THREE):
            words(right, 0.3, 2 - k, name, ha="right")
        return {"bound": reference(left), "noise": misses(left, colors=CHANCE_BARS, lw=9, zorder=1),
                "dots": estimate(left), "below": estimate(left),
                "whole": right.hlines([2, 1, 0], 0.35, 1.35, lw=20, capstyle="butt"),
                "shares": misses(right, colors=CHANCE_BARS, lw=20, zorder=4), "numbers": [number(right) for _ in THREE]}

    def update(artists, model="neural network", level=0.001):
        phi, delta = rows(model)
        mu, energy, own = spectrum_of_rows(phi, delta)
        (colour, marker, text), ends, on_axis = MODELS[model], np.array([LEFT, 2]), mu > 1.3 * LEFT
        artists["bound"].set_data(ends, ends * np.mean(delta**2))
        artists["noise"].set_segments([[(m, LOW), (m, o)] for m, o in zip(mu[on_axis], own[on_axis], strict=True)])
        for name, lies, mark in (("dots", energy >= LOW, marker), ("below", energy < LOW, 11)):  # 11: points down
            seen = lies & on_axis
            artists[name].set_data(mu[seen], np.maximum(energy[seen], 2.2 * LOW))
            artists[name].set(color=colour, marker=mark, mec="white")
        counts = [weights(mu, t, level) for t in (0, 1, 2)]
        share = [each @ own / (each @ energy) for each in counts]
        artists["whole"].set_color((colour, 0.5))
        artists["shares"].set_segments([[(0.35, 2 - k), (0.35 + min(each, LONGEST), 2 - k)] for k, each in enumerate(share)])
        for k, (label, each) in enumerate(zip(artists["numbers"], share, strict=True)):
            tell(label, (0.35 + np.clip(each, 1, LONGEST), 2 - k),
                 f"{each:.1%}" if each < 0.095 else f"{each:.0%}", color=text, position=(6, 0))
        return Finding(
            f"Noise is {share[2]:.0%} of the CKCE",
            f"{model}, 1,079 digits, λ = {level:g}; a mark is a direction; ▾: it lies lower",
            f"It is {share[0]:.1%} of the SKCE and {share[1]:.1%} of the CCE². "
            f"{(energy > own)[on_axis].sum()} of {on_axis.sum()} marks lie above it.")

    return explore(setup, update, size=(9, 4.6), model=list(CAST)[::-1], level=LEVELS, labels={"level": "λ"},
                   code=(spectrum_of_rows, weights))
