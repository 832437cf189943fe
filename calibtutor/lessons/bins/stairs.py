"""A reliability diagram by bins, and beside it one without: an isotonic fit."""

from functools import lru_cache

import numpy as np
from matplotlib.colors import to_rgba

from ...binning import consistency_band, expected_calibration_error, reliability_curve
from ...corp import corp_reliability
from ...data.datasets import digits_predictions
from ...plots import (
    FEW,
    INK,
    MISS,
    MODELS,
    NUMBER,
    SOFT,
    Finding,
    bars_between,
    chance,
    estimate,
    misses,
    model_marker,
    panel,
    reference,
    region,
    words,
)
from ...predictions import top_label
from ...teach.explore import explore

__all__ = ["stairs_or_bins"]

DRAWN = 200  # calibrated data sets beside the fit


@lru_cache
def by_bins(model="logistic regression", n=300, bins=10):
    """The reliability curve in equal bins, where its frequencies would fall by chance, and the ECE."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true[:n], digits.y_prob[:n])
    curve = reliability_curve(hit, confidence, n_bins=bins)
    low, high = consistency_band(confidence, n_bins=bins, n_resamples=500, rng=0)
    return curve, low, high, expected_calibration_error(hit, confidence, n_bins=bins)


@lru_cache
def by_stairs(model="logistic regression", n=300, drawn=200):
    """The isotonic fit and its decomposition; where fits to calibrated data sets lie, and how many miss as much."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true[:n], digits.y_prob[:n])
    found, at, rng = corp_reliability(hit, confidence), np.unique(confidence), np.random.default_rng(0)
    fits = [corp_reliability((rng.random(n) < confidence).astype(int), confidence) for _ in range(drawn)]
    low, high = np.quantile([fit.frequency[np.searchsorted(fit.high, at)] for fit in fits], [0.05, 0.95], axis=0)
    return found, at, low, high, sum(fit.miscalibration >= found.miscalibration - 1e-12 for fit in fits)


class _Square:
    """A square diagram: dots and misses, what chance does, and a line of fact below the diagonal."""

    def __init__(self, fig, spec, ylabel=""):
        axes = panel(fig, spec, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel="how sure it says it is",
                     ylabel=ylabel)  # fmt: skip
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        region(axes, 0.1, 0.9, "says\ntoo little")
        region(axes, 0.86, 0.08, "says\ntoo much")
        self.axes, self.band, self.gaps = axes, chance(axes), misses(axes)
        self.diagonal = reference(axes, [0, 1], [0, 1])
        self.points = axes.scatter([], [], s=[], zorder=4, clip_on=False, edgecolor="white", lw=0.8)
        self.points.set_in_layout(False)
        self.name = words(axes, 0.5, 1.05, "its name", bold=True, va="bottom")  # there when it is laid out
        self.artists = [self.band, self.diagonal, self.gaps, self.points, self.name]

    def update(self, model, x, y, count, boxes):
        few = np.where(count < FEW, 0.35, 1.0)
        self.points.set_paths([model_marker(model)])
        self.points.set_offsets(np.column_stack([x, y]))
        self.points.set_sizes(30 + 130 * count / count.sum())
        self.points.set_facecolor([to_rgba(MODELS[model][0], each) for each in few])
        self.gaps.set_segments([[(a, a), (a, b)] for a, b in zip(x, y, strict=True)])
        self.gaps.set_colors([to_rgba(MISS, each) for each in few])
        self.band.set_verts(boxes)


def stairs_or_bins():
    """Bins that the reader moves, and beside them the isotonic fit, which has none."""
    models = ["logistic regression", "neural network", "random forest", "naive Bayes"]

    def setup(fig):
        columns = fig.add_gridspec(1, 3, width_ratios=[1, 1, 0.42])
        left, right = _Square(fig, columns[0], "how often it is right"), _Square(fig, columns[1])
        right.name.set_text("no bins: an isotonic fit")
        line = estimate(right.axes, line=True)
        side = panel(fig, columns[2], read_y=False, xlim=(0, 1), ylim=(0, 1))
        side.set_axis_off()
        parts = {}
        for y, name, colour in ((0.92, "Brier score", INK), (0.66, "= miscalibration", MISS), (0.4, "− discrimination", INK),
                                (0.14, "+ uncertainty", INK)):  # fmt: skip
            words(side, 0, y, name, ha="left", colour=SOFT)
            parts[name.split()[-1]] = words(side, 0, y - 0.09, "", ha="left", bold=True, size=NUMBER, colour=colour)
        return {"left": left, "right": right, "line": line, **parts}

    def update(artists, model="logistic regression", n=300, bins=10):
        curve, low, high, error = by_bins(model, n, bins)
        full = curve.count > 0
        boxes = [box for box, keep in zip(bars_between(curve.edges, low, high), full, strict=True) if keep]
        artists["left"].update(model, curve.confidence[full], curve.frequency[full], curve.count[full], boxes)
        artists["left"].name.set_text(f"{bins} bins of equal width: ECE {error:.3f}")
        found, at, low, high, as_large = by_stairs(model, n, DRAWN)
        band = [np.column_stack([np.concatenate([at, at[::-1]]), np.concatenate([low, high[::-1]])])]
        artists["right"].update(model, found.confidence, found.frequency, found.count, band)
        ends = np.column_stack([found.low, found.high]).ravel()
        artists["line"].set_data(ends, found.frequency.repeat(2))
        artists["line"].set_color(MODELS[model][0])
        for name in ("score", "miscalibration", "discrimination", "uncertainty"):
            artists[name].set_text(f"{getattr(found, name):.4f}")
        return Finding(
            f"Miscalibration {found.miscalibration:.4f}: as large in {as_large} of {DRAWN} calibrated data sets",
            f"{model}, {n:,} digits; left: {bins} bins, ECE {error:.3f}; right: {len(found.count)} steps; grey: if calibrated",
        )

    return explore(
        setup, update, size=(9, 4.9), model=models, n=[100, 300, 1079], bins=(2, 40, 1), code=(by_bins, by_stairs)
    )
