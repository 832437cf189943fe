"""The conditional error is its formula; its approximations keep their promise, the paper's numbers are explained."""

import itertools

import ckce_oracles as exact
import kce_oracles
import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled
from refusals import refuses
from risk_oracles import residual_rows
from test_kce import KERNELS

from calibtutor import fourier_features, laplacian, linear_plus_gaussian, median_bandwidth, rbf
from calibtutor.data.worlds import widmann_model
from calibtutor.errors import ckce as room
from calibtutor.errors import ridge as norms
from calibtutor.errors.ckce import ckce, conditional_error, jkce, select_regularization

DATA = {"rows": kce_oracles.rows(40), "scores": kce_oracles.scores(31)}
NAMES, RIDGES = st.sampled_from(list(KERNELS)), st.sampled_from([1e-3, 0.03, 0.5, 20.0])


@PROPERTY
@given(labelled(), NAMES, RIDGES)
def test_exact_is_the_trace_formula_and_the_joint_error_the_unbiased_skce(data, name, ridge):
    y, p = data
    kernel, formula = KERNELS[name]
    found, K = ckce(y, p, kernel=kernel, regularization=ridge), risk_oracles.matrix(formula, p, p)
    assert isinstance(found, float)
    assert found == pytest.approx(exact.trace_formula(K, residual_rows(y, p), ridge), rel=1e-9, abs=1e-9)
    assert jkce(y, p, kernel=kernel) == pytest.approx(kce_oracles.unbiased(formula, y, p), rel=0, abs=1e-10)


def test_what_does_not_fit_into_memory_names_the_way_that_does(monkeypatch):
    def kernel(X, Y):
        raise AssertionError("n² entries were asked for")

    n = 11_001
    with refuses("y_prob", expected='at most 11,000 rows for method="exact"'):
        ckce(np.zeros(n), np.linspace(0, 1, n), kernel=kernel, method="exact")
    monkeypatch.setattr(room, "DEFAULT_EXACT_ROWS", 40)
    assert conditional_error(*kce_oracles.rows(40)).method == "exact"
    assert conditional_error(*kce_oracles.rows(41)).method == "low-rank"


@PROPERTY
@given(labelled(), NAMES, RIDGES, st.integers(1, 6))
def test_low_rank_keeps_its_certificate(data, name, ridge, max_rank):
    y, p = data
    options = dict(kernel=KERNELS[name][0], regularization=ridge)
    wanted = ckce(y, p, **options)
    found = conditional_error(y, p, method="low-rank", max_rank=max_rank, **options)
    assert found.n_features <= max_rank and found.certificate >= 0 and found.regularization == ridge
    assert abs(found.value - wanted) <= found.certificate + 1e-9 * (1 + wanted)


def test_neither_rounding_nor_rows_that_no_pivot_search_has_seen_make_a_certificate_false():
    # All residuals lie in what one feature sees, and λ is tiny: the norms outside are differences of equal numbers.
    for n, m, p in itertools.product((2, 4, 6), (3, 5), (0.3, 0.6, 0.7)):
        data = np.repeat([0, 1], [n, m]), np.repeat([p, 1.0], [n, m])
        options = dict(kernel=rbf(gamma=300.0), regularization=1e-10)
        found = conditional_error(*data, method="low-rank", max_rank=1, tol=0, **options)
        assert abs(found.value - ckce(*data, **options)) <= found.certificate + 1e-12
    # Pivots are looked for in 2,000 of 2,600 rows, all equal here; every other row predicts something else.
    p, y = np.full(2600, 0.9), np.tile([0, 0, 0, 1], 650)
    p[np.unique(np.linspace(0, 2599, 2000).astype(int))] = 0.1
    options = dict(kernel=rbf(bandwidth=0.2), regularization=0.5)
    found = conditional_error(y, p, method="low-rank", **options)
    assert found.n_features == 1
    assert 1e-3 < abs(found.value - ckce(y, p, **options)) <= found.certificate


def test_low_rank_takes_as_many_features_as_its_tolerance_asks_for(monkeypatch):
    monkeypatch.setattr(norms, "BLOCK_ENTRIES", 1)  # sums over blocks of 256 rows
    y, p = widmann_model("M2", 2000, rng=0)
    wanted, ranks = ckce(y, p), []
    for tol in (1.0, 0.05, 1e-3):
        found = conditional_error(y, p, method="low-rank", tol=tol)
        assert abs(found.value - wanted) <= found.certificate <= tol * found.value
        ranks.append(found.n_features)
    assert ranks[0] == 64 and ranks == sorted(set(ranks))
    capped = conditional_error(y, p, method="low-rank", tol=1e-6, max_rank=100)
    assert capped.n_features == 100 and capped.certificate > 1e-6 * capped.value
    assert abs(capped.value - wanted) <= capped.certificate
    assert ckce(y, p, method="low-rank") == conditional_error(y, p, method="low-rank").value


def by_hand(p, bandwidth, n_frequencies, rng):
    """Eq. 9's features, frequency by frequency."""
    w = np.random.default_rng(rng).standard_normal((p.shape[1], n_frequencies)) / bandwidth
    waves = [f(p @ column) / np.sqrt(n_frequencies) for column in w.T for f in (np.cos, np.sin)]
    return np.column_stack([p, *waves])


def test_fourier_is_the_primal_of_its_features():
    many = widmann_model("M2", 20_000, n_classes=3, rng=0)  # two blocks of rows, which share one draw
    for y, p in (many, kce_oracles.rows(40), kce_oracles.rows(120)):  # 63 features
        bandwidth = median_bandwidth(p)
        wanted = exact.primal(by_hand(p, bandwidth, 30, 5), residual_rows(y, p), len(p) ** -0.25)
        assert ckce(y, p, method="fourier", n_frequencies=30, rng=5) == pytest.approx(wanted, rel=1e-10)
    given = dict(regularization=0.02, method="fourier", n_frequencies=30, rng=5)
    found = conditional_error(y, p, kernel=linear_plus_gaussian(bandwidth), **given)
    assert np.isnan(found.certificate) and found.n_features == 3 + 2 * 30
    # The dual with the features' Gram matrix is the same number.
    waves = np.hstack([p, fourier_features(p, bandwidth=bandwidth, n_frequencies=30, rng=5)])
    assert found.value == pytest.approx(exact.trace_formula(waves @ waves.T, residual_rows(y, p), 0.02), rel=1e-10)
    gauss = exact.primal(by_hand(p, 0.3, 30, 5)[:, 3:], residual_rows(y, p), 0.02)
    assert ckce(y, p, kernel=rbf(bandwidth=0.3), **given) == pytest.approx(gauss, rel=1e-10)


@pytest.mark.parametrize("name", ["rows", "scores"])
@pytest.mark.parametrize("folds", [2, 5])
def test_held_out_errors_are_those_of_explicit_regressions(name, folds):
    y, p = DATA[name]
    exact.right_choice(select_regularization(y, p, folds=folds, rng=3), y, p, folds, 3)
    given = select_regularization(y, p, kernel=laplacian(0.3), candidates=[0.5, 0.01, 0.1], folds=folds, rng=3)
    parts = np.array_split(np.random.default_rng(3).permutation(len(p)), folds)
    wanted = [exact.held_out_error(risk_oracles.exponential(0.3), y, p, s, parts) for s in (0.5, 0.01, 0.1)]
    np.testing.assert_allclose(given.errors, wanted, rtol=1e-9)
    assert given.regularization == (0.5, 0.01, 0.1)[int(np.argmin(wanted))]


def test_of_equal_candidates_the_largest_is_chosen():
    y = np.array([0, 1, 2, 1, 0, 2, 2])
    found = select_regularization(y, np.eye(3)[y], candidates=[0.1, 20.0, 3.0], folds=2, rng=0)
    assert not found.errors.any() and found.regularization == 20
