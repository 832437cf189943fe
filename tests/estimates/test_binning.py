"""Binned errors equal their definitions, and do with random labels what the statistics says."""

import math
from itertools import product

import kce_oracles
import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled
from scipy.stats import chisquare

import calibtutor as ct
from calibtutor.estimates import binning
from calibtutor.estimates.binning import STRATEGIES, bin_of, tied
from calibtutor.estimates.simplex import cell_of

TWENTIETHS = st.integers(0, 20).map(lambda k: k / 20)  # edges of 1, 2, 4, 5, 10 and 20 bins; 0, 1 and ties
ANY_SCORE = st.one_of(TWENTIETHS, st.integers(0, 10**9).map(lambda k: k / 10**9))


def pairs_of(score, max_size=40):
    """Lists of (label, score)."""
    return st.lists(st.tuples(st.integers(0, 1), score), min_size=2, max_size=max_size)


def assert_curve(curve, wanted):
    assert curve.count.tolist() == [count for count, _, _ in wanted]
    np.testing.assert_allclose(curve.confidence, [c for _, c, _ in wanted], rtol=0, atol=1e-10)
    np.testing.assert_allclose(curve.frequency, [f for _, _, f in wanted], rtol=0, atol=1e-10)
    np.testing.assert_allclose(curve.gap, [c - f for _, c, f in wanted], rtol=0, atol=1e-10)


@PROPERTY
@given(pairs_of(ANY_SCORE), st.integers(1, 45), st.sampled_from(STRATEGIES))
def test_bins_hold_the_scores_between_their_ends(data, n_bins, strategy):
    y, p = zip(*data, strict=True)
    curve, ends = ct.reliability_curve(y, p, n_bins=n_bins, strategy=strategy), oracles.ends_of(p, n_bins, strategy)
    np.testing.assert_allclose(curve.edges, [0, *ends], rtol=1e-15)
    assert_curve(curve, oracles.bins(y, p, ends))


def test_a_score_on_an_edge_belongs_to_the_bin_below():
    for n_bins in range(1, 101):
        scores = [m / n_bins for m in range(n_bins + 1)]
        count = ct.reliability_curve([0] * len(scores), scores, n_bins=n_bins).count
        assert count.tolist() == [2] + [1] * (n_bins - 1)  # the first bin holds 0 as well


def as_sum(k, d, kind):
    """k/d as a sum of two shares."""
    return kind(k // 3) / kind(d) + kind(k - k // 3) / kind(d)


TRANSFORMS = {"as it is": lambda k, d, kind: kind(k / d), "1 - p": lambda k, d, kind: kind(1) - kind((d - k) / d),
              "1 - (1 - p)": lambda k, d, kind: kind(1) - (kind(1) - kind(k / d)),
              "3p/3": lambda k, d, kind: kind(3) * kind(k / d) / kind(3), "a sum": as_sum,
              "k times": lambda k, d, kind: kind(k) * kind(1 / d),
              "later a double": lambda k, d, kind: 1 - float(kind((d - k) / d))}


def rounded_scores(k, d, transform, kind):
    return np.array([float(TRANSFORMS[transform](each, d, kind)) for each in k])


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("d", [10, 20, 50, 100])
def test_a_score_on_an_edge_but_for_its_rounding_is_on_it(d, transform, kind):
    k = np.arange(d + 1)
    score = rounded_scores(k, d, transform, kind)
    for n_bins in range(1, 101):
        # In integers: bin m is (m/n, (m + 1)/n].
        wanted, above = np.maximum(-(-k * n_bins // d) - 1, 0), k * n_bins % d / (d * n_bins)
        told = (above == 0) | (above > 2**-9) | (kind is not np.float16)  # that far half precision can tell
        found = bin_of(score, np.arange(n_bins + 1) / n_bins)
        assert (found == wanted)[told].all(), (n_bins, score[told & (found != wanted)])
        left_closed = cell_of(score[:, None], n_bins)
        below = -k * n_bins % d / (d * n_bins)
        if kind is not np.float16 or (below[below > 0] > 2**-9).all():
            wanted = np.unique(np.minimum(k * n_bins // d, n_bins - 1), return_inverse=True)[1]
            assert (left_closed == wanted).all(), n_bins


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_other_rows_do_not_decide_where_a_score_is(transform, kind):
    score = rounded_scores(np.arange(21), 20, transform, kind)
    others = [[np.float64(np.float32(0.3))] * 50, [0.3, 1 / 3], [np.clip(np.float32(0), 1e-6, 1)], [np.pi / 4] * 400]
    for n_bins in (2, 5, 10, 15, 20):
        edges = np.arange(n_bins + 1) / n_bins
        alone = [int(bin_of(np.array([each]), edges)[0]) for each in score]
        for few in others:
            assert bin_of(np.append(few, score), edges)[len(few) :].tolist() == alone, (n_bins, few[0])
    score = np.sort(np.r_[np.random.default_rng(0).random(100), 1 - 10.0 ** -np.linspace(7, 11, 100)])
    assert len(tied(score)[0]) == 200  # nearly 1, and not one
    assert len(ct.reliability_curve(np.ones(200, int), score, n_bins=10, strategy="quantile").count) == 10


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_bins", [1, 3, 7, 10, 15, 20, 50])
def test_errors_do_not_hang_on_the_last_bit(n_bins, strategy):
    rng = np.random.default_rng(n_bins)
    for d in (10, 20, 50, 100):
        k = rng.integers(0, d + 1, 300)
        y, p = (rng.random(300) < 0.1 + 0.7 * k / d).astype(int), k / d
        how = {"n_bins": n_bins, "strategy": strategy}
        curve, fitted = ct.reliability_curve(y, p, **how), ct.fit_binning(y, p, **how)
        bbq = ct.BBQ().fit(y, p).predict_proba(p)
        band = ct.consistency_band(p, n_bins=n_bins, n_resamples=20, rng=0)
        for transform, kind in product(TRANSFORMS, (np.float64, np.float32)):
            score = rounded_scores(k, d, transform, kind).astype(kind)
            some = rng.random(300) < 0.5
            mixed = np.where(some, score, p.astype(kind))  # in one file numbers may come by two ways
            for each in (score, mixed):
                found = ct.reliability_curve(y, each, **how)
                assert found.count.tolist() == curve.count.tolist()
                assert ct.expected_calibration_error(y, each, **how) == pytest.approx(np.nansum(
                    curve.count / 300 * np.abs(curve.gap)), abs=2e-6)
                np.testing.assert_allclose(ct.fit_binning(y, each, **how).features(each), fitted.features(p), atol=2e-6)
                if n_bins == 10 and strategy == "uniform":  # it takes its own
                    np.testing.assert_allclose(ct.BBQ().fit(y, each).predict_proba(each), bbq, atol=2e-6)
                redrawn = ct.consistency_band(each, n_bins=n_bins, n_resamples=20, rng=0)
                np.testing.assert_array_equal(np.isnan(redrawn[0]), np.isnan(band[0]))


@pytest.mark.parametrize("seed", range(5))
def test_whole_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    p, w = np.round(rng.random(40), 2), rng.integers(0, 4, 40).astype(np.intp)
    y = (rng.random(40) < p).astype(int)
    again = np.repeat(y, w), np.repeat(p, w)
    curve, wanted = ct.reliability_curve(y, p, n_bins=6, weights=w), ct.reliability_curve(*again, n_bins=6)
    np.testing.assert_array_equal(curve.weight, wanted.count)
    assert curve.count.sum() == 40 and wanted.weight is None
    for name in ("confidence", "frequency"):
        np.testing.assert_allclose(getattr(curve, name), getattr(wanted, name), atol=1e-12)
    for norm in (1, 2, "max"):
        found = ct.expected_calibration_error(y, p, n_bins=6, norm=norm, weights=w)
        assert found == pytest.approx(ct.expected_calibration_error(*again, n_bins=6, norm=norm), abs=1e-12)
    assert ct.maximum_calibration_error(y, p, n_bins=6, weights=w) == pytest.approx(found, abs=1e-12)
    rows = rng.dirichlet(np.ones(3), 40)
    for function, q in product((ct.brier_score, ct.expected_calibration_error), (p, rows)):
        wanted = function(again[0], np.repeat(q, w, axis=0))
        assert function(y, q, weights=w) == pytest.approx(wanted) == function(y, q, weights=2.5 * w)
    assert ct.smooth_calibration_error(y, p, weights=w) == pytest.approx(ct.smooth_calibration_error(*again), abs=1e-7)
    corp, repeated = ct.corp_reliability(y, p, weights=w), ct.corp_reliability(*again)
    for name in ("score", "miscalibration", "discrimination", "uncertainty", "low", "high", "confidence", "frequency"):
        np.testing.assert_allclose(getattr(corp, name), getattr(repeated, name), atol=1e-12, err_msg=name)
    assert corp.count.sum() == (w > 0).sum()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_bands_and_errors_are_those_of_redrawn_labels(strategy, weighted):
    rng = np.random.default_rng(0)
    p, w = rng.beta(0.4, 1, 60), rng.exponential(size=60) if weighted else np.ones(60)
    p[0] = 1
    order, rng = np.argsort(p), np.random.default_rng(5)
    q, v, drawn = p[order], w[order], [(rng.random(60) < p[order]).astype(int) for _ in range(50)]
    given, sorted_ = ({"weights": each} if weighted else {} for each in (w, v))
    redraws = given | {"n_resamples": 50, "rng": 5}
    curves = [ct.reliability_curve(y, q, n_bins=7, strategy=strategy, **sorted_) for y in drawn]
    edges, full = curves[0].edges, curves[0].count > 0
    for level in (0.5, 0.9):
        ends = np.quantile([each.frequency for each in curves], [(1 - level) / 2, (1 + level) / 2], axis=0)
        np.testing.assert_allclose(ct.consistency_band(p, edges=edges, level=level, **redraws), ends, atol=1e-12)
    for how in ({}, {"norm": 2}, {"norm": "max"}, *[{"norm": 2, "debias": True}] * (not weighted)):
        errors = [ct.expected_calibration_error(y, q, n_bins=7, **sorted_, **how) for y in drawn]
        np.testing.assert_allclose(ct.resampled_errors(p, n_bins=7, **redraws, **how), errors, atol=1e-7)
    bins = [bin_of(q, edges) == m for m in np.flatnonzero(full)]
    spread = np.array([np.sqrt((v[b] ** 2 * q[b] * (1 - q[b])).sum()) / v[b].sum() for b in bins])
    reach = np.sort(np.max([np.abs(each.gap[full]) / spread for each in curves], axis=1))[45]  # of 51, nine tenths
    wanted = np.clip(curves[0].confidence[full] + reach * np.outer([-1, 1], spread), 0, 1)
    band = np.array(ct.consistency_band(p, edges=edges, simultaneous=True, **redraws))
    np.testing.assert_allclose(band[:, full], wanted, rtol=1e-6, atol=1e-12)


@PROPERTY
@given(pairs_of(ANY_SCORE, max_size=25), st.sampled_from([1, 2, 5, 10, 15]), st.sampled_from(STRATEGIES))
def test_errors_in_every_norm(data, n_bins, strategy):
    y, p = zip(*data, strict=True)
    how = {"n_bins": n_bins, "strategy": strategy}
    for norm, debias in [(1, False), (2, False), (2, True), ("max", False)]:
        found = ct.expected_calibration_error(y, p, **how, norm=norm, debias=debias)
        assert isinstance(found, float)
        # The root magnifies rounding near 0, so that its square is compared.
        power = 2 if norm == 2 else 1
        wanted = oracles.ece(y, p, **how, norm=norm, debias=debias)
        assert abs(found) ** power == pytest.approx(abs(wanted) ** power, abs=1e-10)
        assert abs(wanted) < 1e-5 or math.copysign(1, found) == math.copysign(1, wanted)
    assert ct.maximum_calibration_error(y, p, **how) == ct.expected_calibration_error(y, p, **how, norm="max")


@PROPERTY
@given(labelled(classes=(2, 5), max_rows=30))
def test_a_matrix_is_reduced_to_its_top_label(data):
    y, p = data
    hit, confidence = oracles.top_label(y, p)
    wanted = oracles.ece(hit, confidence, n_bins=10)
    assert ct.expected_calibration_error(y, p, n_bins=10) == pytest.approx(wanted, abs=1e-10)
    assert_curve(ct.reliability_curve(y, p, n_bins=10), oracles.bins(hit, confidence, oracles.uniform_ends(10)))
    assert ct.brier_score(y, p) == pytest.approx(oracles.brier(y, p), abs=1e-10)


def test_the_band_is_nan_in_empty_bins_reduces_matrices_and_does_not_hang_on_the_order_of_rows():
    band = ct.consistency_band([[0.75, 0.25], [0.1, 0.9], [0.2, 0.8], [0.65, 0.35]], n_bins=4, rng=0)
    assert np.isnan(band).tolist() == [[True, True, False, False]] * 2
    assert np.array_equal(band, ct.consistency_band([0.75, 0.9, 0.8, 0.65], n_bins=4, rng=0), equal_nan=True)
    certain = ct.consistency_band([0.0] * 5 + [1.0] * 7, n_bins=3, simultaneous=True, rng=0)
    np.testing.assert_array_equal(certain, [[0, np.nan, 1]] * 2)
    rng = np.random.default_rng(0)
    p, w = rng.integers(0, 21, 200) / 20, rng.integers(0, 4, 200).astype(float)
    p[::3] = np.float32(p[::3])  # beside their edges, on either side of the doubles
    order = rng.permutation(200)
    given, turned = (ct.consistency_band(p[i], weights=w[i], rng=1, n_resamples=99) for i in (slice(None), order))
    np.testing.assert_allclose(given, turned, rtol=1e-12)


def test_hits_drawn_by_cells_have_the_law_of_hits_drawn_by_rows(monkeypatch):
    monkeypatch.setattr(binning, "CELLS_ABOVE", 0)
    p, law = np.r_[np.random.default_rng(0).beta(0.6, 0.6, 40), 0, 0, 0.37, 0.37, 0.999, 1, 1], np.ones(1)  # 7 cells
    for each in p:
        law = np.convolve(law, [1 - each, each])  # of the number of hits, with one row more
    errors = np.abs(p.mean() - np.arange(len(law)) / len(p)).round(9)
    chance = np.array([law[errors == each].sum() for each in np.unique(errors)]) * 20_000
    found = ct.resampled_errors(p, n_bins=1, n_resamples=20_000, rng=1).round(9)
    count = (found[:, None] == np.unique(errors)).sum(axis=0)
    often = chance > 10
    assert chisquare(np.r_[count[often], count[~often].sum()], np.r_[chance[often], chance[~often].sum()]).pvalue > 0.01
    np.testing.assert_array_equal(*(ct.consistency_band(q, n_bins=5, n_resamples=50, rng=2) for q in (p, p[::-1])))


# Cells of whole vectors; errors of many label vectors: test_widmann.py.
@PROPERTY
@given(labelled(classes=(2, 5), max_rows=30), st.integers(1, 12))
def test_cells_are_numbered_and_counted_and_their_error_is_the_sum(data, n_steps):
    y, p = data
    number = cell_of(np.array(p), n_steps)
    groups = [np.flatnonzero(number == k).tolist() for k in range(number.max() + 1)]
    assert sorted(groups) == sorted(kce_oracles.cells(p, n_steps).values())
    found, wanted = ct.simplex_calibration_error(y, p, n_steps=n_steps), kce_oracles.simplex_error(y, p, n_steps)
    assert isinstance(found, float) and found == pytest.approx(wanted, rel=0, abs=1e-12)
