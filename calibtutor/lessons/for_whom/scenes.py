"""Pictures of notebook 09: a worn scanner, more groups, an inference, three pairs of kernels, an error to plant."""

import numpy as np
from matplotlib.patches import Ellipse
from scipy.stats import binom

from ...estimates.binning import reliability_curve
from ...plots import (CHOICE, FEW, GREY, INK, KEPT, MISS, MODELS, SOFT, Finding, ReliabilityDiagram, at_large,
                      bars_between, chance, estimate, misses, model_marker, panel, reference, words)
from ...teach.explore import explore
from ...teach.hands import Hand
from ...teach.marks import Ghost, choice, number, tell, truth
from ..shared import worn as shared_worn
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
                     ylabel="miss: said − happened", y=[-0.4, -0.2, 0, 0.2, 0.4])
        axes.set_xticks(range(4), ["cleanest", "2nd", "3rd", "most worn"])
        sides_of_zero(axes, -0.55, 3.55, 0.62)
        return {"diagram": diagram, "band": chance(axes), "stems": misses(axes, lw=9), "dots": estimate(axes),
                "numbers": [number(axes, offset=(0, 0), ha="center") for _ in range(4)]}

    def update(artists, model="neural network", isotonic=True):
        hit, confidence, wear, _ = shared_worn.scans(model, isotonic)
        miss, error = shared_worn.quarters(hit, confidence, wear)
        artists["diagram"].update(reliability_curve(hit, confidence, n_bins=10), model=model)
        artists["band"].set_verts([[(k - 0.3, -e), (k + 0.3, -e), (k + 0.3, e), (k - 0.3, e)]
                                   for k, e in enumerate(2 * error)])
        off = beyond(miss, error)
        artists["stems"].set(segments=[[(k, 0), (k, m)] for k, m in enumerate(miss)],
                             colors=[MISS if each else GREY for each in off])
        artists["dots"].set(data=(range(4), miss), color=MODELS[model][0], marker=MODELS[model][1], mec="white")
        for k, each in enumerate(artists["numbers"]):
            tell(each, (k, miss[k] + np.copysign(0.085, miss[k])), signed(miss[k], 2), color=MISS if off[k] else SOFT)
        residual, short = confidence - hit, "recalibrated" if isotonic else "as trained"
        overall = residual.mean()
        return Finding(
            on_average_and_worst(overall, residual.std() / np.sqrt(len(hit)), miss, error),
            f"{model}, {short}, {len(hit):,} digits, 10 bins; pale: under {FEW}; grey, right: ± 2 standard errors",
            f"Confidence minus share right on all images: {signed(overall)}.")

    return explore(setup, update, size=(9, 5.4), model=list(shared_worn.CAST), isotonic=True,
                   code=(shared_worn.scans, shared_worn.quarters), labels={"isotonic": "recalibrated (isotonic)"})


def more_groups(function=None):
    """The miss of each group of images by noise, by the reader's function, and the RMS miss, for 1 to 128 groups."""
    function, places = check.group_gap.use(function), np.arange(len(sims.GROUPS))

    def setup(fig):
        for each in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(each, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.9, 1])
        left = panel(fig, columns[0], xlim=(0, 1), ylim=(-0.62, 0.62), xlabel="groups of images, by noise",
                     ylabel="miss: said − happened", y=[-0.5, 0, 0.5])
        left.set_xticks([0.07, 0.93], ["cleanest", "noisiest"])
        left.tick_params(axis="x", length=0)
        sides_of_zero(left, 0, 1, 0.62)
        right = panel(fig, columns[1], xlim=(-0.4, 7.4), ylim=(0, 0.225), y=[0, 0.1, 0.2], xlabel="number of groups",
                      ylabel="RMS miss")
        right.set_xticks(places[::2], [f"{each}" for each in sims.GROUPS[::2]])
        return {"band": chance(left), "stems": misses(left), "dots": left.scatter([], [], s=34, zorder=4, ec="white", lw=0.6),
                "line": estimate(right, line=True), "here": choice(right, ms=11),
                "rms": number(right, offset=(0, 16), ha="center")}

    def update(artists, model="neural network", groups=64):
        hit, p, noise, _ = shared_worn.scans(model, True)
        place, colour = sims.GROUPS.index(groups), MODELS[model][0]
        cuts = [sims.by_noise(noise, each) for each in sims.GROUPS]
        error = [sims.chance_of(p, each) for each in cuts]
        miss = [np.broadcast_to(np.asarray(function(hit, p, each.copy()), float), len(e)) for each, e in zip(cuts, error, strict=True)]
        rms = np.array([sims.rms_miss(m, e) for m, e in zip(miss, error, strict=True)])
        edges, m, wide = np.linspace(0, 1, groups + 1), miss[place], 2 * error[place]
        middle, off = (edges[1:] + edges[:-1]) / 2, np.abs(miss[place]) > wide
        artists["band"].set_verts(bars_between(edges, -wide, wide))
        artists["stems"].set(segments=[[(x, 0), (x, y)] for x, y in zip(middle, m, strict=True)],
                             color=[MISS if each else GREY for each in off], linewidth=np.clip(160 / groups, 2, 10))
        artists["dots"].set(paths=[model_marker(model)], offsets=np.column_stack([middle, m]), facecolor=colour)
        artists["line"].set(data=(places, rms), color=colour)
        artists["here"].set_data([place], rms[[place]])
        tell(artists["rms"], (min(place, 6.4) if place else 1.9, rms[place]),  # clear of the steep start
             f"{rms[place]:.3f}")
        many = f"{groups} group{'s' * (groups > 1)}"
        return Finding(
            f"{many}: {off.sum()} off by more than chance explains; RMS miss {rms[place]:.3f}",
            f"{model}, recalibrated; {round(len(p) / groups):,} images a group; grey: chance, ± 2 standard errors",
            f"Largest miss {written(np.abs(m).max(), 2)}; from the RMS what chance adds is taken away. Misses by {function.by}.")

    return explore(setup, update, size=(9, 4.6), model=list(shared_worn.CAST), groups=sims.GROUPS,
                   code=(sims.by_noise, sims.chance_of, sims.rms_miss), labels={"groups": "number of groups"})


def downstream():
    """What a local bias does to “the mean age of owners”, computed from predictions instead of labels."""
    age, _, true = sims.town()
    owners = sims.mean_age_of_owners(true)
    stops = slice(None, None, 10)

    def setup(fig):
        rows = fig.add_gridspec(2, 1, height_ratios=[3, 1])
        top = panel(fig, rows[0], xlim=(19, 96), ylim=(0, 1.02), xticks=[], y=[0, 0.5, 1], base=False,
                    ylabel="share who own a home")
        strip = panel(fig, rows[1], read_y=False, xlim=(19, 96), ylim=(-1, 1.3), xticks=[20, 35, 50, 65, 80],
                      xlabel="age", base=(19, 80))
        truth(top, age, true, lw=5)  # seen on both sides of a line that lies on it
        words(top, 81, true[-1], "how often they do", ha="left", bold=True)
        words(strip, 20, 0.5, "mean age of owners", ha="left", colour=SOFT)
        truth(strip, [owners, owners], [-1, 0.8])
        words(strip, owners, 0.95, f"truth {owners:.1f}", bold=True, va="bottom", size=13.5)
        line = estimate(top, line=True)
        return {"stems": misses(top, lw=2.4), "line": line, "ghost": Ghost(line),
                "name": words(top, 81, 0.5, "what the model says", ha="left", bold=True, colour=KEPT),
                "halves": [estimate(top, line=True, lw=1.6) for _ in range(2)], "stem": misses(strip, lw=9),
                "dot": estimate(strip, ms=13), "number": number(strip, colour=MISS, offset=(14, 0))}

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
        tell(artists["number"], (said, -0.1), f"{signed(years, 1)} years" if abs(years) > 0.05 else "",
             ha="right" if years < 0 else "left", position=(-14 if years < 0 else 14, 0))
        return Finding(
            f"Owners seem {abs(years):.1f} years {'older' if years > 0 else 'younger'}, to a model that is right on average" if abs(years) > 0.05
            else "The miss is there, and does no harm to this question" if tilt
            else "No miss, and the mean age is right",
            f"right on average over all ages; said − happened: {signed(slope[0], 2)} at 20, {signed(slope[-1], 2)} at 80"
            if depends_on == "age" or not tilt
            else f"at each age half hear {signed(off, 2)}, half {signed(-off, 2)} (thin blue lines): right on average at each age")

    code = sims.town, sims.said_at_each_age, sims.mean_age_of_owners
    return explore(setup, update, size=(9, 4.6), code=code, tilt=(-0.5, 0.5, 0.1), depends_on=["age", "something else"],
                   labels={"tilt": "size of the miss", "depends_on": "miss goes with"})


OUT = 4  # standard errors: one chi-square, the least regular sum of pairs, is beyond them in 1 % of calibrated data


def map_of_misses(fig, spec, shape, high):
    """Predictions against a feature: a map of the miss up to `high`, and an ellipse for what counts as near a row."""
    axes = panel(fig, spec, x=[-1, 0, 1], y=[0.25, 0.5, 0.75], xlabel="feature x", ylabel="prediction p")
    colours = Heatmap(axes, shape, x=(-1, 1), y=(0.25, 0.75), vmin=-high, vmax=high, cmap=SIGNED)
    near = axes.add_patch(Ellipse((0, 0.5), 1, 1, facecolor=CHOICE, alpha=0.55, edgecolor=INK, lw=1.4, zorder=3))
    return axes, colours, at_large(near)


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
                      xlabel="error, in standard deviations\nof a right model")
        chance(right).set_verts([[(-OUT, -0.5), (OUT, -0.5), (OUT, 2.5), (-OUT, 2.5)]])
        reference(right, [0, 0], [-0.5, 2.5])
        names = [words(right, 8, row + 0.35, name, ha="left") for row, name in zip(rows, labels, strict=True)]
        return {"map": miss, "near": near, "names": names, "rows": lollipops(right, rows, 9), "ends": choice(left),
                "star": estimate(left, ms=11, mfc="none", mec=INK, mew=1.6),
                "dots": left.scatter(np.zeros(shown), np.zeros(shown), s=9, lw=0, color=INK, alpha=0.45, zorder=4),
                "sides": [words(left, x, 0.725, "", style="italic") for x in (-0.5, 0.5)]}

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
        reach_p, reach_x = (np.nan if width is None else width for width in pairs[kernels])
        artists["ends"].set_data([x[star] + reach_x, x[star]], [p[star], p[star] + reach_p])
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
            f"Estimates of KLCE²: {', '.join(f'{written(each, 4)} with {name}' for name, each in zip(modes, values, strict=True))}.")

    return explore(
        setup, update, size=(9, 4.7), world=sims.HALF_WORLDS, kernels=modes, width_p=sims.PROB_WIDTHS, width_x=sims.FEATURE_WIDTHS,
        labels={"width_p": "bandwidth γ of k", "width_x": "bandwidth γ of l"}, code=sims.half_tables)


HERE = 0.0, 0.5  # x and p of the bet as it opens
ALL = "all four, aggregated"
CHANCE_ENDS = binom.ppf([0.0005, 0.9995], planting.SETS, planting.LEVEL) / planting.SETS  # the reader tries many places
GAP = {"x": 0.08, "p": 0.025}  # between the corner of the reach and the handle there
MAP = {"x": (-1, 1), "p": (0.25, 0.75)}


def corner(name, place, reach):
    """Where the handle of a reach is: on the side that has more room, or at its end if the reach is the whole."""
    low, high = MAP[name]
    side = -1 if place > (low + high) / 2 else 1
    end = high - GAP[name] / 2 if side > 0 else low + GAP[name] / 2
    return end if reach == planting.WHOLE else place + side * (reach + GAP[name])


def plant_an_error():
    """Plant an error, or paint one, place a bet, and see how often the bet and four pairs of kernels find it."""
    names = list(planting.KERNELS)
    rows = np.arange(len(names) + 2)[::-1]
    x, p = (np.linspace(*ends, 80) for ends in ((-0.9875, 0.9875), (0.253, 0.747)))
    low, high = CHANCE_ENDS
    said = ["your bet, here", *names, ALL.replace(", ", ",\n")]
    below = ["", *map(widths_of, planting.KERNELS.values()), ""]
    labels = [f"{name}\n{widths}".strip() for name, widths in zip(said, below, strict=True)]

    def setup(fig):
        planting.thresholds()
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.1])
        left, planted, near = map_of_misses(fig, columns[0], (80, 80), 0.3)
        right = panel(fig, columns[1], read_y=False, xlim=(-0.72, 1.36), ylim=(-0.6, 5.6), base=(0, 1),
                      xlabel="data sets with p ≤ .05")
        right.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
        chance(right).set_verts([[(low, -0.5), (high, -0.5), (high, 5.5), (low, 5.5)]])
        chance(right, facecolor=CHOICE, alpha=0.3, zorder=0).set_verts([[(-0.74, 4.55), (1.36, 4.55), (1.36, 5.45), (-0.74, 5.45)]])
        reference(right, [planting.LEVEL] * 2, [-0.5, 5.5])
        texts = [words(right, -0.72, row, each, ha="left", linespacing=1.1, size=11) for row, each in zip(rows, labels, strict=True)]
        return {"map": planted, "near": near,
                "data": left.scatter(*planting.rows()[1::-1], s=7, lw=0, color=INK, alpha=0.4, zorder=2),
                "stems": misses(right), "numbers": [number(right) for _ in rows], "yours": texts[0],
                **{f"dot_{k}": estimate(right, ms=11.5) for k in range(len(rows))},
                "tie": reference(left, ls="-", lw=1, zorder=3), "place": choice(left), "corner": choice(left)}

    def update(artists, planted="four corners", miss=0.2, bet_x=HERE[0], bet_p=HERE[1], width_x=0.5, width_p=0.2,
               column_1=0, column_2=0, column_3=0, column_4=0, column_5=0, column_6=0, column_7=0, column_8=0, column_9=0,
               column_10=0):
        paint = [column_1, column_2, column_3, column_4, column_5, column_6, column_7, column_8, column_9, column_10]
        at, feature, _ = planting.rows()
        sides = planting.signs(planted, paint, at, feature)
        y = planting.labels(sides, miss)
        bet = planting.weights(at, bet_p, width_p) * planting.weights(feature, bet_x, width_x)
        shares = planting.found_in(y) if any(paint) else planting.found(planted, miss)
        shares = np.array([planting.bet_finds(y, at, bet), *shares])
        artists["map"].set_data(miss * planting.signs(planted, paint, p[:, None], x))
        show_reach(artists["near"], bet_x, bet_p, *(None if each == planting.WHOLE else each for each in (width_x, width_p)))
        artists["place"].set_data([bet_x], [bet_p])
        ends = np.array([corner("x", bet_x, width_x), corner("p", bet_p, width_p)])
        artists["corner"].set_data(ends[:, None])
        here, reach = np.array([bet_x, bet_p]), np.array([width_x, width_p])
        rim = here + np.sign(ends - here) * reach / np.sqrt(2)
        artists["tie"].set_data(*(np.column_stack([rim, ends]) if max(reach) < planting.WHOLE else ([], [])))
        reach = widths_of(None if each == planting.WHOLE else each for each in (width_p, width_x))
        artists["yours"].set_text(f"{said[0]}\n{reach}")
        colours = [KEPT if share > high else MISS for share in shares]
        stems = [[(planting.LEVEL, row), (share, row)] for row, share in zip(rows, shares, strict=True)]
        artists["stems"].set(segments=stems, color=colours)
        for k, (row, share, colour) in enumerate(zip(rows, shares, colours, strict=True)):
            artists[f"dot_{k}"].set(data=([share], [row]), color=colour)
            tell(artists["numbers"][k], (max(share, planting.LEVEL), row), f"{share:.0%}", color=colour)
        covered, off = bet.sum() ** 2 / (bet @ bet), miss * (bet @ sides) / bet.sum()
        return Finding(
            bet_headline(shares[0], miss if sides.any() else 0, dict(zip(names, shares[1:], strict=False)), high),
            f"{planted}{', painted over' if any(paint) else ''}, {miss:g}; {planting.SETS} data sets, n = {planting.ROWS}; red: says too much, blue: too little",
            f"Yellow: the bet sums residuals, weighted by nearness, of about {covered:.0f} rows, which say {off_by(off)}. "
            f"Grey, up to {high:.1%}: chance, though you try many places.")

    def table():
        at, feature, below_which = planting.rows()
        factors, alone, of_all = planting.thresholds()
        differences = {"p": np.arange(501) / 1000, "x": np.arange(1001) / 500}
        bells = {name: [planting.weights(each, 0.0, reach).round(7).tolist() for reach in planting.REACHES[name]]
                 for name, each in differences.items()}
        fine_p, fine_x = np.arange(0.3125, 0.75, 0.125)[:, None], np.arange(-0.975, 1, 0.05)
        free = [0] * planting.COLUMNS
        return {
            "p": np.rint(1000 * at).astype(int).tolist(), "x": np.rint(500 * feature).astype(int).tolist(),
            "labels": "".join(chr(97 + each) for each in below_which.ravel()), "sizes": planting.SIZES, "bells": bells,
            "sides": {each: planting.signs(each, free, at, feature).tolist() for each in planting.ERRORS},
            "fine": {each: planting.signs(each, free, fine_p, fine_x).tolist() for each in planting.ERRORS},
            "found": {each: {f"{size:g}": planting.found(each, size).tolist() for size in planting.SIZES} for each in planting.ERRORS},
            "factors": [np.rint(1000 * each).astype(int).ravel().tolist() for each in factors],
            "alone": alone.tolist(), "all": of_all.tolist(), "pairs": names, "below": below, "chance": [low, high],
            "level": planting.LEVEL, "beyond": planting.BEYOND, "gap": GAP, "whole": planting.WHOLE}

    columns = {f"column_{k + 1}": (0, 3**planting.CELLS, 1) for k in range(planting.COLUMNS)}
    reaches = {name: [(("all" if each == planting.WHOLE else f"{each:g}"), each) for each in values] for name, values in planting.REACHES.items()}
    return explore(
        setup, update, size=(9, 4.9), code=planting.bet_finds, planted=planting.ERRORS, miss=planting.SIZES,
        bet_x=(-0.9, 0.9, 0.05), bet_p=(0.28, 0.72, 0.01), width_x=reaches["x"], width_p=reaches["p"], **columns,
        labels={"planted": "what you plant", "miss": "size of the miss", "bet_x": "your bet: at feature x", "bet_p": "at prediction p",
                "width_x": "reach γ in x", "width_p": "reach γ in p"},
        hand=Hand("plant_an_error", __file__, table, portrait=1.75, painted=tuple(columns)))


def widths_of(widths):
    """Bandwidths in p and in x in words."""
    return "γ " + (", ".join(f"{width:g} ({name})" for width, name in zip(widths, "px", strict=True) if width) or "all")


def off_by(miss):
    """A mean miss in words."""
    return f"{abs(miss):.2f} too {'much' if miss > 0 else 'little'} on average" if abs(miss) >= 0.005 else "what happens, on average"


def bet_headline(mine, size, shares, high):
    """How often the reader's bet finds the error, and which pair of kernels finds most."""
    best = max(shares, key=shares.get)
    if not size:
        return f"Nothing is planted, and your bet rejects {mine:.0%}"
    if max(mine, shares[best]) <= high:
        return "Neither your bet nor a pair of kernels finds more than chance"
    if mine >= shares[best]:
        return f"Your bet finds {mine:.0%} of such errors, no pair of kernels more"
    found = f"{mine:.0%} of such errors" if mine > high else "no more than chance"
    return f"Your bet finds {found}; “{best}” finds {shares[best]:.0%}"
