"""Twenty-four adjusted p-values in three rows, and what is found in each."""

import numpy as np

from ...plots import MISS, SOFT, estimate, panel, reference, words
from .questions import KINDS

__all__ = ["ASKED", "LEVEL", "LOW", "axis_of_pvalues", "board", "put", "seen"]

LEVEL = 0.05
LOW = 0.0008  # of the axis of p-values; the smallest of 1,000 ranks is .001
ASKED = {"all rows": "all rows: gap, slope", "scanner": "12 scanners", "digit": "10 digits"}
MOST_NAMED = 3


def seen(pvalues):
    """Inside the axis: a reader's p-value may be 0 or above 1."""
    return np.clip(np.asarray(pvalues, dtype=float), LOW, 1)


def axis_of_pvalues(axes):
    """Ticks that say what a p-value is worth."""
    axes.set_xticks([0.001, 0.01, 0.05, 0.2, 1], ["0.001", "0.01", "0.05", "0.2", "1"])
    axes.minorticks_off()
    axes.set_xlabel("p-value")


def board(fig):
    """The empty board: its artists."""
    axes = panel(fig, read_y=False, xscale="log", xlim=(LOW, 14), ylim=(-0.6, 2.7))
    axis_of_pvalues(axes)
    axes.set_xlabel("adjusted p-value", loc="left")
    axes.spines["bottom"].set_bounds(LOW, 1)
    reference(axes, [LEVEL, LEVEL], [-0.6, 2.45])
    words(axes, LEVEL * 1.06, 2.58, "p = .05", colour=SOFT, size=11, ha="left")
    for row, kind in enumerate(KINDS):
        words(axes, 1.4, 2.25 - row, ASKED[kind], colour=SOFT, ha="left", size=11)
    said = [words(axes, 1.4, 1.95 - row, "", ha="left", bold=True) for row in range(3)]
    return {"kept": estimate(axes), "found": estimate(axes, color=MISS), "said": said}


def put(artists, pvalues, names):
    """Put p-values on the board: which find something, and what is found in each row, in words."""
    pvalues = np.asarray(pvalues, dtype=float)
    is_found, heights, told = pvalues <= LEVEL + 1e-12, np.zeros(len(pvalues)), []
    for row, kind in enumerate(KINDS):
        mine = [k for k, name in enumerate(names) if name[0] == kind]
        heights[mine] = 2 - row + 0.36 * (np.arange(len(mine)) * 0.618 % 1 - 0.5)
        hits = [names[k][1] for k in mine if is_found[k]]
        few = f"found: {', '.join(hits)}" if len(hits) <= MOST_NAMED else f"{len(hits)} found"
        told.append(few if hits else "nothing found")
        artists["said"][row].set(text=told[-1], color=MISS if hits else SOFT)
    for name, which in (("kept", ~is_found), ("found", is_found)):
        artists[name].set_data(seen(pvalues[which]), heights[which])
    return is_found, told
