"""Pictures: data in, matplotlib artists out. Only `reliability_diagram` estimates, by the room `binning`.

The classes draw once and move their artists in place (`update`), so that the same code serves a still figure
and a slider. What a mark means, it means in the whole course; colour-blind readers tell the colours apart.
"""

from typing import NamedTuple

import numpy as np

from . import _course
from .door.arrays import as_array
from .door.inputs import InputError, check_choice, naming, same_rows
from .estimates.binning import consistency_band, in_one_bin, reliability_curve

with _course():
    from matplotlib import rc_context
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import to_rgba
    from matplotlib.figure import Figure
    from matplotlib.markers import MarkerStyle
    from matplotlib.transforms import offset_copy

# One grammar for every picture: a mark means one thing in the whole course.
INK = "#222222"  # truth, and what is named
GREY = "#767676"  # references: diagonal, zero, level
SOFT = "#5F5F5F"  # second line, ticks, names of axes
CHANCE, CHANCE_BARS = "#DDDDDD", "#CFCFCF"  # what calibrated data sets do
KEPT = "#0072B2"  # an estimate; a verdict that holds
MISS = "#C23B00"  # a miss, an error, a false alarm, and nothing else
CHOICE = "#FFD23F"  # what the reader chose
MODELS = {  # name -> colour of its marks, its marker, colour of its words
    "random forest": ("#0072B2", "o", "#0072B2"),
    "logistic regression": ("#00806B", "s", "#00806B"),
    "neural network": ("#5E2A7E", "^", "#5E2A7E"),
    "naive Bayes": ("#B58900", "D", "#7A5C00"),
    "decision tree": ("#5B6B77", "P", "#5B6B77")}
SMALL, TICKS, NUMBER = 11, 12, 13.5  # type, in points
FEW = 10  # a bin with fewer cases is drawn pale
STYLE = {"font.family": "DejaVu Sans", "font.size": TICKS, "axes.titlesize": TICKS, "axes.labelsize": TICKS,
         "axes.labelcolor": SOFT, "axes.edgecolor": GREY, "axes.unicode_minus": True, "axes.axisbelow": True,
         "axes.spines.top": False, "axes.spines.right": False, "axes.grid": False, "figure.facecolor": "white",
         "legend.frameon": False, "legend.fontsize": SMALL, "lines.linewidth": 2}


class StyledFigure(Figure):
    """A figure whose axes are made in the course's style, whatever the reader's matplotlib settings."""

    def add_subplot(self, *args, **kwargs):
        with rc_context(STYLE):
            return super().add_subplot(*args, **kwargs)


def new_figure(width=9, height=4, dpi=100, kind=StyledFigure):
    """An empty figure in the course's style (constrained layout, no pyplot: nothing global is touched)."""
    with rc_context(STYLE):
        return kind(figsize=(width, height), dpi=dpi, layout="constrained")


class Finding(NamedTuple):
    """What a picture says: the finding at this setting, with at most two numbers; what is drawn (n, bins, the controls'
    values); and what the picture shows beside that, in words: nothing of the two is said again, so it may be empty.
    """

    headline: str
    drawn: str
    sentence: str = ""

    @property
    def words(self):
        """All of it, for whoever cannot see the picture."""
        return " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in self if part)


HEAD = 0.66  # inches above a picture for its headline and second line


def headline(fig, first="", second="", room=0):
    """Write the finding top left, and below it what is drawn; the layout leaves them room, and a share on the right."""
    width, height = fig.get_size_inches()
    fig.get_layout_engine().set(rect=(0, 0, 1 - room, 1 - HEAD / height))
    above = fig.text(0.1 / width, 1 - 0.08 / height, first, size=15, weight="bold", color=INK, va="top")
    below = fig.text(0.1 / width, 1 - 0.37 / height, second, size=TICKS, color=SOFT, va="top")
    return [at_large(above), at_large(below)]


# --- marks ---


def ten_to(value):
    """A number in two digits: 0.05, −1; below .001 as a power of ten, 2·10⁻⁵."""
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{float(f'{value:.2g}'):,g}".replace("-", "−")
    if value < 0:
        return f"−{ten_to(-value)}"
    factor, power = f"{value:.1e}".split("e")
    factor = "" if factor == "1.0" else f"{float(factor):g}·"
    return factor + "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def panel(fig, spec=None, *, read_y=True, x=None, y=None, base=True, **settings):
    """Axes of the course, at `spec` or all of the figure: no frame, few ticks, a left spine only where y is read.

    `x` and `y` are the ticks, written by `ten_to`; `base` is False without a line below, (from, to) where it ends.
    Settings are those of ``Axes.set``: xlim, ylim, xlabel and so on.
    """
    axes = fig.add_subplot(spec) if spec is not None else fig.add_subplot()
    axes.set(**settings)
    for axis, ticks in ((axes.xaxis, x), (axes.yaxis, y)):
        if ticks is not None:
            axis.set_ticks(ticks, [ten_to(each) for each in ticks])
            axis.set_ticks([], minor=True)
    axes.tick_params(length=4, color=GREY, labelcolor=SOFT)
    if not read_y:
        axes.spines["left"].set_visible(False)
        axes.set_yticks([])
    axes.spines["bottom"].set_visible(bool(base))
    if base not in (True, False):
        axes.spines["bottom"].set_bounds(base)
    return axes


def words(axes, x, y, text, *, colour=INK, bold=False, size=TICKS, **settings):
    """Text on the picture, never below 11 points, centred on its place unless settings of ``Axes.text`` say else."""
    settings = {"ha": "center", "va": "center", "zorder": 9, "weight": "bold" if bold else "normal"} | settings
    return axes.text(x, y, text, color=colour, fontsize=max(size, SMALL), **settings)


def region(axes, x, y, text, **settings):
    """The name of a region, “says too much”: `words` in grey and italics."""
    return words(axes, x, y, text, colour=SOFT, style="italic", **settings)


def at_large(artist):
    """Leave out of the layout what moves over the edge: without data it would claim the figure's lower left corner."""
    artist.set_in_layout(False)
    return artist


def reference(axes, x=(), y=(), name="", *, at=0.5, side=1, **settings):
    """A line to compare with: grey dashes, its name along it. Like the next marks it may be empty at first and move.

    The name stands at the share `at` of its way, above (side=1) or below (−1) the line.
    """
    (line,) = axes.plot(x, y, **({"color": GREY, "lw": 1.2, "dashes": (5, 4), "zorder": 2} | settings))
    if name:
        (x0, x1), (y0, y1) = (np.asarray(each, float)[[0, -1]] for each in (x, y))
        slope = np.degrees(np.arctan2(y1 - y0, x1 - x0))
        off = offset_copy(axes.transData, axes.figure, 0, min(3 * side, 0), units="points")  # clear of its dashes
        axes.text(x0 + at * (x1 - x0), y0 + at * (y1 - y0), name, rotation=slope, rotation_mode="anchor", transform=off,
                  transform_rotates_text=True, ha="center", va="bottom" if side > 0 else "top", color=SOFT,
                  fontsize=SMALL)
    return line


def chance(axes, **settings):
    """What chance alone does: a grey fill; ``set_verts`` moves it."""
    look = {"facecolor": CHANCE, "edgecolor": "none", "zorder": 1} | settings
    return axes.add_collection(PolyCollection([], **look))


def estimate(axes, x=(), y=(), *, model=None, line=False, **settings):
    """Estimates: blue, or the colour and shape of a model of `MODELS`; dots, or with `line` a line."""
    colour, marker, _ = MODELS.get(model, (KEPT, "o", KEPT))
    look = {"lw": 2.2} if line else {"ls": "", "marker": marker, "ms": 9.5, "mec": "white", "mew": 1}
    return at_large(axes.plot(x, y, **({"color": colour, "zorder": 4, "clip_on": False} | look | settings))[0])


def misses(axes, **settings):
    """Stems from a reference to estimates; ``set_segments`` moves them."""
    look = {"segments": [], "colors": MISS, "lw": 3.4, "zorder": 3, "capstyle": "butt"} | settings
    return axes.add_collection(LineCollection(**look))


# --- diagrams ---


EVENT, SAID = "how often it is right", "how sure it says it is"  # of the top label
OF_ONE = "how often class 1 happened", "stated probability of class 1"


class ReliabilityDiagram:
    """How often it is right against how sure it says it is, with the numbers of cases below; see `reliability_diagram`.

    A stem from the diagonal to its dot is a bin's miss; a dot is as large as its bin is full, and few cases are pale.
    `event`, `said` and `cases` are what axes and bars show. It has `axes`, `counts` (the bars') and the
    `artists` that move. With scale "logit", for stills, both axes are logits, as wide as the curve asks for; what never
    or always happened has none, and is a hollow dot on the edge.
    """

    def __init__(self, fig, *, spec=None, title="", event=EVENT, said=SAID, cases="cases", scale="linear"):
        self.scale = scale
        with rc_context(STYLE):
            grid = (spec or fig.add_gridspec(1, 1)[0]).subgridspec(2, 1, height_ratios=[4.6, 1], hspace=0.08)
            self.axes = panel(fig, grid[0], xlim=(-0.015, 1.015), ylim=(-0.015, 1.015), ylabel=event,
                              xticks=[], y=[0, 0.5, 1], base=False)
            self.counts = panel(fig, grid[1], read_y=False, xlim=(-0.015, 1.015), ylim=(0, 1.1),
                                xlabel=said, x=[0, 0.5, 1])
        self.axes.set_box_aspect(1)  # square, so that the diagonal is one; the bars below it are as wide
        self.counts.set_box_aspect(1 / 4.6)
        reference(self.axes, [0, 1], [0, 1], "as often as it says", at=0.27, side=-1)
        region(self.axes, 0.13, 0.9, "says\ntoo little")
        region(self.axes, 0.84, 0.1, "says too much")
        self.cases = self.counts.text(0, 1.02, f"{cases} in each bin", color=SOFT, fontsize=SMALL, va="bottom",
                                      transform=self.counts.transAxes)
        self.title = self.axes.set_title(title)
        self.band = chance(self.axes, zorder=1.5)
        self.gaps = misses(self.axes)
        self.points = at_large(self.axes.scatter([], [], s=[], zorder=4, clip_on=False, edgecolor="white", lw=0.8))
        self.bars = chance(self.counts, facecolor=CHANCE, edgecolor="white", lw=0.5)
        self.tallest = words(self.counts, 0, 0, "", colour=SOFT, size=SMALL, va="bottom")
        self.artists = [self.band, self.gaps, self.points, self.bars, self.tallest, self.cases, self.title]
        self.laid = []  # of several models
        self.show_as(None)

    def show_as(self, model):
        """Take the colour and shape of a model of `MODELS`; any other is drawn as an estimate."""
        self.colour = MODELS[model][0] if model in MODELS else KEPT
        self.points.set_paths([model_marker(model)])

    def update(self, curve, band=None, title=None, model=None):
        """Show a `ReliabilityCurve` and, if given, a consistency band (low, high)."""
        if model is not None:
            self.show_as(model)
        mass, full, x, y, few = _dots(curve)
        where = self._scale(x, y)
        edges, share = where(curve.edges), mass[full] / mass.sum()
        self._place(self.points, x, y, share, few, self.colour, where)
        self.gaps.set_segments([[(a, a), (a, b)] for a, b in zip(where(x), where(y), strict=True)])
        self.gaps.set_colors([to_rgba(MISS, each) for each in few])
        self.bars.set_verts(bars_between(edges, np.zeros(len(full)), mass / mass.max()))
        middles = (edges[:-1] + edges[1:]) / 2
        x = max(middles[mass == mass.max()], key=lambda middle: abs(middle - 0.5))
        inside = 0.3 < x < 0.7  # above the bar, the number would meet the words beside it
        self.tallest.set(position=(x, 0.95 if inside else 1.0), va="top" if inside else "bottom")
        self.tallest.set_text(f"{mass.max():,}" if curve.weight is None else f"{share.max():.0%} of the weight")
        self.cases.set(x=1 if x < 0.5 else 0, ha="right" if x < 0.5 else "left")
        boxes = [] if band is None else bars_between(edges, *map(where, band))
        self.band.set_verts([box for box, keep in zip(boxes, full, strict=False) if keep])
        if title is not None:
            self.title.set_text(title)

    def name_diagonal(self):
        """Move the diagonal's name to where it meets neither dots nor stems, in stills; hide it if there is no room."""
        x, y = np.asarray(self.points.get_offsets()).T
        near, name = lambda at: np.abs(x - at) < 0.2, self.axes.texts[0]
        free = [(at, side) for at in (0.27, 0.5, 0.73) for side in (-1, 1) if (side * (y - x)[near(at)] < -0.03).all()]
        name.set_visible(bool(free))
        for at, side in free[:1]:
            off = offset_copy(self.axes.transData, self.axes.figure, -4 * side, 4 * side, units="points")
            name.set(position=(at, at), va="bottom" if side > 0 else "top", transform=off)

    def compare(self, curves):
        """Show each model of a dict {name: curve} in its marks, for stills: no band, no stems, a row of bars each."""
        for artist in (self.band, self.gaps, self.points, self.bars, self.tallest, self.axes.texts[0], *self.laid):
            artist.set_visible(False)
        dots, n = [_dots(curve) for curve in curves.values()], len(curves)
        where = self._scale(*(np.concatenate([each[k] for each in dots]) for k in (2, 3)))
        free = iter([model for model in MODELS if model not in curves])
        most = max((mass / mass.sum()).max() for mass, *_ in dots)
        for row, (name, (mass, full, x, y, few)) in enumerate(zip(curves, dots, strict=True), 1):
            share, look = mass / mass.sum(), name if name in MODELS else next(free)
            points = self.axes.scatter([], [], s=[], zorder=4, clip_on=False, lw=0.6, marker=MODELS[look][1])
            hollow = self._place(points, x, y, share[full], few, MODELS[look][0], where)
            line = estimate(self.axes, where(x), np.where(hollow, np.nan, where(y)), model=look, ls="-", lw=1.3,
                            markevery=slice(0))
            bars, floor = chance(self.counts, facecolor=MODELS[look][0], edgecolor="white", lw=0.5), 1 - row / n
            bars.set_verts(bars_between(where(curves[name].edges), 0 * mass + floor, floor + 0.9 / n * share / most))
            self.laid += [points, line, bars]
        cases = self.cases.get_text().split()[0] if curves[name].weight is None else "weight"
        self.cases.set(text=f"{cases} in each bin, {most:.0%} at most", x=0, ha="left")
        self.counts.get_gridspec().set_height_ratios([4.6, high := max(1, 0.35 * n)])
        self.counts.set_box_aspect(high / 4.6)
        self.axes.legend(self.laid[1 - 3 * n :: 3], curves, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2,
                         labelcolor=SOFT, fontsize=SMALL, frameon=False).set_in_layout(False)
        self.axes.set_title(self.title.get_text() or " ", pad=8 + 1.55 * SMALL * n)  # it keeps room for the legend

    def _place(self, points, x, y, share, few, colour, where):
        """Dots, pale for few cases, hollow for what has no logit."""
        hollow = np.isin(y, (0, 1)) & (self.scale == "logit")
        points.set_offsets(np.column_stack([where(x), where(y)]))
        points.set_sizes(40 + 130 * share)
        points.set_facecolor([to_rgba("white" if each else colour, a) for a, each in zip(few, hollow, strict=True)])
        points.set_edgecolor([colour if each else "white" for each in hollow])
        return hollow

    def _scale(self, x, y):
        """From probabilities to places on the axes; logits' are 0 to 1, as wide as these ask for, and ticks follow."""
        if self.scale == "linear":
            return lambda values: values
        values = np.concatenate([x, y])
        values = _logit(values[(values > 0) & (values < 1)])
        low, high = (values.min() - 0.7, values.max() + 0.7) if len(values) else (-5, 5)  # the edge is clear of dots
        where = lambda values: np.clip((_logit(values) - low) / (high - low), 0, 1)
        tens = 10.0 ** np.arange(-15, 0)
        for few in (tens, np.outer(tens, (1, 2, 5)).ravel()):
            ticks = np.unique(np.concatenate([few, [0.5], 1 - few]))
            ticks = ticks[(_logit(ticks) > low) & (_logit(ticks) < high)]
            if len(ticks) > 1:
                break
        ticks = ticks[:: -(-len(ticks) // 5)]
        names = [ten_to(each) if each <= 0.5 else f"{each:.12g}" for each in ticks]
        for axis in (self.axes.yaxis, self.counts.xaxis):
            axis.set_ticks(where(ticks), names)
        counts = ("never", (y == 0).sum()), ("always", (y == 1).sum())
        said = [f"it {name} happened in {k} bin{'s' * bool(k > 1)}" for name, k in counts if k]
        hollow = [f"hollow: {', '.join(said)}"] if said else []
        self.counts.set_xlabel("\n".join([self.counts.get_xlabel().split("\n")[0], *hollow]))
        return where


@same_rows
def reliability_diagram(y_true, y_prob, *, ax=None, n_bins=15, strategy="uniform", scale="linear", weights=None,
                        rng=None, title="", event=None):
    """A reliability diagram: dots against the diagonal, misses in red, cases in each bin below.

    Grey is the pointwise `consistency_band`: in each bin it holds the frequency of a calibrated model in 90 of 100
    cases, so that one bin in ten may lie outside. If nearly all scores (99 %) are in one bin, a line says so. Several
    models are told apart by colour and shape, without band and misses; each has a row of bars.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n, d) is reduced to the top label; (n,) is P(Y = 1). Two to five models of the same
        rows: a dict {name: y_prob}.
    ax : Axes, optional
        Axes of a grid, as ``plt.subplots(layout="constrained")`` makes them: the diagram, which is two axes, takes
        their place. A later call with them lays its models over, of other rows, too. Without, a new figure.
    n_bins, strategy : int, str
        As in `reliability_curve`.
    scale : {"linear", "logit"}
        Of both axes. log(p/(1 − p)) is the scale for rare events, of which it is log p, and for what is nearly sure. A
        frequency of 0 or 1 has no logit: a hollow dot on the edge, and a line says how many there are.
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows, as in `reliability_curve`; dots and bars are as large as a bin's share of the weight.
    rng : int, Generator or None
        Draws the labels behind the band.
    title, event : str
        Above the diagram, and on its vertical axis; by default how often the top label is right, or class 1 happened.

    Returns
    -------
    Figure
        Or the subfigure that `ax` was in.

    Raises
    ------
    InputError
        For what `reliability_curve` refuses, an unknown scale, axes that are in no grid, were removed or show something
        else, more than five models, or vectors beside rows.

    Examples
    --------
    >>> from calibtutor import reliability_diagram
    >>> y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    >>> figure = reliability_diagram(y_true, y_prob, n_bins=5, rng=0)  # figure.savefig("diagram.png") keeps it
    >>> len(figure.axes)
    2
    """
    check_choice(scale, "scale", ("linear", "logit"))
    diagram = getattr(ax, "reliability_diagram", None)  # of an earlier call
    drawn, held = (diagram.curves, diagram.axes) if diagram else ({}, ax)
    length = lambda each: len(each) if hasattr(each, "__len__") else 0
    if isinstance(y_prob, list | tuple) and {*map(length, y_prob)} == {length(y_true)} != {len(y_prob)}:
        raise InputError("y_prob", "one model, or of several a dict {name: y_prob}", found=f"a list of {len(y_prob)}")
    models = y_prob if isinstance(y_prob, dict) else {f"model {len(drawn) + 1}": y_prob}
    if not 0 < len(drawn | models) <= len(MODELS):
        raise InputError("y_prob", f"one to {len(MODELS)} models", found=len(drawn | models))
    placed = isinstance(ax, Axes) and held.figure and held in held.figure.axes and held.get_subplotspec()
    if not (ax is None or placed):
        raise InputError("ax", "axes of a grid, as of plt.subplots, neither placed by hand nor removed", found=repr(ax))
    curves, kinds = {}, set()
    for name, each in models.items():
        with naming("y_prob" if each is y_prob else f"y_prob[{name!r}]", instead_of="y_prob"):
            curves[name] = reliability_curve(y_true, each, n_bins=n_bins, strategy=strategy, weights=weights)
        array = as_array(each, "y_prob")
        kinds.add((scale, *(OF_ONE if array.size == len(array) else (EVENT, SAID))))  # one number a row
    (_, default, said), *others = kinds | ({diagram.kind} if diagram else set())
    if others:
        hint = "vectors P(Y = 1) of all models, or rows of all, and one scale"
        raise InputError("y_prob", "models that share their axes", found="more", hint=hint)
    if not diagram:
        figure = ax.figure if ax else new_figure(5, 5 + 0.25 * (len(models) - 1))
        diagram = ReliabilityDiagram(figure, spec=placed or None, event=event or default, said=said, scale=scale)
        diagram.kind = kinds.pop()
        for each in filter(None, (ax, diagram.axes, diagram.counts)):
            each.reliability_diagram = diagram  # a later call lays over
        if ax:
            ax.remove()
    diagram.title.set_text(title or diagram.title.get_text())
    diagram.counts.set_xlabel(said)
    diagram.curves = drawn | curves
    if drawn or models is y_prob:
        diagram.compare(diagram.curves)
    else:
        (curve,) = curves.values()
        diagram.update(curve, consistency_band(y_prob, edges=curve.edges, weights=weights, rng=rng))
    options = ["strategy='quantile'"] * (strategy == "uniform") + ["scale='logit'"] * (scale == "linear")
    most, n = max(in_one_bin(models[k], n_bins, c.count if strategy == "uniform" else None) for k, c in curves.items())
    if most and options:
        many = (f"all {n:,}" if most == n else f"{most:,} of {n:,}") + " scores" + " of a model" * (len(models) > 1)
        part = "bin" if strategy == "uniform" else "equal part"
        name, verb = diagram.counts.get_xlabel(), "spread" if len(options) > 1 else "spreads"
        diagram.counts.set_xlabel(f"{name}\n{many} are in one {part} of {n_bins};\n{' and '.join(options)} {verb} them")
    return diagram.axes.figure


def _dots(curve):
    """Cases or weight of every bin, which bins hold some, their dots, and how solid these are."""
    mass = curve.count if curve.weight is None else curve.weight
    full = (curve.count > 0) & (mass > 0)
    return mass, full, curve.confidence[full], curve.frequency[full], np.where(curve.count[full] < FEW, 0.35, 1.0)


def _logit(p):
    with np.errstate(divide="ignore"):  # -∞ of 0, ∞ of 1
        return np.log(p) - np.log1p(-np.asarray(p))


def bars_between(edges, low, high):
    """Rectangles between rising bin edges, (b + 1,), from low to high, (b,): corners for one collection."""
    return [[(a, u), (b, u), (b, v), (a, v)] for a, b, u, v in zip(edges[:-1], edges[1:], low, high, strict=True)]


def model_marker(model):
    """The outline of a model's mark, a disc for none of `MODELS`, around 0 and one unit wide, for collections."""
    marker = MarkerStyle(MODELS[model][1] if model in MODELS else "o")
    return marker.get_path().transformed(marker.get_transform())
