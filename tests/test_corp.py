"""CORP against its definition, against the peer's values, and against what is promised of it."""

import math
import time

import numpy as np
import pytest
from corp_oracles import PEER, decomposition, right_result, ten_sets

from calibtutor import corp_reliability


def drawn(seed, n, digits=None):
    rng = np.random.default_rng([31, seed])
    p = rng.random(n) if digits is None else rng.random(n).round(digits)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize("scoring", ["brier", "log"])
@pytest.mark.parametrize(("seed", "n", "digits"), [(0, 2, None), (1, 9, 1), (2, 30, None), (3, 60, 1), (4, 120, 2)])
def test_it_is_its_definition(seed, n, digits, scoring):
    y, p = drawn(seed, n, digits)
    weights = np.random.default_rng(seed).random(n) * (np.arange(n) % 5 > 0)
    weights[:2] = 1
    for w in (None, weights):
        right_result(corp_reliability(y, p, scoring=scoring, weights=w), y, p, w, scoring)


def test_what_was_called_impossible_costs_everything_by_the_logarithm():
    found = corp_reliability([1, 0, 1, 1], [0.0, 0.4, 0.6, 1.0], scoring="log")
    assert found.score == found.miscalibration == math.inf and np.isfinite(found.discrimination)
    right_result(corp_reliability([0, 0, 0], [0.0, 0.4, 0.6], scoring="log"), [0, 0, 0], [0.0, 0.4, 0.6], None, "log")


def test_redrawn_labels_say_how_large_by_chance():
    y, p = drawn(3, 70)
    found = corp_reliability(y, p, n_resamples=50, rng=7)
    rng = np.random.default_rng(7)
    redrawn = [decomposition((rng.random(70) < p).astype(int).tolist(), p.tolist())[1] for _ in range(50)]
    np.testing.assert_allclose(found.chance, redrawn, atol=1e-12)
    assert found.pvalue == (1 + (found.chance >= found.miscalibration).sum()) / 51
    assert len(corp_reliability(y, p).chance) == 0 and np.isnan(corp_reliability(y, p).pvalue)
    assert corp_reliability([0, 1], [0.5, 0.5], n_resamples=99, rng=0).pvalue == 1  # what is equal counts


def test_it_agrees_with_the_peer():
    for (y, p, weights), theirs in zip(ten_sets(), PEER, strict=True):
        for scoring, wanted in zip(("brier", "log"), theirs, strict=True):
            found = corp_reliability(y, p, scoring=scoring, weights=weights)
            numbers = found.miscalibration, found.discrimination, found.uncertainty
            np.testing.assert_allclose(numbers, wanted, rtol=0, atol=1e-8)


def test_it_is_fast():
    y, p = drawn(0, 300_000)
    pooled = (np.arange(300_000) < 150_000).astype(int)
    for data in ((y, p), (pooled, np.sort(p))):
        start = time.perf_counter()
        found = corp_reliability(*data)
        assert time.perf_counter() - start < 3 and found.count.sum() == 300_000
    assert len(found.count) == 1
