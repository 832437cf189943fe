"""The scene that notebooks 02 and 03 share: two estimators as surfaces over pairs of predictions."""

from functools import lru_cache

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from ...binning import reliability_curve
from ...data.worlds import wave_world
from ...kde import conditional_frequency
from ...plots import (
    INK,
    KEPT,
    MISS,
    NUMBER,
    SMALL,
    SOFT,
    Finding,
    panel,
    reference,
    words,
)
from ...teach.explore import explore
from .maps import Heatmap

__all__ = ["two_surfaces"]


def nearer(bins, kernel, slack=0.05):
    """Which of two distances to the truth is smaller; neither is if they differ by less than a twentieth."""
    if abs(bins - kernel) <= slack * max(bins, kernel):
        return "neither"
    return "bins" if bins < kernel else "the kernel"


def which_is_nearer(diagonal, surface):
    """Two comparisons by `nearer` in one sentence."""
    if diagonal == surface == "neither":
        return "Neither bins nor kernel are closer to the truth"
    if diagonal == surface:
        return f"Closer to the truth, on the diagonal and as a whole: {surface}"
    return f"Closer on the diagonal: {diagonal}; as a whole surface: {surface}"


def one_wave(n=1000):
    """n labels and scores of a model that misses by a wave of height .15."""
    return wave_world(1, 0.15).sample(n, 3)


def miss_by_bins(y_true, y_prob, bins, at):
    """By how much the predictions `at` are too high: the mean miss in the bin of each; an empty bin claims none."""
    gap = reliability_curve(y_true, y_prob, n_bins=bins).gap
    return np.nan_to_num(gap[np.minimum(np.ceil(at * bins).astype(int) - 1, bins - 1)])


def miss_by_kernel(y_true, y_prob, bandwidth, at):
    """The same, with the frequency near a prediction instead of that in its bin."""
    return at - conditional_frequency(y_true, y_prob, at=at, bandwidth=bandwidth)


def surface_of(miss, true_miss):
    """u(p) u(p') for every two predictions, u being the miss; its mean where p = p'; its distance to the truth."""
    surface, true = np.outer(miss, miss), np.outer(true_miss, true_miss)
    return surface, np.mean(miss**2), np.sqrt(np.mean((surface - true) ** 2))


def two_surfaces():
    """Truth, bins and kernel as functions of two predictions, h(p, p') = u(p)·u(p'): mirrored at the diagonal."""
    world = wave_world(1, 0.15)
    cells = (np.arange(80) + 0.5) / 80
    data = {n: one_wave(n) for n in (200, 1000, 5000)}
    truth = cells - world.curve(cells)
    below = np.tri(80, k=-1, dtype=bool)  # rows are p', so this is where p' > p: above the diagonal as drawn
    shades = LinearSegmentedColormap.from_list("signed", [KEPT, "white", MISS])

    @lru_cache(maxsize=100)
    def bin_gap(n, bins):
        return miss_by_bins(*data[n], bins, cells)

    @lru_cache(maxsize=100)
    def kernel_gap(n, bandwidth):
        return miss_by_kernel(*data[n], bandwidth, cells)

    def setup(fig):
        columns = fig.add_gridspec(1, 4, width_ratios=[3.3, 1, 3.3, 1])
        panels = {}
        for column, name in ((0, "bins"), (2, "kernel")):
            axes = panel(fig, columns[column], aspect="equal", xlabel="p")
            image = Heatmap(axes, (80, 80), vmin=-0.03, vmax=0.03, enlarge="hamming", cmap=shades)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            axes.set_yticks([0, 1], ["0", "1"])
            axes.set_ylabel("p'", labelpad=-8)
            axes.spines[:].set_visible(False)
            box = {"boxstyle": "round,pad=0.2", "fc": "white", "lw": 0}
            names = [words(axes, 0.03, 0.94, name, bold=True, ha="left", bbox=box),
                     words(axes, 0.97, 0.06, "truth", bold=True, ha="right", bbox=box)]  # fmt: skip
            side = panel(fig, columns[column + 1], read_y=False, xlim=(0, 1), ylim=(0, 1))
            side.set_axis_off()
            for y, text in (
                (0.95, "mean of its\ndiagonal"),
                (0.68, f"truth {np.mean(truth**2):.4f}"),
                (0.5, "distance of\nthe surfaces"),
            ):
                words(side, 0, y, text, ha="left", colour=SOFT, size=SMALL)
            numbers = [words(side, 0, y, "", ha="left", bold=True, size=NUMBER) for y in (0.81, 0.36)]
            panels[name] = image, reference(axes, [0, 1], [0, 1], color=INK), names, numbers
        for y, text, colour in (
            (0.2, "red: both miss\nthe same way", MISS),
            (0.05, "blue: opposite;\ndarkest: 0.03", KEPT),
        ):
            words(side, 0, y, text, ha="left", colour=colour, size=SMALL)
        return panels

    def update(artists, n=1000, bins=15, bandwidth=0.02):
        true = np.mean(truth**2)
        said, apart = [f"truth h* {true:.4f}"], []
        for name, gap in (("bins", bin_gap(n, bins)), ("kernel", kernel_gap(n, bandwidth))):
            image, _, _, numbers = artists[name]
            surface, diagonal, away = surface_of(gap, truth)
            image.set_data(np.where(below, surface, np.outer(truth, truth)))
            for each, value in zip(numbers, (diagonal, away), strict=True):
                each.set_text(f"{value:.4f}")
            said.append(f"{name} {diagonal:.4f} (distance {away:.4f})")
            apart.append((abs(diagonal - true), away))
        verdicts = [nearer(*each) for each in zip(*apart, strict=True)]
        for name, mine in (("bins", "bins"), ("kernel", "the kernel")):
            for each, verdict in zip(artists[name][3], verdicts, strict=True):
                each.set_color(KEPT if verdict == mine else SOFT)
        return Finding(
            which_is_nearer(*verdicts),
            f"miss at p × miss at p', above the diagonal estimated, below true; n = {n:,}, bins: {bins}, γ = {bandwidth:g}",
            f"Squared error, the diagonal's mean: {', '.join(said)}.",
        )

    return explore(setup, update, size=(9, 4.7), n=list(data), bins=(1, 60, 1), labels={"bandwidth": "bandwidth γ"},
                   code=(one_wave, miss_by_bins, miss_by_kernel, surface_of),
                   bandwidth=[0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0])  # fmt: skip
