"""Errors that bins find, in worlds whose truth is known and on the digits."""

from functools import cache, lru_cache, partial

import numpy as np

from ...data.datasets import digits_predictions
from ...data.networks import network_predictions
from ...data.worlds import wave_world
from ...door.predictions import top_label
from ...estimates.binning import expected_calibration_error
from ..shared.stored import stored

SIZES, BINS = [500, 1000, 2000, 5000, 10_000], range(1, 51)
SAID = ["LeNet-5", "Wide ResNet-32", "evenly spread"]  # whose confidences: two networks', on CIFAR-10
REPEATS = 400


@lru_cache
def ece_by_bins(model="neural network", strategy="uniform"):
    """The ECE of a model's predictions on the digits, with 1 to 60 bins."""
    digits = digits_predictions(model)
    return [expected_calibration_error(digits.y_true, digits.y_prob, n_bins=bins, strategy=strategy)
            for bins in range(1, 61)]


def true_and_binned_error(waves=10, bins=10):
    """The true error of a wavy model, the error that equal bins see, and the miss that they see in each bin."""
    world = wave_world(waves)
    c = world.scores()  # 40,000 of them, equally likely: they stand for infinitely many data
    miss = c - world.curve(c)
    bin_of = np.clip(np.ceil(c * bins).astype(int) - 1, 0, bins - 1)
    share = np.bincount(bin_of) / len(c)
    seen = np.bincount(bin_of, miss) / np.bincount(bin_of)  # the mean of the misses in a bin
    return np.abs(miss).mean(), share @ np.abs(seen), seen


@stored(SAID[:2])
def of_network(network):
    """201 quantiles of a network's confidences, and its own ECE on the first images, (SIZES, BINS)."""
    said = network_predictions(network)
    hit, c = top_label(said.y_true, said.y_prob)
    own = [[expected_calibration_error(hit[:n], c[:n], n_bins=bins) for bins in BINS] for n in SIZES]
    return np.round(np.quantile(c, np.linspace(0, 1, 201)), 6), np.round(own, 5)


@lru_cache
def running_hits(n, wave_height, said=SAID[-1]):
    """n sorted scores, and for 400 draws of labels running counts of events: a bin is a difference of two."""
    scores = (np.arange(n) + 0.5) / n
    if said in SAID[:2]:
        scores = np.interp(scores, np.linspace(0, 1, 201), of_network(said)[0])
    labels = np.random.default_rng(n).random((REPEATS, n)) < wave_world(2, wave_height).curve(scores)
    return scores, np.pad(np.cumsum(labels, axis=1, dtype=np.int16), ((0, 0), (1, 0)))


def in_bins(n, bins, wave_height, said):
    """Count and mean score in the equal bins that hold data, and the frequency of events there in each data set."""
    scores, hits = running_hits(n, wave_height, said)
    cuts = np.unique(np.searchsorted(scores, np.linspace(0, 1, bins + 1), side="right"))
    count = np.diff(cuts)
    confidence = np.diff(np.append(0, np.cumsum(scores))[cuts]) / count
    return count, confidence, np.diff(hits[:, cuts], axis=1) / count


def errors_of_perfect_model(n=500, bins=15, said="evenly spread"):
    """The ECE of a calibrated model in 400 data sets, and its mean by a formula."""
    return found_by_bins(n, bins, 0.0, said), mean_if_calibrated(running_hits(n, 0.0, said)[0], bins)  # 0: r(c) = c


def mean_if_calibrated(c, bins):
    """The mean ECE of a calibrated model that says c, by the formula: Σ n_m/n √(2/π · v/n_m), v = mean of c(1 − c)."""
    place = np.ceil(c * bins).astype(int)
    in_each = [c[place == m] for m in np.unique(place)]
    return sum(len(b) / len(c) * np.sqrt(2 / np.pi * np.mean(b * (1 - b)) / len(b)) for b in in_each)


@cache
def found_by_bins(n, bins, wave_height, said="evenly spread"):
    """`expected_calibration_error` of 400 data sets at once."""
    count, confidence, frequency = in_bins(n, bins, wave_height, said)
    return np.abs(confidence - frequency) @ (count / n)


STATED = {"steps of 10%": 10, "steps of 5%": 20, "steps of 1%": 100}  # how many steps 0 to 1 is cut into
ANSWERS = 4000


def share_right(c):
    """How often an answer is right that is stated with c: 80 and 85 % are too much, 90 and 95 % too little, and so on."""
    return np.clip(c - 0.08 * np.cos(10 * np.pi * (c - 0.825)), 0, 1)


@cache
def stated(steps):
    """4,000 answers, yes or no: what each was stated with, in so many steps; whether it was right; whether it was yes."""
    rng = np.random.default_rng([2, 20])
    c = np.maximum(np.round(rng.beta(6, 1.6, ANSWERS) * STATED[steps]) / STATED[steps], 0.5)
    return c, (rng.random(ANSWERS) < share_right(c)).astype(int), rng.random(ANSWERS) < 0.5


def by_convention(c, hit, yes, bins):
    """The ECE of the same answers as packages define it; edges are exact, since c are whole steps."""

    def error(index, norm=1):
        sums, share = np.bincount(index, c - hit), np.bincount(index) / len(c)
        gap = np.abs(sums[share > 0]) / len(c) / share[share > 0]
        return gap.max() if norm == "max" else share[share > 0] @ gap**norm

    at = lambda m: np.round(c * m, 9)  # in units of one of m bins
    right, left = np.maximum(np.ceil(at(bins)).astype(int) - 1, 0), np.floor(at(bins)).astype(int)
    ours = partial(expected_calibration_error, n_bins=bins)
    return {"bins (a, b]": error(right),
            "bins [a, b), the last one closed": error(np.minimum(left, bins - 1)),
            "bins [a, b), 1 in a bin of its own": error(left),
            "as many edges: a bin fewer": error(np.ceil(at(bins - 1)).astype(int)),
            "equal mass": ours(hit, c, strategy="quantile"),
            "a bin for each stated number": error(np.unique(c, return_inverse=True)[1]),
            "P(yes) in place of the top label": ours(np.where(yes, hit, 1 - hit), np.where(yes, c, 1 - c)),
            "norm 2": error(right, 2) ** 0.5,
            "norm 2, debiased": ours(hit, c, norm=2, debias=True),
            "norm 2 without the root": error(right, 2),
            "largest gap": error(right, "max")}
