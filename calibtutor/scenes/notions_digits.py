"""Scenes of notebook 01 on real predictions."""

from functools import lru_cache

import numpy as np

from ..binning import expected_calibration_error
from ..datasets import digits_cast, hole_predictions
from ..explore import explore
from ..plots import COLOURS, Simplex
from ..predictions import top_label
from ..simplex import simplex_cells

__all__ = ["accuracy_and_calibration", "by_ink", "real_triangle"]

HOLES = ("none", "one", "two")


def real_triangle():
    """Real three-class predictions, “how many holes has this digit?”, with arrows to what happened."""
    cast = {name: hole_predictions(name, noise=0.35) for name in digits_cast() if name != "decision tree"}

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        cells, points = (fig.add_subplot(g) for g in grid)
        return {"points": Simplex(points, HOLES, title="every prediction"), "cells": Simplex(cells, HOLES)}

    def update(artists, model="random forest", cells=4):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        said, happened, count = simplex_cells(y_true, y_prob, n_cells=cells)
        artists["points"].update(y_prob, size=9)
        artists["cells"].update(said, happened, size=8 + count, title="from what it said to what happened")
        gap = np.sqrt(((said - happened) ** 2).sum(axis=1))
        return (
            f"{model} on 1079 noisy digits, three classes by number of holes: in {len(count)} cells of the triangle "
            f"the prediction and the observed frequencies are {count @ gap / count.sum():.3f} apart on average."
        )

    return explore(setup, update, size=(9, 4.2), model=list(cast), cells=(2, 8, 1))


def accuracy_and_calibration():
    """Each model as a point: accuracy across, calibration error up. A temperature moves one of them."""
    cast = digits_cast()
    temperatures = [0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0]

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xlim=(0, 1.24), ylim=(-0.02, 0.85), xlabel="accuracy", ylabel="calibration error (ECE, 15 bins)")
        axes.set_xticks(np.linspace(0, 1, 6))
        for name, each in cast.items():
            x, y = _accuracy(each), _ece(each, 1.0)
            side = -1 if x < 0.93 else 1  # labels of the accurate models fit on the right only
            axes.plot(x, y, "o", color=COLOURS["grey"], ms=9, zorder=2)
            axes.annotate(name, (x, y), (10 * side, -4), textcoords="offset points", ha="left" if side > 0 else "right")
        y_true = cast["random forest"].y_true
        constant = np.full((len(y_true), 10), 0.1)
        x, y = (y_true == 0).mean(), expected_calibration_error(y_true, constant)
        axes.plot(x, y, "s", color=COLOURS["ink"], ms=9)
        axes.annotate("constant model: “10 % each”", (x, y), (10, 8), textcoords="offset points")
        (trail,) = axes.plot([], [], color=COLOURS["sky"], lw=2, zorder=1)
        (dot,) = axes.plot([], [], "o", color=COLOURS["orange"], ms=12, zorder=3)
        return {"trail": trail, "dot": dot}

    def update(artists, model="naive Bayes", temperature=1.0):
        each = cast[model]
        x, y = _accuracy(each), _ece(each, temperature)
        artists["trail"].set_data([x] * len(temperatures), [_ece(each, t) for t in temperatures])
        artists["dot"].set_data([x], [y])
        return f"{model} at temperature {temperature:g}: accuracy {x:.3f}, calibration error {y:.3f}."

    return explore(setup, update, size=(8.4, 4.2), model=list(cast), temperature=temperatures)


def by_ink():
    """The gap of a model by how dark the digit is written."""
    cast = digits_cast()

    def setup(fig):
        some = next(iter(cast.values()))
        order = np.argsort(some.ink, kind="stable")
        grid = fig.add_gridspec(3, 1, height_ratios=[1, 1, 4.2])
        for row, (title, chosen) in enumerate([("least ink", order[:18]), ("most ink", order[-18:])]):
            axes = fig.add_subplot(grid[row])
            axes.imshow(1 - np.hstack([np.pad(some.images[i], 1) for i in chosen]), cmap="gray", vmin=0, vmax=1)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_ylabel(title, rotation=0, ha="right", va="center")
            axes.spines[:].set_visible(False)
        axes = fig.add_subplot(grid[2])
        axes.set(xlim=(0, 1), ylim=(-0.36, 0.32), xlabel="digits from least to most ink (share)",
                 ylabel="confidence − accuracy")  # fmt: skip
        axes.axhline(0, color=COLOURS["ink"], lw=1)
        mean = axes.axhline(0, color=COLOURS["grey"], ls="--", lw=1.5)
        (points,) = axes.plot([], [], "o", color=COLOURS["orange"], ms=9)
        bars = axes.vlines([0], [0], [0], color=COLOURS["orange"], lw=2)
        return {"mean": mean, "points": points, "bars": bars}

    def update(artists, model="naive Bayes", groups=4):
        each = cast[model]
        hit, confidence = top_label(each.y_true, each.y_prob)
        delta = confidence - hit
        parts = np.array_split(delta[np.argsort(each.ink, kind="stable")], groups)
        centre = (np.arange(groups) + 0.5) / groups
        gap = np.array([part.mean() for part in parts])
        error = np.array([part.std(ddof=1) / np.sqrt(len(part)) for part in parts])
        artists["points"].set_data(centre, gap)
        artists["bars"].set_segments(
            [[(x, g - 2 * e), (x, g + 2 * e)] for x, g, e in zip(centre, gap, error, strict=True)]
        )
        artists["mean"].set_ydata([delta.mean()] * 2)
        return (
            f"{model}: gap {delta.mean():+.3f} on average (dashed); by ink, lightest to heaviest of {groups} groups: "
            + ", ".join(f"{g:+.3f}" for g in gap) + " (bars: ± 2 standard errors)."
        )  # fmt: skip

    return explore(setup, update, size=(9, 4.6), model=list(cast), groups=(1, 8, 1))


@lru_cache
def _accuracy(each):
    return top_label(each.y_true, each.y_prob)[0].mean()


@lru_cache(maxsize=200)
def _ece(each, temperature):
    """ECE after temperature scaling: p ∝ p^(1/T) leaves the order of the classes, so the accuracy, alone."""
    log_p = np.log(np.maximum(each.y_prob, 1e-300)) / temperature
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    return expected_calibration_error(each.y_true, p / p.sum(axis=1, keepdims=True))
