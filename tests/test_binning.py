"""Binned errors equal their definitions, and do with random labels what the statistics says."""

import math

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled
from scipy.stats import binom

from calibtutor import (
    brier_score,
    consistency_band,
    expected_calibration_error,
    maximum_calibration_error,
    reliability_curve,
    resampled_errors,
)
from calibtutor.binning import STRATEGIES

TWENTIETHS = st.integers(0, 20).map(lambda k: k / 20)  # edges of 1, 2, 4, 5, 10 and 20 bins; 0, 1 and ties
ANY_SCORE = st.one_of(TWENTIETHS, st.floats(0, 1))


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
    curve, ends = reliability_curve(y, p, n_bins=n_bins, strategy=strategy), oracles.ends_of(p, n_bins, strategy)
    np.testing.assert_allclose(curve.edges, [0, *ends], rtol=1e-15)
    assert_curve(curve, oracles.bins(y, p, ends))


def test_a_score_on_an_edge_belongs_to_the_bin_below():
    for n_bins in range(1, 101):
        scores = [m / n_bins for m in range(n_bins + 1)]
        count = reliability_curve([0] * len(scores), scores, n_bins=n_bins).count
        assert count.tolist() == [2] + [1] * (n_bins - 1)  # the first bin holds 0 as well


@PROPERTY
@given(pairs_of(ANY_SCORE, max_size=25), st.sampled_from([1, 2, 5, 10, 15]), st.sampled_from(STRATEGIES))
def test_errors_in_every_norm(data, n_bins, strategy):
    y, p = zip(*data, strict=True)
    how = {"n_bins": n_bins, "strategy": strategy}
    for norm, debias in [(1, False), (2, False), (2, True), ("max", False)]:
        found = expected_calibration_error(y, p, **how, norm=norm, debias=debias)
        assert isinstance(found, float)
        # The root magnifies rounding near 0, so that its square is compared.
        power = 2 if norm == 2 else 1
        wanted = oracles.ece(y, p, **how, norm=norm, debias=debias)
        assert abs(found) ** power == pytest.approx(abs(wanted) ** power, abs=1e-10)
        assert abs(wanted) < 1e-5 or math.copysign(1, found) == math.copysign(1, wanted)
    assert maximum_calibration_error(y, p, **how) == expected_calibration_error(y, p, **how, norm="max")


@PROPERTY
@given(labelled(classes=(2, 5), max_rows=30))
def test_a_matrix_is_reduced_to_its_top_label(data):
    y, p = data
    hit, confidence = oracles.top_label(y, p)
    wanted = oracles.ece(hit, confidence, n_bins=10)
    assert expected_calibration_error(y, p, n_bins=10) == pytest.approx(wanted, abs=1e-10)
    assert_curve(reliability_curve(y, p, n_bins=10), oracles.bins(hit, confidence, oracles.uniform_ends(10)))
    assert brier_score(y, p) == pytest.approx(oracles.brier(y, p), abs=1e-10)


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_band_covers_at_its_level(level, strategy):
    rng = np.random.default_rng(1)
    p = rng.beta(1.5, 1, 8000)
    edges = reliability_curve(np.zeros(8000), p, n_bins=6, strategy=strategy).edges
    low, high = consistency_band(p, edges=edges, level=level, n_resamples=3000, rng=2)
    inside = 0.0
    for _ in range(300):
        frequency = reliability_curve(rng.random(8000) < p, p, n_bins=6, strategy=strategy).frequency
        # Frequencies come in steps of 1/n_m: one on the band's end is half inside.
        inside += ((low < frequency) & (frequency < high)).sum() + ((frequency == low) | (frequency == high)).sum() / 2
    fewest, most = binom.interval(0.99, 300 * 6, level)
    assert fewest <= inside <= most


def test_the_simultaneous_band_is_its_formula():
    p = np.sort(np.random.default_rng(1).beta(0.3, 1, 60))
    p[-1] = 1.0
    low, high = consistency_band(p, n_bins=7, simultaneous=True, level=0.8, n_resamples=49, rng=3)
    rng, bins, largest = np.random.default_rng(3), np.clip(np.ceil(p * 7) - 1, 0, 6), []
    inside = [(p[bins == m], bins == m) for m in range(7) if (bins == m).any()]
    scale = [math.sqrt(math.fsum(q * (1 - q))) / len(q) for q, _ in inside]
    for _ in range(49):
        y = rng.random(60) < p
        largest.append(max(abs(y[at].mean() - q.mean()) / s for (q, at), s in zip(inside, scale, strict=True)))
    for m, ((q, _), s) in enumerate(zip(inside, scale, strict=True)):
        wanted = q.mean() + np.array([-1, 1]) * sorted(largest)[39] * s
        assert [low[m], high[m]] == pytest.approx(np.clip(wanted, 0, 1), rel=1e-6)


def test_the_band_is_nan_in_empty_bins_and_reduces_matrices_to_confidences():
    band = consistency_band([[0.75, 0.25], [0.1, 0.9], [0.2, 0.8], [0.65, 0.35]], n_bins=4, rng=0)
    assert np.isnan(band).tolist() == [[True, True, False, False]] * 2
    assert np.array_equal(band, consistency_band([0.75, 0.9, 0.8, 0.65], n_bins=4, rng=0), equal_nan=True)
    certain = consistency_band([0.0] * 5 + [1.0] * 7, n_bins=3, simultaneous=True, rng=0)
    np.testing.assert_array_equal(certain, [[0, np.nan, 1]] * 2)


@pytest.mark.parametrize(("norm", "debias"), [(1, False), (2, False), (2, True), ("max", False)])
def test_resampled_errors_are_those_of_calibrated_labels(norm, debias):
    rng = np.random.default_rng(3)
    p = rng.beta(3, 1, 300)
    how = {"n_bins": 8, "norm": norm, "debias": debias}
    fast = resampled_errors(p, **how, n_resamples=4000, rng=4)
    slow = [expected_calibration_error(rng.random(300) < p, p, **how) for _ in range(1500)]
    assert fast.shape == (4000,)
    for power in (1, 2):  # mean and spread
        a, b = fast**power, np.array(slow) ** power
        assert abs(a.mean() - b.mean()) < 4 * math.sqrt(a.var() / len(a) + b.var() / len(b))
