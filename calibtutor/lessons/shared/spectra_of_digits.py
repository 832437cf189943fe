"""What the lessons on the spectrum share: the digits' models, their features and residuals, and the dial's weights.

All errors use one kernel, a Gaussian on confidences: models can only be compared with the same one.
"""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...door.predictions import top_label
from ...errors.spectrum import calibration_spectrum
from ...kernels import low_rank, rbf

CAST = ("naive Bayes", "logistic regression", "random forest", "neural network")
THREE = ("SKCE", "CCE²", "CKCE")  # positions 0, 1 and 2 of the dial
BANDWIDTH = 0.1
KERNEL = rbf(bandwidth=BANDWIDTH)
LEVELS = [0.001, 0.003, 0.01, 0.03, 0.1, 1.0, 10.0]  # λ


@lru_cache
def answers(model):
    """Hits (n,), confidences (n,) and ink (n,) of one model of the cast."""
    return answers_of(digits_predictions(model))


def answers_of(digits):
    """The same from `Predictions`."""
    hit, confidence = top_label(digits.y_true, digits.y_prob)
    return hit, confidence, digits.ink


@lru_cache
def rows(model):
    """Features φ (n, r) of the kernel, which carry its matrix to rounding, and residuals δ (n,), of one model."""
    return rows_of(*answers(model)[:2])


def rows_of(hit, confidence):
    """The same from hits (n,) and confidences (n,)."""
    return low_rank(KERNEL, confidence[:, None], tol=1e-12).features, confidence - hit


@lru_cache
def spectrum_of(model):
    """S and C of one model, top label."""
    hit, confidence, _ = answers(model)
    return calibration_spectrum(hit, confidence, kernel=KERNEL)


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
