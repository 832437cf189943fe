"""Computations behind the scenes of notebook 07, done once and kept.

All errors of the notebook use one kernel, a Gaussian on confidences: models can only be compared with the same one.
"""

from functools import lru_cache

import numpy as np
from scipy.stats import rankdata

from ...data.datasets import digits_predictions
from ...kernels import low_rank, rbf
from ...klce import klce
from ...predictions import top_label
from ...spectrum import calibration_spectrum, ranking_flips, spectrum_of_features

__all__ = []  # computations, not scenes

CAST = ("neural network", "logistic regression", "naive Bayes", "random forest")
BANDWIDTHS = [0.05, 0.1, 0.2, 0.4]
BANDWIDTH = 0.1
KERNEL = rbf(bandwidth=BANDWIDTH)
LEVELS = [0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 10.0]  # λ
REFERENCE = 0.01  # the λ that others are compared with
FEATURES = ["ink", "digit said"]
MAP_LEVELS = tuple(10.0 ** np.linspace(-3, 1, 33))
POSITIONS = np.round(np.linspace(0, 2, 41), 2)  # t
SHIFTS = (-1.0, 1.0, 0.25)
GRID = np.linspace(0.2, 1, 161)  # confidences at which functions are drawn


def path(t, level):
    """(a, b, λ) at position t of the dial: SKCE at 0, ukkr's CCE² at 1, CKCE at 2. With λ = 0 weights are μ^(−t)."""
    return float(np.interp(t, [0, 1, 2], [0, 0.5, 0])), float(min(t, 1)), level


@lru_cache
def answers(model):
    """Hits (n,), confidences (n,), ink (n,) and the digit said (n,) of one model of the cast."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true, digits.y_prob)
    return hit, confidence, digits.ink, digits.y_prob.argmax(axis=1)


@lru_cache
def spectrum_of(model, bandwidth=BANDWIDTH):
    """S and C of one model, top label."""
    hit, confidence, _, _ = answers(model)
    return calibration_spectrum(hit, confidence, kernel=rbf(bandwidth=bandwidth))


@lru_cache
def curves(model, bandwidth):
    """v_j on GRID, shape (len(GRID), r)."""
    return spectrum_of(model, bandwidth).eigenfunctions(GRID)


def feature_rows(model, feature):
    """Feature values (n,) and their kernel: pairs agree in ink, or in the digit said."""
    _, _, ink, said = answers(model)
    if feature == "ink":
        return ink / ink.std(), rbf(bandwidth=0.5)
    return said.astype(float), rbf(bandwidth=0.1)  # names, not numbers: 1 for equal digits, else 0


@lru_cache
def local_error(model, feature):
    """KLCE² (eq. 4) of one model."""
    hit, confidence, _, _ = answers(model)
    values, kernel = feature_rows(model, feature)
    return klce(hit, confidence, values, prob_kernel=KERNEL, feature_kernel=kernel)


def four_errors(model, feature, level):
    """SKCE, KLCE², CCE² and CKCE; the first two without the pairs of a row with itself, as in their papers."""
    found = spectrum_of(model).named_errors(level)
    return found["SKCE_uq"], local_error(model, feature), found["ukkr"], found["CKCE"]


@lru_cache
def along(model, level):
    """The family at every one of POSITIONS."""
    return np.array([spectrum_of(model).norm(*path(t, level)) for t in POSITIONS])


@lru_cache
def swaps(first, second, level):
    """The positions at which two models change places, at one λ."""
    models = spectrum_of(first), spectrum_of(second)
    return ranking_flips(*models, lambda t: path(t, level), POSITIONS)


@lru_cache
def lead(first, second, levels):
    """log10 of the first model's error over the second's, shape (len(levels), len(POSITIONS))."""
    return np.log10([along(first, level) / along(second, level) for level in levels])


def tilt(confidence, shift):
    """Weights of mean 1 that grow 9-fold from the least to the most confident row at shift 1, and fall so at −1."""
    rank = (rankdata(confidence) - 1) / (len(confidence) - 1)  # equal confidences share their rank and weight
    weight = 9 ** (shift * rank)
    return weight / weight.mean()


@lru_cache
def tilted(model, shift):
    """Spectrum of the same answers with other frequencies of confidences; what happens at a confidence is kept.

    Rows of features and of residuals times the root of the weights give S and C as weighted means.
    """
    hit, confidence, _, _ = answers(model)
    root = np.sqrt(tilt(confidence, shift))
    phi = low_rank(KERNEL, confidence[:, None], tol=1e-12).features
    return spectrum_of_features(phi * root[:, None], (confidence - hit) * root)


@lru_cache
def tilted_along(model, shift, level):
    """The family at every one of POSITIONS, after the shift."""
    return np.array([tilted(model, shift).norm(*path(t, level)) for t in POSITIONS])
