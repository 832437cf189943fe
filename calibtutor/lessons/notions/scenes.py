"""Scenes of notebook 01, notions of calibration, in worlds whose truth is known."""

from functools import lru_cache

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from scipy.special import softmax

from ...binning import expected_calibration_error
from ...data.datasets import MODELS, digits_cast, hole_predictions
from ...plots import COLOURS, Simplex, to_plane
from ...predictions import top_label
from ...simplex import simplex_cells
from ...teach.explore import explore
from .worlds import CLASSES, DESCRIPTIONS, WORLDS, best_opponents, murphy_world, six_permutations, trade_lower

__all__ = [
    "accuracy_and_calibration",
    "by_ink",
    "ladder",
    "murphy_dials",
    "opponent",
    "perfect_diagonal",
    "real_triangle",
]

def perfect_diagonal():
    """Arrows on the triangle beside the two reliability diagrams that may not see them."""
    modes = {"trade the lower two": trade_lower, "six permutations": six_permutations}

    def setup(fig):
        grid = fig.add_gridspec(1, 3, width_ratios=[1.7, 1, 1])
        triangle = Simplex(fig.add_subplot(grid[0]), CLASSES)
        panels = []
        for column, (title, colours) in enumerate(
            [("top label", ["blue"]), ("each class", ["grey", "orange", "green"])], start=1
        ):
            axes = fig.add_subplot(grid[column])
            axes.set(xlim=(0, 1), ylim=(0, 1), title=title, xlabel="probability said")
            axes.plot([0, 1], [0, 1], color=COLOURS["grey"], lw=1, ls="--", zorder=1)
            axes.set_xticks([0, 0.5, 1])
            axes.set_yticks([0, 0.5, 1])
            if column == 1:
                axes.set_ylabel("how often it happens")
            names = CLASSES if len(colours) == 3 else [None]
            for c, name, size in zip(colours, names, [9, 6.5, 4], strict=False):
                (points,) = axes.plot([], [], "o", ms=size, color=COLOURS[c], label=name, clip_on=False)
                points.set_in_layout(False)  # empty and unclipped, it would squeeze the panels to nothing
                panels.append(points)
            if column == 2:
                axes.legend(loc="upper left", handletextpad=0.1, borderpad=0, fontsize=9)
        return {"triangle": triangle, "panels": panels}

    def update(artists, world="trade the lower two", t=0.7):
        w = modes[world](t)
        p, r, q = w.predictions, w.frequencies, w.conditionals
        artists["triangle"].update(p, r, size=40, title="arrow: prediction → what happens")
        top, confidence = p.argmax(axis=1), p.max(axis=1)
        hit = w.given(confidence, np.take_along_axis(q, top[:, None], axis=1)[:, 0])
        artists["panels"][0].set_data(confidence, hit)
        for k in range(3):
            artists["panels"][1 + k].set_data(p[:, k], w.given(p[:, k], q[:, k]))
        return (
            f"{world}, exact errors (root mean square): top label {np.sqrt(w.calibration_error('top-label')):.3f}, "
            f"each class {np.sqrt(w.calibration_error('class-wise')):.3f}, "
            f"canonical {np.sqrt(w.calibration_error()):.3f}."
        )

    return explore(setup, update, size=(9.8, 3.7), world=list(modes), t=(0.0, 1.0, 0.05))


NODES = {  # notion: (x, y, words)
    "canonical": (0.5, 0.84, "canonical\nwhole vector"),
    "class-wise": (0.21, 0.48, "class-wise\neach class alone"),
    "top-label-per-class": (0.77, 0.48, "top label and its class\n(Gupta & Ramdas)"),
    "top-label": (0.77, 0.12, "top label = confidence\n(Guo; Gruber & Bach)"),
}
IMPLIES = [("canonical", "class-wise"), ("canonical", "top-label-per-class"), ("top-label-per-class", "top-label")]


def ladder():
    """Which notion implies which, with the exact error of each in a chosen world."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        axes = fig.add_subplot(grid[0])
        axes.set(xlim=(-0.06, 1.06), ylim=(0, 1))
        axes.set_axis_off()
        axes.set_title("an arrow means “implies”")
        boxes, numbers = {}, {}
        for notion, (x, y, words) in NODES.items():
            boxes[notion] = axes.add_patch(
                FancyBboxPatch((x - 0.2, y - 0.085), 0.4, 0.17, boxstyle="round,pad=0.02", lw=0, zorder=2)
            )
            numbers[notion] = axes.text(x, y, words, ha="center", va="center", zorder=3, color="white", fontsize=10)
        for a, b in IMPLIES:
            (xa, ya, _), (xb, yb, _) = NODES[a], NODES[b]
            axes.add_patch(
                FancyArrowPatch((xa, ya - 0.105), (xb, yb + 0.105), arrowstyle="-|>", mutation_scale=16, lw=1.6,
                                color=COLOURS["ink"], shrinkA=1, shrinkB=1)
            )  # fmt: skip
        triangle = Simplex(fig.add_subplot(grid[1]), CLASSES)
        return {"boxes": boxes, "numbers": numbers, "triangle": triangle}

    def update(artists, world="six permutations", strength=0.8):
        w = WORLDS[world](strength)
        artists["triangle"].update(w.predictions, w.frequencies, size=30, title=world)
        broken = []
        for notion, (_, _, words) in NODES.items():
            error = np.sqrt(w.calibration_error(notion))
            wrong = error > 1e-9
            broken += [notion] if wrong else []
            artists["boxes"][notion].set_facecolor(COLOURS["orange" if wrong else "green"])
            artists["numbers"][notion].set_text(f"{words}\n{'error ' + format(error, '.3f') if wrong else '✓ 0'}")
        return f"{DESCRIPTIONS[world]} " + (f"Broken: {', '.join(broken)}." if broken else "Every notion holds.")

    return explore(setup, update, size=(9.4, 4.4), world=list(WORLDS), strength=(0.0, 1.0, 0.1))


def murphy_dials():
    """The Brier score as chance, minus sharpness, plus calibration error."""
    rows = ["chance", "− sharpness", "+ calibration", "= Brier score"]
    colours = [COLOURS["grey"], COLOURS["green"], COLOURS["orange"], COLOURS["blue"]]

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1, 1.35])
        triangle = Simplex(fig.add_subplot(grid[0]), CLASSES)
        axes = fig.add_subplot(grid[1])
        axes.set(xlim=(0, 1.05), ylim=(-0.6, 3.6), xlabel="expected squared error")
        axes.set_yticks(range(4), rows[::-1])
        bars = axes.barh(range(3, -1, -1), [1] * 4, height=0.6, color=colours)
        numbers = [axes.text(0, y, "", va="center", fontsize=11) for y in range(3, -1, -1)]
        return {"triangle": triangle, "bars": list(bars), "numbers": numbers}

    def update(artists, merge=0, exaggerate=1.0):
        w = murphy_world(merge, exaggerate)
        p, r, base = w.predictions, w.frequencies, w.marginal
        calibration = w.calibration_error()
        sharpness = w.weights @ ((r - base) ** 2).sum(axis=1)
        chance = 1 - base @ base
        brier = w.expectation(lambda p, e: ((p - e) ** 2).sum(axis=-1))
        artists["triangle"].update(p, r, size=45, title="prediction → what happens")
        spans = [(0, chance), (chance - sharpness, sharpness), (chance - sharpness, calibration), (0, brier)]
        for bar, number, (left, width) in zip(artists["bars"], artists["numbers"], spans, strict=True):
            bar.set_x(left)
            bar.set_width(width)
            number.set_x(left + width + 0.01)
            number.set_text(f"{width:.3f}")
        return (
            f"Different predictions: {len(np.unique(p.round(12), axis=0))}. Chance {chance:.3f} − sharpness "
            f"{sharpness:.3f} + calibration error {calibration:.3f} = Brier score {brier:.3f}."
        )

    return explore(
        setup, update, size=(9.4, 3.8), merge=(0, 4, 1), exaggerate=(0.4, 3.0, 0.1),
        labels={"merge": "merge cells", "exaggerate": "exaggerate (power)"},
    )  # fmt: skip


def _payoff(value):
    """Small payoffs are shown as small, not as 0."""
    return f"{value:.3f}" if value >= 0.0005 else "0" if value < 1e-12 else f"{value:.0e}"


CLASSES_OF_F = ["constants", "linear", "RKHS ball", "bounded"]


def opponent():
    """The function that exposes the model most, for four classes of functions, and what it earns."""
    steps = 9
    lattice = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        triangle = Simplex(fig.add_subplot(grid[0]), CLASSES, arrow_colour="pink")
        axes = fig.add_subplot(grid[1])
        axes.set(xlim=(0, 0.78), ylim=(-0.6, 3.6), xlabel="best payoff CE[F]", title="what it earns")
        axes.set_yticks(range(4), CLASSES_OF_F[::-1])
        bars = axes.barh(range(3, -1, -1), [1] * 4, height=0.6, color=COLOURS["pink"])
        numbers = [axes.text(0, y, "", va="center") for y in range(3, -1, -1)]
        return {"triangle": triangle, "bars": list(bars), "numbers": numbers}

    def update(artists, functions="RKHS ball", world="six permutations", bandwidth=0.3):
        w = WORLDS[world](1.0)
        earns, field = best_opponents(w, bandwidth)
        at = w.predictions if functions == "bounded" else lattice
        arrows = field[functions](at)
        longest = np.sqrt((arrows**2).sum(axis=1)).max() if earns[functions] > 1e-12 else 0.0
        arrows = 0.13 * arrows / longest if longest else np.zeros_like(arrows)
        artists["triangle"].update(w.predictions, size=22, title=f"the best bet: {functions}")
        artists["triangle"].point(to_plane(at), to_plane(at + arrows))
        for bar, number, name in zip(artists["bars"], artists["numbers"], CLASSES_OF_F, strict=True):
            bar.set_width(earns[name])
            bar.set_alpha(1 if name == functions else 0.35)
            number.set_x(earns[name] + 0.01)
            number.set_text(_payoff(earns[name]))
        return f"World “{world}”: the best of {functions} earns {_payoff(earns[functions])}" + (
            ": it sees nothing." if earns[functions] < 1e-12 else "."
        )

    return explore(
        setup, update, size=(9.4, 4.2), functions=CLASSES_OF_F, world=list(WORLDS),
        bandwidth=[0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0], labels={"functions": "bets from"},
    )  # fmt: skip


HOLES = ("none", "one", "two")


def real_triangle():
    """Real three-class predictions, “how many holes has this digit?”, with arrows to what happened."""
    cast = {name: hole_predictions(name, noise=0.35) for name in MODELS if name != "decision tree"}

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1])
        cells, points = (fig.add_subplot(g) for g in grid)
        return {"points": Simplex(points, HOLES, title="every prediction"), "cells": Simplex(cells, HOLES)}

    def update(artists, model="random forest", cells=4):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        said, happened, count = simplex_cells(y_true, y_prob, n_steps=cells)
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
    return expected_calibration_error(each.y_true, softmax(log_p, axis=1))
