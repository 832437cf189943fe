"""Scenes of the lesson map_and_repair."""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.markers import MarkerStyle
from scipy.stats import binom

from ...plots import (
    CHANCE_BARS,
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    bars_between,
    chance,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    words,
)
from ...teach.explore import explore
from ..shared import worn as shared_worn
from ..shared.maps import SIGNED, Heatmap
from ..shared.pvalues import by_chance, steps
from ..shared.verdicts import beyond, capital, signed
from . import simulations as sims

__all__ = ["null_race", "repair", "where_wrong", "which_rows"]



def in_words(miss, error, supported):
    """What can be said of a miss at one place: its side if it is beyond two standard errors and data are near."""
    if not supported:
        return "unknown"
    return ("too sure" if miss > 0 else "too shy") if beyond(miss, error) else "nothing beyond chance"


ENDS = [3, 32]  # columns of the map that stand for clean and for worn images


def where_wrong():
    """The miss over (noise, confidence), shown only where enough data support it."""
    across, up = np.linspace(0, 0.5, 36), np.linspace(0.3, 1, 29)

    def setup(fig):
        for each in shared_worn.CAST:  # read before the first click, not at it
            shared_worn.scans(each, True)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.3, 1])
        left = panel(fig, columns[0], xlabel="noise of the image", ylabel="confidence", xticks=[0, 0.25, 0.5],
                     yticks=[0.4, 0.6, 0.8, 1], facecolor=CHANCE_BARS)  # fmt: skip
        image = Heatmap(left, (29, 36), x=(0, 0.5), y=(0.3, 1), vmin=-0.3, vmax=0.3, cmap=SIGNED.resampled(13))
        left.set_xticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        dots = left.scatter([], [], s=3, color=INK, lw=0, alpha=0.35, zorder=1)
        left.set_title("white: no miss, deepest: 0.3; grey: few digits", color=SOFT)
        row = chance(left, facecolor=CHOICE, edgecolor=INK, lw=0.8, zorder=3)
        right = panel(fig, columns[1], xlim=(0, 0.5), ylim=(-0.5, 0.5), xlabel="noise of the image",
                      ylabel="miss: said − happened", xticks=[0, 0.25, 0.5])  # fmt: skip
        right.set_yticks([-0.4, -0.2, 0, 0.2, 0.4], ["−0.4", "−0.2", "0", "0.2", "0.4"])
        right.set_xticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        right.set_title("along the yellow row", color=SOFT)
        reference(right, [0, 0.5], [0, 0])
        region(right, 0.01, 0.46, "says too much", ha="left")
        region(right, 0.01, -0.46, "says too little", ha="left")
        return {"image": image, "dots": dots, "row": row, "names": [words(left, 0.25, 0.5, "") for _ in range(3)],
                "band": chance(right, facecolor=CHANCE_BARS), "stems": misses(right, lw=2), "line": estimate(right, line=True, marker="o", ms=9.5, mec="white", markevery=ENDS, in_layout=False),
                "ends": [number(right, offset=(0, 0), ha="center") for _ in range(2)]}  # fmt: skip

    def update(artists, model="neural network", confidence=0.9, width_noise=0.08, width_confidence=0.1, support=20):
        hit, said, wear, _ = shared_worn.scans(model, True)
        widths = width_confidence, width_noise
        miss, _, mass = sims.miss_map(hit, said, wear, up, across, *widths)
        shown = np.where(mass >= support, miss, np.nan)
        artists["image"].set_data(shown)
        artists["dots"].set_offsets(np.column_stack([wear, said])[::2])  # half of them: enough to see where data are
        high, low = confidence + 0.008, confidence - 0.008
        artists["row"].set_verts([[(0, low), (0.5, low), (0.5, high), (0, high)]])
        taken = [confidence]
        for name, each, text in zip(
            artists["names"],
            (shown, -shown, np.where(mass < support, 1.0, np.nan)),
            ("says\ntoo much", "says\ntoo little", "too few\ndigits"),
            strict=True,
        ):
            place = place_for(each, up, across, taken)
            name.set(text=text if place else "", position=place or (0.25, 0.5))
            taken += [place[1]] if place else []
        miss, error, near = (row[0] for row in sims.miss_map(hit, said, wear, np.array([confidence]), across, *widths))
        good = near >= support
        artists["line"].set_data(across, np.where(good, miss, np.nan))
        artists["line"].set_color(MODELS[model][0])
        wide = 2 * error
        cells = zip(bars_between(across, -wide[:-1], wide[:-1]), good[:-1] & good[1:], strict=True)
        artists["band"].set_verts([box for box, known in cells if known])
        off = good & beyond(miss, error)
        artists["stems"].set_segments([[(a, 0), (a, m)] for a, m in zip(across[off], miss[off], strict=True)])
        told = []
        for k, each in zip(ENDS, artists["ends"], strict=True):
            near = miss[max(k - 3, 0) : k + 4]
            each.xy = np.clip(across[k], 0.06, 0.44), (near.max() + 0.06 if miss[k] > 0 else near.min() - 0.06)
            each.set(text=signed(miss[k], 2) if good[k] else "", color=MISS if off[k] else INK)
            told.append(f"{signed(miss[k])} ± {2 * error[k]:.3f}" if good[k] else "unknown")
        clean, worn = (in_words(miss[k], error[k], good[k]) for k in ENDS)
        share = (mass >= support).mean()
        return Finding(
            (f"{confidence:.0%} sure: {clean} on clean images, {worn} on worn ones" if clean != worn
             else f"{confidence:.0%} sure: {clean} on clean and on worn images") if good.any()
            else f"{confidence:.0%} sure: no place has {support} digits nearby",
            f"{model}, recalibrated; γ {width_noise:g} in noise, {width_confidence:g} in confidence; grey, right: ± 2 s.e.",
            f"Said − happened: {told[0]} on clean images, {told[1]} on worn ones. {share:.0%} of the map has {support} data or more nearby.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.7), model=list(shared_worn.CAST), confidence=(0.35, 0.95, 0.05),
                   width_noise=[0.02, 0.04, 0.08, 0.15, 0.3, 1.0], width_confidence=[0.02, 0.05, 0.1, 0.2, 0.5],
                   support=[0, 5, 10, 20, 40, 80],
                   code=sims.miss_map, labels={"width_noise": "bandwidth, noise", "width_confidence": "bandwidth, confidence",
                           "support": "digits needed nearby"},
                   kept={"width_noise": (0.04, 0.08, 0.3, 1.0), "width_confidence": (0.05, 0.1, 0.5), "support": (5, 20, 80)})  # fmt: skip


def place_for(values, up, across, taken, least=0.03, room=0.09):
    """Where a name fits on a map: the middle of a run of large values, a line away from what is `taken`; or None."""
    width = 8  # cells that a name of two lines covers
    runs = np.lib.stride_tricks.sliding_window_view(values, width, axis=1).min(axis=2)
    free = (np.abs(up[:, None] - taken) > room).all(axis=1) & (up > 0.34) & (up < 0.97)
    runs = np.where(free[:, None] & np.isfinite(runs), runs, -1)
    row, column = np.unravel_index(runs.argmax(), runs.shape)
    return (np.clip(across[column + width // 2], 0.065, 0.435), up[row]) if runs[row, column] > least else None


def of_cuts(rejected):
    """In how many cuts the test rejects."""
    return f"{round(rejected * sims.CUTS)} of {sims.CUTS}"


def repair_verdict(before, after, rejected):
    """What a recalibration did: where it took the ECE, and how often the local test rejects the fitted map."""
    return (
        f"ECE {'down' if after < before else 'up'} to {after:.3f}; the local test rejects in {of_cuts(rejected)} cuts"
    )


UP, DOWN = (each.get_path().transformed(each.get_transform()) for each in map(MarkerStyle, "^v"))


def repair():
    """What recalibration mends: the error on average, and the error given the noise."""
    methods, x = list(sims.METHODS), np.sqrt  # small errors need room
    rows = np.arange(len(methods))[::-1]

    def setup(fig):
        axes = panel(
            fig, read_y=False, xlim=(-0.25, 0.86), ylim=(-0.6, 6.25), xlabel="size of an error or of a miss, root scale"
        )
        at = np.array([0, 0.01, 0.05, 0.2, 0.5])
        axes.set_xticks(x(at), ["0", "0.01", "0.05", "0.2", "0.5"])
        axes.spines["bottom"].set_bounds(0, x(0.5))
        for each in x(at):
            axes.axvline(each, color="#EEEEEE", lw=1, zorder=0)
        names = [words(axes, -0.24, row, name, ha="left") for row, name in zip(rows, methods, strict=True)]
        for at, look, name in (
            (0, {"marker": "o", "ms": 10, "mfc": "white", "mec": INK}, "ECE, on average"),
            (0.22, {"marker": "^", "ms": 8, "mfc": GREY, "mec": GREY}, "miss of a quarter, ▼ says too little"),
        ):
            axes.plot([at], [6], ls="", **look)
            words(axes, at + 0.018, 6, name, ha="left", size=11, colour=SOFT)
        words(axes, 0.86, 6, "local test rejects", ha="right", size=11, colour=SOFT)
        return {"here": chance(axes, facecolor=to_rgba(CHOICE, 0.35), zorder=0), "names": names,
                "quarters": axes.scatter(np.zeros(24), np.zeros(24), s=20, color=GREY, lw=0, zorder=2),
                "ece": estimate(axes, in_layout=False, ms=10, mfc="white", mec=INK, mew=1.8, zorder=6),
                "now": words(axes, 0, 0, "", bold=True, va="bottom", size=11), "worst": words(axes, 0, 0, "", size=11, colour=SOFT),
                "counts": [words(axes, 0.86, row, "", bold=True, ha="right") for row in rows]}  # fmt: skip

    def update(artists, model="neural network", method="isotonic"):
        every = [sims.repaired(model, name) for name in methods]
        ece, miss, rejected = (np.array(each) for each in zip(*every, strict=True))
        colours = [MISS if share > 0.5 else KEPT for share in rejected]
        artists["ece"].set_data(x(ece), rows)
        artists["quarters"].set_offsets(np.column_stack([x(np.abs(miss)).ravel(), np.repeat(rows - 0.3, 4)]))
        artists["quarters"].set_sizes(np.tile([20, 36, 58, 85], 6))
        artists["quarters"].set_paths([UP if m > 0 else DOWN for m in miss.ravel()])
        k = methods.index(method)
        row = rows[k]
        artists["here"].set_verts([[(-0.25, row - 0.55), (0.86, row - 0.55), (0.86, row + 0.5), (-0.25, row + 0.5)]])
        for each, share, colour in zip(artists["counts"], rejected, colours, strict=True):
            each.set(text=of_cuts(share), color=colour)
        low, high = x(np.abs(miss[k]).min()) - 0.02, x(np.abs(miss[k]).max()) + 0.02
        place, side = (high, "left") if high < 0.62 else (low, "right")
        artists["worst"].set(x=place, y=row - 0.3, ha=side, text=f"most worn {signed(miss[k, 3])}")
        artists["now"].set(x=x(ece[k]), y=row + 0.15, text=f"{ece[k]:.3f}")
        said = "; ".join(f"{name} {each:.3f}" for name, each in zip(methods, ece, strict=True) if name != method)
        return Finding(
            f"{capital(method)}: {repair_verdict(ece[0], ece[k], rejected[k])}" if k
            else f"As trained: ECE {ece[0]:.3f}; the local test rejects in {of_cuts(rejected[0])} cuts",
            f"{model}; means over {sims.CUTS} cuts, half to fit, half to look at; triangles: quarters, larger: noisier",
            f"ECE of the others: {said}. All on halves that no map was fitted on; the exact test has the noise as feature.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 5), code=sims.repaired, model=list(shared_worn.CAST),
                   method=["isotonic", *[m for m in methods if m != "isotonic"]])  # fmt: skip


STYLES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))]  # of the nulls' curves: two colours are not enough
LEVEL, COUNT = 0.05, ("no", "one", "two", "three", "four", "five")


def cries_wolf(rejected, n):
    """Whether a test rejects n calibrated data sets more often than its level allows, but for 2.5 % of bad luck."""
    return rejected * n > binom.ppf(0.975, n, LEVEL) + 1e-9


def null_race():
    """p-values of calibrated data sets under five nulls, as a crowd of alike data grows."""
    nulls, n = sims.RACE_NULLS, sims.RACE_SETS
    rows = np.arange(len(nulls))[::-1]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.45, 1])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.28, 0.44), ylim=(-0.5, 4.75),
                     xlabel="false alarms at level 5%")  # fmt: skip
        left.set_xticks([0, 0.05, 0.2, 0.3], ["0", "5%", "20%", "30%"])
        left.spines["bottom"].set_bounds(0, 0.4)
        low, high = binom.ppf([0.025, 0.975], n, LEVEL) / n
        chance(left).set_verts([[(low, -0.5), (high, -0.5), (high, 4.6), (low, 4.6)]])
        reference(left, [LEVEL, LEVEL], [-0.5, 4.6])
        words(left, high + 0.006, 4.55, f"chance, {n} data sets", ha="left", size=11, colour=SOFT)
        for row, name in zip(rows, nulls, strict=True):
            words(left, -0.28, row, "labels (exact)" if name == "labels" else name, ha="left")
        right = panel(fig, columns[1], xlim=(0, 0.2), ylim=(0, 0.65), xlabel="level α", ylabel="share of p-values ≤ α")
        right.set_xticks([0, 0.05, 0.1, 0.2], ["0", "0.05", "0.1", "0.2"])
        right.set_yticks([0, 0.2, 0.4, 0.6], ["0", "0.2", "0.4", "0.6"])
        alpha = np.linspace(0, 0.2, 61)
        lower, upper = (binom.ppf(q, n, alpha) / n for q in (0.025, 0.975))
        chance(right).set_verts([np.column_stack([np.r_[alpha, alpha[::-1]], np.r_[lower, upper[::-1]]])])
        reference(right, [0, 0.2], [0, 0.2])
        lines = [right.plot([], [], drawstyle="steps-post", lw=2, ls=style, zorder=4)[0] for style in STYLES]
        keys = [left.plot([-0.28, -0.13], [row - 0.28] * 2, lw=2, ls=style, zorder=4)[0]
                for row, style in zip(rows, STYLES, strict=True)]  # fmt: skip
        words(right, 0.005, 0.63, "quiet at 5%", ha="left", colour=KEPT)
        words(right, 0.005, 0.58, "crying wolf at 5%", ha="left", colour=MISS)
        found = left.scatter(range(5), range(5), s=130, zorder=4, ec="white")
        return {"lines": lines, "keys": keys, "stems": misses(left, lw=3.4), "found": found,
                "numbers": [number(left) for _ in nulls]}  # fmt: skip

    def update(artists, crowd="doubtful", share=0.2):
        pvalues = sims.race(crowd, share)
        rejected = (pvalues <= LEVEL + 1e-12).mean(axis=1)
        wolf = cries_wolf(rejected, n)
        colours = [MISS if each else KEPT for each in wolf]
        for line, key, values, colour in zip(artists["lines"], artists["keys"], pvalues, colours, strict=True):
            line.set_data(*steps(values))
            line.set_color(colour)
            key.set_color(colour)
        artists["stems"].set_segments([[(LEVEL, r), (value, r)] for r, value in zip(rows, rejected, strict=True)])
        artists["stems"].set_color(colours)
        artists["found"].set_offsets(np.column_stack([rejected, rows]))
        artists["found"].set_facecolor(colours)
        for each, row, value, colour in zip(artists["numbers"], rows, rejected, colours, strict=True):
            each.xy = max(value, LEVEL), row
            each.set(text=f"{value:.1%}", color=colour)
        count, said = wolf.sum(), ", ".join(f"{name} {v:.1%}" for name, v in zip(nulls, rejected, strict=True))
        tests = f"{COUNT[count]} test{'' if count == 1 else 's'} of five {'cries' if count == 1 else 'cry'} wolf".capitalize()
        return Finding(
            f"{tests}: {'up to ' if count > 1 else ''}{rejected.max():.0%} false alarms in {n} data sets" if count
            else f"{tests}: at most {rejected.max():.0%} false alarms in {n} data sets",
            f"every data set is calibrated; {share:.0%} of it is a {crowd} crowd: alike inputs, predicted {sims.CROWDS[crowd][0]:g}",
            f"Rejected at .05: {said}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.6), code=sims.race, crowd=list(sims.CROWDS), share=sims.RACE_SHARES,
                   labels={"share": "share of the crowd"})  # fmt: skip


def rows_headline(crossed, clean):
    """How often the test rejects, with both choices of rows."""
    low, high = by_chance(sims.ROWS_SETS)
    often = "too rarely" if crossed < low else "too often" if crossed > high else "as its level says"
    return f"All rows, cross-fitted: {crossed:.0%} rejected, {often}; a clean half: {clean:.0%}"


def which_rows():
    """p-values of the exact test on the truth, on cross-fitted rows, and on a half that nothing was fitted on."""
    edges, names = np.linspace(0, 1, 21), ("r itself, all rows", "cross-fitted, all rows", "a clean half")

    def setup(fig):
        low, high = by_chance(sims.ROWS_SETS)
        parts, columns = [], fig.add_gridspec(1, 3)
        for column, name in zip(columns, names, strict=True):
            axes = panel(fig, column, read_y=not parts, xlim=(0, 1), ylim=(0, 0.37), xlabel="p-value", title=name)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            if not parts:
                axes.set(ylabel="share of data sets")
                axes.set_yticks([0, 0.05, 0.15, 0.25], ["0", "5%", "15%", "25%"])
            chance(axes).set_verts([[(0, low), (1, low), (1, high), (0, high)]])
            reference(axes, [0, 1], [0.05, 0.05])
            bars = chance(axes, facecolor=[KEPT, *[to_rgba(KEPT, 0.45)] * 19], edgecolor="white", lw=0.6, zorder=2)
            parts.append({"bars": bars, "first": number(axes, offset=(-4, 12), ha="left", colour=KEPT)})
            aside = (
                None,
                "line: the same predictions,\nnew labels",
                "the map itself is a little off,\nand some tests see it",
            )
            if said := aside[len(parts) - 1]:
                words(axes, 0.98, 0.365, said, ha="right", va="top", size=11)
            if len(parts) == 2:
                again = axes.plot([], [], color=INK, lw=1.4, drawstyle="steps-post", zorder=4)[0]
        return {"parts": parts, "again": again}

    def update(artists, method="Platt", n=400):
        true, crossed, again, clean = sims.which_rows(method, n)
        for part, shares in zip(artists["parts"], (true, crossed, clean), strict=True):
            part["bars"].set_verts(bars_between(edges, np.zeros(20), shares))
            part["first"].xy = 0.025, max(shares[:6].max(), again[:6].max() if part is artists["parts"][1] else 0)
            part["first"].set_text(f"{shares[0]:.0%}")
        artists["parts"][1]["first"].set_text(f"{crossed[0]:.0%} (line: {again[0]:.0%})")
        artists["again"].set_data(edges, np.append(again, again[-1]))
        half = {name: each[10:].sum() for name, each in zip(names, (true, crossed, clean), strict=True)}
        return Finding(
            rows_headline(crossed[0], clean[0]),
            f"{sims.ROWS_SETS} data sets of {n} rows, {method}, an irrelevant feature; dark: p ≤ 0.05; grey: chance",
            f"Dark: true chances {true[0]:.1%}, cross-fitted {crossed[0]:.1%}, the same predictions with "
            f"new labels {again[0]:.1%}, a clean half {clean[0]:.1%}. p above ½: "
            f"{', '.join(f'{name} {share:.0%}' for name, share in half.items())}.",
        )  # fmt: skip

    return explore(setup, update, size=(9, 4), code=sims.which_rows, method=sims.ROWS_MAPS, n=sims.ROWS_N,
                   labels={"method": "map", "n": "rows, n"})  # fmt: skip
