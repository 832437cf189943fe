"""Penalised training: the penalty is its double sum, the gradient its difference quotient, the result an optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from refusals import refuses
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from calibtutor import rbf
from calibtutor.recalibration import PenalisedLogisticRegression
from calibtutor.recalibration.penalised import Penalty, objective

PENALTIES = ["mmce", "mmd", "klce"]


def world(n=300, seed=0):
    """The truth has an interaction that no plane can follow: some error of calibration must remain."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    q = 1 / (1 + np.exp(-(0.7 * X[:, 0] + 1.5 * X[:, 0] * X[:, 1] - 0.5)))
    return X, (rng.random(n) < q).astype(int)


def make_penalty(name, features, prob_bandwidth=0.2, feature_bandwidth=1.0, max_rank=200):
    k = None if name == "mmd" else rbf(bandwidth=prob_bandwidth)
    l = None if name == "mmce" else rbf(bandwidth=feature_bandwidth)
    return Penalty(k, l, features, max_rank)


def double_sum(name, p, y, X, prob_bandwidth=0.2, feature_bandwidth=1.0):
    """n⁻² Σ δ_i k(p_i, p_j) l(x_i, x_j) δ_j."""
    k = np.exp(-((p[:, None] - p) ** 2) / (2 * prob_bandwidth**2))
    l = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * feature_bandwidth**2))
    return (p - y) @ {"mmce": k, "mmd": l, "klce": k * l}[name] @ (p - y) / len(p) ** 2


BANDWIDTHS = st.sampled_from([0.01, 0.05, 0.2, 3.0])


@PROPERTY
@given(st.integers(0, 10**6), st.sampled_from(PENALTIES), BANDWIDTHS, st.sampled_from([0.1, 1.0, 10.0]))
def test_the_penalty_is_its_double_sum(seed, name, prob_bandwidth, feature_bandwidth):
    rng = np.random.default_rng(seed)
    X, p, y = rng.standard_normal((25, 2)), rng.random(25), rng.integers(0, 2, 25)
    p[:3] = 0.0, 1.0, 0.5
    value, _ = make_penalty(name, X, prob_bandwidth, feature_bandwidth)(p, y)
    assert value == pytest.approx(double_sum(name, p, y, X, prob_bandwidth, feature_bandwidth), abs=1e-8)


@PROPERTY
@given(st.integers(0, 10**6), st.sampled_from(PENALTIES), BANDWIDTHS, st.sampled_from([0.0, 0.7, 50.0]))
def test_the_gradient_is_the_difference_quotient(seed, name, prob_bandwidth, weight):
    rng = np.random.default_rng(seed)
    X, y = world(40, seed)
    inputs, w = np.column_stack([X, np.ones(40)]), rng.standard_normal(3)
    penalty = make_penalty(name, X, prob_bandwidth)

    def value(w):
        return objective(w, inputs, y, weight, penalty)[0]

    _, gradient = objective(w, inputs, y, weight, penalty)
    wanted = np.empty(3)
    for k in range(3):
        h = 1e-3 * prob_bandwidth * np.eye(3)[k]  # small against the kernel's width; five points: error O(h⁴)
        wanted[k] = (8 * (value(w + h) - value(w - h)) - value(w + 2 * h) + value(w - 2 * h)) / (12 * h[k])
    assert np.linalg.norm(gradient - wanted) <= 1e-6 * np.linalg.norm(wanted) + 1e-10


def test_no_penalty_is_scikit_learns_regression():
    X, y = world()
    X = X * [1, 1000] + [0, 5000]
    theirs = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(X, y)
    for ours in (PenalisedLogisticRegression(None), PenalisedLogisticRegression("klce", weight=0)):
        ours.fit(X, y)
        np.testing.assert_allclose(ours.coef, theirs.coef_[0], rtol=1e-5)
        assert ours.intercept == pytest.approx(theirs.intercept_[0], rel=1e-5)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X)[:, 1], atol=1e-6)


@pytest.mark.parametrize("name", PENALTIES)
def test_nothing_near_the_result_is_better(name):
    X, y = world()
    kernel = lambda A, B=None: rbf(bandwidth=1.0)(A, B)  # any function is a kernel of features
    kernels = {"prob_kernel": rbf(bandwidth=0.3), "feature_kernel": kernel}
    found = PenalisedLogisticRegression(name, weight=5.0, **kernels).fit(X, y)
    assert found.converged
    inputs, penalty = np.column_stack([X, np.ones(len(X))]), make_penalty(name, X, 0.3)
    w = np.append(found.coef, found.intercept)
    best = objective(w, inputs, y, 5.0, penalty)[0]
    assert best == pytest.approx(found.log_loss + 5 * found.penalty_value, rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert objective(w + 1e-3 * rng.standard_normal(3), inputs, y, 5.0, penalty)[0] > best
    p = found.predict_proba(X)
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-inputs @ w)))
    assert found.penalty_value == pytest.approx(double_sum(name, p, y, X, 0.3), abs=1e-8)


def test_what_few_features_leave_out_is_certified():
    X, y = world()
    found = PenalisedLogisticRegression("klce", feature_kernel=rbf(bandwidth=0.5), max_rank=20).fit(X, y)
    full = double_sum("klce", found.predict_proba(X), y, X, feature_bandwidth=0.5)
    assert 0.01 < found.left_out < 1
    assert found.penalty_value < full <= found.penalty_value + found.left_out
    assert PenalisedLogisticRegression("mmce").fit(X, y).left_out == 0


@pytest.mark.parametrize("name", PENALTIES)
def test_scale_of_the_inputs_does_not_matter(name):
    X, y = world()
    scaled = X * [100, 0.01] - [3, 1]
    one = PenalisedLogisticRegression(name, weight=5).fit(X, y)
    other = PenalisedLogisticRegression(name, weight=5).fit(scaled, y, features=X)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(scaled), atol=1e-6)


@pytest.mark.parametrize("constant", [3.0, 0.1, 1e9, 0.0])  # NumPy's standard deviation of a column of .1 is 1.4e-17
def test_a_constant_column_changes_nothing(constant):
    X, y = world(100)
    alone = PenalisedLogisticRegression("mmce").fit(X, y)
    wider = np.column_stack([X, np.full(100, constant)])
    found = PenalisedLogisticRegression("mmce").fit(wider, y)
    assert found.coef == pytest.approx([*alone.coef, 0], rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(found.predict_proba(wider), alone.predict_proba(X))


def test_separable_labels():
    X, y = world(100)
    sure = PenalisedLogisticRegression("mmce").fit(X, (X[:, 0] > 0).astype(int))
    assert np.isfinite(sure.coef).all() and ((sure.predict_proba(X) > 0.5) == (X[:, 0] > 0)).all()


def test_running_out_of_steps_is_announced():
    X, y = world()
    with pytest.warns(ConvergenceWarning, match="max_iter: the gradient is still .* after 1 iterations") as caught:
        assert not PenalisedLogisticRegression(max_iter=1).fit(X, y).converged
    assert caught[0].filename == __file__


def test_prediction_needs_what_fit_had():
    X, y = world(20)
    found = PenalisedLogisticRegression().fit(X, y)
    assert clone(found).weight == 0.7
    assert found.predict_proba(X[:1]).shape == (1,)
    with refuses("X", expected="2 columns as in fit"):
        found.predict_proba(X[:, :1])
    with pytest.raises(ValueError, match="not fitted"):
        PenalisedLogisticRegression().predict_proba(X)
