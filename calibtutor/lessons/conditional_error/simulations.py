"""Regressions: of the miss of naive Bayes, of labels of the forest, of all ten classes, of a known miss."""

from functools import lru_cache

import numpy as np
from sklearn.gaussian_process.kernels import DotProduct

from ...data.datasets import digits_predictions
from ...door.predictions import residuals
from ...errors.spectrum import spectrum_of_features
from ...kernels import linear_plus_gaussian, low_rank, rbf
from ..shared.ckce_on_digits import KERNEL
from ..shared.first_digits import first_digits

FROM, TO = 0.9, 0.99  # "nearly sure"
WEIGHED = 400  # images: enough for a curve, and few enough to see each
SHOWN = 24  # eigenvalues in the picture


def nearly_sure(confidence):
    """Which images have a confidence from .9 to .99."""
    return (confidence >= FROM) & (confidence < TO)


def regression(phi, miss, penalty):
    """Coefficients G, (r,), of the ridge regression of the miss on features φ, (n, r): ĝ = φG, and ‖G‖² is the CKCE."""
    C, S = phi.T @ phi / len(phi), phi.T @ miss / len(phi)
    return np.linalg.solve(C + penalty * np.eye(len(C)), S)


@lru_cache
def forest():
    """Hits and confidences of the random forest on the first images, both (n,)."""
    return first_digits("random forest", WEIGHED)


@lru_cache
def _eigenvectors(width):
    _, confidence = forest()
    return np.linalg.eigh(linear_plus_gaussian(width)(confidence[:, None]))


def weights(at, penalty, width):
    """Columns w = (K + λnI)⁻¹ k(·, q) for each q of `at`, shape (n, m)."""
    _, confidence = forest()
    mu, V = _eigenvectors(width)
    near = linear_plus_gaussian(width)(confidence[:, None], np.asarray(at, dtype=float)[:, None])
    return V @ ((V.T @ near) / (mu + penalty * len(mu))[:, None])


@lru_cache
def seen_by(model):
    """Spectra of a model's vector residuals: of kernel (8), γ = 1, and of ⟨p, q⟩ + 1, whose features are p and 1."""
    each = digits_predictions(model)
    delta = residuals(each.y_true, each.y_prob)
    phi = low_rank(KERNEL, each.y_prob, tol=1e-6).features
    linear = np.column_stack([each.y_prob, np.ones(len(delta))])
    return spectrum_of_features(phi, delta), spectrum_of_features(linear, delta)


def parts_of_ckce(spectrum, linear, penalty):
    """CKCE; the share of it from the ten largest eigenvalues; the CKCE that the kernel ⟨p, q⟩ + 1 gives."""
    parts = spectrum.weights(0, 1, penalty) * spectrum.energy
    return parts.sum(), parts[:10].sum() / parts.sum(), linear.norm(0, 1, penalty)


PENALTIES = [0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
WIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5]
SCORES = 0.2 + 0.6 * (np.arange(200) + 0.5) / 200  # equally likely; with each miss below P(Y = 1 | p) is in [0, 1]
MISSES = {"constant": 0.15 + 0 * SCORES,
          "S-shape": 0.15 * np.tanh((SCORES - 0.5) / 0.08),
          "two waves": 0.15 * np.sin(4 * np.pi * (SCORES - 0.2) / 0.6)}
LEVELS = [1e-6, 1e-5, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
FEATURES = {"linear": DotProduct(sigma_0=0, sigma_0_bounds="fixed"),
            "Gaussian": rbf(bandwidth=0.2),
            "linear + Gaussian": linear_plus_gaussian(0.2)}


@lru_cache
def _directions(name):
    mu, V = np.linalg.eigh(FEATURES[name](np.column_stack([1 - SCORES, SCORES])) / len(SCORES))
    return np.maximum(mu, 0), V


def fitted(name, miss, penalty):
    """Ridge regression of a miss on the prediction, over the whole population: g_λ (200,), and its squared norm.

    There are no labels, so no noise: what is lost is lost to the kernel and the penalty. The residual of the vector
    (1 − p, p) is (−g, g), hence the 2.
    """
    return found_by(*_directions(name), MISSES[miss], penalty)


def found_by(mu, V, miss, penalty):
    """Ridge regression of a miss, with eigenvalues μ and eigenvectors V of K/n: what it finds, and the CKCE."""
    seen = V.T @ miss
    norm = 2 * (mu * (seen / (mu + penalty)) ** 2).sum() / len(miss)
    return V @ (mu / (mu + penalty) * seen), float(norm)
