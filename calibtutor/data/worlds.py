"""Populations whose truth is known, so that an estimate can be compared with what it estimates.

`FiniteWorld` has finitely many kinds of input: every expectation is an exact sum. `CurveWorld` is a binary
model on [0, 1] with a known frequency curve. `widmann_model`, `covariate_shift` and `temperature_simulation` draw the
papers' data.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import truncnorm

from ..inputs import InputError, check_choice, check_number
from ..predictions import check_probabilities

__all__ = [
    "CurveWorld",
    "FiniteWorld",
    "calibrated_model",
    "covariate_shift",
    "mixed_widmann_model",
    "random_world",
    "shifted_inputs",
    "temperature_simulation",
    "wave_world",
    "widmann_model",
]

NOTIONS = ("canonical", "class-wise", "top-label-per-class", "top-label")


@dataclass(frozen=True, eq=False)
class FiniteWorld:
    """A population with m kinds of input; kind a has probability w_a, prediction p_a and label law q_a.

    Several kinds may share a prediction; what happens *given the prediction* is then their average.

    Parameters
    ----------
    weights : array-like, shape (m,)
        P(kind); positive, summing to 1.
    predictions : array-like, shape (m, d)
        f(x) for each kind, on the simplex.
    conditionals : array-like, shape (m, d)
        P(Y | kind), on the simplex.

    Raises
    ------
    InputError
        For shapes that do not match or rows off the simplex.
    """

    weights: np.ndarray
    predictions: np.ndarray
    conditionals: np.ndarray

    def __post_init__(self):
        weights = np.asarray(self.weights, dtype=float)
        predictions = check_probabilities(self.predictions, "predictions", min_rows=1)
        conditionals = check_probabilities(self.conditionals, "conditionals", min_rows=1)
        if predictions.ndim != 2 or predictions.shape != conditionals.shape:
            wanted = f"the shape (m, d) of predictions, {predictions.shape}"
            raise InputError("conditionals", wanted, found=conditionals.shape)
        if weights.shape != (len(predictions),) or not (weights > 0).all() or abs(weights.sum() - 1) > 1e-9:
            raise InputError("weights", f"{len(predictions)} positive numbers that sum to 1", found=weights)
        for name, value in [("weights", weights), ("predictions", predictions), ("conditionals", conditionals)]:
            object.__setattr__(self, name, value)

    @property
    def n_classes(self):
        """How many classes there are, d."""
        return self.predictions.shape[1]

    @property
    def marginal(self):
        """P(Y), shape (d,)."""
        return self.weights @ self.conditionals

    @property
    def frequencies(self):
        """r(p_a) = P(Y | f(X) = p_a) for each kind, shape (m, d)."""
        return self.given(self.predictions, self.conditionals)

    def given(self, key, values):
        """E[values | key]: the average of `values` (m, ...) over kinds with equal rows of `key` (m, ...).

        Rows are equal when they agree to 1e-12, so that sums like .1 + .2 meet .3.

        Parameters
        ----------
        key : array-like, shape (m,) or (m, ...)
            What is known of each kind.
        values : array-like, shape (m, ...)
            What is averaged.

        Returns
        -------
        ndarray, same shape as `values`
            Kinds with equal rows of `key` have the same average, weighted by their probabilities.
        """
        key = np.round(np.reshape(key, (len(self.weights), -1)), 12)
        group = np.unique(key, axis=0, return_inverse=True)[1].ravel()
        mass = np.bincount(group, self.weights)
        columns = np.reshape(values, (len(group), -1))
        means = np.column_stack([np.bincount(group, self.weights * c) / mass for c in columns.T])
        return means[group].reshape(np.shape(values))

    def expectation(self, value):
        """E[value(p, e_Y)], an exact sum; `value` maps (..., d) predictions and one-hot labels to (...).

        Parameters
        ----------
        value : callable(p, e) -> ndarray
            Of arrays (..., d), summed out to (...).

        Returns
        -------
        float
            Σ_a Σ_k w_a q_ak value(p_a, e_k).
        """
        p = np.repeat(self.predictions[:, None], self.n_classes, axis=1)
        e = np.broadcast_to(np.eye(self.n_classes), p.shape)
        return float((self.weights[:, None] * self.conditionals * value(p, e)).sum())

    def calibration_error(self, notion="canonical", norm=2):
        """E‖error‖_q^q with q = `norm`, no root, exact.

        Parameters
        ----------
        notion : {"canonical", "class-wise", "top-label-per-class", "top-label"}
            What is conditioned on: the whole vector; each p_k alone (mean over classes); the largest
            probability and its class (Gupta & Ramdas 2022); the largest probability alone.
        norm : float >= 1
            The q above.

        Returns
        -------
        float
            At least 0, and 0 if the notion holds.

        Raises
        ------
        InputError
            For an unknown notion.
        """
        p, q = self.predictions, self.conditionals
        if notion == "canonical":
            return float(self.weights @ (np.abs(p - self.frequencies) ** norm).sum(axis=1))
        if notion == "class-wise":
            each = [
                self.weights @ np.abs(p[:, k] - self.given(p[:, k], q[:, k])) ** norm for k in range(self.n_classes)
            ]
            return float(np.mean(each))
        check_choice(notion, "notion", NOTIONS)
        top = p.argmax(axis=1)
        confidence, right = p.max(axis=1), np.take_along_axis(q, top[:, None], axis=1)[:, 0]
        key = np.column_stack([confidence, top]) if notion == "top-label-per-class" else confidence
        return float(self.weights @ np.abs(confidence - self.given(key, right)) ** norm)

    def samples(self, n):
        """Every possible data set of n kinds and labels: probabilities (s,), kinds (s, n), labels (s, n).

        s = (m·d)^n grows fast: for exact statements about estimators in tiny worlds.

        Parameters
        ----------
        n : int >= 1
            Rows of a data set.

        Returns
        -------
        probability : ndarray, shape (s,)
            Of each data set; they sum to 1.
        kind, label : ndarray of int, shape (s, n)
            What each row of it is.

        Raises
        ------
        InputError
            For more than 10⁶ data sets.
        """
        m, d = self.predictions.shape
        if (m * d) ** n > 10**6:
            raise InputError("n", "(m·d)^n <= 10^6 data sets", found=f"({m}·{d})^{n}")
        draws = np.array(list(product(range(m * d), repeat=n)))
        mass = (self.weights[:, None] * self.conditionals).ravel()
        return mass[draws].prod(axis=1), draws // d, draws % d

    def sample(self, n, rng=None):
        """Draw n labels and predictions: (y_true (n,), y_prob (n, d)).

        Parameters
        ----------
        n : int >= 0
            Rows to draw.
        rng : int, Generator or None
            Source of the draws.

        Returns
        -------
        y_true : ndarray of int, shape (n,)
            Labels.
        y_prob : ndarray, shape (n, d)
            Predictions of the kinds drawn.
        """
        rng = np.random.default_rng(rng)
        kind = rng.choice(len(self.weights), size=n, p=self.weights)
        return _draw_labels(self.conditionals[kind], rng), self.predictions[kind]


def random_world(rng=None, *, n_kinds=6, n_classes=3, shared=True):
    """A random `FiniteWorld`; with `shared`, two of its kinds have the same prediction.

    Parameters
    ----------
    rng : int, Generator or None
        Source of the draws.
    n_kinds, n_classes : int >= 1
        The m and d of the world.
    shared : bool
        Whether the first two kinds share their prediction.

    Returns
    -------
    FiniteWorld
        Predictions and label laws from Dir(1, …, 1), weights from Dir(3, …, 3).
    """
    rng = np.random.default_rng(rng)
    predictions = rng.dirichlet(np.ones(n_classes), n_kinds)
    if shared and n_kinds > 1:
        predictions[1] = predictions[0]
    return FiniteWorld(rng.dirichlet(3 * np.ones(n_kinds)), predictions, rng.dirichlet(np.ones(n_classes), n_kinds))


@dataclass(frozen=True)
class CurveWorld:
    """A binary model with score p = quantile(U), U uniform, and P(Y = 1 | p) = curve(p), both known.

    Expectations are midpoint sums over `RESOLUTION` equally likely scores.

    Parameters
    ----------
    curve : callable
        Scores (n,) -> P(Y = 1 | p), shape (n,).
    quantile : callable
        Of the scores; by default they are uniform on [0, 1].
    """

    curve: callable
    quantile: callable = staticmethod(lambda u: u)
    RESOLUTION = 40_000

    def scores(self):
        """Equally likely scores that stand for the population, shape (RESOLUTION,).

        Returns
        -------
        ndarray
            The quantiles of (i + ½)/RESOLUTION.
        """
        return self.quantile((np.arange(self.RESOLUTION) + 0.5) / self.RESOLUTION)

    def calibration_error(self, norm=1):
        """(E|p − r(p)|^q)^{1/q}, the error that no bin has touched.

        Parameters
        ----------
        norm : float >= 1
            The q above.

        Returns
        -------
        float
            In [0, 1].
        """
        p = self.scores()
        return float((np.abs(p - self.curve(p)) ** norm).mean() ** (1 / norm))

    def binned_error(self, n_bins, norm=1):
        """The error that equal-width bins see with infinitely many data: gaps are averaged inside bins first.

        Parameters
        ----------
        n_bins : int >= 1
            Bins (a, b] of equal width on [0, 1].
        norm : float >= 1
            As in `calibration_error`.

        Returns
        -------
        float
            At most `calibration_error`.
        """
        p = self.scores()
        index = np.clip(np.ceil(p * n_bins).astype(int) - 1, 0, n_bins - 1)
        mass = np.bincount(index, minlength=n_bins) / len(p)
        gap = np.bincount(index, weights=p - self.curve(p), minlength=n_bins) / len(p)
        full = mass > 0
        return float((mass[full] * np.abs(gap[full] / mass[full]) ** norm).sum() ** (1 / norm))

    def sample(self, n, rng=None):
        """Draw n labels and scores: (y_true (n,), y_prob (n,)).

        Parameters
        ----------
        n : int >= 0
            Rows to draw.
        rng : int, Generator or None
            Source of the draws.

        Returns
        -------
        y_true : ndarray of int, shape (n,)
            Labels.
        y_prob : ndarray, shape (n,)
            Scores.
        """
        rng = np.random.default_rng(rng)
        p = self.quantile(rng.random(n))
        return (rng.random(n) < self.curve(p)).astype(np.int64), p


def wave_world(waves, amplitude=0.04):
    """Uniform scores with r(p) = p + amplitude·sin(2π·waves·p), clipped to [0, 1].

    Its error is 2·amplitude/π (.0255 for .04) where nothing is clipped, yet bins as wide as a wave see none.

    Parameters
    ----------
    waves : float
        How many fit into [0, 1].
    amplitude : float
        Largest distance of r(p) from p.

    Returns
    -------
    CurveWorld
        With uniform scores.
    """
    return CurveWorld(lambda p: np.clip(p + amplitude * np.sin(2 * np.pi * waves * p), 0, 1))


def widmann_model(name, n, *, n_classes=10, rng=None):
    """The poster's data: predictions from Dir(0.1, …, 0.1), labels from model M1, M2 or M3.

    Parameters
    ----------
    name : {"M1", "M2", "M3"}
        Labels from Cat(p) (calibrated); ½ Cat(p) + ½ class 0; uniform.
    n : int
        Rows to draw.
    n_classes : int, default 10
        How many classes there are.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true : ndarray of int, shape (n,)
        Labels.
    y_prob : ndarray, shape (n, n_classes)
        Predictions.

    Raises
    ------
    InputError
        For an unknown model.
    """
    check_choice(name, "name", ("M1", "M2", "M3"))
    strength, towards = {"M1": (0, "M2"), "M2": (0.5, "M2"), "M3": (1, "M3")}[name]
    return mixed_widmann_model(strength, n, towards=towards, n_classes=n_classes, rng=rng)


def mixed_widmann_model(strength, n, *, towards="M3", n_classes=10, rng=None):
    """Between calibrated and not: labels from (1 − strength) Cat(p) + strength × what M2 or M3 adds.

    Parameters
    ----------
    strength : float in [0, 1]
        0 is M1. Towards M2 ½ is M2 itself, towards M3 1 is M3: the poster's models lie on these two lines.
    n : int
        Rows to draw.
    towards : {"M2", "M3"}
        Which error is mixed in.
    n_classes : int, default 10
        How many classes there are.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true, y_prob
        As `widmann_model`.

    Raises
    ------
    InputError
        For a strength outside [0, 1] or an unknown direction.
    """
    check_number(strength, "strength", 0, 1)
    check_choice(towards, "towards", ("M2", "M3"))
    rng = np.random.default_rng(rng)
    p = rng.dirichlet(np.full(n_classes, 0.1), n)
    other = np.eye(n_classes)[0] if towards == "M2" else np.full(n_classes, 1 / n_classes)
    return _draw_labels((1 - strength) * p + strength * other, rng), p


def calibrated_model(name, n, *, n_classes=3, rng=None):
    """Calibrated by construction, Y ~ Cat(p), with predictions that are hard on a test's approximations.

    Parameters
    ----------
    name : {"heteroscedastic", "near-deterministic"}
        One prediction in five close to uniform, so close that a kernel sees one crowd, and the others confident and
        scattered; or all predictions within .02 of a corner, so that hardly any label surprises.
    n : int
        Rows to draw.
    n_classes : int, default 3
        How many classes there are.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true, y_prob
        As `widmann_model`.

    Raises
    ------
    InputError
        For an unknown name.
    """
    check_choice(name, "name", ("heteroscedastic", "near-deterministic"))
    rng = np.random.default_rng(rng)
    corner = np.eye(n_classes)[rng.integers(n_classes, size=n)]
    doubt = rng.dirichlet(np.ones(n_classes), n)
    if name == "near-deterministic":
        p = corner + 0.02 * rng.random((n, 1)) * (doubt - corner)
    else:
        crowd = np.full(n_classes, 1 / n_classes) + 0.01 * (doubt - 1 / n_classes)
        p = np.where(rng.random((n, 1)) < 0.2, crowd, corner + 0.3 * rng.random((n, 1)) * (doubt - corner))
    return _draw_labels(p, rng), p


def covariate_shift(alpha, n=1000, rng=None):
    """Moskvichev & Sejdinovic §5.2: labels and two-class predictions, both changed by nothing but P(X).

    x ~ N(α, .25²) truncated to [−1, 1], P(Y = 1 | x) = σ(x), and the model says σ(5x).

    Parameters
    ----------
    alpha : float
        Where the crowd of inputs is centred.
    n : int
        Rows to draw.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true : ndarray of int, shape (n,)
        Labels.
    y_prob : ndarray, shape (n, 2)
        Predictions of classes 0 and 1.
    """
    rng = np.random.default_rng(rng)
    x = shifted_inputs(alpha, rng.random(n))
    p = expit(5 * x)
    return (rng.random(n) < expit(x)).astype(np.int64), np.column_stack([1 - p, p])


def shifted_inputs(alpha, u):
    """Quantiles of the inputs of `covariate_shift`.

    Parameters
    ----------
    alpha : float
        As in `covariate_shift`.
    u : array-like, shape (n,)
        Levels in (0, 1).

    Returns
    -------
    ndarray, shape (n,)
        In [−1, 1].
    """
    return truncnorm.ppf(u, 4 * (-1 - alpha), 4 * (1 - alpha), loc=alpha, scale=0.25)


def temperature_simulation(n=500, *, n_classes=5, concentration=0.04, temperature=0.3, rng=None):
    """Gruber & Bach §5.1: truth q ~ Dir(.04), labels from q, predictions softmax(temperature · log q).

    Parameters
    ----------
    n : int
        Rows to draw.
    n_classes : int
        How many classes there are.
    concentration : float > 0
        Of the Dirichlet distribution.
    temperature : float
        Below 1 the predictions are less sure than the truth, above 1 more.
    rng : int, Generator or None
        Source of the draws.

    Returns
    -------
    y_true : ndarray of int, shape (n,)
        Labels.
    y_prob : ndarray, shape (n, n_classes)
        Over- or under-confident versions of the truth.
    truth : ndarray, shape (n, n_classes)
        The label law q of each row, so that the error Σ‖p − q‖²/n is known.
    """
    rng = np.random.default_rng(rng)
    # The log of a Dirichlet this spiky underflows, so it is drawn as log-gammas: log G(a) = log G(a+1) + log(U)/a.
    shape = (n, n_classes)
    log_q = np.log(rng.gamma(concentration + 1, size=shape)) + np.log(rng.random(shape)) / concentration
    truth, y_prob = softmax(log_q, axis=1), softmax(temperature * log_q, axis=1)
    return _draw_labels(truth, rng), y_prob, truth


def _draw_labels(truth, rng):
    """One label per row of `truth` by inverting its cumulative sums."""
    below = rng.random((len(truth), 1)) > np.cumsum(truth, axis=1)
    return np.minimum(below.sum(axis=1), truth.shape[1] - 1)
