"""Six bets, smooth bets, the best of them against waves and on real confidences, and the witness on the triangle."""

from functools import lru_cache

import numpy as np
from matplotlib.patches import Rectangle

from ...data.datasets import digits_cast, hole_predictions
from ...data.worlds import wave_world
from ...errors.kce import kce_witness
from ...kernels import laplacian, median_bandwidth, rbf
from ...plots import (CHANCE_BARS, GREY, INK, KEPT, MISS, MODELS, SMALL, SOFT, Finding, chance, estimate, misses, panel,
                      reference, region, words)
from ...door.predictions import top_label
from ...chance.resampling import draw_labels
from ...teach.explore import explore
from ...teach.hands import Hand
from ...teach.marks import choice, number, tell, truth
from ..shared.first_digits import CAST
from ..shared.histograms import heap
from ..shared.pvalues import LEVEL, colour_of
from ..shared.triangle import Simplex, to_plane
from ..shared.verdicts import capital
from .exercises import check

__all__ = ["best_smooth_bet", "place_bets", "supremum", "three_bumps", "witness"]


SAID = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)  # six probabilities, said equally often
MISSED_BY = (-0.08, -0.12, 0.05, 0.15, 0.08, -0.08)  # p − r: kept from the player; their mean is 0
BAND = 0.15  # bandwidth of the Gaussian kernel by which a smooth bet follows its neighbours
EXACT = 1e-12  # rounding
START = 1.0  # the state that the guess before it asks about


def earned(bets, p, r):
    """Mean payoff of bets from −1 to 1 on equally likely predictions p with frequencies r, and the best there is."""
    miss = (p - r) / len(p)
    return miss @ bets, np.abs(miss).sum()


def smoothed(bets, p):
    """Each bet as the kernel-weighted mean of all: it goes where its neighbours are pulled."""
    k = rbf(bandwidth=BAND)(np.reshape(p, (-1, 1)))
    return k / k.sum(axis=1, keepdims=True) @ bets


def best_bets(p, r):
    """The bets that earn most: the signs of the misses."""
    return np.sign(p - r)


def how_far(payoff, best, bets):
    """The finding of the game; bets that are all the same are named as such."""
    if not np.any(bets):
        return f"No bet is placed. The best bets earn {best:.3f}"
    if np.ptp(bets) < EXACT:
        return f"The same bet everywhere earns {payoff:.3f}, the best six {best:.3f}"
    if payoff > best * (1 - EXACT):
        return f"You earn {payoff:.3f}: nothing better is allowed"
    if payoff < 0:
        return f"Your bets lose {-payoff:.3f}, the best earn {best:.3f}"
    return f"Your bets earn {payoff:.3f}: {payoff / best:.0%} of the best"


def place_bets():
    """Six bets of the reader, from −1 to 1, against the supremum."""
    p = np.array(SAID)
    r = p - MISSED_BY

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        axes = panel(fig, grid[0], xlim=(0, 1), ylim=(-1.3, 1.3), x=SAID, xlabel="probability said", ylabel="bet")
        axes.set_yticks([-1, 0, 1], ["−1", "0", "+1"])
        reference(axes, [0, 1], [0, 0])
        region(axes, 0.99, 1.22, "“p is too high”", ha="right")
        region(axes, 0.99, -1.22, "“p is too low”", ha="right")
        (best,) = axes.plot([], [], "_", color=INK, ms=26, mew=3, zorder=9)
        side = panel(fig, grid[1], xlim=(-0.11, 0.16), ylim=(1.6, -0.6), x=[-0.1, 0, 0.1], xlabel="mean payoff")
        side.set_yticks([0, 1], ["you", "best"])
        side.tick_params(axis="y", length=0)
        side.spines["left"].set_visible(False)
        reference(side, [0, 0], [-0.5, 1.5])
        bars = side.barh([0, 1], [0, 0], height=0.45, color=[KEPT, "none"], edgecolor=["none", INK], lw=1.6, zorder=3)
        return {"stems": misses(axes, colors=GREY, lw=1.6), "best": best, "dots": choice(axes), "bars": bars,
                "numbers": [number(side, offset=(6, 0), colour=INK) for _ in range(2)]}

    def update(artists, bet_1=START, bet_2=START, bet_3=START, bet_4=START, bet_5=START, bet_6=START,
               smooth=False, show_the_best=False):
        pulled, found = np.array([bet_1, bet_2, bet_3, bet_4, bet_5, bet_6]), best_bets(p, r)
        bets = smoothed(pulled, p) if smooth else pulled
        payoff, best = earned(bets, p, r)
        payoff = payoff if abs(payoff) > EXACT else 0.0  # rounding has no sign
        artists["stems"].set_segments([[(x, 0), (x, b)] for x, b in zip(p, bets, strict=True)])
        artists["dots"].set_data(p, bets)
        artists["best"].set_data(p if show_the_best else [], found if show_the_best else [])
        for y, (bar, each, x) in enumerate(zip(artists["bars"], artists["numbers"], (payoff, best), strict=True)):
            bar.set_width(x)
            tell(each, (max(x, 0), y), f"{x:.3f}".replace("-", "−"))
        artists["bars"][0].set_facecolor(MISS if payoff < 0 else KEPT)
        listed = ", ".join(f"{each:+.1f}" for each in bets).replace("-", "−")
        return Finding(how_far(payoff, best, bets), "yellow: your bets where the model says .1, .25, … .9"
                       + (", neighbours follow" if smooth else "")
                       + ("; dashes: the best" if show_the_best else ""), f"Your bets: {listed}.")

    return explore(
        setup, update, size=(9, 4.2), code=(earned, smoothed, best_bets),
        **{f"bet_{a + 1}": (-1.0, 1.0, 0.1) for a in range(len(SAID))}, smooth=False, show_the_best=False,
        labels={f"bet_{a + 1}": f"bet where it says {x:g}" for a, x in enumerate(SAID)} | {"smooth": "neighbours follow"},
        hand=Hand("place_bets", __file__, lambda: {
            "said": p.tolist(), "happens": r.tolist(), "weights": smoothed(np.eye(len(p)), p).tolist()}))


CENTRES = (0.2, 0.5, 0.8)
PLACES = [f"{x:g}".removeprefix("0") for x in CENTRES]
TOUCH = 0.05  # a similarity below which two bumps hardly meet
WIDTHS = [0.02, 0.05, 0.1, 0.2, 0.3]  # of three bumps: no sum leaves the picture


def sum_of_bumps(p, centres, weights, bandwidth):
    """b(p) = Σ_a β_a k(p, p_a) at every p, for the Gaussian kernel."""
    k = rbf(bandwidth=bandwidth)
    return k(np.reshape(p, (-1, 1)), np.reshape(centres, (-1, 1))) @ weights


def matrix_and_length(centres, weights, bandwidth):
    """The matrix K of similarities of the centres, and ‖b‖² = Σ_a Σ_c β_a k(p_a, p_c) β_c."""
    K = rbf(bandwidth=bandwidth)(np.reshape(centres, (-1, 1)))
    return K, weights @ K @ weights


def what_bumps_do(K, weights):
    """The finding of three bumps: whether they meet, and whether they add or cancel."""
    alone, squared = (weights**2).sum(), weights @ K @ weights
    live = weights != 0
    K, some = K[np.ix_(live, live)], live.sum() > 1
    if some and np.abs(K - np.diag(np.diag(K))).max() < TOUCH:
        return f"Bumps that hardly meet: ‖b‖² = {squared:.2f}, about the sum of β²"
    if squared > alone + 0.005:
        return f"Bumps that meet add up: ‖b‖² = {squared:.2f}, the sum of β² is {alone:.2f}"
    if squared < alone - 0.005:
        return f"Bumps that meet cancel: ‖b‖² = {squared:.2f}, the sum of β² is {alone:.2f}"
    return f"‖b‖² = {squared:.2f}, as the sum of β²"


def three_bumps():
    """A bet as a sum of three bumps, and its length from the similarities of their centres."""
    at = np.linspace(0, 1, 201)

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(fig, grid[0], xlim=(0, 1.17), ylim=(-2.35, 2.35), x=[0, *CENTRES, 1],
                     y=[-2, -1, 0, 1, 2], ylabel="b(p)", base=(0, 1))
        axes.set_xlabel("prediction p", x=0.5 / 1.17)
        reference(axes, [0, 1], [0, 0])
        bumps = [axes.plot([], [], color=GREY, lw=1.4)[0] for _ in CENTRES]
        names = [words(axes, 1.02, 0, name, ha="left", colour=colour, bold=True)
                 for name, colour in (("b", INK), ("b/‖b‖", KEPT))]
        side = panel(fig, grid[1], read_y=False, xlim=(-1, 2.55), ylim=(3.5, -1.3), xticks=[], base=False)
        words(side, 1, -1.05, r"nine terms $\beta_a\, k(p_a, p_c)\, \beta_c$ (dashed: negative)", colour=SOFT)
        for a, x in enumerate(CENTRES):
            words(side, a, -0.55, f"{x:g}", colour=SOFT, size=SMALL)
            words(side, -0.75, a + 0.2, f"{x:g}", colour=SOFT, size=SMALL)
        squares = [side.add_patch(Rectangle((c - 0.46, a - 0.26), 0.92, 0.92, edgecolor=INK))
                   for a in range(3) for c in range(3)]
        terms = [words(side, c, a + 0.06, "", bold=True) for a in range(3) for c in range(3)]
        similar = [words(side, c, a + 0.42, "", size=SMALL, colour=SOFT) for a in range(3) for c in range(3)]
        return {"bumps": bumps, "stems": misses(axes, colors=GREY, lw=1.4), "whole": truth(axes, lw=2.6, zorder=4),
                "unit": estimate(axes, line=True, zorder=3, clip_on=True), "names": names, "dots": choice(axes),
                "squares": squares, "terms": terms, "similar": similar, "length": words(side, 1, 3.15, "", bold=True)}

    def update(artists, bandwidth=0.2, beta_1=1.0, beta_2=0.8, beta_3=-0.5):
        weights = np.array([beta_1, beta_2, beta_3])
        K, squared = matrix_and_length(CENTRES, weights, bandwidth)
        b = sum_of_bumps(at, CENTRES, weights, bandwidth)
        for line, x, beta in zip(artists["bumps"], CENTRES, weights, strict=True):
            line.set_data(at, sum_of_bumps(at, [x], [beta], bandwidth))
        artists["whole"].set_data(at, b)
        some = squared > 1e-12
        short = b / np.sqrt(squared) if some else 0 * b
        artists["unit"].set_data(at if some else [], short if some else [])
        artists["stems"].set_segments([[(x, 0), (x, beta)] for x, beta in zip(CENTRES, weights, strict=True)])
        artists["dots"].set_data(CENTRES, weights)
        middle, apart = (b[-1] + short[-1]) / 2, max(abs(b[-1] - short[-1]), 0.36) / 2
        up = 1 if b[-1] >= short[-1] else -1
        for each, y in zip(artists["names"], (middle + up * apart, middle - up * apart), strict=True):
            each.set_y(y)
        artists["names"][1].set_visible(some)
        terms = weights[:, None] * K * weights
        each_cell = zip(artists["squares"], artists["terms"], artists["similar"], terms.ravel(), K.ravel(), strict=True)
        for square, large, small, term, k in each_cell:
            square.set(facecolor=str(0.94 - 0.06 * term) if term > 0.005 else "1",
                       linestyle="--" if term < -0.005 else "-", linewidth=1.4 * (term < -0.005))
            large.set_text(f"{term:.2f}".replace("-0.00", "0.00").replace("-", "−"))
            small.set_text(f"k = {k:.2f}")
        artists["length"].set_text(f"their sum: ‖b‖² = {squared:.2f}")
        listed = ", ".join(f"{each:+.1f}" for each in weights).replace("-", "−")
        return Finding(
            what_bumps_do(K, weights),
            f"yellow: weights β = ({listed}) at {', '.join(PLACES)}; thick: sum of the bumps; blue: of length 1; γ = {bandwidth:g}")

    return explore(
        setup, update, size=(9, 4.4), code=(sum_of_bumps, matrix_and_length), bandwidth=WIDTHS,
        beta_1=(-1.0, 1.0, 0.1), beta_2=(-1.0, 1.0, 0.1), beta_3=(-1.0, 1.0, 0.1), labels={"bandwidth": "bandwidth γ"}
        | {f"beta_{a}": f"weight β{index} (at {x})" for a, (index, x) in enumerate(zip("₁₂₃", PLACES, strict=True), 1)},
        kept={"beta_1": (-1.0, -0.5, 0.0, 0.5, 1.0), "beta_2": (-1.0, -0.5, 0.0, 0.5, 0.8, 1.0), "beta_3": (-1.0, -0.5, 0.0, 0.5, 1.0)})


def best_bet(kernel, confidence, hit, bandwidth, at):
    """The best bet of length 1 on these predictions, b = s/‖s‖ with s the mean of (c − hit) × bump, and its payoff."""
    miss = (confidence - hit) / len(hit)
    squared = miss @ kernel(confidence, confidence, bandwidth) @ miss
    payoff = np.sqrt(squared) if squared > 0 else np.nan
    return kernel(at, confidence, bandwidth) @ miss / payoff, payoff


def does_it_pay(miss, chosen, other):
    """The finding of a bet of bumps on some digits, with their misses as weights, which is tried on others."""
    digits = len(miss)
    if not np.isfinite(chosen):
        return "No length: such a matrix belongs to no kernel" if np.any(miss) else "No miss yet, so no bump"
    of = "1 bump earns {:.3f} on its digit" if digits == 1 else f"{digits} bumps earn {{:.3f}} on their digits"
    return of.format(chosen) + (f", lose {-other:.3f}" if other <= 0 else f", {other:.3f}") + " on the others"


DIGITS = [1, 2, 3, 5, 10, 30, 100, 540]  # the last: one half of all
FEW_BUMPS = 10  # are drawn one by one


def best_smooth_bet(kernel=None):
    """The best smooth bet on the confidence of a real model, bump by bump, from the reader's kernel or the reference."""
    kernel = check.kernel_matrix.use(kernel)
    grid = np.linspace(0.1, 1, 91)
    cast = {name: top_label(each.y_true, each.y_prob) for name, each in digits_cast().items()}
    here, there = slice(0, None, 2), slice(1, None, 2)  # the rows are in random order

    def setup(fig):
        axes = panel(fig, xlim=(0.1, 1.0), ylim=(-1.1, 1.1), x=[0.1, 0.5, 1], xlabel="confidence c", ylabel="bet b(c)")
        axes.set_yticks([-1, 0, 1], ["−1", "0", "+1"])
        reference(axes, [0.1, 1], [0, 0])
        region(axes, 0.11, 1.0, "bets that c is too high", ha="left")
        region(axes, 0.11, -1.0, "bets that c is too low", ha="left")
        region(axes, 0.11, 0.14, "ticks: digits with a bump", ha="left")
        return {"line": estimate(axes, line=True), "bumps": misses(axes, colors=GREY, lw=1.4),
                "strip": estimate(axes, marker="|", ms=10, mec="#BBBBBB", zorder=1, clip_on=True),
                "number": number(axes, ha="right", colour=INK)}

    def update(artists, digits=1, model="random forest", bandwidth=0.1):
        hit, confidence = cast[model]
        c, happened = confidence[here][:digits], hit[here][:digits]
        bet, chosen = best_bet(kernel, c, happened, bandwidth, np.concatenate([grid, confidence[there]]))
        bet, other = bet[: len(grid)], (bet[len(grid) :] * (confidence - hit)[there]).mean()
        artists["line"].set(data=(grid, bet), color=MODELS[model][0])
        bumps = kernel(grid, c, bandwidth) * (c - happened) / digits / chosen if digits <= FEW_BUMPS else np.empty((0, 0))
        artists["bumps"].set_segments([np.column_stack([grid, bump]) for bump in bumps.T])
        seen = np.unique(c.round(3))
        artists["strip"].set_data(seen, np.zeros(len(seen)))
        tell(artists["number"], (0.98, 0.82 if bet[-1] < 0 else -0.82),
             f"on the others {other:+.3f}".replace("-", "−"), color=KEPT if other > 0 else MISS)
        return Finding(does_it_pay(c - happened, chosen, other),
                       f"{model}, γ = {bandwidth:g}; thick: their sum, of length 1; {kernel.by}")

    return explore(setup, update, size=(9, 4.2), code=best_bet, digits=DIGITS, model=list(cast),
                   bandwidth=[0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0],
                   labels={"digits": "digits with a bump", "bandwidth": "bandwidth γ"}, stored={"digits": DIGITS[-1]},
                   kept={"digits": [1, 3, 10, 100, 540], "bandwidth": [0.02, 0.1, 0.5]})


BANDWIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
HEIGHT = 0.15  # of the waves
BET = 0.2  # a bet of 1 is drawn as high as a miss of this size


@lru_cache
def kernel_matrix(bandwidth):
    """The Gaussian kernel between 400 equally likely predictions."""
    p = (np.arange(400) + 0.5) / 400
    return rbf(bandwidth=bandwidth)(p[:, None])


def best_function(bandwidth, waves):
    """The bet of the unit ball that earns most, and what it earns: (predictions, miss, bet, E[miss × bet])."""
    p = (np.arange(400) + 0.5) / 400
    miss = p - wave_world(waves, HEIGHT).curve(p)  # said − happened
    bet = kernel_matrix(bandwidth) @ miss / 400  # at q the best bet is E[k(q, p) miss], divided by its length
    bet /= np.sqrt((miss * bet).mean())
    return p, miss, bet, float((miss * bet).mean())


def supremum():
    """The bet of a unit ball that earns most against a model, and what it earns: the calibration error."""
    places = np.log10(BANDWIDTHS)
    earnings = lru_cache(lambda waves: [best_function(bandwidth, waves)[3] for bandwidth in BANDWIDTHS])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.75, 1])
        left = panel(fig, columns[0], xlim=(0, 1), ylim=(-0.245, 0.245), x=[0, 0.5, 1], y=[-0.1, 0, 0.1],
                     xlabel="prediction p", ylabel="miss, and miss × b")
        scale = left.secondary_yaxis("right", functions=(lambda y: y / BET, lambda b: b * BET))
        scale.set_yticks([-1, 0, 1], ["−1", "0", "1"])
        scale.tick_params(colors=KEPT, length=0)
        scale.spines["right"].set_visible(False)
        scale.set_ylabel("b", color=KEPT, rotation=0)
        reference(left, [0, 1], [0, 0])
        words(left, 0.01, -0.225, "red: miss × b; its mean is what b earns", ha="left", colour=MISS)
        names = [words(left, 0, 0, each, bold=True, colour=c) for each, c in (("miss", INK), ("best bet b", KEPT))]
        right = panel(fig, columns[1], xlim=(places[0] - 0.55, places[-1] + 0.5), ylim=(0, 0.068), y=[0, 0.02, 0.04, 0.06],
                      xlabel="bandwidth", ylabel="earns")
        right.set_xticks(places[[0, 2, 4, 6]], ["0.02", "0.1", "0.5", "2"])
        return {"function": estimate(left, line=True), "names": names, "gap": truth(left),
                "payoff": chance(left, facecolor=MISS, alpha=0.35, zorder=2), "earns": number(right, colour=MISS),
                "rings": estimate(right, mfc="white", mec=GREY, ms=8), "here": choice(right)}

    def update(artists, bandwidth=0.5, waves=4):
        (grid, gap, f, earned), every = best_function(bandwidth, waves), earnings(waves)
        artists["function"].set_data(grid, BET * f)
        artists["gap"].set_data(grid, gap)
        half = len(grid) // 2
        for name, curve, side in zip(artists["names"], (gap, BET * f), (slice(half), slice(half, None)), strict=True):
            x, y = max(zip(grid[side], curve[side], strict=True), key=lambda dot: abs(dot[1]))  # where it is furthest out
            name.set_position((np.clip(x, 0.12, 0.88), np.copysign(max(abs(y), 0.16) + 0.022, y)))
        outline = np.column_stack([np.concatenate([[0], grid, [1]]), np.concatenate([[0], gap * f, [0]])])
        artists["payoff"].set_verts([outline])
        place = places[BANDWIDTHS.index(bandwidth)]
        artists["rings"].set_data(places, every)
        artists["here"].set_data([place], [earned])
        tell(artists["earns"], (place, earned), f"{earned:.4f}", ha="center", position=(0, 17))
        said = f"{waves} wave{'s' if waves > 1 else ''}"
        cut = ", cut at 0 and 1" if np.isin(grid - gap, (0, 1)).any() else ""  # no frequency is beyond
        top = BANDWIDTHS[int(np.argmax(every))]
        beside = ": none of the others earns more" if bandwidth == top else f"; {top:g} would earn {max(every):.4f}"
        return Finding(
            f"Bandwidth {bandwidth:g} earns {earned:.4f}{beside}",
            f"the miss: {said} of height {HEIGHT:g}{cut}; b: from a Gaussian kernel's unit ball, bandwidth {bandwidth:g}")

    return explore(setup, update, size=(9, 4.4), code=(kernel_matrix, best_function),
                   waves=(1, 6, 1), bandwidth=BANDWIDTHS)


SHOWN = 400
SCALES = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0]
HOLES = ("no hole", "one hole", "two holes")
DRAWS = 99
ERRORS = np.linspace(0, 0.172, 44)  # edges of the bars; no error of these data is larger
SHORT = 0.25  # below, the longest arrow stands at single data, and near no corner


@lru_cache
def hole_data(model):
    """Labels and predictions of 400 digits, and the median distance between two of them."""
    predictions = hole_predictions(model, noise=0.35)
    y, p = predictions.y_true[:SHOWN], predictions.y_prob[:SHOWN]
    return y, p, median_bandwidth(p)


@lru_cache
def exposed(model, bandwidth, sides=12):
    """On a grid of predictions the witness, from said to happens; the KCE of the labels, and of redrawn ones."""
    y, p, median = hole_data(model)
    k = laplacian(bandwidth * median)
    grid = np.array([[i, j, sides - i - j] for i in range(1, sides) for j in range(1, sides - i)]) / sides
    miss = p[:, None] - np.eye(3)[draw_labels(p, DRAWS, rng=0, observed=y)]  # rows, label sets, classes
    squared = np.einsum("ibd,ibd->b", np.tensordot(k(p), miss, 1), miss) / len(p) ** 2
    errors = np.sqrt(np.maximum(squared, 0))
    return grid, kce_witness(y, p, at=grid, kernel=k), errors[0], errors[1:]


def witness():
    """The witness on the triangle of real three-class predictions, and its error beside those of redrawn labels."""

    def setup(fig):
        for name in CAST:
            hole_data(name)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.45, 1])
        simplex = Simplex(fig.add_subplot(columns[0]), HOLES)
        side = panel(fig, columns[1], read_y=False, xlim=(0, 0.172), ylim=(0, 1), x=[0, 0.05, 0.1, 0.15],
                     xlabel="error (KCE)")
        many = words(side, 0.5, 0.98, "", bold=True, size=30, va="top", transform=side.transAxes)
        words(side, 0.5, 0.82, f"of {DRAWS} sets of redrawn labels\n(grey) have as large an error", colour=SOFT, va="top",
              transform=side.transAxes, linespacing=1.35)
        return {"simplex": simplex, "bars": chance(side, facecolor=CHANCE_BARS), "many": many,
                "stem": estimate(side, line=True, clip_on=True), "dot": estimate(side, ms=12, zorder=5),
                "name": words(side, 0, 0, "", va="bottom", size=SMALL)}

    def update(artists, model="naive Bayes", bandwidth=1.0):
        inner, f, error, redrawn = exposed(model, bandwidth)
        simplex, above = artists["simplex"], int((redrawn >= error - EXACT).sum())
        longest, (colour, marker, text) = np.sqrt((f**2).sum(axis=1)).max(), MODELS[model]
        simplex.update(hole_data(model)[1], size=9)
        simplex.points.set_facecolor(CHANCE_BARS)
        simplex.arrows.set_facecolor(colour)
        simplex.point(to_plane(inner), to_plane(inner + 0.13 * f / longest))
        artists["bars"].set_verts(heap(ERRORS, np.histogram(redrawn, ERRORS)[0], 0, 0.42))
        artists["stem"].set(data=([error] * 2, [0, 0.47]), color=colour)
        artists["dot"].set(data=([error], [0.47]), marker=marker, markerfacecolor=colour)
        artists["name"].set(text=f"{error:.3f}", x=error, y=0.52, color=text)
        pvalue = (above + 1) / (DRAWS + 1)
        artists["many"].set(text=f"{above}", color=colour_of(pvalue))
        strongest = int(np.argmax((f**2).sum(axis=1)))
        corner = int(np.argmax(inner[strongest]))
        return Finding(
            witness_headline(model, corner, f[strongest, corner], pvalue, bandwidth),
            f"arrows: said to happens, {SHOWN} digits; Laplacian kernel, {bandwidth:g} × the median distance",
            f"An error (KCE) is what the witness earns on its own labels; redrawn ones average {redrawn.mean():.3f}.")

    return explore(setup, update, size=(9, 5), code=(hole_data, exposed), model=[CAST[3], *CAST[:3]], bandwidth=SCALES,
                   labels={"bandwidth": "bandwidth / median"})


def witness_headline(model, corner, lead, pvalue, bandwidth=1.0):
    """Where the witness is strongest, if the error is more than chance; arrows show directions, not certainty."""
    if pvalue > LEVEL:
        return f"{capital(model)}: chance draws such arrows as well"
    if bandwidth < SHORT:
        return f"{capital(model)}: more than chance, and arrows only where there are data"
    return f"{capital(model)} says “{HOLES[corner]}” too {'often' if lead < 0 else 'seldom'}, near that corner"
