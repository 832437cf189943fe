"""The game of notebook 09: plant an error, and choose the pair of kernels that finds it."""

import numpy as np
from matplotlib.patches import Ellipse
from scipy.stats import binom

from ...plots import CHOICE, INK, KEPT, MISS, Finding, chance, misses, number, panel, reference, words
from ...teach.explore import explore
from ..shared.maps import SIGNED, Heatmap
from . import planting

__all__ = ["plant_an_error"]

HERE = 0.4, 0.55  # x and p of the datum whose neighbours are shown
ALL = "all four, aggregated"
CHANCE_ENDS = binom.ppf([0.0005, 0.9995], planting.SETS, planting.LEVEL) / planting.SETS  # the reader tries many pairs


def plant_an_error():
    """Plant an error in some places, choose a pair of kernels, and see how often each pair finds it."""
    names = list(planting.KERNELS)
    rows = np.arange(len(names) + 1)[::-1]
    x, p = (np.linspace(*ends, 80) for ends in ((-0.9875, 0.9875), (0.253, 0.747)))

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.2])
        left = panel(fig, columns[0], xlabel="feature x", ylabel="prediction p")
        planted = Heatmap(left, (80, 80), x=(-1, 1), y=(0.25, 0.75), vmin=-0.3, vmax=0.3, cmap=SIGNED)
        left.set_xticks([-1, 0, 1], ["−1", "0", "1"])
        left.set_yticks([0.25, 0.5, 0.75], ["0.25", "0.5", "0.75"])
        near = Ellipse(HERE, 1, 1, facecolor=CHOICE, alpha=0.55, edgecolor=INK, lw=1.4, zorder=4)
        near.set_in_layout(False)
        left.add_patch(near)
        right = panel(fig, columns[1], read_y=False, xlim=(-0.62, 1.3), ylim=(-0.6, 4.6),
                      xlabel="data sets in which it finds the error")  # fmt: skip
        right.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
        right.spines["bottom"].set_bounds(0, 1)
        low, high = CHANCE_ENDS
        chance(right).set_verts([[(low, -0.5), (high, -0.5), (high, 4.5), (low, 4.5)]])
        reference(right, [planting.LEVEL] * 2, [-0.5, 4.5])
        said = [*(f"{name}\n{widths_of(name)}" for name in names), ALL.replace(", ", ",\n")]
        labels = [words(right, -0.62, row, each, ha="left", linespacing=1.1, size=11)
                  for row, each in zip(rows, said, strict=True)]  # fmt: skip
        return {"map": planted, "near": near, "pair": chance(right, facecolor=CHOICE, alpha=0.3, zorder=0),
                "stems": misses(right, lw=3.4), "dots": right.scatter(rows, rows, s=130, zorder=4, ec="white"),
                "numbers": [number(right) for _ in rows], "labels": labels,
                "sides": [words(left, 0, 0.5, text, style="italic") for text in ("says too much", "says too little")]}  # fmt: skip

    def update(artists, planted="four corners", miss=0.2, pair="both, wide"):
        shares, high = planting.found(planted, miss), CHANCE_ENDS[1]
        shown = planting.miss(planted, miss, p[:, None], x)
        artists["map"].set_data(shown)
        for text, side in zip(artists["sides"], (shown, -shown), strict=True):
            place = where_it_fits(side, x, p)
            text.set(visible=place is not None, position=place or (0, 0.5))
        width_p, width_x = planting.KERNELS[pair]
        artists["near"].set(width=2 * width_x if width_x else 2 * 2, height=2 * width_p if width_p else 2 * 0.6)
        colours = [KEPT if share > high else MISS for share in shares]
        artists["stems"].set_segments([[(planting.LEVEL, r), (s, r)] for r, s in zip(rows, shares, strict=True)])
        artists["stems"].set_color(colours)
        artists["dots"].set_offsets(np.column_stack([shares, rows]))
        artists["dots"].set_facecolor(colours)
        for each, row, share, colour in zip(artists["numbers"], rows, shares, colours, strict=True):
            each.xy = share, row
            each.set(text=f"{share:.0%}", color=colour)
        row = rows[names.index(pair)]
        artists["pair"].set_verts([[(-0.64, row - 0.45), (1.3, row - 0.45), (1.3, row + 0.45), (-0.64, row + 0.45)]])
        headline = pair_headline(pair, miss, dict(zip(names, shares, strict=False)), high)
        said = ", ".join(f"{share:.1%} with {name}" for name, share in zip([*names, ALL], shares, strict=True) if f"{share:.0%}" not in headline)
        return Finding(
            headline,
            f"{planted}, {miss:g}; {planting.SETS} data sets, n = {planting.ROWS}; red: says too much, blue: too little; yellow: γ of your pair",
            (f"At level .05 the exact test rejects: {said}. " if said else "")
            + f"Your pair: {widths_of(pair)}. Grey, up to {high:.1%}: chance, though you try many pairs.",
        )  # fmt: skip

    return explore(
        setup, update, size=(9, 4.6), code=planting.found, planted=planting.ERRORS,
        miss=planting.SIZES, pair=names, labels={"planted": "what you plant", "miss": "size of the miss", "pair": "your pair of kernels"},
    )  # fmt: skip


def widths_of(pair):
    """The bandwidths of a pair of kernels in words."""
    return "γ " + ", ".join(f"{width:g} ({name})" for width, name in zip(planting.KERNELS[pair], "px", strict=True) if width)


def pair_headline(pair, size, shares, high):
    """What the reader's kernels find, and which pair finds most."""
    mine, best = shares[pair], max(shares, key=shares.get)
    if not size:
        return f"Nothing is planted, and your pair rejects {mine:.0%}" + (": bad luck" if mine > high else "")
    if shares[best] <= high:
        return "No pair finds more of such errors than chance explains"
    if mine >= shares[best]:
        return f"Your pair finds {mine:.0%} of such errors, no other more"
    mine = f"{mine:.0%} of such errors" if mine > high else "no more than chance explains"
    return f"Your pair finds {mine}; “{best}” finds {shares[best]:.0%}"


def where_it_fits(values, x, p):
    """The place on the positive part of a map where a name fits that is farthest from the shown datum; or None."""
    wide = 32  # columns that a name covers
    fits = np.lib.stride_tricks.sliding_window_view(values > 0, (8, wide)).all(axis=(2, 3))
    places = [(x[column + wide // 2], p[row + 4]) for row, column in np.argwhere(fits)]
    return max(places, key=lambda at: ((at[0] - HERE[0]) / 2) ** 2 + ((at[1] - HERE[1]) / 0.5) ** 2, default=None)
