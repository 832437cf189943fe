"""How far random Fourier features are off; with which kernel a CKCE moves least."""

import numpy as np

from ...plots import INK, KEPT, MODELS, NUMBER, SOFT, Finding, estimate, panel, reference, words
from ...reproductions import shift as paper
from ...teach.explore import explore
from ...teach.marks import choice, number, tell
from ..shared import ckce_on_digits as on_digits
from ..shared.ckce_plots import PAPER
from . import simulations as sims

__all__ = ["random_features", "three_kernels"]


def random_features():
    """Random Fourier features: how far kernel and CKCE are from exact, as features are added."""
    counts = np.repeat(sims.COUNTS, sims.DRAWS)

    def setup(fig):
        for model in sims.DRAWN_MODELS:
            sims.feature_errors(model)
        axes = panel(fig, xscale="log", yscale="log", xlim=(4.2, 620), ylim=(1e-4, 0.6), xlabel="random frequencies D",
                     ylabel="off by", x=[5, 20, 100, 500], y=[0.001, 0.01, 0.1])
        axes.set_xticks([10, 50, 200], ["", "", ""], minor=True)
        words(axes, 12, 0.36, "the kernel (root mean square)", colour=SOFT, ha="left")
        return {"rings": [estimate(axes, mfc="none", mec="#B4B4B4", ms=7, zorder=2) for _ in range(2)],
                "guides": [reference(axes) for _ in range(2)],
                "name": words(axes, 5, 0.0018, "the CKCE (relative)", ha="left"),
                "slope": words(axes, 0, 0, "falls like 1/√D", colour=SOFT, size=11, ha="left", va="bottom"),
                "discs": [choice(axes) for _ in range(2)], "numbers": [number(axes, bbox=PAPER) for _ in range(2)]}

    def update(artists, frequencies=20, draw=3, model=sims.DRAWN_MODELS[0]):
        found, exact = sims.feature_errors(model), sims.exact_norm(model)
        p, delta, _ = sims.some_digits(model)
        value, (colour, marker, text) = sims.with_waves(p, delta, frequencies, draw, on_digits.PENALTY)[1], MODELS[model]
        artists["rings"][1].set(mec=colour, marker=marker, alpha=0.45)
        artists["name"].set_color(text)
        errors = np.array([[each[0], abs(each[1] - exact) / exact] for each in found.values()])
        now = found[frequencies, draw][0], abs(value - exact) / exact
        off = f"{now[0]:.3f}", f"{now[1]:.1%}" if now[1] >= 5e-4 else "under 0.1%"
        for k, every in enumerate(errors.T):
            artists["rings"][k].set_data(counts, np.maximum(every, 1e-4))
            scale = np.sqrt((every**2 * counts).mean())
            artists["guides"][k].set_data(sims.COUNTS, scale / np.sqrt(sims.COUNTS))
            y, right = max(now[k], 1e-4), frequencies < 200
            artists["discs"][k].set_data([frequencies], [y])
            tell(artists["numbers"][k], (frequencies, y), off[k], color=(INK, text)[k], ha="left" if right else "right",
                 position=(13 if right else -13, (5, -5 if y > 3e-4 else 9)[k]))
        artists["slope"].set_position((230, 1.4 * np.sqrt((errors[:, 0] ** 2 * counts).mean() / 230)))
        n = len(sims.some_digits(model)[2])
        return Finding(f"{frequencies} frequencies, this draw: kernel off by {off[0]}, CKCE by {off[1]}",
                       f"{model}, {n} digits, draw {draw} of {sims.DRAWS}; rings: the other draws; dashes: 1/√D",
                       f"The kernel's error is a root mean square over pairs. CKCE {value:.5f}, exact {exact:.5f}.")

    return explore(setup, update, size=(9, 4.4), model=sims.DRAWN_MODELS, frequencies=sims.COUNTS, draw=(1, sims.DRAWS, 1),
                   labels={"frequencies": "frequencies D"}, code=sims.with_waves)


KERNELS = ("the sum", "linear", "Gaussian")
CLEARLY = 0.05  # of the maximum


def steadiest(low):
    """Whether the CKCE with the sum of two kernels, first of these lowest values over maxima, clearly moves least."""
    least = "moves least" if low[0] > max(low[1:]) + CLEARLY else "moves as with one"
    return f"With the sum of both kernels the CKCE {least}: down to {low[0]:.0%}"


def three_kernels():
    """The CKCE over shifted inputs with kernel (8), the sum of a linear and a Gaussian one, and with each alone (Figure 4)."""

    def setup(fig):
        axes = panel(fig, xlim=(-1.03, 1.03), ylim=(0, 1.05), xlabel="shift α of the inputs",
                     ylabel="CKCE, relative to its maximum", x=[-1, 0, 1])
        axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        looks = ({"lw": 3.4}, {"color": SOFT, "lw": 1.8, "dashes": (4, 2)}, {"color": SOFT, "lw": 1.8})
        rows = list(zip(looks, (KEPT, SOFT, SOFT), (0.3, 0.19, 0.08), strict=True))  # no curve comes down here
        for look, _, y in rows:
            estimate(axes, [-0.42, -0.28], [y, y], line=True, **look)
        return {"lines": [estimate(axes, line=True, marker="o", ms=9.5, mec="white", **look) for look in looks],
                "names": [words(axes, -0.24, y, "", ha="left", size=NUMBER, colour=colour, bold=colour == KEPT)
                          for _, colour, y in rows]}

    def update(artists, bandwidth=paper.MEDIAN, penalty="λ"):
        values = sims.over_shift(bandwidth, sims.OF_THE_SUM[penalty])
        relative = values / values.max(axis=1, keepdims=True)
        low, rows = relative.min(axis=1), zip(artists["lines"], artists["names"], KERNELS, relative, strict=True)
        for line, text, name, each in rows:
            line.set_data(paper.ALPHAS, each)
            line.set_markevery([int(each.argmin())])
            text.set_text(f"{name}: down to {each.min():.0%}")
        ends = (f"{name} {each[0]:.3f} to {each[len(each) // 2]:.3f}" for name, each in zip(KERNELS, values, strict=True))
        return Finding(steadiest(low),
                       f"its penalty: {penalty}, that of its parts: λ; bandwidth: {bandwidth}; no noise; dots: lowest",
                       f"CKCE from the ends to the middle: {', '.join(ends)}; λ = {sims.LAMBDA:.3f}.")

    return explore(setup, update, size=(9, 4.4), bandwidth=list(sims.RULES), penalty=list(sims.OF_THE_SUM),
                   labels={"penalty": "penalty of the sum"}, code=sims.over_shift)
