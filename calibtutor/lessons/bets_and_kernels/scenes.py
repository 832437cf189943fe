"""The best smooth bet against waves; the witness on the triangle of three probabilities; and the other rooms' scenes."""

from functools import lru_cache

import numpy as np

from ...data.datasets import hole_predictions
from ...data.worlds import wave_world
from ...kce import kce_witness
from ...kernels import laplacian, median_bandwidth, rbf
from ...plots import (
    CHANCE_BARS,
    GREY,
    KEPT,
    MISS,
    MODELS,
    SMALL,
    SOFT,
    Finding,
    Ghost,
    chance,
    choice,
    estimate,
    number,
    panel,
    reference,
    truth,
    words,
)
from ...resampling import draw_labels
from ...teach.explore import explore
from ..shared.first_digits import CAST
from ..shared.histograms import heap
from ..shared.pvalues import LEVEL, colour_of
from ..shared.triangle import Simplex, to_plane
from ..shared.verdicts import capital
from .bumps import best_smooth_bet, three_bumps
from .games import place_bets

__all__ = ["best_smooth_bet", "place_bets", "supremum", "three_bumps", "witness"]


BANDWIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
HEIGHT = 0.15  # of the waves
BET = 0.2  # a bet of 1 is drawn as high as a miss of this size
EXACT = 1e-12  # rounding


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

    @lru_cache
    def earnings(waves):
        """What the unit ball of each bandwidth earns."""
        return [best_function(bandwidth, waves)[3] for bandwidth in BANDWIDTHS]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.75, 1])
        left = panel(
            fig, columns[0], xlim=(0, 1), ylim=(-0.245, 0.245), xlabel="prediction p", ylabel="miss, and miss × b"
        )
        left.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        left.set_yticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        scale = left.secondary_yaxis("right", functions=(lambda y: y / BET, lambda b: b * BET))
        scale.set_yticks([-1, 0, 1], ["−1", "0", "1"])
        scale.tick_params(colors=KEPT, length=0)
        scale.spines["right"].set_visible(False)
        reference(left, [0, 1], [0, 0])
        words(left, 0.01, 0.225, "miss: said − happened", ha="left")
        words(left, 0.99, 0.225, "best bet b (right scale)", ha="right", colour=KEPT)
        words(left, 0.01, -0.225, "miss × b; its mean is what b earns", ha="left", colour=MISS)
        payoff = chance(left, facecolor=MISS, alpha=0.35, zorder=2)
        gap, function = truth(left), estimate(left, line=True)
        right = panel(fig, columns[1], xlim=(places[0] - 0.15, places[-1] + 0.35), ylim=(0, 0.068), xlabel="bandwidth",
                      ylabel="earns")  # fmt: skip
        right.set_xticks(places[[0, 2, 4, 6]], ["0.02", "0.1", "0.5", "2"])
        right.set_yticks([0, 0.02, 0.04, 0.06], ["0", "0.02", "0.04", "0.06"])
        rings = estimate(right, mfc="white", mec=GREY, ms=8)
        return {"function": function, "ghost": Ghost(function), "gap": gap, "payoff": payoff,
                "earns": number(right, colour=MISS), "rings": rings, "here": choice(right)}  # fmt: skip

    def update(artists, bandwidth=0.5, waves=4):
        (grid, gap, f, earned), every = best_function(bandwidth, waves), earnings(waves)
        artists["function"].set_data(grid, BET * f)
        artists["gap"].set_data(grid, gap)
        outline = np.column_stack([np.concatenate([[0], grid, [1]]), np.concatenate([[0], gap * f, [0]])])
        artists["payoff"].set_verts([outline])
        place = places[BANDWIDTHS.index(bandwidth)]
        artists["rings"].set_data(places, every)
        artists["here"].set_data([place], [earned])
        artists["earns"].xy = place, earned
        artists["earns"].set(text=f"{earned:.4f}", ha="center", position=(0, 17))
        said = f"{waves} wave{'s' if waves > 1 else ''}"
        cut = ", cut at 0 and 1" if np.isin(grid - gap, (0, 1)).any() else ""  # no frequency is beyond
        return Finding(
            supremum_headline(bandwidth, earned, every),
            f"the miss: {said} of height {HEIGHT:g}{cut}; b: from a Gaussian kernel's unit ball, bandwidth {bandwidth:g}",
        )

    return explore(
        setup, update, size=(9, 4.4), code=(kernel_matrix, best_function),
        waves=(1, 6, 1), bandwidth=BANDWIDTHS,
    )  # fmt: skip


def supremum_headline(bandwidth, earned, every):
    """What the best bet earns, and the bandwidth of `BANDWIDTHS` whose best bet earns most."""
    top = BANDWIDTHS[int(np.argmax(every))]
    if bandwidth == top:
        return f"Bandwidth {bandwidth:g} earns {earned:.4f}: none of the others earns more"
    return f"Bandwidth {bandwidth:g} earns {earned:.4f}; {top:g} would earn {max(every):.4f}"


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
        axes = fig.add_subplot(columns[0])
        simplex = Simplex(axes, HOLES, arrow_width=0.011)
        side = panel(fig, columns[1], read_y=False, xlim=(0, 0.172), ylim=(0, 1), xlabel="error (KCE)")
        side.set_xticks([0, 0.05, 0.1, 0.15], ["0", "0.05", "0.1", "0.15"])
        many = words(side, 0.5, 0.98, "", bold=True, size=30, va="top", transform=side.transAxes)
        words(side, 0.5, 0.82, f"of {DRAWS} sets of redrawn labels\n(grey) have as large an error", colour=SOFT, va="top",
              transform=side.transAxes, linespacing=1.35)  # fmt: skip
        (stem,) = side.plot([], [], lw=2.2, zorder=4)
        (dot,) = side.plot([], [], ls="", ms=12, mec="white", mew=1, zorder=5)
        return {"simplex": simplex, "bars": chance(side, facecolor=CHANCE_BARS), "stem": stem, "dot": dot, "many": many,
                "name": words(side, 0, 0, "", va="bottom", size=SMALL)}  # fmt: skip

    def update(artists, model="naive Bayes", bandwidth=1.0):
        inner, f, error, redrawn = exposed(model, bandwidth)
        simplex, above = artists["simplex"], int((redrawn >= error - EXACT).sum())
        longest, (colour, marker, text) = np.sqrt((f**2).sum(axis=1)).max(), MODELS[model]
        simplex.update(hole_data(model)[1], size=9)
        simplex.points.set_facecolor(CHANCE_BARS)
        simplex.arrows.set_facecolor(colour)
        simplex.point(to_plane(inner), to_plane(inner + 0.13 * f / longest))
        artists["bars"].set_verts(heap(ERRORS, np.histogram(redrawn, ERRORS)[0], 0, 0.42))
        artists["stem"].set_data([error] * 2, [0, 0.47])
        artists["stem"].set_color(colour)
        artists["dot"].set_data([error], [0.47])
        artists["dot"].set(marker=marker, markerfacecolor=colour)
        artists["name"].set(text=f"{error:.3f}", x=error, y=0.52, color=text)
        pvalue = (above + 1) / (DRAWS + 1)
        artists["many"].set(text=f"{above}", color=colour_of(pvalue))
        strongest = int(np.argmax((f**2).sum(axis=1)))
        corner = int(np.argmax(inner[strongest]))
        return Finding(
            witness_headline(model, corner, f[strongest, corner], pvalue, bandwidth),
            f"arrows: said to happens, {SHOWN} digits; Laplacian kernel, {bandwidth:g} × the median distance",
            f"An error (KCE) is what the witness earns on its own labels; redrawn ones average {redrawn.mean():.3f}.",
        )

    return explore(
        setup, update, size=(9, 5), code=(hole_data, exposed), model=[CAST[3], *CAST[:3]], bandwidth=SCALES,
        labels={"bandwidth": "bandwidth / median"},
    )  # fmt: skip


def witness_headline(model, corner, lead, pvalue, bandwidth=1.0):
    """Where the witness is strongest, if the error is more than chance; arrows show directions, not certainty."""
    if pvalue > LEVEL:
        return f"{capital(model)}: chance draws such arrows as well"
    if bandwidth < SHORT:
        return f"{capital(model)}: more than chance, and arrows only where there are data"
    return f"{capital(model)} says “{HOLES[corner]}” too {'often' if lead < 0 else 'seldom'}, near that corner"
