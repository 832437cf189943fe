"""The local calibration error, its tests and its bias, literally: whole matrices, one residual vector at a time.

Nothing here shares code with the package, but for the random numbers: draws are made again in the order it makes them.
A kernel is a function of two rows.
"""

from functools import partial

import kce_oracles
import numpy as np
import risk_oracles as literal
from kce_oracles import median_distance

from calibtutor.chance.resampling import draw_labels


def constant(a, b):
    return 1.0


def product(k, l, p, x):
    """The matrix k(p_i, p_j) l(x_i, x_j)."""
    return literal.matrix(k, p, p) * literal.matrix(l, x, x)


def of_residuals(K, delta):
    """Σ_{i≠j} K_ij ⟨δ_i, δ_j⟩ / (n(n − 1)): eq. 4."""
    return literal.off_diagonal(K * (delta @ delta.T))


def klce(k, l, y, p, x):
    return of_residuals(product(k, l, p, x), literal.residual_rows(y, p))


def local_bias(k, l, y, p, x, at_p, at_x):
    """(bias, standard error, effective size), a row a query."""
    weights = literal.matrix(k, at_p, p) * literal.matrix(l, at_x, x)
    total = weights.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = weights / total  # squares of tiny weights would all be 0
        size = np.where(total[:, 0] > 0, 1 / (shares**2).sum(axis=1), 0)
    p, delta = literal.as_rows(p), literal.residual_rows(y, p)
    return -shares @ delta, np.sqrt(shares**2 @ (p * (1 - p))), size


# --- draws ---


def draws(null, y, p, n_draws, seed):
    """The residual vectors that `klce_test` compares with, each as rows, from the same random numbers."""
    rng, delta = np.random.default_rng(seed), literal.residual_rows(y, p)
    n = len(delta)
    if null == "labels":
        return [literal.residual_rows(labels, p) for labels in draw_labels(np.array(p), n_draws, rng).T]
    if null == "signs":
        heads = rng.integers(0, 2, (n, n_draws), dtype=np.int8).T
        return [np.where(each, 1, -1)[:, None] * delta for each in heads]
    order = [rng.integers(n, size=n) if null == "residuals" else rng.permutation(n) for _ in range(n_draws)]
    return [delta[rows] for rows in order]


def null_values(null, k, l, y, p, x, n_draws, seed):
    K = product(k, l, p, x)
    values = np.array([of_residuals(K, delta) for delta in draws(null, y, p, n_draws, seed)])
    return values - values.mean() if null == "centred-permutation" else values


# --- data of several kinds ---


def with_features(make):
    """Labels, predictions and two features, some rows equal."""

    def data(*arguments):
        y, p = make(*arguments)
        x = np.random.default_rng(len(y)).normal(size=(len(y), 2)).round(1)
        x[-1] = x[0]
        return y, p, x

    return data


DATA = {name: with_features(make) for name, make in kce_oracles.DATA.items() if name != "two rows"}
DATA["two rows"] = lambda: (*kce_oracles.TWO, np.array([[0.0], [0.5]]))


# --- with the default kernels: what the public functions return for features that are given ---


def features(n):
    """No two alike, no two pairs equally far."""
    return [[(i / n) ** 2] for i in range(n)]


def default_kernels(p, x):
    """Gaussians exp(−‖a − b‖²/(2m²)) with m the median distance, of predictions and of features."""
    return [literal.gaussian(1 / (2 * median_distance(rows) ** 2)) for rows in (p, x)]


def default_klce(y, p, x=None):
    x = features(len(p)) if x is None else x
    return klce(*default_kernels(p, x), y, p, x)


right_test = partial(kce_oracles.right_test, statistic=default_klce)


def right_bias(result, y, p):
    x = features(len(p))
    same_bias(result, local_bias(*default_kernels(p, x), y, p, x, p, x))


def same_bias(result, wanted, tolerance=1e-9):
    for found, expected in zip((result.bias, result.standard_error, result.effective_size), wanted, strict=True):
        np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=1e-9, atol=tolerance)
