"""The worlds with features are distributed as they say, and local calibration holds or fails where they say."""

import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import chi2, kstest

from calibtutor import rbf
from calibtutor.data.local_worlds import NULL_DESIGNS, clustered, constant_kernel, group_shift, hidden_feature, shifted

N = 20_000
WORLDS = {
    "clustered": lambda n, rng: clustered(0.3, n, rng),
    "hidden feature": lambda n, rng: hidden_feature(n, 3, rng),
    "all seen": lambda n, rng: hidden_feature(n, 3, rng, hidden=False),
    "shifted": lambda n, rng: shifted(0.15, n, rng),
    "group shift": lambda n, rng: group_shift(0.2, n, rng),
    **{name: design.draw for name, design in NULL_DESIGNS.items()},
}


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


# --- what every world is ---


@pytest.mark.parametrize("name", WORLDS)
def test_shapes_and_seeds(name):
    draw = WORLDS[name]
    for n in (1, 50):
        y, p, X = one = draw(n, 3)
        assert y.shape == p.shape == (n,) and X.shape[0] == n and X.ndim == 2
        assert set(y.tolist()) <= {0, 1} and y.dtype.kind == "i"
        assert (0 < p).all() and (p < 1).all() and np.isfinite(X).all()
    assert all((a == b).all() for a, b in zip(one, draw(50, np.random.default_rng(3)), strict=True))
    for other in (draw(50, 4), draw(50, None)):
        assert (X != other[2]).any()


# --- locally calibrated ones ---

CALIBRATED = [*NULL_DESIGNS, "clustered", "all seen"]


@pytest.mark.parametrize("name", CALIBRATED)
def test_predictions_are_frequencies_wherever_one_looks(name):
    y, p, X = WORLDS[name](N, 1)
    assert_frequencies(y, p, tenths(p))
    for column in X.T:
        assert_frequencies(y, p, tenths(column))
        assert_frequencies(y, p, 10 * tenths(column) + tenths(p) // 2)


def test_the_designs_are_those_of_the_errata():
    sizes = {name: (design.n, design.draw(3, 0)[2].shape[1]) for name, design in NULL_DESIGNS.items()}
    assert sizes == {
        "the paper's Figure 5": (50, 1),
        "doubtful crowd": (200, 1),
        "confident crowd": (200, 1),
        "two features": (200, 2),
        "the paper's Figure 3, all seen": (200, 10),
    }
    for name, crowd, predictions in (("doubtful crowd", 0.2, {0.02, 0.5, 0.98}), ("confident crowd", 0.8, {0.03, 0.5})):
        _, p, X = NULL_DESIGNS[name].draw(N, 0)
        assert set(p.tolist()) == predictions and (X == 0).mean() == pytest.approx(crowd, abs=0.015)
    kernels = {
        "the paper's Figure 5": (rbf(width=0.2), constant_kernel),
        "doubtful crowd": (rbf(width=0.1), rbf(gamma=1.0)),
        "confident crowd": (rbf(width=0.1), rbf(gamma=1.0)),
        "two features": (rbf(width=0.1), rbf(gamma=0.5)),
        "the paper's Figure 3, all seen": (rbf(width=5.0), rbf(width=5.0)),
    }
    for name, pair in kernels.items():
        assert NULL_DESIGNS[name].kernels == dict(zip(("prob_kernel", "feature_kernel"), pair, strict=True))
    assert constant_kernel(np.eye(2)).tolist() == [[1, 1]] * 2 and constant_kernel(np.eye(2), np.eye(3)).shape == (2, 3)


FORMULAS = {
    "the paper's Figure 5": lambda X: expit(-1 + X[:, 0] / 2),
    "two features": lambda X: expit(3 * X[:, 0]),
    "the paper's Figure 3, all seen": lambda X: expit(X.sum(axis=1)),
    "all seen": lambda X: expit(X.sum(axis=1)),
    "hidden feature": lambda X: expit(X[:, :2].sum(axis=1)),
    "shifted": lambda X: expit(X[:, 0]),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_normal_features_and_a_sigmoid(name):
    _, p, X = WORLDS[name](N, 2)
    np.testing.assert_allclose(p, FORMULAS[name](X), rtol=1e-13)
    for column in X.T:
        assert kstest(column, "norm").pvalue > 1e-4
    between = np.corrcoef(X.T) - np.eye(X.shape[1]) if X.shape[1] > 1 else np.zeros(1)
    assert np.abs(between).max() < 4.5 / math.sqrt(N)


# --- crowds ---


CROWDS = [(0.2, 0.5, (0.02, 0.98)), (0.8, 0.03, (0.5,)), (0.5, 0.1, (0.2, 0.4, 0.9))]


@pytest.mark.parametrize(("share", "crowd", "isolated"), CROWDS)
def test_a_crowd_and_isolated_points(share, crowd, isolated):
    _, p, X = clustered(share, N, 3, crowd=crowd, isolated=isolated)
    inside = X[:, 0] == 0
    assert inside.mean() == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / N))
    assert (p[inside] == crowd).all() and set(p[~inside].tolist()) == set(isolated)
    for value in isolated:
        half = 1 / len(isolated)
        assert (p[~inside] == value).mean() == pytest.approx(half, abs=4.5 * math.sqrt(half / (~inside).sum()))
    assert kstest(X[~inside, 0], "uniform", (-1e4, 2e4)).pvalue > 1e-4


def test_everyone_or_no_one_in_the_crowd():
    assert (clustered(1, 100, 0)[2] == 0).all() and (clustered(0, 100, 0)[2] != 0).all()
    y, p, _ = clustered(0.5, 1000, 0, crowd=0, isolated=(1,))
    assert (y == p).all() and 0 < y.mean() < 1


# --- worlds that are wrong ---


def test_a_model_without_the_last_feature_is_wrong_both_along_and_across():
    y, p, X = hidden_feature(N, 3, 4)
    frequency = expit(X.sum(axis=1))
    assert_frequencies(y, frequency, tenths(X[:, 2]))
    assert_frequencies(y, frequency, tenths(p))
    # Errata K24: not calibrated on the features it sees either, P(Y = 1 | s) = E sigmoid(s + N(0, 1)).
    high = np.abs(X[:, :2].sum(axis=1) - 2) < 0.2
    assert (y[high] - p[high]).mean() == pytest.approx(0.845 - 0.881, abs=4.5 * 0.36 / math.sqrt(high.sum()))
    for sign in (-1, 1):  # along the feature that it does not see
        side = sign * X[:, 2] > 1
        assert sign * (y[side] - p[side]).mean() > 0.15


@pytest.mark.parametrize("amount", [0, 0.15, 0.6])
def test_shifted_frequencies_are_too_high_everywhere(amount):
    y, p, X = shifted(amount, N, 6)
    assert_frequencies(y, np.minimum(p + amount, 1 - 1e-12), tenths(p))
    assert_frequencies(y, np.minimum(p + amount, 1 - 1e-12), tenths(X[:, 1]))
    assert (y[p + amount >= 1] == 1).all()


@pytest.mark.parametrize("amount", [0, 0.1, 0.25])
def test_a_shift_of_two_groups_cancels_in_every_prediction(amount):
    y, p, X = group_shift(amount, N, 7)
    assert_frequencies(y, p, tenths(p))  # calibrated
    assert_frequencies(y, p, tenths(X[:, 1]))
    right = X[:, 0] > 0
    for side, sign in ((right, 1), (~right, -1)):
        gap = (y[side] - p[side]).mean()
        assert gap == pytest.approx(sign * amount, abs=4.5 * 0.5 / math.sqrt(side.sum()))
        assert_frequencies(y[side], np.clip(p[side] + sign * amount, 1e-12, 1 - 1e-12), tenths(p[side]))
    assert 0.25 <= p.min() and p.max() <= 0.75 and kstest(p, "uniform", (0.25, 0.5)).pvalue > 1e-4
    for column in X.T:
        assert kstest(column, "uniform", (-1, 2)).pvalue > 1e-4
        assert abs(np.corrcoef(column, p)[0, 1]) < 4.5 / math.sqrt(N)
