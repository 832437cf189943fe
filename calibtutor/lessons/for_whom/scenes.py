"""Pictures of notebook 09: a worn scanner, more groups, an inference, three pairs of kernels, an error to plant."""

import numpy as np
from matplotlib.patches import Ellipse
from scipy.stats import binom

from ...binning import reliability_curve
from ...plots import (
    CHOICE,
    FEW,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    Ghost,
    ReliabilityDiagram,
    bars_between,
    chance,
    choice,
    estimate,
    misses,
    model_marker,
    number,
    panel,
    reference,
    truth,
    words,
)
from ...teach.explore import explore
from ..shared import worn as shared_worn
from ..shared.ckce_plots import ticks
from ..shared.maps import SIGNED, Heatmap
from ..shared.rows_of_misses import lollipops, show_lollipops, sides_of_zero
from ..shared.verdicts import beyond, points, signed, written
from . import planting
from . import simulations as sims
from .exercises import check

__all__ = ["downstream", "more_groups", "plant_an_error", "two_kernels", "worn_scanner"]

QUARTERS = ("cleanest", "second", "third", "most worn")


def on_average_and_worst(overall, error, miss, errors):
    """The miss of all images and the largest of a quarter, as far as they are beyond two standard errors."""
    off = beyond(overall, error)
    average = f"{points(overall)} on average" if off else "About right on average"
    if not beyond(miss, errors).any():
        return f"{average}, and no quarter is off beyond chance"
    worst = int(np.argmax(np.where(beyond(miss, errors), np.abs(miss), 0)))
    known = off and overall * miss[worst] > 0
    return f"{average}, {points(miss[worst]).split()[0] if known else points(miss[worst])} in the {QUARTERS[worst]} quarter"


def worn_scanner():
    """A model that is calibrated on average, and its miss in each quarter of the images."""

    def setup(fig):
        for name in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(name, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.12, 1])
        diagram = ReliabilityDiagram(fig, spec=columns[0], cases="images")
        axes = panel(fig, columns[1], xlim=(-0.55, 3.55), ylim=(-0.62, 0.62), xlabel="quarter of the images, by noise",
                     ylabel="miss: said − happened")  # fmt: skip
        axes.set_xticks(range(4), ["cleanest", "2nd", "3rd", "most worn"])
        ticks(axes, y=(-0.4, -0.2, 0, 0.2, 0.4))
        sides_of_zero(axes, -0.55, 3.55, 0.62)
        return {"diagram": diagram, "band": chance(axes), "stems": misses(axes, lw=9),
                "dots": estimate(axes, in_layout=False), "numbers": [number(axes, offset=(0, 0), ha="center") for _ in range(4)]}  # fmt: skip

    def update(artists, model="neural network", isotonic=True):
        hit, confidence, wear, _ = shared_worn.scans(model, isotonic)
        miss, error = shared_worn.quarters(hit, confidence, wear)
        artists["diagram"].update(reliability_curve(hit, confidence, n_bins=10), model=model)
        artists["band"].set_verts([[(k - 0.3, -e), (k + 0.3, -e), (k + 0.3, e), (k - 0.3, e)]
                                   for k, e in enumerate(2 * error)])  # fmt: skip
        off = beyond(miss, error)
        artists["stems"].set_segments([[(k, 0), (k, m)] for k, m in enumerate(miss)])
        artists["stems"].set_colors([MISS if each else GREY for each in off])
        colour, marker, _ = MODELS[model]
        artists["dots"].set_data(range(4), miss)
        artists["dots"].set(color=colour, marker=marker, mec="white")
        for k, each in enumerate(artists["numbers"]):
            each.xy = (k, miss[k] + np.copysign(0.085, miss[k]))
            each.set(text=signed(miss[k], 2), color=MISS if off[k] else SOFT)
        residual = confidence - hit
        overall = residual.mean()
        short = "recalibrated" if isotonic else "as trained"
        return Finding(
            on_average_and_worst(overall, residual.std() / np.sqrt(len(hit)), miss, error),
            f"{model}, {short}, {len(hit):,} digits, 10 bins; pale: under {FEW}; grey, right: ± 2 standard errors",
            f"Confidence minus share right on all images: {signed(overall)}.",
        )

    return explore(setup, update, size=(9, 5.4), model=list(shared_worn.CAST), isotonic=True,
                   code=(shared_worn.scans, shared_worn.quarters), labels={"isotonic": "recalibrated (isotonic)"})  # fmt: skip


def more_groups(function=None):
    """The miss of each group of images by noise, by the reader's function, and the RMS miss, for 1 to 128 groups."""
    function, places = check.group_gap.use(function), np.arange(len(sims.GROUPS))

    def setup(fig):
        for each in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(each, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.9, 1])
        left = panel(fig, columns[0], xlim=(0, 1), ylim=(-0.62, 0.62), xlabel="groups of images, by noise",
                     ylabel="miss: said − happened")  # fmt: skip
        left.set_xticks([0.07, 0.93], ["cleanest", "noisiest"])
        left.tick_params(axis="x", length=0)
        ticks(left, y=(-0.5, 0, 0.5))
        sides_of_zero(left, 0, 1, 0.62)
        right = panel(fig, columns[1], xlim=(-0.4, 7.4), ylim=(0, 0.225), xlabel="number of groups", ylabel="RMS miss")
        right.set_xticks(places[::2], [f"{each}" for each in sims.GROUPS[::2]])
        ticks(right, y=(0, 0.1, 0.2))
        return {"band": chance(left), "stems": misses(left), "dots": left.scatter([], [], s=34, zorder=4, ec="white", lw=0.6),
                "line": estimate(right, line=True, in_layout=False),
                "here": choice(right, ms=11, in_layout=False), "rms": number(right, offset=(0, 16), ha="center")}  # fmt: skip

    def update(artists, model="neural network", groups=64):
        hit, p, noise, _ = shared_worn.scans(model, True)
        place, colour = sims.GROUPS.index(groups), MODELS[model][0]
        artists["dots"].set_paths([model_marker(model)])
        artists["line"].set_color(colour)
        cuts = [sims.by_noise(noise, each) for each in sims.GROUPS]
        error = [sims.chance_of(p, each) for each in cuts]
        miss = [np.broadcast_to(np.asarray(function(hit, p, each.copy()), float), len(e)) for each, e in zip(cuts, error, strict=True)]
        rms = np.array([sims.rms_miss(m, e) for m, e in zip(miss, error, strict=True)])
        edges, m, wide = np.linspace(0, 1, groups + 1), miss[place], 2 * error[place]
        middle, off = (edges[1:] + edges[:-1]) / 2, np.abs(miss[place]) > wide
        artists["band"].set_verts(bars_between(edges, -wide, wide))
        artists["stems"].set_segments([[(x, 0), (x, y)] for x, y in zip(middle, m, strict=True)])
        artists["stems"].set_color([MISS if each else GREY for each in off])
        artists["stems"].set_linewidth(np.clip(160 / groups, 2, 10))
        artists["dots"].set_offsets(np.column_stack([middle, m]))
        artists["dots"].set_facecolor(colour)
        artists["line"].set_data(places, rms)
        artists["here"].set_data([place], rms[[place]])
        artists["rms"].xy = np.clip(place, 0.6, 6.4), rms[place]
        artists["rms"].set_text(f"{rms[place]:.3f}")
        many = "1 group" if groups == 1 else f"{groups} groups"
        return Finding(
            f"{many}: {off.sum()} off by more than chance explains; RMS miss {rms[place]:.3f}",
            f"{model}, recalibrated; {round(len(p) / groups):,} images a group; grey: chance, ± 2 standard errors",
            f"Largest miss {written(np.abs(m).max(), 2)}; from the RMS what chance adds is taken away. Misses by {function.by}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.6), model=list(shared_worn.CAST), groups=sims.GROUPS,
                   code=(sims.by_noise, sims.chance_of, sims.rms_miss), labels={"groups": "number of groups"})  # fmt: skip


def downstream():
    """What a local bias does to “the mean age of owners”, computed from predictions instead of labels."""
    age, _, true = sims.town()
    owners = sims.mean_age_of_owners(true)
    stops = slice(None, None, 10)

    def setup(fig):
        rows = fig.add_gridspec(2, 1, height_ratios=[3, 1])
        top = panel(fig, rows[0], xlim=(19, 96), ylim=(0, 1.02), xticks=[], ylabel="share who own a home")
        ticks(top, y=(0, 0.5, 1))
        top.spines["bottom"].set_visible(False)
        strip = panel(fig, rows[1], read_y=False, xlim=(19, 96), ylim=(-1, 1.3), xticks=[20, 35, 50, 65, 80],
                      xlabel="age")  # fmt: skip
        truth(top, age, true, lw=5)  # seen on both sides of a line that lies on it
        words(top, 81, true[-1], "how often they do", ha="left", bold=True)
        strip.spines["bottom"].set_bounds(19, 80)
        words(strip, 20, 0.85, "mean age of owners", ha="left", colour=SOFT)
        truth(strip, [owners, owners], [-1, 0.8])
        words(strip, owners, 0.95, f"truth {owners:.1f}", bold=True, va="bottom", size=13.5)
        line = estimate(top, line=True, in_layout=False)
        name = words(top, 81, 0.5, "what the model says", ha="left", bold=True, colour=KEPT)
        halves = [estimate(top, line=True, lw=1.6, in_layout=False) for _ in range(2)]
        return {"stems": misses(top, lw=2.4), "line": line, "ghost": Ghost(line), "name": name, "halves": halves,
                "stem": misses(strip, lw=9), "dot": estimate(strip, ms=13, in_layout=False),
                "number": number(strip, colour=MISS, offset=(14, 0))}  # fmt: skip

    def update(artists, tilt=0.4, depends_on="age"):
        mean = sims.said_at_each_age(tilt, depends_on)
        slope, said, off = mean - true, sims.mean_age_of_owners(mean), 0.4 * tilt
        apart = max(abs(slope[-1]), 0.12)
        for side, each in zip((-1, 1), artists["halves"], strict=True):
            each.set_data(age, true + side * off if depends_on != "age" else np.full(len(age), np.nan))
        artists["line"].set_data(age, mean)
        artists["name"].set_y(true[-1] + (apart if mean[-1] > true[-1] else -apart))
        artists["stems"].set_segments([[(a, r), (a, m)] for a, r, m in zip(age[stops], true[stops], mean[stops], strict=True)])
        artists["dot"].set_data([said], [-0.1])
        artists["stem"].set_segments([[(owners, -0.1), (said, -0.1)]])
        years = said - owners
        artists["number"].xy = said, -0.1
        artists["number"].set(text=f"{signed(years, 1)} years" if abs(years) > 0.05 else "", ha="right" if years < 0 else "left",
                              position=(-14 if years < 0 else 14, 0))  # fmt: skip
        return Finding(
            f"Owners seem {abs(years):.1f} years {'older' if years > 0 else 'younger'}, to a model that is right on average" if abs(years) > 0.05
            else "The miss is there, and does no harm to this question" if tilt
            else "No miss, and the mean age is right",
            f"right on average over all ages; said − happened: {signed(slope[0], 2)} at 20, {signed(slope[-1], 2)} at 80"
            if depends_on == "age" or not tilt
            else f"at each age half hear {signed(off, 2)}, half {signed(-off, 2)} (thin blue lines): right on average at each age",
        )  # fmt: skip

    code = sims.town, sims.said_at_each_age, sims.mean_age_of_owners
    return explore(setup, update, size=(9, 4.6), code=code, tilt=(-0.5, 0.5, 0.1), depends_on=["age", "something else"],
                   labels={"tilt": "size of the miss", "depends_on": "miss goes with"})  # fmt: skip


OUT = 4  # standard errors: one chi-square, the least regular sum of pairs, is beyond them in 1 % of calibrated data


def map_of_misses(fig, spec, shape, high):
    """Predictions against a feature: a map of the miss up to `high`, and an ellipse for what counts as near a row."""
    axes = panel(fig, spec, xlabel="feature x", ylabel="prediction p")
    colours = Heatmap(axes, shape, x=(-1, 1), y=(0.25, 0.75), vmin=-high, vmax=high, cmap=SIGNED)
    ticks(axes, x=(-1, 0, 1), y=(0.25, 0.5, 0.75))
    near = axes.add_patch(Ellipse((0, 0.5), 1, 1, facecolor=CHOICE, alpha=0.55, edgecolor=INK, lw=1.4, zorder=3))
    near.set_in_layout(False)
    return axes, colours, near


def show_reach(near, x, p, width_x, width_p):
    """One bandwidth in each direction; nearly everything where the kernel is 1."""
    near.set(center=(x, p), width=2 * (width_x or 20), height=2 * (width_p or 10))


def two_kernels():
    """Which rows count as near one, and how strong an error is for both kernels and when one of the two is 1."""
    shown, modes, rows = 200, ["both kernels", "l = 1", "k = 1"], np.arange(3)[::-1]
    labels = "both kernels", "l = 1: any feature", "k = 1: any prediction"

    def setup(fig):
        for each in sims.HALF_WORLDS:  # before the first click, not at it
            sims.half_tables(each)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        left, miss, near = map_of_misses(fig, columns[0], (2, 200), 0.4)
        right = panel(fig, columns[1], read_y=False, xlim=(-9, 84), ylim=(-0.5, 2.75), xticks=[0, 25, 50, 75],
                      xlabel="error, in standard deviations\nof a right model")  # fmt: skip
        chance(right).set_verts([[(-OUT, -0.5), (OUT, -0.5), (OUT, 2.5), (-OUT, 2.5)]])
        reference(right, [0, 0], [-0.5, 2.5])
        names = [words(right, 8, row + 0.35, name, ha="left") for row, name in zip(rows, labels, strict=True)]
        return {"map": miss, "near": near, "names": names, "rows": lollipops(right, rows, 9), "star": choice(left, ms=11, in_layout=False),
                "dots": left.scatter(np.zeros(shown), np.zeros(shown), s=9, lw=0, color=INK, alpha=0.45, zorder=4),
                "sides": [words(left, x, 0.725, "", style="italic") for x in (-0.5, 0.5)]}  # fmt: skip

    def update(artists, world=sims.HALF_WORLDS[0], kernels="both kernels", width_p=0.1, width_x=0.3):
        _, p, x = (each[:shown] for each in sims.half_world(world))
        pairs = dict(zip(modes, ((width_p, width_x), (width_p, None), (None, width_x)), strict=True))
        values, noise = (np.array([table[pair] for pair in pairs.values()]) for table in sims.half_tables(world))
        star = int(np.argmin((p - 0.5) ** 2 + (x - 0.4) ** 2))
        off = sims.planted_miss(world, np.linspace(-0.995, 0.995, 200))
        artists["map"].set_data(np.tile(off, (2, 1)))
        for text, side in zip(artists["sides"], (off[0], off[-1]), strict=True):
            text.set_text("says too much" if side > 0 else "says too little" if side < 0 else "")
        show_reach(artists["near"], x[star], p[star], *pairs[kernels][::-1])
        artists["dots"].set_offsets(np.column_stack([x, p]))
        artists["star"].set_data([x[star]], [p[star]])
        strength, k = values / noise, modes.index(kernels)
        colours = [MISS if each else KEPT for each in strength > OUT]
        show_lollipops(artists["rows"], rows, strength, colours, [written(each, 1) for each in strength])
        for name in artists["names"]:
            name.set_weight("bold" if name is artists["names"][k] else "normal")
        widths = ", ".join(f"{n} = 1" if w is None else f"γ of {n} (in {v}) {w:g}" for n, v, w in zip("kl", "px", pairs[kernels], strict=True))
        found = f"{written(strength[k], 1)} standard deviations" if colours[k] == MISS else "no more than chance explains"
        return Finding(
            f"With {kernels}: {found}",
            f"{sims.HALF_N:,} rows; {widths}; yellow: near the ringed row; grey: chance, ≥ 99%",
            f"Estimates of KLCE²: {', '.join(f'{written(each, 4)} with {name}' for name, each in zip(modes, values, strict=True))}.",
        )  # fmt: skip

    return explore(
        setup, update, size=(9, 4.7), world=sims.HALF_WORLDS, kernels=modes, width_p=sims.PROB_WIDTHS, width_x=sims.FEATURE_WIDTHS,
        labels={"width_p": "bandwidth γ of k", "width_x": "bandwidth γ of l"}, code=sims.half_tables,
    )  # fmt: skip


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
        _, planted, near = map_of_misses(fig, columns[0], (80, 80), 0.3)
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
                "rows": lollipops(right, rows), "labels": labels}  # fmt: skip

    def update(artists, planted="four corners", miss=0.2, pair="both, wide"):
        shares, high = planting.found(planted, miss), CHANCE_ENDS[1]
        artists["map"].set_data(planting.miss(planted, miss, p[:, None], x))
        show_reach(artists["near"], *HERE, *planting.KERNELS[pair][::-1])
        colours = [KEPT if share > high else MISS for share in shares]
        show_lollipops(artists["rows"], rows, shares, colours, [f"{share:.0%}" for share in shares], planting.LEVEL)
        row = rows[names.index(pair)]
        artists["pair"].set_verts([[(-0.64, row - 0.45), (1.3, row - 0.45), (1.3, row + 0.45), (-0.64, row + 0.45)]])
        return Finding(
            pair_headline(pair, miss, dict(zip(names, shares, strict=False))),
            f"{planted}, {miss:g}; {planting.SETS} data sets, n = {planting.ROWS}; red: says too much, blue: too little; yellow: γ of your pair",
            f"Shares that the exact test rejects at level .05. Grey, up to {high:.1%}: chance, though you try many pairs.",
        )  # fmt: skip

    return explore(
        setup, update, size=(9, 4.6), code=planting.found, planted=planting.ERRORS,
        miss=planting.SIZES, pair=names, labels={"planted": "what you plant", "miss": "size of the miss", "pair": "your pair of kernels"},
    )  # fmt: skip


def widths_of(pair):
    """The bandwidths of a pair of kernels in words."""
    return "γ " + ", ".join(f"{width:g} ({name})" for width, name in zip(planting.KERNELS[pair], "px", strict=True) if width)


def pair_headline(pair, size, shares):
    """What the reader's kernels find, and which pair finds most."""
    mine, best = shares[pair], max(shares, key=shares.get)
    if not size:
        return f"Nothing is planted, and your pair rejects {mine:.0%}"
    return f"Your pair finds {mine:.0%} of such errors" + (f"; “{best}” finds {shares[best]:.0%}" if shares[best] > mine else ", no other more")
