"""Post-hoc recalibration: maps of the predicted probability, learned from held-out labels and predictions.

Such a map sees nothing but the prediction. It can make a model calibrated, not locally calibrated: where two groups
with the same prediction differ in frequency, they still do afterwards (Vashistha & Farahi, Figure 4).
"""

import warnings

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, logit, softmax
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from ..predictions import check_number, check_predictions, check_probabilities

__all__ = ["IsotonicCalibration", "PlattScaling", "TemperatureScaling"]

CLIP = float(np.finfo(float).eps)  # 2⁻⁵²: next to 1 no float lies much nearer
TEMPERATURES = (0.01, 100.0)


class ScoreMap(BaseEstimator):
    """`fit` and `predict_proba` of a map; a subclass learns it (`_learn`) and applies it (`_apply`)."""

    _learned = "learned"  # the attribute that tells whether fit was called
    _only_scores = True

    def fit(self, y_true, y_prob):
        """Learn the map from held-out data.

        Parameters
        ----------
        y_true : array-like of int, shape (n,)
        y_prob : array-like of float, shape (n,)
            P(Y = 1); `TemperatureScaling` takes (n, d) too.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For input that `as_predictions` rejects, an (n, d) y_prob where a vector is needed, or what the class
            says under "Raises".
        """
        y_true, y_prob = check_predictions(y_true, y_prob)
        if self._only_scores:
            need_scores(y_prob)
        self._learn(y_true, y_prob)
        return self

    def predict_proba(self, y_prob):
        """Apply the map to new predictions.

        Parameters
        ----------
        y_prob : array-like of float, shape (m,)
            P(Y = 1); `TemperatureScaling` takes (m, d) too.

        Returns
        -------
        ndarray, same shape as `y_prob`

        Raises
        ------
        ValueError
            Before `fit`, or for a y_prob that `as_predictions` rejects.
        """
        check_is_fitted(self, self._learned)
        y_prob = check_probabilities(y_prob, min_rows=1)
        if self._only_scores:
            need_scores(y_prob)
        return self._apply(y_prob)


def need_scores(y_prob):
    """Refuse an (n, d) prediction where a binary one is needed."""
    if y_prob.ndim != 1:
        raise ValueError(f"y_prob: expected P(Y = 1) as a vector of shape (n,), got shape {y_prob.shape}")


class PlattScaling(ScoreMap):
    r"""Platt's sigmoid: p ↦ 1/(1 + exp(−(a s + b))) with s = log(p/(1 − p)) or s = p.

    a and b minimise the log loss against Platt's targets, (n₁ + 1)/(n₁ + 2) for a label 1 and 1/(n₀ + 2) for a
    label 0 (n₁ and n₀ labels of each kind): so the optimum is finite even when the scores separate the labels. This is
    scikit-learn's `LogisticRegression` without penalty, each row once as 1 and once as 0, weighted by its target; its
    `CalibratedClassifierCV(method="sigmoid")` has the same targets.

    Parameters
    ----------
    score : {"logit", "probability"}
        The s above. With "logit" the identity is among the maps (a = 1, b = 0). "probability" is what the code of
        Vashistha & Farahi does (labels for targets there, and scikit-learn's default penalty).
    clip : float in (0, 0.5)
        For "logit": probabilities nearer than this to 0 or 1 are moved there; see `TemperatureScaling`.

    Attributes
    ----------
    slope, intercept : float
        a and b. The map falls if a < 0: then the model ranks the wrong way round.

    Raises
    ------
    ValueError
        For an unknown score, a clip out of range, or when all predictions are equal (a is undetermined).

    Notes
    -----
    Platt (1999); Guo et al. (2017) for the logit.
    """

    _learned = "slope"

    def __init__(self, score="logit", *, clip=CLIP):
        self.score = score
        self.clip = clip

    def _learn(self, y_true, y_prob):
        check_number(self.clip, "clip", above=0, below=0.5)
        if self.score not in ("logit", "probability"):
            raise ValueError(f'score: expected "logit" or "probability", got {self.score!r}')
        s = self._scores(y_prob)
        centre, spread = s.mean(), s.std()
        if min(np.ptp(s), spread) == 0:
            raise ValueError(f"y_prob: expected at least two different predictions, all are like {y_prob[0]:g}")
        hits = y_true.sum()
        target = np.where(y_true == 1, (hits + 1) / (hits + 2), 1 / (len(s) - hits + 2))
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12)
        twice = np.tile((s - centre) / spread, 2)[:, None]
        model.fit(twice, np.repeat([1, 0], len(s)), sample_weight=np.concatenate([target, 1 - target]))
        self.slope = float(model.coef_[0, 0] / spread)
        self.intercept = float(model.intercept_[0] - self.slope * centre)

    def _apply(self, y_prob):
        return expit(self.slope * self._scores(y_prob) + self.intercept)

    def _scores(self, y_prob):
        return logit(np.clip(y_prob, self.clip, 1 - self.clip)) if self.score == "logit" else y_prob


class TemperatureScaling(ScoreMap):
    r"""One temperature for all classes: p_k ↦ p_k^{1/T} / Σ_l p_l^{1/T}, that is softmax(log(p)/T).

    T > 1 makes a model less confident, T < 1 more; the order of the classes stays. T minimises the mean log loss of
    the held-out labels, which is convex in 1/T, over [0.01, 100] (SciPy's bounded `minimize_scalar` on log T).
    Works on (n, d), and on (n,) as the two classes (1 − p, p). Everything happens in logs.

    Parameters
    ----------
    clip : float in (0, 0.5)
        Smaller probabilities, zeros among them, are raised to this: the log loss of a label that was given 0 is
        infinite at every T. The default, 2⁻⁵² ≈ 2e-16, takes a 0 at its word, and a few labels that were given 0 then
        decide about T. When 0 means "none of 100 trees", 0.005 is nearer to what the model knows.

    Attributes
    ----------
    temperature : float
        T. A warning says so when it is an end of the range: the loss falls towards T = 0 when every label has the
        largest probability, and towards uniform predictions, T = ∞, when confidence says nothing about the labels.

    Raises
    ------
    ValueError
        For a clip out of range, or when every prediction is uniform: then every temperature gives the same.

    Notes
    -----
    Guo et al. (2017).
    """

    _learned = "temperature"
    _only_scores = False

    def __init__(self, *, clip=CLIP):
        self.clip = clip

    def _learn(self, y_true, y_prob):
        check_number(self.clip, "clip", above=0, below=0.5)
        logs = self._logs(y_prob)
        if (np.ptp(logs, axis=1) == 0).all():
            raise ValueError("y_prob: expected some prediction that is not uniform; no temperature changes these")

        def loss(log_temperature):
            return -log_softmax(logs / np.exp(log_temperature), axis=1)[np.arange(len(logs)), y_true].mean()

        ends = np.log(TEMPERATURES)
        found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-9})
        best = min([*ends, found.x], key=loss)  # the search never looks at the ends themselves
        self.temperature = float(np.exp(best))
        if best in ends:
            warnings.warn(f"temperature: the best one lies at or beyond {self.temperature:g}", stacklevel=3)

    def _apply(self, y_prob):
        scaled = softmax(self._logs(y_prob) / self.temperature, axis=1)
        return scaled[:, 1] if y_prob.ndim == 1 else scaled

    def _logs(self, y_prob):
        """log p, shape (n, d), without −inf."""
        rows = np.column_stack([1 - y_prob, y_prob]) if y_prob.ndim == 1 else y_prob
        return np.log(np.maximum(rows, self.clip))


class IsotonicCalibration(ScoreMap):
    """The rising map of least squared error: scikit-learn's `IsotonicRegression`, in [0, 1].

    Between the scores seen it is linear; beyond them it stays at the last value ("clip").

    Attributes
    ----------
    thresholds, frequencies : ndarray, shape (k,)
        Corners of the map: scores and their values.

    Notes
    -----
    Zadrozny & Elkan (2002). It is free to follow noise: with few labels it fits them better than new ones.
    """

    _learned = "thresholds"

    def _learn(self, y_true, y_prob):
        self._model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(y_prob, y_true)
        self.thresholds, self.frequencies = self._model.X_thresholds_, self._model.y_thresholds_

    def _apply(self, y_prob):
        return self._model.predict(y_prob)
