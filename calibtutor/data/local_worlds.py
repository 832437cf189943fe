"""Binary worlds with features, in which local calibration is known to hold or to fail (Vashistha & Farahi).

Each `draw` returns labels (n,), predictions (n,) and features (n, m). `NULL_DESIGNS` are locally calibrated: what
differs is how the variance p(1 − p) of a residual goes with the density of the data, which decides whether a null
distribution that redraws or permutes residuals is right.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..inputs import InputError, check_count, check_number
from ..kernels import rbf

__all__ = ["NULL_DESIGNS", "LocalDesign", "clustered", "group_shift", "hidden_feature", "shifted"]


@dataclass(frozen=True)
class LocalDesign:
    """A population with the kernels of its test.

    Attributes
    ----------
    draw : callable(n, rng) -> (y_true, y_prob, features)
    n : int
        Data a test gets in the study that the design comes from.
    prob_kernel, feature_kernel : callable
    """

    draw: Callable
    n: int
    prob_kernel: Callable
    feature_kernel: Callable

    @property
    def kernels(self):
        """Arguments for `klce` and `klce_test`."""
        return {"prob_kernel": self.prob_kernel, "feature_kernel": self.feature_kernel}


def constant_kernel(X, Y=None):
    """l(x, x') = 1: features are not looked at, and KLCE is KCE (errata K21)."""
    return np.ones((len(X), len(X if Y is None else Y)))


def clustered(share, n, rng=None, *, crowd=0.5, isolated=(0.02, 0.98)):
    """A crowd at one place with one prediction, and isolated points with others; locally calibrated.

    Parameters
    ----------
    share : float in [0, 1]
        Expected share of the crowd.
    n : int >= 1
        Rows to draw.
    rng : int, Generator or None
        Source of the draws.
    crowd : float in [0, 1]
        Prediction of the crowd.
    isolated : tuple of float
        Predictions of the rest, equally likely.

    Returns
    -------
    y_true, y_prob : ndarray, shape (n,)
        Labels and predictions.
    features : ndarray, shape (n, 1)
        0 for the crowd; the rest is spread so widely that hardly any two are near.

    Raises
    ------
    InputError
        For a share or a prediction outside [0, 1], no isolated prediction, or n < 1.
    """
    check_number(share, "share", 0, 1)
    check_count(n, "n")
    if not np.ndim(isolated) or not len(isolated):
        raise InputError("isolated", "at least one prediction", found=repr(isolated))
    for name, value in [("crowd", crowd), *(("isolated", each) for each in isolated)]:
        check_number(value, name, 0, 1)
    rng = np.random.default_rng(rng)
    inside = rng.random(n) < share
    x = np.where(inside, 0, rng.uniform(-1e4, 1e4, n))
    p = np.where(inside, crowd, rng.choice(isolated, n))
    return _labelled(p, p, x[:, None], rng)


def hidden_feature(n, n_features, rng=None, *, hidden=True):
    """X ~ N(0, I), P(Y = 1 | X) = sigmoid(Σ_j x_j), and a prediction without the last x_j (§4.2, Figure 3).

    Parameters
    ----------
    n, n_features : int >= 1
        Rows to draw, and how many features there are.
    rng : int, Generator or None
        Source of the draws.
    hidden : bool
        False: the prediction uses all features and is locally calibrated.

    Returns
    -------
    y_true, y_prob : ndarray, shape (n,)
        Labels and predictions.
    features : ndarray, shape (n, n_features)
        All of them, the last one too.

    Raises
    ------
    InputError
        For n < 1 or n_features < 1.
    """
    check_count(n, "n")
    check_count(n_features, "n_features")
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(n, n_features))
    return _labelled(expit(X.sum(axis=1)), expit(X[:, : n_features - hidden].sum(axis=1)), X, rng)


def shifted(amount, n, rng=None):
    """X ~ N(0, I₂), prediction sigmoid(x₁), frequencies higher by `amount` everywhere (cut at 1).

    Parameters
    ----------
    amount : float in [0, 1]
        What the model says too little.
    n : int >= 1
        Rows to draw.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true, y_prob : ndarray, shape (n,)
        Labels and predictions.
    features : ndarray, shape (n, 2)
        Of which the prediction uses the first.

    Raises
    ------
    InputError
        For an amount outside [0, 1], or n < 1.
    """
    check_number(amount, "amount", 0, 1)
    check_count(n, "n")
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(n, 2))
    p = expit(X[:, 0])
    return _labelled(np.minimum(p + amount, 1), p, X, rng)


def group_shift(amount, n, rng=None):
    """Calibrated on average, wrong in two places: frequencies miss p by ± `amount` left and right of x₁ = 0.

    Parameters
    ----------
    amount : float in [0, .25]
        Predictions are uniform on [.25, .75], so that frequencies stay in [0, 1].
    n : int >= 1
        Rows to draw.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true, y_prob : ndarray, shape (n,)
        Labels and predictions.
    features : ndarray, shape (n, 2)
        Uniform on [−1, 1]², independent of the predictions. The miss is `amount` · sign(x₁), so P(Y = 1 | p) = p.

    Raises
    ------
    InputError
        For an amount outside [0, .25], or n < 1.
    """
    check_number(amount, "amount", 0, 0.25)
    check_count(n, "n")
    rng = np.random.default_rng(rng)
    X, p = rng.uniform(-1, 1, (n, 2)), rng.uniform(0.25, 0.75, n)
    return _labelled(p + amount * np.sign(X[:, 0]), p, X, rng)


def _labelled(frequency, y_prob, X, rng):
    return (rng.random(len(X)) < frequency).astype(int), y_prob, X


def _authors_type_one(n, rng=None):
    """X ~ N(0, 1), p = sigmoid(−1 + x/2): nearly the same variance everywhere (Figure 5)."""
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(n, 1))
    p = expit(-1 + 0.5 * X[:, 0])
    return _labelled(p, p, X, rng)


def _steep(n, rng=None):
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(n, 2))
    p = expit(3 * X[:, 0])
    return _labelled(p, p, X, rng)


NULL_DESIGNS = {
    "the paper's Figure 5": LocalDesign(_authors_type_one, 50, rbf(width=0.2), constant_kernel),
    "doubtful crowd": LocalDesign(
        lambda n, rng=None: clustered(0.2, n, rng), 200, rbf(width=0.1), rbf(gamma=1.0)
    ),
    "confident crowd": LocalDesign(
        lambda n, rng=None: clustered(0.8, n, rng, crowd=0.03, isolated=(0.5,)), 200, rbf(width=0.1), rbf(gamma=1.0)
    ),
    "two features": LocalDesign(_steep, 200, rbf(width=0.1), rbf(gamma=0.5)),
    "the paper's Figure 3, all seen": LocalDesign(
        lambda n, rng=None: hidden_feature(n, 10, rng, hidden=False), 200, rbf(width=5.0), rbf(width=5.0)
    ),
}  # fmt: skip
