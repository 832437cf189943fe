"""Draws of random features: the kernel and the CKCE that they give; the CKCE with three kernels over shifted inputs."""

from functools import lru_cache
from itertools import product

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits

from ...data.datasets import digits_predictions
from ...data.worlds import shifted_inputs
from ...door.predictions import residuals
from ...errors.ckce import error_of_matrix
from ...kernels import fourier_features, median_bandwidth
from ...reproductions import shift as paper
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


LAMBDA = paper.N**-0.25
RULES = {str(each): each for each in paper.BANDWIDTHS}
OF_THE_SUM = {"λ/2": 0.5, "λ": 1, "2λ": 2}  # the penalty of kernel (8), a sum; its parts keep λ


def ckce_without_noise(phi, miss, penalty):
    """Squared size of the ridge regression of a known miss p − P(Y | p) on features φ, both a row for each prediction."""
    C, S = phi.T @ phi / len(phi), phi.T @ miss / len(phi)
    return (np.linalg.solve(C + penalty * np.eye(len(C)), S) ** 2).sum()


@lru_cache
def over_shift(rule, factor, rows=400):
    """CKCE of kernel (8), a linear one and a Gaussian at each α of the paper, (3, 25): endless data, no noise of labels.

    At −α the world is the mirror image of that at α.
    """
    found = []
    for alpha in paper.ALPHAS[len(paper.ALPHAS) // 2 :]:
        x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
        p, miss = expit(5 * x), expit(5 * x) - expit(x)
        p, miss = np.column_stack([1 - p, p]), np.column_stack([-miss, miss])
        kernels = paper.features(p, median_bandwidth(p) if rule == paper.MEDIAN else RULES[rule])
        penalties = (factor * LAMBDA, LAMBDA, LAMBDA)
        found.append([ckce_without_noise(phi, miss, each) for phi, each in zip(kernels, penalties, strict=True)])
    return np.array([*found[:0:-1], *found]).T
