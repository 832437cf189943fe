"""Computations behind the scenes of notebook 07, done once and kept.

All errors of the notebook use one kernel, a Gaussian on confidences: models can only be compared with the same one.
"""

from functools import lru_cache

import numpy as np
from scipy.stats import rankdata

from ...data.datasets import digits_predictions
from ...kernels import low_rank, rbf
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
RESAMPLES = 200  # bootstraps of the digits
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
    products = local_rows(model, feature)
    n = len(products)
    return float((products.sum(axis=0) ** 2).sum() - (products**2).sum()) / (n * (n - 1))


@lru_cache
def rows(model, bandwidth=BANDWIDTH):
    """Features φ (n, r) of the kernel, which carry its matrix to rounding, and residuals δ (n,), of one model."""
    hit, confidence, _, _ = answers(model)
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


@lru_cache
def counts():
    """How often each of the digits stands in each bootstrap, shape (RESAMPLES, n); the same for all models."""
    n = len(answers(CAST[0])[0])
    return np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), RESAMPLES).astype(float)


@lru_cache
def resampled(model):
    """Eigenvalues, energies, both (RESAMPLES, r), and what rows make with themselves, (RESAMPLES,), of bootstraps."""
    phi, delta = rows(model)
    n, r = phi.shape
    C = (counts() @ (phi[:, :, None] * phi[:, None, :]).reshape(n, r * r) / n).reshape(-1, r, r)
    S = counts() @ (phi * delta[:, None]) / n
    mu, V = np.linalg.eigh(C)
    own = counts() @ ((phi**2).sum(axis=1) * delta**2) / n**2
    return np.maximum(mu, 0), np.einsum("brj,br->bj", V, S) ** 2, own


def resampled_along(model, t, level):
    """The family at one position, in every bootstrap, shape (RESAMPLES,)."""
    a, b, level = path(t, level)
    mu, energy, _ = resampled(model)
    return (mu ** (2 * a) / (mu + level) ** (2 * b) * energy).sum(axis=1)


@lru_cache
def settled(first, second, t, level):
    """In which share of the bootstraps the first model has the smaller error."""
    return float((resampled_along(first, t, level) < resampled_along(second, t, level)).mean())


@lru_cache
def settled_map(first, second):
    """The same at MAP_LEVELS and POSITIONS."""
    return np.array([[settled(first, second, float(t), level) for t in POSITIONS] for level in MAP_LEVELS])


@lru_cache
def local_rows(model, feature):
    """δ_i φ(p_i) ⊗ ψ(x_i) for every digit, shape (n, r): their sums make KLCE²."""
    phi, delta = rows(model)
    values, kernel = feature_rows(model, feature)
    psi = low_rank(kernel, values[:, None], tol=1e-10).features
    return (phi[:, :, None] * psi[:, None, :] * delta[:, None, None]).reshape(len(delta), -1)


@lru_cache
def resampled_local(model, feature):
    """KLCE² in every bootstrap, shape (RESAMPLES,)."""
    products = local_rows(model, feature)
    n, own = len(products), counts() @ (products**2).sum(axis=1)
    return (((counts() @ products) ** 2).sum(axis=1) - own) / (n * (n - 1))


def four_resampled(model, feature, level):
    """`four_errors` in every bootstrap, shape (4, RESAMPLES)."""
    _, energy, own = resampled(model)
    n = counts().shape[1]
    skce = (energy.sum(axis=1) - own) * n / (n - 1)
    ends = [resampled_along(model, t, level) for t in (1, 2)]
    return np.array([skce, resampled_local(model, feature), *ends])


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
