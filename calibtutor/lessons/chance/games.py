"""Games of the lesson chance."""

import numpy as np
from scipy.stats import binom

from ...plots import (
    CHANCE,
    KEPT,
    MISS,
    NUMBER,
    SOFT,
    Finding,
    Ghost,
    chance,
    choice,
    estimate,
    panel,
    reference,
    words,
)
from ...teach.exercise import whose
from ...teach.explore import explore
from ..shared.first_digits import first_digits
from ..shared.pvalues import by_chance
from ..shared.verdicts import capital
from . import spoiling
from .exercises import check
from .histograms import NullHistogram

__all__ = ["spoil_the_test", "your_null"]



def redrawn_eces(confidence, bins, ece, redraw_labels, repeats=200):
    """The ECEs of data sets whose labels are redrawn from the confidences."""
    rng = np.random.default_rng(0)
    u = rng.random((repeats, len(confidence)))
    return np.array([ece(confidence, redraw_labels(confidence, each), bins) for each in u])


def your_null(ece=None, redraw_labels=None):
    """The ECE of real predictions beside those of redrawn labels, both by the reader's functions."""
    ece, redraw_labels = check.ece.use(ece), check.redraw_labels.use(redraw_labels)
    by = whose(ece, redraw_labels)
    models, numbers, n = ["logistic regression", "neural network", "random forest"], [5, 15, 40], 100
    drawn = {}

    def setup(fig):
        for model in models:
            for bins in numbers:  # now, so that no click waits
                hit, confidence = first_digits(model, n)
                chance = redrawn_eces(confidence, bins, ece, redraw_labels)
                drawn[model, bins] = ece(confidence, hit, bins), chance
        return NullHistogram(panel(fig), np.linspace(0, 0.45, 91), xlabel="ECE, by the function above")

    def update(artists, model="logistic regression", bins=15):
        error, chance = drawn[model, bins]
        above = int((chance >= error - 1e-12).sum())
        explained = (above + 1) / (len(chance) + 1) > 0.05
        artists.update(chance, error - 1e-12, model, model, explained)
        return Finding(
            f"{capital(model)}: ECE {error:.3f}, "
            + ("as chance alone gives" if explained else "chance rarely gives as much"),
            f"{n} digits, bins: {bins}, labels redrawn {len(chance)} times; by {by}",
            f"Redrawn sets with at least this ECE: {above}.",
        )

    return explore(setup, update, size=(9, 4.4), model=models, bins=numbers, code=redrawn_eces)


AT_FIRST, AT_ONCE = 100, 100  # data sets that are there, and that a press draws
LEAST = 10  # a share of fewer is no share to look at
REDRAWN = {"labels only": "labels", "pairs (C)": "pairs"}
HIGHEST = 0.6


def spoil_the_test():
    """Choose what to redraw, the statistic and how often you look: which share of calibrated data sets is rejected?"""

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(0, spoiling.SETS * 1.13), ylim=(0, HIGHEST), xlabel="calibrated data sets",
                     ylabel="share of them rejected so far")  # fmt: skip
        left.set_xticks([0, 100, 200, 300, 400])
        left.spines["bottom"].set_bounds(0, spoiling.SETS)
        counts = np.arange(LEAST, spoiling.SETS + 1)
        low, high = binom.ppf([[0.025], [0.975]], counts, spoiling.LEVEL) / counts
        left.fill_between(counts, low, high, color=CHANCE, lw=0, zorder=0)
        right = panel(fig, columns[1], read_y=False, xlim=(0.4, spoiling.LOOKS + 0.6), ylim=(0, HIGHEST),
                      xlabel="how often you look")  # fmt: skip
        right.set_xticks([1, 4, 7, 10])
        for axes, ends in ((left, [0, spoiling.SETS]), (right, [0.4, spoiling.LOOKS + 0.6])):
            axes.set_yticks([0, spoiling.LEVEL, 0.2, 0.4, 0.6], ["0", "5%", "20%", "40%", "60%"])
            reference(axes, ends, [spoiling.LEVEL] * 2)
        right.tick_params(axis="y", length=0, labelleft=False)
        line, dots = estimate(left, line=True), right.scatter([], [], s=95, edgecolor="white", zorder=5)
        return {"line": line, "ghost": Ghost(line), "band": chance(right, zorder=0), "dots": dots, "here": choice(right),
                "share": words(left, 0, 0, "", bold=True, size=NUMBER, ha="left"),
                "all": words(right, 0.4, 0.6, "", colour=SOFT, ha="left", va="top", linespacing=1.35)}  # fmt: skip

    def update(artists, redraw="labels only", statistic="SKCE", looks=10, more=0):
        first = spoiling.first_alarms(statistic, REDRAWN[redraw])
        drawn = min(AT_FIRST + AT_ONCE * more, spoiling.SETS)
        shares = [spoiling.share_so_far(first[:drawn], each) for each in range(1, spoiling.LOOKS + 1)]
        share, (low, high) = shares[looks - 1][-1], by_chance(drawn)
        colour = MISS if share > high else KEPT
        artists["line"].set_data(np.arange(LEAST, drawn + 1), shares[looks - 1][LEAST - 1 :])
        artists["line"].set_color(colour)
        artists["share"].set(
            position=(drawn + 8, share if share > high else high + 0.025), text=f"{share:.0%}", color=colour
        )
        artists["band"].set_verts([[(0.4, low), (0.4, high), (10.6, high), (10.6, low)]])
        ends = np.array([each[-1] for each in shares])
        artists["dots"].set_offsets(np.column_stack([np.arange(1, spoiling.LOOKS + 1), ends]))
        artists["dots"].set_facecolor(np.where(ends > high, MISS, KEPT))
        artists["here"].set_data([looks], [share])
        artists["all"].set_text(f"after {drawn} data sets\ngrey: chance, if the level holds")
        last = spoiling.STEP * looks
        n = f"n = {last}" if looks == 1 else f"n = {spoiling.STEP}, " + ("…, " if looks > 2 else "") + f"{last:,}"
        return Finding(
            spoil_headline(redraw, looks, share, high),
            f"{statistic}; redrawn: {redraw}; {n}, up to the first p ≤ {spoiling.LEVEL:.0%}; {drawn} data sets",
            f"Three classes; a test that holds its level rejects between {low:.1%} and {high:.1%} of so many.",
        )

    return explore(
        setup, update, size=(9, 4.6), redraw=list(REDRAWN), statistic=spoiling.STATISTICS, looks=(1, spoiling.LOOKS, 1),
        more=f"draw {AT_ONCE} more data sets", labels={"redraw": "what you redraw", "looks": "how often you look"},
        code=(spoiling.first_alarms, spoiling.share_so_far),
    )  # fmt: skip


def spoil_headline(redraw, looks, share, high):
    """Whether more calibrated data sets are rejected than chance explains, and what was spoiled."""
    spoiled = [f"{looks} looks"] * (looks > 1) + ["redrawn pairs"] * (redraw != "labels only")
    if share > high:
        return f"{share:.0%} false alarms, not {spoiling.LEVEL:.0%}, with {' and '.join(spoiled) or 'bad luck'}"
    if not spoiled:
        return f"{share:.0%} false alarms, no more than chance explains"
    return f"{share:.0%} false alarms: no harm of {' and '.join(spoiled)} is to be seen"
