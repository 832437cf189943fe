"""Local calibration: a kernel error on (prediction, features), its tests, and where the model is wrong
(Vashistha & Farahi).

A model is locally calibrated if P(Y | prediction, features) is the prediction. With residuals δ_i = p_i − e_{y_i}
(binary: p_i − y_i) and the product kernel k(p, p') l(x, x') the error is the kernel calibration error of the pairs
(prediction, features): everything that holds for the one holds for the other.
"""

from dataclasses import dataclass

import numpy as np

from .gram import Gram, ProductKernel, entries, joined_rows
from .kce import CalibrationTest
from .kernels import as_rows, median_bandwidth, rbf
from .predictions import check_count, check_numbers, check_predictions, residuals
from .resampling import aggregated_pvalue, bound_pvalue, draw_labels, of_form, rank_pvalues, skce_of_labels

__all__ = ["LocalBiasResult", "klce", "klce_test", "local_calibration_bias"]

NULLS = ("labels", "residuals", "permutation", "centred-permutation", "signs", "bound")
LISTS = (list, tuple)


def klce(y_true, y_prob, features, *, prob_kernel=None, feature_kernel=None):
    r"""Squared kernel local calibration error, Σ_{i≠j} k(p_i, p_j) l(x_i, x_j)⟨δ_i, δ_j⟩ / (n(n − 1)) (eq. 4).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)
    features : array-like, shape (n, m) or (n,)
        What calibration is asked for given; scale them first, or one of them decides alone.
    prob_kernel, feature_kernel : callable k(X, Y=None) -> matrix, optional
        k and l; default: Gaussian with the median heuristic on predictions and on features.

    Returns
    -------
    float
        Unbiased, so it may be negative. The values printed in the paper are this over the mean of all n² kernel
        values (errata K1).

    Raises
    ------
    ValueError
        For input that `check_predictions` rejects, features that are not finite numbers or of another length, lists
        of kernels, and where the bandwidth of a default kernel would be 0.
    """
    y_true, y_prob, X = _joined(y_true, y_prob, features)
    (kernel,) = _kernels(X, y_prob, prob_kernel, feature_kernel)
    return _estimate(kernel, X, as_rows(residuals(y_true, y_prob)))


def klce_test(
    y_true,
    y_prob,
    features,
    *,
    prob_kernel=None,
    feature_kernel=None,
    null="labels",
    n_resamples=999,
    bound=None,
    rng=None,
    progress=False,
):
    r"""Test of H₀ "the model is locally calibrated" with the KLCE of eq. 4.

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)
    features : array-like, shape (n, m) or (n,)
    prob_kernel, feature_kernel : callable, or lists of callables, optional
        As in `klce`. Lists (of equal length, or a list and one kernel) make pairs: the aggregated test, with
        null="labels".
    null : str
        ===================== ==============================================================================
        "labels"              exact: labels redrawn from the predictions given the features
        "residuals"           Algorithm 1: residuals redrawn with replacement, uncentred
        "permutation"         residuals permuted (the paper's Figures 3 and 5)
        "centred-permutation" the same, minus the mean of the draws (the authors' library)
        "signs"               residuals with random signs (wild bootstrap)
        "bound"               Theorem 3.6 with ⌊n/2⌋ (errata K25)
        ===================== ==============================================================================
    n_resamples : int >= 1
    bound : float > 0, optional
        sup |h| for null="bound"; default 2 k l on the diagonal for stationary kernels (binary: without the 2).
    rng : int, Generator or None
    progress : bool

    Returns
    -------
    CalibrationTest

    Raises
    ------
    ValueError
        As in `klce`; for unknown options; lists that make no pairs, or with another null; a bound that is needed and
        not given.

    Notes
    -----
    Only "labels" has the right size in general, and "bound" is valid and conservative. Given (p, x) residuals of a
    calibrated model are independent with mean 0, but their variance and support depend on p: they are not
    exchangeable, which "residuals" and both permutations assume (errata S). "signs" is right as n grows.
    """
    y_true, y_prob, X = _joined(y_true, y_prob, features)
    if null not in NULLS:
        raise ValueError(f"null: expected one of {', '.join(NULLS)}, got {null!r}")
    check_count(n_resamples, "n_resamples")
    kernels = _kernels(X, y_prob, prob_kernel, feature_kernel, lists=null == "labels")
    delta = as_rows(residuals(y_true, y_prob))
    if null == "bound":
        estimate = _estimate(kernels[0], X, delta)
        pvalue = bound_pvalue(estimate, len(delta), _bound(kernels[0], X, delta, bound), biased=False)
        return CalibrationTest(estimate, pvalue, None, null, estimate)
    if null == "labels":
        labels = np.column_stack([y_true.astype(np.int32), draw_labels(y_prob, n_resamples, rng)])
        table = np.array([skce_of_labels(kernel, X, y_prob, labels, progress=progress) for kernel in kernels])
        if isinstance(prob_kernel, LISTS) or isinstance(feature_kernel, LISTS):
            smallest, pvalue, single = aggregated_pvalue(table)
            return CalibrationTest(smallest[0], pvalue, smallest[1:], "labels, aggregated", table[:, 0], single)
        values = table[0]
    else:
        values = _residual_statistics(kernels[0], X, delta, null, n_resamples, rng, progress)
    return CalibrationTest(float(values[0]), float(rank_pvalues(values)[0]), values[1:], null, float(values[0]))


def _estimate(kernel, X, delta):
    gram = Gram(kernel, X)
    return float(of_form(gram.form(delta), gram.diagonal @ (delta**2).sum(axis=1), len(delta), "unbiased"))


def _residual_statistics(kernel, X, delta, null, n_resamples, rng, progress):
    """The statistic with the observed residuals, then with residuals that are redrawn, permuted or flipped."""
    n, rng, gram = len(delta), np.random.default_rng(rng), Gram(kernel, X)
    if null == "signs":
        signs = np.column_stack([np.ones(n, np.int8), rng.integers(0, 2, (n, n_resamples), dtype=np.int8) * 2 - 1])
        own = gram.diagonal @ (delta**2).sum(axis=1)  # no sign changes a square

        def make(start, draws):
            return delta[start:, :, None] * signs[start:, None, draws]

    else:
        rows = np.empty((n, n_resamples + 1), dtype=np.int32)
        rows[:, 0] = np.arange(n)
        for draw in range(1, n_resamples + 1):
            rows[:, draw] = rng.integers(n, size=n) if null == "residuals" else rng.permutation(n)
        own = gram.diagonal @ (delta**2).sum(axis=1)[rows]

        def make(start, draws):
            return np.moveaxis(delta[rows[start:, draws]], 2, 1)

    values = of_form(gram.forms(make, n_resamples + 1, progress=progress), own, n, "unbiased")
    if null == "centred-permutation":
        values[1:] -= values[1:].mean()
    return values


@dataclass(frozen=True, eq=False)
class LocalBiasResult:
    """What `local_calibration_bias` finds, one entry a query row.

    Attributes
    ----------
    bias : ndarray, shape (m, d) or (m,)
        Weighted mean of y − p (vector predictions: e_y − p): positive where the model says too little.
    standard_error : ndarray, same shape
        √(Σ w_i² p_i(1 − p_i))/Σ w_i, a class each: the standard deviation of `bias` *if the model is locally
        calibrated*. Then |bias| is at most 2 of them at 93 to 100 % of places (three worlds, widths .02 to .5). It is
        for comparing the bias with 0, and no interval for the bias of a wrong model: where that is over-confident,
        labels are noisier than it says.
    effective_size : ndarray, shape (m,)
        (Σ w_i)²/Σ w_i²: how many equally weighted rows the average is worth.
    """

    bias: np.ndarray
    standard_error: np.ndarray
    effective_size: np.ndarray


def local_calibration_bias(y_true, y_prob, features, *, at=None, prob_kernel=None, feature_kernel=None):
    r"""Local calibration bias, LCB(x', p') = Σ_i w_i (y_i − p_i)/Σ_i w_i with w_i = k(p', p_i) l(x', x_i) (eq. 7).

    A Nadaraya–Watson regression of what happened minus what was promised.

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)
    features : array-like, shape (n, m) or (n,)
    at : (predictions, features), optional
        Query rows, shaped like the data; default: the data themselves.
    prob_kernel, feature_kernel : callable, optional
        As in `klce`; values must not be negative.

    Returns
    -------
    LocalBiasResult
        NaN where all weights are 0: nothing was seen near the query.

    Raises
    ------
    ValueError
        As in `klce`, for query rows that are not like the data, or a kernel with negative values.
    """
    y_true, y_prob, X = _joined(y_true, y_prob, features)
    (kernel,) = _kernels(X, y_prob, prob_kernel, feature_kernel)
    error = -as_rows(residuals(y_true, y_prob))
    queries = X if at is None else _queries(at, error.shape[1], X.shape[1] - error.shape[1])
    variance = as_rows(y_prob * (1 - y_prob))
    bias, standard_error = np.full((2, len(queries), error.shape[1]), np.nan)
    size = np.zeros(len(queries))
    step = max(1, 2**22 // len(X))
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        weight = entries(kernel, queries[part], X)
        if (weight < 0).any():
            raise ValueError(f"prob_kernel, feature_kernel: expected weights of at least 0, got {weight.min():g}")
        total = weight.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks a query that nothing is near to
            weight = weight / total
            size[part] = np.where(total[:, 0] > 0, 1 / (weight**2).sum(axis=1), 0)
        bias[part], standard_error[part] = weight @ error, np.sqrt(weight**2 @ variance)
    scalar = y_prob.ndim == 1
    return LocalBiasResult(bias[:, 0] if scalar else bias, standard_error[:, 0] if scalar else standard_error, size)


def _queries(at, *widths):
    if not (isinstance(at, list | tuple) and len(at) == 2):
        raise ValueError(f"at: expected a pair (predictions, features), got {type(at).__name__}")
    parts = [as_rows(check_numbers(part, "at", columns=1)) for part in at]
    found = [part.shape for part in parts]
    if [width for _, width in found] != list(widths) or found[0][0] != found[1][0]:
        raise ValueError(f"at: expected as many predictions as features, {widths} numbers a row, got shapes {found}")
    return np.hstack(parts)


def _joined(y_true, y_prob, features):
    """Checked input, and the rows (prediction, features) that the product kernel sees."""
    y_true, y_prob = check_predictions(y_true, y_prob)
    return y_true, y_prob, joined_rows(y_prob, features)


def _kernels(X, y_prob, prob_kernel, feature_kernel, *, lists=False):
    """The product kernels, one for each pair; lists of kernels make several."""
    if not lists and (isinstance(prob_kernel, LISTS) or isinstance(feature_kernel, LISTS)):
        raise ValueError('prob_kernel, feature_kernel: expected one callable; lists go with klce_test, null="labels"')
    c = as_rows(y_prob).shape[1]
    given = [_listed(prob_kernel, X[:, :c], "prob_kernel"), _listed(feature_kernel, X[:, c:], "feature_kernel")]
    length = max(map(len, given))
    if {len(each) for each in given} - {1, length or 1}:
        counts = " and ".join(str(len(each)) for each in given)
        raise ValueError(f"prob_kernel, feature_kernel: expected lists of one length, or one kernel, got {counts}")
    probs, features = (each * (length if len(each) == 1 else 1) for each in given)
    return [ProductKernel(k, l, c) for k, l in zip(probs, features, strict=True)]


def _listed(kernel, X, name):
    if kernel is None:
        try:
            return [rbf(bandwidth=median_bandwidth(X))]
        except ValueError as error:
            raise ValueError(f"{name}: no default, " + str(error).removeprefix("X: ")) from None
    kernels = list(kernel) if isinstance(kernel, LISTS) else [kernel]
    for each in kernels:
        if not callable(each):
            raise ValueError(f"{name}: expected a callable k(X, Y=None) -> matrix, got {each!r}")
    return kernels


def _bound(kernel, X, delta, bound):
    if bound is not None:
        if not (np.isscalar(bound) and not isinstance(bound, str | bool) and 0 < bound < np.inf):
            raise ValueError(f"bound: expected a positive finite number, got {bound!r}")
        return float(bound)
    if not kernel.is_stationary():
        raise ValueError("bound: expected sup |h| (2 sup k l; binary: sup k l), these kernels do not tell their own")
    return float(kernel.diag(X[:1])[0]) * (1 if delta.shape[1] == 1 else 2)
