"""Pictures: arrows on the triangle, what diagrams see, the ladder of notions, Murphy's dials, temperature."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from ...estimates.binning import expected_calibration_error
from ...data.datasets import MODELS as TRAINED
from ...data.datasets import digits_cast, digits_predictions, hole_predictions
from ...plots import (CHANCE_BARS, GREY, INK, KEPT, MISS, MODELS, NUMBER, SMALL, SOFT, Finding, estimate, misses, panel,
                      reference, words)
from ...door.predictions import top_label
from ...estimates.simplex import cell_of
from ...teach.explore import explore
from ...teach.hands import Hand
from ...teach.marks import choice, number, tell, truth
from ..shared.triangle import CLASSES, Simplex, arrow_polygons, to_plane
from ..shared.verdicts import capital
from .worlds import DRAGGED, ORDERS, SIGNS, WORLDS, murphy_world, placed, trade_lower

__all__ = ["accuracy_and_calibration", "ladder", "murphy_dials", "perfect_diagonal", "real_triangle"]

EXACT = 1e-9  # errors are exact sums here: below this they are rounding


def what_diagrams_see(top, classes, canonical):
    """The finding of two diagrams and the arrows, from the errors of each."""
    if canonical < EXACT:
        return "Canonically calibrated: every arrow has length 0"
    seen = [name for name, error in (("top label", top), ("each class", classes)) if error > EXACT]
    if not seen:
        return f"Both diagrams are perfect, and the whole vector is off by {canonical:.3f}"
    if len(seen) == 2:
        return f"Both diagrams see that the whole vector is off by {canonical:.3f}"
    perfect = "Each class" if seen[0] == "top label" else "The top label"
    return f"{perfect} looks perfect; “{seen[0]}” and the whole vector do not"


def what_diagrams_show(w):
    """What is said and how often it happens, in the diagram of the top label and in the one of each class."""
    p, q = w.predictions, w.conditionals
    top, confidence = p.argmax(axis=1), p.max(axis=1)
    right = np.take_along_axis(q, top[:, None], axis=1)[:, 0]
    each = [w.given(p[:, k], q[:, k]) for k in range(p.shape[1])]
    return (confidence, w.given(confidence, right)), (p.T.ravel(), np.concatenate(each))


EYES = {"whole vector": "canonical", "each class": "class-wise", "top label": "top label"}  # how one looks, and its notion
ASIDE = 0.024  # arrows along an edge lie on its left


def on_edges(eye, values):
    """Where an eye sees what is said or happens, three points a kind: class k between the next corner, 0, and its own, 1;
    the top label on the lower edge, from left to right."""
    to = np.arange(3).repeat(len(values) // 3) if eye == "each class" else np.ones(3 * len(values), int)
    corners, start = to_plane(np.eye(3)), (to + 1) % 3 if eye == "each class" else 0
    return corners[start] + np.resize(values, len(to))[:, None] * (corners[to] - corners[start])


LEVER = 0.12  # the tip is drawn from that far in front of it: at t = 0 it would lie below the prediction


def shadows(p, q):
    """An arrow from p to q, both (3,), in the diagrams that see its first class, or each: said and happens."""
    first = [p.argmax()]
    return (p[first], q[first]), (p, q)


def perfect_diagonal():
    """Arrows on the triangle beside the two reliability diagrams that may not see them."""

    def in_hand():
        others = trade_lower(1, placed(0.3, 0.6))
        return {"dragged": DRAGGED, "said": others.predictions.tolist(), "happens": others.conditionals.tolist(),
                "orders": ORDERS, "signs": SIGNS, "lever": LEVER, "aside": ASIDE}

    def setup(fig):
        grid = fig.add_gridspec(2, 2, width_ratios=[1.35, 1])
        triangle = Simplex(fig.add_subplot(grid[:, 0]), CLASSES)
        triangle.axes.set_xlim(-0.15, 1.15)  # room for a lever that leads out
        diagrams = []
        for row, name in enumerate(("top label", "each class")):
            axes = panel(fig, grid[row, 1], xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="happens", yticks=[0, 1],
                         box_aspect=1, anchor="W")
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"] if row else [])
            reference(axes, [0, 1], [0, 1])
            words(axes, 1.1, 0.62, name, bold=True, ha="left")
            tips = truth(axes, ls="", marker="o", ms=4, zorder=5.5, clip_on=False, in_layout=False)
            diagrams.append({"stems": misses(axes), "dots": estimate(axes, ms=8), "tips": tips,
                             "shadow": misses(axes, colors=INK, lw=1.4, zorder=5),
                             "error": words(axes, 1.1, 0.42, "error 0.000", bold=True, ha="left", size=NUMBER)})
        axes.set_xlabel("probability said")
        words(diagrams[0]["dots"].axes, 1.1, 0.25, "thin:\nyellow alone", colour=SOFT, ha="left")
        of = triangle.axes
        diagrams.append({"error": words(of, -0.14, 0.845, "", bold=True, ha="left", size=NUMBER)})
        return {"triangle": triangle, "lever": reference(of), "fall": misses(of, colors=GREY, lw=1.2, linestyles="--"),
                "own": misses(of, colors=INK, lw=1.4, zorder=5), "tip": choice(of, ms=9), "dot": choice(of),
                "eye": words(of, -0.14, 0.92, "whole vector", bold=True, ha="left"), "diagrams": diagrams,
                "edge": words(of, 0.5, -0.05, "", colour=SOFT, va="top")}

    def update(artists, world="trade the lower two", t=0.0, look="whole vector", human=0.3, animal=0.6):
        said, kind = placed(human, animal), DRAGGED[world]
        w, full = WORLDS[world](t, said), WORLDS[world](1, said)
        every = errors_of(w)
        p, q, errors = w.predictions, w.frequencies, [every[notion] for notion in ("top label", "class-wise", "canonical")]
        at, tip, goal = to_plane(np.array([said, q[kind], full.frequencies[kind]]))
        length = np.hypot(*(goal - at))
        front = tip + LEVER * ((goal - at) / length if length > EXACT else np.array([1, 0]))
        artists["dot"].set_data(*at[:, None])
        artists["tip"].set_data(*front[:, None])
        artists["lever"].set_data(*np.array([tip, front]).T)
        shown, mine = what_diagrams_show(w), shadows(p[kind], q[kind])
        ends, aside, owns = np.tile(to_plane(np.stack([p, q])), (3, 1)), 0, []
        if look != "whole vector":
            ends, owns = ([on_edges(look, each) for each in of[look == "each class"]] for of in (shown, mine))
            along = ends[1] - ends[0]
            aside = ASIDE * along[:, ::-1] * (-1, 1) / np.maximum(np.hypot(*along.T), EXACT)[:, None]
        artists["triangle"].points.set(offsets=ends[0], sizes=[55])
        artists["triangle"].point(ends[0] + aside, ends[1] + aside)
        artists["fall"].set_segments([(at, each) for each in owns[0]] if owns else [])
        artists["own"].set_segments([(at, tip), *zip(*owns, strict=True)] if owns else [])
        artists["eye"].set_text(look)
        artists["edge"].set_text("confidence: 0 left, 1 right" if look == "top label" else "")
        for parts, (said, happens), own in zip(artists["diagrams"], shown, mine, strict=False):
            parts["dots"].set_data(said, happens)
            parts["stems"].set_segments([[(a, a), (a, b)] for a, b in zip(said, happens, strict=True)])
            parts["shadow"].set_segments([[(a, a), (a, b)] for a, b in zip(*own, strict=True)])
            parts["tips"].set_data(*own)
        for parts, error in zip(artists["diagrams"], [*errors[:2], every[EYES[look]]], strict=True):
            parts["error"].set(text=f"error {error:.3f}", color=MISS if error > EXACT else KEPT)
        yellow = ", ".join(f"{each:.2f}" for each in p[kind])
        return Finding(
            what_diagrams_see(*errors),
            f"red: said → happens, {look}, {len(p)} kinds; yellow: ({yellow}); “{world}”, t = {t:.2f}",
            f"Exact errors, root mean square: top label {errors[0]:.3f}, each class {errors[1]:.3f}, canonical {errors[2]:.3f}.")

    return explore(
        setup, update, size=(9, 5.2), code=(what_diagrams_show, errors_of), world=list(DRAGGED), t=(0.0, 1.0, 0.05), look=list(EYES),
        human=(0.01, 0.98, 0.01), animal=(0.01, 0.98, 0.01), labels={"look": "look at", "human": "yellow says “human”", "animal": "yellow says “animal”"},
        hand=Hand("perfect_diagonal", __file__, in_hand, 1.6))


NODES = {  # notion: (x, y, words)
    "canonical": (0.5, 0.86, "canonical\nwhole vector"),
    "class-wise": (0.2, 0.49, "class-wise\neach class alone"),
    "top label and its class": (0.76, 0.49, "top label and its class\n(Gupta & Ramdas)"),
    "top label": (0.76, 0.12, "top label = confidence\n(Guo; Gruber & Bach)")}
IMPLIES = [("canonical", "class-wise"), ("canonical", "top label and its class"),
           ("top label and its class", "top label")]


def what_is_broken(errors):
    """The finding of the ladder, from the error of every notion; what is exactly 0 holds."""
    broken = [notion for notion, error in errors.items() if error > EXACT]
    holds = [notion for notion, error in errors.items() if error <= EXACT]
    if not broken:
        return "Every notion holds: every arrow has length 0"
    if len(holds) == 1:
        return f"Only “{holds[0]}” holds, the other three fail"
    if len(broken) == 1:
        return f"Only “{broken[0]}” fails: the other three see nothing"
    return f"These fail: {' and '.join(broken)}; the other two see nothing"


def errors_of(w):
    """For each notion: root of the mean squared difference between what is said and what then happens in a world."""
    p, q, top = w.predictions, w.conditionals, w.predictions.argmax(axis=1)
    said, right = (np.take_along_axis(x, top[:, None], axis=1)[:, 0] for x in (p, q))  # of the class ranked first
    mean_squares = {
        "canonical": w.weights @ ((p - w.given(p, q)) ** 2).sum(axis=1),
        "class-wise": np.mean([w.weights @ (p_k - w.given(p_k, q_k)) ** 2 for p_k, q_k in zip(p.T, q.T, strict=True)]),
        "top label and its class": w.weights @ (said - w.given(np.column_stack([said, top]), right)) ** 2,
        "top label": w.weights @ (said - w.given(said, right)) ** 2}
    return {notion: np.sqrt(each) for notion, each in mean_squares.items()}


def ladder():
    """Which notion implies which, with the exact error of each in a chosen world."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        axes = fig.add_subplot(grid[0])
        axes.set(xlim=(-0.05, 1.02), ylim=(0, 1))
        axes.set_axis_off()
        nodes = {}
        for notion, (x, y, text) in NODES.items():
            box = FancyBboxPatch((x - 0.21, y - 0.1), 0.42, 0.2, "round,pad=0.02", lw=0, zorder=2)
            name = words(axes, x, y + 0.035, text, colour="white")  # returned: the boxes that move would cover it
            verdict = words(axes, x, y - 0.07, "", colour="white", bold=True, size=NUMBER)
            nodes[notion] = axes.add_patch(box), name, verdict
        for a, b in IMPLIES:
            (xa, ya, _), (xb, yb, _) = NODES[a], NODES[b]
            axes.add_patch(FancyArrowPatch((xa, ya - 0.12), (xb, yb + 0.12), arrowstyle="-|>", mutation_scale=18,
                                           lw=1.8, color=INK, shrinkA=1, shrinkB=1))
        words(axes, 0.58, 0.675, "implies", colour=SOFT, style="italic", ha="right")
        return {"nodes": nodes, "triangle": Simplex(fig.add_subplot(grid[1]), CLASSES)}

    def update(artists, world="trade the lower two", strength=0.8):
        w = WORLDS[world](strength)
        artists["triangle"].update(w.predictions, w.frequencies, size=40)
        errors = errors_of(w)
        for notion, error in errors.items():
            (box, _, verdict), wrong = artists["nodes"][notion], error > EXACT
            box.set_facecolor(MISS if wrong else KEPT)
            verdict.set_text(f"error {error:.3f}" if wrong else "holds: 0")
        return Finding(
            what_is_broken(errors),
            f"exact errors; right: from said to what happens in the world “{world}”, strength {strength:.1f}",
            WORLDS[world].__doc__.partition("\n")[0] if strength else "")

    return explore(setup, update, size=(9, 4.8), code=errors_of, world=list(WORLDS), strength=(0.0, 1.0, 0.1))


def murphy_verdict(calibration, sharpness):
    """The finding of the split: what the two come to, and whether either is exactly 0."""
    if calibration < EXACT:
        if sharpness < EXACT:
            return "The same answer for all: calibrated, and sharpness is 0"
        return f"Calibrated, and sharpness saves {sharpness:.3f}"
    if sharpness < EXACT:
        return f"Sharpness is 0, and calibration error costs {calibration:.3f}"
    return f"Sharpness saves {sharpness:.3f}, calibration error costs {calibration:.3f}"


def murphy_parts(w):
    """Chance, sharpness, calibration error and Brier score of a world: exact sums over its kinds of input."""
    p, r = w.predictions, w.frequencies
    mean = w.weights @ r
    chance = 1 - mean @ mean
    sharpness = w.weights @ ((r - mean) ** 2).sum(axis=1)
    calibration = w.weights @ ((p - r) ** 2).sum(axis=1)
    brier = w.expectation(lambda p, e: ((p - e) ** 2).sum(axis=-1))  # over labels, without r
    return chance, sharpness, calibration, brier


def murphy_dials():
    """The Brier score as chance, minus sharpness, plus calibration error."""
    rows = [("chance", CHANCE_BARS, SOFT), ("− sharpness", KEPT, KEPT), ("+ calib. error", MISS, MISS),
            ("= Brier score", GREY, INK)]

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.35, 1])
        triangle = Simplex(fig.add_subplot(grid[1]), CLASSES)
        axes = panel(fig, grid[0], xlim=(0, 0.85), ylim=(3.5, -0.5), x=[0, 0.4, 0.8], xlabel="expected squared error",
                     yticks=range(4), yticklabels=[name for name, _, _ in rows])
        axes.tick_params(axis="y", length=0)
        for label, (_, _, colour) in zip(axes.get_yticklabels(), rows, strict=True):
            label.set_color(colour)
        bars = axes.add_collection(PolyCollection([], facecolor=[colour for _, colour, _ in rows], zorder=3))
        return {"triangle": triangle, "joints": misses(axes, colors=GREY, lw=1), "bars": bars,
                "numbers": [number(axes, colour=colour, offset=(7, 0)) for _, _, colour in rows]}

    def update(artists, merge=0, exaggerate=1.0):
        w = murphy_world(merge, exaggerate)
        p, (chance, sharpness, calibration, brier) = w.predictions, murphy_parts(w)
        artists["triangle"].update(p, w.frequencies, size=55)
        spans = [(0, chance), (chance - sharpness, chance), (chance - sharpness, brier), (0, brier)]
        artists["bars"].set_verts(
            [[(a, y - 0.3), (b, y - 0.3), (b, y + 0.3), (a, y + 0.3)] for y, (a, b) in enumerate(spans)])
        ends = (chance, chance - sharpness, brier)  # a bar starts where the one above it ended
        artists["joints"].set_segments([[(x, y + 0.3), (x, y + 0.7)] for y, x in enumerate(ends)])
        for y, (each, (a, b)) in enumerate(zip(artists["numbers"], spans, strict=True)):
            tell(each, (b, y), f"{b - a:z.3f}")
        kinds = len(np.unique(p.round(12), axis=0))
        fault = "over-confident" if exaggerate > 1 else "under-confident" if exaggerate < 1 else "calibrated"
        return Finding(
            murphy_verdict(calibration, sharpness),
            f"{kinds} answer{'s' if kinds > 1 else ''} for {len(p)} kinds, {fault} (power {exaggerate:.1f}); "
            "red bar: mean square of the arrows",
            f"Chance {chance:.3f} − sharpness + calibration error = Brier score {brier:.3f}.")

    return explore(
        setup, update, size=(9, 4.4), merge=(0, 4, 1), exaggerate=(0.4, 3.0, 0.1),
        labels={"merge": "merge cells", "exaggerate": "exaggerate (power)"}, code=(murphy_world, murphy_parts))


HOLES = ("no hole", "one hole", "two holes")
LEAST = 10  # digits in a cell that the headline may speak of


def stands_out(said, happened, count):
    """The cell and class (i, k) with the largest miss beyond 3 standard errors of what was said, or None.

    Cells of fewer than 10 digits are left out.
    """
    error = np.sqrt(said * (1 - said) / count[:, None])
    miss = np.abs(said - happened)
    miss = np.where((miss > 3 * error) & (count[:, None] >= LEAST), miss, 0)
    return np.unravel_index(miss.argmax(), miss.shape) if miss.any() else None


def arrows(model="random forest", cells=4):
    """From mean prediction to frequencies, cell by cell of five or more digits, and how many digits each cell holds."""
    digits = hole_predictions(model, noise=0.35)
    cell = cell_of(digits.y_prob, cells)
    count = np.bincount(cell)
    full = count >= 5
    share = (cell == np.flatnonzero(full)[:, None]) / count[full, None]  # of each digit in the mean of a cell
    return share @ digits.y_prob, share @ np.eye(3)[digits.y_true], count[full]


def real_triangle():
    """Real three-class predictions, “how many holes has this digit?”, with arrows to what happened."""
    cast = {name: hole_predictions(name, noise=0.35) for name in TRAINED if name != "decision tree"}

    def setup(fig):
        titles = "neighbours\ntogether", "every\nprediction"
        cells, points = (Simplex(fig.add_subplot(g), HOLES, title=title)
                         for g, title in zip(fig.add_gridspec(1, 2), titles, strict=True))
        cells.arrows.set_alpha(0.4)
        return {"points": points, "cells": cells,
                "loud": cells.axes.add_collection(PolyCollection([], facecolor=MISS, lw=0, zorder=5)),
                "note": number(cells.axes, colour=MISS, ha="center")}

    def update(artists, model="random forest", cells=4):
        (said, happened, count), n = arrows(model, cells), len(cast[model].y_true)
        artists["points"].update(cast[model].y_prob, size=10, model=model)
        artists["cells"].update(said, happened, size=12 + count, model=model)
        gap = np.sqrt(((said - happened) ** 2).sum(axis=1))
        headline = f"No cell of {LEAST} or more digits misses by over 3 standard errors"
        drawn, note = "red: from said to what happens", artists["note"]
        note.set_text("")
        artists["loud"].set_verts([])
        if found := stands_out(said, happened, count):
            i, k = found
            headline = f"Where it says {said[i, k]:.0%} “{HOLES[k]}”, {happened[i, k]:.0%} have {HOLES[k]}"
            ends = to_plane(np.array([said[i], happened[i]]))
            artists["loud"].set_verts(arrow_polygons(ends[:1], ends[1:], 0.02))
            away = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1])  # the number stands behind its arrow
            beside = 66 if away[1] > 0.5 else -64 * np.sign(away[0]) if ends[0, 1] < 0.05 else 0  # off a corner's name
            drawn = f"bold: the largest miss ({count[i]} digits), over 3 standard errors"
            tell(note, ends[0], f"{said[i, k]:.0%} → {happened[i, k]:.0%}",
                 position=(52 * away[0] + beside, 18 * away[1]))
        return Finding(
            headline, f"{model}, {n:,} digits, {cells} cells a side; {drawn}",
            f"In {len(count)} cells of five or more digits, prediction and frequencies are {count @ gap / count.sum():.3f} apart on average.")

    return explore(setup, update, size=(9, 4.9), code=(arrows, stands_out), model=list(cast), cells=(2, 8, 1))


TEMPERATURES = [0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0]


def moved(name, temperature, before, after):
    """What a temperature does to a calibration error; by less than .001 it leaves it alone."""
    if temperature == 1:
        return f"{name}: calibration error {after:.3f} as it is"
    if abs(after - before) < 0.001:
        return f"{name}: calibration error stays at {after:.3f}"
    return f"{name}: calibration error {'down' if after < before else 'up'} from {before:.3f} to {after:.3f}"


@lru_cache(maxsize=200)
def error_at(model="random forest", temperature=1.0):
    """Accuracy and ECE after dividing log-probabilities by a temperature: p becomes p^(1/T), rescaled."""
    digits = digits_predictions(model)
    p = digits.y_prob ** (1 / temperature)
    p = p / p.sum(axis=1, keepdims=True)
    hit, _ = top_label(digits.y_true, p)
    return hit.mean(), expected_calibration_error(digits.y_true, p)


def accuracy_and_calibration():
    """Each model as a point: accuracy across, calibration error up. A temperature moves one of them."""
    cast = digits_cast()
    y_true = cast["random forest"].y_true
    # where a name stands: beside three accurate models there is room on the left only
    places = dict(zip(cast, [(-11, 0), (-11, 0), (11, -11), (0, 18), (11, -11)], strict=True))

    def setup(fig):
        axes = panel(fig, xlim=(0.8, 1.0), yscale="log", ylim=(6e-4, 1.2), y=[0.001, 0.01, 0.1, 1], xlabel="accuracy",
                     ylabel="calibration error (ECE), log axis")
        axes.set_xticks([0.8, 0.9, 1], ["80%", "90%", "100%"])
        for name in cast:
            for temperature in TEMPERATURES:  # once, so that no slider step waits
                error_at(name, temperature)
            at, (dx, dy) = error_at(name, 1.0), places[name]
            estimate(axes, *([x] for x in at), model=name)
            axes.annotate(name, at, (dx, dy), textcoords="offset points", ha=("right", "center", "left")[np.sign(dx) + 1],
                          va="center", color=MODELS[name][2], zorder=9)
        blind, error = (y_true == 0).mean(), expected_calibration_error(y_true, np.full((len(y_true), 10), 0.1))
        words(axes, 0.801, error, f"◀ far left: “10% each” for every digit, {blind:.0%} right, error {error:.4f}",
              ha="left", colour=SOFT)
        (fan,) = axes.plot([], [], ls="-", lw=1, ms=6, alpha=0.5, zorder=3)
        ends = [words(axes, 0.9, 0.1, "", colour=SOFT, size=SMALL, ha="right") for _ in range(2)]
        return {"fan": fan, "ends": ends, "dot": choice(axes), "now": number(axes)}

    def update(artists, model="random forest", temperature=1.0):
        colour, marker, text = MODELS[model]
        x, y = error_at(model, temperature)
        errors = [error_at(model, t)[1] for t in TEMPERATURES]
        moves = temperature != 1  # at T = 1 the reader is asked which way it moves
        artists["fan"].set_data([x] * len(errors) if moves else [], errors if moves else [])
        artists["fan"].set(color=colour, marker=marker)
        wide = moves and max(errors) > 4 * min(errors)
        for end, i in zip(artists["ends"], (0, -1), strict=True):
            end.set(position=(x - 0.004, errors[i]), text=f"T = {TEMPERATURES[i]:g}" if wide else "")
        artists["dot"].set_data([x], [y])
        side, up = (-14, 0) if model == "naive Bayes" else (14, 9)
        tell(artists["now"], (x, y), f"{y:.3f}", color=text, position=(side, up), ha="left" if side > 0 else "right")
        _, start = error_at(model, 1.0)
        return Finding(
            moved(capital(model), temperature, start, y),
            f"yellow: at temperature T = {temperature:g}; accuracy {f'stays {x:.1%} at every T (pale)' if moves else f'{x:.1%}'}; "
            f"{len(y_true):,} digits, 15 bins")

    return explore(setup, update, size=(9, 4.6), code=error_at, model=list(cast), temperature=TEMPERATURES)
