"""Scenes of notebook 04: the kernel calibration error, and from an estimate to a p-value."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import LineCollection
from scipy import stats

from ...binning import expected_calibration_error, resampled_errors
from ...data.datasets import digits_cast, hole_predictions
from ...data.worlds import wave_world
from ...kce import kce_test, kce_witness
from ...kernels import laplacian, low_rank, median_bandwidth, rbf
from ...plots import (
    CHANCE,
    CHANCE_BARS,
    CHOICE,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    NUMBER,
    SOFT,
    Finding,
    Ghost,
    bars_between,
    chance,
    choice,
    estimate,
    misses,
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
from ..shared.pvalues import IN_WORDS, by_chance, chance_of_a_curve, cries_wolf, square, steps
from ..shared.triangle import Simplex, to_plane
from ..shared.verdicts import beyond, capital, signed, written
from . import simulations as sims
from .full_size import LIKE, full_size_errors, full_size_estimates, heap
from .games import spoil_the_test

__all__ = [
    "spoil_the_test",
    "full_size_errors",
    "full_size_estimates",
    "bounds_are_shy",
    "by_counting",
    "collision",
    "is_that_bad",
    "p_value_race",
    "redraw_what",
    "supremum",
    "three_estimators",
    "which_bandwidth",
    "witness",
]

CAST = ("random forest", "logistic regression", "neural network", "naive Bayes")
SCENES = 20
PROMISE = (0.8, 0.0, 0.2)
ANIMALS = round(SCENES * PROMISE[2])  # as promised
KINDS = ("object", "human", "animal")
LEVEL = 0.05
LEAST = 0.001  # a p-value that is written; half of it rounds to it


def against_chance(pvalue):
    """How an error stands among those of calibrated data sets, in words."""
    if pvalue <= 0.01:
        return "worse than chance can explain"
    return "chance seldom does that" if pvalue <= LEVEL else "chance does that as well"


def colour_of(pvalue):
    return MISS if pvalue <= LEVEL else KEPT


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
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.7, 13.7), ylim=(0, 0.27), xticks=[0, 4, 8, 12],
                     xlabel=f"animals among the {SCENES}, if it is calibrated")  # fmt: skip
        bars = chance(left, facecolor=CHANCE_BARS, edgecolor="white", lw=0.5)
        bars.set_verts(bars_between(np.arange(-0.5, SCENES + 1), 0 * mass, mass))
        reference(left, [4, 4], [0, 0.235])
        words(left, ANIMALS, 0.25, f"{ANIMALS} promised", colour=SOFT)
        verdict = big_number(left, 13.6, 0.175, "of calibrated detectors\nare this far off or further", 0.006)
        right = panel(fig, columns[1], read_y=False, xlim=(-0.6, 2.6), ylim=(0, 1.16))
        right.set_xticks(range(3), [f"{kind}\n{said:.0%} said" for kind, said in zip(KINDS, PROMISE, strict=True)])
        for x, promise in enumerate(PROMISE):
            right.plot([x - 0.42, x + 0.42], [promise, promise], color=INK, lw=2.4, zorder=5)
        happened = chance(right, facecolor=CHANCE_BARS)
        stems = misses(right, lw=9)
        numbers = [words(right, x, 0, "", bold=True, va="bottom", size=13.5) for x in range(3)]
        return {"bars": bars, "mark": choice(left), "verdict": verdict, "happened": happened, "stems": stems,
                "numbers": numbers}  # fmt: skip

    def update(artists, animals_seen=7, humans_seen=0):
        _, shares, observed, extreme, pvalue = as_far_off(animals_seen, humans_seen)
        counts = SCENES - animals_seen - humans_seen, humans_seen, animals_seen
        artists["bars"].set_facecolor([MISS if tail else CHANCE_BARS for tail in extreme])
        artists["mark"].set_data([animals_seen], [0])
        artists["verdict"].set(
            text=f"{round(pvalue, 3):.1%}" if pvalue >= LEAST / 2 else f"< {LEAST:.1%}", color=colour_of(pvalue)
        )
        artists["happened"].set_verts([box for x, y in enumerate(shares) for box in
                                       bars_between([x - 0.25, x + 0.25], [0], [y])])  # fmt: skip
        artists["stems"].set_segments([[(x, a), (x, b)] for x, (a, b) in enumerate(zip(PROMISE, shares, strict=True))])
        for x, (text, count) in enumerate(zip(artists["numbers"], counts, strict=True)):
            kept = count == round(SCENES * PROMISE[x])
            text.set(text=f"{count} of {SCENES}", y=max(shares[x], PROMISE[x]) + 0.03, color=KEPT if kept else MISS)
        return Finding(
            collision_headline(animals_seen, humans_seen, pvalue),
            f"{SCENES} scenes that all got the same forecast: {animals_seen} were animals, {humans_seen} humans; red: as far "
            "off or further",
            f"Squared distance from promise to outcome: {observed:.4f}.",
        )

    return explore(
        setup, update, size=(9, 4.4), code=as_far_off, animals_seen=(0, 13, 1), humans_seen=(0, 3, 1),
        labels={"animals_seen": "animals", "humans_seen": "humans"},
    )  # fmt: skip


def collision_headline(animals, humans, pvalue):
    """A human where none was possible disproves the detector, whatever the distance says."""
    p = f"p {three_digits(pvalue)}"
    if humans:
        who = "A human at 0% disproves" if humans == 1 else f"{humans} humans at 0% disprove"
        return f"{who} it at once; the distance says {p}"
    if animals == ANIMALS:
        return f"{ANIMALS} animals, as promised: nothing could be closer"
    return f"{animals} animal{'s' * (animals != 1)}, not {ANIMALS}: {against_chance(pvalue)} ({p})"


NULL_SIZES = [100, 300, 1079]
REDRAWN = 1000


@lru_cache
def redrawn_errors(model, n):
    """A model's ECE, the ECEs when labels are drawn from its predictions, how many are as large, and the p-value."""
    predictions = digits_cast()[model]
    y, p = predictions.y_true[:n], predictions.y_prob[:n]
    observed = expected_calibration_error(y, p)
    drawn = resampled_errors(p, n_resamples=REDRAWN, rng=0)  # the predictions stay as they are
    above = int((drawn >= observed).sum())
    return observed, drawn, above, (above + 1) / (REDRAWN + 1)


def is_that_bad():
    """The ECE of real predictions beside the ECEs that these very predictions give when labels are drawn from them."""
    cells = np.linspace(0, 0.3, 121)
    rows = dict(zip(CAST, range(4)[::-1], strict=True))

    def setup(fig):
        for model in CAST:
            for n in NULL_SIZES:
                redrawn_errors(model, n)
        columns = fig.add_gridspec(1, 2, width_ratios=[2.9, 1], wspace=0)
        axes = panel(fig, columns[0], read_y=False, xlim=(0, 0.3), ylim=(-0.12, 4.45),
                     xlabel="calibration error of one data set (ECE, 15 bins)")  # fmt: skip
        axes.set_xticks([0, 0.1, 0.2, 0.3], ["0", "0.1", "0.2", "0.3"])
        side = panel(fig, columns[1], read_y=False, xlim=(0, 1), ylim=(-0.12, 4.45), xticks=[])
        side.spines["bottom"].set_visible(False)
        words(side, 0.5, 4.25, "redrawn sets as large", colour=SOFT)
        here = [chance(each, facecolor=CHOICE, alpha=0.16, zorder=0) for each in (axes, side)]
        bars = chance(axes, facecolor=CHANCE_BARS, edgecolor="white", lw=0.3)
        means = LineCollection([], colors=SOFT, lw=1.2, linestyles=[(0, (5, 4))])
        axes.add_collection(means)
        stems = misses(axes)
        dots = {model: estimate(axes, model=model, ms=11) for model in CAST}
        names = {model: words(axes, 0, y, "", colour=MODELS[model][2], bold=True) for model, y in rows.items()}
        counts = {model: words(side, 0.5, y + 0.33, "", bold=True, size=13.5) for model, y in rows.items()}
        return {"here": here, "bars": bars, "means": means, "stems": stems, "dots": dots, "names": names,
                "counts": counts}  # fmt: skip

    def update(artists, model="logistic regression", n=300):
        boxes, stems, means = [], [], []
        for name, row in rows.items():
            observed, drawn, above, pvalue = redrawn_errors(name, n)
            boxes += heap(cells, np.histogram(drawn, cells)[0], row, 0.72)
            means.append([(drawn.mean(), row), (drawn.mean(), row + 0.8)])
            colour, height = colour_of(pvalue), row + 0.33
            stems += [[(drawn.mean(), height), (observed, height)]] if colour == MISS else []
            artists["dots"][name].set_data([observed], [height])
            far = observed > 0.15  # its name is above the stem, and else beside the mark
            artists["names"][name].set(position=(observed + (0.004 if far else 0.007), height + 0.33 * far),
                                       ha="right" if far else "left", text=f"{name} {observed:.3f}")  # fmt: skip
            artists["counts"][name].set(
                text=f"{above} of {REDRAWN:,}", color=colour, fontsize=20 if name == model else 13.5
            )
        artists["bars"].set_verts(boxes)
        artists["stems"].set_segments(stems)
        artists["means"].set_segments(means)
        for each in artists["here"]:
            each.set_verts(bars_between([0, 1], [rows[model] - 0.06], [rows[model] + 0.86]))
        observed, drawn, above, pvalue = redrawn_errors(model, n)
        return Finding(
            f"{capital(model)}: ECE {observed:.3f}, {against_chance(pvalue)}",
            f"{n:,} digits; grey: labels redrawn {REDRAWN:,} times from each model's own predictions; dashes: their mean",
            f"With redrawn labels it averages {drawn.mean():.3f}; sets of them that reach the observed one: {above}.",
        )

    return explore(setup, update, size=(9, 4.6), code=redrawn_errors, model=list(CAST), n=NULL_SIZES,
                   labels={"n": "digits"})  # fmt: skip


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


def three_estimators():
    """Sampling distributions of the biased, unbiased and linear estimate, on the poster's data with ten classes."""
    names = ("biased", "unbiased", "linear")
    cells = np.linspace(-0.12, 0.28, 81)

    def setup(fig):
        for towards in ("M2", "M3"):
            for n in sims.SIZES:
                sims.estimates(n, towards)
        axes = panel(fig, read_y=False, xlim=(-0.17, 0.28), ylim=(-0.1, 3.3), xlabel="estimated squared error (SKCE)")
        axes.set_xticks([-0.1, 0, 0.1, 0.2], ["−0.1", "0", "0.1", "0.2"])
        bars = chance(axes, facecolor=KEPT, alpha=0.35)
        true = truth(axes)
        stems, means = misses(axes, lw=5), estimate(axes, ms=11)
        for k, each in enumerate(names):
            words(axes, -0.168, 2.42 - k, each, bold=True, ha="left")
        terms = [words(axes, -0.168, 2.12 - k, "", colour=SOFT, ha="left", size=11) for k in range(3)]
        numbers = [words(axes, 0, 2.35 - k, "", bold=True, size=NUMBER, ha="left") for k in range(3)]
        name = words(axes, 0, 3.17, "", bold=True)
        return {"bars": bars, "true": true, "stems": stems, "means": means, "terms": terms,
                "numbers": numbers, "name": name}  # fmt: skip

    def update(artists, n=20, strength=0.5, towards="M3"):
        truth_ = strength**2 * sims.true_skce(towards, 10)
        found = sims.estimates(n, towards)[strength]
        said, price = [], (f"{n * n:,}", f"{n * (n - 1) // 2:,}", f"{n // 2:,}")
        boxes, stems = [], []
        off = [off_target(values.mean(), truth_, values.std() / sims.REPEATS**0.5) for values in found]
        for k, (name, values, terms, biased) in enumerate(zip(names, found, price, off, strict=True)):
            row, mean = 2 - k, values.mean()
            boxes += heap(cells, np.histogram(np.clip(values, cells[0], cells[-1]), cells)[0], row, 0.85)
            stems += [[(truth_, row + 0.1), (mean, row + 0.1)]] if biased else []
            artists["terms"][k].set_text(f"{terms} terms")
            artists["numbers"][k].set(
                text=f"{signed(mean - truth_, 4)} on average" if biased else "no bias to be seen",
                x=min(values.max(), 0.16) + 0.008, color=MISS if biased else KEPT,
            )  # fmt: skip
            said.append(f"{name} averages {mean:.5f} with standard deviation {values.std():.5f}")
        artists["bars"].set_verts(boxes)
        artists["stems"].set_segments(stems)
        artists["means"].set_data([values.mean() for values in found], [2.1, 1.1, 0.1])
        artists["true"].set_data([truth_, truth_], [-0.1, 3.05])
        artists["name"].set(x=truth_, text=f"truth {written(truth_, 4)}")
        return Finding(
            estimators_headline(truth_, found, off[0], n),
            f"{on_the_way(strength, towards)}; {sims.REPEATS} data sets of n = {n}, ten classes; dot: their mean",
            f"True SKCE {truth_:.5f}: {'; '.join(said)}.",
        )

    return explore(setup, update, size=(9, 4.8), code=(sims.estimates, sims.true_skce), strength=sims.STRENGTHS,
                   towards=["M3", "M2"], n=sims.SIZES)  # fmt: skip


def on_the_way(strength, towards="M3"):
    """What the poster's data are, between the calibrated M1 and another, in words."""
    return (
        f"{strength:.0%} towards {towards} ({LIKE[towards]})" if strength else f"calibrated (M1), 0% towards {towards}"
    )


def off_target(mean, true, error):
    """Whether a mean of estimates misses the truth by more than 3 of its standard errors."""
    return abs(mean - true) > 3 * error


def estimators_headline(true, found, biased, n):
    """What is special about a truth of zero, or how far off the biased estimate is."""
    if true == 0:
        return f"The truth is 0, and {(found[1] < 0).mean():.0%} of the unbiased estimates are negative"
    if not biased:
        return "No bias is to be seen in these data sets"
    return f"The biased estimate says {found[0].mean() - true:.4f} too much at n = {n}"


AT_ONCE = 20  # data sets of the race that are there at first, and that a press draws


def p_value_race():
    """Every data set gives each test one p-value; their distribution functions grow as data sets are drawn."""
    rows = dict(zip(sims.RACE, range(len(sims.RACE))[::-1], strict=True))

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        left = panel(fig, columns[0], read_y=False, xlim=(-0.02, 1.38), ylim=(-0.6, len(rows) - 0.4), xlabel="p-value")
        left.spines["bottom"].set_bounds(0, 1)
        left.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        left.set_yticks(list(rows.values()), [IN_WORDS[name] for name in rows])
        left.tick_params(axis="y", length=0, labelcolor=INK)
        dots = left.scatter([], [], s=26, lw=0, clip_on=False, zorder=4)
        dots.set_in_layout(False)
        counts = {name: words(left, 1.05, row, "", bold=True, size=NUMBER, ha="left") for name, row in rows.items()}
        level = reference(left)
        right = panel(fig, columns[1], ylabel="share of p-values ≤ α")
        right.set_title("grey: chance, red: cries wolf", color=SOFT)
        band = chance(right)
        square(right, xlabel="level α")
        lines = LineCollection([], lw=2, zorder=4)
        right.add_collection(lines)
        return {"dots": dots, "counts": counts, "level": level, "band": band, "lines": lines, "mark": reference(right)}

    def update(artists, one_more=0, twenty_more=0, strength=0.0, alpha=0.05):
        drawn = min(AT_ONCE * (1 + twenty_more) + one_more, sims.RACE_SETS)
        pvalues = sims.race(strength)[:, :drawn]
        shake = np.random.default_rng(0).uniform(-0.3, 0.3, sims.RACE_SETS)[:drawn]
        wolves = [name for name, values in zip(sims.RACE, sims.race(0.0)[:, :drawn], strict=True)
                  if cries_wolf(*steps(values), drawn)]  # fmt: skip
        places, colours, count = [], [], {}
        for name, values in zip(sims.RACE, pvalues, strict=True):
            rejected, colour = sims.rejections(values, alpha), MISS if name in wolves else KEPT
            places.append(np.column_stack([values, rows[name] + shake]))
            colours += [colour if each else CHANCE_BARS for each in rejected]
            count[name] = int(rejected.sum())
            artists["counts"][name].set(text=f"{count[name]} of {drawn}", color=colour)
        artists["dots"].set_offsets(np.vstack(places))
        artists["dots"].set_facecolor(colours)
        artists["level"].set_data([alpha, alpha], [-0.6, len(rows) - 0.4])
        artists["mark"].set_data([alpha, alpha], [0, 1])
        artists["band"].set_verts([chance_of_a_curve(drawn)])
        artists["lines"].set_segments([staircase(*steps(values)) for values in pvalues])
        artists["lines"].set_color([MISS if name in wolves else KEPT for name in sims.RACE])
        what = f"{drawn} data sets, {on_the_way(strength)}"
        last = f"the last one's exact p-value is {pvalues[sims.RACE.index('exact'), -1]:.2f}"
        said = ", ".join(f"{name} {count[name]}" for name in sims.RACE)
        return Finding(
            race_headline(strength, wolves, count, drawn),
            f"{what}; n = {sims.RACE_SIZE}, three classes; coloured: p ≤ {alpha:.0%}",
            f"{capital(last)}. Rejected: {said}.",
        )

    return explore(
        setup, update, size=(9, 4.6), code=(sims.race, sims.rejections), one_more="draw another data set",
        twenty_more=f"draw {AT_ONCE} more",
        strength=sims.RACE_STRENGTHS, alpha=(0.01, 0.5, 0.01), labels={"strength": "miscalibration", "alpha": "level α"},
        kept={"alpha": (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)},
    )  # fmt: skip


def staircase(x, y):
    """The corners of a curve that steps up at each x."""
    return np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])


AS_SUBJECT = {"C on an ECE": "redrawing pairs (C)", "D_b": "the bound", "A_uq": "the bootstrap", "A_l": "the t test",
              "exact": "exact", "aggregated": "aggregated"}  # fmt: skip


def race_headline(strength, wolves, count, drawn):
    """Who cries wolf on calibrated data, or which honest test finds the error most often."""
    if strength == 0:
        return (
            f"{capital(' and '.join(AS_SUBJECT[each] for each in wolves))} cr{'y' if len(wolves) > 1 else 'ies'} wolf, "
            "beyond what chance explains"
            if wolves
            else f"After {drawn} calibrated data sets no test stands out"
        )
    honest = {name: each for name, each in count.items() if name not in wolves}
    most = max(honest.values())
    if most == 0:
        return "No honest test finds the error at this level"
    top = [AS_SUBJECT[name] for name, each in honest.items()
           if not beyond(most - each, np.sqrt(sum(k * (drawn - k) / drawn for k in (most, each))))]  # fmt: skip
    none = [AS_SUBJECT[name] for name, each in honest.items() if each == 0]
    blind = f", {none[0]} never" if len(none) == 1 else f", {len(none)} never" if none else ""
    if len(top) > 2:
        return f"{len(top)} honest tests find the error about as often{blind}"
    return f"Of the honest, {' and '.join(top)} find{'s' * (len(top) == 1)} most errors{blind}"


def bounds_are_shy():
    """What three bounds make of the expected estimate as n grows, for the poster's M3 with more or fewer classes."""
    sizes = np.unique(np.logspace(1, 6, 241).astype(int))

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(10, 4e6), ylim=(0, 1.06), xlabel="number of predictions n",
                     ylabel="bound on the p-value")  # fmt: skip
        axes.set_xticks([10, 100, 1e3, 1e4, 1e5, 1e6], ["10", "100", "1,000", "10,000", "100,000", "1 million"])
        axes.minorticks_off()
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.spines["bottom"].set_bounds(10, 1e6)  # beyond is room for numbers
        level = reference(axes)
        lines = [estimate(axes, line=True) for _ in range(2)]
        dots = estimate(axes, ms=11)
        names = [number(axes, colour=KEPT, offset=o, size=12) for o in ((-8, -6), (8, 6))]
        for name, text in zip(names, ("biased\n$D_b$", "unbiased, linear\n$D_{uq}$, $D_{ul}$"), strict=True):
            name.set_text(text)
        needed = [number(axes, colour=MISS, offset=(9, 13)) for _ in range(2)]
        alpha = words(axes, 10.8, 0, "", colour=SOFT, ha="left", va="bottom", size=11)
        return {"lines": lines, "ghosts": [Ghost(line) for line in lines], "level": level, "dots": dots,
                "names": names, "needed": needed, "alpha": alpha}  # fmt: skip

    def update(artists, strength=1.0, classes=10, alpha=0.05):
        true, own = sims.expected_terms(strength, classes)
        biased, unbiased = np.transpose([sims.bounds(n, true, own) for n in sizes])
        first = [sims.enough(which, true, own, alpha, sizes[-1]) for which in (0, 1)]
        first = [n if n <= sizes[-1] else None for n in first]
        for line, bound in zip(artists["lines"], (biased, unbiased), strict=True):
            line.set_data(sizes, bound)
        for name, bound in zip(artists["names"], (biased, unbiased), strict=True):
            at = int(np.argmax(bound <= 0.4)) if (bound <= 0.4).any() else len(sizes) - 1
            name.xy = sizes[at], bound[at]
        late = artists["names"][1].xy[0] > 2e5  # then its name is left of its curve, and below
        artists["names"][1].set(ha="right" if late else "left", position=(-4, -28) if late else (8, 6))
        for each, n in zip(artists["needed"], first, strict=True):
            each.xy = n or 10, alpha
            each.set_text(f"{n:,}" if n else "")
        artists["dots"].set_data([n for n in first if n], [alpha for n in first if n])
        artists["level"].set_data([10, 1e6], [alpha, alpha])
        artists["alpha"].set(y=alpha + 0.015, text=f"α = {alpha:.0%}")
        return Finding(
            bounds_headline(first),
            f"{on_the_way(strength)}; {classes} classes, SKCE {true:.4f}; each at the expected estimate",
            f"That many until the bound on the p-value falls below α = {alpha:.0%}.",
        )

    return explore(
        setup, update, size=(9, 4.4), code=(sims.expected_terms, sims.bounds, sims.enough),
        strength=(0.2, 1.0, 0.1), classes=sims.BOUND_CLASSES, alpha=(0.01, 0.2, 0.01),
        labels={"strength": "miscalibration", "alpha": "level α"},
    )  # fmt: skip


def bounds_headline(first):
    """From how many predictions on the bounds can see the error, if a million are enough."""
    biased, unbiased = first
    if biased is None:
        return "A million predictions are too few for every bound"
    if unbiased is None:
        return f"The biased bound needs {biased:,} predictions, the others over a million"
    return f"The biased bound needs {biased:,} predictions, the others {unbiased:,}"


def redraw_what():
    """Two ways to draw data sets under “calibrated”, one binned error: p-values of calibrated models."""

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(fig, columns[0], ylabel="share of calibrated models rejected")
        square(axes, xlabel="level α")
        chance(axes).set_verts([chance_of_a_curve(sims.REDRAW_SETS)])
        words(axes, 0.97, 0.05, f"grey: chance, {sims.REDRAW_SETS} data sets", colour=SOFT, ha="right")
        lines = [estimate(axes, line=True, drawstyle="steps-post") for _ in range(2)]
        labels = [number(axes, offset=o, size=12, ha="right") for o in ((-6, 12), (0, 0))]
        labels[0].set_text("pairs redrawn (C)")
        labels[1].set_text("labels redrawn")
        side = panel(
            fig, columns[1], read_y=False, xlim=(-0.5, 2.5), ylim=(-0.015, 1.01), xlabel="steps of the cells' grid"
        )
        side.set_xticks(range(3), sims.REDRAW_CELLS)
        side.set_title(f"false alarms at level {LEVEL:.0%}", color=SOFT)
        side.axhspan(*by_chance(sims.REDRAW_SETS), color=CHANCE, lw=0, zorder=0)
        reference(side, [-0.5, 2.5], [LEVEL, LEVEL])
        here = chance(side, facecolor=CHOICE, alpha=0.22, zorder=0.5)
        stems = misses(side)
        dots = side.scatter([], [], s=110, edgecolor="white", zorder=5)
        shares = [number(side, offset=(0, 14), ha="center") for _ in range(6)]
        return {"lines": lines, "ghost": Ghost(lines[0]), "labels": labels, "here": here, "stems": stems, "dots": dots,
                "shares": shares}  # fmt: skip

    def update(artists, n=100, cells=5):
        pvalues = sims.redrawn(n, cells)
        artists["labels"][0].xy = 0.55, (pvalues[0] <= 0.55).mean()
        artists["labels"][1].xy = 0.97, 0.15  # below all that chance does
        stems, places, wolf = [], [], []
        for x, each in enumerate(sims.REDRAW_CELLS):
            for k, values in enumerate(sims.redrawn(n, each)):
                value, place = sims.rejections(values, LEVEL).mean(), x - 0.2 + 0.4 * k
                wolf.append(cries_wolf(*steps(values), sims.REDRAW_SETS))
                stems += [[(place, LEVEL), (place, value)]] if wolf[-1] else []
                places.append((place, value))
                text = artists["shares"][2 * x + k]
                text.xy = place, max(value, by_chance(sims.REDRAW_SETS)[1] - 0.015)
                text.set(text=f"{value:.0%}", color=MISS if wolf[-1] else KEPT)
        artists["stems"].set_segments(stems)
        artists["dots"].set_offsets(places)
        artists["dots"].set_facecolor(np.where(wolf, MISS, KEPT))
        column = sims.REDRAW_CELLS.index(cells)
        wolf = wolf[2 * column : 2 * column + 2]
        for line, label, values, bad in zip(artists["lines"], artists["labels"], pvalues, wolf, strict=True):
            line.set_data(*steps(values))
            for each in (line, label):
                each.set_color(MISS if bad else KEPT)
        artists["here"].set_verts(bars_between([column - 0.45, column + 0.45], [-0.015], [1.01]))
        share = sims.rejections(pvalues, LEVEL).mean(axis=1)
        return Finding(
            redraw_headline(wolf, share),
            f"{pvalues.shape[1]} calibrated models, five classes, n = {n}, {cells} steps; binned error; C redraws predictions and labels",
        )

    return explore(setup, update, size=(9, 4.8), code=(sims.redrawn, sims.rejections), n=sims.REDRAW_SIZES,
                   cells=sims.REDRAW_CELLS,
                   labels={"cells": "steps of the cells' grid along each class"})  # fmt: skip


def redraw_headline(wolf, share):
    """Which recipe's curve leaves what chance explains."""
    both = f"{share[0]:.0%} false alarms, labels only {share[1]:.0%}"
    if wolf[0] and wolf[1]:
        return f"Both recipes cry wolf: {both}"
    if wolf[1]:
        return f"Redrawing labels only cries wolf: {share[1]:.0%} false alarms"
    if wolf[0] and share[0] <= by_chance(sims.REDRAW_SETS)[1]:
        return f"Redrawing pairs cries wolf, if not yet at level {LEVEL:.0%}"
    return f"Redrawing pairs cries wolf: {both}" if wolf[0] else f"With so few cells neither stands out: {both}"


def by_counting():
    """Three predictions, all 27 label vectors: the exact null distribution, and the p-value's own distribution."""

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.6, 1])
        left = panel(fig, columns[0], xlim=(-0.8, 26.8), ylim=(0, 0.62), ylabel="probability if calibrated")
        left.set_xticks([])
        left.set_xlabel(
            f"all {len(sims.THREE[0]) ** len(sims.THREE)} label vectors, in the order of their SKCE", labelpad=11
        )
        left.set_yticks([0, 0.25, 0.5], ["0", "0.25", "0.5"])
        bars = chance(left, facecolor=CHANCE_BARS, edgecolor="white", lw=0.5)
        verdict = big_number(left, 26.5, 0.48, "at least as extreme", 0.01)
        right = panel(fig, columns[1], ylabel="chance of a p-value ≤ α")
        square(right, xlabel="level α")
        region(right, 0.3, 0.85, "cries wolf")
        reach = estimate(right, line=True, drawstyle="steps-post")
        return {"bars": bars, "mark": choice(left), "verdict": verdict, "steps": reach, "ghost": Ghost(reach),
                "dot": choice(right), "pvalue": number(right, colour=INK, offset=(12, -12))}  # fmt: skip

    def update(artists, observed=20, sharpness=1.0):
        labels, mass, statistic = sims.every_label_vector(sharpness)
        pvalue = sims.exact_pvalues(mass, statistic)
        here = observed - 1
        tail = statistic >= statistic[here] - 1e-12
        artists["bars"].set_verts(bars_between(np.arange(-0.5, 27), 0 * mass, mass))
        artists["bars"].set_facecolor([MISS if each else CHANCE_BARS for each in tail])
        artists["mark"].set_data([int(np.argmax(tail))], [0])  # the first that ties with the observed one
        artists["verdict"].set(text=f"{round(pvalue[here], 3):.1%}", color=MISS)
        levels, reached = sims.chance_of_pvalues(mass, pvalue)
        artists["steps"].set_data(np.concatenate([[0], levels, [1]]), np.concatenate([[0], reached, [1]]))
        artists["dot"].set_data([pvalue[here]], [pvalue[here]])
        low = pvalue[here] < 0.6
        artists["pvalue"].xy = pvalue[here], pvalue[here]
        artists["pvalue"].set(text=f"{pvalue[here]:.3f}", ha="left" if low else "right",
                              position=(12, -12) if low else (-12, 14))  # fmt: skip
        seen = ", ".join(map(str, labels[here]))
        many = int(tail.sum())
        return Finding(
            f"{many} of {len(mass)} label vectors {'are' if many > 1 else 'is'} as extreme: p {three_digits(pvalue[here])}",
            f"observed labels {seen}, SKCE {signed(statistic[here])}; sharpness {sharpness:g}; p: the red mass together",
        )

    code = sims.every_label_vector, sims.exact_pvalues, sims.chance_of_pvalues
    return explore(setup, update, size=(9, 4.6), code=code, observed=(1, 27, 1), sharpness=(0.0, 4.0, 0.5),
                   labels={"observed": "observed vector, by rank"})  # fmt: skip


def which_bandwidth():
    """Power of the exact test along the bandwidth, and of the aggregated test that chooses none."""

    end = sims.FACTORS[-1] * 4.2  # room for a name

    def setup(fig):
        axes = panel(fig, xscale="log", xlim=(sims.FACTORS[0] / 1.35, end), ylim=(0, 1.02),
                     xlabel="bandwidth / median distance", ylabel=f"share rejected at level {LEVEL:.0%}")  # fmt: skip
        axes.set_xticks(sims.FACTORS, [f"{w:g}" for w in sims.FACTORS])
        axes.minorticks_off()
        axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
        low, high = by_chance(sims.POWER_SETS)
        axes.axhspan(low, high, color=CHANCE, lw=0, zorder=0)
        reference(axes, axes.get_xlim(), [LEVEL, LEVEL])
        words(axes, end, high + 0.01, "grey: calibrated data", colour=SOFT, ha="right", va="bottom", size=11)
        line = estimate(axes, line=True, lw=1.2)
        dots = axes.scatter(sims.FACTORS, np.zeros(len(sims.FACTORS)), s=110, edgecolor="white", zorder=5)
        together = axes.axhline(0, color=KEPT, lw=4, alpha=0.45, zorder=2)
        names = [number(axes, colour=KEPT, offset=(0, 12), ha=ha) for ha in ("right", "center")]
        return {"line": line, "dots": dots, "together": together, "names": names}

    def update(artists, gap="one wave", n=200):
        single, aggregated = sims.power(gap, n)
        best, blind = int(np.argmax(single)), single <= by_chance(sims.POWER_SETS)[1]
        artists["line"].set_data(sims.FACTORS, single)
        artists["dots"].set_offsets(np.column_stack([sims.FACTORS, single]))
        artists["dots"].set_facecolor(np.where(blind, MISS, KEPT))
        artists["together"].set_ydata([aggregated, aggregated])
        together, alone = artists["names"]
        together.xy, alone.xy = (end, aggregated), (sims.FACTORS[best], single[best])
        together.set_text(f"aggregated: {aggregated:.0%}")
        alone.set_text(f"best bandwidth: {single[best]:.0%}")
        return Finding(
            f"The best bandwidth finds {single.max():.0%} of such errors, the aggregated test {aggregated:.0%}",
            f"what is wrong: {gap}; {sims.POWER_SETS} data sets of n = {n}"
            + "; red: as blind as on calibrated data" * bool(blind.any()),
            f"The best is {sims.FACTORS[best]:g} × the median distance; the worst finds {single.min():.0%}.",
        )

    return explore(setup, update, size=(9, 4.4), code=sims.power, gap=list(sims.GAPS), n=sims.POWER_SIZES,
                   labels={"gap": "what is wrong"})  # fmt: skip
