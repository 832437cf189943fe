"""Post-hoc recalibration: maps of the predicted probability, learned from held-out labels and predictions.

Such a map sees nothing but the prediction. It can make a model calibrated, not locally calibrated: where two groups
with the same prediction differ in frequency, they still do afterwards (Vashistha & Farahi, Figure 4).
"""

import warnings
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit, logit, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from ..door.inputs import InputError, check_number
from ..door.predictions import check_predictions
from ..door.probabilities import in_slices, two_columns
from .base import ScoreMap

CLIP = float(np.finfo(float).eps)  # 2⁻⁵²: next to 1 no float lies much nearer
TEMPERATURES = (0.01, 100.0)
NEAR, CLOSE = 1e-3, 1e-6  # last steps, as shares of 1/T, in single precision and in double: their squares are left
FEW_ROWS = 4096  # evenly spread, tell where to begin
CRAWL = 0.9  # a step of more than this share of the one before it is not Newton's on the way to an optimum
# A label that was given less than this over d counts as a surprise: does the temperature hang on those? Raised to it,
# smaller probabilities of a row add at most .002 to its sum, in 1,000 classes too, where 1/d is itself .001.
NEARLY_ZERO = 2e-3
DECIDED = 1.5


class PlattScaling(ScoreMap):
    r"""Platt's sigmoid: p ↦ 1/(1 + exp(−(a s + b))) with s = log(p/(1 − p)).

    a and b minimise the log loss against Platt's targets, (n₁ + 1)/(n₁ + 2) for a label 1 and 1/(n₀ + 2) for a
    label 0 (n₁ and n₀ labels of each kind): so the optimum is finite even when the scores separate the labels. This is
    scikit-learn's `LogisticRegression` without penalty, each row once as 1 and once as 0, weighted by its target; its
    `CalibratedClassifierCV(method="sigmoid")` has the same targets. The identity is among the maps (a = 1, b = 0).

    (n, d): a map a class, against the rest, and rows divided by their sum (`predict_proba`); of two columns the second
    is mapped, the first is what is left.

    Parameters
    ----------
    clip : float in (0, 0.5)
        Probabilities nearer than this to 0 or 1 are moved there; see `TemperatureScaling`.

    Attributes
    ----------
    slope, intercept : float, or list of d floats
        a and b, for d > 2 classes of each. The map falls if a < 0: then the model ranks the wrong way round.
    maps : list of d PlattScaling, or None
        For d > 2: the map of each class.

    Raises
    ------
    InputError
        For a clip out of range, or when all predictions, or all of a column, are equal (a is undetermined).

    Notes
    -----
    Platt (1999); Guo et al. (2017) for the logit; Zadrozny & Elkan (2002) for one against the rest. n₁ and n₀ are sums
    of weights where there are any.

    Examples
    --------
    >>> from calibtutor import PlattScaling
    >>> y_true, y_prob = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.8, 0.9]
    >>> PlattScaling().fit(y_true, y_prob).predict_proba([0.1, 0.9]).round(3)
    array([0.243, 0.774])
    """

    _learned = ("slope", "intercept")

    def __init__(self, *, clip=CLIP):
        self.clip = clip

    def _learn(self, y_true, y_prob, weight):
        check_number(self.clip, "clip", above=0, below=0.5)
        s = self._scores(y_prob)
        centre, spread = s.mean(), s.std()
        if min(np.ptp(s), spread) == 0:
            raise InputError("y_prob", "at least two different predictions", found=f"only such as {y_prob[0]:g}",
                             hint="IsotonicCalibration and BBQ take such a column")
        times = np.ones(len(s)) if weight is None else weight
        target = platt_targets(y_true, times)
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12)
        shares = np.concatenate([times * target, times * (1 - target)])
        with warnings.catch_warnings():
            # Where the search begins at the optimum (scores that say nothing), rounding alone stops its first step.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(np.tile((s - centre) / spread, 2)[:, None], np.repeat([1, 0], len(s)), sample_weight=shares)
        self.slope = float(model.coef_[0, 0] / spread)
        self.intercept = float(model.intercept_[0] - self.slope * centre)

    def _apply(self, y_prob):
        return expit(self.slope * self._scores(y_prob) + self.intercept)

    def _scores(self, y_prob):
        return logit(np.clip(y_prob, self.clip, 1 - self.clip))


def platt_targets(y_true, times):
    """Chances of a 1 that a map is fitted to: never 0 or 1, so that its optimum is finite."""
    hits = times @ y_true
    return np.where(y_true == 1, (hits + 1) / (hits + 2), 1 / (times.sum() - hits + 2))


class TemperatureScaling(ScoreMap):
    r"""One temperature for all classes: p_k ↦ p_k^{1/T} / Σ_l p_l^{1/T}, that is softmax(log(p)/T).

    T > 1 makes a model less confident, T < 1 more; the order of the classes stays. T minimises the mean log loss of
    the held-out labels, which is convex in 1/T, over [0.01, 100], by Newton's method on its derivative. Works on
    (n, d), and on (n,) as the two classes (1 − p, p). Everything happens in logs, and in slices of rows.

    Parameters
    ----------
    clip : float in (0, 0.5), optional
        Smaller probabilities, zeros among them, are raised to this: the log loss of a label that was given 0 is
        infinite at every T. The default, 2⁻⁵² ≈ 2e-16, takes a 0 at its word, and a few labels that were given 0 can
        then decide about T: see "Warns". When 0 means "none of 100 trees", 0.005 is nearer to what the model knows.
        A clip that you give, 2⁻⁵² too, is your word: no warning.

    Attributes
    ----------
    temperature : float
        T.

    Raises
    ------
    InputError
        For a clip out of range, or when every prediction is uniform: then every temperature gives the same.

    Warns
    -----
    UserWarning
        When T is an end of the range: the loss falls towards T = 0 when every label has the largest probability, and
        towards uniform predictions, T = ∞, when confidence says nothing about the labels.
    UserWarning
        When the surprises decide, and a clip helps: some labels were given less than .002/d, d the number of classes,
        and with ``clip=0.002/d`` the log loss is smaller and T by a factor of 1.5 or more another, as of forests, which
        give 0 to what none of their trees voted for.

    Notes
    -----
    Guo et al. (2017). What comes in is read as probabilities, whatever rows stand beside it. (Version 1.9.1 of
    scikit-learn reads probabilities in half precision as logits, batch by batch: findings/temperature_by_batch.sh.)

    Examples
    --------
    >>> from calibtutor import TemperatureScaling
    >>> y_true, y_prob = [0, 1, 2, 0], [[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.8, 0.1, 0.1], [0.6, 0.3, 0.1]]
    >>> scaling = TemperatureScaling(clip=0.01).fit(y_true, y_prob)
    >>> print(f"{scaling.temperature:.2f}", scaling.predict_proba(y_prob)[2].round(2))
    1.30 [0.71 0.14 0.14]
    """

    _learned = ("temperature",)
    _takes = "rows"
    _as_given = True

    def __init__(self, *, clip=None):
        self.clip = clip

    def fit_parts(self, parts, *, n_jobs=None):
        """Learn one temperature from data that come in parts: files, machines, or more rows than memory holds.

        Parameters
        ----------
        parts : sequence of (y_true, y_prob) or of callables that return such a pair
            Each as in `fit`. A callable is called in each of about six passes, and what it returned is dropped.
        n_jobs : int, optional
            Parts read at once; the backend of `joblib.parallel_config` may be "dask".

        Returns
        -------
        self
            Itself, fitted: the T of `fit` on all rows, to rounding; the same to the last bit whatever `n_jobs`.

        Raises
        ------
        InputError
            For no parts, a part that `as_predictions` rejects (its number is named), parts of different width, or what
            the class says.
        """
        parts = list(parts)
        if not parts:
            raise InputError("parts", "at least one part", found="none")
        self._columns = self.maps = None

        def total(*how):
            call = delayed(_sums_of_part)
            found = Parallel(n_jobs=n_jobs, prefer="threads")(call(*part, *how) for part in enumerate(parts))
            self._n_columns = found[0][0]
            for number, (width, _) in enumerate(found):
                if width != self._n_columns:
                    raise InputError(f"parts[{number}]", f"{self._n_columns} columns as in parts[0]", found=width)
            return sum(sums for _, sums in found)

        self._settle(total, stacklevel=3)
        return self

    def _learn(self, y_true, y_prob, weight):
        rows = slice(None, None, len(y_true) // FEW_ROWS or 1)
        few = partial(_sums, y_true[rows], y_prob[rows], None if weight is None else weight[rows])
        self._settle(partial(_sums, y_true, y_prob, weight), few if rows.step > 1 else None, stacklevel=5)

    def _settle(self, total, few=None, *, stacklevel):
        """Set the temperature and warn of doubts; `total` are the `_sums` of all rows, `few` to begin with."""
        clip = CLIP if self.clip is None else check_number(self.clip, "clip", above=0, below=0.5)
        start = 1.0 if few is None else _lowest(partial(few, clip), 1.0)[0]
        best, (loss, _, _, n, surprised, uneven) = _lowest(partial(total, clip), start)
        if not uneven:
            raise InputError("y_prob", "some prediction that is not uniform", hint="no temperature changes these")
        self.temperature = 1 / best
        if self.temperature in TEMPERATURES:
            warnings.warn(f"temperature: the best one lies at or beyond {self.temperature:g}", stacklevel=stacklevel)
        least = NEARLY_ZERO / self._n_columns
        slope = lambda b: total(least, np.float32, b)[1]  # of a convex loss: says on which side the best T is
        if self.clip is None and surprised and (slope(best / DECIDED) > 0 or slope(best * DECIDED) < 0):
            other, (better, *_) = _lowest(partial(total, least), best)
            if max(other / best, best / other) > DECIDED and better < loss:
                doubt = (f"temperature: {surprised:.0f} of {n:.0f} labels were given a probability below {least:.3g}, "
                         f"and they decide: T = {self.temperature:.3g}, with clip={least:.3g} it is {1 / other:.3g}; "
                         "give clip= the smallest probability that the model can mean")
                warnings.warn(doubt, stacklevel=stacklevel)

    def _apply(self, y_prob):
        scaled = np.empty(y_prob.shape)
        for rows, part in in_slices(y_prob):
            each = softmax(logs_of(part, self.clip) / self.temperature, axis=1)
            scaled[rows] = each[:, 1] if part.ndim == 1 else each
        return scaled


def logs_of(y_prob, clip):
    """log p, shape (n, d), without −inf."""
    return np.log(np.maximum(two_columns(y_prob), CLIP if clip is None else clip))


def _sums(y_true, y_prob, weight, clip, kind, b):
    """Sums over rows at 1/T = b: log loss, first and second derivative, rows, surprises, rows that are not uniform."""
    sums, d = np.zeros(6), 2 if y_prob.ndim == 1 else y_prob.shape[1]
    for rows, part in in_slices(y_prob, kind):
        z = logs_of(part, max(clip, float(np.finfo(kind).tiny)))
        said, top = z[np.arange(len(z)), y_true[rows]], z.max(axis=1)
        surprised = (said < np.log(NEARLY_ZERO / d)).sum()
        z -= top[:, None]
        said -= top
        share = np.exp(b * z)
        total = share.sum(axis=1)
        mean, square = ((share[:, None] @ each[..., None]).ravel() / total for each in (z, z * z))
        found = np.array([np.log(total) - b * said, mean - said, square - mean**2], dtype=float)
        found = found if weight is None else found * weight[rows]
        sums += [*found.sum(axis=1), len(z), surprised, (z.min(axis=1) < 0).sum()]
    return sums


def _sums_of_part(number, part, *how):
    """The number of columns, and `_sums`."""
    part = part() if callable(part) else part
    if not (isinstance(part, tuple | list) and len(part) == 2):
        raise InputError(f"parts[{number}]", "(y_true, y_prob)", found=type(part).__name__)
    try:
        y_true, y_prob = check_predictions(*part, as_given=True)
    except InputError as error:
        raise error.of(f"parts[{number}], {error.argument}") from None
    return 2 if y_prob.ndim == 1 else y_prob.shape[1], _sums(y_true, y_prob, None, *how)


def _lowest(sums, b):
    """Where a loss that is convex in b = 1/T is lowest between the ends, and the sums there.

    By Newton's method (where the loss rises, in log b) in single precision and then in double. Where a step leaves the
    bracket or is no shorter than the last, as along an exponential tail, an end not tried yet is next, or the middle.
    """
    for kind, close in ((np.float32, NEAR), (np.float64, CLOSE)):
        low, high = ends = [1 / each for each in TEMPERATURES[::-1]]
        untried, before = set(ends), np.inf
        while True:
            found = _, slope, bend, *_ = sums(kind, b)
            untried.discard(b)
            low, high = (b, high) if slope <= 0 else (low, b)
            share = slope / (b * bend + max(slope, 0)) if max(slope, bend) > 0 else -np.inf
            step = b * (np.expm1(-share) if share > 0 else -share)
            slow, end = abs(step) > CRAWL * before, high if step > 0 else low
            if high <= low * (1 + close**2):
                break
            b, before = float(np.clip(b + step, *ends)), abs(step)
            if before <= close * b and not slow:
                break
            if slow or not low < b < high:
                b = end if end in untried else float(np.sqrt(low * high))
    return b, found


class IsotonicCalibration(ScoreMap):
    """The rising map of least squared error: scikit-learn's `IsotonicRegression`, in [0, 1].

    Between the scores seen it is linear; beyond them it stays at the last value ("clip"). (n, d) as `PlattScaling`.

    Attributes
    ----------
    thresholds, frequencies : ndarray, shape (k,), or list of d of them
        Corners of the map: scores and their values; for d > 2 classes of each.
    maps : list of d IsotonicCalibration, or None
        For d > 2: the map of each class.

    Notes
    -----
    Zadrozny & Elkan (2002). It is free to follow noise: with few labels it fits them better than new ones.

    Examples
    --------
    >>> from calibtutor import IsotonicCalibration
    >>> y_true, y_prob = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.8, 0.9]
    >>> IsotonicCalibration().fit(y_true, y_prob).predict_proba([0.1, 0.4, 0.9])
    array([0. , 0.5, 1. ])
    """

    _learned = ("thresholds", "frequencies")

    def _learn(self, y_true, y_prob, weight):
        self._model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(y_prob, y_true, weight)
        self.thresholds, self.frequencies = self._model.X_thresholds_, self._model.y_thresholds_

    def _apply(self, y_prob):
        return self._model.predict(y_prob)
