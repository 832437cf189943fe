"""Kernels equal their formulas, a low-rank factor leaves out what it says, landmarks cost what their docstring says."""

import tracemalloc

import numpy as np
import pytest
from kce_oracles import square_matrix
from refusals import refuses
from scipy.linalg.lapack import dpstrf
from scipy.spatial.distance import cdist

from calibtutor import InputError, kce_test, landmarks, laplacian, linear_plus_gaussian, low_rank, median_bandwidth, rbf
from calibtutor.data.worlds import mixed_widmann_model
from calibtutor.kernels import families, finite_rank, kernel_diagonal


@pytest.fixture
def rows():
    return np.random.default_rng(0).dirichlet([0.5, 1, 2], 40)


FORMULAS = {"gamma": (rbf(gamma=0.7), lambda r, xy: np.exp(-0.7 * r**2)),
            "bandwidth": (rbf(bandwidth=0.7), lambda r, xy: np.exp(-(r**2) / (2 * 0.7**2))),
            "width": (rbf(width=0.7), lambda r, xy: np.exp(-(r**2) / 0.7**2)),
            "laplacian": (laplacian(0.7), lambda r, xy: np.exp(-r / 0.7)),
            "linear plus gaussian": (linear_plus_gaussian(0.7), lambda r, xy: xy + np.exp(-(r**2) / (2 * 0.7**2))),
            "a function": (square_matrix, lambda r, xy: (1 + xy) ** 2)}
KERNELS = [kernel for kernel, _ in FORMULAS.values()]


@pytest.mark.parametrize("name", FORMULAS)
def test_kernels_are_their_formulas(name, rows):
    kernel, formula = FORMULAS[name]
    X, Y = rows[:9], rows[5:]
    for found, Z in ((kernel(X, Y), Y), (kernel(X), X)):
        np.testing.assert_allclose(found, formula(cdist(X, Z), X @ Z.T), rtol=1e-12)
    np.testing.assert_allclose(kernel_diagonal(kernel, X), np.diag(kernel(X)), rtol=1e-14)


def test_a_sample_of_many_rows(monkeypatch, rows):
    monkeypatch.setattr(families, "MEDIAN_ROWS", 20)
    some = np.random.default_rng(3).choice(40, 20, replace=False)
    assert median_bandwidth(rows, rng=3) == median_bandwidth(rows[some]) == median_bandwidth(rows, rng=3)
    assert median_bandwidth(rows, rng=3) != median_bandwidth(rows, rng=4)


@pytest.mark.parametrize("max_rank", [1, 4, 12, None])
@pytest.mark.parametrize("kernel", KERNELS, ids=FORMULAS)
def test_the_residual_is_the_trace_and_bounds_every_entry(kernel, max_rank, rows):
    K = kernel(rows)
    factor = low_rank(kernel, rows, tol=1e-8, max_rank=max_rank)
    left = K - factor.features @ factor.features.T
    rounding = 1e-13 * np.trace(K)
    assert factor.features.shape == (40, factor.rank) and factor.pivots.shape == (factor.rank, 3)
    assert factor.trace == pytest.approx(np.trace(K), rel=1e-12)
    assert factor.residual == pytest.approx(np.trace(left), abs=rounding)
    assert np.abs(left).max() <= factor.residual + rounding
    assert np.linalg.eigvalsh(left).min() >= -rounding
    if max_rank is None:
        assert factor.residual <= 1e-8 * factor.trace
    else:
        assert factor.rank == min(max_rank, np.linalg.matrix_rank(K))


def test_memory_goes_with_the_rank_that_there_is(monkeypatch, rows):
    x = np.linspace(0, 1, 20_000)
    tracemalloc.start()
    found = low_rank(rbf(bandwidth=0.3), x)  # of 2,000 that are allowed
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.rank < 30 and peak < 8 * 20_000 * 200
    whole = low_rank(laplacian(0.4), rows, max_rank=200)
    monkeypatch.setattr(finite_rank, "FIRST_ROWS", 2)
    grown = low_rank(laplacian(0.4), rows, max_rank=200)
    assert grown.rank > 8 and grown.features.tobytes() == whole.features.tobytes()


def test_rows_are_taken_in_the_order_of_lapack():
    X = np.random.default_rng(0).dirichlet(np.ones(10), 150)
    factor = low_rank(rbf(gamma=3.0), X, tol=1e-9)
    U, pivots, *_ = dpstrf(np.exp(-3 * ((X[:, None] - X) ** 2).sum(axis=2)))
    r = factor.rank
    assert r > 100
    np.testing.assert_array_equal(factor.pivots, X[pivots[:r] - 1])
    np.testing.assert_allclose(factor.features[pivots - 1].T, np.triu(U)[:r], rtol=0, atol=1e-9)


def in_single_precision(gamma, cast=np.float32):
    """The Gaussian kernel as a graphics card would give it, by default without saying more digits than it has."""

    def kernel(X, Y=None):
        X, Y = np.asarray(X, np.float32), np.asarray(X if Y is None else Y, np.float32)
        return np.exp(np.float32(-gamma) * ((X[:, None] - Y) ** 2).sum(axis=2)).astype(cast)

    return kernel


OF_BANDWIDTH = {
    "Gaussian": lambda b: rbf(bandwidth=b), "Laplacian": laplacian, "linear plus Gaussian": linear_plus_gaussian,
    "single precision": lambda b: in_single_precision(1 / b**2),
    "more digits than it has": lambda b: in_single_precision(1 / b**2, cast=float)}


def random_rows(seed):
    """Rows, a bandwidth and options of many sizes; in a third of the cases many rows are equal."""
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(1, 5)), int(rng.integers(1, 30 if seed % 4 else 200))
    X = rng.dirichlet(np.full(d + 1, 0.5), n)[:, :d]
    options = {"tol": rng.choice([0, 1e-10, 1e-4]), "max_rank": rng.choice([None, 5, 20])}
    return np.round(X, 1) if seed % 3 == 0 else X, 10 ** rng.uniform(-1.5, 1.5), options


@pytest.mark.parametrize("name", OF_BANDWIDTH)
def test_the_certificate_is_true_of_exact_and_truncated_factors_and_other_kernels_may_be_refused(name):
    refused, honest = 0, name != "more digits than it has"
    for seed in range(150 if honest else 60):
        X, bandwidth, options = random_rows(seed)
        kernel = OF_BANDWIDTH[name](bandwidth)
        try:
            factor = low_rank(kernel, X, **options)
        except InputError as error:
            refused += 1
            assert (error.argument, error.expected) == ("kernel", "a positive semi-definite one")
            assert "row " in error.found and "take another kernel" in error.hint
            continue
        missed = np.abs(kernel(X, X) - factor.features @ factor.features.T).max()
        assert missed <= factor.residual, (seed, missed)
        assert options["max_rank"] or factor.residual <= 1e-3 * factor.trace or not honest  # and says something
    assert refused == 0 if honest else 5 <= refused < 60


def test_a_kernel_that_hides_an_entry_from_its_pivots_is_refused():
    def hiding(X, Y, size=1e-3):  # the diagonal is 1 and so is the row of 0: one feature seems to be all there is
        return 1 + size * (np.minimum(X, Y.T) == 0.5) * (np.maximum(X, Y.T) == 1)

    with refuses("kernel", expected="a positive semi-definite one"):
        low_rank(hiding, [0.0, 0.5, 1.0])
    assert low_rank(lambda X, Y: hiding(X, Y, 1e-9), [0.0, 0.5, 1.0]).residual >= 1e-9  # a rounding error is certified


@pytest.mark.slow
def test_many_landmarks_cost_no_power_and_few_a_tenth():
    assert "256 landmarks find as many, 32 one in ten fewer" in landmarks.__doc__
    rejected = []
    for seed in range(80):
        y, p = mixed_widmann_model(0.13, 1000, rng=seed)
        kernel = laplacian(median_bandwidth(p))
        few = [landmarks(kernel, p, rank=rank, rng=seed) for rank in (256, 32)]
        pairs = (kce_test(y, p, kernel=each, n_resamples=99, rng=seed).single_pvalues for each in ([kernel], few))
        rejected.append(np.concatenate(list(pairs)) <= 0.05 + 1e-12)
    exact, many, fewer = np.mean(rejected, axis=0)
    assert 0.45 < exact < 0.75  # binomial, 99 %; differences of tests of the same data are smaller
    assert abs(exact - many) < 0.04 and 0.05 < exact - fewer < 0.15
