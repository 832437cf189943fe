"""CORP against its definition, against the peer's values, and against what is promised of it."""

import math
import time

import numpy as np
import pytest
from corp_oracles import PEER, decomposition, min_max, right_result, ten_sets

from calibtutor import brier_score, corp_reliability, top_label

PARTS = "score", "miscalibration", "discrimination", "uncertainty"


def parts(found):
    return [getattr(found, part) for part in PARTS]


def drawn(seed, n, digits=None, bend=1.0):
    rng = np.random.default_rng([31, seed])
    p = rng.random(n) if digits is None else rng.random(n).round(digits)
    r = p**bend / (p**bend + (1 - p) ** bend)
    return (rng.random(n) < r).astype(int), p


@pytest.mark.parametrize("scoring", ["brier", "log"])
@pytest.mark.parametrize(("seed", "n", "digits"), [(0, 2, None), (1, 9, 1), (2, 30, None), (3, 60, 1), (4, 120, 2)])
def test_it_is_its_definition(seed, n, digits, scoring):
    y, p = drawn(seed, n, digits)
    weights = np.random.default_rng(seed).random(n) * (np.arange(n) % 5 > 0)
    weights[:2] = 1
    for w in (None, weights):
        found = corp_reliability(y, p, scoring=scoring, weights=w)
        kept = np.ones(n, bool) if w is None else w > 0
        args = y[kept].tolist(), p[kept].tolist(), None if w is None else w[kept].tolist()
        np.testing.assert_allclose(parts(found), decomposition(*args, scoring), rtol=0, atol=1e-12)
        fit, total = min_max(*args), np.ones(n) if w is None else w
        assert found.count.sum() == pytest.approx(total.sum())
        for q, r in fit.items():
            (block,) = np.flatnonzero((found.low <= q) & (q <= found.high))
            assert found.frequency[block] == pytest.approx(r, abs=1e-12)
        for low, high, confidence, frequency in zip(
            found.low, found.high, found.confidence, found.frequency, strict=True
        ):
            inside = kept & (low <= p) & (p <= high)
            assert confidence == pytest.approx(np.average(p[inside], weights=total[inside]), abs=1e-12)
            assert frequency == pytest.approx(np.average(y[inside], weights=total[inside]), abs=1e-12)


def test_the_oracle_is_the_best_rising_fit():
    y, p = drawn(5, 7)
    fit = np.array([min_max(y.tolist(), p.tolist())[q] for q in np.sort(p)])
    ordered = y[np.argsort(p)]
    rng = np.random.default_rng(0)
    for other in np.sort(rng.random((20_000, 7)), axis=1):
        assert ((other - ordered) ** 2).sum() >= ((fit - ordered) ** 2).sum() - 1e-12


@pytest.mark.parametrize("scoring", ["brier", "log"])
@pytest.mark.parametrize("seed", range(8))
def test_the_decomposition_adds_up(seed, scoring):
    y, p = drawn(seed, 300, (None, 1)[seed % 2], bend=(0.4, 1, 3)[seed % 3])
    weights = np.random.default_rng(seed).random(300) if seed % 4 == 0 else None
    p = np.clip(p, 0.02, 0.98)
    found = corp_reliability(y, p, scoring=scoring, weights=weights)
    assert found.miscalibration - found.discrimination + found.uncertainty == pytest.approx(found.score, abs=1e-14)
    assert found.miscalibration > 0 and found.discrimination > 0
    w = np.ones(300) if weights is None else weights
    rate = np.average(y, weights=w)
    if scoring == "brier":
        assert found.score == pytest.approx(brier_score(y, p, weights=weights))
        assert found.uncertainty == pytest.approx(rate * (1 - rate))
        variance = np.average((found.frequency - rate) ** 2, weights=found.count)  # of the fit
        assert found.discrimination == pytest.approx(variance)
    else:
        assert found.uncertainty == pytest.approx(-rate * math.log(rate) - (1 - rate) * math.log(1 - rate))


@pytest.mark.parametrize("seed", range(4))
def test_the_curve_and_the_discrimination_see_the_order_alone(seed):
    y, p = drawn(seed, 400, (None, 1)[seed % 2])
    one = corp_reliability(y, p)
    for bent in (p**3, p / 2, 1 / (1 + np.exp(-3 * p))):
        other = corp_reliability(y, bent)
        assert other.discrimination == one.discrimination and other.uncertainty == one.uncertainty
        np.testing.assert_array_equal(other.frequency, one.frequency)
        np.testing.assert_array_equal(other.count, one.count)
        assert other.miscalibration != one.miscalibration
    turned = corp_reliability(y, 1 - p)
    assert turned.discrimination < one.discrimination / 5


def test_what_the_fit_says_is_calibrated_already():
    y, p = drawn(0, 500, bend=3)
    one = corp_reliability(y, p)
    fit = one.frequency[np.searchsorted(one.high, p)]
    other = corp_reliability(y, fit)
    assert other.miscalibration == 0 < one.miscalibration
    assert other.score == pytest.approx(one.score - one.miscalibration)
    np.testing.assert_allclose(other.confidence, other.frequency, atol=1e-12)


def test_equal_predictions_stay_together_and_rows_may_be_weighted_instead_of_repeated():
    y, p = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.2, 0.2, 0.7, 0.7])
    found = corp_reliability(y, p)
    assert found.count.tolist() == [5] and found.frequency.tolist() == [0.6]  # 2/3 and then 1/2: pooled
    assert (found.low, found.high) == (0.2, 0.7) and found.discrimination == 0
    y, p = drawn(1, 50, 1)
    times = np.random.default_rng(0).integers(0, 4, 50)
    weighted, repeated = corp_reliability(y, p, weights=times), corp_reliability(y.repeat(times), p.repeat(times))
    np.testing.assert_allclose(parts(weighted), parts(repeated), atol=1e-14)
    np.testing.assert_allclose(weighted.count, repeated.count)
    np.testing.assert_array_equal(weighted.low, repeated.low)


def test_a_table_of_classes_is_reduced_to_its_top_label():
    rng = np.random.default_rng(0)
    y_prob = rng.dirichlet(np.ones(4), 200)
    y = rng.integers(0, 4, 200)
    one, other = corp_reliability(y, y_prob), corp_reliability(*top_label(y, y_prob))
    assert parts(one) == parts(other)


def test_what_was_called_impossible_costs_everything_by_the_logarithm():
    found = corp_reliability([1, 0, 1, 1], [0.0, 0.4, 0.6, 1.0], scoring="log")
    assert found.score == found.miscalibration == math.inf and np.isfinite(found.discrimination)
    assert found.to_dict()["score"] == "inf"
    assert corp_reliability([0, 0, 1, 1], [0.0, 0.4, 0.6, 1.0], scoring="log").miscalibration < 1


@pytest.mark.parametrize("same", [0, 1])
def test_one_outcome_alone(same):
    found = corp_reliability([same] * 4, [0.1, 0.5, 0.5, 0.9])
    assert found.frequency.tolist() == [same] and found.uncertainty == found.discrimination == 0
    assert found.miscalibration == found.score > 0


# --- noise ---


def test_a_calibrated_model_has_a_small_positive_miscalibration():
    means = [np.mean([corp_reliability(*drawn(s, n)).miscalibration for s in range(20)]) for n in (100, 1000, 10_000)]
    assert 0.01 < means[0] < 0.05 and 0.002 < means[1] < 0.006 and 0 < means[2] < 0.0015
    assert corp_reliability(*drawn(0, 10_000, bend=2)).miscalibration > 0.005


def test_redrawn_labels_say_how_large_by_chance():
    y, p = drawn(3, 70)
    found = corp_reliability(y, p, n_resamples=50, rng=7)
    rng = np.random.default_rng(7)
    redrawn = [decomposition((rng.random(70) < p).astype(int).tolist(), p.tolist())[1] for _ in range(3)]
    np.testing.assert_allclose(found.chance[:3], redrawn, atol=1e-12)
    assert found.pvalue == (1 + (found.chance >= found.miscalibration).sum()) / 51
    assert len(corp_reliability(y, p).chance) == 0 and np.isnan(corp_reliability(y, p).pvalue)


@pytest.mark.slow
def test_the_p_value_is_uniform_where_the_model_is_calibrated_and_small_where_it_is_not():
    """Among 19 redrawn values and the observed one each rank is equally likely: p = 1/20, …, 20/20."""
    ranks = [round(20 * corp_reliability(*drawn(s, 80, 1), n_resamples=19, rng=s).pvalue) for s in range(300)]
    counts = np.bincount(ranks, minlength=21)[1:]
    assert counts.sum() == 300 and ((counts - 15) ** 2 / 15).sum() < 51  # χ² of 19 degrees: once in 10,000
    assert corp_reliability(*drawn(0, 500, bend=2), n_resamples=99, rng=0).pvalue == 0.01
    assert corp_reliability([0, 1], [0.5, 0.5], n_resamples=99, rng=0).pvalue == 1  # what is equal counts


# --- the peer, size, input ---


def test_it_agrees_with_the_peer():
    for (y, p, weights), theirs in zip(ten_sets(), PEER, strict=True):
        for scoring, wanted in zip(("brier", "log"), theirs, strict=True):
            found = corp_reliability(y, p, scoring=scoring, weights=weights)
            np.testing.assert_allclose(parts(found)[1:], wanted, rtol=0, atol=1e-8)


def test_it_is_fast():
    y, p = drawn(0, 300_000)
    start = time.perf_counter()
    found = corp_reliability(y, p)
    assert time.perf_counter() - start < 3 and found.count.sum() == 300_000
    y = (np.arange(300_000) < 150_000).astype(int)  # everything is pooled
    start = time.perf_counter()
    assert corp_reliability(y, np.sort(p)).count.tolist() == [300_000]
    assert time.perf_counter() - start < 3


def test_extremes_are_right():
    for y, p in (([0, 1], [0.0, 1.0]), ([1, 0], [0.0, 1.0]), ([0, 1, 1], [0.5] * 3), ([1, 0, 1, 1], [0, 0, 1, 1])):
        right_result(corp_reliability(y, p), y, p)
