"""What pictures of misses in rows and along a feature share."""

import numpy as np

from ...plots import misses, reference, region
from ...teach.marks import number, tell


def sides_of_zero(axes, left, right, high):
    """An axis of misses up to `high`: the line at 0, and what lies above and below it."""
    reference(axes, [left, right], [0, 0])
    for sign, text in ((1, "says too much"), (-1, "says too little")):
        region(axes, left + 0.02 * (right - left), 0.92 * sign * high, text, ha="left")


def lollipops(axes, rows, lw=3.4):
    """Stems, dots and numbers in some rows, which `show_lollipops` moves."""
    return misses(axes, lw=lw), axes.scatter(rows, rows, s=130, zorder=4, ec="white"), [number(axes) for _ in rows]


def show_lollipops(parts, rows, values, colours, texts, start=0.0):
    """Move `lollipops`: each from `start` to its value, in its colour, with its text."""
    stems, dots, numbers = parts
    stems.set(segments=[[(start, row), (value, row)] for row, value in zip(rows, values, strict=True)], color=colours)
    dots.set(offsets=np.column_stack([values, rows]), facecolor=colours)
    for each, row, value, colour, text in zip(numbers, rows, values, colours, texts, strict=True):
        tell(each, (max(value, start), row), text, color=colour)
