"""The errors that are norms of one operator, literally: n × n kernel matrices from double loops, explicit inverses.

Nothing here shares code with the package. A kernel is a function of two rows (lists of numbers).
"""

import kce_oracles
import klce_oracles
import numpy as np
import pytest
import risk_oracles as literal
from ckce_oracles import trace_formula


def family(K, delta, a, b, regularization):
    """‖C^a (C + λ)^{−b} S‖² without features: (1/n) tr(Δᵀ G^{2a+1} (G + λ)^{−2b} Δ) with G = K/n, for λ > 0."""
    return np.trace(delta.T @ dual(K, a, b, regularization) @ delta) / len(K)


def off_diagonal(K, delta, a, b, regularization):
    """The same sum over i ≠ j, over n(n − 1) in place of n²."""
    return len(K) * literal.off_diagonal(dual(K, a, b, regularization) * (delta @ delta.T))


def dual(K, a, b, regularization):
    values, vectors = np.linalg.eigh(K / len(K))
    values = np.maximum(values, 0)
    return vectors @ np.diag(values ** (2 * a + 1) / (values + regularization) ** (2 * b)) @ vectors.T


def right_spectrum(found, y, p):
    """With the features of `klce_oracles` and exp(−‖p − q‖²) exp(−‖x − x'‖²): every error is its n × n matrix."""
    gaussian = literal.gaussian(1.0)
    x = klce_oracles.features(len(p))
    K, delta = klce_oracles.product(gaussian, gaussian, p, x), literal.residual_rows(y, p)
    assert found.norm(0, 0, 0) == pytest.approx((K * (delta @ delta.T)).sum() / len(K) ** 2, abs=1e-9)
    assert found.norm(0, 0, 0, unbiased=True) == pytest.approx(klce_oracles.of_residuals(K, delta), abs=1e-9)
    assert found.norm(0, 1, 1e-2) == pytest.approx(trace_formula(K, delta, 1e-2), abs=1e-9)
    assert found.norm(0.5, 1, 1e-2) == pytest.approx(family(K, delta, 0.5, 1, 1e-2), abs=1e-9)


DATA = {"scores": literal.scores, "rows": literal.rows}
KERNEL_FUNCTIONS = {
    "gaussian": literal.gaussian(1.0),
    "linear plus gaussian": kce_oracles.linear_and_gaussian(0.3),
    "laplacian": literal.exponential(0.4),
}
