"""What an audit draws: tables in, matplotlib figures out; the finding first, one mark one meaning (`plots.py`).

A miss is said − happened everywhere: to the right of zero a group is promised too much.
"""

import base64
import io
import textwrap

import numpy as np
import pandas as pd

from .. import _course, plots
from ..binning import ReliabilityCurve

with _course():
    from matplotlib import rc_context
    from matplotlib.colors import to_rgba

MOST_ROWS = 30  # of a forest plot: the smallest p-values beyond
MOST_LETTERS = 24  # of a level's name
LEAST_SLOPES, MOST_SLOPE = 0.5, 3.0  # the slope's axis shows 1 ± .5 at least, and no more than this


def drawn(tables, level=0.05):
    """The figures with what they say: name to (Figure, Finding)."""
    found = {}
    if "curve" in tables:
        top_label = "notions" in tables and "top label" in set(tables["notions"]["notion"])
        found["curve"] = curve_figure(tables["curve"], top_label, level)
    for name, one, many in (("groups", "group", "groups"), ("time", "period", "periods")):
        if name in tables:
            found[name] = forest_figure(tables[name], one, many, level)
    return found


def as_svg(figure):
    """A figure as an address that holds it; the same one each time."""
    stream = io.BytesIO()
    with rc_context({"svg.hashsalt": "calibtutor", "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue()).decode()}"


# --- reliability ---


def curve_figure(table, top_label=False, level=0.05):
    """Said against happened in bins, with the band that holds the whole curve of a calibrated model."""
    outside = (table["happened"] < table["band_low"]) | (table["happened"] > table["band_high"])
    k, m, n = int(outside.sum()), len(table), int(table["n"].sum())
    bins = "1 bin" if m == 1 else f"{m} bins"
    found = f"{k} of {bins} beyond chance" if k else "No bin beyond chance"
    second = f"grey: chance, all {m} bins at once, {100 * (1 - level):g}%; n = {n:,}"
    who = "the most probable class" if top_label else "the event"
    sentence = (
        f"Reliability curve in {bins}, {n:,} cases: how often {who} happened against the probability said. "
        f"The grey band holds all bins at once for {100 * (1 - level):g}% of calibrated models with these predictions. "
        + (f"Outside it: {k}. {_largest(table[outside])}" if k else "No bin lies outside.")
    )
    finding = plots.Finding(found, second, sentence)
    figure = plots.new_figure(5.2, 5.4)
    diagram = plots.ReliabilityDiagram(figure, event="how often it was right" if top_label else "how often it happened")
    diagram.counts.set_xlabel("how sure it said it was" if top_label else "probability it said")
    diagram.update(*as_curve(table))
    # What chance makes is no finding.
    diagram.gaps.set_colors([plots.MISS if each else to_rgba(plots.SOFT, 0.4) for each in outside])
    plots.headline(figure, *finding[:2])
    return figure, finding


def as_curve(table):
    """A table of bins of equal width as a `ReliabilityCurve` and its band; bins that are not in it are empty."""
    m = round(1 / (table["high"] - table["low"]).iloc[0])
    full = pd.DataFrame(index=range(m), columns=["n", "said", "happened", "band_low", "band_high"], dtype=float)
    full.loc[(m * table["low"]).round().astype(int)] = table[list(full)].to_numpy()
    curve = ReliabilityCurve(np.arange(m + 1) / m, full["n"].fillna(0).to_numpy(int),
                             full["said"].to_numpy(), full["happened"].to_numpy())  # fmt: skip
    return curve, (full["band_low"].to_numpy(), full["band_high"].to_numpy())


def _largest(rows):
    row = rows.loc[(rows["said"] - rows["happened"]).abs().idxmax()]
    return f"Largest: said {row['said']:.2f}, happened {row['happened']:.2f} (n = {int(row['n']):,})."


# --- groups and periods ---


def forest_figure(table, one, many, level=0.05):
    """Gap and slope of each group with intervals; orange-red where the adjusted p-value is a finding."""
    table = table.reset_index(drop=True)
    if one == "period":
        table = table.assign(column="", level=table["period"])
    found = table["p_adjusted"] <= level
    finding = _forest_finding(table, found, one, many, f"{100 * (1 - level):g}%")
    smallest = table["p_adjusted"].fillna(2).sort_values(kind="stable").index[:MOST_ROWS]
    shown = table.loc[np.sort(smallest)]
    rows, heads = _rows(shown)
    bottom = len(rows) + len(heads) - 0.4
    figure = plots.new_figure(7.2, 0.3 * len(rows) + 0.3 * len(heads) + 1.9)
    grid = figure.add_gridspec(1, 2, width_ratios=[1.25, 1], wspace=0.08)
    gaps = plots.panel(figure, grid[0], ylim=(bottom, -1.1), xlabel="said − happened", yticks=[])
    slopes = plots.panel(figure, grid[1], ylim=(bottom, -1.1), xlabel="slope", yticks=[], read_y=False)
    gaps.spines["left"].set_visible(False)
    for axes, name, at, less, more in ((gaps, "gap", 0, "says too little", "says too much"),
                                       (slopes, "slope", 1, "too sure", "not sure enough")):  # fmt: skip
        low, high = _limits(shown, name, at)
        axes.set_xlim(low, high)
        axes.locator_params(axis="x", nbins=4)
        plots.reference(axes, [at, at], [bottom, -0.6])
        for y, i in rows:
            _interval(axes, y, shown.loc[i], name, bool(found[i]))
        plots.region(axes, low, -0.95, less, ha="left", va="center", size=plots.SMALL)
        plots.region(axes, high, -0.95, more, ha="right", va="center", size=plots.SMALL)
    for y, i in rows:
        look = {"color": plots.MISS, "weight": "bold"} if found[i] else {"color": plots.SOFT}
        _beside(gaps, -1, y, _short(shown.loc[i, "level"]), **look)
        _beside(slopes, 1, y, f"{shown.loc[i, 'n']:,}", color=plots.SOFT)
    for y, name in heads:
        _beside(gaps, -1, y, _short(name), weight="bold")
    _beside(slopes, 1, -0.95, "n", color=plots.SOFT, style="italic")
    for text in plots.headline(figure, *finding[:2]):
        text.set_parse_math(False)  # a group's name stands in it
    return figure, finding


def _forest_finding(table, found, one, many, percent):
    tested, k = int(table["tested"].sum()), int(found.sum())
    first = f"{k} of {tested} {many} beyond chance"
    if not tested:
        first = f"No {one} was large enough to test"
    elif not k:
        first = f"None of {tested} {many} beyond chance" if tested > 1 else f"The one {one} tested: not beyond chance"
    elif k == 1:
        first = f"One of {tested} {many} beyond chance: {_short(table.loc[found.idxmax(), 'level'])}"
    pale = len(table) - tested
    second = f"dots: estimates, lines: {percent} intervals, one by one"
    second += f"; pale: n < 50, not tested ({pale})" if pale else ""
    if len(table) > MOST_ROWS:
        second = f"the {MOST_ROWS} smallest p of {len(table)}; lines: {percent} intervals, one by one"
    said = [
        f"{row.level}: gap {row.gap:+.3f}, slope {row.slope:.2f}, n = {int(row.n):,}"
        for row in table[found].itertuples()
    ]
    sentence = (
        f"Gap (said − happened) and slope on the logit scale of {len(table)} {many} with {percent} intervals, not "
        f"adjusted for many questions. {first}. {'; '.join(said[:5])}{'; …' if len(said) > 5 else ''}"
    )
    return plots.Finding(first, second, sentence.strip())


def _rows(table):
    """Heights of rows and of the names of columns above them."""
    rows, heads, y = [], [], 0
    for name, part in table.groupby("column", sort=False):
        if name:  # periods have none
            heads.append((y, name))
            y += 1
        rows += [(y + j, i) for j, i in enumerate(part.index)]
        y += len(part)
    return rows, heads


def _limits(table, name, at):
    """An axis that holds the intervals of what was tested, the reference in its middle for gaps."""
    rows = table[table["tested"].astype(bool)] if table["tested"].any() else table
    ends = rows[[f"{name}_low", f"{name}_high", name]].to_numpy(float)
    ends = ends[np.isfinite(ends)]
    if name == "gap":
        most = min(1.0, 1.1 * max(np.abs(ends).max(initial=0), 0.02))
        return -most, most
    low, high = ends.min(initial=at - LEAST_SLOPES), ends.max(initial=at + LEAST_SLOPES)
    return max(low, -1.0) - 0.05, min(high, MOST_SLOPE) + 0.05


def _interval(axes, y, row, name, found):
    """A dot on its interval; at the edge an arrow where the dot lies beyond."""
    value, low, high = (float(row[each]) for each in (name, f"{name}_low", f"{name}_high"))
    look = {"color": plots.MISS if found else plots.KEPT, "alpha": 1.0 if row["tested"] else 0.4}
    if np.isnan(value):
        return
    axes.plot([low, high], [y, y], lw=2.2, zorder=3, solid_capstyle="butt", **look)
    left, right = axes.get_xlim()
    if left <= value <= right:
        axes.plot([value], [y], "o", ms=8, mec="white", mew=1, zorder=4, clip_on=False, **look)
    else:
        plots.words(axes, left if value < left else right, y, "◂" if value < left else "▸", colour=look["color"])


def _beside(axes, side, y, text, **look):
    """Words to the left (−1) or right (1) of the axes; $ is a dollar."""
    axes.annotate(text, (max(side, 0), y), (9 * side, 0), xycoords=axes.get_yaxis_transform(), parse_math=False,
                  textcoords="offset points", ha="left" if side > 0 else "right", va="center", fontsize=plots.SMALL,
                  **look)  # fmt: skip


def _short(name):
    name = " ".join(str(name).split())
    if " " in name:
        return textwrap.shorten(name, MOST_LETTERS, placeholder="…")
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
