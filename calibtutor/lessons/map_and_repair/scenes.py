"""Pictures of notebook 10: a map of the local miss, five nulls, how far to believe the map, rows to test, repairs."""

import numpy as np
from matplotlib.colors import to_rgba

from ...plots import (CHANCE_BARS, CHOICE, GREY, INK, KEPT, MISS, MODELS, SOFT, Finding, bars_between, chance, estimate,
                      misses, panel, reference, region, words)
from ...teach.explore import explore
from ...teach.marks import Ghost, choice, number, tell
from ..shared import worn as shared_worn
from ..shared.maps import SIGNED, Heatmap
from ..shared.pvalues import LEVEL, by_chance, rejections
from ..shared.rows_of_misses import lollipops, show_lollipops, sides_of_zero
from ..shared.verdicts import beyond, capital, signed
from . import simulations as sims
from .exercises import check

__all__ = ["believe_the_map", "by_answer", "null_race", "repair", "where_wrong", "which_rows"]

ENDS = [3, 32]  # columns of the map that stand for clean and for worn images
WIDTHS, SUPPORT = (0.1, 0.08), 20  # bandwidths in confidence and noise; with fewer images near nothing is shown
NOISE, MISSES = [0, 0.25, 0.5], [-0.4, -0.2, 0, 0.2, 0.4]  # ticks


def in_words(miss, error, supported):
    """What can be said of a miss at one place: its side if it is beyond two standard errors and data are near."""
    if not supported:
        return "unknown"
    return ("over-confident" if miss > 0 else "under-confident") if beyond(miss, error) else "within chance"


def where_wrong():
    """The miss over (noise, confidence), shown only where enough images are near."""
    across, up = np.linspace(0, 0.5, 36), np.linspace(0.3, 1, 29)

    def setup(fig):
        for each in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(each, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        left = panel(fig, columns[0], xlabel="noise of the image", ylabel="confidence", x=NOISE, y=[0.4, 0.6, 0.8, 1])
        left.set_title("red: says too much, blue: too little", color=SOFT)
        right = panel(fig, columns[1], xlim=(0, 0.5), ylim=(-0.5, 0.5), xlabel="noise of the image",
                      ylabel="miss: said − happened", x=NOISE, y=MISSES)
        right.set_title("along the yellow row", color=SOFT)
        sides_of_zero(right, 0, 0.5, 0.5)
        colours = {"vmin": -0.3, "vmax": 0.3, "cmap": SIGNED.resampled(13)}
        return {"image": Heatmap(left, (29, 36), x=(0, 0.5), y=(0.3, 1), **colours),
                "dots": left.scatter([], [], s=3, color=INK, lw=0, alpha=0.35, zorder=1),
                "row": chance(left, facecolor=CHOICE, edgecolor=INK, lw=0.8, zorder=3), "at": choice(left),
                "band": chance(right, facecolor=CHANCE_BARS), "stems": misses(right, lw=2),
                "line": estimate(right, line=True, marker="o", ms=9.5, mec="white", markevery=ENDS),
                "ends": [number(right, offset=(0, 0), ha="center") for _ in range(2)]}

    def update(artists, model="neural network", confidence=0.9):
        hit, said, wear, _ = shared_worn.scans(model, True)
        miss, _, mass = sims.miss_map(hit, said, wear, up, across, *WIDTHS)
        artists["image"].set_data(np.where(mass >= SUPPORT, miss, np.nan))
        artists["dots"].set_offsets(np.column_stack([wear, said])[::2])  # half of them: enough to see where data are
        artists["row"].set_verts(bars_between([0, 0.5], [confidence - 0.008], [confidence + 0.008]))
        artists["at"].set_data([0.5], [confidence])
        miss, error, near = (row[0] for row in sims.miss_map(hit, said, wear, np.array([confidence]), across, *WIDTHS))
        good = near >= SUPPORT
        artists["line"].set_data(across, np.where(good, miss, np.nan))
        artists["line"].set_color(MODELS[model][0])
        wide, known = 2 * error[:-1], good[:-1] & good[1:]
        artists["band"].set_verts(np.array(bars_between(across, -wide, wide))[known])
        off = good & beyond(miss, error)
        artists["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(across[off], miss[off], strict=True)])
        for k, each in zip(ENDS, artists["ends"], strict=True):
            near = miss[max(k - 3, 0) : k + 4]
            tell(each, (np.clip(across[k], 0.06, 0.44), (near.max() + 0.06 if miss[k] > 0 else near.min() - 0.06)),
                 signed(miss[k], 2) if good[k] else "", color=MISS if off[k] else INK)
        clean, worn = (in_words(miss[k], error[k], good[k]) for k in ENDS)
        return Finding(
            f"{confidence:.0%} sure: {clean} on clean images, {worn} on worn ones",
            f"{model}, recalibrated; γ {WIDTHS[1]:g} in noise, {WIDTHS[0]:g} in confidence; grey, right: ± 2 standard errors",
            f"Deepest colour: 0.3. No colour: no miss, or under {SUPPORT} images near. Every second image is a dot.")

    return explore(setup, update, size=(9, 4.7), model=list(shared_worn.CAST), confidence=(0.35, 0.95, 0.05), code=sims.miss_map)


def believe_the_map(local_miss=None, effective_size=None):
    """The local miss where the network says 90 %, by the reader's functions, with its band and its effective size."""
    miss_of, size_of = check.local_miss.use(local_miss), check.effective_size.use(effective_size)
    across, said = np.linspace(0.01, 0.49, 33), 0.9
    edges = np.linspace(across[0] - 0.0075, across[-1] + 0.0075, 34)

    def setup(fig):
        shared_worn.scans("neural network", True)
        rows = fig.add_gridspec(2, 1, height_ratios=[2.1, 1])
        top = panel(fig, rows[0], xlim=(0, 0.5), ylim=(-0.48, 0.48), xticks=[], ylabel="local miss", y=MISSES)
        low = panel(fig, rows[1], xlim=(0, 0.5), ylim=(3, 5000), yscale="log", x=NOISE, xlabel="noise of the image",
                    ylabel="effective size")
        low.set_yticks([10, 100, 1000], ["10", "100", "1000"])
        low.minorticks_off()
        sides_of_zero(top, 0, 0.5, 0.48)
        line = estimate(top, line=True, model="neural network")
        return {"band": chance(top, facecolor=CHANCE_BARS), "stems": misses(top, lw=2.4), "line": line, "ghost": Ghost(line),
                "bars": chance(low, facecolor=to_rgba(KEPT, 0.45), edgecolor="white", lw=0.6),
                "least": number(low, offset=(0, 10), ha="center", colour=KEPT)}

    def update(artists, width_noise=0.01, width_confidence=WIDTHS[0]):
        hit, p, noise, _ = shared_worn.scans("neural network", True)
        ws = [sims.weights(p, noise, said, at, width_confidence, width_noise) for at in across]
        band = np.array([sims.band_of(p, w) for w in ws])
        miss, size = np.array([[float(miss_of(hit, p, w)), float(size_of(w))] for w in ws]).T
        off = np.abs(miss) > band
        artists["line"].set_data(across, miss)
        artists["band"].set_verts(bars_between(edges, -band, band))
        artists["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(across[off], miss[off], strict=True)])
        artists["bars"].set_verts(bars_between(edges, np.full(len(size), 3.0), np.maximum(size, 3)))
        least = int(size.argmin())
        tell(artists["least"], (np.clip(across[least], 0.02, 0.48), max(size[least], 3)), f"{size[least]:.0f}")
        return Finding(
            f"{off.mean():.0%} of the row is beyond chance, with an effective size of {size.min():.0f} or more",
            f"neural network where it says {said:.0%}; γ {width_noise:g} in noise, {width_confidence:g} in confidence; grey: ± 2 s.e.",
            f"By {' and '.join(dict.fromkeys((miss_of.by, size_of.by)))}.")

    return explore(setup, update, size=(9, 4.8), width_noise=[0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 1.0], width_confidence=[0.02, 0.05, 0.1, 0.2, 0.5],
                   labels={"width_noise": "bandwidth γ in noise", "width_confidence": "bandwidth γ in confidence"},
                   code=(sims.weights, sims.band_of))


def repair():
    """What recalibration mends: the error on average, and the error given the noise."""
    methods, shift = list(sims.METHODS), np.array([0.3, 0.1, -0.1, -0.3])  # quarters in a row, the cleanest on top
    rows = np.arange(len(methods))[::-1]
    at = (rows[:, None] + shift).ravel()

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(-0.86, 0.93), ylim=(-0.6, 6.15), base=(-0.5, 0.52), x=MISSES,
                     xlabel="miss of each quarter of the images: said − happened")
        for row in rows[:-1]:
            axes.axhline(row - 0.5, color="#EEEEEE", lw=1, zorder=0)
        reference(axes, [0, 0], [-0.5, 5.5])
        region(axes, -0.25, 5.8, "says too little")
        region(axes, 0.25, 5.8, "says too much")
        words(axes, 0.61, 5.8, "ECE", size=11, colour=SOFT)
        words(axes, 0.82, 5.8, "test rejects", size=11, colour=SOFT)
        return {"here": chance(axes, facecolor=to_rgba(CHOICE, 0.35), zorder=0),
                "band": chance(axes, facecolor=CHANCE_BARS),
                "names": [words(axes, -0.85, row, "as trained" if name == "nothing" else name, ha="left")
                          for row, name in zip(rows, methods, strict=True)],
                "stems": misses(axes, lw=5), "dots": axes.scatter(np.zeros(24), at, s=np.tile([20, 30, 42, 56], 6), zorder=4, ec="white", lw=0.6),
                "ends": [words(axes, 0, 0, "", size=11) for _ in range(2)],
                "ece": [words(axes, 0.61, row, "") for row in rows],
                "counts": [words(axes, 0.82, row, "", bold=True) for row in rows]}

    def update(artists, model="neural network", method="isotonic"):
        every = [sims.repaired(model, name) for name in methods]
        ece, miss, rejected, wide = (np.array(each) for each in zip(*every, strict=True))
        off = (np.abs(miss) > wide).ravel()
        artists["band"].set_verts([[(-w, y - 0.1), (w, y - 0.1), (w, y + 0.1), (-w, y + 0.1)] for w, y in zip(wide.ravel(), at, strict=True)])
        artists["stems"].set_segments([[(0, y), (m, y)] for m, y in zip(miss.ravel(), at, strict=True)])
        artists["stems"].set_color([MISS if each else GREY for each in off])
        artists["dots"].set_offsets(np.column_stack([miss.ravel(), at]))
        artists["dots"].set_facecolor(MODELS[model][0])
        k, row = methods.index(method), rows[methods.index(method)]
        artists["here"].set_verts(bars_between([-0.86, 0.93], [row - 0.5], [row + 0.5]))
        for each, quarter, name in zip(artists["ends"], (0, 3), ("cleanest", "most worn"), strict=True):
            m = miss[k, quarter]
            band = np.copysign(wide[k, quarter] + 0.02, m)  # a long stem leaves no room at its end
            end = np.copysign(max(abs(m) + 0.03, abs(band)), m) if abs(m) < 0.3 else -band
            each.set(x=end, y=row + shift[quarter] * 0.8, ha="left" if end > 0 else "right", text=f"{name} {signed(m, 2)}")
        for said, count, value, share in zip(artists["ece"], artists["counts"], ece, rejected, strict=True):
            said.set_text(f"{value:.3f}")
            count.set(text=f"{sims.CUTS * share:.0f} of {sims.CUTS}", color=MISS if share > 0.5 else KEPT)
        return Finding(
            f"{capital(method) if k else 'As trained'}: ECE {ece[k]:.3f}; the local test rejects in {sims.CUTS * rejected[k]:.0f} of {sims.CUTS} cuts",
            f"{model}; means over {sims.CUTS} cuts, half to fit, half to look at; grey: chance, ± 2 standard errors",
            "Quarters from the cleanest, on top, to the most worn. The exact test has the noise as feature.")

    return explore(setup, update, size=(9, 5.2), code=sims.repaired, model=list(shared_worn.CAST),
                   method=["isotonic", *[m for m in methods if m != "isotonic"]])


def by_answer():
    """What three maps mend of a deep network, answer by answer, and the log loss by the images that taught them."""
    order = [0, *1 + np.argsort(-sims.by_answer(sims.DEEP[0])[0, 0, 1:11])]
    names, rows, maps = ["all images", *sims.ANSWERS], np.arange(11)[::-1], sims.REPAIRS[1:]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.1, 0.185), ylim=(-0.6, 11.2), x=[-0.05, 0, 0.05, 0.1],
                     xlabel="miss: said − happened")
        left.set_yticks(rows, [names[each] for each in order])
        left.tick_params(axis="y", length=0, labelcolor=INK)
        reference(left, [0, 0], [-0.6, 10.6])
        region(left, -0.05, 10.95, "says too little")
        region(left, 0.075, 10.95, "says too much")
        right = panel(fig, columns[1], xlim=(420, 6200), ylim=(-0.12, 0.1), xscale="log", x=sims.TAUGHT,
                      y=[-0.1, -0.05, 0, 0.05], xlabel="held-out images that taught it",
                      ylabel="log loss, less that as trained")
        reference(right, [420, 6200], [0, 0])
        region(right, 6000, 0.09, "worse than no map", ha="right")
        return {"band": chance(left, facecolor=CHANCE_BARS), "before": left.plot([], [], "o", mfc="none", mec=GREY, ms=8, zorder=3)[0],
                "dots": lollipops(left, rows), "misses": [words(left, 0.183, row, "", bold=True, ha="right") for row in rows],
                "lines": [estimate(right, line=True) for _ in maps], "here": choice(right),
                "ends": [words(right, 520, 0, name, va="bottom" if k else "top", ha="left") for k, name in enumerate(maps)]}

    def update(artists, network=sims.DEEP[0], repair="temperature", images=5000):
        found, m, k = sims.by_answer(network), sims.REPAIRS.index(repair), sims.TAUGHT.index(images)
        miss, error, before = found[m, k, :11][order], found[m, k, 11:22][order], found[0, 0, 22]
        colours = [MISS if each else KEPT for each in beyond(miss, error / 2)]
        artists["band"].set_verts([[(-e, y - 0.3), (e, y - 0.3), (e, y + 0.3), (-e, y + 0.3)] for e, y in zip(error, rows, strict=True)])
        artists["before"].set_data(found[0, 0, :11][order], rows)
        show_lollipops(artists["dots"], rows, miss, colours, [""] * 11)
        for text, each, colour in zip(artists["misses"], miss, colours, strict=True):
            text.set(text=signed(each, 3), color=colour)
        for line, end, name, loss in zip(artists["lines"], artists["ends"], maps, found[1:, :, 22], strict=True):
            line.set_data(sims.TAUGHT, loss - before)
            line.set_color(KEPT if name == repair else GREY)
            end.set(y=loss[0] - before + (0.004 if name != maps[0] else -0.005), color=KEPT if name == repair else SOFT)
        artists["here"].set_data([images], [found[m, k, 22] - before])
        off, all_of_them = colours[1:].count(MISS), images == sims.TAUGHT[-1]
        return Finding(
            f"{capital(repair)}, {images:,} images: {off} of ten answers are off by two s.e.",
            f"{network}, 10,000 test images; log loss {before:.3f} as trained, {found[m, k, 22]:.3f} now; grey: ± 2 standard errors",
            "Hollow: as trained. Held-out images taught the map"
            + (", all of them." if all_of_them else f"; means over {sims.TEACHERS} draws of them."))

    return explore(setup, update, size=(9, 4.9), code=sims.by_answer, network=sims.DEEP, repair=maps, images=sims.TAUGHT,
                   labels={"repair": "map", "images": "held-out images"})


COUNT = "No", "One", "Two", "Three", "Four", "Five"


def too_many(rejected, n):
    """Whether a test has more false alarms in n data sets than its level allows, but for 2.5 % of bad luck."""
    return rejected > by_chance(n)[1] + 1e-9


def null_race():
    """Residuals of a crowd and of the others, observed and redrawn by one of five nulls, and the false alarms of each."""
    nulls, n = sims.RACE_NULLS, sims.RACE_SETS
    rows = np.arange(len(nulls))[::-1]
    strips = ["crowd,\nobserved", "crowd,\nredrawn", "others,\nobserved", "others,\nredrawn"]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.2, 1])
        left = panel(fig, columns[0], xlim=(-0.6, 3.6), ylim=(-1.06, 1.3), xticks=range(4), xticklabels=strips,
                     y=[-1, -0.5, 0, 0.5, 1], ylabel="residual p − y")
        left.tick_params(axis="x", length=0)
        reference(left, [-0.6, 3.6], [0, 0])
        words(left, -0.58, 1.25, "typical size", ha="left", size=11, colour=SOFT)
        right = panel(fig, columns[1], read_y=False, xlim=(-0.36, 0.6), ylim=(-0.5, 4.85), base=(0, 0.4),
                      xlabel="false alarms at level 5%")
        right.set_xticks([0.05, 0.2, 0.4], ["5%", "20%", "40%"])
        chance(right).set_verts(bars_between(by_chance(n), [-0.5], [4.5]))
        reference(right, [LEVEL, LEVEL], [-0.5, 4.5])
        words(right, LEVEL, 4.7, "level, and chance", size=11, colour=SOFT)
        return {"band": chance(left, facecolor=to_rgba(CHOICE, 0.35), zorder=0),
                "dots": left.scatter([], [], s=26, zorder=4, ec="white", lw=0.4),
                "names": [words(right, -0.355, row, name.replace("-", "-\n"), ha="left", linespacing=1.1)
                          for row, name in zip(rows, nulls, strict=True)],
                "sizes": [words(left, k, 1.12, "", bold=True) for k in range(4)],
                "here": chance(right, facecolor=to_rgba(CHOICE, 0.35), zorder=0), "rows": lollipops(right, rows)}

    def update(artists, crowd="doubtful", null="permutation"):
        rejected = rejections(sims.race(crowd), LEVEL).mean(axis=1)
        often = too_many(rejected, n)
        y, p, _, rng = sims.people(crowd)
        pair, inside = (p - y, sims.redrawn(y, p, rng)[null]), p == sims.CROWDS[crowd][0]
        shown = [each[where] for where in (inside, ~inside) for each in pair]
        places = [k + 0.3 * np.sin(2.4 * np.arange(len(each))) for k, each in enumerate(shown)]  # spread, the same each time
        artists["dots"].set_offsets(np.column_stack([np.concatenate(places), np.concatenate(shown)]))
        artists["dots"].set_facecolor([to_rgba(KEPT if k % 2 else INK, 0.6) for k, each in enumerate(shown) for _ in each])
        artists["band"].set_verts([[(k - 0.45, -1.06), (k + 0.45, -1.06), (k + 0.45, 1.2), (k - 0.45, 1.2)] for k in (1, 3)])
        for text, each in zip(artists["sizes"], shown, strict=True):
            text.set_text(f"{np.sqrt(np.mean(each**2)):.2f}")
        colours, k = [MISS if each else KEPT for each in often], nulls.index(null)
        artists["here"].set_verts(bars_between([-0.36, 0.6], [rows[k] - 0.45], [rows[k] + 0.45]))
        show_lollipops(artists["rows"], rows, rejected, colours, [f"{value:.1%}" for value in rejected], LEVEL)
        count = f"{COUNT[often.sum()]} of five nulls {'has' if often.sum() == 1 else 'have'}"
        return Finding(
            f"{count} too many false alarms; {null}: {rejected[k]:.0%}",
            f"{n} data sets of {sims.RACE_N}, all right; {sims.RACE_SHARE:.0%} of each is a {crowd} crowd, alike and told {sims.CROWDS[crowd][0]:g}; left: one of them",
            "Rejected at .05: shares of data sets. Typical size: the root mean square of a strip.")

    return explore(setup, update, size=(9, 4.8), code=sims.redrawn, crowd=list(sims.CROWDS),
                   null=["permutation", *[each for each in nulls if each != "permutation"]],
                   labels={"null": "null, redrawn on the left"})


def rows_headline(crossed, clean):
    """How often the test rejects, with both choices of rows."""
    low, high = by_chance(sims.ROWS_SETS)
    often = "too rarely" if crossed < low else "too often" if crossed > high else "as its level says"
    return f"Cross-fitted: {crossed:.1%} rejected, {often}; an untouched half: {clean:.1%}"


def which_rows():
    """p-values of the exact test on the truth, on cross-fitted rows, and on a half that nothing was fitted on."""
    edges, names = np.linspace(0, 1, 21), ("true chances, all rows", "cross-fitted, all rows", "half without any fit")

    def setup(fig):
        low, high = by_chance(sims.ROWS_SETS)
        parts, columns = [], fig.add_gridspec(1, 3)
        for column, name in zip(columns, names, strict=True):
            axes = panel(fig, column, read_y=not parts, xlim=(0, 1), ylim=(0, 0.37), xlabel="R", title=name)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            if not parts:
                axes.set(ylabel="share of data sets")
                axes.set_yticks([0, 0.05, 0.15, 0.25], ["0", "5%", "15%", "25%"])
            chance(axes).set_verts([[(0, low), (1, low), (1, high), (0, high)]])
            reference(axes, [0, 1], [0.05, 0.05])
            bars = chance(axes, facecolor=[KEPT, *[to_rgba(KEPT, 0.45)] * 19], edgecolor="white", lw=0.6, zorder=2)
            parts.append({"bars": bars, "first": number(axes, offset=(-4, 12), ha="left", colour=KEPT)})
        return {"parts": parts}

    def update(artists, method="Platt", n=400):
        true, crossed, clean = sims.which_rows(method, n)
        for part, shares in zip(artists["parts"], (true, crossed, clean), strict=True):
            part["bars"].set_verts(bars_between(edges, np.zeros(20), shares))
            tell(part["first"], (0.025, max(*shares[:6], by_chance(sims.ROWS_SETS)[1])), f"{shares[0]:.1%}")
        return Finding(
            rows_headline(crossed[0], clean[0]),
            f"{sims.ROWS_SETS} data sets of {n} rows, {method}, an irrelevant feature; full colour: R ≤ 0.05; grey: chance",
            "Tests of right models have bars of one height, up to chance.")

    return explore(setup, update, size=(9, 4), code=sims.which_rows, method=sims.ROWS_MAPS, n=sims.ROWS_N,
                   labels={"method": "curve", "n": "rows, n"})
