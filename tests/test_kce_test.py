"""Every test is its formula: statistic, draws and p-value against loops, and the same answer whatever way it is run."""

import math
from functools import partial

import kce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from sklearn.gaussian_process.kernels import ConstantKernel

from calibtutor import gram, kce, kce_test, kernel_grid, laplacian, linear_plus_gaussian, rbf, skce
from calibtutor.gram import Gram
from calibtutor.kce import BOUNDS, ESTIMATORS, METHODS
from calibtutor.nulls import bound_pvalue, t_pvalue
from calibtutor.resampling import draw_labels, draw_pairs
from calibtutor.simplex import simplex_calibration_error

PROPERTY = settings(max_examples=150, deadline=None, derandomize=True, database=None)
LITERAL = risk_oracles.exponential(0.4)
DRAWING = ("labels", "consistency", "asymptotic")


def rows(n=15, seed=0):
    """Labels and predictions of three classes, some of them certain or equal."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.5, 1, 2], n)
    p[0], p[3], p[4] = [0, 1, 0], p[2], p[2]
    return rng.integers(0, 3, n), p


def scores(n=15, seed=0):
    rng = np.random.default_rng(seed)
    p = np.concatenate([[0.0, 1.0, 0.5, 0.5], rng.random(n - 4)])
    return rng.integers(0, 2, n), p


DATA = {"rows": rows, "scores": scores, "even rows": lambda: rows(14), "two rows": lambda: TWO}


TWO = (np.array([0, 1]), np.array([[0.3, 0.7, 0.0], [0.2, 0.2, 0.6]]))


def assert_rank(result):
    """p = (1 + #{T* ≥ T})/(B + 1), equal up to rounding counted as equal; never 0."""
    observed, *draws = np.round([result.statistic, *result.null_distribution], 12).tolist()
    assert result.pvalue == pytest.approx(literal.rank_pvalue(observed, draws), abs=1e-12)
    assert 1 / (len(draws) + 1) <= result.pvalue <= 1


def assert_same(one, other, tolerance=0.0):
    assert one.pvalue == other.pvalue and one.method == other.method
    for name in ("statistic", "estimate", "null_distribution"):
        found, wanted = getattr(one, name), getattr(other, name)
        assert (found is None) == (wanted is None)
        if found is not None:
            np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


# --- redrawn labels ---


@pytest.mark.parametrize("statistic", ESTIMATORS)
@pytest.mark.parametrize("case", DATA)
def test_labels_are_redrawn_and_the_observed_value_is_ranked(case, statistic):
    y, p = DATA[case]()
    found = kce_test(y, p, kernel=laplacian(0.4), statistic=statistic, n_resamples=40, rng=5)
    definition = literal.ESTIMATORS[statistic]
    assert found.statistic == found.estimate == pytest.approx(definition(LITERAL, y, p), abs=1e-12)
    assert found.method == "labels" and found.null_distribution.shape == (40,) and found.single_pvalues is None
    for value, drawn in zip(found.null_distribution, draw_labels(p, 40, rng=5).T, strict=True):
        assert value == pytest.approx(definition(LITERAL, drawn, p), abs=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("statistic", ESTIMATORS)
@pytest.mark.parametrize("case", DATA)
def test_a_callable_that_does_the_same_gives_the_same(case, statistic):
    y, p = DATA[case]()
    own = partial(skce, kernel=laplacian(0.4), estimator=statistic)
    built_in = kce_test(y, p, kernel=laplacian(0.4), statistic=statistic, n_resamples=60, rng=5)
    assert_same(kce_test(y, p, statistic=own, n_resamples=60, rng=5), built_in, 1e-14)


@pytest.mark.parametrize("statistic", [*ESTIMATORS, simplex_calibration_error], ids=str)
@pytest.mark.parametrize("method", ["labels", "consistency"])
def test_labels_that_are_certain_give_p_1(method, statistic):
    # Every draw is the observed data set: all are ties, and ties count against us.
    y = np.array([0, 1, 2, 2, 1, 0])
    found = kce_test(y, np.eye(3)[y], kernel=rbf(gamma=1.0), method=method, statistic=statistic, n_resamples=19, rng=0)
    assert found.pvalue == 1 and found.statistic == 0 and (found.null_distribution == 0).all()


def test_equal_predictions_tie_up_to_rounding():
    # Only the number of ones counts: few different values, whose sums differ in their last bits.
    y, p = [0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1], [0.3] * 11
    found = kce_test(y, p, kernel=rbf(gamma=1.0), statistic="biased", n_resamples=999, rng=0)
    ones = [sum(y), *draw_labels(np.array(p), 999, rng=0).sum(axis=0)]
    distance = np.abs(np.array(ones) - 3.3)
    assert found.pvalue == (distance >= distance[0] - 1e-9).mean()
    assert len(np.unique(ones)) < 12


def test_one_draw_and_a_statistic_that_may_be_infinite():
    y, p = rows()
    assert kce_test(y, p, n_resamples=1, rng=0).pvalue in (0.5, 1)

    def log_loss(y, p):
        with np.errstate(divide="ignore"):
            return -np.log(p[np.arange(len(y)), y]).sum()

    y[0], p[0] = 0, [0, 0.5, 0.5]  # what cannot happen has happened
    assert kce_test(y, p, statistic=log_loss, n_resamples=99, rng=0).pvalue == 0.01
    with pytest.raises(ValueError, match="statistic: expected a number for each data set, got NaN for"):
        kce_test(y, p, statistic=lambda y, p: np.nan if y[1] == 0 else 1.0, n_resamples=99, rng=0)


# --- the other methods ---


@pytest.mark.parametrize("statistic", ESTIMATORS)
@pytest.mark.parametrize("case", DATA)
def test_consistency_resampling_draws_predictions_too(case, statistic):
    y, p = DATA[case]()
    found = kce_test(y, p, kernel=laplacian(0.4), method="consistency", statistic=statistic, n_resamples=30, rng=5)
    definition = literal.ESTIMATORS[statistic]
    chosen, labels = draw_pairs(p, 30, rng=5)
    assert found.statistic == pytest.approx(definition(LITERAL, y, p), abs=1e-12) and found.method == "consistency"
    for value, i, drawn in zip(found.null_distribution, chosen.T, labels.T, strict=True):
        assert value == pytest.approx(definition(LITERAL, drawn, p[i]), abs=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("case", DATA)
def test_the_bootstrap_is_its_double_loop(case):
    y, p = DATA[case]()
    n, found = len(y), kce_test(y, p, kernel=laplacian(0.4), method="asymptotic", n_resamples=30, rng=5)
    assert found.estimate == pytest.approx(literal.unbiased(LITERAL, y, p), abs=1e-12)
    assert found.statistic == pytest.approx(literal.bootstrap_score(LITERAL, y, p), abs=1e-12)
    counts = np.random.default_rng(5).multinomial(n, np.full(n, 1 / n), size=30)
    for value, count in zip(found.null_distribution, counts.tolist(), strict=True):
        assert value == pytest.approx(literal.bootstrap_draw(LITERAL, y, p, count), abs=1e-12)
        # It is the centred U-statistic of the drawn rows, from which SKCE_b is taken on both sides.
        drawn = [i for i in range(n) for _ in range(count[i])]
        centred = literal.centred_u_statistic(LITERAL, y, p, drawn)
        assert value == pytest.approx(centred - literal.biased(LITERAL, y, p), abs=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("case", ["rows", "scores", "even rows"])
def test_the_linear_approximation_is_the_t_test(case):
    y, p = DATA[case]()
    terms = literal.pair_terms(literal.terms(LITERAL, y, p))
    wanted = ttest_1samp(terms, 0, alternative="greater")
    found = kce_test(y, p, kernel=laplacian(0.4), method="asymptotic-linear")
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10)
    assert found.pvalue == pytest.approx(wanted.pvalue, rel=1e-10)
    assert found.estimate == pytest.approx(np.mean(terms), rel=1e-12) and found.null_distribution is None


def test_equal_terms_have_the_limits_of_the_t_test():
    limits = {0.25: (math.inf, 0), 0.0: (0, 0.5), -0.25: (-math.inf, 1)}
    for value, (score, pvalue) in limits.items():
        found = t_pvalue(np.full(4, value))
        assert found == (score, pytest.approx(pvalue, abs=1e-300)) and found[1] > 0
        if value:
            near = ttest_1samp(value + 1e-9 * np.array([-1, 1, -1, 1]), 0, alternative="greater")
            assert near.pvalue == pytest.approx(pvalue, abs=1e-20)
    with pytest.raises(ValueError, match='y_prob: method "asymptotic-linear" needs at least 4 rows, got 3'):
        kce_test([0, 1, 1], [0.2, 0.6, 0.9], method="asymptotic-linear")


CLOSED = {"biased": literal.bound_biased, "unbiased": literal.bound_unbiased, "linear": literal.bound_unbiased}


@pytest.mark.parametrize("method", BOUNDS)
@pytest.mark.parametrize("case", DATA)
def test_bounds_are_closed_forms(case, method):
    y, p = DATA[case]()
    y = np.zeros_like(y)  # always class 0: a large error
    estimator, top = BOUNDS[method], 1 if p.ndim == 1 else 2
    estimate = literal.ESTIMATORS[estimator](LITERAL, y, p)
    for kernel, options, bound in (
        (laplacian(0.4), {}, top),
        (laplacian(0.4), {"bound": 0.3}, 0.3),
        (ConstantKernel(3.0) * laplacian(0.4), {}, 3 * top),
    ):
        found = kce_test(y, p, kernel=kernel, method=method, **options)
        scale = bound / top if not options else 1
        assert found.statistic == found.estimate == pytest.approx(scale * estimate, rel=1e-10)
        assert found.pvalue == pytest.approx(CLOSED[estimator](scale * estimate, len(y), bound), rel=1e-10)
        assert found.null_distribution is None and found.method == method
    with pytest.raises(ValueError, match="bound: expected sup |h|.* this kernel does not tell its own"):
        kce_test(y, p, kernel=linear_plus_gaussian(0.5), method=method)


@PROPERTY
@given(st.lists(st.floats(-3, 3), min_size=2, max_size=20), st.integers(2, 10**6), st.floats(0.01, 10))
def test_bounds_fall_as_estimates_rise_and_negative_ones_do_not_count(estimates, n, bound):
    # Errata U5: squared, a negative estimate would speak against calibration.
    for biased, closed in ((True, literal.bound_biased), (False, literal.bound_unbiased)):
        found = [bound_pvalue(e, n, bound, biased=biased) for e in sorted(estimates)]
        assert all(before >= after for before, after in zip(found, found[1:], strict=False))
        for estimate, pvalue in zip(sorted(estimates), found, strict=True):
            assert 0 < pvalue <= 1 and (estimate > 0 or pvalue == 1)
            assert pvalue == pytest.approx(closed(estimate, n, bound), rel=1e-9, abs=1e-300)


def test_a_negative_estimate_gives_p_1():
    y, p = [0, 1], [[0.5, 0.5], [0.5, 0.5]]  # h_12 = k⟨(−½, ½), (½, −½)⟩ = −½
    for method in ("bound-unbiased", "bound-linear"):
        found = kce_test(y, p, kernel=rbf(gamma=1.0), method=method)
        assert found.estimate == pytest.approx(-0.5) and found.pvalue == 1


# --- several kernels ---


@pytest.mark.parametrize("statistic", ESTIMATORS)
@pytest.mark.parametrize("case", DATA)
def test_the_aggregate_of_one_kernel_is_the_test_with_it(case, statistic):
    y, p = DATA[case]()
    options = {"statistic": statistic, "n_resamples": 99, "rng": 2}
    one = kce_test(y, p, kernel=laplacian(0.4), **options)
    every = kce_test(y, p, kernel=[laplacian(0.4)], **options)
    assert every.pvalue == pytest.approx(one.pvalue, abs=1e-12)
    assert every.single_pvalues.tolist() == [one.pvalue] == [every.statistic]
    assert every.estimate.tolist() == [one.estimate]


def test_the_aggregate_uses_the_same_labels_for_every_kernel():
    y, p = rows(25)
    kernels = [*kernel_grid(p, factors=(0.25, 1, 4)), rbf(gamma=2.0)]
    every = kce_test(y, p, kernel=kernels, n_resamples=99, rng=2)
    alone = [kce_test(y, p, kernel=kernel, n_resamples=99, rng=2) for kernel in kernels]
    assert every.single_pvalues.tolist() == [one.pvalue for one in alone]
    np.testing.assert_allclose(every.estimate, [one.statistic for one in alone], rtol=0, atol=1e-15)
    assert every.statistic == min(one.pvalue for one in alone) and every.method == "labels, aggregated"
    values = np.array([[one.statistic, *one.null_distribution] for one in alone])
    ranks = [[literal.rank_pvalue(v, [*row[:b], *row[b + 1 :]]) for b, v in enumerate(row)] for row in values]
    assert every.null_distribution.tolist() == np.min(ranks, axis=0)[1:].tolist()
    for order in ([3, 1, 0, 2], (2, 0, 3, 1)):
        other = kce_test(y, p, kernel=tuple(kernels[k] for k in order), n_resamples=99, rng=2)
        assert other.pvalue == every.pvalue


# --- the whole test in a tiny world, all draws enumerated ---


@pytest.mark.parametrize("kernel", [laplacian(0.4), [laplacian(0.1), rbf(gamma=0.5)]], ids=["exact", "aggregated"])
@pytest.mark.parametrize("p", [[[0.9, 0.1], [0.4, 0.6], [0.35, 0.65]], [0.1, 0.6, 0.65]], ids=["rows", "scores"])
def test_the_whole_test_holds_its_level_exactly(p, kernel, monkeypatch):
    p, vectors = np.array(p), literal.label_vectors(p)
    for level in (1 / 3, 2 / 3):
        rejected = 0.0
        for mass, y in vectors:
            for first, one in vectors:
                for second, other in vectors:
                    monkeypatch.setattr(kce, "draw_labels", lambda *_, c=(one, other): np.array(c).T)
                    pvalue = kce_test(y, p, kernel=kernel, n_resamples=2).pvalue
                    rejected += mass * first * second * (pvalue <= level + 1e-12)
        assert 0.5 * level < rejected <= level + 1e-12


# --- the same answer whatever way it is run ---


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [rows, scores])
def test_the_same_seed_gives_the_same_result(data, method):
    y, p = data(40)
    options = {"method": method, "n_resamples": 50}
    one = kce_test(y, p, rng=3, **options)
    for other in (
        kce_test(y, p, rng=np.random.default_rng(3), **options),
        kce_test(y.tolist(), p.tolist(), rng=3, **options),
    ):
        assert_same(other, one)
    single = kce_test(y, p.astype(np.float32), rng=3, **options)
    assert single.statistic == pytest.approx(one.statistic, abs=1e-5)
    if method in DRAWING:
        assert (kce_test(y, p, rng=4, **options).null_distribution != one.null_distribution).any()


@pytest.mark.parametrize("method", DRAWING)
def test_tiles_and_chunks_change_nothing(method, monkeypatch):
    y, p = rows(60)
    options = {"kernel": laplacian(0.4), "method": method, "n_resamples": 50, "rng": 3}
    one = kce_test(y, p, **options)
    monkeypatch.setitem(Gram.__init__.__kwdefaults__, "tile_rows", 7)
    for held in (10**6, 0):
        for chunk in (1, 2000):
            monkeypatch.setattr(gram, "HELD_ENTRIES", held)
            monkeypatch.setattr(gram, "CHUNK_ENTRIES", chunk)
            assert_same(kce_test(y, p, **options), one, 1e-14)


@pytest.mark.parametrize("method", ["labels", "consistency"])
def test_the_number_of_processes_changes_nothing(method):
    y, p = rows(30)
    options = {"method": method, "statistic": simplex_calibration_error, "n_resamples": 25, "rng": 3}
    assert_same(kce_test(y, p, n_jobs=2, **options), kce_test(y, p, n_jobs=1, **options))


@pytest.mark.parametrize("method", DRAWING)
def test_progress_is_shown_when_asked_for(method, capsys):
    y, p = rows()
    options = {"method": method, "n_resamples": 5, "rng": 3}
    silent = kce_test(y, p, **options)
    assert capsys.readouterr().err == ""
    assert_same(kce_test(y, p, progress=True, **options), silent)
    assert "100%" in capsys.readouterr().err


# --- bad options ---

CALL = {"statistic": lambda y, p: 0.0}
BAD_OPTIONS = [
    ({"method": "label"}, "method: expected one of labels, consistency, asymptotic, "),
    ({"method": None}, "method: expected one of"),
    ({"statistic": "unbaised"}, "statistic: expected one of unbiased, biased, linear, got 'unbaised'"),
    *[({"n_resamples": bad}, "n_resamples: expected a whole number of at least 1, got") for bad in (0, -5, 9.0, True)],
    *[({"method": m, **CALL}, "statistic: a callable goes with method") for m in METHODS[2:]],
    *[({"kernel": bad}, "kernel: expected a callable k") for bad in ("rbf", 0.5, [rbf(gamma=1.0), "rbf"])],
    *[({"kernel": [rbf(gamma=1.0)], "method": m}, "kernel: a list needs at least one") for m in METHODS[1:]],
    ({"kernel": []}, "kernel: a list needs at least one"),
    ({"kernel": [rbf(gamma=1.0)], **CALL}, "kernel: a list needs at least one"),
    *[({"bound": bad, "method": "bound-biased"}, "bound: expected a positive finite number, got")
      for bad in (0, -1, np.nan, np.inf, "2", True, [2.0])],
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), BAD_OPTIONS, ids=str)
def test_bad_options_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        kce_test(*rows(), **options)


def test_a_constant_model_needs_a_kernel():
    y, p = [0, 1, 1, 0], [[0.3, 0.7]] * 4
    for method in METHODS:
        with pytest.raises(ValueError, match="y_prob: the median distance is 0"):
            kce_test(y, p, method=method)
        assert 0 < kce_test(y, p, kernel=rbf(gamma=1.0), method=method, rng=0, n_resamples=9).pvalue <= 1
