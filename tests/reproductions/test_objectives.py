"""Penalised training: a penalty is its double sum, the gradient its difference quotient, the result an optimum."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist
from sklearn.linear_model import LogisticRegression

from calibtutor import rbf
from calibtutor.reproductions.objectives import loss, mmce, mmd, objectives, optimum


def world(n=300, seed=0):
    """The truth has an interaction that no plane can follow: some error of calibration must remain."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    q = 1 / (1 + np.exp(-(0.7 * X[:, 0] + 1.5 * X[:, 0] * X[:, 1] - 0.5)))
    return X, (rng.random(n) < q).astype(int)


@pytest.mark.parametrize("name", ["mmce", "mmd"])
@pytest.mark.parametrize("bandwidth", [0.01, 0.2, 3.0])
def test_a_penalty_is_its_double_sum_and_its_gradient_the_difference_quotient(name, bandwidth):
    X, y = world(40)
    inputs, rng = np.column_stack([X, np.ones(40)]), np.random.default_rng(1)
    penalty = mmce(bandwidth) if name == "mmce" else mmd(X, rbf(bandwidth=bandwidth))
    p = rng.random(40)
    p[:2] = 0, 1
    seen = p[:, None] if name == "mmce" else X
    K = np.exp(-cdist(seen, seen, "sqeuclidean") / (2 * bandwidth**2))
    assert penalty(p, y)[0] == pytest.approx((p - y) @ K @ (p - y) / 40**2, abs=1e-8)
    value, gradient = (lambda w, part=part: loss(w, inputs, y, 5, penalty)[part] for part in (0, 1))
    assert check_grad(value, gradient, rng.standard_normal(3), epsilon=1e-7) < 1e-5 / bandwidth


def test_without_a_penalty_it_is_scikit_learns_regression_and_with_one_it_pays():
    X, y = world()
    found = objectives(10 * X + 5, y, 10 * X + 5)
    theirs = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_allclose(found["XE"], theirs, atol=1e-6)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    for name, penalty in (("XE + MMCE", mmce(0.2)), ("XE + MMD", mmd(standard, rbf(gamma=1 / 25)))):
        assert list(objectives(X, y, X, [name])) == [name]
        assert penalty(found[name], y)[0] < penalty(theirs, y)[0]


def test_labels_that_a_plane_separates_have_predictions_all_the_same_and_no_steps_are_an_error(monkeypatch):
    X, _ = world(100)
    y = (X[:, 0] > 0).astype(int)
    assert ((objectives(X, y, X, ["XE + MMCE"])["XE + MMCE"] > 0.5) == y).all()
    monkeypatch.setattr("calibtutor.reproductions.objectives.FLAT", 0)
    with pytest.raises(RuntimeError, match="no optimum"):
        optimum(np.zeros(2), X, y)
