"""What pictures of p-values share: a colour for each test, axes with the diagonal, and curves of power."""

import numpy as np

from ...plots import COLOURS, TITLE

__all__ = ["COLOUR", "power_curve", "show_power", "square", "steps"]

COLOUR = {
    "C on an ECE": "orange", "C": "orange", "C, colliding cells": "yellow", "D_b": "grey", "D_uq": "grey",
    "D_ul": "grey", "A_uq": "blue", "A_l": "sky", "exact": "green", "aggregated": "pink", "exact ECE": "ink",
    "C with SKCE_uq": "orange",
}  # fmt: skip


def square(axes, **labels):
    """Axes for a distribution function of p-values, with the diagonal that honesty demands."""
    axes.set(xlim=(0, 1), ylim=(0, 1.01), **labels)
    axes.plot([0, 1], [0, 1], color=COLOURS["ink"], lw=1, ls="--")


def steps(pvalues):
    """x and y of the empirical distribution function, from 0 to 1."""
    x = np.concatenate([[0], np.sort(pvalues), [1]])
    y = np.concatenate([np.arange(len(pvalues) + 1) / len(pvalues), [1]])
    return x, y


def power_curve(fig, widths, label, *, key, xlabel):
    """Axes for the power of one test along the width of its kernel, and of a test aggregated over all widths."""
    axes = fig.add_subplot()
    axes.set(xscale="log", xlim=(widths[0] / 1.2, widths[-1] * 1.2), ylim=(0, 1.02),
             xlabel=xlabel, ylabel="share rejected at .05")  # fmt: skip
    axes.set_xticks(widths, [f"{w:g}" for w in widths])
    axes.minorticks_off()
    (line,) = axes.plot([], [], "o-", color=COLOURS["green"], label=label)
    together = axes.axhline(0, color=COLOURS["pink"], lw=2.5, label="aggregated over all")
    axes.axhline(0.05, color=COLOURS["grey"], lw=1, ls="--", label="level")
    axes.legend(loc=key)
    return {"line": line, "together": together, "title": axes.set_title(TITLE)}


def show_power(artists, widths, single, aggregated):
    """Move both curves; the best width."""
    artists["line"].set_data(widths, single)
    artists["together"].set_ydata([aggregated, aggregated])
    return widths[int(np.argmax(single))]
