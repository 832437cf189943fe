"""Side by side: two data sets of one model, or two models on one data set; ``python -m calibtutor compare``."""

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..door.arrays import as_array, check_clusters
from ..door.inputs import InputError, check_index, check_number, check_rows, same_rows
from ..door.results import Result
from ..estimates.binning import in_one_bin, reliability_curve
from . import Audit, command, intervals, report
from .inputs import panel_of
from .intervals import FEWEST, bins_for, cox_line, enough, equal_mass, gaps_of_bins, mean_interval
from .sections import _losses
from .sentences import interval, shown
from .table_file import arguments_of, read_table

GAP, RMS = "said − happened", "RMS error"
SIDES, DIFFERENCE = ["first", "second"], ["difference", "difference_low", "difference_high"]
N_BINS = 10  # of the figure
ROUNDING = 1e-9  # equal models differ by less
PROG = "python -m calibtutor compare"
ABOUT = """Two models on one data set (--than), or two data sets in two files, side by side: differences with intervals.
Rows are paired if the labels of both are the same, row by row, or by names in --cluster (of an image, a patient)."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """What differs between two sets of predictions, and by how much.

    Attributes
    ----------
    conclusions, limits : list of str
        What the second says beyond what happens, beside the first; what else differs; and what this cannot say.
    table : DataFrame
        quantity, first, second, difference (second − first) with its ends, note.
    settings : dict
    """

    conclusions: list
    limits: list
    table: pd.DataFrame
    settings: dict
    _curves: dict = field(default_factory=dict)

    summary, __str__, to_json, to_html = Audit.summary, Audit.summary, Audit.to_json, Audit.to_html

    @cached_property
    def figure(self):
        """What each said and how often it happened; below, both reliability curves. Made when first asked for."""
        from .. import plots
        from .figures import _short

        names, rows = self.settings["names"], self.table.set_index("quantity")
        figure, (sign, by) = plots.new_figure(5.2, 8), _by(rows.loc[GAP])
        found = ("Gap not shown to differ", f"Gap higher by {by}", f"Gap lower by {by}")[sign]
        plots.headline(figure, found, f"gap: said − happened; {self.settings['pairing']}")
        top, below = figure.add_gridspec(2, 1, height_ratios=[1, 6])
        axes = plots.panel(figure, top, ylim=(1.6, -0.6), xlabel="happened (dot), said (bar)")
        axes.set_yticks([0, 1], map(_short, names), parse_math=False)
        axes.locator_params(axis="x", nbins=5)
        for y, (said, happened) in enumerate(rows.loc[["said", "happened"], SIDES].T.to_numpy(float)):
            plots.misses(axes).set_segments([[(said, y), (happened, y)]])
            plots.reference(axes, [said], [y], marker="|", ms=18, mew=2)
            plots.estimate(axes, [happened], [y], model=names[y] if names[y] in plots.MODELS else [*plots.MODELS][y])
        words = {} if self.settings["top_label"] else {"event": "how often it happened", "said": "probability it said"}
        rare = any(np.ptp(np.diff(each.edges)) > 1e-9 for each in self._curves.values())  # bins of equal mass
        diagram = plots.ReliabilityDiagram(figure, spec=below, scale="logit" if rare else "linear", **words)
        diagram.compare(self._curves)
        return figure

    def _page(self, title="Side by side"):
        return report.document(title, self._repr_html_())

    def _repr_html_(self):
        from .figures import as_svg

        said = "".join(f"<p>{report.prose(each)}</p>" for each in self.conclusions)
        image = f'<img src="{as_svg(self.figure)}" alt="Reliability curves. {escape(self.conclusions[0])}" width="430">'
        limits = f'<div class="limits"><h2>What this cannot say</h2>{report.list_of_limits(self)}</div>'
        caption = "first: {}; second: {}; differences: second − first, each alone".format(*self.settings["names"])
        table = report._table(self.table, caption)
        first = f'<div class="said quiet">{said}</div><figure class="small">{image}</figure>{limits}'
        return f'<section class="first">{first}</section>{table}'


@same_rows
def compare(first, second, *, cluster=None, weights=None, classes=None, logits=False, percent=False, names=tuple(SIDES),
            level=0.05):
    r"""Two data sets of one model, or two models on one data set, side by side: differences with intervals.

    Of P(Y = 1), or of the top label of more than two classes. With ψ_i the share of row i in the error of θ̂, m units u
    (rows, pairs of rows, or clusters) and Student's quantile t of m − 1 degrees, the difference of two means is

        θ̂₂ − θ̂₁ ± t √(m/(m − 1) Σ_u (Σ_{i in u, second} ψ_i − Σ_{i in u, first} ψ_i)²)

    (of pairs, the paired t interval). Intercepts and slopes are those of one logistic regression of all rows, with the
    sandwich HC3. Squared RMS errors θ̂ = Σ_k s_k g_k² − tr(SV) are those of the audit, in as many bins on either side;
    with A = diag(−S₁, S₂), all gaps g and their covariance V, the variance of a quadratic form of normal numbers is

        Var(θ̂₂ − θ̂₁) = 4 g′AVAg − 2 tr(AVAV), at least 2 tr(AVAV), what it is without any error.

    Parameters
    ----------
    first, second : tuple (y_true, y_prob)
        Labels and predictions, as `audit` takes them.
    cluster : array-like, or a tuple of two, optional
        What rows belong to, at least 30 in all. What has one name in both belongs together: an image made lighter, a
        patient. Without, rows are paired if both have the same labels, row by row, and independent if not.
    weights : array-like of float >= 0, or a tuple of two, optional
        How much each row counts.
    classes, logits, percent : sequence of d labels, bool, bool
        As in `audit`, for both.
    names : tuple of two str
        What the two are called.
    level : float in (0, 1)
        Intervals cover with 1 − level, each.

    Returns
    -------
    Comparison
        Sentences, a table and a figure.

    Raises
    ------
    InputError
        For what `audit` refuses of either; one of two classes beside one of more; equal names.

    Notes
    -----
    An RMS error near 0 has no honest interval of a difference, and its square has one; an ECE has none: chance raises
    it, by how much depends on n and on what is said. Coverage is measured in tests/audit.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import compare
    >>> y_prob = np.linspace(0.02, 0.98, 500)
    >>> y_true = np.random.default_rng(0).random(500) < y_prob
    >>> found = compare((y_true, y_prob), (y_true, y_prob**0.5), names=("model", "its root"))
    >>> print(found.conclusions[0])
    “model” says .014 more than happens, “its root” .19 more; that is .17 [.17, .18] more (95 % interval; paired, 500
    cases).
    """
    level = check_number(level, "level", above=0, below=1)
    both = lambda value: value if isinstance(value, tuple) and len(value) == 2 else (value, value)
    panels, orders, limits = [], [], []
    for side, given, weight in zip(SIDES, (first, second), both(weights), strict=True):
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise InputError(side, "a pair (y_true, y_prob)", found=f"a {type(given).__name__}")
        try:
            check_index(given[hasattr(given[1], "iloc")], weight, "y_prob", "weights")
            panel, order, notes = panel_of(*given, classes, weight, logits=logits, percent=percent)
        except InputError as error:
            raise error.of(f"{error.argument} of {side}") from None
        panels, orders = [*panels, panel], [*orders, order]
        limits += [f"Is the input of {side} right? {note}" for what, _, note in notes if what == "doubt"]
    if len({panel.two and tuple(panel.names) for panel in panels}) > 1:
        raise InputError("first and second", "the same two classes, or more than two in both")
    names = [*map(str, names)]
    if len({*names}) != 2:
        raise InputError("names", "two different ones", found=repr(names))
    labels = [np.array(panel.names, dtype=object)[panel.y_true] for panel in panels]
    same = np.array_equal(*orders) and np.array_equal(*labels)
    units = [orders[0], orders[1] + (0 if same else len(first[0]))]
    if cluster is not None:
        given = [as_array(each, "cluster") for each in both(cluster)]
        for each, (y_true, _) in zip(given, (first, second), strict=True):
            check_rows(each, y_true, len(each), len(y_true), "cluster", "y_true")
        codes = check_clusters(every := np.concatenate(given), every)
        units = [code[order] for code, order in zip(np.split(codes, [len(given[0])]), orders, strict=True)]
    panels = [panel.take(np.argsort(unit, kind="stable")) for panel, unit in zip(panels, units, strict=True)]
    table = _differences(panels, np.concatenate([np.sort(each) for each in units]), level)
    n, common = [len(np.unique(each)) for each in units], len(np.intersect1d(*units))
    what = "cases" if n == [*map(len, panels)] else "clusters"
    pairing = f"{n[0]:,} + {n[1]:,} {what}, {f'{common:,} in both' if common else 'independent'}"
    pairing = f"paired, {common:,} {what}" if n == [common, common] else pairing
    settings = {"names": names, "pairing": pairing, "rows": [*map(len, panels)], "level": level, "logits": logits}
    settings |= {"top_label": not panels[0].two, "weights": weights is not None}
    bins = {"strategy": "quantile" if any(in_one_bin(panel.said, N_BINS)[0] for panel in panels) else "uniform"}
    bins |= {"n_bins": N_BINS}
    curves = {name: reliability_curve(panel.hit, panel.said, weights=None if weights is None else panel.weights, **bins)
              for name, panel in zip(names, panels, strict=True)}
    limits.append("It speaks for rows drawn like these, and says neither why they differ nor which to choose.")
    limits.append("Each interval is about its number alone; of many, some miss. Not shown to differ is not equal.")
    if cluster is not None and common:
        limits.append(f"{common:,} names of cluster occur in both and were taken for the same: rename what is not.")
    if cluster is None and not common:
        limits.append("If rows of the two belong together, such as the same cases, say what they belong to (cluster).")
    return Comparison(_conclusions(table, settings), limits, table, settings, curves)


def _differences(panels, units, level):
    """The table: every number of both, their difference and its interval, a note."""
    parts = ((panel.hit, panel.said, panel.weights, panel.z, *_losses(panel)) for panel in panels)
    hit, said, w, z, square, loss = map(np.concatenate, zip(*parts, strict=True))
    second, n_bins, ones = np.repeat([0, 1], list(map(len, panels))), bins_for(min(map(len, panels))), np.ones(len(w))
    total = np.bincount(second, w)

    def mean(values):
        """Of each side, their difference and its interval, as wide as that of the mean of each row's share in it."""
        with np.errstate(invalid="ignore"):  # of an infinite loss
            each = np.bincount(second, w * values) / total
            share = np.where(second, w, -w) / total[second] * (values - each[second])
            apart, (_, low, high) = each[1] - each[0], mean_interval(len(w) * share, ones, units, level)
        return *each, apart, apart - (high - low) / 2, apart + (high - low) / 2

    lines = [cox_line(panel.hit, panel.said, panel.weights, z=panel.z) for panel in panels]
    starts, slopes = ([line[k][0] for line in lines] for k in (0, 1))
    # In a regression of all rows the last coefficient is the difference; Newton's method begins at 0, 1, 2, 3.
    intercept = intervals._logistic(np.column_stack([ones, second]), hit, w, units, level, z)
    slope = intervals._logistic(np.column_stack([ones - second, second, z / 2, z * second / 100]), hit, w, units, level)
    bins = np.concatenate([equal_mass(panel.said, n_bins) for panel in panels]) + n_bins * second
    bins = np.unique(bins, return_inverse=True)[1]
    errors, deviation = _squares(bins, second, hit, said, w, units)
    reach = deviation * stdtrit(len(np.unique(units)) - 1, 1 - level / 2)
    root, apart, open_ = np.sqrt(np.maximum(errors, 0)), errors[1] - errors[0], [np.nan, np.nan]
    rows = [["said", *mean(said), "on average"], ["happened", *mean(hit), "on average"],
            [GAP, *mean(said - hit), "above 0 says too much"],
            ["intercept", *starts, starts[1] - starts[0], *intercept[1:], "at slope 1, on the logit scale; 0 if right"],
            ["slope", *slopes, slopes[1] - slopes[0], *np.divide(slope[1:], 100), "below 1 too extreme"],
            [RMS, *root, root[1] - root[0], *open_, f"between {n_bins} bins of equal mass; its square is told apart"],
            [f"squared {RMS}", *errors, apart, apart - reach, apart + reach, "noise subtracted: it may be below 0"],
            ["log loss", *mean(loss), ""], ["Brier score", *mean(square), ""]]
    changed = np.count_nonzero(intervals._by_cluster(np.where(second, hit, -hit)[:, None], units))
    same = changed == 0 and (panels[0].two or np.array_equal(*(np.take(panel.names, panel.top) for panel in panels)))
    rows[1][3:6] = [0.0] * 3 if same else rows[1][3:6]  # what happened cannot differ, and the gap by what was said
    for row in rows[3 if same else 1 :]:
        fewest = FEWEST // 2 if row[0] in ("happened", GAP) else FEWEST
        few = not all(enough(panel.hit, panel.weights, fewest) for panel in panels)
        if few or fewest < FEWEST and changed < fewest:
            row[4:] = *open_, f"{row[6]} (no interval: few hits, misses, or cases that differ)".strip()
    return pd.DataFrame(rows, columns=["quantity", *SIDES, *DIFFERENCE, "note"])


def _squares(index, second, hit, said, w, units):
    """Squared errors between bins, and the standard deviation of their difference; no bin has rows of both sides."""
    total, gap, unbiased, covariance = gaps_of_bins(index, hit, said, w, units)
    side = second[np.unique(index, return_index=True)[1]]
    share = total / np.bincount(side, total)[side]
    signed = np.where(side, share, -share)
    least = 2 * np.sum((noise := signed[:, None] * covariance) * noise.T)
    variance = 4 * (signed * gap) @ covariance @ (signed * gap) - least
    return np.bincount(side, share * (gap**2 - np.diag(unbiased))), np.sqrt(max(variance, least, 0))


def _by(row):
    """1 or −1 of a difference that is shown, 0 of another; and the difference, of a shown one without its sign."""
    value, low, high = row[DIFFERENCE]
    sign = int(low > ROUNDING) - int(high < -ROUNDING)
    return sign, interval(-value, -high, -low) if sign < 0 else interval(value, low, high)


def _conclusions(table, settings):
    """What the second says beyond what happens, beside the first; and what else differs, each by its own interval."""
    rows, (one, other) = table.set_index("quantity"), (f"“{name}”" for name in settings["names"])
    gap = rows.loc[GAP]
    said = [f"{shown(abs(each))} {'more' if each > 0 else 'less'}" for each in gap[SIDES]]
    sign, by = _by(gap)
    found = (f"not shown to differ, {by}", f"that is {by} more", f"that is {by} less")[sign]
    known = f"{100 * (1 - settings['level']):g} %" if np.isfinite(gap[DIFFERENCE[1]]) else "no"
    others = {name: _by(row) for name, row in rows.drop([GAP, RMS]).iterrows() if np.ptp(row[DIFFERENCE]) != 0}
    differ = [f"{name} {('', 'higher', 'lower')[sign]} by {by}" for name, (sign, by) in others.items() if sign]
    rest = ", ".join(name for name, (sign, _) in others.items() if not sign)
    second = [f"Of {other} beside {one}, one by one: {'; '.join(differ)}."] * bool(differ)
    second += [f"Not shown to differ: {rest}."] * bool(rest)
    top, how = "Of the top label, " * settings["top_label"], f"{known} interval; {settings['pairing']}"
    return [f"{top}{one} says {said[0]} than happens, {other} {said[1]}; {found} ({how}).", " ".join(second)]


def main(argv=None):
    """Compare files; returns the exit code."""
    parser = command.parser(PROG, ABOUT, audits=False)
    parser.add_argument("second", nargs="?", metavar="SECOND", type=Path, help="another file with these columns")
    parser.add_argument("--than", nargs="+", metavar="P", help="columns of the other model, if there are two")
    parser.add_argument("--names", nargs=2, metavar="NAME", help="what the two are called")
    chosen = parser.parse_args(argv)
    return command.written(PROG, chosen, [chosen.file, *filter(None, [chosen.second])], _compared)[1]


def _compared(chosen):
    """The comparison and its page."""
    if not (chosen.second or chosen.than):
        raise InputError("SECOND and --than", "another file, or columns of another model", found="neither")
    sides = (chosen.file, chosen.y_prob), (chosen.second or chosen.file, chosen.than or chosen.y_prob)
    given, options = [], {"cluster": chosen.cluster, "weights": chosen.weights}
    for path, columns in sides:
        table = read_table(path, chosen.sep, [chosen.y_true, *filter(None, [chosen.cluster])])
        given.append(arguments_of(table, chosen.y_true, columns, classes=chosen.classes, **options))
    common = {name: tuple(each[name] for each in given) for name, column in options.items() if column}
    called = [path.stem if chosen.second else " ".join(columns) for path, columns in sides]
    names = chosen.names or (called if called[0] != called[1] else SIDES)
    found = compare(*((each["y_true"], each["y_prob"]) for each in given), **common, classes=given[0]["classes"],
                    logits=chosen.logits, percent=chosen.percent, level=chosen.level, names=names)
    return found, found._page(f"{names[0]} beside {names[1]}")
