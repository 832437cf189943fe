"""The local calibration error, its tests and its bias, literally: double loops, one residual vector at a time.

Nothing here shares code with the package, but for the random numbers: draws are made again in the order it makes them.
A kernel is a function of two rows (lists of numbers).
"""

import math

import kce_oracles
import numpy as np
import pytest
import risk_oracles as rows_of
from kce_oracles import median_distance

from calibtutor.resampling import draw_labels


def constant(a, b):
    return 1.0


def product(k, l, p, x):
    """The matrix k(p_i, p_j) l(x_i, x_j), as lists."""
    p, x = rows_of.as_rows(p), rows_of.as_rows(x)
    return [[k(a, b) * l(u, v) for b, v in zip(p, x, strict=True)] for a, u in zip(p, x, strict=True)]


def of_residuals(K, delta):
    """Σ_{i≠j} K_ij ⟨δ_i, δ_j⟩ / (n(n − 1)): eq. 4."""
    n = len(delta)
    pairs = [K[i][j] * rows_of.inner(delta[i], delta[j]) for i in range(n) for j in range(n) if i != j]
    return math.fsum(pairs) / (n * (n - 1))


def klce(k, l, y, p, x):
    return of_residuals(product(k, l, p, x), rows_of.residual_rows(y, p))


# --- the bias near a query ---


def local_bias(k, l, y, p, x, at_p, at_x):
    """[(bias, standard error, effective size)], a query each; bias and error are lists with an entry a class."""
    data = list(zip(rows_of.as_rows(p), rows_of.as_rows(x), strict=True))
    errors = [[-value for value in row] for row in rows_of.residual_rows(y, p)]
    found = []
    for q, z in zip(rows_of.as_rows(at_p), rows_of.as_rows(at_x), strict=True):
        weights = [k(q, a) * l(z, u) for a, u in data]
        total = math.fsum(weights)
        if total == 0:
            found.append(([math.nan] * len(errors[0]), [math.nan] * len(errors[0]), 0.0))
            continue
        shares = [w / total for w in weights]  # squares of tiny weights would all be 0
        bias = [math.fsum(w * e for w, e in zip(shares, column, strict=True)) for column in zip(*errors, strict=True)]
        spread = [
            math.sqrt(math.fsum(w * w * c * (1 - c) for w, c in zip(shares, column, strict=True)))
            for column in zip(*rows_of.as_rows(p), strict=True)
        ]
        found.append((bias, spread, 1 / math.fsum(w * w for w in shares)))
    return found


# --- draws ---


def draws(null, y, p, n_draws, seed):
    """The residual vectors that `klce_test` compares with, each as rows, from the same random numbers."""
    rng, delta = np.random.default_rng(seed), rows_of.residual_rows(y, p)
    n = len(delta)
    if null == "labels":
        return [rows_of.residual_rows(labels.tolist(), p) for labels in draw_labels(np.array(p), n_draws, rng).T]
    if null == "signs":
        heads = rng.integers(0, 2, (n, n_draws), dtype=np.int8).T.tolist()
        return [[[v if head else -v for v in row] for head, row in zip(each, delta, strict=True)] for each in heads]
    order = [rng.integers(n, size=n) if null == "residuals" else rng.permutation(n) for _ in range(n_draws)]
    return [[delta[row] for row in rows.tolist()] for rows in order]


def null_values(null, k, l, y, p, x, n_draws, seed):
    K = product(k, l, p, x)
    values = [of_residuals(K, delta) for delta in draws(null, y, p, n_draws, seed)]
    mean = math.fsum(values) / n_draws if null == "centred-permutation" else 0.0
    return [value - mean for value in values]


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
    return [rows_of.gaussian(1 / (2 * median_distance(rows) ** 2)) for rows in (p, x)]


def default_klce(y, p, x=None):
    x = features(len(p)) if x is None else x
    return klce(*default_kernels(p, x), y, p, x)


def right_test(result, y, p):
    """Every draw is a value that labels of positive probability can give, and the observed one is ranked among them."""
    assert result.statistic == result.estimate == pytest.approx(default_klce(y, p), abs=1e-12)
    possible = np.array([default_klce(labels, p) for _, labels in kce_oracles.label_vectors(p)])
    assert all(np.abs(possible - value).min() < 1e-12 for value in result.null_distribution)
    kce_oracles.assert_rank(result)


def right_bias(result, y, p):
    x = features(len(p))
    wanted = local_bias(*default_kernels(p, x), y, p, x, p, x)
    same_bias(result, wanted, np.ndim(p) == 1)


def same_bias(result, wanted, scalar, tolerance=1e-9):
    bias, spread, size = (np.array(column) for column in zip(*wanted, strict=True))
    if scalar:
        bias, spread = bias[:, 0], spread[:, 0]
    for found, expected in ((result.bias, bias), (result.standard_error, spread), (result.effective_size, size)):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=tolerance)
