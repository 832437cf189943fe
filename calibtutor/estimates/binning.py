"""Binned calibration errors: reliability curves, ECE in three norms, debiasing and consistency bands.

Bins are right-closed, (a, b], and the first one holds 0, as in Guo et al. (2017). A score that is an edge but for its
rounding is on it, or .3 would fall into one bin as a float64 and into another as a float32, as 1 − .7 or as .1 + .2.
"""

from dataclasses import dataclass

import numpy as np

from ..door.arrays import check_weights
from ..door.inputs import InputError, check_choice, check_count, check_number, check_rng, same_rows
from ..door.predictions import binary_pair, check_predictions
from ..door.probabilities import check_probabilities, in_slices
from ..door.results import Result
from ..progress import progress_bar

STRATEGIES = ("uniform", "quantile")
# How far two numbers may be apart that stand for one, as a number and as a share of it, by the type in which they, or 1
# minus them, can be written. 1 − p and 3p/3 are rounded as numbers near 1 are, but rare events are not all one.
HALF, SINGLE, DOUBLE = (2.0**-10, 0.05), (2.0**-22, 1e-3), (2.0**-42, 1e-3)
MOSTLY = 0.5  # of the rows: float64 can be written as float16 by chance in one of 2⁴²
EXACT = 2.0**10  # k/1024 are exact in every type: shares of 512 trees are meant as they stand
NEARLY_ALL = 0.99  # of the rows in one bin: its dot says no more than two means
CELLS_ABOVE = 10**5  # rows: labels are redrawn a cell at a time


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Result):
    """What happened against what was promised, bin by bin.

    Attributes
    ----------
    edges : ndarray, shape (b + 1,)
        Bin edges from 0 to 1; bin m is (edges[m], edges[m + 1]], and bin 0 holds 0 too (equal-mass bins may begin
        with 0, 0: a bin of zeros alone).
    count : ndarray of int, shape (b,)
        Predictions in each bin.
    confidence : ndarray, shape (b,)
        Mean predicted probability in each bin, NaN where it is empty.
    frequency : ndarray, shape (b,)
        Observed frequency of the event in each bin, NaN where it is empty.
    weight : ndarray, shape (b,), or None
        Sum of the weights of the rows in each bin; None without weights.
    """

    edges: np.ndarray
    count: np.ndarray
    confidence: np.ndarray
    frequency: np.ndarray
    weight: np.ndarray | None = None

    @property
    def gap(self):
        """The miss, confidence − frequency: positive where the model is over-confident."""
        return self.confidence - self.frequency


@same_rows
def reliability_curve(y_true, y_prob, *, n_bins=15, strategy="uniform", weights=None):
    """Mean confidence and observed frequency in each bin (Gruber & Bach, eq. 10; max for argmax: errata G19).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n, d) is reduced to the top label; (n,) is P(Y = 1).
    n_bins : int, default 15
        Number of bins; "quantile" merges bins that ties make empty.
    strategy : {"uniform", "quantile"}
        Equal width, or equal mass.
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows: confidence and frequency are then weighted means.

    Returns
    -------
    ReliabilityCurve
        A number for each bin.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, n_bins < 1, an unknown strategy, or weights that are negative.

    Notes
    -----
    A score within its type's rounding of an edge is on it: of float64 2⁻⁴², of float32 2⁻²², of float16 2⁻¹⁰, and never
    more than a quarter of the next bin. A score's type is that in which it, or 1 minus it, can be written, whatever the
    other rows hold; float16 only where most scores are (k/1024, which all types hold, are none).

    Examples
    --------
    >>> from calibtutor import reliability_curve
    >>> y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    >>> curve = reliability_curve(y_true, y_prob, n_bins=2)
    >>> curve.count, curve.confidence.round(3), curve.frequency.round(3)
    (array([3, 3]), array([0.267, 0.767]), array([0.333, 1.   ]))
    """
    hit, score = binary_pair(y_true, y_prob)
    weights, edges = check_weights(weights, len(hit)), _bin_edges(score, n_bins, strategy)
    count, total, *means = _bin_means(hit, score, edges, weights)
    return ReliabilityCurve(edges, count, *means, None if weights is None else total)


@same_rows
def expected_calibration_error(y_true, y_prob, *, n_bins=15, strategy="uniform", norm=1, debias=False, weights=None):
    r"""Binned calibration error, (Σ_m (n_m/n) |conf_m − acc_m|^q)^{1/q}, or the largest gap.

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy : array-like, int, str
        As in `reliability_curve`.
    norm : {1, 2, "max"}
        The q above; "max" is the largest gap over non-empty bins.
    debias : bool, default False
        With norm=2 only: subtract acc_m(1 − acc_m)/(n_m − 1) from each squared gap (Kumar et al. 2019),
        bins of one prediction counting 0. The corrected square can be negative; then the result is the
        *negative* root −√|·|, so that the sign shows that noise outweighed the error.
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows: n_m/n, conf_m and acc_m are then weighted shares and means. Bins of equal mass hold equally many
        rows all the same.

    Returns
    -------
    float
        In [0, 1] without `debias`.

    Raises
    ------
    InputError
        As in `reliability_curve`; for an unknown norm, debias with a norm other than 2 or with weights.

    Notes
    -----
    The default is what the literature prints. To estimate the size of an error, equal mass with 5 bins up to 500 rows
    and with 10 for 1,000 to 5,000 serves better: in the worlds of notebook 02, section 5, its root mean squared
    distance from the truth (norm 1) is at most twice that of the best of 26 binnings; by default it can be more than
    three times that. An error far below the ECEs of `resampled_errors` is lost in the noise.

    Examples
    --------
    >>> from calibtutor import brier_score, expected_calibration_error, maximum_calibration_error
    >>> y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    >>> errors = [error(y_true, y_prob, n_bins=5) for error in (expected_calibration_error, maximum_calibration_error)]
    >>> print(*(f"{error:.3f}" for error in errors), f"and {brier_score(y_true, y_prob):.3f}")
    0.183 0.400 and 0.112
    """
    curve = reliability_curve(y_true, y_prob, n_bins=n_bins, strategy=strategy, weights=weights)
    mass = curve.count if weights is None else curve.weight
    return float(_error_of_bins(mass, curve.confidence, curve.frequency, norm, debias, weights))


@same_rows
def maximum_calibration_error(y_true, y_prob, *, n_bins=15, strategy="uniform", weights=None):
    """Largest gap |conf_m − acc_m| over the non-empty bins: `expected_calibration_error` with norm="max".

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, weights : array-like, int, str, array-like
        As in `expected_calibration_error`, with its errors.

    Returns
    -------
    float
        In [0, 1]. Example: `expected_calibration_error`.
    """
    return expected_calibration_error(y_true, y_prob, n_bins=n_bins, strategy=strategy, norm="max", weights=weights)


@same_rows
def brier_score(y_true, y_prob, *, weights=None):
    """Mean squared residual, n⁻¹ Σ_i ‖p_i − e_{y_i}‖² (vector input: n⁻¹ Σ_i (p_i − y_i)²).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        Labels and predictions, as in `as_predictions`, with its errors.
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows, refused where negative; the mean is then Σ_i w_i ‖p_i − e_{y_i}‖²/Σ_i w_i.

    Returns
    -------
    float
        In [0, 2] for (n, d) and [0, 1] for (n,): two columns give twice the scalar value (errata G21).
        Example: `expected_calibration_error`.
    """
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    weights, total = check_weights(weights, len(y_true)), 0.0
    for rows, part in in_slices(y_prob):
        labels = y_true[rows] if part.ndim == 1 else y_true[rows, None] == np.arange(part.shape[1])
        square = ((part - labels) ** 2).T
        total += square.sum() if weights is None else (square @ weights[rows]).sum()
    return float(total / (len(y_true) if weights is None else weights.sum()))


@same_rows
def consistency_band(y_prob, *, n_bins=15, edges=None, level=0.9, simultaneous=False, n_resamples=1000, weights=None,
                     rng=None, progress=False):
    """Where the observed frequencies would fall if the model were calibrated (Bröcker & Smith 2007).

    Labels are redrawn from the predictions, which stay as they are. Pointwise, the band holds the central `level`
    share of the redrawn frequencies in each bin: *each* point of a calibrated model is inside with at least about that
    probability. That at least one of 15 is outside then happens often, at level .9 to 69 % of calibrated data sets of
    1,000 uniform predictions and to 78 % of those of 10,000. Simultaneous, *all* points of a calibrated model are
    inside with probability at least `level`, whatever `n_resamples`: the band is conf_m ± c s_m, with
    s_m² = Σ p_i(1 − p_i)/n_m² over bin m, and c is the ⌈level (n_resamples + 1)⌉-th smallest of the redrawn
    max_m |freq_m − conf_m|/s_m.

    Parameters
    ----------
    y_prob : array-like of float, shape (n, d) or (n,)
        (n, d) is reduced to the confidence.
    n_bins : int, default 15
        Equal-width bins, unless `edges` is given.
    edges : array-like, shape (b + 1,), optional
        Bin edges rising from 0 to 1 (the first two may both be 0), such as those of a
        `ReliabilityCurve` of any strategy.
    level : float in (0, 1), default 0.9
        Of the frequencies, or of the data sets, that the band holds.
    simultaneous : bool, default False
        Whether the band holds all points at once, or each by itself.
    n_resamples : int >= 1, default 1000
        Simultaneous: at least level/(1 − level).
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows; then s_m² = Σ w_i² p_i(1 − p_i)/(Σ w_i)². A row is one draw, whatever its weight.
    rng : int, Generator or None
        Draws the labels; of more than 100,000 rows of one weight how many of a bin's are 1, which has the same law.
    progress : bool
        Show a progress bar.

    Returns
    -------
    low, high : ndarray, shape (b,)
        NaN in empty bins.

    Raises
    ------
    InputError
        For predictions that `as_predictions` rejects, or edges, level or n_resamples out of range.

    Examples
    --------
    >>> from calibtutor import consistency_band, resampled_errors
    >>> y_prob = [0.1, 0.4, 0.8, 0.3, 0.9, 0.6] * 20
    >>> low, high = consistency_band(y_prob, n_bins=2, rng=0)
    >>> low.round(2), high.round(2)
    (array([0.18, 0.68]), array([0.37, 0.85]))
    >>> print(f"{resampled_errors(y_prob, n_bins=5, rng=0).mean():.3f} is the mean ECE of a calibrated model")
    0.063 is the mean ECE of a calibrated model
    """
    check_number(level, "level", above=0, below=1)
    _, confidence, spread, frequency = _resampled_bins(y_prob, n_bins, n_resamples, rng, weights, edges, progress)
    if not simultaneous:
        tail = (1 - level) / 2
        return tuple(np.quantile(frequency, [tail, 1 - tail], axis=0))
    rank = int(np.ceil(level * (n_resamples + 1) * (1 - 1e-12)))  # .9 · 10 is 9
    if rank > n_resamples:
        raise InputError("n_resamples", f"at least {level / (1 - level):.4g} for level {level}", found=n_resamples)
    uncertain = spread > 0
    deviation = np.abs(frequency - confidence)[:, uncertain] / spread[uncertain]
    reach = np.sort(deviation.max(axis=1, initial=0))[rank - 1] * (1 + 1e-9)  # a point on the border is inside
    return np.maximum(confidence - reach * spread, 0), np.minimum(confidence + reach * spread, 1)


@same_rows
def resampled_errors(y_prob, *, n_bins=15, norm=1, debias=False, n_resamples=1000, weights=None, rng=None,
                     progress=False):
    """Calibration errors that these predictions would give if they were calibrated.

    Labels are redrawn from the predictions `n_resamples` times and the binned error (equal width) is taken
    each time: its distribution under "the model is calibrated". Example: `consistency_band`.

    Parameters
    ----------
    y_prob, n_bins, norm, debias : array-like, int, {1, 2, "max"}, bool
        As in `expected_calibration_error`, with its errors.
    n_resamples, weights, rng, progress : int, array-like, Generator or None, bool
        As in `consistency_band`, with its errors.

    Returns
    -------
    ndarray, shape (n_resamples,)
        One for each redrawn data set.
    """
    total, confidence, _, frequency = _resampled_bins(y_prob, n_bins, n_resamples, rng, weights, progress=progress)
    return _error_of_bins(total, confidence, frequency, norm, debias, weights)


def _bin_edges(score, n_bins, strategy):
    check_count(n_bins, "n_bins")
    check_choice(strategy, "strategy", STRATEGIES)
    if strategy == "quantile":
        return equal_mass_edges(np.sort(score), n_bins)
    return np.arange(n_bins + 1) / n_bins  # linspace rounds some edges below m/b


def equal_mass_edges(sorted_score, n_bins):
    """Inner edges at data points, so that right-closed bins hold n/n_bins each; ties are never split."""
    n = len(sorted_score)
    inner = np.unique(sorted_score[np.ceil(np.arange(1.0, n_bins) * n / n_bins).astype(int) - 1]).astype(float)
    inner = inner[_is_last(inner, 1.0)]
    return np.concatenate([[0.0], inner, [1.0]])  # a second 0: a bin of zeros alone


def tied(score):
    """Distinct scores, rising, and the place of each score; those that are equal but for rounding are one."""
    values, place = np.unique(np.asarray(score, dtype=float), return_inverse=True)
    last = _is_last(values, np.inf)
    return values[last], (np.cumsum(last) - last)[place]


def _is_last(values, end):
    """Of rising values which are the last of those that are equal but for the scores' rounding, and none is `end`.

    Neighbours of half precision are farther apart than numbers that are rounded as they are, and are two.
    """
    slack = _slack(values, values, half=False)
    return np.diff(values, append=end) > np.minimum(slack, np.append(slack[1:], np.inf))


def _slack(score, at, half):
    """How far beyond the numbers `at` each score still is one of them; `half`: those that fit float16 are float16."""
    most, share = np.where(_are(np.float32, score), np.transpose([SINGLE]), np.transpose([DOUBLE]))
    if half:
        most, share = np.where(_are(np.float16, score), np.transpose([HALF]), (most, share))
    return np.minimum(most, share * at)


def _are(kind, numbers):
    """Which can be written in this type, or 1 minus them; of what is nearly 1 that would be true of any number."""
    rest = 1 - numbers
    return (numbers.astype(kind) == numbers) | ((rest.astype(kind) == rest) & (rest >= HALF[0]))


def _are_halves(score):
    if not _are(np.float16, score.flat[: 2**8].astype(float)).any():  # most arrays are told apart by their beginning
        return False
    told = [(_are(np.float16, part).sum(), (part * EXACT % 1 > 0).sum()) for _, part in in_slices(score)]
    halves, other = np.sum(told, axis=0)
    return bool(halves > MOSTLY * score.size and other)


def in_one_bin(y_prob, n_bins, count=None):
    """How many scores, of how many, the fullest of bins of equal width holds, where it holds nearly all; else 0.

    Of equal scores no other bins make more than one: 0. `count` are these bins' scores, where they have been counted.
    """
    y_prob = check_probabilities(y_prob, as_given=True)
    score = y_prob.max(axis=1) if y_prob.ndim == 2 else y_prob
    most = (np.bincount(bin_of(score, np.arange(n_bins + 1) / n_bins)) if count is None else count).max()
    crowded = n_bins > 1 and most >= NEARLY_ALL * len(score) and np.ptp(score) > 0
    return int(most) if crowded else 0, len(score)


def bin_of(score, edges, halves=None):
    """Index of the right-closed bin; 0 belongs to the first, and what is an edge but for its rounding is on it."""
    score, edges = np.asarray(score), np.asarray(edges)
    found, halves = np.empty(score.shape, dtype=np.intp), _are_halves(score) if halves is None else halves
    for rows, part in in_slices(score):
        index = np.clip(np.searchsorted(edges, part, side="left") - 1, 0, len(edges) - 2)
        beyond = part - edges[index]
        near = np.nonzero((beyond > 0) & (beyond <= HALF[0]) & (index > 0))
        at, width = edges[index[near]], np.diff(edges)[index[near]]
        index[near] -= beyond[near] <= np.minimum(_slack(part[near], at, halves), width / 4)
        found[rows] = index
    return found


def _bin_means(hit, score, edges, weights, index=None):
    """Rows, their weight, mean score and mean hit of each bin."""
    sums, halves = np.zeros((4, len(edges) - 1)), _are_halves(score)
    for rows, part in in_slices(score):
        place = bin_of(part, edges, halves) if index is None else index[rows]
        w = np.ones(len(part)) if weights is None else weights[rows]
        sums += [np.bincount(place, each, len(edges) - 1) for each in (None, w, w * part, w * hit[rows])]
    with np.errstate(invalid="ignore"):  # 0/0 marks an empty bin with NaN
        return sums[0].astype(np.intp), sums[1], *sums[2:] / sums[1]


def _error_of_bins(count, confidence, frequency, norm, debias, weights):
    """Binned error; `frequency` may carry leading axes (resamples)."""
    if debias and weights is not None:
        raise InputError("debias", "no weights beside it", hint="its correction counts rows")
    check_choice(norm, "norm", (1, 2, "max"))
    if debias and norm != 2:
        raise InputError("debias", "norm=2, the only one it is defined for", found=f"norm={norm!r}")
    full = count > 0
    n_m, acc = count[full], frequency[..., full]
    gap, weight = np.abs(confidence[full] - acc), n_m / n_m.sum()
    if norm == "max":
        return gap.max(axis=-1)
    if norm == 1:
        return gap @ weight
    square = gap**2
    if debias:
        noise = acc * (1 - acc) / np.maximum(n_m - 1, 1)
        square = np.where(n_m > 1, square - noise, 0.0)
    total = square @ weight
    return np.sign(total) * np.sqrt(np.abs(total))


def _resampled_bins(y_prob, n_bins, n_resamples, rng, weights=None, edges=None, progress=False):
    """Weights, confidences, standard deviations of a calibrated model's frequencies, and redrawn frequencies."""
    check_count(n_resamples, "n_resamples")
    y_prob = check_probabilities(y_prob, as_given=True)
    score = y_prob.max(axis=1) if y_prob.ndim == 2 else y_prob
    weights = check_weights(weights, len(score))
    edges = np.asarray(_bin_edges(score, n_bins, "uniform") if edges is None else edges, dtype=float)
    ends = edges.ndim == 1 and len(edges) >= 2 and edges[0] == 0 <= edges[1] and edges[-1] == 1
    if not ends or not (np.diff(edges[1:]) > 0).all():
        raise InputError("edges", "numbers rising from 0 to 1", found=edges)
    plain = weights is None
    score, w, ties = (np.sort(score), np.ones(len(score)), ()) if plain else (score, weights, (weights, score))
    index = bin_of(score, edges)
    if not plain or (index[1:] < index[:-1]).any():  # whatever the order of the rows: the same draws
        order = np.lexsort((*ties, index))
        score, w, index = score[order], w[order], index[order]
    score = score.astype(float, copy=False)
    count, total, confidence, variance = _bin_means((1 - score) * score * w, score, edges, w, index)
    rng, used = check_rng(rng), count > 0  # a bin may hold rows of weight 0 alone
    frequency, full = np.full((n_resamples, len(total)), np.nan), total > 0
    draws = _hits(score, w, np.cumsum(count)[used] - count[used], n_resamples, rng)
    frequency[:, used] = list(progress_bar(draws, total=n_resamples, shown=progress))
    frequency[:, full] /= total[full]
    frequency[:, ~full] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        return total, confidence, np.sqrt(variance / total), frequency


def _hits(score, w, start, n_resamples, rng):
    """Redrawn sums of hits, from each place of `start` to the next, where scores rise.

    Above 100,000 rows in O(√n) a draw, as exactly: scores of a cell lie in [a, a + h], and with U uniform, U < a is a
    hit for each of them, U >= a + h for none. So it is drawn which rows have U in between, of probability h, and of the
    m others of a cell Binomial(m, a/(1 − h)) hit.
    """
    n, h = len(score), 1 / np.ceil(np.sqrt(len(score)))
    if n <= CELLS_ABOVE or np.ptp(w) > 0:
        for _ in range(n_resamples):  # a draw at a time: memory stays O(n), and so does the random stream
            yield np.add.reduceat((rng.random(n) < score) * w, start)
        return
    cells = np.union1d(start, np.flatnonzero(np.diff(np.floor(score / h))) + 1)
    a, size, first = np.minimum(score[cells], 1 - h), np.diff(cells, append=n), np.searchsorted(cells, start)
    cell_of = np.repeat(np.arange(len(cells), dtype=np.int32), size)
    for _ in range(n_resamples):
        rows = rng.choice(n, rng.binomial(n, h), replace=False, shuffle=False)
        cell = cell_of[rows]
        hit = rng.random(len(rows)) * h < score[rows] - a[cell]
        others = size - np.bincount(cell, minlength=len(cells))
        hits = rng.binomial(others, a / (1 - h)) + np.bincount(cell[hit], minlength=len(cells))
        yield np.add.reduceat(hits, first) * w[0]
