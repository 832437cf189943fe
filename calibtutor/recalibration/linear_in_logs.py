"""Maps linear in log-probabilities: beta calibration of a score, vector scaling and Dirichlet calibration of rows."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from ..inputs import InputError, check_number
from .base import ScoreMap
from .posthoc import CLIP, logs_of, platt_targets

HOLD = 1e-8  # so little that it only decides where the labels do not: a class that never occurs, labels all got right
FAR = {"ftol": 1e-15, "gtol": 1e-8, "maxcor": 20, "maxiter": 10**4, "maxfun": 10**5}  # flat valleys take long


class BetaCalibration(ScoreMap):
    r"""Beta calibration: p ↦ 1/(1 + exp(−(a log p − b log(1 − p) + c))) with a, b ≥ 0.

    The right map where the scores of each label have a beta distribution. a = b is Platt's sigmoid, a = b = 1 with
    c = 0 the identity; a ≠ b bends scores near 0 and scores near 1 differently, which Platt's sigmoid cannot. It
    minimises the log loss against Platt's targets (see `PlattScaling`) by SciPy's L-BFGS-B. (n, d) as `PlattScaling`.

    Parameters
    ----------
    clip : float in (0, 0.5)
        Probabilities nearer than this to 0 or 1 are moved there; see `TemperatureScaling`.

    Attributes
    ----------
    a, b, c : float, or list of d floats
        For d > 2 classes of each. Where a < 0 or b < 0 would fit best, one of them at least is 0.
    maps : list of d BetaCalibration, or None
        For d > 2: the map of each class.

    Raises
    ------
    InputError
        For a clip out of range, or fewer than three different predictions, also in a column (a and b are undetermined).

    Notes
    -----
    Kull, Silva Filho & Flach (2017). They take the labels for targets: with many rows the difference is small.

    Examples
    --------
    >>> from calibtutor import BetaCalibration
    >>> y_true, y_prob = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.8, 0.9]
    >>> BetaCalibration().fit(y_true, y_prob).predict_proba([0.1, 0.9]).round(3)
    array([0.26 , 0.789])
    """

    _learned = ("a", "b", "c")

    def __init__(self, *, clip=CLIP):
        self.clip = clip

    def _learn(self, y_true, y_prob, weight):
        logs = self._logs(y_prob)
        if len(np.unique(logs[:, 0])) < 3:
            hint = "IsotonicCalibration and BBQ take such a column"
            raise InputError("y_prob", "at least three different predictions", hint=hint)
        times = np.ones(len(logs)) if weight is None else weight
        target, share = platt_targets(y_true, times), times / times.sum()
        centre, spread = logs.mean(axis=0), logs.std(axis=0)
        x = np.column_stack([(logs - centre) / spread, np.ones(len(logs))])

        def loss(theta):
            scores = x @ theta
            return share @ (np.logaddexp(0, scores) - target * scores), (share * (expit(scores) - target)) @ x

        bounds = [(0, None), (0, None), (None, None)]
        found = minimize(loss, [0.5, 0.5, 0], jac=True, method="L-BFGS-B", bounds=bounds, options=FAR).x
        self.a, self.b = (found[:2] / spread).tolist()
        self.c = float(found[2] - found[:2] @ (centre / spread))

    def _apply(self, y_prob):
        return expit(self._logs(y_prob) @ [self.a, self.b] + self.c)

    def _logs(self, y_prob):
        clip = check_number(self.clip, "clip", above=0, below=0.5)
        inside = np.clip(y_prob, clip, 1 - clip)
        return np.column_stack([np.log(inside), -np.log1p(-inside)])


class VectorScaling(ScoreMap):
    r"""A slope and an intercept for each class: p ↦ softmax(w ∘ log p + b), 2d numbers of d classes.

    With b = 0 and all w_k = 1/T it is temperature scaling. It minimises the mean log loss + 10⁻⁸ (‖w − 1‖² + ‖b‖²) by
    SciPy's L-BFGS-B: the little that is added keeps w and b finite where the labels alone do not. Works on (n, d), and
    on (n,) as the two classes (1 − p, p). A class that never occurs among the labels gets nearly 0.

    Parameters
    ----------
    clip : float in (0, 0.5)
        Smaller probabilities, zeros among them, are raised to this; see `TemperatureScaling`. Others: InputError.

    Attributes
    ----------
    weights, intercepts : ndarray, shape (d,)
        w and b.

    Notes
    -----
    Guo et al. (2017), with log p as logits: a network's own differ from these by a constant in each row.

    Examples
    --------
    >>> from calibtutor import VectorScaling
    >>> y_true, said = [0, 0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 2], [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]
    >>> VectorScaling().fit(y_true, [row for row in said for _ in range(4)]).predict_proba(said)[0].round(2)
    array([0.5 , 0.25, 0.26])
    """

    _learned = ("weights", "intercepts")
    _takes = "rows as in fit"

    def __init__(self, *, clip=CLIP):
        self.clip = clip

    def _start(self, d):
        """The identity's w, and what it costs to leave the identity, for each entry of w and b."""
        return np.ones(d), np.full(2 * d, HOLD)

    def _learn(self, y_true, y_prob, weight):
        logs = logs_of(y_prob, check_number(self.clip, "clip", above=0, below=0.5))
        n, d = logs.shape
        share = np.full((n, 1), 1 / n) if weight is None else weight[:, None] / weight.sum()
        hits, (ones, penalty) = np.eye(d)[y_true], self._start(d)
        identity = np.concatenate([ones.ravel(), np.zeros(d)])

        def loss(theta):
            w, b, away = theta[:-d].reshape(ones.shape), theta[-d:], theta - identity
            said = log_softmax(_scores(logs, w, b), axis=1)
            error = share * (np.exp(said) - hits)
            by_w = (error * logs).sum(axis=0) if ones.ndim == 1 else (error.T @ logs).ravel()
            slope = np.concatenate([by_w, error.sum(axis=0)]) + 2 * penalty * away
            return penalty @ away**2 - (share * hits * said).sum(), slope

        found = minimize(loss, identity, jac=True, method="L-BFGS-B", options=FAR).x
        self.weights, self.intercepts = found[:-d].reshape(ones.shape), found[-d:]

    def _apply(self, y_prob):
        mapped = softmax(_scores(logs_of(y_prob, self.clip), self.weights, self.intercepts), axis=1)
        return mapped[:, 1] if y_prob.ndim == 1 else mapped


class DirichletCalibration(VectorScaling):
    r"""Multinomial logistic regression on log-probabilities: p ↦ softmax(W log p + b), d² + d numbers of d classes.

    The right map where the predictions of each class have a Dirichlet distribution; what stands off the diagonal of W
    moves probability from class to class. As `VectorScaling`, whose w is the diagonal, but it minimises

        mean log loss + λ ( Σ_{i≠j} W_ij² / (d(d − 1)) + Σ_i b_i² / d ) + 10⁻⁸ Σ_i (W_ii − 1)²

    with ODIR, off-diagonal and intercept regularisation. `weights` are W, shape (d, d).

    Parameters
    ----------
    strength : float > 0
        λ. ``GridSearchCV(Recalibrated(model, DirichletCalibration()), {"recalibrator__strength": [0.1, 1, 10, 100]},
        scoring="neg_log_loss")`` chooses it by cross-validation.
    clip : float in (0, 0.5)
        As in `VectorScaling`. InputError for this or a strength out of range.

    Notes
    -----
    Kull et al. (2019), with one λ for both parts.

    Examples
    --------
    >>> from calibtutor import DirichletCalibration
    >>> y_true, said = [0, 0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 2], [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]
    >>> DirichletCalibration().fit(y_true, [row for row in said for _ in range(4)]).predict_proba(said)[0].round(2)
    array([0.51, 0.24, 0.24])
    """

    def __init__(self, strength=1.0, *, clip=CLIP):
        self.strength = strength
        self.clip = clip

    def _start(self, d):
        strength = check_number(self.strength, "strength", above=0)
        by_w = np.where(np.eye(d), HOLD, strength / (d * (d - 1)))
        return np.eye(d), np.concatenate([by_w.ravel(), np.full(d, strength / d)])


def _scores(logs, w, b):
    return (logs * w if w.ndim == 1 else logs @ w.T) + b
