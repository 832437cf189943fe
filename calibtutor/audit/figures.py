"""What an audit draws: tables in, matplotlib figures out; the finding first, one mark one meaning (`plots.py`).

A miss is said − happened everywhere: to the right of zero a group is promised too much.
"""

import base64
import io

import numpy as np

from .. import _course, plots
from ..estimates.binning import ReliabilityCurve
from .sentences import numbers

with _course():
    from matplotlib import rc_context
    from matplotlib.colors import to_rgba

MOST_ROWS = 30  # of a forest plot: the smallest p-values beyond
MOST_LETTERS = 28  # of a level's name


def drawn(tables, level=0.05):
    """The figures with what they say: name to (Figure, Finding)."""
    forest = {"groups": forest_figure(tables["groups"], level)} if "groups" in tables else {}
    return {"curve": curve_figure(tables["curve"], tables["questions"], level)} | forest


def as_svg(figure):
    """A figure as an address that holds it; the same one each time."""
    stream = io.BytesIO()
    with rc_context({"svg.hashsalt": "calibtutor", "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(stream.getvalue()).decode()}"


def curve_figure(table, questions, level=0.05):
    """Said against happened in bins; a dot outside the band is a finding, as the words of page one say it.

    The bins are one of the questions, and the band is as wide as its adjusted p asks for.
    """
    outside = (table["happened"] < table["band_low"]) | (table["happened"] > table["band_high"])
    top_label = "top label" in set(questions["question"])
    k, m, n = int(outside.sum()), len(table), int(table["n"].sum())
    curve, band = as_curve(table)
    rare = np.ptp(np.diff(curve.edges)) > 1e-9  # bins of equal mass
    bins = "1 bin" if m == 1 else f"{m} bins"
    none = "Found, but in no single bin" if questions["p_adjusted"].min() <= level else "No bin beyond chance"
    found = f"{k} of {bins} beyond chance" if k else none
    second = f"grey: chance, all questions at once, {100 * (1 - level):g}%; n = {n:,}"
    who = "the most probable class" if top_label else "the event"
    axes = " of equal mass, on logit axes" if rare else ""
    sentence = f"Reliability curve in {bins}{axes}, {n:,} cases: how often {who} happened against the probability said."
    sentence += f" {100 * (1 - level):g}% of calibrated models have no bin outside the grey band, and nothing found by "
    sentence += "another question. " + (f"Outside it: {k}." if k else f"{none}.")
    finding = plots.Finding(found, second, sentence)
    figure = plots.new_figure(5.2, 5.4)
    event = "how often it was right" if top_label else "how often it happened"
    diagram = plots.ReliabilityDiagram(figure, event=event, scale="logit" if rare else "linear")
    diagram.counts.set_xlabel("how sure it said it was" if top_label else "probability it said")
    diagram.update(curve, band)
    # What chance makes is no finding; and a bin of few rows, whose band is wide, draws no eye.
    few = ~outside & (table["n"] < plots.FEW)
    diagram.gaps.set_colors([plots.MISS if each else to_rgba(plots.SOFT, 0.4) for each in outside])
    diagram.band.set_facecolor([to_rgba(plots.CHANCE, 0.35 if each else 1) for each in few])
    for x in (path.vertices[:, 0] for path in diagram.band.get_paths()):  # a bar for each bin: joined, they are a slab
        x += 0.1 * (x.min() + x.max() - 2 * x)
    diagram.points.set_sizes(np.where(few, 20, diagram.points.get_sizes()))
    diagram.name_diagonal()
    plots.headline(figure, *finding[:2])
    return figure, finding


def as_curve(table):
    """A table of bins as a `ReliabilityCurve` and its band; of equal width, bins that are not in it are empty."""
    width, edges = table["high"] - table["low"], np.append(table["low"], table["high"].iloc[-1])
    if np.ptp(width) <= 1e-9:
        edges = np.arange(round(1 / width.iloc[0]) + 1) / round(1 / width.iloc[0])
        place = ((len(edges) - 1) * table["low"]).round().astype(int)
        table = table.set_index(place).reindex(range(len(edges) - 1)).fillna({"n": 0}).astype({"n": int})
    *curve, low, high = (table[name].to_numpy() for name in ("n", "said", "happened", "band_low", "band_high"))
    return ReliabilityCurve(edges, *curve), (low, high)


def forest_figure(table, level=0.05):
    """Gap of each group with its interval; orange-red where the adjusted p-value is a finding."""
    if table["column"].nunique() > 1:
        table = table.assign(level=table["column"] + " = " + table["level"])
    found = table["p_adjusted"] <= level
    finding = _forest_finding(table, found, f"{100 * (1 - level):g}%")
    shown = table.loc[table["p_adjusted"].fillna(2).sort_values(kind="stable").index[:MOST_ROWS]].sort_index()
    bottom = len(shown) - 0.4
    figure = plots.new_figure(6.2, 0.3 * len(shown) + 1.9)
    axes = plots.panel(figure, figure.add_gridspec(1, 1)[0], ylim=(bottom, -1.1), xlabel="said − happened", yticks=[])
    axes.spines["left"].set_visible(False)
    ends = shown[["gap_low", "gap_high", "gap"]].to_numpy(float)
    said = shown["said"].dropna().to_numpy()
    least = min(0.02, max(np.minimum(said, 1 - said).max(initial=0), 1e-9))  # of a rare event, what was said
    most = min(1.0, 1.1 * max(np.abs(ends[np.isfinite(ends)]).max(initial=0), least))
    axes.set_xlim(-most, most)
    axes.locator_params(axis="x", nbins=5)
    if least < 0.02:
        axes.set_xticks(ticks := float(f"{most / 2:.0e}") * np.arange(-1, 2), map(plots.ten_to, ticks))
    plots.reference(axes, [0, 0], [bottom, -0.6])
    plots.region(axes, -most, -0.95, "says too little", ha="left", va="center", size=plots.SMALL)
    plots.region(axes, most, -0.95, "says too much", ha="right", va="center", size=plots.SMALL)
    for y, (i, row) in enumerate(shown.iterrows()):
        alpha = 1.0 if row["tested"] else 0.4
        if np.isfinite(row["gap"]):
            colour = plots.MISS if found[i] else plots.KEPT
            axes.plot([row["gap_low"], row["gap_high"]], [y, y], lw=2.2, zorder=3, color=colour, alpha=alpha)
            axes.plot([row["gap"]], [y], "o", ms=8, mec="white", mew=1, zorder=4, color=colour, alpha=alpha)
        look = {"color": plots.MISS, "weight": "bold"} if found[i] else {"color": plots.SOFT}
        _beside(axes, -1, y, _short(row["level"]), **look)
        _beside(axes, 1, y, f"{row['n']:,}", color=plots.SOFT)
    _beside(axes, 1, -0.95, "n", color=plots.SOFT, style="italic")
    for text in plots.headline(figure, *finding[:2]):
        text.set_parse_math(False)  # a group's name stands in it
    return figure, finding


def _forest_finding(table, found, percent):
    tested, k = int(table["tested"].sum()), int(found.sum())
    first = f"{('None', 'One')[k] if k < 2 else k} of {tested} groups beyond chance"
    first += f": {_short(table.loc[found.idxmax(), 'level'])}" if k == 1 else ""
    first = first if tested else "No group was large enough to test"
    pale = len(table) - tested
    second = f"lines: {percent} intervals, one by one"
    second += f"; pale: n < 50, not tested ({pale})" if pale else ""
    second = f"the {MOST_ROWS} smallest p of {len(table)}; {second}" if len(table) > MOST_ROWS else second
    said = [f"{row.level}: gap {'+' * (row.gap > 0)}{numbers(row.gap, places=3)[0]}, n = {int(row.n):,}"
            for row in table[found].itertuples()]
    sentence = f"Gap (said − happened) of {len(table)} groups with {percent} intervals, not adjusted for many questions"
    sentence += f". {first}. {'; '.join(said[:5])}{'; …' if len(said) > 5 else ''}"
    return plots.Finding(first, second, sentence.strip())


def _beside(axes, side, y, text, **look):
    """Words to the left (−1) or right (1) of the axes; $ is a dollar."""
    axes.annotate(text, (max(side, 0), y), (9 * side, 0), xycoords=axes.get_yaxis_transform(), parse_math=False,
                  textcoords="offset points", ha="left" if side > 0 else "right", va="center", fontsize=plots.SMALL,
                  **look)


def _short(name):
    name = " ".join(str(name).split())
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
