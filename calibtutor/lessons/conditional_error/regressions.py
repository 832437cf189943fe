"""The regressions behind the pictures: of the miss of naive Bayes, of labels of the forest, of all ten classes."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...kernels import linear_plus_gaussian, low_rank
from ...predictions import residuals, top_label
from ...spectrum import spectrum_of_features
from ..shared.ckce_on_digits import KERNEL, LADDER

LAMBDAS = [*LADDER, 10.0, 100.0]
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
    each = digits_predictions("random forest")
    hit, confidence = top_label(each.y_true, each.y_prob)
    return hit[:WEIGHED], confidence[:WEIGHED]


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
