"""Histograms of notebook 02: estimates beside the truth, and what chance alone gives beside what was observed."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.ticker import MaxNLocator

from ...plots import (
    CHANCE_BARS,
    GREY,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    TICKS,
    bars_between,
    estimate,
    misses,
    number,
    reference,
    truth,
    words,
)
from ..shared.verdicts import written

__all__ = ["Histogram", "NullHistogram"]


class Histogram:
    """Shares of values in fixed cells, pale; a line of ink for the truth, one for their mean, and their bias in red.

    The lines are named where they end. `colour` is that of the values; a `Ghost` of `outline` keeps their last shape.
    """

    def __init__(self, axes, cells, *, xlabel="", colour=KEPT, truth_label="truth", mean_label="mean", digits=3):
        self.axes, self.cells, self.digits = axes, np.asarray(cells), digits
        _without_y(axes, self.cells, xlabel)
        self.bars = PolyCollection([], facecolor=to_rgba(colour, 0.35), edgecolor="white", lw=0.5, zorder=1)
        axes.add_collection(self.bars)
        self.outline = estimate(axes, line=True, color=colour, lw=1, zorder=1.2)
        self.mean, self.truth = estimate(axes, line=True, color=colour), truth(axes)
        self.bias = misses(axes, lw=9)
        self.labels = truth_label, mean_label
        self.names = number(axes), number(axes, colour=colour), number(axes, colour=MISS)
        self.artists = [self.bars, self.outline, self.mean, self.truth, self.bias, *self.names]

    def update(self, values, truth, mean):
        """Show counts of `values` (the tallest bar has the same height always); what is beyond the ends is in them."""
        edges, floor, top = _stacked(self.cells, values)
        self.bars.set_verts(bars_between(edges, floor, top))
        self.outline.set_data(*_step(edges, top))
        self.truth.set_data([truth, truth], [0, 0.97])
        self.mean.set_data([mean, mean], [0, 0.84])
        self.bias.set_segments([[(truth, 0.71), (mean, 0.71)]])
        right = 1 if mean >= truth else -1  # names stand on the side that is away from the other line, if it has room
        for each, x, y, side, text in (
            (self.names[0], truth, 0.94, -right, f"{self.labels[0]} {written(truth, self.digits)}"),
            (self.names[1], mean, 0.82, right, f"{self.labels[1]} {written(mean, self.digits)}"),
            (self.names[2], mean, 0.71, right, f"bias {written(mean - truth, self.digits, sign='+')}"),
        ):
            _beside(each, x, y, text, self.cells, side)


class NullHistogram:
    """What chance alone gives, in grey, and beside it what was observed; the part that is as large or larger, in red.

    In large type `update` says how many of the values reach the observed one, and below it `what` these are; blue
    instead of red if chance explains it. A `Ghost` of `outline` keeps the last shape.
    """

    def __init__(self, axes, cells, *, xlabel="", what="calibrated data sets\nscore this much or more"):
        self.axes, self.cells = axes, np.asarray(cells)
        _without_y(axes, self.cells, xlabel)
        self.bars, self.beyond = (
            PolyCollection([], facecolor=colour, edgecolor="white", lw=0.5, zorder=1) for colour in (CHANCE_BARS, MISS)
        )
        axes.add_collection(self.bars)
        axes.add_collection(self.beyond)
        self.outline = estimate(axes, line=True, lw=0, zorder=1.2)  # unseen, for a ghost
        self.mean, self.observed = reference(axes), truth(axes)
        self.dot = estimate(axes, ms=13)
        self.names = number(axes, colour=SOFT), number(axes)
        self.names[0].set(weight="normal", size=TICKS)
        self.count = words(axes, 0, 0.68, "", bold=True, size=30, colour=MISS)
        self.what = words(axes, 0, 0.58, what, colour=SOFT, va="top")
        self.what.set_in_layout(False)
        self.artists = [self.bars, self.beyond, self.outline, self.mean, self.observed, self.dot, *self.names,
                        self.count, self.what]  # fmt: skip

    def update(self, values, observed, name, model=None, explained=False):
        """Show `values` and the `observed` one, whose name is written beside it in its model's colour and shape."""
        values, (low, high) = np.asarray(values), self.cells[[0, -1]]
        colour, marker, text = MODELS.get(model, (KEPT, "o", KEPT))
        above = int((values >= observed).sum())
        edges, floor, split, top = _stacked(self.cells, values[values < observed], values[values >= observed])
        self.bars.set_verts(bars_between(edges, floor, split))
        self.beyond.set_verts(bars_between(edges, split, top))
        self.beyond.set_facecolor(KEPT if explained else MISS)
        self.outline.set_data(*_step(edges, top))
        mean = values.mean()
        self.mean.set_data([mean, mean], [0, 0.76])
        self.observed.set_data([observed, observed], [0, 0.93])
        self.dot.set_data([observed], [0.93])
        self.dot.set(color=colour, mec="white", marker=marker)
        room = mean - low > 0.16 * (high - low)
        _beside(self.names[1], observed, 0.93, f"{name} {observed:.3f}", self.cells, 1)
        self.names[1].set_color(text)
        expected = f"if calibrated\n{mean:.3f} on average"
        _beside(
            self.names[0], mean if room else max(mean, observed), 0.72, expected, self.cells, -1 if room else 1, 0.16
        )
        left = observed - low > 0.75 * (high - low)
        for each in (self.count, self.what):
            each.set(x=low if left else high, ha="left" if left else "right")
        self.count.set(text=f"{above} of {len(values)}", color=KEPT if explained else MISS)


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
