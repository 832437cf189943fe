"""Maps linear in log-probabilities: beta calibration of a score, vector scaling and Dirichlet calibration of rows."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, softmax

from ..door.inputs import check_number
from ..door.probabilities import in_slices
from ..progress import progress_bar
from .base import ScoreMap
from .posthoc import CLIP, logs_of, platt_targets

HOLD = 1e-8  # so little that it only decides where the labels do not: a class that never occurs, labels all got right
FAR = {"ftol": 1e-15, "gtol": 1e-8, "maxcor": 20, "maxiter": 10**4, "maxfun": 10**5}  # flat valleys take long


class BetaCalibration(ScoreMap):
    r"""Beta calibration: p ↦ 1/(1 + exp(−(a log p − b log(1 − p) + c))) with a, b ≥ 0.

    The right map where the scores of each label have a beta distribution. a = b is Platt's sigmoid, a = b = 1 with
    c = 0 the identity; a ≠ b bends scores near 0 and scores near 1 differently, which Platt's sigmoid cannot. It
    minimises the mean log loss against Platt's targets (see `PlattScaling`) + 10⁻⁸ ((a − 1)² + (b − 1)² + c²/2), by
    SciPy's L-BFGS-B: few different predictions alone do not determine a and b. (n, d) as `PlattScaling`.

    Parameters
    ----------
    clip : float in (0, 0.5)
        Probabilities nearer than this to 0 or 1 are moved there; see `TemperatureScaling`. Others: InputError.

    Attributes
    ----------
    a, b, c : float, or list of d floats
        For d > 2 classes of each. Where a < 0 or b < 0 would fit best, one of them at least is 0.
    maps : list of d BetaCalibration, or None
        For d > 2: the map of each class.

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
        target = platt_targets(y_true, np.ones(len(y_true)) if weight is None else weight)
        found = _optimum(self._logs(y_prob), np.column_stack([1 - target, target]), weight, np.ones(2), HOLD, least=0)
        (self.b, self.a), (other, one) = (each.tolist() for each in found)
        self.c = one - other

    def _apply(self, y_prob):
        return expit(self._logs(y_prob) @ [-self.b, self.a] + self.c)

    def _logs(self, y_prob):
        clip = check_number(self.clip, "clip", above=0, below=0.5)
        return logs_of(np.clip(y_prob, clip, 1 - clip), clip)


class VectorScaling(ScoreMap):
    r"""A slope and an intercept for each class: p ↦ softmax(w ∘ log p + b), 2d numbers of d classes.

    With b = 0 and all w_k = 1/T it is temperature scaling. It minimises the mean log loss + 10⁻⁸ (‖w − 1‖² + ‖b‖²) by
    SciPy's L-BFGS-B: the little that is added keeps w and b finite where the labels alone do not. Works on (n, d), and
    on (n,) as the two classes (1 − p, p). A class that never occurs among the labels gets nearly 0. Guo et al. (2017),
    with log p as logits: a network's own differ from these by a constant in each row.

    Parameters
    ----------
    clip : float in (0, 0.5)
        Smaller probabilities, zeros among them, are raised to this; see `TemperatureScaling`. Others: InputError.
    progress : bool
        Show the search's steps: 50,000 rows of 100 classes take about 100, within seconds.

    Attributes
    ----------
    weights, intercepts : ndarray, shape (d,)
        w and b.

    Examples
    --------
    >>> from calibtutor import VectorScaling
    >>> y_true, said = [0, 0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 2], [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]
    >>> VectorScaling().fit(y_true, [row for row in said for _ in range(4)]).predict_proba(said)[0].round(2)
    array([0.5 , 0.25, 0.26])
    """

    _learned = ("weights", "intercepts")
    _takes = "rows"

    def __init__(self, *, clip=CLIP, progress=False):
        self.clip, self.progress = clip, progress

    def _start(self, d):
        """The identity's w, and what it costs to leave the identity, for each entry of w and b."""
        return np.ones(d), HOLD

    def _learn(self, y_true, y_prob, weight):
        d = (logs := logs_of(y_prob, check_number(self.clip, "clip", above=0, below=0.5))).shape[1]
        self.weights, self.intercepts = _optimum(logs, np.eye(d)[y_true], weight, *self._start(d), None, self.progress)

    def _apply(self, y_prob):
        mapped = softmax(_scores(logs_of(y_prob, self.clip), self.weights, self.intercepts), axis=1)
        return mapped[:, 1] if y_prob.ndim == 1 else mapped


class DirichletCalibration(VectorScaling):
    r"""Multinomial logistic regression on log-probabilities: p ↦ softmax(W log p + b), d² + d numbers of d classes.

    The right map where the predictions of each class have a Dirichlet distribution; what stands off the diagonal of W
    moves probability from class to class. As `VectorScaling`, whose w is the diagonal, but it minimises

        mean log loss + λ ( Σ_{i≠j} W_ij² / (d(d − 1)) + Σ_i b_i² / d ) + 10⁻⁸ Σ_i (W_ii − 1)²

    with ODIR, off-diagonal and intercept regularisation. `weights` are W, shape (d, d). Kull et al. (2019), with one λ
    for both parts.

    Parameters
    ----------
    strength : float > 0
        λ. ``GridSearchCV(Recalibrated(model, DirichletCalibration()), {"recalibrator__strength": [0.1, 1, 10, 100]},
        scoring="neg_log_loss")`` chooses it by cross-validation.
    clip, progress : float in (0, 0.5), bool
        As in `VectorScaling`, but there may be thousands of steps. InputError for a clip or strength out of range.

    Examples
    --------
    >>> from calibtutor import DirichletCalibration
    >>> y_true, said = [0, 0, 1, 2, 0, 1, 1, 2, 0, 1, 2, 2], [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]
    >>> DirichletCalibration().fit(y_true, [row for row in said for _ in range(4)]).predict_proba(said)[0].round(2)
    array([0.51, 0.24, 0.24])
    """

    def __init__(self, strength=1.0, *, clip=CLIP, progress=False):
        super().__init__(clip=clip, progress=progress)
        self.strength = strength

    def _start(self, d):
        strength = check_number(self.strength, "strength", above=0)
        by_w = np.where(np.eye(d), HOLD, strength / (d * (d - 1)))
        return np.eye(d), np.concatenate([by_w.ravel(), np.full(d, strength / d)])


def _scores(logs, w, b):
    return (logs * w if w.ndim == 1 else logs @ w.T) + b


def _optimum(logs, hits, weight, identity, penalty, least=None, progress=False):
    """w, b of the smallest mean log loss + what it costs to leave the identity; no w below `least`.

    The search takes the columns centred and scaled: of probabilities near .5, or all near 0, it would stop too early.
    """
    n, d = logs.shape
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    centre, spread = logs.mean(axis=0), np.maximum(logs.std(axis=0), 1e-3)

    def parts(theta):
        w = theta[:-d].reshape(identity.shape) / spread
        return w, theta[-d:] - _scores(centre, w, 0)

    def loss(theta):
        w, b = parts(theta)
        slope = 2 * penalty * (away := np.concatenate([(w - identity).ravel(), b]))
        value = slope @ away / 2
        for rows, x in in_slices(logs):
            said = (z := _scores(x, w, b)) - z.max(axis=1, keepdims=True)
            total = (error := np.exp(said)).sum(axis=1)
            value += share[rows] @ (np.log(total) - np.einsum("ij,ij->i", hits[rows], said))
            error = error * (share[rows] / total)[:, None] - share[rows, None] * hits[rows]
            by_w = np.einsum("ij,ij->j", error, x) if w.ndim == 1 else error.T @ x
            slope = slope + np.concatenate([by_w.ravel(), error.sum(axis=0)])
        by_w, by_b = slope[:-d].reshape(w.shape), slope[-d:]
        by_w = by_w - by_b * centre if w.ndim == 1 else by_w - np.outer(by_b, centre)
        return value, np.concatenate([(by_w / spread).ravel(), by_b])

    start = np.concatenate([(identity * spread).ravel(), _scores(centre, identity, 0)])
    bounds = [(least, None)] * identity.size + [(None, None)] * d
    with progress_bar(shown=progress, unit=" steps") as bar:
        how = dict(method="L-BFGS-B", bounds=bounds, options=FAR, callback=lambda _: bar.update())
        for _ in range(3):  # begun anew, as one search may end where a single step gained nothing
            start = minimize(loss, start, jac=True, **how).x
    w, b = parts(start)
    return w, b - b.mean()  # what all b have in common changes nothing, and the best has none
