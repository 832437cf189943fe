"""Scenes of the lesson bets_and_kernels."""

from functools import lru_cache

import numpy as np

from ...data.datasets import hole_predictions
from ...data.worlds import wave_world
from ...kce import kce_test, kce_witness
from ...kernels import laplacian, low_rank, median_bandwidth, rbf
from ...plots import (
    CHANCE_BARS,
    GREY,
    KEPT,
    MISS,
    MODELS,
    NUMBER,
    SOFT,
    Finding,
    Ghost,
    chance,
    choice,
    estimate,
    number,
    panel,
    reference,
    region,
    truth,
    words,
)
from ...predictions import residuals
from ...teach.explore import explore
from ..shared.maps import Heatmap
from ..shared.tests import CAST, LEVEL, colour_of
from ..shared.triangle import Simplex, to_plane
from ..shared.verdicts import capital
from .bumps import best_smooth_bet, three_bumps
from .games import place_bets
from .nudge import small_nudge

__all__ = ["best_smooth_bet", "place_bets", "small_nudge", "supremum", "three_bumps", "witness"]



BANDWIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
HEIGHT = 0.15  # of the waves


@lru_cache
def kernel_matrix(bandwidth):
    """The Gaussian kernel between 400 equally likely predictions."""
    p = (np.arange(400) + 0.5) / 400
    return rbf(bandwidth=bandwidth)(p[:, None])


def best_function(functions, bandwidth, waves):
    """The bet that earns most, E[miss × bet], and what it earns: (predictions, miss, bet, E[miss × bet])."""
    p = (np.arange(400) + 0.5) / 400
    miss = p - wave_world(waves, HEIGHT).curve(p)  # said − happened
    if functions == "constants":
        bet = np.full(400, np.sign(miss.mean()) if abs(miss.mean()) > 1e-12 else 0)
    elif functions.startswith("all"):  # within ±1
        bet = np.sign(miss)
    else:  # the unit ball of a kernel: at q the best bet is E[k(q, p) miss], divided by its norm
        bet = kernel_matrix(bandwidth) @ miss / 400
        norm = np.sqrt(max((miss * bet).mean(), 0))
        bet = bet / norm if norm else bet
    return p, miss, bet, float((miss * bet).mean())


def supremum():
    """The function of a class that earns most against a model, and what it earns: the calibration error."""
    places = np.linspace(1.12, 1.56, len(BANDWIDTHS))

    @lru_cache
    def earnings(waves):
        """What the unit ball of each bandwidth earns."""
        return [best_function("unit ball of a kernel", bandwidth, waves)[3] for bandwidth in BANDWIDTHS]

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[2, 1])
        left = panel(fig, columns[0], xlim=(0, 1.6), ylim=(-0.2, 0.2), ylabel="miss, and miss × b")
        left.set_xlabel("prediction p", x=0.5 / 1.6)
        left.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        left.spines["bottom"].set_bounds(0, 1)
        left.set_yticks([-0.1, 0, 0.1], ["−0.1", "0", "0.1"])
        reference(left, [0, 1], [0, 0])
        region(left, 1.03, 0.185, "says too much", ha="left")
        region(left, 1.03, -0.185, "says too little", ha="left")
        words(left, 0.01, 0.185, "miss: said − happened", ha="left")
        words(left, 0.01, -0.185, "miss × b; its mean is what b earns", ha="left", colour=MISS)
        payoff = chance(left, facecolor=MISS, alpha=0.35, zorder=2)
        gap = truth(left)
        (mean,) = left.plot([], [], color=MISS, lw=2.4, zorder=5)
        right = panel(fig, columns[1], xlim=(0, 1), ylim=(-1.25, 1.25), xlabel="prediction p")
        right.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        right.set_yticks([-1, 0, 1], ["−1", "0", "1"])
        reference(right, [0, 1], [0, 0])
        right.set_title("the best bet b", color=KEPT, weight="bold")
        function = estimate(right, line=True)
        rings = estimate(left, mfc="white", mec=GREY, ms=8)
        name = words(left, places.mean(), -0.04, f"bandwidth {BANDWIDTHS[0]:g} to {BANDWIDTHS[-1]:g}", colour=SOFT)
        return {"function": function, "ghost": Ghost(function), "gap": gap, "payoff": payoff, "mean": mean,
                "earns": number(left, colour=MISS), "rings": rings, "here": choice(left), "name": name}  # fmt: skip

    def update(artists, functions="unit ball of a kernel", bandwidth=0.1, waves=1):
        grid, gap, f, earned = best_function(functions, bandwidth, waves)
        artists["function"].set_data(grid, f)
        artists["gap"].set_data(grid, gap)
        outline = np.column_stack([np.concatenate([[0], grid, [1]]), np.concatenate([[0], gap * f, [0]])])
        artists["payoff"].set_verts([outline])
        artists["mean"].set_data([0, 1], [earned, earned])
        kernel, every = functions.startswith("unit"), earnings(waves)
        here, height = (places[BANDWIDTHS.index(bandwidth)], max(every)) if kernel else (1, earned)
        artists["rings"].set_data(places, every)
        artists["here"].set_data([here], [earned])
        for name in ("rings", "here", "name"):
            artists[name].set_visible(kernel)
        artists["earns"].xy = here, height
        artists["earns"].set(text=f"{earned:.4f}" if abs(earned) >= 5e-5 else "0", ha="center" if kernel else "left",
                             position=(0, 17) if kernel else (5, 0))  # fmt: skip
        ball = f"a Gaussian kernel's unit ball, bandwidth {bandwidth:g}" if kernel else functions
        said = f"{waves} wave{'s' if waves > 1 else ''}"
        cut = ", cut at 0 and 1" if np.isin(grid - gap, (0, 1)).any() else ""  # no frequency is beyond
        return Finding(
            supremum_headline(functions, bandwidth, earned, every),
            f"the miss: {said} of height {HEIGHT:g}{cut}; b: from {ball}",
        )

    return explore(
        setup, update, size=(9, 4.4), code=(kernel_matrix, best_function),
        functions=["unit ball of a kernel", "constants", "all with |b| ≤ 1"], waves=(1, 6, 1), bandwidth=BANDWIDTHS,
    )  # fmt: skip


def supremum_headline(functions, bandwidth, earned, every):
    """What the best function earns; a bandwidth is judged by what the others of `BANDWIDTHS` earn."""
    if functions == "constants":
        return "Constants earn nothing: the waves cancel" if abs(earned) < 5e-5 else f"Constants earn {earned:.4f}"
    if functions.startswith("all"):
        return f"Within ±1 the best b copies the miss's sign and earns {earned:.4f}"
    top = BANDWIDTHS[int(np.argmax(every))]
    if bandwidth == top:
        return f"Bandwidth {bandwidth:g} earns {earned:.4f}: of these the best opponent"
    return f"Bandwidth {bandwidth:g} earns {earned:.4f}; {top:g} would earn {max(every):.4f}"


SHOWN = 400
KERNELS = ["Laplacian", "Gaussian"]
SCALES = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0]
HOLES = ("no hole", "one hole", "two holes")
WITNESS_DRAWS = 99
DEEPEST = 0.05  # an entry of S in full colour
SHORT = 0.25  # below, the longest arrow stands at single data, and near no corner


@lru_cache
def hole_data(model):
    """Labels and predictions of 400 digits, and the median distance between two of them."""
    predictions = hole_predictions(model, noise=0.35)
    y, p = predictions.y_true[:SHOWN], predictions.y_prob[:SHOWN]
    return y, p, median_bandwidth(p)


@lru_cache
def exposed(model, kernel, bandwidth, sides=12):
    """On a grid of predictions the witness; the squared error, the matrix S, and draws with as large an error."""
    y, p, median = hole_data(model)
    width = bandwidth * median
    k = laplacian(width) if kernel == "Laplacian" else rbf(bandwidth=width)
    grid = np.array([[i, j, sides - i - j] for i in range(1, sides) for j in range(1, sides - i)]) / sides
    test = kce_test(y, p, kernel=k, statistic="biased", n_resamples=WITNESS_DRAWS, rng=0)
    above = round(test.pvalue * (WITNESS_DRAWS + 1)) - 1  # of the redrawn label sets
    S = -low_rank(k, p, tol=0, max_rank=8).features.T @ residuals(y, p) / len(p)  # its squares add up to the error
    return grid, kce_witness(y, p, at=grid, kernel=k), test.statistic, S, above


def witness():
    """The witness on the triangle of real three-class predictions, and the small matrix whose norm is the error."""

    def setup(fig):
        for name in CAST:
            hole_data(name)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = fig.add_subplot(columns[0])
        simplex = Simplex(axes, HOLES, arrow_width=0.011)
        axes.set(xticks=[], yticks=[])
        side = panel(fig, columns[1], read_y=False, xlim=(0, 1), ylim=(0, 1), xticks=[])
        side.spines["bottom"].set_visible(False)
        inset = side.inset_axes([0.16, 0.1, 0.8, 0.78])
        inset.set(xticks=[], yticks=[], frame_on=False)
        matrix = [Heatmap(inset, (8, 3), vmin=-DEEPEST, vmax=DEEPEST)]
        matrix += [words(side, 0.56, 0.94, "S: features of the kernel × holes", colour=SOFT)]
        matrix += [words(side, 0.16 + 0.8 * (x + 0.5) / 3, 0.05, name, colour=SOFT)
                   for x, name in enumerate(("none", "one", "two"))]  # fmt: skip
        matrix += [words(side, 0.1, 0.88 - 0.78 * (y + 0.5) / 8, str(y + 1), colour=SOFT) for y in range(8)]
        texts = [text for y, size in ((0.75, 30), (0.4, NUMBER)) for text in (
            words(side, 0.56, y, "", bold=True, size=size, va="bottom"),
            words(side, 0.56, y - 0.03, "", colour=SOFT, va="top", linespacing=1.35),
        )]  # fmt: skip
        return {"simplex": simplex, "matrix": matrix, "texts": texts}

    def update(artists, model="naive Bayes", kernel="Laplacian", bandwidth=1.0, show_S=False):
        inner, f, total, S, above = exposed(model, kernel, bandwidth)
        _, p, _ = hole_data(model)
        simplex, (image, *_) = artists["simplex"], artists["matrix"]
        longest = np.sqrt((f**2).sum(axis=1)).max()
        simplex.update(p, size=9)
        simplex.points.set_facecolor(CHANCE_BARS)
        simplex.arrows.set_facecolor(MODELS[model][0])
        simplex.point(to_plane(inner), to_plane(inner + 0.13 * f / longest))
        image.set_data(S[::-1])
        pvalue, by_itself = (above + 1) / (WITNESS_DRAWS + 1), (1 - (p**2).sum(axis=1)).mean() / len(p)
        for each in artists["matrix"]:
            each.set_visible(show_S)
        for each, text in zip(artists["texts"], (
            f"{above} of {WITNESS_DRAWS}", "redrawn label sets have\nas large an error", f"{total / by_itself:.1f} ×",
            "the squared error\nthat chance makes",
        ), strict=True):  # fmt: skip
            each.set(text=text, visible=not show_S)
        for each in artists["texts"][::2]:
            each.set_color(colour_of(pvalue))
        strongest = int(np.argmax((f**2).sum(axis=1)))
        corner = int(np.argmax(inner[strongest]))
        carried = f", the first {len(S)} features carry {(S**2).sum():.4f}" if show_S else ""
        return Finding(
            witness_headline(model, corner, f[strongest, corner], pvalue, bandwidth),
            f"arrows: said to happens, {SHOWN} digits; {kernel} kernel, {bandwidth:g} × the median"
            + (f"; S: orange −{DEEPEST}, purple {DEEPEST}" if show_S else " distance"),
            f"KCE = {np.sqrt(total):.4f}, its square {total:.4f}{carried}. {above} of {WITNESS_DRAWS} redrawn label sets have as "
            "large an error.",
        )

    return explore(
        setup, update, size=(9, 5), code=(hole_data, exposed), model=[CAST[3], *CAST[:3]], kernel=KERNELS,
        bandwidth=SCALES, show_S=False,
        labels={"bandwidth": "bandwidth / median", "show_S": "show the matrix S"},
    )  # fmt: skip


def witness_headline(model, corner, lead, pvalue, bandwidth=1.0):
    """Where the witness is strongest, if the error is more than chance; arrows show directions, not certainty."""
    if pvalue > LEVEL:
        return f"{capital(model)}: chance draws such arrows as well"
    if bandwidth < SHORT:
        return f"{capital(model)}: more than chance, and arrows only where there are data"
    return f"{capital(model)} says “{HOLES[corner]}” too {'often' if lead < 0 else 'seldom'}, near that corner"
