"""Binary worlds with features, in which local calibration is known to hold or to fail (Vashistha & Farahi).

Each returns labels (n,), predictions (n,) and features (n, m); n and `rng` as in `worlds`.
"""

import numpy as np
from scipy.special import expit

from ..door.inputs import InputError, check_count, check_number, check_rng


def clustered(share, n, rng=None, *, crowd=0.5, isolated=(0.02, 0.98)):
    """A crowd at one place with one prediction, and isolated points with others; locally calibrated.

    `share` is the expected share of the crowd, whose feature is 0 and whose prediction `crowd`. The rest has one of the
    predictions `isolated`, equally likely, and one feature spread so widely that hardly any two are near. A share or a
    prediction outside [0, 1], or no isolated one, is an `InputError`.
    """
    check_number(share, "share", 0, 1)
    check_count(n, "n")
    if not np.ndim(isolated) or not len(isolated):
        raise InputError("isolated", "at least one prediction", found=repr(isolated))
    for name, value in [("crowd", crowd), *(("isolated", each) for each in isolated)]:
        check_number(value, name, 0, 1)
    rng = check_rng(rng)
    inside = rng.random(n) < share
    x = np.where(inside, 0, rng.uniform(-1e4, 1e4, n))
    p = np.where(inside, crowd, rng.choice(isolated, n))
    return _labelled(p, p, x[:, None], rng)


def hidden_feature(n, n_features, rng=None):
    """X ~ N(0, I), P(Y = 1 | X) = sigmoid(Σ_j x_j), and a prediction without the last x_j (§4.2, Figure 3)."""
    check_count(n, "n")
    check_count(n_features, "n_features")
    rng = check_rng(rng)
    X = rng.normal(size=(n, n_features))
    return _labelled(expit(X.sum(axis=1)), expit(X[:, :-1].sum(axis=1)), X, rng)


def group_shift(amount, n, rng=None):
    """Calibrated on average, wrong in two places: frequencies miss p by ± `amount` left and right of x₁ = 0.

    Features are uniform on [−1, 1]², predictions, independent of them, on [.25, .75]; an `amount` outside [0, .25],
    which would carry frequencies beyond [0, 1], is an `InputError`. The miss is `amount` · sign(x₁): P(Y = 1 | p) = p.
    """
    check_number(amount, "amount", 0, 0.25)
    check_count(n, "n")
    rng = check_rng(rng)
    X, p = rng.uniform(-1, 1, (n, 2)), rng.uniform(0.25, 0.75, n)
    return _labelled(p + amount * np.sign(X[:, 0]), p, X, rng)


def _labelled(frequency, y_prob, X, rng):
    return (rng.random(len(X)) < frequency).astype(int), y_prob, X
