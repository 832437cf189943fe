"""Computations behind the scenes of notebook 07: done once and kept, or stored (`..shared.stored`).

All errors of the notebook use one kernel, a Gaussian on confidences: models can only be compared with the same one.
"""

from functools import lru_cache

import numpy as np
from scipy.stats import rankdata

from ...data.datasets import digits_predictions
from ...kernels import low_rank, rbf
from ...predictions import top_label
from ...spectrum import calibration_spectrum, ranking_flips, spectrum_of_features
from ..shared.refits import SPLITS, trained_again
from ..shared.stored import stored

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
    return answers_of(digits_predictions(model))


def answers_of(digits):
    """The same from `Predictions`."""
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
    return feature_of(feature, ink, said)


def feature_of(feature, ink, said):
    """The same from the ink (n,) and the digit said (n,)."""
    if feature == "ink":
        return ink / ink.std(), rbf(bandwidth=0.5)
    return said.astype(float), rbf(bandwidth=0.1)  # names, not numbers: 1 for equal digits, else 0


@lru_cache
def local_error(model, feature):
    """KLCE² (eq. 4) of one model."""
    return local_of(*rows(model), *feature_rows(model, feature))


def local_of(phi, delta, values, kernel):
    """KLCE² from features φ (n, r), residuals δ (n,), feature values (n,) and their kernel: sums of δ φ ⊗ ψ."""
    n, psi = len(delta), low_rank(kernel, values[:, None], tol=1e-10).features
    products = (phi[:, :, None] * psi[:, None, :] * delta[:, None, None]).reshape(n, -1)
    return float((products.sum(axis=0) ** 2).sum() - (products**2).sum()) / (n * (n - 1))


@lru_cache
def rows(model, bandwidth=BANDWIDTH):
    """Features φ (n, r) of the kernel, which carry its matrix to rounding, and residuals δ (n,), of one model."""
    return rows_of(*answers(model)[:2], bandwidth)


def rows_of(hit, confidence, bandwidth=BANDWIDTH):
    """The same from hits (n,) and confidences (n,)."""
    return low_rank(rbf(bandwidth=bandwidth), confidence[:, None], tol=1e-12).features, confidence - hit


def spectrum_of_rows(phi, delta):
    """Eigenvalue, energy and noise of each eigendirection of C, from features (n, r) and residuals (n,)."""
    n = len(delta)
    S, C = phi.T @ delta / n, phi.T @ phi / n
    mu, V = np.linalg.eigh(C)
    energy = (V.T @ S) ** 2
    noise = ((phi @ V) ** 2).T @ delta**2 / n**2  # rows that meet themselves
    return np.maximum(mu, 0)[::-1], energy[::-1], noise[::-1]  # the largest eigenvalue first


def weights(mu, t, lam):
    """How much each direction counts at position t of the dial: 0 is SKCE, 1 is CCE², 2 is CKCE."""
    a, b = min(t, 2 - t) / 2, min(t, 1)
    return mu ** (2 * a) / (mu + lam) ** (2 * b)


def log_ratio(first, second, positions, levels):
    """log10 of the first model's error over the second's at all settings; a model is (eigenvalues, energies)."""
    table = np.empty((len(levels), len(positions)))
    for i, lam in enumerate(levels):
        for j, t in enumerate(positions):
            one, two = (weights(mu, t, lam) @ energy for mu, energy in (first, second))
            table[i, j] = np.log10(one / two)
    return table


# --- which order comes back on other splits? ---


@stored(CAST, SPLITS)
def another_split(model, split):
    """A model trained and tested on another split: μ_j and s_j, both (r,), then SKCE and KLCE² by each of FEATURES."""
    hit, confidence, ink, said = answers_of(trained_again(model, split))
    phi, delta = rows_of(hit, confidence)
    found = spectrum_of_features(phi, delta)
    local = [local_of(phi, delta, *feature_of(feature, ink, said)) for feature in FEATURES]
    return found.eigenvalues, found.coordinates[:, 0], np.array([found.norm(0, 0, 0, unbiased=True), *local])


@lru_cache
def splits(model):
    """Eigenvalues and energies on the other splits, both (splits, r), filled up with 0; and what has no noise."""
    mu, s, clean = zip(*(another_split(model, split) for split in SPLITS), strict=True)
    filled = lambda rows: np.array([np.pad(row, (0, max(map(len, rows)) - len(row))) for row in rows])
    return filled(mu), filled(s) ** 2, np.array(clean)


def split_along(model, t, level):
    """The family at one position, on each of the other splits, shape (splits,)."""
    mu, energy, _ = splits(model)
    return (weights(mu, t, level) * energy).sum(axis=1)


@lru_cache
def comes_back(first, second, t, level):
    """On how many of the other splits the first model has the smaller error."""
    return int((split_along(first, t, level) < split_along(second, t, level)).sum())


@lru_cache
def comes_back_map(first, second):
    """The same at MAP_LEVELS and POSITIONS."""
    return np.array([[comes_back(first, second, float(t), level) for t in POSITIONS] for level in MAP_LEVELS])


def four_on_splits(model, feature, level):
    """`four_errors` on each of the other splits, shape (4, splits)."""
    clean = splits(model)[2]
    ends = [split_along(model, t, level) for t in (1, 2)]
    return np.array([clean[:, 0], clean[:, 1 + FEATURES.index(feature)], *ends])


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
    phi, delta = rows(model)
    root = np.sqrt(tilt(answers(model)[1], shift))
    return spectrum_of_features(phi * root[:, None], delta * root)


@lru_cache
def tilted_along(model, shift, level):
    """The family at every one of POSITIONS, after the shift."""
    return np.array([tilted(model, shift).norm(*path(t, level)) for t in POSITIONS])
