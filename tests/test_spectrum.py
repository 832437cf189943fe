"""Every error of the four papers is its point of one spectral family, and the family is what its formula says."""

import pickle
import tracemalloc

import numpy as np
import pytest
import risk_oracles
import spectrum_oracles as literal
from refusals import refuses
from risk_oracles import matrix, residual_rows
from sklearn.gaussian_process.kernels import DotProduct
from spectrum_oracles import DATA, KERNEL_FUNCTIONS

from calibtutor import laplacian, linear_plus_gaussian, rbf, residuals, skce
from calibtutor.data.worlds import widmann_model
from calibtutor.spectrum import calibration_spectrum, ranking_flips, spectrum_of_features

KERNELS = {
    "gaussian": rbf(gamma=1.0),
    "linear plus gaussian": linear_plus_gaussian(0.3),
    "laplacian": laplacian(0.4),
}
CASES = [(kernel, kind) for kernel in KERNELS for kind in DATA]
pytestmark = pytest.mark.filterwarnings("error")


def made(kernel, kind, tol=1e-15):
    """A spectrum, the literal kernel matrix, and the residuals. Division by λ² needs all features there are."""
    y, p = DATA[kind]()
    K = matrix(KERNEL_FUNCTIONS[kernel], p, p)
    return calibration_spectrum(y, p, kernel=KERNELS[kernel], tol=tol), K, residual_rows(y, p)


# --- the named errors ---


# --- the family ---


@pytest.mark.parametrize("point", [(0, 0), (0.5, 1), (0, 1), (0.3, 0.7), (1, 1), (0, 0.5), (2, 2), (1, 0)], ids=str)
@pytest.mark.parametrize(("kernel", "kind"), CASES)
def test_every_point_is_its_form_without_features(kernel, kind, point):
    found, K, delta = made(kernel, kind)
    for level in (1e-3, 0.5):
        assert found.norm(*point, level) == pytest.approx(literal.family(K, delta, *point, level), rel=1e-9)
        wanted = literal.off_diagonal(K, delta, *point, level)
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
    between = matrix(KERNEL_FUNCTIONS["linear plus gaussian"], q, p)
    np.testing.assert_allclose(found.eigenfunctions(q) @ values.T, between, rtol=0, atol=1e-6)
    assert found.eigenfunctions(q[:1]).shape == (1, len(found.eigenvalues))


# --- features at hand ---


def test_features_in_blocks_and_lists():
    y, p = widmann_model("M2", 9000, n_classes=3, rng=0)
    found = calibration_spectrum(y, p, kernel=DotProduct(sigma_0=0))
    assert len(found.eigenvalues) == 3
    assert found.norm(0, 0, 0, unbiased=True) == pytest.approx(skce(y, p, kernel=DotProduct(sigma_0=0)), abs=1e-9)
    small = spectrum_of_features(p[:6].tolist(), residuals(y[:6], p[:6]).tolist())
    assert small.norm(0, 1, 0.1) == pytest.approx(
        calibration_spectrum(y[:6].tolist(), p[:6].tolist(), kernel=DotProduct(sigma_0=0)).norm(0, 1, 0.1), rel=1e-9
    )


# --- a capped rank, memory ---


@pytest.mark.parametrize("max_rank", [1, 3, 8, 20])
def test_the_certificate_bounds_what_a_low_rank_lacks(max_rank):
    for kernel, kind in CASES:
        y, p = DATA[kind]()
        found, K, delta = made(kernel, kind)
        capped = calibration_spectrum(y, p, kernel=KERNELS[kernel], max_rank=max_rank)
        missing = found.norm(0, 0, 0) - capped.norm(0, 0, 0)
        bound = capped.left_out * np.diag(K).mean() * (delta**2).sum(axis=1).mean()
        assert len(capped.eigenvalues) <= max_rank and found.left_out <= 1e-12
        assert -1e-12 <= missing <= bound + 1e-12
        for level in (1e-3, 1e-1, 10):
            wanted, ratio = literal.trace_formula(K, delta, level), bound / level
            assert capped.norm(0, 1, level) == pytest.approx(wanted, rel=1e-9, abs=3 * ratio / level)
            assert capped.norm(0.5, 1, level) == pytest.approx(found.norm(0.5, 1, level), rel=1e-9, abs=4 * ratio)
        assert max_rank > 1 or missing > 1e-6


def test_no_matrix_of_all_pairs():
    y, p = widmann_model("M2", 8000, n_classes=5, rng=0)
    tracemalloc.start()
    found = calibration_spectrum(y, p, max_rank=20)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size < 16e6 < 8000**2 * 8 / 30 and found.left_out < 1e-2
    assert found.norm(0, 0, 0) == pytest.approx(skce(y, p, kernel=rbf(gamma=1.0), estimator="biased"), rel=0.01)
    assert len(pickle.dumps(found)) < 1e5  # the n × r block is gone
    assert pickle.loads(pickle.dumps(found)).eigenfunctions(p[:9]).shape == (9, 20)


# --- rankings ---


def test_rankings_flip_where_the_norms_are_equal():
    # Bins of mass .8 and .2, gaps (.1, 0) and (0, .3): SKCE .0064 > .0036, CKCE at λ = 0 .01 < .09.
    phi = np.eye(2)[[0] * 8 + [1] * 2]
    first = spectrum_of_features(phi, phi @ [0.1, 0.0])
    second = spectrum_of_features(phi, phi @ [0.0, 0.3])
    bins = np.eye(2)[[0, 0, 0, 1]]
    touching = spectrum_of_features(bins, bins @ [0.25, 0.0]), spectrum_of_features(bins, bins @ [0.0, 0.75])
    for pair, path, grid, wanted in (
        # .08/(.8 + λ) = .06/(.2 + λ), and .08/.8^b = .06/.2^b
        ((first, second), lambda t: (0, 1, 10**t), np.linspace(-6, 3, 10), [np.log10(1.6)]),
        ((first, second), lambda t: (0, t, 0), [0, 0.4, 1], [np.log(8 / 6) / np.log(4)]),
        ((first, second), lambda t: (0, 1, 1.6 + t), [-1, 0, 1], [0]),  # on the grid
        ((first, first), lambda t: (0, t, 0), [0, 0.5, 1], []),
        (touching, lambda t: (0, t * t, 0), [-1, 0, 1], []),  # they touch, and stay in order
    ):
        assert ranking_flips(*pair, path, grid) == pytest.approx(wanted, abs=1e-9)


# --- degenerate and bad input ---


def test_a_kernel_that_sees_nothing():
    found = calibration_spectrum([0, 1, 0], [0.0, 0.0, 0.0], kernel=DotProduct(sigma_0=0))
    assert found.norm(0, 1, 0) == found.norm(0, 0, 0, unbiased=True) == 0 and found.eigenvalues.shape == (0,)
    assert found.coordinates.shape == (0, 1) and found.left_out == 0 and found.eigenfunctions([0.5]).shape == (1, 0)
    nothing = spectrum_of_features(np.zeros((3, 2)), [0.1, 0.2, 0.3])
    assert nothing.norm(0, 1, 0) == nothing.norm(0.5, 1, 1e-3) == (nothing.core("kkr", 0) ** 2).sum() == 0


def test_without_lambda_only_directions_below_rounding_are_dropped():
    y, p = risk_oracles.rows()
    phi = p @ np.random.default_rng(0).normal(size=(3, 6))  # three eigenvalues are rounding errors
    found, delta = spectrum_of_features(phi, residuals(y, p)), residual_rows(y, p)
    primal = np.linalg.pinv(phi, rcond=1e-10) @ delta
    assert found.norm(0, 1, 0) == pytest.approx((primal**2).sum(), rel=1e-9)
    for name in ("ukkr", "kkr"):  # without λ they are one function
        np.testing.assert_allclose(
            found.vectors @ found.core(name, 0) @ found.vectors.T, primal @ primal.T, atol=1e-9 * (primal**2).sum()
        )
    assert (found.weights(0, 0, 0) == 1).all() and (found.weights(0, 1, 0) > 0).tolist() == [True] * 3 + [False] * 3
    bins, wanted = np.eye(2)[[0, 1]], [0.5 * 0.1**2, 0.5 * 0.1**2 + 0.5 * 0.2**2]
    for ratio, seen in ((1, 1), (1e-10, 1), (4e-16, 1), (1e-16, 0)):  # the bound is 2.2e-16 of the largest
        small = spectrum_of_features(bins * [1, ratio**0.5], [0.1, 0.2])
        assert small.norm(0.5, 1, 0) == pytest.approx(wanted[seen], rel=1e-9)
        for level in (1e-30, 1e-3):  # a penalty keeps what it lifts above rounding
            weight = ratio / 2 / (ratio / 2 + level) ** 2 if seen or level > 1e-16 else 0
            assert small.weights(0.5, 1, level)[1] == pytest.approx(weight, rel=1e-9)
    tiny = spectrum_of_features(1e-100 * bins, [0.1, 0.2])
    assert np.isfinite(tiny.core("kkr", 0)).all() and tiny.norm(0.5, 1, 0) == pytest.approx(wanted[1])


def test_a_kernel_that_hides_an_entry_from_its_pivots_is_refused():
    def kernel(hidden):  # all diagonal entries are 1 and so is the row of 0: one feature seems to be all there is
        return lambda X, Y: 1 + hidden * (np.minimum(X, Y.T) == 0.5) * (np.maximum(X, Y.T) == 1)

    y, p = [0, 1, 1], [0.0, 0.5, 1.0]
    found = calibration_spectrum(y, p, kernel=kernel(1e-9))
    assert found.eigenvalues == pytest.approx([1]) and found.left_out >= 1e-9 / 3
    for hidden in (1e-7, 1e-3, -1e-3):
        with refuses("kernel", expected="a positive semi-definite one"):
            calibration_spectrum(y, p, kernel=kernel(hidden))
