"""How often a calibrated model looks as bad: road scenes, digits, label vectors; what may be redrawn; several looks."""

from functools import lru_cache

import numpy as np
from matplotlib.colors import to_rgba
from scipy import stats

from ...estimates.binning import bin_of, expected_calibration_error, reliability_curve, resampled_errors
from ...data.datasets import digits_cast
from ...plots import (CHANCE, CHANCE_BARS, FEW, INK, KEPT, MISS, MODELS, SOFT, Finding, bars_between, chance, estimate,
                      misses, model_marker, panel, reference, region, words)
from ...teach.explore import explore
from ...teach.hands import Hand
from ...teach.marks import Ghost, choice, number, tell
from ..shared.first_digits import CAST, first_digits
from ..shared.pvalues import (LEVEL, by_chance, chance_of_a_curve, colour_of, raises_false_alarms, rejections, square,
                              steps)
from ..shared.verdicts import capital, written
from . import simulations as sims

__all__ = ["by_counting", "collision", "is_that_bad", "redraw_what", "spoil_the_test"]


SCENES = 20
PROMISE = (0.8, 0.0, 0.2)
ANIMALS = round(SCENES * PROMISE[2])  # as promised
LEAST = 0.001  # an R that is written; half of it rounds to it


def against_chance(pvalue):
    """How an error stands among those of calibrated data sets, in words."""
    if pvalue <= 0.01:
        return "worse than chance can explain"
    return "chance seldom does that" if pvalue <= LEVEL else "chance does that as well"


def three_digits(pvalue):
    return f"= {pvalue:.3f}" if pvalue >= LEAST / 2 else f"< {LEAST}"


def big_number(axes, x, y, below, apart):
    """A verdict of 30 points, and in grey what it counts."""
    words(axes, x, y - apart, below, colour=SOFT, ha="right", va="top", linespacing=1.35)
    return words(axes, x, y, "", bold=True, size=30, ha="right", va="bottom")


def as_far_off(animals_seen, humans_seen):
    """How likely a calibrated detector's outcome is at least as far from the promise as the observed one."""
    animals = np.arange(SCENES + 1)
    mass = stats.binom.pmf(animals, SCENES, PROMISE[2])  # if it is calibrated; humans have probability 0
    outcomes = np.column_stack([SCENES - animals, 0 * animals, animals]) / SCENES
    shares = np.array([SCENES - animals_seen - humans_seen, humans_seen, animals_seen]) / SCENES
    distance, observed = ((PROMISE - outcomes) ** 2).sum(axis=1), ((PROMISE - shares) ** 2).sum()
    extreme = distance >= observed - 1e-12
    return mass, shares, observed, extreme, mass[extreme].sum()


def collision():
    """Twenty scenes predicted (80 %, 0 %, 20 %): which outcomes would a calibrated detector have given?"""
    mass = as_far_off(0, 0)[0]

    def setup(fig):
        axes = panel(fig, read_y=False, xlim=(-0.7, 13.7), ylim=(0, 0.27), x=[0, 4, 8, 12],
                     xlabel=f"animals among the {SCENES}, if it is calibrated")
        bars = chance(axes, facecolor=CHANCE_BARS, edgecolor="white", lw=0.5)
        bars.set_verts(bars_between(np.arange(-0.5, SCENES + 1), 0 * mass, mass))
        reference(axes, [ANIMALS, ANIMALS], [0, 0.235])
        words(axes, ANIMALS, 0.25, f"{ANIMALS} promised", colour=SOFT)
        verdict = big_number(axes, 13.6, 0.175, "of calibrated detectors\nare this far off or further", 0.006)
        return {"bars": bars, "mark": choice(axes), "verdict": verdict}

    def update(artists, animals_seen=7, humans_seen=0):
        _, _, observed, extreme, pvalue = as_far_off(animals_seen, humans_seen)
        artists["bars"].set_facecolor([MISS if tail else CHANCE_BARS for tail in extreme])
        artists["mark"].set_data([animals_seen], [0])
        artists["verdict"].set(
            text=f"{round(pvalue, 3):.1%}" if pvalue >= LEAST / 2 else f"< {LEAST:.1%}", color=colour_of(pvalue))
        return Finding(
            collision_headline(animals_seen, humans_seen, pvalue),
            f"{SCENES} scenes that all got the same forecast: {animals_seen} were animals, {humans_seen} humans; red: as far "
            "off or further", f"Squared distance from promise to outcome: {observed:.4f}.")

    return explore(setup, update, size=(9, 4.4), code=as_far_off, animals_seen=(0, 13, 1), humans_seen=(0, 3, 1),
                   labels={"animals_seen": "animals", "humans_seen": "humans"})


def collision_headline(animals, humans, pvalue):
    """A human where none was possible disproves the detector, whatever the distance says."""
    r = f"R {three_digits(pvalue)}"
    if humans:
        who = "A human at 0% disproves" if humans == 1 else f"{humans} humans at 0% disprove"
        return f"{who} it at once; the distance says {r}"
    if animals == ANIMALS:
        return f"{ANIMALS} animals, as promised: nothing could be closer"
    return f"{animals} animal{'s' * (animals != 1)}, not {ANIMALS}: {against_chance(pvalue)} ({r})"


NULL_SIZES = [100, 300, 1079]
REDRAWN = 1000
REDRAWS = [*range(10), *range(10, 100, 10), *range(100, REDRAWN + 1, 100)]  # that can be laid on the heap
FIRST, LAST = np.log10(0.0018), np.log10(0.42)  # of the heap's axis, in powers of ten
WIDE = (LAST - FIRST) / 60  # of a brick
TOP, LEVELLED, TALL = 1.12, 0.8, 12  # where redraws fall from; the height of the heap, of so many bricks at least


@lru_cache
def redrawn_errors(model, n):
    """A model's ECE, the ECEs when labels are drawn from its predictions, how many are as large, and the p-value."""
    predictions = digits_cast()[model]
    y, p = predictions.y_true[:n], predictions.y_prob[:n]
    observed = expected_calibration_error(y, p)
    drawn = resampled_errors(p, n_resamples=REDRAWN, rng=0)  # the predictions stay as they are
    above = int((drawn >= observed).sum())
    return observed, drawn, above, (above + 1) / (REDRAWN + 1)


@lru_cache
def redrawn_hits(model, n):
    """For each digit, whether the model is right: in each redraw of `redrawn_errors`, and last as observed."""
    hit, confidence = first_digits(model, n)
    order = np.argsort(confidence, kind="stable")  # as `resampled_errors` draws them
    drawn = np.empty((REDRAWN, n), dtype=bool)
    drawn[:, order] = np.random.default_rng(0).random((REDRAWN, n)) < confidence[order]
    return confidence, np.vstack([drawn, hit > 0])


@lru_cache
def cells_of(model, n):
    """The middle of the cell in which each redraw lands: the observed error is an edge, so that no cell is mixed."""
    observed, drawn, *_ = redrawn_errors(model, n)
    edge = np.log10(observed)
    return edge + (np.floor((np.log10(drawn) - edge) / WIDE) + 0.5) * WIDE


def bricks_of(x, redraws):
    """A brick for each redraw, (x, bottom) to (x, top): those that have fallen lie on one another, the others wait."""
    below = np.zeros(len(x))
    for cell in np.unique(x[:redraws]):
        here = np.flatnonzero(x[:redraws] == cell)
        below[here] = np.arange(len(here))
    tall = max(TALL, below.max() + 1)
    height, brick = LEVELLED / tall, 0.9 if tall < 4 * TALL else 1  # thin ones lie close
    fallen = np.arange(len(x)) < redraws
    low, high = np.where(fallen, below * height, TOP), np.where(fallen, (below + brick) * height, TOP)
    return np.stack([np.column_stack([x, low]), np.column_stack([x, high])], axis=1)


def coins_of(confidence, hit):
    """Each digit's dot: on the diagonal until its label is drawn, then in the strip of what it is."""
    spread = 0.618 * np.arange(len(confidence)) % 1
    y = confidence + 0.03 * (spread - 0.5) if hit is None else np.where(hit, 1.035, -0.1) + 0.045 * spread
    return np.column_stack([confidence, y])


def is_that_bad():
    """Labels redrawn from a model's predictions, the ECE of each redraw a brick on a heap, and the observed ECE last."""
    ticks = [0.003, 0.01, 0.03, 0.1, 0.3]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.5], wspace=0.06)
        coins = panel(fig, columns[0], xlim=(-0.03, 1.03), ylim=(-0.14, 1.2), x=[0, 0.5, 1], y=[0, 0.5, 1],
                      xlabel="how sure it says it is", ylabel="how often it is right")
        reference(coins, [0, 1], [0, 1])
        strips = [words(coins, 0, y, "", colour=SOFT, ha="left") for y in (1.15, -0.03)]
        grid = columns[1].subgridspec(2, 1, height_ratios=[1, 5.2], hspace=0.02)
        track = panel(fig, grid[0], read_y=False, xlim=(-0.8, len(REDRAWS) - 0.2), ylim=(-1, 1), base=False)
        track.tick_params(length=0, pad=-4)
        track.set_xticks([REDRAWS.index(r) for r in (0, 10, 100, REDRAWN)], ["0", "10", "100", f"{REDRAWN:,} redraws"])
        reference(track, [0, len(REDRAWS) - 1], [0, 0])
        heap = panel(fig, grid[1], read_y=False, xlim=(FIRST, LAST), ylim=(0, TOP),
                     xlabel="ECE of one data set (log scale)")
        heap.set_xticks(np.log10(ticks), list(map(str, ticks)))
        bricks, last, tail = (misses(heap, colors=colour) for colour in (CHANCE_BARS, SOFT, KEPT))
        return {
            "coins": coins.plot([], [], "o", ms=2.2, mew=0, color=SOFT)[0], "gaps": misses(coins, lw=6),
            "points": coins.scatter([], [], s=42, edgecolor="white", lw=0.8, zorder=4), "strips": strips,
            "ece": words(coins, 0, 0.93, "", colour=MISS, bold=True, size=13.5, ha="left"),
            "redraws": choice(track), "bricks": bricks, "last": last, "tail": tail, "mean": reference(heap),
            "drop": misses(heap, lw=1.4), "stem": misses(heap), "observed": estimate(heap, ms=11),
            **{name: words(heap, 0, 0, "", bold=True, size=13) for name in ("number", "lands", "verdict")}}

    def update(artists, model="neural network", n=1079, redraws=0):
        observed, drawn, above, pvalue = redrawn_errors(model, n)
        confidence, hits = redrawn_hits(model, n)
        end, (colour, marker, text) = redraws == REDRAWN, MODELS[model]
        hit = hits[-1] if end else hits[redraws - 1] if redraws else None
        error = observed if end else drawn[redraws - 1]
        artists["coins"].set_data(*coins_of(confidence, hit).T)
        curve = reliability_curve(hit if redraws else hits[-1], confidence)
        full = curve.count * (redraws > 0) > 0
        x, y = curve.confidence[full], curve.frequency[full]
        few = np.where(curve.count[full] < FEW, 0.35, 1)
        artists["gaps"].set(segments=[[(a, a), (a, b)] for a, b in zip(x, y, strict=True)],
                            colors=[to_rgba(MISS, each) for each in few])
        artists["points"].set(offsets=np.column_stack([x, y]), paths=[model_marker(model)], sizes=40 + 130 * curve.count[full] / n,
                              facecolor=[to_rgba(colour if end else SOFT, each) for each in few])
        for strip, name in zip(artists["strips"], ("right", "wrong"), strict=True):
            strip.set_text(name if redraws else "")
        artists["ece"].set_text(f"ECE {error:.3f}" if redraws else "")
        artists["redraws"].set_data([REDRAWS.index(redraws)], [0])

        bricks = bricks_of(cells_of(model, n), redraws)
        artists["bricks"].set_segments(bricks)
        artists["last"].set_segments(bricks[redraws - 1 : redraws] if redraws and not end else [])
        artists["tail"].set_segments(bricks[drawn >= observed] if end else [])
        axes = artists["bricks"].axes
        wide = 0.9 * axes.bbox.width / axes.figure.dpi * 72 * WIDE / (LAST - FIRST)
        for each in ("bricks", "last", "tail"):
            artists[each].set_linewidth(wide)
        place, mean, verdict = np.log10(observed), np.log10(drawn.mean()), colour_of(pvalue)
        artists["tail"].set_color(verdict)
        artists["mean"].set_data([mean, mean] if end else [], [0, LEVELLED + 0.03] if end else [])
        artists["drop"].set(segments=[[(place, 0), (place, 1.06)]] if end else [], color=colour)
        artists["stem"].set_segments([[(mean, 0.04), (place, 0.04)]] if end and verdict == MISS else [])
        artists["observed"].set(data=([place], [0.04 if end else TOP]), visible=end, color=colour, marker=marker)
        artists["number"].set(text=f"{error:.3f}" if redraws and not end else "",
                              position=bricks[redraws - 1, 1] + (0, 0.05))
        side = 1 if place < (FIRST + LAST) / 2 else -1
        for name, height, says, look in (("lands", 1.03, f"observed {observed:.3f}", text),
                                         ("verdict", 0.93, f"{above} of {REDRAWN:,} are as large", verdict)):
            artists[name].set(position=(place + 0.025 * side, height), text=says if end else "", color=look,
                              ha="left" if side > 0 else "right")
        if not redraws:
            return Finding(f"{capital(model)}: {n:,} digits, each a coin, right as often as it says",
                           "each dot is a digit at its confidence; no label is drawn yet")
        if not end:
            return Finding(
                chance_headline(drawn[:redraws]),
                f"{capital(model)}, {n:,} digits, labels redrawn from its predictions; last brick: redraw {redraws}, ECE {error:.3f}")
        return Finding(
            f"{capital(model)}: ECE {observed:.3f}, {against_chance(pvalue)}",
            f"left: {n:,} digits as they were; grey: labels redrawn {REDRAWN:,} times from its predictions; dashes: their mean",
            f"With redrawn labels it averages {drawn.mean():.3f}; sets of them that reach the observed one: {above}.")

    return explore(setup, update, size=(9, 4.8), code=redrawn_errors, model=list(CAST), n=NULL_SIZES,
                   redraws=[(f"{each:,}", each) for each in REDRAWS], labels={"n": "digits"},
                   hand=Hand("is_that_bad", __file__, redraws_in_hand, 1.5), stored={"redraws": REDRAWN})


def chance_headline(drawn):
    """What calibrated labels have shown so far."""
    if len(drawn) == 1:
        return f"One redraw: calibrated labels give an ECE of {drawn[0]:.3f}"
    return f"{len(drawn)} redraws: calibrated labels give ECEs from {drawn.min():.3f} to {drawn.max():.3f}"


def redraws_in_hand():
    """Of each model and number of digits: confidences, bins, cells of all redraws, and the hits of those that are shown."""
    sets = {}
    for model in CAST:
        for n in NULL_SIZES:
            observed, drawn, above, pvalue = redrawn_errors(model, n)
            confidence, hits = redrawn_hits(model, n)
            shown = [
                {"hits": _hex(hits[-1 if r == REDRAWN else r - 1]), "says": chance_headline(drawn[:r]), "ece": drawn[r - 1]}
                for r in REDRAWS[1:]]
            sets[f"{model} {n}"] = {
                "confidence": confidence.round(5).tolist(), "cells": cells_of(model, n).round(5).tolist(), "shown": shown,
                "bins": "".join(f"{k:x}" for k in bin_of(confidence, np.arange(16) / 15)), "observed": observed, "above": above,
                "mean": drawn.mean(), "tail": np.flatnonzero(drawn >= observed).tolist(), "alarm": pvalue <= LEVEL,
                "verdict": against_chance(pvalue)}
    return {"sets": sets, "redraws": REDRAWS, "first": FIRST, "last": LAST, "wide": WIDE, "top": TOP, "levelled": LEVELLED,
            "tall": TALL}


def _hex(hits):
    """Bits, four a letter, the first the lowest."""
    fours = np.pad(hits, (0, -len(hits) % 4)).reshape(-1, 4) @ [1, 2, 4, 8]
    return "".join(f"{each:x}" for each in fours)


def redraw_what():
    """Two ways to draw calibrated data sets, and the ECE in cells: how often each rejects calibrated models."""

    def setup(fig):
        axes = square(fig, xlabel="level α", ylabel="share of calibrated models rejected")
        axes.set_title(" ")  # room for a name above a curve that is 1
        chance(axes).set_verts([chance_of_a_curve(sims.REDRAW_SETS)])
        words(axes, 0.97, 0.05, f"grey: chance, {sims.REDRAW_SETS} data sets", colour=SOFT, ha="right")
        reference(axes, [LEVEL, LEVEL], [0, 1])
        lines = [estimate(axes, line=True, drawstyle="steps-post") for _ in range(2)]
        labels = [number(axes, offset=o, size=12, ha="right") for o in ((-6, 12), (0, 0))]
        return {"lines": lines, "ghost": Ghost(lines[0]), "labels": labels, "dots": [estimate(axes) for _ in range(2)]}

    def update(artists, n=100, cells=10):
        pvalues = sims.redrawn(n, cells)
        share = rejections(pvalues, LEVEL).mean(axis=1)
        wolf = [raises_false_alarms(*steps(values), sims.REDRAW_SETS) for values in pvalues]
        places = (0.55, (pvalues[0] <= 0.55).mean()), (0.97, 0.15)  # the second below all that chance does
        for k, name in enumerate(("pairs", "labels")):
            line, dot, label = (artists[each][k] for each in ("lines", "dots", "labels"))
            line.set_data(*steps(pvalues[k]))
            dot.set_data([LEVEL], [share[k]])
            tell(label, places[k], f"{name} redrawn")
            for each in (line, dot, label):
                each.set_color(MISS if wolf[k] else KEPT)
        return Finding(
            redraw_headline(wolf, share),
            f"{pvalues.shape[1]} calibrated models, five classes, n = {n}; ECE in cells, {cells} pieces of each probability",
            f"The dots stand at level {LEVEL:.0%}.")

    return explore(setup, update, size=(9, 4.8), code=(sims.redrawn, rejections), n=sims.REDRAW_SIZES,
                   cells=sims.REDRAW_CELLS, labels={"cells": "pieces of each probability"})


def redraw_headline(wolf, share):
    """Which recipe's curve leaves what chance explains."""
    both = f"{share[0]:.0%} false alarms, labels {share[1]:.0%}"
    if wolf[0] and wolf[1]:
        return f"Both recipes raise too many: pairs {both}"
    if wolf[0] and share[0] <= by_chance(sims.REDRAW_SETS)[1]:
        return f"Redrawing pairs raises too many false alarms, if not yet at level {LEVEL:.0%}"
    return f"Redrawing pairs: {both}" if wolf[0] else f"With so few cells neither stands out: pairs {both}"


def by_counting():
    """Three predictions, all 27 label vectors: how large a statistic is if they are calibrated, and how often R is small."""
    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.6, 1], wspace=0.08)
        left = panel(fig, columns[0], xlim=(-0.8, 26.8), ylim=(0, 0.21), x=[], y=[0, 0.1, 0.2], ylabel="probability if calibrated")
        left.set_xlabel(f"all {len(sims.THREE[0]) ** len(sims.THREE)} label vectors, in the order of the statistic",
                        labelpad=11)
        bars = chance(left, facecolor=CHANCE_BARS, edgecolor="white", lw=0.5)
        verdict = big_number(left, 26.5, 0.16, "at least as large", 0.004)
        right = square(fig, columns[1], xlabel="level α", ylabel="how likely R ≤ α is")
        region(right, 0.29, 0.88, "too many\nfalse alarms")
        reach = estimate(right, line=True, drawstyle="steps-post")
        return {"bars": bars, "mark": choice(left), "verdict": verdict, "steps": reach, "ghost": Ghost(reach),
                "dot": choice(right), "pvalue": number(right, colour=INK, offset=(12, -12))}

    def update(artists, statistic="class-wise ECE", observed=20):
        labels, mass, values = sims.every_label_vector(sims.STATISTICS[statistic])
        pvalue = sims.exact_pvalues(mass, values)
        here = observed - 1
        tail = values >= values[here] - 1e-12
        artists["bars"].set(verts=bars_between(np.arange(-0.5, 27), 0 * mass, mass),
                            facecolor=[MISS if each else CHANCE_BARS for each in tail])
        artists["mark"].set_data([int(np.argmax(tail))], [0])  # the first that ties with the observed one
        artists["verdict"].set(text=f"{round(pvalue[here], 3):.1%}", color=MISS)
        levels, reached = sims.chance_of_pvalues(mass, pvalue)
        artists["steps"].set_data(np.concatenate([[0], levels, [1]]), np.concatenate([[0], reached, [1]]))
        artists["dot"].set_data([pvalue[here]], [pvalue[here]])
        low = pvalue[here] < 0.6
        tell(artists["pvalue"], (pvalue[here], pvalue[here]), f"{pvalue[here]:.3f}",
             ha="left" if low else "right", position=(12, -12) if low else (-12, 14))
        seen, many = ", ".join(map(str, labels[here])), int(tail.sum())
        return Finding(
            f"{many} of {len(mass)} label vectors {'are' if many > 1 else 'is'} as bad: R {three_digits(pvalue[here])}",
            f"observed labels {seen}, {statistic} {written(values[here])}; R: the red probabilities together")

    code = sims.class_wise_ece, sims.every_label_vector, sims.exact_pvalues, sims.chance_of_pvalues
    return explore(setup, update, size=(9, 4.6), code=code, statistic=list(sims.STATISTICS), observed=(1, 27, 1),
                   labels={"observed": "observed vector, by rank"})


SHOWN = 100  # paths


def spoil_the_test():
    """Choose how often you look and when you reject: which share of calibrated data sets is rejected?"""
    pvalues, n = sims.at_each_look(), sims.STEP * np.arange(1, sims.LOOKS + 1)
    low, high = by_chance(sims.SETS)

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        left = panel(fig, columns[0], xlim=(60, 1040), ylim=(0.0042, 1.2), xlabel="data so far, n", ylabel="R",
                     yscale="log", x=[100, 400, 700, 1000], y=[0.005, 0.02, 0.05, 0.2, 1])
        left.set_title(f"the first {SHOWN} data sets, each up to its false alarm", color=SOFT)
        right = panel(fig, columns[1], xlim=(0.4, sims.LOOKS + 0.6), ylim=(0, 0.3), x=[1, 4, 7, 10],
                      xlabel="how often you look")
        right.set_yticks([0, sims.LEVEL, 0.1, 0.2, 0.3], ["0", f"{sims.LEVEL:.0%}", "10%", "20%", "30%"])
        right.set_title(f"share rejected, of {sims.SETS}", color=SOFT)
        right.axhspan(low, high, color=CHANCE, lw=0, zorder=0)
        reference(right, [0.4, sims.LOOKS + 0.6], [sims.LEVEL] * 2)
        words(right, sims.LOOKS + 0.5, 0.008, "grey: chance", colour=SOFT, ha="right", va="bottom")
        return {"limit": reference(left), "kept": misses(left, colors=CHANCE_BARS, lw=0.8, zorder=2),
                "red": misses(left, lw=1.4, zorder=2), "at": left.scatter([], [], s=9, color=CHANCE_BARS),
                "ends": left.scatter([], [], s=60, color=MISS, edgecolor="white", zorder=5), "stems": misses(right),
                "dots": right.scatter([], [], s=95, edgecolor="white", zorder=5), "here": choice(right),
                "share": number(right, ha="right", offset=(4, 12))}

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
        artists["dots"].set(offsets=np.column_stack([at, shares]), facecolor=colours)
        artists["stems"].set_segments([[(x, sims.LEVEL), (x, y)] for x, y in zip(at, shares, strict=True) if y > high])
        share = shares[looks - 1]
        artists["here"].set_data([looks], [share])
        tell(artists["share"], (looks, max(share, high)),
             f"{share:.1%}", color=colours[looks - 1], ha="right" if looks > 2 else "left")
        until = f"n = {n[0]}" if looks == 1 else f"n = {n[0]}, " + "…, " * (looks > 2) + f"{n[looks - 1]:,}"
        return Finding(
            looks_headline(looks, share, low, high),
            f"{sims.SETS} calibrated data sets, three classes; ECE in cells; {until}, up to the first R ≤ {limit:g}",
            f"R is from {sims.DRAWS} redrawn sets of labels, so never below {1 / (sims.DRAWS + 1):g}. A test that holds its level rejects "
            f"between {low:.1%} and {high:.1%} of so many data sets.")

    return explore(setup, update, size=(9, 4.6), looks=(1, sims.LOOKS, 1), limit=[0.05, 0.02, 0.01, 0.005],
                   labels={"looks": "how often you look", "limit": "reject at a look if R is at most"},
                   code=(sims.at_each_look, sims.rejected_so_far))


def looks_headline(looks, share, low, high):
    """Whether more calibrated data sets are rejected than chance explains, or fewer."""
    often = "One look" if looks == 1 else f"{looks} looks"
    if share > high:
        return f"{often}: false alarms in {share:.0%} of calibrated models, not in {sims.LEVEL:.0%}"
    if share < low:
        return f"{often}: false alarms in fewer than {sims.LEVEL:.0%} of calibrated models"
    return f"{often}: false alarms in {sims.LEVEL:.0%} of calibrated models, up to chance"
