"""CORP against its definition, isotonic regression by the min-max formula, and against what is promised of it."""

import numpy as np
import pytest

from calibtutor import corp_reliability


def min_max(y, p):
    """r̂ at each distinct prediction, rising: max over a ≤ i of min over b ≥ i of the mean label from a to b."""
    said = np.unique(p)
    means = [[y[(low <= p) & (p <= high)].mean() if low <= high else np.nan for high in said] for low in said]
    k = range(len(said))
    return np.array([max(min(means[a][i:]) for a in k[: i + 1]) for i in k])[np.searchsorted(said, p)]


def right_result(found, y, p):
    """Whether a result is the definition's."""
    y, p = np.asarray(y, float), np.asarray(p)
    fit = min_max(y, p)
    score, best, unc = (np.mean((said - y) ** 2) for said in (p, fit, y.mean()))
    numbers = found.score, found.miscalibration, found.discrimination, found.uncertainty
    np.testing.assert_allclose(numbers, (score, score - best, unc - best, unc), rtol=0, atol=1e-12)
    levels, block, count = np.unique(fit.round(12), return_inverse=True, return_counts=True)
    np.testing.assert_allclose(found.frequency, levels, rtol=0, atol=1e-11)
    inside = [p[block == k] for k in range(len(levels))]
    wanted = [count, [min(each) for each in inside], [max(each) for each in inside], [each.mean() for each in inside]]
    np.testing.assert_allclose([found.count, found.low, found.high, found.confidence], wanted, rtol=0, atol=1e-12)


def drawn(seed, n, digits=None):
    rng = np.random.default_rng([31, seed])
    p = rng.random(n) if digits is None else rng.random(n).round(digits)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize(("seed", "n", "digits"), [(0, 2, None), (1, 9, 1), (2, 30, None), (3, 60, 1), (4, 120, 2)])
def test_it_is_its_definition(seed, n, digits):
    y, p = drawn(seed, n, digits)
    right_result(corp_reliability(y, p), y, p)


def test_redrawn_labels_say_how_large_by_chance():
    y, p = drawn(3, 70)
    found = corp_reliability(y, p, n_resamples=50, rng=7)
    rng = np.random.default_rng(7)
    redrawn = [corp_reliability(rng.random(70) < p, p).miscalibration for _ in range(50)]
    np.testing.assert_allclose(found.chance, redrawn, atol=1e-12)
    assert found.pvalue == (1 + (found.chance >= found.miscalibration).sum()) / 51
    assert len(corp_reliability(y, p).chance) == 0 and np.isnan(corp_reliability(y, p).pvalue)
    assert corp_reliability([0, 1], [0.5, 0.5], n_resamples=99, rng=0).pvalue == 1  # what is equal counts
