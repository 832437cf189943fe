"""What pictures of p-values share: axes with the diagonal, what chance does to them, and curves of power."""

from functools import lru_cache

import numpy as np
from scipy.stats import binom, kstwo

from ...plots import CHANCE, KEPT, MISS, NUMBER, SOFT, estimate, number, panel, reference, words

__all__ = ["IN_WORDS", "by_chance", "chance_of_a_curve", "cries_wolf", "power_curve", "show_power", "square", "steps"]

IN_WORDS = {
    "C on an ECE": "pairs redrawn (C)", "C": "pairs redrawn (C)", "C, colliding cells": "C, colliding cells",
    "C with SKCE_uq": "C with the SKCE", "D_b": "bound, biased (D_b)", "D_uq": "bound, unbiased (D_uq)",
    "D_ul": "bound, linear (D_ul)", "A_uq": "bootstrap (A_uq)", "A_l": "t test of pairs (A_l)",
    "exact": "labels redrawn (exact)", "aggregated": "labels (aggregated)", "exact ECE": "labels redrawn, ECE",
}  # fmt: skip


def square(axes, **labels):
    """Axes for a distribution function of p-values, with the diagonal that honesty demands."""
    axes.set(xlim=(0, 1), ylim=(0, 1.01), **labels)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([0, 0.5, 1], ["0", "0.5", "1"])
    reference(axes, [0, 1], [0, 1])


def steps(pvalues):
    """x and y of the empirical distribution function, from 0 to 1."""
    x = np.concatenate([[0], np.sort(pvalues), [1]])
    y = np.concatenate([np.arange(len(pvalues) + 1) / len(pvalues), [1]])
    return x, y


@lru_cache
def _room(n_sets):
    """Kolmogorov's: the curve of exact p-values of so many data sets stays within, in 95 of 100 simulations."""
    return kstwo.ppf(0.95, n_sets)


def chance_of_a_curve(n_sets, up_to=1):
    """Where the curve of an exact test's p-values stays in 95 of 100 simulations, as a polygon."""
    x, room = np.linspace(0, up_to, 101), _room(n_sets)
    low, high = np.maximum(x - room, 0), np.minimum(x + room, 1)
    return np.vstack([np.column_stack([x, low]), np.column_stack([x, high])[::-1]])


def cries_wolf(levels, share, n_sets):
    """Whether the share of calibrated data sets rejected is above all that chance explains, at some level."""
    return bool((np.asarray(share) - levels).max() > _room(n_sets))


@lru_cache
def by_chance(n_sets, level=0.05):
    """Shares (low, high) between which an exact test rejects calibrated data, in 95 of 100 simulations."""
    return binom.ppf(0.025, n_sets, level) / n_sets, binom.ppf(0.975, n_sets, level) / n_sets


def power_curve(fig, widths, label, *, xlabel, n_sets=100):
    """Axes for the power of one test along the width of its kernel, and of a test aggregated over all widths."""
    end = widths[-1] * (widths[-1] / widths[0]) ** 0.33  # room for a name
    axes = panel(fig, xscale="log", xlim=(widths[0] / 1.35, end), ylim=(0, 1.02), xlabel=xlabel,
                 ylabel="share rejected at level 5%")  # fmt: skip
    axes.set_xticks(widths, [f"{w:g}" for w in widths])
    axes.minorticks_off()
    axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
    low, high = by_chance(n_sets)
    axes.axhspan(low, high, color=CHANCE, lw=0, zorder=0)
    reference(axes, axes.get_xlim(), [0.05, 0.05])
    words(axes, end, high + 0.01, "grey: calibrated data", colour=SOFT, ha="right", va="bottom", size=11)
    line = estimate(axes, line=True, lw=1.2)
    dots = axes.scatter(widths, 0 * np.array(widths), s=110, edgecolor="white", zorder=5, clip_on=False)
    together = axes.axhline(0, color=KEPT, lw=4, alpha=0.45, zorder=2)
    names = [number(axes, colour=KEPT, offset=(0, 12), ha=ha, size=size)
             for ha, size in (("right", NUMBER), ("center", NUMBER), ("left", 12))]  # fmt: skip
    return {"line": line, "dots": dots, "together": together, "names": names, "end": end, "blind": high, "label": label}  # fmt: skip


def show_power(artists, widths, single, aggregated):
    """Move both curves, red where one width sees no more than chance does; the best width."""
    best = int(np.argmax(single))
    artists["line"].set_data(widths, single)
    artists["dots"].set_offsets(np.column_stack([widths, single]))
    artists["dots"].set_facecolor([MISS if each <= artists["blind"] else KEPT for each in single])
    artists["together"].set_ydata([aggregated, aggregated])
    for name, x, y, text in zip(
        artists["names"], (artists["end"], widths[best], widths[0] / 1.1), (aggregated, single[best], single[0]),
        (f"{aggregated:.0%} aggregated", f"{single[best]:.0%}", artists["label"] if best else ""), strict=True,
    ):  # fmt: skip
        name.xy = x, y
        name.set_text(text)
    low = single[0] < 0.2  # then its name is above, or it would lie on the grey
    artists["names"][2].set_position((0, 14 if low else -16))
    return widths[best]
