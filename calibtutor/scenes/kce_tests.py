"""Scenes of notebook 04, second half: from an estimate to a p-value."""

import numpy as np
from matplotlib.collections import PolyCollection
from scipy.stats import kstwo

from ..explore import explore
from ..nulls import bound_pvalue
from ..plots import COLOURS, TITLE
from .kce_simulations import (
    FACTORS,
    GAPS,
    POWER_SIZES,
    RACE,
    RACE_SETS,
    RACE_STRENGTHS,
    REDRAW_CELLS,
    REDRAW_SETS,
    REDRAW_SIZES,
    enumerate_labels,
    power,
    race,
    redrawn,
    true_skce,
)

__all__ = ["bounds_are_shy", "by_counting", "p_value_race", "redraw_what", "which_bandwidth"]

COLOUR = {
    "C on an ECE": "orange", "C": "orange", "C, colliding cells": "yellow", "D_b": "grey", "D_uq": "grey",
    "D_ul": "grey", "A_uq": "blue", "A_l": "sky", "exact": "green", "aggregated": "pink", "exact ECE": "ink",
    "C with SKCE_uq": "orange",
}  # fmt: skip


def square(axes, **labels):
    """Axes for a distribution function of p-values, with the diagonal that honesty demands."""
    axes.set(xlim=(0, 1), ylim=(0, 1.01), **labels)
    axes.plot([0, 1], [0, 1], color=COLOURS["ink"], lw=1, ls="--")


def _steps(pvalues):
    """x and y of the empirical distribution function, from 0 to 1."""
    x = np.concatenate([[0], np.sort(pvalues), [1]])
    y = np.concatenate([np.arange(len(pvalues) + 1) / len(pvalues), [1]])
    return x, y


def p_value_race():
    """Every data set gives each test one p-value; their distribution functions grow as data sets are drawn."""

    def setup(fig):
        for strength in RACE_STRENGTHS:
            race(strength)
        columns = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        left, right = (fig.add_subplot(column) for column in columns)
        left.set(xlim=(-0.01, 1.01), ylim=(-0.7, len(RACE) - 0.3), xlabel="p-value")
        left.set_yticks(range(len(RACE)), RACE[::-1])
        for label in left.get_yticklabels():
            label.set_color(COLOURS[COLOUR[label.get_text()]])
        dots = {
            name: left.scatter([], [], s=22, color=COLOURS[COLOUR[name]], alpha=0.6, lw=0, clip_on=False)
            for name in RACE
        }
        for dot in dots.values():
            dot.set_in_layout(False)
        level = left.axvline(0.05, color=COLOURS["ink"], lw=1)
        square(right, xlabel="level α", ylabel="share of p-values ≤ α")
        lines = {name: right.step([], [], where="post", color=COLOURS[COLOUR[name]], lw=1.8)[0] for name in RACE}
        mark = right.axvline(0.05, color=COLOURS["ink"], lw=1)
        return {"dots": dots, "lines": lines, "level": level, "mark": mark, "title": left.set_title(TITLE)}

    def update(artists, one_more=0, twenty_more=0, strength=0.0, alpha=0.05):
        drawn = min(1 + one_more + 20 * twenty_more, RACE_SETS)
        pvalues = race(strength)[:, :drawn]
        shake = np.random.default_rng(0).uniform(-0.3, 0.3, RACE_SETS)[:drawn]
        said = []
        for row, (name, values) in enumerate(zip(RACE[::-1], pvalues[::-1], strict=True)):
            artists["dots"][name].set_offsets(np.column_stack([values, row + shake]))
            artists["lines"][name].set_data(*_steps(values))
            said.append(f"{name} {int((values <= alpha + 1e-12).sum())}")
        artists["level"].set_xdata([alpha, alpha])
        artists["mark"].set_xdata([alpha, alpha])
        truth = "calibrated" if strength == 0 else f"{strength:.0%} of the way to M3"
        what = f"{drawn} data set{'s' if drawn > 1 else ''}, {truth}"
        artists["title"].set_text(what)
        last = f"the last one's exact p-value is {pvalues[RACE.index('exact'), -1]:.2f}"
        return f"{what}; {last}. Rejected at α = {alpha:.2f}: {', '.join(said[::-1])}."

    return explore(
        setup, update, size=(9.6, 4.2), one_more="draw another data set", twenty_more="draw 20 more",
        strength=RACE_STRENGTHS, alpha=(0.01, 0.5, 0.01), labels={"strength": "miscalibration", "alpha": "level α"},
    )  # fmt: skip


BOUND_CLASSES = [2, 3, 5, 10, 30]


def bounds_are_shy():
    """What three bounds make of the expected estimate as n grows, for the poster's M3 with more or fewer classes."""
    sizes = np.unique(np.logspace(1, 6, 241).astype(int))
    names = {"D_b": ("pink", "-"), "D_uq and D_ul": ("blue", "-")}

    def setup(fig):
        for classes in BOUND_CLASSES:
            true_skce("M3", classes)
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
        truth = strength**2 * true_skce("M3", classes)
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
        setup, update, size=(8.8, 3.8), strength=(0.2, 1.0, 0.1), classes=BOUND_CLASSES, alpha=(0.01, 0.2, 0.01),
        labels={"strength": "miscalibration", "alpha": "level α"},
    )  # fmt: skip


def redraw_what():
    """Two ways to draw data sets under “calibrated”, one binned error: p-values of calibrated models."""

    def setup(fig):
        for n in REDRAW_SIZES:
            for cells in REDRAW_CELLS:
                redrawn(n, cells)
        axes = fig.add_subplot()
        square(axes, xlabel="level α", ylabel="share of calibrated models rejected")
        # Kolmogorov's band: the curve of exact p-values stays inside in 95 of 100 simulations like this one.
        room = kstwo.ppf(0.95, REDRAW_SETS)
        axes.fill_between([0, 1], [-room, 1 - room], [room, 1 + room], color=COLOURS["grey"], alpha=0.2, lw=0)
        lines = [
            axes.step([], [], where="post", color=COLOURS[c], label=label)[0]
            for c, label in (("orange", "C: predictions and labels"), ("green", "labels only"))
        ]
        axes.legend(loc="lower right")
        return {"lines": lines, "title": axes.set_title(TITLE)}

    def update(artists, n=100, cells=5):
        pvalues = redrawn(n, cells)
        for line, values in zip(artists["lines"], pvalues, strict=True):
            line.set_data(*_steps(values))
        share = (pvalues <= 0.05 + 1e-12).mean(axis=1)
        artists["title"].set_text(f"rejected at .05: C {share[0]:.0%}, labels only {share[1]:.0%}")
        return (
            f"n = {n}, {cells} steps along each of 5 classes, calibrated model: at level .05 consistency resampling "
            f"rejects {share[0]:.1%} of {pvalues.shape[1]} data sets, redrawing labels only {share[1]:.1%}."
        )

    return explore(setup, update, size=(6.6, 4.4), n=REDRAW_SIZES, cells=REDRAW_CELLS,
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
        (steps,) = right.step([], [], where="post", color=COLOURS["green"])
        (dot,) = right.plot([], [], "o", ms=10, color=COLOURS["orange"], clip_on=False)
        dot.set_in_layout(False)
        return {"bars": bars, "mark": mark, "steps": steps, "dot": dot, "title": left.set_title(TITLE)}

    def update(artists, observed=20, sharpness=1.0):
        p = base**sharpness
        p /= p.sum(axis=1, keepdims=True)
        labels, mass, statistic = enumerate_labels(p, 0.5)
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
        for name in GAPS:
            for n in POWER_SIZES:
                power(name, n)
        axes = fig.add_subplot()
        axes.set(xscale="log", xlim=(FACTORS[0] / 1.2, FACTORS[-1] * 1.2), ylim=(0, 1.02),
                 xlabel="bandwidth / median distance", ylabel="share rejected at .05")  # fmt: skip
        axes.set_xticks(FACTORS, [f"{f:g}" for f in FACTORS])
        axes.minorticks_off()
        (line,) = axes.plot([], [], "o-", color=COLOURS["green"], label="one bandwidth")
        together = axes.axhline(0, color=COLOURS["pink"], lw=2.5, label="aggregated over all")
        axes.axhline(0.05, color=COLOURS["grey"], lw=1, ls="--", label="level")
        axes.legend(loc="upper right")
        return {"line": line, "together": together, "title": axes.set_title(TITLE)}

    def update(artists, gap="one wave", n=200):
        single, aggregated = power(gap, n)
        artists["line"].set_data(FACTORS, single)
        artists["together"].set_ydata([aggregated, aggregated])
        best = FACTORS[int(single.argmax())]
        artists["title"].set_text(
            f"single {single.min():.2f} to {single.max():.2f}, best at {best:g}; aggregated {aggregated:.2f}"
        )
        return (
            f"n = {n}, frequencies miss: {gap}. One bandwidth rejects {single.min():.0%} to {single.max():.0%} of 100 "
            f"data sets (best at {best:g} × the median distance), the aggregated test {aggregated:.0%}."
        )

    return explore(setup, update, size=(8.8, 4), gap=list(GAPS), n=POWER_SIZES)


# --- the poster's figures, from the stored simulation ---
