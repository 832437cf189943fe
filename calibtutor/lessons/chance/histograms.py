"""What chance alone gives, as a histogram beside what was observed."""

import numpy as np
from matplotlib.collections import PolyCollection

from ...plots import (
    CHANCE_BARS,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    TICKS,
    bars_between,
    estimate,
    number,
    reference,
    truth,
    words,
)
from ..shared.histograms import _beside, _stacked, _step, _without_y

__all__ = ["NullHistogram"]


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
        left = observed - low > 0.75 * (high - low)
        room = not left and mean - low > 0.16 * (high - low)
        _beside(self.names[1], observed, 0.93, f"{name} {observed:.3f}", self.cells, 1)
        self.names[1].set_color(text)
        expected = f"if calibrated\n{mean:.3f} on average"
        _beside(
            self.names[0], mean if room or left else max(mean, observed), 0.72, expected, self.cells, -1 if room else 1, 0.16
        )
        for each in (self.count, self.what):
            each.set(x=low if left else high, ha="left" if left else "right")
        self.count.set(text=f"{above} of {len(values)}", color=KEPT if explained else MISS)
