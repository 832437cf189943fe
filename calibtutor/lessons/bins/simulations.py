"""Errors that bins find, in worlds whose truth is known and on the digits."""

from functools import cache, lru_cache

import numpy as np

from ...binning import expected_calibration_error
from ...data.datasets import digits_predictions
from ...data.worlds import wave_world

SIZES = [50, 100, 200, 500, 1000, 2000, 5000]
SHOWN_SIZES = [100, 500, 5000]  # few data, some, many
BIN_NUMBERS = [1, 2, 3, 5, 8, 12, 20, 30, 50]
HEIGHTS = [0.0, 0.05, 0.1, 0.15]
REPEATS = 400


@lru_cache
def ece_by_bins(model="neural network", strategy="uniform"):
    """The ECE of a model's predictions on the digits, with 1 to 60 bins."""
    digits = digits_predictions(model)
    return [
        expected_calibration_error(digits.y_true, digits.y_prob, n_bins=bins, strategy=strategy)
        for bins in range(1, 61)
    ]


def true_and_binned_error(waves=10, bins=10):
    """The true error of a wavy model, the error that equal bins see, and the miss that they see in each bin."""
    world = wave_world(waves)
    c = world.scores()  # 40,000 of them, equally likely: they stand for infinitely many data
    miss = c - world.curve(c)
    bin_of = np.clip(np.ceil(c * bins).astype(int) - 1, 0, bins - 1)
    share = np.bincount(bin_of) / len(c)
    seen = np.bincount(bin_of, miss) / np.bincount(bin_of)  # the mean of the misses in a bin
    return np.abs(miss).mean(), share @ np.abs(seen), seen


@lru_cache
def running_hits(n, wave_height):
    """n scores, spread evenly, and for 400 draws of labels running counts of events: a bin is a difference of two."""
    scores = (np.arange(n) + 0.5) / n
    labels = np.random.default_rng(n).random((REPEATS, n)) < wave_world(2, wave_height).curve(scores)
    return scores, np.pad(np.cumsum(labels, axis=1), ((0, 0), (1, 0)))


def in_bins(n, bins, wave_height):
    """Count and mean score in the equal bins that hold data, and the frequency of events there in each data set."""
    scores, hits = running_hits(n, wave_height)
    cuts = np.unique(np.searchsorted(scores, np.linspace(0, 1, bins + 1), side="right"))
    count = np.diff(cuts)
    confidence = np.diff(np.append(0, np.cumsum(scores))[cuts]) / count
    return count, confidence, np.diff(hits[:, cuts], axis=1) / count


def errors_of_perfect_model(n=500, bins=15):
    """The ECE of a calibrated model in 400 data sets, and its mean by a formula."""
    return found_by_bins(n, bins, 0.0), mean_if_calibrated(running_hits(n, 0.0)[0], bins)  # height 0: r(c) = c


def mean_if_calibrated(c, bins):
    """The mean ECE of a calibrated model that says c, by the formula: Σ n_m/n √(2/π · v/n_m), v = mean of c(1 − c)."""
    place = np.ceil(c * bins).astype(int)
    in_each = [c[place == m] for m in np.unique(place)]
    return sum(len(b) / len(c) * np.sqrt(2 / np.pi * np.mean(b * (1 - b)) / len(b)) for b in in_each)


@cache
def found_by_bins(n, bins, wave_height):
    """`expected_calibration_error` of 400 data sets at once."""
    count, confidence, frequency = in_bins(n, bins, wave_height)
    return np.abs(confidence - frequency) @ (count / n)


def rmse_of_bins(n=500, wave_height=0.1):
    """Root mean squared distance of the ECE from the truth for each number of bins, and the truth.

    NaN where bins would hold fewer than two data on average.
    """
    truth = wave_world(2, wave_height).calibration_error()
    found = [found_by_bins(n, bins, wave_height) if n >= 2 * bins else np.full(1, np.nan) for bins in BIN_NUMBERS]
    return np.array([np.sqrt(((each - truth) ** 2).mean()) for each in found]), truth
