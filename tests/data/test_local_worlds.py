"""The worlds with features are distributed as they say, and local calibration holds or fails where they say."""

import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import chi2, kstest

from calibtutor.data.local_worlds import clustered, group_shift, hidden_feature

N = 20_000


def assert_frequencies(y, frequency, groups):
    """In each group labels happen as often as they should: χ² over groups, and no group 4.5 standard errors off."""
    scores = []
    for group in np.unique(groups):
        inside = groups == group
        variance = (frequency[inside] * (1 - frequency[inside])).sum()
        scores.append((y[inside] - frequency[inside]).sum() / math.sqrt(variance))
    assert np.abs(scores).max() < 4.5 and chi2.sf(np.square(scores).sum(), len(scores)) > 1e-4


def tenths(values):
    """Group numbers by ranks; equal values stay together."""
    return np.searchsorted(np.quantile(values, np.linspace(0.1, 0.9, 9)), values)


CROWDS = [(0.2, 0.5, (0.02, 0.98)), (0.8, 0.03, (0.5,)), (0.5, 0.1, (0.2, 0.4, 0.9))]


@pytest.mark.parametrize(("share", "crowd", "isolated"), CROWDS)
def test_a_crowd_and_isolated_points_are_locally_calibrated(share, crowd, isolated):
    y, p, X = clustered(share, N, 3, crowd=crowd, isolated=isolated)
    inside = X[:, 0] == 0
    assert inside.mean() == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / N))
    assert (p[inside] == crowd).all() and set(p[~inside].tolist()) == set(isolated)
    for value in isolated:
        half = 1 / len(isolated)
        assert (p[~inside] == value).mean() == pytest.approx(half, abs=4.5 * math.sqrt(half / (~inside).sum()))
    assert kstest(X[~inside, 0], "uniform", (-1e4, 2e4)).pvalue > 1e-4
    assert_frequencies(y, p, 10 * tenths(X[:, 0]) + tenths(p) // 2)


def test_everyone_or_no_one_in_the_crowd():
    assert (clustered(1, 100, 0)[2] == 0).all() and (clustered(0, 100, 0)[2] != 0).all()
    y, p, _ = clustered(0.5, 1000, 0, crowd=0, isolated=(1,))
    assert (y == p).all() and 0 < y.mean() < 1


def test_a_model_without_the_last_feature_is_wrong_both_along_and_across():
    y, p, X = hidden_feature(N, 3, 4)
    frequency = expit(X.sum(axis=1))
    assert_frequencies(y, frequency, tenths(X[:, 2]))
    assert_frequencies(y, frequency, tenths(p))
    np.testing.assert_allclose(p, expit(X[:, :2].sum(axis=1)), rtol=1e-13)
    assert all(kstest(column, "norm").pvalue > 1e-4 for column in X.T)
    assert np.abs(np.corrcoef(X.T) - np.eye(3)).max() < 4.5 / math.sqrt(N)
    # Errata K24: not calibrated on the features it sees either, P(Y = 1 | s) = E sigmoid(s + N(0, 1)).
    high = np.abs(X[:, :2].sum(axis=1) - 2) < 0.2
    assert (y[high] - p[high]).mean() == pytest.approx(0.845 - 0.881, abs=4.5 * 0.36 / math.sqrt(high.sum()))


@pytest.mark.parametrize("amount", [0, 0.1, 0.25])
def test_a_shift_of_two_groups_cancels_in_every_prediction(amount):
    y, p, X = group_shift(amount, N, 7)
    assert_frequencies(y, p, tenths(p))  # calibrated
    assert_frequencies(y, p, tenths(X[:, 1]))
    for side, sign in ((X[:, 0] > 0, 1), (X[:, 0] <= 0, -1)):
        assert_frequencies(y[side], np.clip(p[side] + sign * amount, 1e-12, 1 - 1e-12), tenths(p[side]))
    assert kstest(p, "uniform", (0.25, 0.5)).pvalue > 1e-4
    for column in X.T:
        assert kstest(column, "uniform", (-1, 2)).pvalue > 1e-4
        assert abs(np.corrcoef(column, p)[0, 1]) < 4.5 / math.sqrt(N)
