"""Scenes of notebook 02, first half: what bins do to a calibration error."""

from functools import lru_cache
from itertools import product

import numpy as np
from matplotlib.collections import PolyCollection

from ..binning import consistency_band, expected_calibration_error, reliability_curve, resampled_errors
from ..datasets import digits_cast
from ..explore import explore
from ..plots import COLOURS, TITLE, Histogram, ReliabilityDiagram
from ..predictions import top_label
from ..worlds import wave_world
from .simulations import BIN_NUMBERS, HEIGHTS, SIZES, binned_errors_of_perfect_model, rmse_table

__all__ = [
    "aliasing", "ece_against_bins", "one_number_decides_nothing", "perfect_but_positive", "rmse_map", "three_binnings",
]  # fmt: skip


def ece_against_bins():
    """The ECE of one model on one data set as a function of the number of bins."""
    cast = digits_cast()
    n_bins = np.arange(1, 61)

    @lru_cache
    def errors(model, strategy):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        return [expected_calibration_error(y_true, y_prob, n_bins=int(m), strategy=strategy) for m in n_bins]

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xlim=(0.5, 60.5), ylim=(0.0003, 0.5), yscale="log", xlabel="number of bins", ylabel="ECE (log scale)")
        axes.set_yticks([0.001, 0.01, 0.1], ["0.001", "0.01", "0.1"])
        axes.minorticks_off()
        for name, each in zip(cast, (errors(m, "uniform") for m in cast), strict=True):
            axes.plot(n_bins, each, color="#CFCFCF", lw=1)
            below = name == "naive Bayes"  # its line runs just under logistic regression's
            axes.text(60, each[-1] * (0.9 if below else 1.06), name, ha="right", va="top" if below else "bottom",
                      color="#777777", fontsize=9)  # fmt: skip
        (line,) = axes.plot([], [], color=COLOURS["blue"])
        (dot,) = axes.plot([], [], "o", color=COLOURS["orange"], ms=10)
        label = axes.text(
            0, 0, "", color=COLOURS["orange"], va="bottom", ha="left", fontsize=12, bbox={"color": "white", "pad": 1}
        )
        return {"line": line, "dot": dot, "label": label}

    def update(artists, model="neural network", strategy="uniform", bins=15):
        each = errors(model, strategy)
        artists["line"].set_data(n_bins, each)
        artists["dot"].set_data([bins], [each[bins - 1]])
        artists["label"].set_text(f"{each[bins - 1]:.4f}")
        artists["label"].set_position((min(bins + 0.8, 55), each[bins - 1] * 1.12))
        return (
            f"{model}, {strategy} bins: the ECE is {each[bins - 1]:.4f} with {bins} bins; over 1 to 60 bins it runs "
            f"from {min(each):.4f} to {max(each):.4f}. The predictions never changed."
        )

    return explore(setup, update, size=(9, 4.2), model=list(cast), strategy=["uniform", "quantile"], bins=(1, 60, 1))


def aliasing():
    """A wavy truth and the bins that look at it: equal widths hide what averages to zero inside them."""
    grid = np.linspace(0, 1, 1001)

    def setup(fig):
        axes = fig.add_subplot()
        axes.set(xlim=(0, 1), ylim=(-0.05, 0.05), xlabel="prediction p", ylabel="truth − prediction, r(p) − p")
        axes.axhline(0, color=COLOURS["grey"], lw=1)
        bars = PolyCollection(
            [], facecolor=COLOURS["orange"], alpha=0.75, edgecolor="white", lw=0.6, label="what bins see"
        )
        axes.add_collection(bars)
        (wave,) = axes.plot(grid, 0 * grid, color=COLOURS["blue"], label="truth")
        axes.legend(loc="lower right", ncols=2)
        return {"bars": bars, "wave": wave, "title": axes.set_title(TITLE)}

    def update(artists, waves=10, bins=10):
        world = wave_world(waves)
        artists["wave"].set_ydata(world.curve(grid) - grid)
        scores = world.scores().reshape(-1)
        cell = np.clip(np.ceil(scores * bins).astype(int) - 1, 0, bins - 1)
        gap = np.bincount(cell, world.curve(scores) - scores) / np.bincount(cell)
        artists["bars"].set_verts(
            [[(m / bins, 0), ((m + 1) / bins, 0), ((m + 1) / bins, g), (m / bins, g)] for m, g in enumerate(gap)]
        )
        true, seen = world.calibration_error(), world.binned_error(bins)
        artists["title"].set_text(f"true error {true:.4f}        {bins} bins see {seen:.4f}")
        return (
            f"{waves} waves, {bins} bins, infinitely many data: the true error is {true:.4f}, the binned one "
            f"{seen:.4f} ({seen / true:.0%} of it)."
        )

    return explore(setup, update, size=(9, 3.8), waves=(1, 15, 1), bins=(1, 40, 1))


def perfect_but_positive():
    """ECE of a perfectly calibrated model over many data sets, with the formula for its mean."""

    def setup(fig):
        for n in SIZES:
            binned_errors_of_perfect_model(n, 1)  # draws the labels now, so that no slider step waits for them
        axes = fig.add_subplot()
        return Histogram(
            axes, np.linspace(0, 0.45, 91), xlabel="ECE of a perfectly calibrated model", truth_label="truth: 0"
        )

    def update(artist, n=500, bins=15):
        errors, predicted = binned_errors_of_perfect_model(n, bins)
        artist.update(errors, 0.0, errors.mean(), f"mean {errors.mean():.4f}, by the formula {predicted:.4f}")
        return (
            f"Perfect model, {n} predictions, {bins} bins, {len(errors)} data sets: the ECE is {errors.mean():.4f} on "
            f"average (formula {predicted:.4f}) and at least {errors.min():.4f}; the true error is 0."
        )

    return explore(setup, update, size=(9, 3.6), n=SIZES, bins=(1, 50, 1))


def rmse_map():
    """Distance of the estimate from the truth, for every number of bins and data."""

    def setup(fig):
        for height, debiased in product(HEIGHTS, (False, True)):
            rmse_table(height, debiased)  # seconds in all, once, so that no slider step waits
        grid = fig.add_gridspec(1, 2, width_ratios=[1.5, 1])
        axes = fig.add_subplot(grid[0])
        image = axes.imshow(np.zeros((len(BIN_NUMBERS), len(SIZES))), origin="lower", aspect="auto", cmap="cividis",
                            vmin=0, vmax=0.15)  # fmt: skip
        axes.set_xticks(range(len(SIZES)), SIZES)
        axes.set_yticks(range(len(BIN_NUMBERS)), BIN_NUMBERS)
        axes.set(xlabel="number of data n", ylabel="number of bins", title="RMSE of the estimate (star: best)")
        fig.colorbar(image, ax=axes)
        (best,) = axes.plot([], [], "*", color="white", ms=13, mec="black", mew=0.8)
        side = fig.add_subplot(grid[1])
        side.set(
            xlim=(-0.15, 0.25),
            ylim=(-0.5, len(BIN_NUMBERS) - 0.5),
            xlabel="mean estimate − truth",
            title="bias at n = 500",
        )
        side.set_yticks(range(len(BIN_NUMBERS)), BIN_NUMBERS)
        side.axvline(0, color=COLOURS["ink"], lw=1)
        bars = side.barh(range(len(BIN_NUMBERS)), [1] * len(BIN_NUMBERS), color=COLOURS["orange"], height=0.6)
        return {"image": image, "best": best, "bars": list(bars)}

    def update(artists, wave_height=0.1, debiased=False):
        rmse, bias, truth, negative = rmse_table(wave_height, debiased)
        artists["image"].set_data(rmse)
        artists["best"].set_data(range(len(SIZES)), np.nanargmin(rmse, axis=0))
        for bar, value in zip(artists["bars"], bias[:, SIZES.index(500)], strict=True):
            bar.set_width(value)
        best = ", ".join(
            f"{BIN_NUMBERS[row]} at n = {n}" for n, row in zip(SIZES, np.nanargmin(rmse, axis=0), strict=True)
        )
        more = (
            f" {negative:.0%} of the debiased squares at n = 500 are negative (all numbers of bins together)."
            if debiased
            else ""
        )
        return f"True error {truth:.3f} (norm 2). Best number of bins: {best}.{more}"

    return explore(
        setup, update, size=(9.4, 4.2), wave_height=HEIGHTS, debiased=False,
        labels={"wave_height": "height of the waves"},
    )  # fmt: skip


def three_binnings():
    """Equal width, equal mass and monotone sweep on confidences that pile up at 1."""
    cast = digits_cast()

    def setup(fig):
        grid = fig.add_gridspec(1, 2, width_ratios=[1, 1.1])
        diagram = ReliabilityDiagram(fig, spec=grid[0])
        axes = fig.add_subplot(grid[1])
        axes.set(xlim=(0, 1), ylim=(-0.6, 0.6), xlabel="predictions from least to most confident (share)",
                 ylabel="confidence − accuracy", title="the same bins, drawn by rank")  # fmt: skip
        axes.axhline(0, color=COLOURS["ink"], lw=1)
        bars = PolyCollection([], facecolor=COLOURS["orange"], alpha=0.8, edgecolor="white", lw=0.8)
        axes.add_collection(bars)
        return {"diagram": diagram, "bars": bars, "note": axes.text(0.5, -0.48, "", ha="center", va="top", fontsize=10)}

    def update(artists, model="neural network", strategy="uniform", bins=15):
        y_true, y_prob = cast[model].y_true, cast[model].y_prob
        curve = reliability_curve(y_true, y_prob, n_bins=bins, strategy=strategy)
        band = consistency_band(y_prob, edges=curve.edges, n_resamples=200, rng=0)
        full = curve.count > 0
        artists["diagram"].update(curve, band, title=f"{model}: {full.sum()} bins in use")
        right = np.cumsum(curve.count[full]) / curve.count.sum()
        left = np.concatenate([[0], right[:-1]])
        artists["bars"].set_verts(
            [[(a, 0), (b, 0), (b, g), (a, g)] for a, b, g in zip(left, right, curve.gap[full], strict=True)]
        )
        fullest = int(curve.count.argmax())
        artists["note"].set_text(f"fullest bin: {curve.count[fullest]} digits, gap {curve.gap[fullest]:+.3f}")
        error = expected_calibration_error(y_true, y_prob, n_bins=bins, strategy=strategy)
        return (
            f"{model}, {strategy}: {full.sum()} bins hold data, the fullest {curve.count.max()} and the emptiest "
            f"{curve.count[full].min()} of {len(y_true)} predictions; ECE {error:.4f}. "
            "Grey: where 90 % of frequencies would fall if the model were calibrated."
        )

    return explore(
        setup, update, size=(9.4, 4.4), model=list(cast), strategy=["uniform", "quantile", "sweep"], bins=(2, 40, 1)
    )


def one_number_decides_nothing():
    """A model's ECE beside the ECEs it would get if it were calibrated."""
    cast = digits_cast()

    def setup(fig):
        axes = fig.add_subplot()
        return Histogram(
            axes, np.linspace(0, 0.45, 91), xlabel="ECE", truth_label="this model", mean_label="mean if calibrated"
        )

    def update(artist, model="logistic regression", n=100, bins=15):
        y_true, y_prob = cast[model].y_true[:n], cast[model].y_prob[:n]
        error = expected_calibration_error(y_true, y_prob, n_bins=bins)
        null = resampled_errors(y_prob, n_bins=bins, n_resamples=500, rng=0)
        above = (null >= error).sum()
        artist.update(null, error, null.mean(), f"{model}, n = {n}: ECE {error:.3f}")
        return (
            f"{model} on {n} digits, {bins} bins: ECE {error:.3f}. If it were calibrated, its ECE would average "
            f"{null.mean():.3f}, and {above} of {len(null)} such data sets show at least this much."
        )

    confident = [name for name in cast if top_label(cast[name].y_true, cast[name].y_prob)[1].min() < 1]
    return explore(setup, update, size=(9, 3.6), model=confident, n=[50, 100, 200, 500, 1079], bins=(1, 40, 1))
