"""The CKCE over shifted inputs with one thing held still at a time; three errors of logistic regression in another light."""

from functools import lru_cache

import numpy as np

from ...data.datasets import brightened_digits
from ...data.worlds import covariate_shift, shifted_inputs
from ...door.predictions import residuals, top_label
from ...errors.spectrum import spectrum_of_features
from ...kernels import linear_plus_gaussian, low_rank, median_bandwidth
from ...reproductions import shift as paper
from ..shared.ckce_on_digits import KERNEL, PENALTY
from ..shared.stored import stored
from .endless import ckce_of, directions, papers_world

SHIFTS = np.arange(-8, 9) / 8
SHIFT_N, SHIFT_SETS = paper.N, 200
SHIFT_PENALTIES = [0.001, 0.01, 0.03, 0.1, 0.178]  # the last is the paper's n^(−1/4)
RULES = {str(each): each for each in paper.BANDWIDTHS}
CROWDS, LABELS = ("moves", "stays at α = 0"), ("drawn", "none: no noise")
CELLS, INPUTS = np.linspace(0, 1, 31), 4000


def calibration_curve(p):
    """P(Y = 1 | p) in the paper's world, wherever the inputs are: σ(logit(p)/5)."""
    odds = (p / (1 - p)) ** (1 / 5)
    return odds / (1 + odds)


def predictions_after(alpha, rows=4000):
    """Predictions σ(5x) of inputs X ~ N(α, ¼²) that are cut off at ±1, at equally likely places."""
    x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
    return 1 / (1 + np.exp(-5 * x))


@lru_cache
def median_after(alpha, rows=1000):
    """Median distance of the predictions (1 − p, p), p = σ(5x), of inputs X ~ N(α, ¼²) at equally likely places."""
    x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
    p = 1 / (1 + np.exp(-5 * x))
    return median_bandwidth(np.column_stack([1 - p, p]))


@lru_cache
def _drawn(distance):
    # The same generator for every shift: the curves differ by less noise.
    y, rows = covariate_shift(distance, SHIFT_SETS * SHIFT_N, np.random.default_rng(6))
    rows = np.split(rows, SHIFT_SETS)
    return np.split(y, SHIFT_SETS), rows, [median_bandwidth(each) for each in rows]


@lru_cache
def _of_draws(here, distance, rule):
    """Mean CKCE of data sets with inputs around `here`; a median, as a bandwidth, is that of data around `distance`."""
    y, rows, _ = _drawn(here)
    widths, found = _drawn(distance)[2] if rule == paper.MEDIAN else [RULES[rule]] * SHIFT_SETS, []
    for labels, p, width in zip(y, rows, widths, strict=True):
        features = low_rank(linear_plus_gaussian(width), p, tol=1e-11).features
        spectrum = spectrum_of_features(features, residuals(labels, p))
        found.append([spectrum.norm(0, 1, penalty) for penalty in SHIFT_PENALTIES])
    return np.mean(found, axis=0)


@lru_cache
def _of_endless(here, distance, rule):
    """The same for endless data: exact means, no noise of labels."""
    found = directions(*papers_world(alpha=here), median_after(distance) if rule == paper.MEDIAN else RULES[rule])
    return np.array([ckce_of(*found, penalty) for penalty in SHIFT_PENALTIES])


@stored(RULES, CROWDS, LABELS)
def ckce_over_shift(rule, crowd, labels):
    """CKCE at each of SHIFTS (columns) and SHIFT_PENALTIES (rows): with labels drawn the mean over SHIFT_SETS data sets.

    The crowd may stay at α = 0 while the bandwidth goes on as if it had moved. At −α the world is the mirror image of
    that at α, and all errors have the same law: one side is enough.
    """
    make = _of_draws if labels == "drawn" else _of_endless
    at = [(distance if crowd == "moves" else 0.0, distance if rule == paper.MEDIAN else 0.0) for distance in SHIFTS[8:]]
    side = [make(*each, rule) for each in at]
    return np.array([*side[:0:-1], *side]).T


MODEL = "logistic regression"
CHANGES = list(range(-50, 51, 10))  # of the brightness, per cent


@lru_cache
def strip(change):
    """Eight test images at a brightness, side by side with a grey frame, as one picture (10, 73)."""
    images = brightened_digits(MODEL, change).images[:8]
    framed = np.pad(images, ((0, 0), (1, 1), (1, 0)), constant_values=0.45)
    return np.pad(framed.transpose(1, 0, 2).reshape(10, 72), ((0, 0), (0, 1)), constant_values=0.45)


def three_root_errors(phi, delta, bins, miss, weights, penalty):
    """ECE, √SKCE and √CKCE if row i counts weights[i] times: features φ, residuals δ, the bins' one-hot rows."""
    w = weights / weights.sum()
    S, C = phi.T @ (w[:, None] * delta), phi.T @ (w[:, None] * phi)
    own = w**2 @ ((phi**2).sum(axis=1) * (delta**2).sum(axis=1))
    joint = max(((S**2).sum() - own) / (1 - w @ w), 0)
    conditional = (np.linalg.solve(C + penalty * np.eye(len(C)), S) ** 2).sum()
    return np.abs(bins.T @ (w * miss)).sum(), np.sqrt(joint), np.sqrt(conditional)


RESAMPLES = 40


@lru_cache
def in_light(change):
    """Features of the predictions in a light, residuals, one-hot rows of ten bins, misses of the confidence."""
    digits = brightened_digits(MODEL, change)
    y, p = digits.y_true, digits.y_prob
    hit, confidence = top_label(y, p)
    bins = np.eye(10)[np.maximum(np.ceil(confidence * 10) - 1, 0).astype(int)]
    return low_rank(KERNEL, p, tol=1e-4).features, residuals(y, p), bins, confidence - hit


@stored(CHANGES)
def spread_in_light(change):
    """Bootstrap standard errors of `three_root_errors` in a light, (3,)."""
    rng, data = np.random.default_rng(0), in_light(change)
    n = len(data[0])
    counts = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(RESAMPLES)]
    return np.std([three_root_errors(*data, each, PENALTY) for each in counts], axis=0, ddof=1)
