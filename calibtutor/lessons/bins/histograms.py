"""A histogram of estimates, with their mean, the truth and the bias between them."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba

from ...plots import KEPT, MISS, bars_between, estimate, misses, number, truth
from ..shared.histograms import _beside, _stacked, _step, _without_y
from ..shared.verdicts import written

__all__ = ["Histogram"]


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
