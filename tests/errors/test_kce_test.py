"""The exact test is its definition; p-values by formula and bootstrap equal loops, closed forms and SciPy's t test."""

import math
from functools import partial

import kce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from kce_oracles import DATA, assert_rank, assert_same, shuffled
from refusals import refuses
from scipy.stats import ttest_1samp
from sklearn.gaussian_process.kernels import ConstantKernel

from calibtutor import kce_test, laplacian, linear_plus_gaussian, skce, top_label
from calibtutor.chance.pvalues import aggregated_pvalue, bound_pvalue, t_pvalue
from calibtutor.chance.resampling import draw_labels
from calibtutor.data.worlds import widmann_model
from calibtutor.errors.kce import BOUNDS, ESTIMATORS, NOTIONS, UNASKED

LITERAL = risk_oracles.exponential(0.4)


@pytest.mark.parametrize("statistic", ESTIMATORS)
@pytest.mark.parametrize("case", DATA)
def test_labels_are_redrawn_and_the_observed_value_is_ranked(case, statistic):
    y, p = DATA[case]()
    found = kce_test(y, p, kernel=laplacian(0.4), statistic=statistic, n_resamples=40, rng=5)
    y, p, rng = shuffled(y, p, 5) if statistic == "linear" else (y, p, 5)
    definition = literal.ESTIMATORS[statistic]
    assert found.statistic == found.estimate == pytest.approx(definition(LITERAL, y, p), abs=1e-12)
    assert found.method == "labels" and found.null_distribution.shape == (40,) and found.single_pvalues is None
    for value, drawn in zip(found.null_distribution, draw_labels(p, 40, rng=rng).T, strict=True):
        assert value == pytest.approx(definition(LITERAL, drawn, p), abs=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("case", DATA)
def test_a_callable_that_does_the_same_gives_the_same(case):
    y, p = DATA[case]()
    built_in = kce_test(y, p, kernel=laplacian(0.4), n_resamples=60, rng=5)
    own = partial(skce, kernel=laplacian(0.4))
    assert_same(kce_test(y, p, statistic=own, n_resamples=60, rng=5), built_in, 1e-14)
    # Labels reach it as numbers that one can calculate with, and in the order in which they are given.
    seen = []
    assert kce_test(y, p, statistic=lambda y, p: seen.append(y - 1) or 0.0, n_resamples=9, rng=5).pvalue == 1
    assert (seen[0] == y - 1).all() and {*np.ravel(seen)} <= {-1, 0, 1}


@pytest.mark.parametrize("statistic", ["unbiased", "biased", "linear"])
def test_both_notions_are_ranked_on_the_same_draws(statistic):
    y, p = widmann_model("M2", 24, n_classes=4, rng=1)
    found = kce_test(y, p, statistic=statistic, n_resamples=40, rng=5)
    y, p, rng = shuffled(y, p, 5) if statistic == "linear" else (y, p, 5)
    labels = np.column_stack([y, draw_labels(p, 40, rng=rng)])
    hits, confidence, of = labels == p.argmax(axis=1)[:, None], p.max(axis=1), literal.ESTIMATORS[statistic]
    kernels = literal.poster_kernel(p), literal.poster_kernel(confidence)
    table = np.array([[of(kernels[0], column, p) for column in labels.T],
                      [of(kernels[1], column.astype(int), confidence) for column in hits.T]])
    assert found.estimate == pytest.approx(table[:, 0], abs=1e-12)
    assert found.pvalue == aggregated_pvalue(table)[1]
    assert found.single_pvalues.tolist() == [(row >= row[0] - 1e-12).mean() for row in table]
    assert found.notions == ("canonical", "top-label") and not found.unasked


def test_what_was_not_asked_is_said_where_there_are_more_than_two_classes():
    y, p = widmann_model("M1", 40, n_classes=3, rng=0)
    kernel = laplacian(0.4)
    for notion in NOTIONS:
        found = kce_test(y, p, notion=notion, n_resamples=9, rng=0)
        assert (found.notions, found.unasked) == ((notion,), UNASKED[notion])
    assert_same(found, kce_test(*top_label(y, p), n_resamples=9, rng=0), 0)
    assert "hardly sees it" in kce_test(y, p, kernel=kernel, n_resamples=9, rng=0).summary()
    assert kce_test(y, p, method="asymptotic", n_resamples=9, rng=0).unasked
    assert not kce_test(y % 2, p[:, :2] / p[:, :2].sum(axis=1, keepdims=True), n_resamples=9, rng=0).unasked
    assert "top-label: " in kce_test(y, p, n_resamples=9, rng=0).summary()
    one_sure = np.full((40, 3), 0.25) + 0.25 * np.eye(3)[y]  # confidences all alike, predictions not
    assert kce_test(y, one_sure, n_resamples=9, rng=0).single_pvalues[1] == 0.1
    for options, argument in (({"notion": "all"}, "notion"), ({"notion": ()}, "notion"),
                              ({"notion": NOTIONS, "kernel": kernel}, "kernel"),
                              ({"notion": NOTIONS, "method": "asymptotic"}, "notion")):
        with refuses(argument):
            kce_test(y, p, **options)
    with refuses("notion", expected="one for a vector y_prob"):
        kce_test(y % 2, p[:, 0], notion=NOTIONS)


@pytest.mark.parametrize("case", DATA)
def test_the_bootstrap_is_its_double_loop(case):
    y, p = DATA[case]()
    n, found = len(y), kce_test(y, p, kernel=laplacian(0.4), method="asymptotic", n_resamples=30, rng=5)
    assert found.estimate == pytest.approx(literal.unbiased(LITERAL, y, p), abs=1e-12)
    assert found.statistic == pytest.approx(literal.bootstrap_score(LITERAL, y, p), abs=1e-12)
    counts = np.random.default_rng(5).multinomial(n, np.full(n, 1 / n), size=30)
    for value, count in zip(found.null_distribution, counts.tolist(), strict=True):
        assert value == pytest.approx(literal.bootstrap_draw(LITERAL, y, p, count), abs=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("case", ["rows", "scores", "even rows"])
def test_the_linear_approximation_is_the_t_test(case):
    y, p = DATA[case]()
    found = kce_test(y, p, kernel=laplacian(0.4), method="asymptotic-linear", rng=5)
    terms = literal.pair_terms(literal.terms(LITERAL, *shuffled(y, p, 5)[:2]))
    wanted = ttest_1samp(terms, 0, alternative="greater")
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-10)
    assert found.pvalue == pytest.approx(wanted.pvalue, rel=1e-10)
    assert found.estimate == pytest.approx(np.mean(terms), rel=1e-12) and found.null_distribution is None


def test_equal_terms_have_the_limits_of_the_t_test():
    limits = {0.25: (math.inf, 0), 0.0: (0, 0.5), -0.25: (-math.inf, 1)}
    for value, (score, pvalue) in limits.items():
        found = t_pvalue(np.full(4, value))
        assert found == (score, pytest.approx(pvalue, abs=1e-300)) and found[1] > 0
    with refuses("y_prob", expected="at least 4 rows"):
        kce_test([0, 1, 1], [0.2, 0.6, 0.9], method="asymptotic-linear")


CLOSED = {"biased": literal.bound_biased, "unbiased": literal.bound_unbiased, "linear": literal.bound_unbiased}


@pytest.mark.parametrize("method", BOUNDS)
@pytest.mark.parametrize("case", DATA)
def test_bounds_are_closed_forms(case, method):
    y, p = DATA[case]()
    y = np.zeros_like(y)  # always class 0: a large error
    estimator, top = BOUNDS[method], 1 if p.ndim == 1 else 2
    seen = shuffled(y, p, 5)[:2] if estimator == "linear" else (y, p)
    estimate = literal.ESTIMATORS[estimator](LITERAL, *seen)
    for kernel, options, bound in ((laplacian(0.4), {}, top),
                                   (laplacian(0.4), {"bound": 0.3}, 0.3),
                                   (ConstantKernel(3.0) * laplacian(0.4), {}, 3 * top)):
        found = kce_test(y, p, kernel=kernel, method=method, rng=5, **options)
        scale = bound / top if not options else 1
        assert found.statistic == found.estimate == pytest.approx(scale * estimate, rel=1e-10)
        assert found.pvalue == pytest.approx(CLOSED[estimator](scale * estimate, len(y), bound), rel=1e-10)
        assert found.null_distribution is None and found.method == method
    with refuses("bound", expected="sup |h| (2 sup k; binary vector: sup k)"):
        kce_test(y, p, kernel=linear_plus_gaussian(0.5), method=method)


def test_bounds_count_no_negative_estimate():
    # Errata U5: squared, a negative estimate would speak against calibration.
    for biased, closed in ((True, literal.bound_biased), (False, literal.bound_unbiased)):
        for estimate, n, bound in ((-3, 10, 1), (0, 10, 1), (0.01, 7, 0.1), (0.2, 10**6, 0.01), (3, 101, 10)):
            found = bound_pvalue(estimate, n, bound, biased=biased)
            assert 0 < found <= 1 and (estimate > 0 or found == 1)
            assert found == pytest.approx(closed(estimate, n, bound), rel=1e-9, abs=1e-300)
