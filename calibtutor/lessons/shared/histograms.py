"""Histograms on pictures: their axes, their bars, and what stands beside them."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from ...plots import (
    GREY,
    SOFT,
    bars_between,
)


def _without_y(axes, cells, xlabel):
    axes.set(xlim=(cells[0], cells[-1]), ylim=(0, 1), xlabel=xlabel, yticks=[])
    ticks = [x for x in MaxNLocator(5).tick_values(cells[0], cells[-1]) if cells[0] <= x <= cells[-1]]
    axes.set_xticks(ticks, [f"{x:.6g}".replace("-", "−") for x in ticks])
    axes.tick_params(length=4, color=GREY, labelcolor=SOFT)
    axes.spines["left"].set_visible(False)


def _stacked(cells, *parts):
    """Edges and levels of bars, one part on the other, the tallest 0.62; what is beyond the ends is in their cells."""
    counts = [np.histogram(np.clip(part, cells[0], cells[-1]), cells)[0] for part in parts]
    levels = np.cumsum([0 * counts[0], *counts], axis=0)
    return cells, *(0.62 * levels / levels[-1].max())


def _step(edges, top):
    """The upper edge of bars, as a line from the floor, before the first, to the floor, after the last."""
    full = np.flatnonzero(top)
    part = slice(full[0], full[-1] + 1)
    return np.repeat(edges[full[0] : full[-1] + 2], 2), np.concatenate([[0], np.repeat(top[part], 2), [0]])


def _beside(name, x, y, text, cells, side, edge=0.25):
    """Write beside a mark, on the wanted side unless the panel ends there."""
    share = (x - cells[0]) / (cells[-1] - cells[0])
    side = 1 if share < edge else -1 if share > 1 - edge else side
    name.xy = (x, y)
    name.set(text=text, position=(12 * side, 0), ha="left" if side > 0 else "right")


def heap(edges, count, row, height):
    """The bars of a histogram that stands on `row`, the tallest of this height; empty ones are left out."""
    bars = bars_between(edges, 0 * count + row, row + height * count / count.max())
    return [bar for bar, cases in zip(bars, count, strict=True) if cases]
