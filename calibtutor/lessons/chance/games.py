"""How often one may look at growing data."""

import numpy as np
from matplotlib.collections import LineCollection

from ...plots import CHANCE, CHANCE_BARS, KEPT, MISS, SOFT, Finding, choice, misses, number, panel, reference, words
from ...teach.explore import explore
from ..shared.pvalues import by_chance
from . import simulations as sims

__all__ = ["spoil_the_test"]


SHOWN = 100  # paths
HIGHEST = 0.3


def spoil_the_test():
    """Choose how often you look and when you reject: which share of calibrated data sets is rejected?"""
    pvalues, n = sims.at_each_look(), sims.STEP * np.arange(1, sims.LOOKS + 1)
    low, high = by_chance(sims.SETS)

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(60, 1040), ylim=(0.0042, 1.2), xlabel="data so far, n", ylabel="R",
                     yscale="log")  # fmt: skip
        left.set_xticks([100, 400, 700, 1000], ["100", "400", "700", "1,000"])
        left.set_yticks([0.005, 0.02, 0.05, 0.2, 1], ["0.005", "0.02", "0.05", "0.2", "1"])
        left.minorticks_off()
        left.set_title(f"the first {SHOWN} data sets, each up to its false alarm", color=SOFT)
        kept, red = LineCollection([], colors=CHANCE_BARS, lw=0.8), LineCollection([], colors=MISS, lw=1.4)
        for each in (kept, red):
            left.add_collection(each)
        here, ends = left.scatter([], [], s=9, color=CHANCE_BARS), left.scatter([], [], s=60, color=MISS, zorder=5)
        ends.set_edgecolor("white")
        right = panel(fig, columns[1], xlim=(0.4, sims.LOOKS + 0.6), ylim=(0, HIGHEST), xlabel="how often you look")
        right.set_xticks([1, 4, 7, 10])
        right.set_yticks([0, sims.LEVEL, 0.1, 0.2, 0.3], ["0", f"{sims.LEVEL:.0%}", "10%", "20%", "30%"])
        right.set_title(f"share rejected, of {sims.SETS}", color=SOFT)
        right.axhspan(low, high, color=CHANCE, lw=0, zorder=0)
        reference(right, [0.4, sims.LOOKS + 0.6], [sims.LEVEL] * 2)
        words(right, sims.LOOKS + 0.5, 0.008, "grey: chance", colour=SOFT, ha="right", va="bottom")
        return {"limit": reference(left), "kept": kept, "red": red, "at": here, "ends": ends, "stems": misses(right),
                "dots": right.scatter([], [], s=95, edgecolor="white", zorder=5), "here": choice(right),
                "share": number(right, ha="right", offset=(4, 12))}  # fmt: skip

    def update(artists, looks=10, limit=0.05):
        gone = sims.rejected_so_far(pvalues, limit)
        shares = gone.mean(axis=0)
        artists["limit"].set_data([60, 1040], [limit, limit])
        paths = [np.column_stack([n, each]) for each in pvalues[:SHOWN]]
        until = [int(each.argmax()) + 1 if each[looks - 1] else None for each in gone[:SHOWN]]
        kept = [path[:looks] for path, end in zip(paths, until, strict=True) if not end]
        artists["kept"].set_segments(kept)
        artists["at"].set_offsets([path[-1] for path in kept])
        red = [path[:end] for path, end in zip(paths, until, strict=True) if end]
        artists["red"].set_segments(red)
        artists["ends"].set_offsets([path[-1] for path in red] or np.empty((0, 2)))
        colours = np.where(shares > high, MISS, KEPT)
        at = np.arange(1, sims.LOOKS + 1)
        artists["dots"].set_offsets(np.column_stack([at, shares]))
        artists["dots"].set_facecolor(colours)
        artists["stems"].set_segments([[(x, sims.LEVEL), (x, y)] for x, y in zip(at, shares, strict=True) if y > high])
        share = shares[looks - 1]
        artists["here"].set_data([looks], [share])
        artists["share"].xy = looks, max(share, high)
        artists["share"].set(text=f"{share:.1%}", color=colours[looks - 1], ha="right" if looks > 2 else "left")
        until = f"n = {n[0]}" if looks == 1 else f"n = {n[0]}, " + "…, " * (looks > 2) + f"{n[looks - 1]:,}"
        return Finding(
            looks_headline(looks, share, low, high),
            f"{sims.SETS} calibrated data sets, three classes; ECE in cells; {until}, up to the first R ≤ {limit:g}",
            f"R is from {sims.DRAWS} redrawn sets of labels, so never below {1 / (sims.DRAWS + 1):g}. A test that holds its level rejects "
            f"between {low:.1%} and {high:.1%} of so many data sets.",
        )

    return explore(
        setup, update, size=(9, 4.6), looks=(1, sims.LOOKS, 1), limit=[0.05, 0.02, 0.01, 0.005],
        labels={"looks": "how often you look", "limit": "reject at a look if R is at most"},
        code=(sims.at_each_look, sims.rejected_so_far),
    )  # fmt: skip


def looks_headline(looks, share, low, high):
    """Whether more calibrated data sets are rejected than chance explains, or fewer."""
    often = "One look" if looks == 1 else f"{looks} looks"
    if share > high:
        return f"{often}: false alarms in {share:.0%} of calibrated models, not in {sims.LEVEL:.0%}"
    if share < low:
        return f"{often}: false alarms in fewer than {sims.LEVEL:.0%} of calibrated models"
    return f"{often}: false alarms in {sims.LEVEL:.0%} of calibrated models, up to chance"
