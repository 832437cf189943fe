"""Pictures: data in, matplotlib artists out. Nothing is estimated here.

The classes draw once and move their artists in place (`update`), so that the same code serves a still figure
and a slider. Colours are Okabe and Ito's, which colour-blind readers tell apart.
"""

import base64
import io

import numpy as np

from . import _course

with _course():
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.transforms import IdentityTransform
    from PIL import Image

__all__ = [
    "COLOURS",
    "Heatmap",
    "Histogram",
    "Picture",
    "ReliabilityDiagram",
    "Simplex",
    "bars_between",
    "new_figure",
    "reliability_diagram",
    "still_png",
    "still_twin",
    "to_plane",
]

COLOURS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "yellow": "#E69F00",
    "sky": "#56B4E9",
    "pink": "#CC79A7",
    "grey": "#8C8C8C",
    "ink": "#222222",
}
TITLE = "Title, Ty"  # stands in for a title that moves, so that the layout keeps room for it
STYLE = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "axes.axisbelow": True,
    "axes.grid": False,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "lines.linewidth": 2,
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",
}


class StyledFigure(Figure):
    """A figure whose axes are made in the course's style, whatever the reader's matplotlib settings."""

    def add_subplot(self, *args, **kwargs):
        with rc_context(STYLE):
            return super().add_subplot(*args, **kwargs)


def new_figure(width=9, height=4, dpi=100):
    """An empty figure in the course's style (constrained layout, no pyplot: nothing global is touched)."""
    with rc_context(STYLE):
        return StyledFigure(figsize=(width, height), dpi=dpi, layout="constrained")


class Picture:
    """A still figure for a notebook: PNG, with one sentence that says what it shows."""

    def __init__(self, figure, sentence):
        self.figure, self.sentence = figure, sentence
        buffer = io.BytesIO()
        FigureCanvasAgg(figure).print_png(buffer)
        self.png = buffer.getvalue()

    def _repr_mimebundle_(self, include=None, exclude=None):
        return still_twin(self.png, self.sentence)


def still_twin(png, sentence, colours=256):
    """A picture and its sentence as a notebook stores them: (data, metadata) by MIME type."""
    return {"image/png": still_png(png, colours), "text/plain": sentence}, {"image/png": {"alt": sentence}}


def still_png(png, colours=256):
    """A PNG packed for storage in a notebook, base64: 256 colours are plenty for a plot and a third of the size."""
    buffer = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(colours).save(buffer, "png", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


class ReliabilityDiagram:
    """Observed frequency against confidence with a counts strip below; see `reliability_diagram`."""

    def __init__(self, fig, *, spec=None, title="", colour="blue", event="share that is right"):
        with rc_context(STYLE):
            grid = (spec or fig.add_gridspec(1, 1)[0]).subgridspec(2, 1, height_ratios=[4, 1], hspace=0.05)
            self.axes = fig.add_subplot(grid[0])
            self.counts = fig.add_subplot(grid[1], sharex=self.axes)
        self.axes.set(xlim=(-0.015, 1.015), ylim=(-0.015, 1.015), ylabel=event)
        self.axes.tick_params(labelbottom=False)
        self.axes.plot([0, 1], [0, 1], color=COLOURS["grey"], lw=1, ls="--", zorder=1)
        self.title = self.axes.set_title(title or TITLE)
        self.counts.set(xlabel="predicted probability", ylabel="count", ylim=(0, 1.1), yticks=[])
        self.tallest = self.counts.text(0.01, 0.97, "", transform=self.counts.transAxes, va="top", fontsize=9)
        self.band = PolyCollection([], facecolor=COLOURS["grey"], alpha=0.3, zorder=1.5)
        self.gaps = LineCollection([], colors=COLOURS["orange"], lw=2, zorder=2)
        self.axes.add_collection(self.band)
        self.axes.add_collection(self.gaps)
        (self.line,) = self.axes.plot([], [], color=COLOURS[colour], lw=1.2, zorder=3)
        self.points = self.axes.scatter([], [], s=[], color=COLOURS[colour], zorder=4, clip_on=False)
        self.points.set_in_layout(False)
        self.bars = PolyCollection([], facecolor=COLOURS[colour], alpha=0.7)
        self.counts.add_collection(self.bars)
        self.artists = [self.band, self.gaps, self.line, self.points, self.bars, self.tallest, self.title]

    def update(self, curve, band=None, title=None):
        """Show a `ReliabilityCurve` and, if given, a consistency band (low, high)."""
        full = curve.count > 0
        x, y = curve.confidence[full], curve.frequency[full]
        self.line.set_data(x, y)
        self.points.set_offsets(np.column_stack([x, y]))
        self.points.set_sizes(14 + 130 * curve.count[full] / curve.count.sum())  # a small dot stands for few data
        self.gaps.set_segments([[(a, a), (a, b)] for a, b in zip(x, y, strict=True)])
        self.bars.set_verts(bars_between(curve.edges, np.zeros(len(full)), curve.count / curve.count.max()))
        self.tallest.set_text(f"tallest: {curve.count.max()}")
        low, high = band if band is not None else (np.array([]), np.array([]))
        boxes = bars_between(curve.edges, low, high) if len(low) else []
        self.band.set_verts([box for box, keep in zip(boxes, full, strict=False) if keep])
        if title is not None:
            self.title.set_text(title)


def reliability_diagram(curve, band=None, *, title="", event="share that is right"):
    """A still reliability diagram: points against the diagonal, gaps in orange, band in grey, shares below.

    Parameters
    ----------
    curve : ReliabilityCurve
    band : (low, high), optional
        Consistency band, one interval a bin.
    title, event : str

    Returns
    -------
    Figure
    """
    figure = new_figure(5, 5)
    ReliabilityDiagram(figure, event=event).update(curve, band, title=title)
    return figure


def bars_between(edges, low, high):
    """Rectangles between bin edges, as polygons for one collection."""
    return [[(a, u), (b, u), (b, v), (a, v)] for a, b, u, v in zip(edges[:-1], edges[1:], low, high, strict=True)]


def to_plane(p):
    """Probability vectors (..., 3) to points of the equilateral triangle: class 0 left, 1 right, 2 top."""
    p = np.asarray(p)
    return np.stack([p[..., 1] + p[..., 2] / 2, np.sqrt(3) / 2 * p[..., 2]], axis=-1)


class Simplex:
    """The triangle of three-class predictions, with arrows from what was said to what happens."""

    def __init__(self, axes, names, *, title="", arrow_colour="orange", point_colour="blue", arrow_width=0.009):
        self.axes = axes
        axes.set_axis_off()
        axes.set(xlim=(-0.1, 1.1), ylim=(-0.1, 0.96), aspect="equal")
        corners = to_plane(np.eye(3))
        axes.plot(*np.vstack([corners, corners[:1]]).T, color=COLOURS["ink"], lw=1.2, zorder=1)
        for level in (0.25, 0.5, 0.75):  # light grid: lines of equal probability
            for k in range(3):
                ends = np.zeros((2, 3))
                ends[:, k] = level
                ends[0, (k + 1) % 3] = ends[1, (k + 2) % 3] = 1 - level
                axes.plot(*to_plane(ends).T, color="#DDDDDD", lw=0.7, zorder=0)
        for corner, name, (dx, dy) in zip(corners, names, [(-0.02, -0.035), (0.02, -0.035), (0, 0.03)], strict=True):
            axes.text(*(corner + (dx, dy)), name, ha="center", va="bottom" if dy > 0 else "top", fontsize=11)
        self.title = axes.set_title(title or TITLE)
        self.points = axes.scatter([], [], s=[], color=COLOURS[point_colour], zorder=3, lw=0)
        self.arrow_width = arrow_width
        self.arrows = PolyCollection([], facecolor=COLOURS[arrow_colour], zorder=4, lw=0)
        axes.add_collection(self.arrows)
        self.artists = [self.points, self.arrows, self.title]

    def update(self, start, end=None, size=30, title=None):
        """Points at `start` (m, 3) and arrows to `end` (m, 3); `size` is the points' area."""
        start = to_plane(start)
        self.points.set_offsets(start)
        self.points.set_sizes(np.broadcast_to(size, len(start)))
        if end is not None:
            self.point(start, to_plane(end))
        if title is not None:
            self.title.set_text(title)

    def point(self, start, end):
        """Arrows alone, from `start` to `end`, both (m, 2) in the plane."""
        self.arrows.set_verts(arrow_polygons(start, end, self.arrow_width))


def arrow_polygons(start, end, width=0.009):
    """Arrows as polygons: one collection draws hundreds quickly. Arrows shorter than their head shrink."""
    head = 4 * width
    shapes = []
    for a, b in zip(start, end, strict=True):
        length = np.hypot(*(b - a))
        if length < 1e-3:
            continue
        along = (b - a) / length
        side = np.array([-along[1], along[0]])
        tip = min(head, 0.6 * length)
        w, neck = width * tip / head, b - along * tip
        shapes.append(
            [a + side * w / 2, neck + side * w / 2, neck + side * tip / 2.2, b, neck - side * tip / 2.2,
             neck - side * w / 2, a - side * w / 2]
        )  # fmt: skip
    return shapes


class Histogram:
    """Share of values in fixed cells, with lines for the truth and for a mean."""

    def __init__(self, axes, cells, *, xlabel="", colour="sky", truth_label="truth", mean_label="mean"):
        self.axes, self.cells = axes, np.asarray(cells)
        self.bars = PolyCollection([], facecolor=COLOURS[colour], edgecolor="white", lw=0.5)
        axes.add_collection(self.bars)
        axes.set(xlim=(cells[0], cells[-1]), ylim=(0, 1), xlabel=xlabel, ylabel="share of data sets")
        axes.set_yticks([])
        self.truth = axes.axvline(cells[0], color=COLOURS["ink"], ls="--", lw=1.8, label=truth_label)
        self.mean = axes.axvline(cells[0], color=COLOURS["orange"], lw=2.2, label=mean_label)
        axes.legend(loc="upper right")
        self.title = axes.set_title(TITLE)
        self.artists = [self.bars, self.mean, self.truth, self.title]

    def update(self, values, truth, mean, title=None):
        """Show counts of `values` (the tallest bar fills the panel); values beyond the ends go to the end cells."""
        count = np.histogram(np.clip(values, self.cells[0], self.cells[-1]), self.cells)[0]
        self.bars.set_verts(bars_between(self.cells, np.zeros(len(count)), 0.86 * count / count.max()))
        self.truth.set_xdata([truth, truth])
        self.mean.set_xdata([mean, mean])
        if title is not None:
            self.title.set_text(title)


class Heatmap(AxesImage):
    """A matrix as colours that fill their axes, row 0 at `y[0]` and column 0 at `x[0]`; `set_data` shows another.

    The cells are coloured, then enlarged by Pillow with one of its filters ("nearest": edges stay sharp); `imshow`
    resamples numbers, which takes many times as long.
    """

    def __init__(self, axes, shape, *, x=(0, 1), y=(0, 1), vmin=0, vmax=1, cmap="PuOr", enlarge="nearest"):
        super().__init__(axes, cmap=cmap, extent=(*x, *y), origin="lower", zorder=0)
        self.enlarge = Image.Resampling[enlarge.upper()]
        self.set_data(np.zeros(shape))
        self.set_clim(vmin, vmax)
        axes.add_image(self)
        axes.set(xlim=x, ylim=y)

    def make_image(self, renderer, magnification=1.0, unsampled=False):
        """As `AxesImage`: pixels, their left and lower edge, and a transform that does nothing."""
        left, bottom, right, top = np.round(self.axes.bbox.extents).astype(int)
        cells = Image.fromarray(self.to_rgba(self.get_array(), bytes=True))
        picture = np.asarray(cells.resize((right - left, top - bottom), self.enlarge))
        upwards = picture[::-1] if self.axes.yaxis_inverted() else picture  # Agg takes the lowest row first
        return upwards.copy(), left, bottom, IdentityTransform()
