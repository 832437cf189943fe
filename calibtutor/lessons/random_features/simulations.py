"""Draws of random features: the kernel and the CKCE that they give."""

from functools import lru_cache
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from ...ckce import error_of_matrix
from ...data.datasets import digits_predictions
from ...kernels import fourier_features
from ...predictions import residuals
from ..shared.ckce_on_digits import KERNEL, PENALTY

DRAWN_N, DRAWS = 200, 12
COUNTS = [5, 10, 20, 50, 100, 200, 500]
DRAWN_MODELS = ["random forest", "logistic regression"]


@lru_cache
def some_digits(model):
    each = digits_predictions(model)
    y, p = each.y_true[:DRAWN_N], each.y_prob[:DRAWN_N]
    return p, residuals(y, p), KERNEL(p)


def exact_norm(model):
    """CKCE of the first 200 digits by the kernel itself."""
    _, delta, K = some_digits(model)
    return error_of_matrix(K, delta, PENALTY)


def with_waves(p, delta, frequencies, draw, penalty):
    """Kernel (8), γ = 1, from p and random waves; and the CKCE that it gives."""
    waves = fourier_features(p, bandwidth=1.0, n_frequencies=frequencies, rng=[draw, frequencies])
    K = p @ p.T + waves @ waves.T
    return K, error_of_matrix(K, delta, penalty)


@lru_cache
def feature_errors(model):
    """What each draw gives: {(count, draw): (error of the kernel, CKCE)}."""
    p, delta, K = some_digits(model)
    found = {}
    with threadpool_limits(limits=1):  # matrices this small are multiplied faster without threads
        for count, draw in product(COUNTS, range(1, DRAWS + 1)):
            approximated, value = with_waves(p, delta, count, draw, PENALTY)
            found[count, draw] = kernel_error(approximated, K), value
    return found


def kernel_error(approximated, K):
    """Root mean square over pairs i ≠ j; on the diagonal Fourier features are exact, as cos² + sin² = 1."""
    n = len(K)
    return np.sqrt(((approximated - K) ** 2).sum() / (n * (n - 1)))
