"""Quadratic forms equal those of the whole kernel matrix, whatever way the matrix is gone through."""

import numpy as np
import pytest
from kce_oracles import square_matrix as square
from refusals import refuses
from scipy.spatial.distance import cdist

from calibtutor import laplacian, linear_plus_gaussian, rbf
from calibtutor.kernels import gram
from calibtutor.kernels.gram import Gram


def negative_squares(X, Y=None):
    """Symmetric, but no kernel: its matrix has eigenvalues of both signs, and zeros on the diagonal."""
    return -cdist(X, X if Y is None else Y, "sqeuclidean")


def hardly_a_kernel(X, Y=None):
    """Of low rank, with an eigenvalue some billionths of the trace below 0."""
    Y = X if Y is None else Y
    return np.exp(0.1 * negative_squares(X, Y)) - 1e-5 * (X @ Y.T) ** 8


# The matrix once more, from distances and inner products; does it have a low rank?
KERNELS = {"laplacian": (laplacian(0.3), lambda r, xy: np.exp(-r / 0.3), False),
           "gaussian": (rbf(gamma=1.0), lambda r, xy: np.exp(-(r**2)), True),
           "narrow gaussian": (rbf(gamma=1e5), lambda r, xy: np.exp(-1e5 * r**2), False),
           "linear plus gaussian": (linear_plus_gaussian(0.5), lambda r, xy: xy + np.exp(-2 * r**2), True),
           "a function": (square, lambda r, xy: (1 + xy) ** 2, True),
           "no kernel": (negative_squares, lambda r, xy: -(r**2), False),
           "hardly a kernel": (hardly_a_kernel, lambda r, xy: np.exp(-0.1 * r**2) - 1e-5 * xy**8, False)}


def rows(n, d=3, seed=0):
    """Predictions, some of them certain or equal."""
    p = np.random.default_rng(seed).dirichlet(np.linspace(0.5, 2, d), n)
    p[1], p[n // 2], p[-1] = p[0], np.eye(d)[0], np.eye(d)[0]
    return p


def dense(name, X):
    return KERNELS[name][1](cdist(X, X), X @ X.T)


def dense_forms(K, V):
    """Σ_k v_kᵀKv_k for V of shape (n, d, draws), and the part of i = j."""
    forms = [sum(v @ K @ v for v in V[:, :, b].T) for b in range(V.shape[2])]
    return np.array(forms), np.einsum("i,ikb->b", np.diag(K), V**2)


def slices(V):
    return lambda rows, draws: V[rows, :, draws]


@pytest.mark.parametrize("n", [2, 3, 40, 512, 513, 700])
@pytest.mark.parametrize("name", KERNELS)
def test_forms_are_those_of_the_whole_matrix(name, n):
    kernel, _, low = KERNELS[name]
    X, K = rows(n), dense(name, rows(n))
    V = np.random.default_rng(1).standard_normal((n, 3, 11))
    found, (wanted, wanted_own) = Gram(kernel, X), dense_forms(K, V)
    # Signs may cancel: what matters is the size of the entries that are summed.
    allowed = 1e-12 * (np.abs(K).sum() + np.abs(np.trace(K)) * (V**2).sum())
    assert (found.features is not None) == (low and n > 512)
    form, own = found.forms(slices(V), 11)
    np.testing.assert_allclose(form, wanted, rtol=0, atol=allowed)
    np.testing.assert_allclose(own, wanted_own, rtol=1e-12)
    assert found.form(V[:, :, 0]) == pytest.approx(wanted[0], rel=0, abs=allowed)
    assert found.form(V[:, :1, 0]) == pytest.approx(V[:, 0, 0] @ K @ V[:, 0, 0], rel=0, abs=allowed)
    np.testing.assert_allclose(found.apply(V[:, :, 0]), K @ V[:, :, 0], rtol=0, atol=1e-10 * n)
    np.testing.assert_allclose(found.diagonal, np.diag(K), rtol=1e-14)


@pytest.mark.parametrize("chunk", [1, 5000])
@pytest.mark.parametrize("tile_rows", [1, 7, 299, 600])
@pytest.mark.parametrize("name", ["laplacian", "a function"])  # tiles, features
def test_no_way_of_cutting_changes_a_form(name, tile_rows, chunk, monkeypatch):
    n = 60 if tile_rows == 1 else 600  # 180,000 tiles of one entry would take a minute
    kernel, X = KERNELS[name][0], rows(n)
    V = np.random.default_rng(1).standard_normal((n, 3, 13))
    standard = Gram(kernel, X)
    wanted, product = standard.forms(slices(V), 13), standard.apply(V[:, :, 0])
    monkeypatch.setattr(gram, "CHUNK_ENTRIES", chunk)
    monkeypatch.setattr(gram, "TILE_ROWS", tile_rows)
    other = Gram(kernel, X)
    scale = np.abs(dense(name, X)).sum()
    np.testing.assert_allclose(other.forms(slices(V), 13), wanted, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(other.apply(V[:, :, 0]), product, rtol=0, atol=1e-12 * np.abs(product).max())


def test_a_probe_that_sees_only_duplicates_does_not_mislead():
    # The 256 rows that are looked at first are all equal; the others are not, and have no low rank.
    X = rows(1200)
    X[np.linspace(0, 1199, gram.PROBE_ROWS).astype(int)] = X[0]
    found = Gram(laplacian(0.3), X)
    assert found._may_have_low_rank() and found.features is None
    V = np.random.default_rng(1).standard_normal((1200, 2))
    assert found.form(V) == pytest.approx(np.einsum("ia,ij,ja", V, np.exp(-cdist(X, X) / 0.3), V), rel=1e-11)


def test_very_many_rows_neither_need_the_memory_nor_the_time_of_a_matrix():
    # Room for 25,000 pivots of 100,000 rows would be 20 GB; and rounding errors leave more than 1e-12 of the trace.
    X = rows(100_000)
    found = Gram(rbf(gamma=1.0), X)
    assert found.features.shape[1] < 100
    some, V = np.arange(0, 100_000, 97), np.zeros((100_000, 1))
    V[some] = 1
    assert found.form(V) == pytest.approx(np.exp(-cdist(X[some], X[some], "sqeuclidean")).sum(), rel=1e-10)


@pytest.mark.parametrize("n", [6, 600])
def test_what_is_no_kernel_is_refused(n):  # other shapes: test_bad_options.py
    with refuses("kernel", expected="finite numbers"):  # NaN at the corner in the middle
        Gram(lambda X, Y: square(X, Y) + np.where(X[:, :1] == 1, np.nan, 0), rows(n)).form(rows(n))
