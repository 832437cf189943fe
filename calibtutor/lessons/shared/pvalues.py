"""What pictures of p-values share: a colour for each test, and axes with the diagonal."""

from ...plots import COLOURS

__all__ = ["COLOUR", "square"]

COLOUR = {
    "C on an ECE": "orange", "C": "orange", "C, colliding cells": "yellow", "D_b": "grey", "D_uq": "grey",
    "D_ul": "grey", "A_uq": "blue", "A_l": "sky", "exact": "green", "aggregated": "pink", "exact ECE": "ink",
    "C with SKCE_uq": "orange",
}  # fmt: skip


def square(axes, **labels):
    """Axes for a distribution function of p-values, with the diagonal that honesty demands."""
    axes.set(xlim=(0, 1), ylim=(0, 1.01), **labels)
    axes.plot([0, 1], [0, 1], color=COLOURS["ink"], lw=1, ls="--")
