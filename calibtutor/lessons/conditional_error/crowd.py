"""Crowd of the lesson conditional_error."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...kernels import low_rank
from ...predictions import residuals
from ...spectrum import spectrum_of_features
from ..shared.ckce_on_digits import KERNEL
from ..shared.crowd_of_digits import confidences, root_errors

LARGE = [10.0, 100.0]
FROM, TO = 0.9, 0.99  # "nearly sure"


def nearly_sure(confidence):
    """Which images have a confidence from .9 to .99."""
    return (confidence >= FROM) & (confidence < TO)


def regression(phi, miss, penalty):
    """Coefficients G, (r,), of the ridge regression of the miss on features φ, (n, r): ĝ = φG, and ‖G‖² is the CKCE."""
    C, S = phi.T @ phi / len(phi), phi.T @ miss / len(phi)
    return np.linalg.solve(C + penalty * np.eye(len(C)), S)


@lru_cache
def roots(model, penalty):
    """`root_errors` of a model's data, (3,)."""
    hit, confidence, features = confidences(model)
    return root_errors(features.features, hit, confidence, np.ones((1, len(hit))), penalty)[0]


SHOWN = 24  # eigenvalues in the picture


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
    parts = spectrum.contributions(0, 1, penalty)
    return parts.sum(), parts[:10].sum() / parts.sum(), linear.norm(0, 1, penalty)
