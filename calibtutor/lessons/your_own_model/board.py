"""Twenty-four adjusted p-values, a column a question, and what is found in each of three kinds."""

import numpy as np

from ...plots import GREY, INK, MISS, SOFT, estimate, misses, panel, reference, words
from .questions import KINDS

LEVEL = 0.05
LOW = 0.0008  # of the axis of p-values; the smallest of 1,000 ranks is .001
TICKS = [0.001, 0.01, 0.05, 0.2, 1]
STARTS = {"all rows": 0.8, "scanner": 6.8, "digit": 20.6}  # where a kind's columns begin, and its words
RIGHT, MOST_NAMED = 30.7, {"all rows": 1, "scanner": 3, "digit": 3}


def seen(pvalues):
    """Inside the axis: a reader's p-value may be 0 or above 1."""
    return np.clip(np.asarray(pvalues, dtype=float), LOW, 1)


def places_of(names):
    """Where each question has its column."""
    kinds = [kind for kind, _ in names]
    return np.array([STARTS[kind] + (2.1 if kind == "all rows" else 1) * kinds[:k].count(kind)
                     for k, kind in enumerate(kinds)])


def board(fig, names):
    """The empty board: its artists. Small p-values are on top."""
    x = places_of(names)
    axes = panel(fig, yscale="log", xlim=(-0.6, RIGHT), ylim=(1.5, LOW / 6), base=False, y=TICKS,
                 ylabel="adjusted p-value")
    axes.spines["left"].set_bounds(1, LOW)
    axes.set_xticks(x, [name for _, name in names])
    axes.tick_params(axis="x", length=0)
    reference(axes, [-0.6, x[-1] + 0.6], [LEVEL, LEVEL])
    words(axes, x[-1] + 0.5, LEVEL / 1.25, "level .05", colour=SOFT, size=11, ha="right")
    said = []
    for kind in KINDS:
        left = STARTS[kind] - 0.5
        head = kind if kind == "all rows" else f"each {kind}"
        words(axes, left, LOW / 4.1, head, colour=SOFT, ha="left", size=11)
        said.append(words(axes, left, LOW / 2, "", ha="left", bold=True))
    return {"ghost": estimate(axes, mfc="none", mec=GREY, ms=10, zorder=3.5), "kept": estimate(axes),
            "found": estimate(axes, color=MISS), "stems": misses(axes), "said": said,
            "count": words(axes, RIGHT, LOW / 4.1, "", bold=True, colour=INK, ha="right")}


def put(artists, pvalues, names, before=None):
    """Put p-values on the board: which find something, and what is found of each kind, in words.

    `names` holds (kind, name) of each; `before` are those of the file that is not spoiled: rings.
    """
    pvalues, x = np.asarray(pvalues, dtype=float), places_of(names)
    is_found, told = pvalues <= LEVEL + 1e-12, []
    for text, kind in zip(artists["said"], KINDS, strict=True):
        hits = [name for (each, name), found in zip(names, is_found, strict=True) if found and each == kind]
        few = f"found: {', '.join(hits)}" if len(hits) <= MOST_NAMED[kind] else f"{len(hits)} found"
        told.append(few if hits else "nothing found")
        text.set(text=told[-1], color=MISS if hits else SOFT)
    for name, which in (("kept", ~is_found), ("found", is_found)):
        artists[name].set_data(x[which], seen(pvalues[which]))
    tops = zip(x[is_found], seen(pvalues[is_found]), strict=True)
    artists["stems"].set_segments([[(place, LEVEL), (place, top)] for place, top in tops])
    if before is not None:
        artists["ghost"].set_data(x, seen(before))
    return is_found, told
