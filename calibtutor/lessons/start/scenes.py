"""Scenes of notebook 00, start here."""

import numpy as np
from matplotlib.collections import PolyCollection

from ...binning import expected_calibration_error, reliability_curve
from ...data.datasets import digits_cast
from ...plots import COLOURS, TITLE, Picture, ReliabilityDiagram, new_figure
from ...predictions import top_label
from ...teach.explore import explore

__all__ = ["coin", "four_models", "reveal_reliability", "road_scenes"]

FOUR = ("random forest", "logistic regression", "neural network", "naive Bayes")


def four_models():
    """Confidence histograms of four models, three of them equally accurate, on real digits."""
    cast = digits_cast()
    fig = new_figure(9, 4.4)
    grid = fig.add_gridspec(2, 1, height_ratios=[1, 2.6])
    strip = fig.add_subplot(grid[0])
    images = cast[FOUR[0]].images[:14]
    strip.imshow(1 - np.hstack([np.pad(image, 1) for image in images]), cmap="gray", vmin=0, vmax=1)
    strip.set_title("The task: which digit is this?")
    strip.set_axis_off()
    inner = grid[1].subgridspec(1, 4)
    axes = None
    said = []
    for column, (name, colour) in enumerate(zip(FOUR, ("blue", "green", "pink", "orange"), strict=True)):
        hit, confidence = top_label(cast[name].y_true, cast[name].y_prob)
        axes = fig.add_subplot(inner[column], sharey=axes)
        axes.hist(confidence, np.linspace(0, 1, 21), weights=np.full(len(hit), 1 / len(hit)), color=COLOURS[colour])
        axes.set(xlim=(0, 1), xlabel="confidence", title=f"{name}\n{hit.mean():.1%} right")
        axes.tick_params(labelleft=column == 0)
        if column == 0:
            axes.set_ylabel("share of digits")
        said.append(f"{name} {hit.mean():.1%} right, mean confidence {confidence.mean():.2f}")
    return Picture(fig, f"Histograms of the confidence of four models on {len(hit)} test digits: {'; '.join(said)}.")


def reveal_reliability():
    """Reliability diagram of any model of the cast, beside its two averages."""
    cast = digits_cast()

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        diagram = ReliabilityDiagram(fig, spec=grid[0])
        axes = fig.add_subplot(grid[1])
        axes.set(xlim=(-0.6, 1.6), ylim=(0, 1.02), title="on average")
        axes.set_xticks([0, 1], ["says", "is right"])
        bars = axes.bar([0, 1], [1, 1], color=[COLOURS["blue"], COLOURS["green"]], width=0.62)
        numbers = [axes.text(x, 0.5, "", ha="center", va="top", color="white", fontsize=14) for x in (0, 1)]
        return {"diagram": diagram, "bars": list(bars), "numbers": numbers}

    def update(artists, model="random forest", bins=10):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        hit, confidence = top_label(y_true, y_prob)
        artists["diagram"].update(
            reliability_curve(y_true, y_prob, n_bins=bins), title=f"{model}: promise against outcome"
        )
        for bar, number, value in zip(
            artists["bars"], artists["numbers"], (confidence.mean(), hit.mean()), strict=True
        ):
            bar.set_height(value)
            number.set_text(f"{value:.3f}")
            number.set_y(value - 0.02)
        error = expected_calibration_error(y_true, y_prob, n_bins=bins)
        gap = confidence.mean() - hit.mean()
        kind = "over-confident" if gap > 0.02 else "under-confident" if gap < -0.02 else "close to calibrated"
        return (
            f"{model} says {confidence.mean():.3f} on average and is right {hit.mean():.3f} of the time: {kind}. "
            f"Averaged over {bins} bins, confidence and frequency differ by {error:.3f}."
        )

    return explore(setup, update, size=(9, 4.6), model=list(cast), bins=(2, 30, 1))


SCENES = 20
PROMISE = {"object": 0.8, "human": 0.0, "animal": 0.2}


def road_scenes():
    """Twenty road scenes that all got (80 %, 0 %, 20 %): the reader decides what was really there."""

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1.7, 1])
        road, bars = fig.add_subplot(grid[0]), fig.add_subplot(grid[1])
        road.set(xlim=(-0.1, 5.1), ylim=(-0.1, 4.1), aspect="equal")
        road.set_axis_off()
        road.set_title("20 scenes, all predicted (80 %, 0 %, 20 %)")
        tiles = [
            [(i % 5 + a, i // 5 + b) for a, b in ((0, 0), (0.96, 0), (0.96, 0.96), (0, 0.96))] for i in range(SCENES)
        ]
        road.add_collection(PolyCollection(tiles, facecolor="#EEF1F4", lw=0))
        shapes = {}
        for name, colour in zip(PROMISE, ("grey", "orange", "green"), strict=True):
            shapes[name] = PolyCollection([], facecolor=COLOURS[colour], lw=0)
            road.add_collection(shapes[name])
        bars.set(xlim=(-0.5, 2.5), ylim=(0, 1.08), title="promised (outline), happened (filled)")
        bars.set_xticks(range(3), list(PROMISE))
        happened = bars.bar(range(3), [1, 1, 1], width=0.5, color=[COLOURS[c] for c in ("grey", "orange", "green")])
        bars.bar(range(3), list(PROMISE.values()), width=0.84, fill=False, edgecolor=COLOURS["ink"], lw=2, zorder=3)
        numbers = [bars.text(x, 0, "", ha="center", va="bottom", fontsize=12) for x in range(3)]
        return {"shapes": shapes, "happened": list(happened), "numbers": numbers}

    def update(artists, humans=3, animals=9):
        animals = min(animals, SCENES - humans)
        count = {"object": SCENES - humans - animals, "human": humans, "animal": animals}
        kinds = np.repeat(list(count), list(count.values()))
        for name, shape in artists["shapes"].items():
            shape.set_verts(
                [polygon + (i % 5, i // 5) for i in np.flatnonzero(kinds == name) for polygon in ICONS[name]]
            )
        for bar, number, n in zip(artists["happened"], artists["numbers"], count.values(), strict=True):
            bar.set_height(n / SCENES)
            number.set_y(n / SCENES + (0.03 if abs(n / SCENES + 0.05 - 0.8) > 0.07 else 0.09))
            number.set_text(f"{n}/20")
        worst = max(count, key=lambda name: abs(count[name] / SCENES - PROMISE[name]))
        share, promise = count[worst] / SCENES, PROMISE[worst]
        verdict = (
            "Calibrated: every promise is kept."
            if abs(share - promise) < 1e-9
            else f"Not calibrated: {worst} in {share:.0%} of the scenes, promised were {promise:.0%}."
        )
        return f"Objects {count['object']}, humans {humans}, animals {animals} of 20 scenes. {verdict}"

    return explore(setup, update, size=(9, 4.2), humans=(0, SCENES, 1), animals=(0, SCENES, 1))


def coin():
    """A forecast p for an event of true rate r: the expected squared error and its two parts."""

    def setup(fig):
        axes = fig.add_subplot()
        grid = np.linspace(0, 1, 101)
        axes.set(xlim=(-0.02, 1.02), ylim=(0, 1.04), xlabel="forecast p", ylabel="expected squared error")
        (curve,) = axes.plot(grid, grid, color=COLOURS["blue"])
        floor = axes.axhline(0, color=COLOURS["grey"], ls="--", lw=1.5)
        floor_name = axes.text(0.5, 0, "variance of the outcome, r(1 − r)", ha="center", va="top", color="#555555")
        (stem,) = axes.plot([], [], color=COLOURS["orange"], lw=5, solid_capstyle="butt")
        (dot,) = axes.plot([], [], "o", color=COLOURS["blue"], ms=10)
        title = axes.set_title(TITLE)
        return {"curve": curve, "floor": floor, "floor_name": floor_name, "stem": stem, "dot": dot, "title": title}

    def update(artists, forecast=0.8, rate=0.5):
        grid, variance = np.linspace(0, 1, 101), rate * (1 - rate)
        error = (forecast - rate) ** 2
        artists["curve"].set_ydata((grid - rate) ** 2 + variance)
        artists["floor"].set_ydata([variance, variance])
        artists["floor_name"].set_y(variance - 0.015 if variance > 0.1 else variance + 0.09)
        artists["stem"].set_data([forecast, forecast], [variance, variance + error])
        artists["dot"].set_data([forecast], [variance + error])
        artists["title"].set_text(
            f"orange: calibration error (p − r)² = {error:.3f}     dashed: variance = {variance:.3f}"
        )
        return (
            f"Forecast {forecast:.2f} for an event that happens {rate:.0%} of the time: expected squared error "
            f"{error + variance:.3f} = {error:.3f} calibration error + {variance:.3f} variance of the outcome."
        )

    return explore(setup, update, size=(8, 3.4), forecast=(0.0, 1.0, 0.05), rate=(0.0, 1.0, 0.05))


def _disc(x, y, rx, ry=None, n=24):
    turn = np.linspace(0, 2 * np.pi, n)
    return np.column_stack([x + rx * np.cos(turn), y + (ry or rx) * np.sin(turn)])


def _box(x0, y0, x1, y1):
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


# Unit-tile drawings: a traffic cone, a walker, a dog.
ICONS = {
    "object": [np.array([(0.3, 0.2), (0.66, 0.2), (0.52, 0.8), (0.44, 0.8)]), _box(0.22, 0.14, 0.74, 0.22)],
    "human": [
        _disc(0.48, 0.76, 0.1),
        np.array([(0.34, 0.64), (0.62, 0.64), (0.57, 0.36), (0.39, 0.36)]),
        _box(0.39, 0.12, 0.46, 0.38),
        _box(0.5, 0.12, 0.57, 0.38),
    ],
    "animal": [
        _disc(0.45, 0.46, 0.24, 0.13),
        _disc(0.72, 0.62, 0.11, 0.1),
        np.array([(0.64, 0.68), (0.7, 0.7), (0.65, 0.82)]),
        np.array([(0.2, 0.5), (0.25, 0.56), (0.1, 0.7)]),
        *(_box(x, 0.16, x + 0.06, 0.42) for x in (0.26, 0.36, 0.5, 0.6)),
    ],
}
