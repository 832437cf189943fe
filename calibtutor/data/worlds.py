"""Populations whose truth is known, so that an estimate can be compared with what it estimates.

`FiniteWorld` has finitely many kinds of input: every expectation is an exact sum. `CurveWorld` is a binary
model on [0, 1] with a known frequency curve. `widmann_model`, `covariate_shift` and `temperature_simulation` draw the
papers' data. `clustered`, `hidden_feature` and `group_shift`, where local calibration is known to hold or to fail
(Vashistha & Farahi), give features (n, m) besides. Everywhere n is how many rows are drawn, and `rng` (int, Generator
or None) their source; labels are integers of shape (n,), predictions of shape (n, d), or (n,) where they are P(Y = 1).
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit, logsumexp, softmax
from scipy.stats import truncnorm

from ..door.inputs import InputError, check_choice, check_count, check_number, check_rng
from ..door.probabilities import check_probabilities


@dataclass(frozen=True, eq=False)
class FiniteWorld:
    """A population with m kinds of input; kind a has probability w_a, prediction p_a and label law q_a.

    Several kinds may share a prediction; what happens *given the prediction* is then their average.

    Parameters
    ----------
    weights : array-like, shape (m,)
        P(kind); positive, summing to 1.
    predictions, conditionals : array-like, shape (m, d)
        f(x) and P(Y | kind) for each kind, on the simplex.

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

        As many rows as kinds. Rows are equal when they agree to 1e-12, so that sums like .1 + .2 meet .3.
        """
        key = np.round(np.reshape(key, (len(self.weights), -1)), 12)
        group = np.unique(key, axis=0, return_inverse=True)[1].ravel()
        mass = np.bincount(group, self.weights)
        columns = np.reshape(values, (len(group), -1))
        means = np.column_stack([np.bincount(group, self.weights * c) / mass for c in columns.T])
        return means[group].reshape(np.shape(values))

    def expectation(self, value):
        """Σ_a Σ_k w_a q_ak value(p_a, e_k); `value` maps (..., d) predictions and one-hot labels to (...)."""
        p = np.repeat(self.predictions[:, None], self.n_classes, axis=1)
        e = np.broadcast_to(np.eye(self.n_classes), p.shape)
        return float((self.weights[:, None] * self.conditionals * value(p, e)).sum())

    def samples(self, n):
        """Every possible data set of n kinds and labels: probabilities (s,), kinds (s, n), labels (s, n).

        s = (m·d)^n grows fast: for exact statements about estimators in tiny worlds. More than 10⁶ is an `InputError`.
        """
        m, d = self.predictions.shape
        if (m * d) ** n > 10**6:
            raise InputError("n", "(m·d)^n <= 10^6 data sets", found=f"({m}·{d})^{n}")
        draws = np.array(list(product(range(m * d), repeat=n)))
        mass = (self.weights[:, None] * self.conditionals).ravel()
        return mass[draws].prod(axis=1), draws // d, draws % d

    def sample(self, n, rng=None):
        """Draw n labels and predictions: (y_true (n,), y_prob (n, d))."""
        rng = check_rng(rng)
        kind = rng.choice(len(self.weights), size=n, p=self.weights)
        return _draw_labels(self.conditionals[kind], rng), self.predictions[kind]


def random_world(rng=None, *, n_kinds=6, n_classes=3, shared=True):
    """A random `FiniteWorld`; with `shared`, its first two kinds have the same prediction.

    Predictions and label laws are from Dir(1, …, 1), weights from Dir(3, …, 3).
    """
    rng = check_rng(rng)
    predictions = rng.dirichlet(np.ones(n_classes), n_kinds)
    if shared and n_kinds > 1:
        predictions[1] = predictions[0]
    return FiniteWorld(rng.dirichlet(3 * np.ones(n_kinds)), predictions, rng.dirichlet(np.ones(n_classes), n_kinds))


@dataclass(frozen=True)
class CurveWorld:
    """A binary model with score p = quantile(U), U uniform, and P(Y = 1 | p) = curve(p), both known.

    Expectations are midpoint sums over `RESOLUTION` equally likely scores; by default they are uniform on [0, 1].
    """

    curve: callable
    quantile: callable = staticmethod(lambda u: u)
    RESOLUTION = 40_000

    def scores(self):
        """Equally likely scores that stand for the population: the quantiles of (i + ½)/RESOLUTION."""
        return self.quantile((np.arange(self.RESOLUTION) + 0.5) / self.RESOLUTION)

    def calibration_error(self):
        """E|p − r(p)|, the error that no bin has touched."""
        p = self.scores()
        return float(np.abs(p - self.curve(p)).mean())

    def sample(self, n, rng=None):
        """Draw n labels and scores: (y_true (n,), y_prob (n,))."""
        rng = check_rng(rng)
        p = self.quantile(rng.random(n))
        return (rng.random(n) < self.curve(p)).astype(np.int64), p


def wave_world(waves, amplitude=0.04):
    """Uniform scores with r(p) = p + amplitude·sin(2π·waves·p), clipped to [0, 1].

    Its error is 2·amplitude/π (.0255 for .04) where nothing is clipped, yet bins as wide as a wave see none.
    """
    return CurveWorld(lambda p: np.clip(p + amplitude * np.sin(2 * np.pi * waves * p), 0, 1))


def widmann_model(name, n, *, n_classes=10, rng=None):
    """The poster's data: predictions from Dir(0.1, …, 0.1), labels from model M1, M2 or M3.

    Labels from Cat(p) (calibrated); ½ Cat(p) + ½ class 0; uniform. Another name is an `InputError`.

    Returns
    -------
    y_true : ndarray of int, shape (n,)
        Labels.
    y_prob : ndarray, shape (n, n_classes)
        Predictions.
    """
    check_choice(name, "name", ("M1", "M2", "M3"))
    strength, towards = {"M1": (0, "M2"), "M2": (0.5, "M2"), "M3": (1, "M3")}[name]
    return mixed_widmann_model(strength, n, towards=towards, n_classes=n_classes, rng=rng)


def mixed_widmann_model(strength, n, *, towards="M3", n_classes=10, rng=None):
    """Between calibrated and not: labels from (1 − strength) Cat(p) + strength × what M2 or M3 adds.

    Strength 0 is M1. Towards M2 ½ is M2 itself, towards M3 1 is M3: the poster's models lie on these two lines. A
    strength outside [0, 1] or another direction is an `InputError`. Returns what `widmann_model` does.
    """
    check_number(strength, "strength", 0, 1)
    check_choice(towards, "towards", ("M2", "M3"))
    rng = check_rng(rng)
    p = rng.dirichlet(np.full(n_classes, 0.1), n)
    other = np.eye(n_classes)[0] if towards == "M2" else np.full(n_classes, 1 / n_classes)
    return _draw_labels((1 - strength) * p + strength * other, rng), p


def calibrated_model(name, n, *, n_classes=3, rng=None):
    """Calibrated by construction, Y ~ Cat(p), with predictions that are hard on a test's approximations.

    "heteroscedastic": one prediction in five close to uniform, so close that a kernel sees one crowd, and the others
    confident and scattered. "near-deterministic": all predictions within .02 of a corner, so that hardly any label
    surprises. Another name is an `InputError`. Returns what `widmann_model` does.
    """
    check_choice(name, "name", ("heteroscedastic", "near-deterministic"))
    rng = check_rng(rng)
    corner = np.eye(n_classes)[rng.integers(n_classes, size=n)]
    doubt = rng.dirichlet(np.ones(n_classes), n)
    if name == "near-deterministic":
        p = corner + 0.02 * rng.random((n, 1)) * (doubt - corner)
    else:
        crowd = np.full(n_classes, 1 / n_classes) + 0.01 * (doubt - 1 / n_classes)
        p = np.where(rng.random((n, 1)) < 0.2, crowd, corner + 0.3 * rng.random((n, 1)) * (doubt - corner))
    return _draw_labels(p, rng), p


def tempered_model(n, n_classes, *, temperature=1.0, rng=None):
    """A model of so many classes that is `temperature` times too sure; only the number of its rivals grows with it.

    One class's odds against all others are e^b, b ~ N(1.5, 1.5²), whatever the number of classes; the others' logits
    have standard deviation 4. Predictions are softmax(z), labels from softmax(z/T): at 1 calibrated. Returns what
    `widmann_model` does.
    """
    check_number(temperature, "temperature", above=0)
    rng = check_rng(rng)
    z = 4 * rng.standard_normal((n, n_classes))
    row, sure = np.arange(n), rng.integers(n_classes, size=n)
    z[row, sure] = -np.inf
    z[row, sure] = logsumexp(z, axis=1) + 1.5 + 1.5 * rng.standard_normal(n)
    return _draw_labels(softmax(z / temperature, axis=1), rng), softmax(z, axis=1)


def covariate_shift(alpha, n=1000, rng=None):
    """Moskvichev & Sejdinovic §5.2: labels (n,) and predictions (n, 2), both changed by nothing but P(X).

    x ~ N(α, .25²) truncated to [−1, 1], P(Y = 1 | x) = σ(x), and the model says σ(5x).
    """
    rng = check_rng(rng)
    x = shifted_inputs(alpha, rng.random(n))
    p = expit(5 * x)
    return (rng.random(n) < expit(x)).astype(np.int64), np.column_stack([1 - p, p])


def shifted_inputs(alpha, u):
    """Quantiles, in [−1, 1], of the inputs of `covariate_shift` at levels u (n,) in (0, 1)."""
    return truncnorm.ppf(u, 4 * (-1 - alpha), 4 * (1 - alpha), loc=alpha, scale=0.25)


def temperature_simulation(n, rng=None):
    """Gruber & Bach §5.1: truth q ~ Dir(.04, …, .04), labels from q, predictions softmax(.3 · log q), less sure.

    Returns labels (n,), predictions (n, 5) and the truth (n, 5), so that the error Σ‖p − q‖²/n is known.
    """
    rng, concentration = check_rng(rng), 0.04
    # The log of a Dirichlet this spiky underflows, so it is drawn as log-gammas: log G(a) = log G(a+1) + log(U)/a.
    log_q = np.log(rng.gamma(concentration + 1, size=(n, 5))) + np.log(rng.random((n, 5))) / concentration
    truth = softmax(log_q, axis=1)
    return _draw_labels(truth, rng), softmax(0.3 * log_q, axis=1), truth


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


def _draw_labels(truth, rng):
    """One label per row of `truth` by inverting its cumulative sums."""
    below = rng.random((len(truth), 1)) > np.cumsum(truth, axis=1)
    return np.minimum(below.sum(axis=1), truth.shape[1] - 1)
