"""Multicalibration equals its definition in loops, keeps its promise on the training data, and replays what it did."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from calibtutor import Multicalibration, brier_score

pytestmark = pytest.mark.filterwarnings("error")


def two_groups(n=4000):
    """The same predictions p in two groups, where the frequency is p + .15 and p − .15: calibrated, not locally."""
    rng = np.random.default_rng(0)
    p, first = rng.uniform(0.2, 0.8, n), rng.random(n) < 0.5
    truth = p + np.where(first, 0.15, -0.15)
    return (rng.random(n) < truth).astype(int), p, np.column_stack([first, ~first])


def overlapping(seed, n=150, g=4):
    rng = np.random.default_rng(seed)
    p = np.where(rng.random(n) < 0.3, rng.integers(0, 11, n) / 10, rng.random(n))  # some on the edges of bins
    members = rng.random((n, g)) < rng.uniform(0.2, 0.9, g)
    return (rng.random(n) < (p + 0.5 * members[:, 0]) / 1.5).astype(int), p, members


def cells(p, members, n_bins):
    """The rows of every cell of a group and a bin that is not empty."""
    for group in members.T:
        for b in range(n_bins):
            rows = group & (b / n_bins < p if b else True) & (p <= (b + 1) / n_bins)
            if rows.any():
                yield rows


def is_violated(y, p, rows, *, alpha, min_count, proportional, rho):
    outcome = y[rows].mean()
    gap = outcome - p[rows].mean()
    allowed = alpha * max(outcome, rho) if proportional else alpha
    return rows.sum() >= min_count and abs(gap) > allowed, gap


def by_hand(y, p, members, n_bins, **rule):
    """Rounds of updates, a cell at a time; also the sum over all moves of n_cell · gap²."""
    p, promised, moved = p.copy(), 0.0, True
    while moved:
        moved = False
        for group in members.T:
            each = [(rows, *is_violated(y, p, rows, **rule)) for rows in cells(p, group[:, None], n_bins)]
            for rows, wrong, gap in each:  # all cells of a group at once
                if wrong:
                    promised, moved = promised + rows.sum() * gap**2, True
                    p[rows] = np.clip(p[rows] + gap, 0, 1)
    return p, promised


@PROPERTY
@given(st.integers(0, 10**6), st.sampled_from([1, 5, 10]), st.sampled_from([0.03, 0.1]), st.sampled_from([1, 10, 40]),
       st.booleans())
def test_definition_promise_and_replay(seed, n_bins, alpha, min_count, proportional):
    y, p, members = overlapping(seed)
    rule = dict(alpha=alpha, min_count=min_count, proportional=proportional, rho=0.2)
    found = Multicalibration(n_bins=n_bins, **rule).fit(y, p, members)
    assert found.converged
    after = found.predict_proba(p, members)
    wanted, promised = by_hand(y, p, members, n_bins, **rule)
    np.testing.assert_allclose(after, wanted, atol=1e-9)
    slack = {**rule, "alpha": alpha * (1 + 1e-9)}  # sums in another order
    assert not any(is_violated(y, after, rows, **slack)[0] for rows in cells(after, members, n_bins))
    gain = len(y) * (brier_score(y, p) - brier_score(y, after))
    assert gain >= promised - 1e-9
    assert (promised > 0) == bool(found.updates)
    assert after.min() >= 0 and after.max() <= 1


def test_replay_treats_each_row_alone():
    y, p, members = overlapping(5)
    found = Multicalibration(min_count=10).fit(y, p, members)
    assert len(found.updates) > 4
    together = found.predict_proba(p, members)
    for i in range(0, len(p), 7):
        assert found.predict_proba(p[i : i + 1], members[i : i + 1])[0] == together[i]


def test_features_become_groups():
    y, p, groups = two_groups()
    colour = np.where(groups[:, 0], 3.0, 7.0)
    as_feature = Multicalibration().fit(y, p, colour)
    as_groups = Multicalibration().fit(y, p, groups)
    np.testing.assert_array_equal(as_feature.predict_proba(p, colour), as_groups.predict_proba(p, groups))
    assert [cuts.tolist() for cuts in as_feature.group_edges] == [[5.0]]
    new = as_feature.predict_proba(p[:4], [2.0, 4.9, 5.1, 100.0])  # values never seen join the nearest
    np.testing.assert_array_equal(new, as_feature.predict_proba(p[:4], [3, 3, 7, 7]))


def test_many_values_become_intervals_of_equal_mass():
    rng = np.random.default_rng(0)
    p, x = np.full(4000, 0.5), rng.exponential(size=4000)
    y = (rng.random(4000) < 0.2 + 0.6 * (x > np.log(2))).astype(int)  # changes at the median
    few = Multicalibration(feature_bins=4).fit(y[:10], p[:10], np.arange(10))
    assert few.group_edges[0].tolist() == [2, 4, 7]  # the values that 1/4, 1/2 and 3/4 of the data reach
    found = Multicalibration(feature_bins=4).fit(y, p, np.column_stack([x, np.zeros(4000)]))
    inner, constant = found.group_edges
    np.testing.assert_allclose(inner, np.log([4 / 3, 2, 4]), atol=0.07)
    assert np.bincount(np.searchsorted(inner, x)).tolist() == [1000] * 4 and constant.tolist() == []
    after = found.predict_proba([0.5, 0.5], [[inner[1], 0], [inner[1] + 1e-9, 0]])  # right-closed
    assert after == pytest.approx([0.2, 0.8], abs=0.06)


def test_running_out_of_rounds_is_announced():
    y, p, members = overlapping(5)
    with pytest.warns(ConvergenceWarning, match="max_iter: cells were still violated in round 1") as caught:
        found = Multicalibration(min_count=10, max_iter=1).fit(y, p, members)
    assert (found.converged, found.n_rounds) == (False, 1)
    assert caught[0].filename == __file__
    assert clone(found).max_iter == 1
