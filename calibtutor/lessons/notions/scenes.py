"""Scenes of notebook 01, notions of calibration, in worlds whose truth is known."""

from functools import lru_cache

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from scipy.special import softmax
from scipy.stats import chi2

from ...binning import expected_calibration_error
from ...data.datasets import digits_cast, hole_predictions
from ...plots import (
    CHANCE_BARS,
    GREY,
    INK,
    KEPT,
    MISS,
    MODELS,
    SOFT,
    Finding,
    Ghost,
    Simplex,
    choice,
    estimate,
    misses,
    number,
    panel,
    reference,
    region,
    to_plane,
    words,
)  # fmt: skip
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

NOTHING = 1e-9  # an exact error below this is rounding
SAYS = "from what it says to what happens"


def what_diagrams_see(top, classes, vector):
    """Exact errors of the two diagrams' notions and of the whole vector, as a headline."""
    if vector <= NOTHING:
        return "Every promise is kept, in both diagrams and on the triangle"
    if top <= NOTHING and classes <= NOTHING:
        return f"Both diagrams are perfect, and the vector is {vector:.3f} off"
    if top <= NOTHING:
        return f"The top label is perfect, and the vector is {vector:.3f} off"
    return f"The top label is {top:.3f} off, the vector {vector:.3f}"


def perfect_diagonal():
    """Arrows on the triangle beside the two reliability diagrams that may not see them."""
    modes = {"trade the lower two": trade_lower, "six permutations": six_permutations}

    def setup(fig):
        grid = fig.add_gridspec(2, 2, width_ratios=[1.5, 1])
        triangle = Simplex(fig.add_subplot(grid[:, 0]), CLASSES)
        dots = []
        for row, title in enumerate(("top label", "each class")):
            axes = panel(fig, grid[row, 1], xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 1])
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"] if row else [])
            words(axes, 0.02, 0.98, title, bold=True, ha="left", va="top")
            reference(axes, [0, 1], [0, 1])
            dots.append([estimate(axes, color=colour, ms=7) for colour in (KEPT, MISS)])
        axes.set_xlabel("probability said")
        axes.set_ylabel("how often it happens", loc="bottom")
        return {"triangle": triangle, "dots": dots}

    def update(artists, world="trade the lower two", t=0.7):
        w = modes[world](t)
        p, r, q = w.predictions, w.frequencies, w.conditionals
        artists["triangle"].update(p, r, size=40)
        top, confidence = p.argmax(axis=1), p.max(axis=1)
        hit = w.given(confidence, np.take_along_axis(q, top[:, None], axis=1)[:, 0])
        classes = np.array([w.given(p[:, k], q[:, k]) for k in range(3)]).T
        for (kept, broken), said, happens in zip(
            artists["dots"], (confidence, p.ravel()), (hit, classes.ravel()), strict=True
        ):
            wrong = np.abs(said - happens) > NOTHING
            kept.set_data(said[~wrong], happens[~wrong])
            broken.set_data(said[wrong], happens[wrong])
        names = "top-label", "class-wise", "canonical"
        errors = [np.sqrt(w.calibration_error(name)) for name in names]
        return Finding(
            what_diagrams_see(*errors),
            f"arrows: {SAYS}, {len(p)} predictions; “{world}”, t = {t:.2f}",
            f"{world}, exact errors (root mean square): top label {errors[0]:.3f}, "
            f"each class {errors[1]:.3f}, canonical {errors[2]:.3f}.",
        )

    return explore(setup, update, size=(9, 4.6), world=list(modes), t=(0.0, 1.0, 0.05))


NODES = {  # notion: (x, y, words)
    "canonical": (0.5, 0.86, "canonical\nwhole vector"),
    "class-wise": (0.2, 0.48, "class-wise\neach class alone"),
    "top-label-per-class": (0.8, 0.48, "top label and its class\n(Gupta & Ramdas)"),
    "top-label": (0.8, 0.1, "top label = confidence\n(Guo; Gruber & Bach)"),
}
IMPLIES = [("canonical", "class-wise"), ("canonical", "top-label-per-class"), ("top-label-per-class", "top-label")]


def broken_notions(errors):
    """The headline of the ladder from the exact error of each notion."""
    broken = [name for name, error in errors.items() if error > NOTHING]
    if not broken:
        return "No notion is broken"
    if len(broken) == len(errors):
        return "All four notions are broken"
    return f"{len(broken)} of {len(errors)} notions broken: {', '.join(broken)}"


def ladder():
    """Which notion implies which, with the exact error of each in a chosen world."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = panel(fig, grid[0], read_y=False, xlim=(-0.06, 1.06), ylim=(-0.03, 1))
        axes.set_axis_off()
        boxes, numbers = {}, {}
        for notion, (x, y, _) in NODES.items():
            boxes[notion] = axes.add_patch(
                FancyBboxPatch((x - 0.23, y - 0.1), 0.46, 0.2, boxstyle="round,pad=0.02", lw=0, zorder=2)
            )
            numbers[notion] = words(axes, x, y, "", colour="white", size=11)
        for a, b in IMPLIES:
            (xa, ya, _), (xb, yb, _) = NODES[a], NODES[b]
            axes.add_patch(
                FancyArrowPatch((xa, ya - 0.12), (xb, yb + 0.12), arrowstyle="-|>", mutation_scale=16, lw=1.6, color=INK,
                                shrinkA=1, shrinkB=1)
            )  # fmt: skip
        words(axes, 0.5, 0.66, "implies", colour=SOFT)
        triangle = Simplex(fig.add_subplot(grid[1]), CLASSES)
        return {"boxes": boxes, "numbers": numbers, "triangle": triangle}

    def update(artists, world="six permutations", strength=0.8):
        w = WORLDS[world](strength)
        artists["triangle"].update(w.predictions, w.frequencies, size=30)
        errors = {notion: np.sqrt(w.calibration_error(notion)) for notion in NODES}
        for notion, (_, _, name) in NODES.items():
            wrong = errors[notion] > NOTHING
            artists["boxes"][notion].set_facecolor(MISS if wrong else KEPT)
            artists["numbers"][notion].set_text(
                f"{name}\n{'error ' + format(errors[notion], '.3f') if wrong else '✓ 0'}"
            )
        broken = [notion for notion in NODES if errors[notion] > NOTHING]
        return Finding(
            broken_notions(errors),
            f"red: broken, with its exact error; right: said → happens in “{world}”, strength {strength:.1f}",
            f"{DESCRIPTIONS[world]} " + (f"Broken: {', '.join(broken)}." if broken else "Every notion holds."),
        )

    return explore(setup, update, size=(9, 4.8), world=list(WORLDS), strength=(0.0, 1.0, 0.1))


def murphy_verdict(brier, sharpness, calibration):
    """What of the Brier score the model could save by keeping its promises, as a headline."""
    if calibration < 0.0005:
        return f"No calibration error: sharpness {sharpness:.3f} alone makes the score {brier:.3f}"
    return f"{calibration:.3f} of the Brier score {brier:.3f} is calibration error"


def murphy_dials():
    """The Brier score as chance, minus sharpness, plus calibration error."""
    rows = {"chance": GREY, "− sharpness": KEPT, "+ calibration error": MISS, "= Brier score": INK}

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1, 1.35])
        triangle = Simplex(fig.add_subplot(grid[0]), CLASSES)
        axes = panel(
            fig, grid[1], xlim=(0, 1.12), ylim=(-0.6, 3.6), xlabel="expected squared error", xticks=[0, 0.5, 1]
        )
        axes.spines["left"].set_visible(False)
        axes.set_yticks(range(4), list(rows)[::-1])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        colours = CHANCE_BARS, KEPT, MISS, INK
        bars = axes.barh(range(3, -1, -1), [1] * 4, height=0.6, color=colours)
        numbers = [number(axes, colour=colour, offset=(6, 0)) for colour in (SOFT, KEPT, MISS, INK)]
        return {"triangle": triangle, "bars": list(bars), "numbers": numbers}

    def update(artists, merge=1, exaggerate=1.6):
        w = murphy_world(merge, exaggerate)
        p, r, base = w.predictions, w.frequencies, w.marginal
        calibration = w.calibration_error()
        sharpness = w.weights @ ((r - base) ** 2).sum(axis=1)
        chance = 1 - base @ base
        brier = w.expectation(lambda p, e: ((p - e) ** 2).sum(axis=-1))
        artists["triangle"].update(p, r, size=45)
        spans = [(0, chance), (chance - sharpness, sharpness), (chance - sharpness, calibration), (0, brier)]
        for row, (bar, note, (left, width)) in enumerate(zip(artists["bars"], artists["numbers"], spans, strict=True)):
            bar.set_x(left)
            bar.set_width(width)
            note.xy = (left + width, 3 - row)
            note.set_text(f"{width:.3f}")
        kinds = len(np.unique(p.round(12), axis=0))
        return Finding(
            murphy_verdict(brier, sharpness, calibration),
            f"arrows: {SAYS}; {kinds} different predictions, exaggerated by the power {exaggerate:.1f}",
            f"Different predictions: {kinds}. Chance {chance:.3f} − sharpness "
            f"{sharpness:.3f} + calibration error {calibration:.3f} = Brier score {brier:.3f}.",
        )

    return explore(
        setup, update, size=(9, 4.4), merge=(0, 4, 1), exaggerate=(0.4, 3.0, 0.1),
        labels={"merge": "merge cells", "exaggerate": "exaggerate (power)"},
    )  # fmt: skip


def _payoff(value):
    """Small payoffs are shown as small, not as 0."""
    return f"{value:.3f}" if value >= 0.0005 else "0" if value < 1e-12 else f"{value:.0e}"


CLASSES_OF_F = ["constants", "linear", "RKHS ball", "bounded"]


def what_it_earns(functions, payoff):
    """A class of functions and its best payoff, as a headline."""
    if payoff < 1e-12:
        return f"The best bet from “{functions}” earns nothing: it sees no error"
    return f"The best bet from “{functions}” earns {_payoff(payoff)}"


def opponent():
    """The function that exposes the model most, for four classes of functions, and what it earns."""
    steps = 9
    lattice = np.array([(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    # At the corners themselves an arrow would run into their names.
    lattice = lattice[lattice.max(axis=1) < 1]

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.4, 1])
        triangle = Simplex(fig.add_subplot(grid[0]), CLASSES, arrow_colour=KEPT, point_colour=GREY)
        axes = panel(fig, grid[1], xlim=(0, 0.84), ylim=(-0.6, 3.6), xlabel="what the best bet earns",
                     xticks=[0, 0.25, 0.5, 0.75])  # fmt: skip
        axes.spines["left"].set_visible(False)
        axes.set_yticks(range(4), CLASSES_OF_F[::-1])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        bars = axes.barh(range(3, -1, -1), [1] * 4, height=0.6, color=KEPT)
        numbers = [number(axes, colour=KEPT, offset=(6, 0)) for _ in CLASSES_OF_F]
        return {"triangle": triangle, "bars": list(bars), "numbers": numbers}

    def update(artists, functions="RKHS ball", world="six permutations", bandwidth=0.3):
        w = WORLDS[world](1.0)
        earns, field = best_opponents(w, bandwidth)
        at = w.predictions if functions == "bounded" else lattice
        arrows = field[functions](at)
        longest = np.sqrt((arrows**2).sum(axis=1)).max() if earns[functions] > 1e-12 else 0.0
        arrows = 0.11 * arrows / longest if longest else np.zeros_like(arrows)
        artists["triangle"].update(w.predictions, size=22)
        artists["triangle"].point(to_plane(at), to_plane(at + arrows))
        for row, (bar, note, name) in enumerate(zip(artists["bars"], artists["numbers"], CLASSES_OF_F, strict=True)):
            bar.set_width(earns[name])
            bar.set_alpha(1 if name == functions else 0.35)
            note.xy = (earns[name], 3 - row)
            note.set_text(_payoff(earns[name]))
            note.set_color(KEPT if name == functions else SOFT)
        return Finding(
            what_it_earns(functions, earns[functions]),
            f"arrows: the bet; grey: what is predicted; “{world}”, width of the RKHS's kernel {bandwidth:g}",
            f"World “{world}”: the best of {functions} earns {_payoff(earns[functions])}"
            + (": it sees nothing." if earns[functions] < 1e-12 else "."),
        )

    return explore(
        setup, update, size=(9, 4.6), functions=CLASSES_OF_F, world=list(WORLDS),
        bandwidth=[0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0], labels={"functions": "bets from"},
    )  # fmt: skip


HOLES = ("no hole", "one hole", "two holes")


def real_triangle():
    """Real three-class predictions, “how many holes has this digit?”, with arrows to what happened."""
    cast = {name: hole_predictions(name, noise=0.35) for name in MODELS if name != "decision tree"}

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        cells, points = (fig.add_subplot(g) for g in grid)
        return {"cells": Simplex(cells, HOLES), "points": Simplex(points, HOLES)}

    def update(artists, model="random forest", cells=4):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        said, happened, count = simplex_cells(y_true, y_prob, n_steps=cells)
        artists["points"].update(y_prob, size=9)
        artists["cells"].update(said, happened, size=8 + count)
        for triangle in artists.values():
            triangle.points.set_color(MODELS[model][0])
        gap = np.sqrt(((said - happened) ** 2).sum(axis=1))
        error = count @ gap / count.sum()
        return Finding(
            f"{model[0].upper()}{model[1:]}: what happens is {error:.3f} away from what it says",
            f"arrows: {SAYS}, mean of each of {len(count)} cells; right: {len(y_true):,} noisy digits",
            f"{model} on {len(y_true)} noisy digits, three classes by number of holes: in {len(count)} cells of the "
            f"triangle the prediction and the observed frequencies are {error:.3f} apart on average.",
        )

    return explore(setup, update, size=(9, 4.6), model=list(cast), cells=(2, 8, 1))


def accuracy_and_calibration():
    """Each model as a point: accuracy across, calibration error up. A temperature moves one of them."""
    cast = digits_cast()
    temperatures = [0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0]

    def setup(fig):
        axes = panel(fig, xlim=(0.8, 1), ylim=(-0.03, 0.88), xlabel="accuracy", xticks=[0.8, 0.85, 0.9, 0.95, 1],
                     yticks=[0, 0.4, 0.8], ylabel="calibration error (ECE, 15 bins)")  # fmt: skip
        axes.xaxis.set_major_formatter("{x:.0%}")
        (rings,) = axes.plot([], [], "o", ms=6, mfc="white", mec=GREY, mew=1, zorder=2, in_layout=False)
        for name, each in cast.items():
            x, y, (_, _, colour) = _accuracy(each), _ece(each, 1.0), MODELS[name]
            estimate(axes, [x], [y], model=name)
            side = 1 if name == "neural network" else -1  # on the other side of where the others' rings rise
            axes.annotate(name, (x, y), (12 * side, 0), textcoords="offset points", color=colour, fontsize=12,
                          ha="left" if side > 0 else "right", va="center")  # fmt: skip
        y_true = cast["random forest"].y_true
        x, y = (y_true == 0).mean(), expected_calibration_error(y_true, np.full((len(y_true), 10), 0.1))
        region(axes, 0.803, 0.8, f"far to the left: “10% each”\nis right {x:.0%} of the time, error {y:.3f}", ha="left")
        return {"rings": rings, "dot": choice(axes)}

    def update(artists, model="random forest", temperature=0.5):
        each = cast[model]
        x, y = _accuracy(each), _ece(each, temperature)
        artists["rings"].set_data([x] * len(temperatures), [_ece(each, t) for t in temperatures])
        artists["dot"].set_data([x], [y])
        name = f"{model[0].upper()}{model[1:]}"
        return Finding(
            f"{name}: {x:.0%} right, calibration error {y:.3f}"
            if temperature == 1
            else f"{name}: still {x:.0%} right, error {y:.3f} instead of {_ece(each, 1.0):.3f}",
            f"rings: temperatures from {temperatures[0]:g} to {temperatures[-1]:g}, you are at {temperature:g}; "
            f"{len(each.y_true):,} digits",
            f"{model} at temperature {temperature:g}: accuracy {x:.3f}, calibration error {y:.3f}.",
        )

    return explore(setup, update, size=(9, 4.8), model=list(cast), temperature=temperatures)


def what_ink_does(gap, error, mean):
    """Whether groups miss differently, as a headline: a chi-square test of their gaps against the mean, at 5%."""
    if len(gap) == 1:
        return f"On average it is {mean:+.3f} off; one group cannot show more"
    k = int(np.abs(gap - mean).argmax())
    place = "lightest" if k == 0 else "darkest" if k == len(gap) - 1 else f"{k + 1}. lightest"
    if chi2.sf((((gap - mean) / error) ** 2).sum(), len(gap) - 1) > 0.05:
        return f"Off by {mean:+.3f} on average, and no more than chance between the groups"
    return f"Off by {mean:+.3f} on average, by {gap[k]:+.3f} on the {place} of {len(gap)} groups"


def by_ink():
    """The gap of a model by how dark the digit is written."""
    cast = digits_cast()

    def setup(fig):
        some = next(iter(cast.values()))
        order = np.argsort(some.ink, kind="stable")
        grid = fig.add_gridspec(2, 1, height_ratios=[1, 5.4])
        strip = panel(fig, grid[0], read_y=False)
        chosen = np.concatenate([order[:11], order[-11:]])
        strip.imshow(1 - np.hstack([np.pad(some.images[i], 1) for i in chosen]), cmap="gray", vmin=0, vmax=1)
        strip.set_axis_off()
        axes = panel(fig, grid[1], xlim=(0, 1.1), ylim=(-0.36, 0.32), ylabel="said − happened", xticks=[],
                     yticks=[-0.3, 0, 0.3])  # fmt: skip
        axes.spines["bottom"].set_visible(False)
        reference(axes, [0, 1], [0, 0])
        region(axes, 0.01, 0.29, "says too much", ha="left")
        region(axes, 0.01, -0.33, "says too little", ha="left")
        words(axes, 0.14, -0.36, "← least ink", colour=SOFT, va="top")
        words(axes, 0.86, -0.36, "most ink →", colour=SOFT, va="top")
        mean = estimate(axes, [0, 1], [0, 0], line=True, color=SOFT, lw=1.6)
        stems, bars = misses(axes), axes.vlines([0], [0], [0], color=INK, lw=1.2, zorder=3.5)
        dots = estimate(axes)
        name = number(axes, colour=SOFT, offset=(5, 0), size=11)
        return {"mean": mean, "stems": stems, "bars": bars, "dots": dots, "ghost": Ghost(dots), "name": name}

    def update(artists, model="naive Bayes", groups=4):
        each = cast[model]
        hit, confidence = top_label(each.y_true, each.y_prob)
        delta = confidence - hit
        parts = np.array_split(delta[np.argsort(each.ink, kind="stable")], groups)
        centre = (np.arange(groups) + 0.5) / groups
        gap = np.array([part.mean() for part in parts])
        error = np.array([part.std(ddof=1) / np.sqrt(len(part)) for part in parts])
        artists["dots"].set_data(centre, gap)
        artists["dots"].set(color=MODELS[model][0], marker=MODELS[model][1], mec="white")
        artists["stems"].set_segments([[(x, 0), (x, g)] for x, g in zip(centre, gap, strict=True)])
        artists["bars"].set_segments(
            [[(x, g - 2 * e), (x, g + 2 * e)] for x, g, e in zip(centre, gap, error, strict=True)]
        )
        artists["mean"].set_ydata([delta.mean()] * 2)
        artists["name"].xy = (1, delta.mean())
        artists["name"].set_text(f"average\n{delta.mean():+.3f}".replace("-", "−"))
        said = f"{model}: gap {delta.mean():+.3f} on average (grey line); by ink, lightest to heaviest of {groups} groups: "
        said += ", ".join(f"{g:+.3f}" for g in gap) + " (bars: ± 2 standard errors)."
        return Finding(
            what_ink_does(gap, error, delta.mean()).replace("-", "−"),
            f"{model}, {len(hit):,} digits in {groups} groups by ink; bars: ± 2 standard errors",
            said,
        )

    return explore(setup, update, size=(9, 4.8), model=list(cast), groups=(1, 8, 1))


@lru_cache
def _accuracy(each):
    return top_label(each.y_true, each.y_prob)[0].mean()


@lru_cache(maxsize=200)
def _ece(each, temperature):
    """ECE after temperature scaling: p ∝ p^(1/T) leaves the order of the classes, so the accuracy, alone."""
    log_p = np.log(np.maximum(each.y_prob, 1e-300)) / temperature
    return expected_calibration_error(each.y_true, softmax(log_p, axis=1))
