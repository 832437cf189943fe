"""Every error of the four papers is its point of one spectral family, and the family is what its formula says."""

import pickle
import tracemalloc

import klce_oracles
import numpy as np
import pytest
import risk_oracles
from ckce_oracles import trace_formula
from kce_oracles import linear_and_gaussian
from risk_oracles import matrix, residual_rows
from sklearn.gaussian_process.kernels import DotProduct

from calibtutor import laplacian, linear_plus_gaussian, rbf, residuals, skce
from calibtutor.data.worlds import widmann_model
from calibtutor.errors.spectrum import calibration_spectrum, factored, ranking_flips, spectrum_of_features

KERNELS = {"gaussian": (rbf(gamma=1.0), risk_oracles.gaussian(1.0)),
           "linear plus gaussian": (linear_plus_gaussian(0.3), linear_and_gaussian(0.3)),
           "laplacian": (laplacian(0.4), risk_oracles.exponential(0.4))}
DATA = {"scores": risk_oracles.scores, "rows": risk_oracles.rows}
CASES = [(kernel, kind) for kernel in KERNELS for kind in DATA]
pytestmark = pytest.mark.filterwarnings("error")


def family(K, delta, a, b, regularization):
    """‖C^a (C + λ)^{−b} S‖² without features: (1/n) tr(Δᵀ G^{2a+1} (G + λ)^{−2b} Δ) with G = K/n, for λ > 0."""
    return np.trace(delta.T @ dual(K, a, b, regularization) @ delta) / len(K)


def off_diagonal(K, delta, a, b, regularization):
    """The same sum over i ≠ j, over n(n − 1) in place of n²."""
    return len(K) * risk_oracles.off_diagonal(dual(K, a, b, regularization) * (delta @ delta.T))


def dual(K, a, b, regularization):
    values, vectors = np.linalg.eigh(K / len(K))
    values = np.maximum(values, 0)
    return vectors @ np.diag(values ** (2 * a + 1) / (values + regularization) ** (2 * b)) @ vectors.T


def right_spectrum(found, y, p):
    """With the features of `klce_oracles` and exp(−‖p − q‖²) exp(−‖x − x'‖²): every error is its n × n matrix."""
    gaussian = risk_oracles.gaussian(1.0)
    x = klce_oracles.features(len(p))
    K, delta = klce_oracles.product(gaussian, gaussian, p, x), risk_oracles.residual_rows(y, p)
    assert found.norm(0, 0, 0) == pytest.approx((K * (delta @ delta.T)).sum() / len(K) ** 2, abs=1e-9)
    assert found.norm(0, 0, 0, unbiased=True) == pytest.approx(klce_oracles.of_residuals(K, delta), abs=1e-9)
    assert found.norm(0, 1, 1e-2) == pytest.approx(trace_formula(K, delta, 1e-2), abs=1e-9)
    assert found.norm(0.5, 1, 1e-2) == pytest.approx(family(K, delta, 0.5, 1, 1e-2), abs=1e-9)


def made(kernel, kind, tol=1e-15):
    """A spectrum, the literal kernel matrix, and the residuals. Division by λ² needs all features there are."""
    y, p = DATA[kind]()
    kernel, formula = KERNELS[kernel]
    return calibration_spectrum(y, p, kernel=kernel, tol=tol), matrix(formula, p, p), residual_rows(y, p)


@pytest.mark.parametrize("point", [(0, 0), (0.5, 1), (0, 1), (0.3, 0.7), (1, 1), (0, 0.5), (2, 2), (1, 0)], ids=str)
@pytest.mark.parametrize(("kernel", "kind"), CASES)
def test_every_point_is_its_form_without_features(kernel, kind, point):
    found, K, delta = made(kernel, kind)
    for level in (1e-3, 0.5):
        assert found.norm(*point, level) == pytest.approx(family(K, delta, *point, level), rel=1e-9)
        wanted = off_diagonal(K, delta, *point, level)
        assert found.norm(*point, level, unbiased=True) == pytest.approx(wanted, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("kind", DATA)
def test_without_lambda_residuals_are_averaged_over_equal_predictions(kind):
    y, p = DATA[kind]()
    found, K, delta = made("laplacian", kind)
    _, group = np.unique(p, axis=0, return_inverse=True)
    mean = np.array([delta[group == g].mean(axis=0) for g in group])
    assert len(set(group)) < len(p)
    assert found.norm(0.5, 1, 0) == pytest.approx((mean**2).sum() / len(p), rel=1e-9)
    assert np.diag(found.core("kkr", 0)) @ found.eigenvalues == pytest.approx((mean**2).sum() / len(p), rel=1e-9)
    assert found.norm(0, 1, 0) == pytest.approx(np.trace(mean.T @ np.linalg.pinv(K, hermitian=True) @ mean), rel=1e-7)
    for tiny in (5e-324, 1e-300, 1e-20):
        assert found.norm(0, 1, tiny) == pytest.approx(found.norm(0, 1, 0), rel=1e-6)


@pytest.mark.parametrize("kind", DATA)
def test_eigenfunctions_are_orthogonal_and_know_the_spectrum(kind):
    found, K, delta = made("linear plus gaussian", kind, tol=1e-12)
    (_, p), (_, q) = DATA[kind](), DATA[kind](n=9, seed=1)
    values, n = found.eigenfunctions(p), len(p)
    np.testing.assert_allclose(values.T @ values / n, np.diag(found.eigenvalues), rtol=0, atol=1e-10)
    np.testing.assert_allclose(values.T @ delta / n, found.coordinates, rtol=0, atol=1e-9)
    np.testing.assert_allclose((values**2).T @ (delta**2).sum(axis=1) / n**2, found.own, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(len(found.vectors)), rtol=0, atol=1e-12)
    exact = np.linalg.eigvalsh(K / n)[::-1][: len(found.eigenvalues)]
    np.testing.assert_allclose(found.eigenvalues, exact, rtol=0, atol=1e-11)
    largest = np.take_along_axis(found.coordinates, np.abs(found.coordinates).argmax(axis=1)[:, None], axis=1)
    assert (largest >= 0).all() and (found.coordinates < 0).any() == (kind == "rows")
    between = matrix(KERNELS["linear plus gaussian"][1], q, p)
    np.testing.assert_allclose(found.eigenfunctions(q) @ values.T, between, rtol=0, atol=1e-6)
    assert found.eigenfunctions(q[:1]).shape == (1, len(found.eigenvalues))


@pytest.mark.parametrize("max_rank", [1, 3, 8, 20])
def test_the_certificate_bounds_what_a_low_rank_lacks(max_rank):
    for kernel, kind in CASES:
        y, p = DATA[kind]()
        found, K, delta = made(kernel, kind)
        capped = calibration_spectrum(y, p, kernel=KERNELS[kernel][0], max_rank=max_rank)
        missing = found.norm(0, 0, 0) - capped.norm(0, 0, 0)
        bound = capped.left_out * np.diag(K).mean() * (delta**2).sum(axis=1).mean()
        assert len(capped.eigenvalues) <= max_rank and found.left_out <= 1e-12
        assert -1e-12 <= missing <= bound + 1e-12
        for level in (1e-3, 1e-1, 10):
            wanted, ratio = trace_formula(K, delta, level), bound / level
            assert capped.norm(0, 1, level) == pytest.approx(wanted, rel=1e-9, abs=3 * ratio / level)
            assert capped.norm(0.5, 1, level) == pytest.approx(found.norm(0.5, 1, level), rel=1e-9, abs=4 * ratio)
        assert max_rank > 1 or missing > 1e-6


def test_many_rows_are_seen_in_blocks_and_make_no_matrix_of_all_pairs():
    y, p = widmann_model("M2", 9000, n_classes=3, rng=0)
    linear = calibration_spectrum(y, p, kernel=DotProduct(sigma_0=0))
    assert linear.norm(0, 0, 0, unbiased=True) == pytest.approx(skce(y, p, kernel=DotProduct(sigma_0=0)), abs=1e-9)
    tracemalloc.start()
    found = calibration_spectrum(y, p, max_rank=20)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size < 16e6 < 9000**2 * 8 / 30 and found.left_out < 1e-2
    assert len(pickle.dumps(found)) < 1e5  # the n × r block is gone
    assert pickle.loads(pickle.dumps(found)).eigenfunctions(p[:9]).shape == (9, 20)


def test_rankings_flip_where_the_norms_are_equal():
    # Bins of mass .8 and .2, gaps (.1, 0) and (0, .3): SKCE .0064 > .0036, CKCE at λ = 0 .01 < .09.
    phi = np.eye(2)[[0] * 8 + [1] * 2]
    first = spectrum_of_features(phi, phi @ [0.1, 0.0])
    second = spectrum_of_features(phi, phi @ [0.0, 0.3])
    for pair, path, grid, wanted in (
        # .08/(.8 + λ) = .06/(.2 + λ), and .08/.8^b = .06/.2^b
        ((first, second), lambda t: (0, 1, 10**t), np.linspace(-6, 3, 10), [np.log10(1.6)]),
        ((first, second), lambda t: (0, t, 0), [0, 0.4, 1], [np.log(8 / 6) / np.log(4)]),
        ((first, second), lambda t: (0, 1, 1.6 + t), [-1, 0, 1], [0]),  # on the grid
        ((first, first), lambda t: (0, t, 0), [0, 0.5, 1], []),
    ):
        assert ranking_flips(*pair, path, grid) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("kind", DATA)
def test_a_few_eigenvalues_tell_kkr_at_all_lambda(kind):
    (y, p), (_, at) = DATA[kind](500), DATA[kind](9, seed=1)
    found = calibration_spectrum(y, p, kernel=laplacian(0.4))
    v, phi = found.eigenfunctions(at), found.feature_map(at, None)
    for level in [0, *10.0 ** np.arange(-17, 9)]:
        for name in ("kkr", "ukkr"):
            (W, A), wanted = factored(found, name, level), v @ found.core(name, level) @ v.T
            assert name == "ukkr" or level < 1e-15 or len(A) < 0.6 * len(v.T)
            np.testing.assert_allclose(phi @ W @ A @ W.T @ phi.T, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())


def test_without_lambda_only_directions_below_rounding_are_dropped_and_a_kernel_may_see_nothing():
    y, p = risk_oracles.rows()
    phi = p @ np.random.default_rng(0).normal(size=(3, 6))  # three eigenvalues are rounding errors
    found, delta = spectrum_of_features(phi, residuals(y, p)), residual_rows(y, p)
    primal = np.linalg.pinv(phi, rcond=1e-10) @ delta
    assert found.norm(0, 1, 0) == pytest.approx((primal**2).sum(), rel=1e-9)
    for name in ("ukkr", "kkr"):  # without λ they are one function
        core = found.vectors @ found.core(name, 0) @ found.vectors.T
        np.testing.assert_allclose(core, primal @ primal.T, atol=1e-9 * (primal**2).sum())
    assert (found.weights(0, 0, 0) == 1).all() and (found.weights(0, 1, 0) > 0).tolist() == [True] * 3 + [False] * 3
    bins, wanted = np.eye(2)[[0, 1]], [0.5 * 0.1**2, 0.5 * 0.1**2 + 0.5 * 0.2**2]
    for ratio, seen in ((1, 1), (1e-10, 1), (4e-16, 1), (1e-16, 0)):  # the bound is 2.2e-16 of the largest
        small = spectrum_of_features(bins * [1, ratio**0.5], [0.1, 0.2])
        assert small.norm(0.5, 1, 0) == pytest.approx(wanted[seen], rel=1e-9)
    tiny = spectrum_of_features(1e-100 * bins, [0.1, 0.2])
    assert np.isfinite(tiny.core("kkr", 0)).all() and tiny.norm(0.5, 1, 0) == pytest.approx(wanted[1])
    found = calibration_spectrum([0, 1, 0], [0.0, 0.0, 0.0], kernel=DotProduct(sigma_0=0))
    assert found.norm(0, 1, 0) == found.norm(0, 0, 0, unbiased=True) == 0 and found.eigenvalues.shape == (0,)
    assert found.coordinates.shape == (0, 1) and found.left_out == 0 and found.eigenfunctions([0.5]).shape == (1, 0)
    nothing = spectrum_of_features(np.zeros((3, 2)), [0.1, 0.2, 0.3])
    assert nothing.norm(0, 1, 0) == nothing.norm(0.5, 1, 1e-3) == (nothing.core("kkr", 0) ** 2).sum() == 0
