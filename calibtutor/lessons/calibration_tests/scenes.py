"""Scenes of notebook 04: the kernel calibration error, and from an estimate to a p-value."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection
from scipy.stats import binom, kstwo

from ...binning import expected_calibration_error, resampled_errors
from ...data.datasets import digits_cast, hole_predictions
from ...data.worlds import wave_world
from ...kce import kce_witness, skce
from ...kernels import laplacian, low_rank, median_bandwidth, rbf
from ...plots import COLOURS, TITLE, Heatmap, Histogram, Simplex, to_plane
from ...predictions import residuals
from ...resampling import bound_pvalue
from ...teach.explore import explore
from ..shared.pvalues import COLOUR, power_curve, show_power, square, steps
from . import simulations as sims
from .full_size import full_size_errors, full_size_estimates

__all__ = [
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
PROMISE = np.array([0.8, 0.0, 0.2])
KINDS = ("object", "human", "animal")


def collision():
    """Twenty scenes predicted (80 %, 0 %, 20 %): which outcomes would a calibrated detector have given?"""
    animals = np.arange(SCENES + 1)
    mass = binom.pmf(animals, SCENES, PROMISE[2])
    distance = 2 * ((animals - SCENES * PROMISE[2]) / SCENES) ** 2  # ‖p − frequencies‖² with no human about

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1, 1.5])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(-0.6, 2.6), ylim=(0, 21), title="20 scenes, all predicted alike", ylabel="scenes")
        left.set_xticks(range(3), KINDS)
        left.bar(range(3), SCENES * PROMISE, width=0.7, fill=False, edgecolor=COLOURS["ink"], lw=1.5, label="promised")
        bars = left.bar(range(3), [1, 1, 1], width=0.5, color=COLOURS["blue"], alpha=0.8, label="happened")
        left.legend(loc="upper right")
        right.set(xlim=(-0.6, 13.6), ylim=(0, 0.27), xlabel="animals among the 20", ylabel="probability if calibrated")
        right.set_xticks(range(0, 14, 2))
        chance = right.bar(animals, mass, width=0.8, color=COLOURS["sky"])
        (mark,) = right.plot([], [], "v", ms=11, color=COLOURS["orange"], clip_on=False)
        mark.set_in_layout(False)
        title = right.set_title(TITLE)
        return {"bars": list(bars), "chance": list(chance), "mark": mark, "title": title}

    def update(artists, animals_seen=7, humans_seen=0):
        counts = np.array([SCENES - animals_seen - humans_seen, humans_seen, animals_seen])
        observed = ((PROMISE - counts / SCENES) ** 2).sum()
        extreme = distance >= observed - 1e-12
        pvalue = mass[extreme].sum()
        for bar, count in zip(artists["bars"], counts, strict=True):
            bar.set_height(count)
        for bar, tail in zip(artists["chance"], extreme, strict=True):
            bar.set_facecolor(COLOURS["orange"] if tail else COLOURS["sky"])
        artists["mark"].set_data([animals_seen], [0.262])
        artists["title"].set_text(f"at least as far as this: {pvalue:.3f}")
        human = "" if not humans_seen else f" and {humans_seen} humans where none was possible"
        return (
            f"{animals_seen} animals{human}: squared distance from promise to outcome {observed:.4f}. A calibrated "
            f"detector is at least that far off with probability {pvalue:.3f}."
        )

    return explore(
        setup, update, size=(9.2, 3.7), animals_seen=(0, 13, 1), humans_seen=(0, 3, 1),
        labels={"animals_seen": "animals", "humans_seen": "humans"},
    )  # fmt: skip


NULL_SIZES = [100, 300, 1079]


@lru_cache
def _null(model, n):
    each = digits_cast()[model]
    y, p = each.y_true[:n], each.y_prob[:n]
    return expected_calibration_error(y, p), resampled_errors(p, n_resamples=1000, rng=0)


def is_that_bad():
    """The ECE of real predictions beside the ECEs that these very predictions give when labels are drawn from them."""

    def setup(fig):
        for model in CAST:
            for n in NULL_SIZES:
                _null(model, n)
        histogram = Histogram(
            fig.add_subplot(), np.linspace(0, 0.3, 121), xlabel="ECE, 15 bins", truth_label="observed ECE",
            mean_label="mean if calibrated",
        )  # fmt: skip
        histogram.axes.set_ylabel("share of redrawn label sets")
        return histogram

    def update(histogram, model="logistic regression", n=300):
        observed, drawn = _null(model, n)
        above = int((drawn >= observed).sum())
        histogram.update(drawn, observed, drawn.mean(), f"{model}, {n} digits: observed {observed:.3f}")
        return (
            f"{model}, {n} digits: the ECE is {observed:.3f}. With labels drawn from these predictions it averages "
            f"{drawn.mean():.3f}, and {above} of 1000 redrawn label sets reach the observed value."
        )

    return explore(setup, update, size=(9, 3.5), model=list(CAST), n=NULL_SIZES, labels={"n": "digits"})


BANDWIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]


def supremum():
    """The function of a class that earns most against a model, and what it earns: the calibration error."""
    grid = (np.arange(400) + 0.5) / 400
    kernel_matrix = lru_cache(lambda bandwidth: rbf(bandwidth=bandwidth)(grid[:, None]))

    def best(functions, bandwidth, gap):
        if functions == "constants":
            return np.full(400, np.sign(gap.mean())) if abs(gap.mean()) > 1e-12 else np.zeros(400)
        if functions == "all with |f| ≤ 1":
            return np.sign(gap)
        embedding = kernel_matrix(bandwidth) @ gap / 400
        norm = np.sqrt(max(gap @ embedding / 400, 0))
        return embedding / norm if norm else embedding

    def setup(fig):
        columns = fig.add_gridspec(1, 2)
        left, right = (fig.add_subplot(column) for column in columns)
        for axes in (left, right):
            axes.axhline(0, color=COLOURS["grey"], lw=1)
            axes.set(xlim=(0, 1), xlabel="prediction p")
        left.set(ylim=(-1.9, 1.9), title="the best function f")
        right.set(ylim=(-0.3, 0.3))
        (function,) = left.plot([], [], color=COLOURS["orange"])
        (gap,) = right.plot([], [], color=COLOURS["blue"], label="gap r(p) − p")
        payoff = right.fill_between(
            grid, 0 * grid, 0 * grid, color=COLOURS["orange"], alpha=0.45, lw=0, label="gap × f"
        )
        right.legend(loc="lower left")
        return {"function": function, "gap": gap, "payoff": payoff, "title": right.set_title(TITLE)}

    def update(artists, functions="unit ball of a kernel", bandwidth=0.1, waves=1):
        gap = wave_world(waves, 0.15).curve(grid) - grid
        f = best(functions, bandwidth, gap)
        earned = float((gap * f).mean())
        artists["function"].set_data(grid, f)
        artists["gap"].set_data(grid, gap)
        artists["payoff"].set_data(grid, 0 * grid, gap * f)
        artists["title"].set_text(f"mean payoff = calibration error = {earned:.4f}")
        ball = (
            f"the unit ball of a Gaussian kernel, bandwidth {bandwidth:g}"
            if functions.startswith("unit")
            else functions
        )
        gap = f"{waves} wave{'s' if waves > 1 else ''}"
        return f"{gap}, opponent free to choose from {ball}: the best function earns {earned:.4f} on average."

    return explore(
        setup, update, size=(9.4, 3.7), functions=["unit ball of a kernel", "constants", "all with |f| ≤ 1"],
        bandwidth=BANDWIDTHS, waves=(1, 6, 1),
    )  # fmt: skip


SHOWN = 400
KERNELS = {"Laplacian": laplacian, "Gaussian": lambda bandwidth: rbf(bandwidth=bandwidth)}
SCALES = [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0]


def witness():
    """The witness on the triangle of real three-class predictions, and the small matrix whose norm is the error."""
    sides = 12
    inner = np.array([[i, j, sides - i - j] for i in range(1, sides) for j in range(1, sides - i)]) / sides
    points = to_plane(inner)

    @lru_cache
    def median(model):
        return median_bandwidth(data(model)[1])

    @lru_cache
    def data(model):
        each = hole_predictions(model, noise=0.35)
        return each.y_true[:SHOWN], each.y_prob[:SHOWN]

    def setup(fig):
        for name in CAST:
            data(name)
        columns = fig.add_gridspec(1, 3, width_ratios=[1.6, 1, 0.06])
        simplex = Simplex(fig.add_subplot(columns[0]), ["no hole", "one hole", "two holes"], arrow_width=0.009)
        axes = fig.add_subplot(columns[1])
        image = Heatmap(axes, (8, 3), x=(-0.5, 2.5), y=(-0.5, 7.5), vmin=-0.05, vmax=0.05)
        axes.set(ylim=(7.5, -0.5), xlabel="holes", ylabel="feature of the kernel")
        axes.set_xticks(range(3), ["none", "one", "two"])
        axes.set_yticks(range(8), range(1, 9))
        fig.colorbar(image, cax=fig.add_subplot(columns[2]))
        return {"simplex": simplex, "image": image, "title": axes.set_title("S\n" + TITLE, fontsize=11)}

    def update(artists, model="naive Bayes", kernel="Laplacian", bandwidth=1.0):
        y, p = data(model)
        k = KERNELS[kernel](bandwidth * median(model))
        f = kce_witness(y, p, at=inner, kernel=k)
        longest = np.sqrt((f**2).sum(axis=1)).max()
        simplex = artists["simplex"]
        simplex.update(p, size=7, title=f"{model}: the witness, from {SHOWN} digits")
        simplex.point(points, points + (to_plane(inner + 0.13 * f / longest) - points))
        features = low_rank(k, p, tol=0, max_rank=8).features
        S = -features.T @ residuals(y, p) / len(p)
        total = skce(y, p, kernel=k, estimator="biased")
        artists["image"].set_data(S)
        artists["title"].set_text(f"S: squares sum to {(S**2).sum():.4f}\nall features: {total:.4f}")
        biggest = points[np.argmax((f**2).sum(axis=1))]
        where = "no hole" if biggest[0] < 0.4 and biggest[1] < 0.4 else "two holes" if biggest[1] > 0.5 else "one hole"
        return (
            f"{model}, {kernel} kernel at {bandwidth:g} × the median distance: KCE = {np.sqrt(total):.4f}, its square "
            f"{total:.4f}, the first 8 features carry {(S**2).sum():.4f}. The witness is strongest near “{where}”."
        )

    return explore(
        setup, update, size=(9.4, 4.4), model=[CAST[3], *CAST[:3]], kernel=list(KERNELS),
        bandwidth=SCALES, labels={"bandwidth": "bandwidth / median"},
    )  # fmt: skip


def three_estimators():
    """Sampling distributions of the biased, unbiased and linear estimate, on the poster's data with ten classes."""
    names = ("biased", "unbiased", "linear")

    def setup(fig):
        for towards in ("M2", "M3"):
            for n in sims.SIZES:
                sims.estimates(n, towards)
        rows = fig.add_gridspec(3, 1)
        panels = {}
        for row, (name, colour) in enumerate(zip(names, ("pink", "sky", "green"), strict=True)):
            panels[name] = Histogram(fig.add_subplot(rows[row]), np.linspace(-1, 1, 121), colour=colour)
            axes = panels[name].axes
            axes.set(ylabel="", xticks=[])
            panels[name].title.set_fontsize(11)
            axes.axvline(0, color=COLOURS["grey"], lw=1)
            if row:
                axes.get_legend().remove()
        axes.set_xlabel("SKCE estimate; the axis adapts to each setting, its middle (grey) is 0")
        return panels

    def update(panels, n=100, strength=0.5, towards="M3"):
        truth = strength**2 * sims.true_skce(towards, 10)
        found = sims.estimates(n, towards)[strength]
        unit = max(2.5 * found[2].std(), truth + 2.5 * found[2].std())
        where = f"{strength:.0%} of the way from M1 to {towards}; "
        said, price = [], (f"{n * n:,}", f"{n * (n - 1) // 2:,}", f"{n // 2:,}")
        for name, values, terms in zip(names, found, price, strict=True):
            panels[name].update(
                values / unit, truth / unit, values.mean() / unit,
                f"{where}{name}, {terms} terms: mean {values.mean():.5f} ± {values.std() / sims.REPEATS**0.5:.5f}",
            )  # fmt: skip
            where = ""  # the first panel has said it
            said.append(f"{name} averages {values.mean():.5f} with standard deviation {values.std():.5f}")
        # Three titles cost most of a redraw, so the truth is told once.
        return f"n = {n}, {strength:.0%} of the way from M1 to {towards}, true SKCE {truth:.5f}: {'; '.join(said)}."

    return explore(setup, update, size=(9, 5), n=sims.SIZES, strength=sims.STRENGTHS, towards=["M3", "M2"])


def p_value_race():
    """Every data set gives each test one p-value; their distribution functions grow as data sets are drawn."""

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(-0.01, 1.01), ylim=(-0.7, len(sims.RACE) - 0.3), xlabel="p-value")
        left.set_yticks(range(len(sims.RACE)), sims.RACE[::-1])
        for label in left.get_yticklabels():
            label.set_color(COLOURS[COLOUR[label.get_text()]])
        dots = {
            name: left.scatter([], [], s=22, color=COLOURS[COLOUR[name]], alpha=0.6, lw=0, clip_on=False)
            for name in sims.RACE
        }
        for dot in dots.values():
            dot.set_in_layout(False)
        level = left.axvline(0.05, color=COLOURS["ink"], lw=1)
        square(right, xlabel="level α", ylabel="share of p-values ≤ α")
        lines = {name: right.step([], [], where="post", color=COLOURS[COLOUR[name]], lw=1.8)[0] for name in sims.RACE}
        mark = right.axvline(0.05, color=COLOURS["ink"], lw=1)
        return {"dots": dots, "lines": lines, "level": level, "mark": mark, "title": left.set_title(TITLE)}

    def update(artists, one_more=0, twenty_more=0, strength=0.0, alpha=0.05):
        drawn = min(1 + one_more + 20 * twenty_more, sims.RACE_SETS)
        pvalues = sims.race(strength)[:, :drawn]
        shake = np.random.default_rng(0).uniform(-0.3, 0.3, sims.RACE_SETS)[:drawn]
        said = []
        for row, (name, values) in enumerate(zip(sims.RACE[::-1], pvalues[::-1], strict=True)):
            artists["dots"][name].set_offsets(np.column_stack([values, row + shake]))
            artists["lines"][name].set_data(*steps(values))
            said.append(f"{name} {int((values <= alpha + 1e-12).sum())}")
        artists["level"].set_xdata([alpha, alpha])
        artists["mark"].set_xdata([alpha, alpha])
        truth = "calibrated" if strength == 0 else f"{strength:.0%} of the way to M3"
        what = f"{drawn} data set{'s' if drawn > 1 else ''}, {truth}"
        artists["title"].set_text(what)
        last = f"the last one's exact p-value is {pvalues[sims.RACE.index('exact'), -1]:.2f}"
        return f"{what}; {last}. Rejected at α = {alpha:.2f}: {', '.join(said[::-1])}."

    return explore(
        setup, update, size=(9.6, 4.2), one_more="draw another data set", twenty_more="draw 20 more",
        strength=sims.RACE_STRENGTHS, alpha=(0.01, 0.5, 0.01), labels={"strength": "miscalibration", "alpha": "level α"},
    )  # fmt: skip


def bounds_are_shy():
    """What three bounds make of the expected estimate as n grows, for the poster's M3 with more or fewer classes."""
    sizes = np.unique(np.logspace(1, 6, 241).astype(int))
    names = {"D_b": ("pink", "-"), "D_uq and D_ul": ("blue", "-")}

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xscale="log", xlim=(10, 1e6), ylim=(0, 1.03), xlabel="number of predictions n", ylabel="bound on p")
        lines = {
            name: axes.plot([], [], color=COLOURS[c], ls=style, label=name)[0] for name, (c, style) in names.items()
        }
        level = axes.axhline(0.05, color=COLOURS["ink"], lw=1)
        needed = [axes.axvline(10, color=COLOURS[c], ls="--", lw=1.2) for c, _ in names.values()]
        axes.legend(loc="center left")
        axes.text(12, 0.07, "α", va="bottom")
        return {"lines": lines, "level": level, "needed": needed, "title": axes.set_title(TITLE)}

    def update(artists, strength=1.0, classes=10, alpha=0.05):
        truth = strength**2 * sims.true_skce("M3", classes)
        diagonal = 1 - 1 / classes  # E‖δ‖² is close to this: E h(Z, Z) of uniform labels and confident predictions
        biased = np.array([bound_pvalue(truth + (diagonal - truth) / n, n, 2, biased=True) for n in sizes])
        unbiased = np.array([bound_pvalue(truth, n, 2, biased=False) for n in sizes])
        artists["lines"]["D_b"].set_data(sizes, biased)
        artists["lines"]["D_uq and D_ul"].set_data(sizes, unbiased)
        artists["level"].set_ydata([alpha, alpha])
        first = [int(sizes[np.argmax(p <= alpha)]) if (p <= alpha).any() else None for p in (biased, unbiased)]
        for line, n in zip(artists["needed"], first, strict=True):
            line.set_xdata([n or 1e9] * 2)
        said = [f"{n:,}" if n else "more than 1,000,000" for n in first]
        artists["title"].set_text(f"{classes} classes, SKCE = {truth:.4f}: D_b needs n = {said[0]}")
        return (
            f"{strength:.0%} of the way to M3, {classes} classes, SKCE {truth:.4f}: at the expected estimate D_b falls "
            f"below α = {alpha:.2f} at n = {said[0]}, D_uq and D_ul at n = {said[1]}."
        )

    return explore(
        setup, update, size=(8.8, 3.8), strength=(0.2, 1.0, 0.1), classes=sims.BOUND_CLASSES, alpha=(0.01, 0.2, 0.01),
        labels={"strength": "miscalibration", "alpha": "level α"},
    )  # fmt: skip


def redraw_what():
    """Two ways to draw data sets under “calibrated”, one binned error: p-values of calibrated models."""

    def setup(fig):
        axes = fig.add_subplot()
        square(axes, xlabel="level α", ylabel="share of calibrated models rejected")
        # Kolmogorov's band: the curve of exact p-values stays inside in 95 of 100 simulations like this one.
        room = kstwo.ppf(0.95, sims.REDRAW_SETS)
        axes.fill_between([0, 1], [-room, 1 - room], [room, 1 + room], color=COLOURS["grey"], alpha=0.2, lw=0)
        lines = [
            axes.step([], [], where="post", color=COLOURS[c], label=label)[0]
            for c, label in (("orange", "C: predictions and labels"), ("green", "labels only"))
        ]
        axes.legend(loc="lower right")
        return {"lines": lines, "title": axes.set_title(TITLE)}

    def update(artists, n=100, cells=5):
        pvalues = sims.redrawn(n, cells)
        for line, values in zip(artists["lines"], pvalues, strict=True):
            line.set_data(*steps(values))
        share = (pvalues <= 0.05 + 1e-12).mean(axis=1)
        artists["title"].set_text(f"rejected at .05: C {share[0]:.0%}, labels only {share[1]:.0%}")
        return (
            f"n = {n}, {cells} steps along each of 5 classes, calibrated model: at level .05 consistency resampling "
            f"rejects {share[0]:.1%} of {pvalues.shape[1]} data sets, redrawing labels only {share[1]:.1%}."
        )

    return explore(setup, update, size=(6.6, 4.4), n=sims.REDRAW_SIZES, cells=sims.REDRAW_CELLS,
                   labels={"cells": "steps along each class"})  # fmt: skip


def by_counting():
    """Three predictions, all 27 label vectors: the exact null distribution, and the p-value's own distribution."""
    base = np.array([[0.7, 0.2, 0.1], [0.25, 0.6, 0.15], [0.3, 0.3, 0.4]])

    def setup(fig):
        columns = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(-0.8, 26.8), ylim=(0, 0.62), xlabel="27 label vectors, in the order of the statistic",
                 ylabel="probability if calibrated", xticks=[])  # fmt: skip
        bars = PolyCollection([], lw=0)
        left.add_collection(bars)
        (mark,) = left.plot([], [], "v", ms=9, color=COLOURS["orange"])
        square(right, xlabel="level α", ylabel="P(p-value ≤ α)")
        (reach,) = right.step([], [], where="post", color=COLOURS["green"])
        (dot,) = right.plot([], [], "o", ms=10, color=COLOURS["orange"], clip_on=False)
        dot.set_in_layout(False)
        return {"bars": bars, "mark": mark, "steps": reach, "dot": dot, "title": left.set_title(TITLE)}

    def update(artists, observed=20, sharpness=1.0):
        p = base**sharpness
        p /= p.sum(axis=1, keepdims=True)
        labels, mass, statistic = sims.enumerate_labels(p, 0.5)
        order = np.lexsort((-mass, np.round(statistic, 12)))
        labels, mass, statistic = labels[order], mass[order], statistic[order]
        pvalue = np.array([mass[statistic >= t - 1e-12].sum() for t in statistic])
        here = observed - 1
        boxes = [[(k - 0.42, 0), (k + 0.42, 0), (k + 0.42, m), (k - 0.42, m)] for k, m in enumerate(mass)]
        artists["bars"].set_verts(boxes)
        tail = statistic >= statistic[here] - 1e-12
        colours = np.where(tail, COLOURS["orange"], COLOURS["sky"])
        artists["bars"].set_facecolor(list(colours))
        artists["mark"].set_data([here], [mass[here] + 0.025])
        levels = np.unique(np.round(pvalue, 12))
        reached = np.array([mass[pvalue <= level + 1e-12].sum() for level in levels])
        artists["steps"].set_data(np.concatenate([[0], levels, [1]]), np.concatenate([[0], reached, [1]]))
        artists["dot"].set_data([pvalue[here]], [pvalue[here]])
        artists["title"].set_text(f"labels {''.join(map(str, labels[here]))}: p = {pvalue[here]:.3f}")
        return (
            f"Observed labels {', '.join(map(str, labels[here]))}: statistic {statistic[here]:+.3f}; {int(tail.sum())} "
            f"of the 27 label vectors are at least as extreme, with probability {pvalue[here]:.3f} together."
        )

    return explore(setup, update, size=(9.4, 3.9), observed=(1, 27, 1), sharpness=(0.0, 4.0, 0.5),
                   labels={"observed": "observed vector, by rank"})  # fmt: skip


def which_bandwidth():
    """Power of the exact test along the bandwidth, and of the aggregated test that chooses none."""

    def setup(fig):
        return power_curve(fig, sims.FACTORS, "one bandwidth", key="upper right", xlabel="bandwidth / median distance")

    def update(artists, gap="one wave", n=200):
        single, aggregated = sims.power(gap, n)
        best = show_power(artists, sims.FACTORS, single, aggregated)
        artists["title"].set_text(
            f"single {single.min():.2f} to {single.max():.2f}, best at {best:g}; aggregated {aggregated:.2f}"
        )
        return (
            f"n = {n}, frequencies miss: {gap}. One bandwidth rejects {single.min():.0%} to {single.max():.0%} of 100 "
            f"data sets (best at {best:g} × the median distance), the aggregated test {aggregated:.0%}."
        )

    return explore(setup, update, size=(8.8, 4), gap=list(sims.GAPS), n=sims.POWER_SIZES)


# --- the poster's figures, from the stored simulation ---
