"""Local calibration: a kernel error on (prediction, features), its tests, and where the model is wrong
(Vashistha & Farahi).

A model is locally calibrated if P(Y | prediction, features) is the prediction. With residuals δ_i = p_i − e_{y_i}
(binary: p_i − y_i) and the product kernel k(p, p') l(x, x') the error is the kernel calibration error of the pairs
(prediction, features): everything that holds for the one holds for the other.
"""

from dataclasses import dataclass

import numpy as np

from .gram import Gram, ProductKernel, entries
from .kce import CalibrationTest
from .kernels import as_rows, median_bandwidth, rbf
from .nulls import bound_pvalue, of_form, skce_of_labels
from .predictions import check_predictions, residuals
from .resampling import aggregated_pvalue, draw_labels, rank_pvalues

__all__ = ["LocalBias", "klce", "klce_test", "local_calibration_bias"]

NULLS = ("labels", "residuals", "permutation", "centred-permutation", "signs", "bound")


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
        For input that `check_predictions` rejects, features that are not finite or of another length, and where the
        bandwidth of a default kernel would be 0.
    """
    y_true, y_prob, X = _joined(y_true, y_prob, features)
    (kernel,) = _kernels(X, y_prob, prob_kernel, feature_kernel)
    delta, gram = as_rows(residuals(y_true, y_prob)), Gram(kernel, X)
    return float(of_form(gram.form(delta), gram.diagonal @ (delta**2).sum(axis=1), len(delta), "unbiased"))


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
        As in `klce`. Lists (of equal length, or one list and one kernel) make pairs: the aggregated test, with
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
        As in `klce`; for unknown options; lists of kernels with another null; a bound that is needed and not given.

    Notes
    -----
    Only "labels" has the right size in general, and "bound" is valid and conservative. Given (p, x) residuals of a
    calibrated model are independent with mean 0, but their variance and support depend on p: they are not
    exchangeable, which "residuals" and both permutations assume (errata S). "signs" is right as n grows.
    """
    y_true, y_prob, X = _joined(y_true, y_prob, features)
    if null not in NULLS:
        raise ValueError(f"null: expected one of {', '.join(NULLS)}, got {null!r}")
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, int | np.integer) or n_resamples < 1:
        raise ValueError(f"n_resamples: expected a whole number of at least 1, got {n_resamples!r}")
    kernels = _kernels(X, y_prob, prob_kernel, feature_kernel)
    if len(kernels) > 1 and null != "labels":
        raise ValueError(f'prob_kernel, feature_kernel: lists go with null="labels", got {null!r}')
    if null == "labels":
        labels = np.column_stack([y_true.astype(np.int32), draw_labels(y_prob, n_resamples, rng)])
        values = np.array([skce_of_labels(kernel, X, y_prob, labels, progress=progress) for kernel in kernels])
        if len(kernels) > 1:
            smallest, pvalue, single = aggregated_pvalue(values)
            return CalibrationTest(smallest[0], pvalue, smallest[1:], "labels, aggregated", values[:, 0], single)
        return _ranked(values[0], null)
    delta = as_rows(residuals(y_true, y_prob))
    if null == "bound":
        estimate = klce(y_true, y_prob, features, prob_kernel=prob_kernel, feature_kernel=feature_kernel)
        pvalue = bound_pvalue(estimate, len(delta), _bound(kernels[0], X, delta, bound), biased=False)
        return CalibrationTest(estimate, pvalue, None, null, estimate)
    values = _residual_statistics(kernels[0], X, delta, null, n_resamples, rng, progress)
    if null == "centred-permutation":
        values[1:] -= values[1:].mean()
    return _ranked(values, null)


def _ranked(values, method):
    pvalue = float(rank_pvalues(values)[0])
    return CalibrationTest(float(values[0]), pvalue, values[1:], method, float(values[0]))


def _residual_statistics(kernel, X, delta, null, n_resamples, rng, progress):
    """The statistic with the observed residuals, then with residuals that are redrawn, permuted or flipped."""
    n, rng, gram = len(delta), np.random.default_rng(rng), Gram(kernel, X)
    if null == "signs":
        signs = np.column_stack([np.ones(n, np.int8), rng.integers(0, 2, (n, n_resamples), dtype=np.int8) * 2 - 1])
        squares = (delta**2).sum(axis=1)[:, None]
        own = gram.diagonal @ np.broadcast_to(squares, signs.shape)

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

    return of_form(gram.forms(make, n_resamples + 1, progress=progress), own, n, "unbiased")


@dataclass(frozen=True)
class LocalBias:
    """What `local_calibration_bias` finds, one entry a query row.

    Attributes
    ----------
    bias : ndarray, shape (m, d) or (m,)
        Weighted mean of y − p (vector predictions: e_y − p): positive where the model says too little.
    standard_error : ndarray, same shape
        √(Σ w_i² (e_i − bias)²)/Σ w_i: noise of the labels near the query, not the bias of averaging over it.
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
        Query rows; default: the data themselves.
    prob_kernel, feature_kernel : callable, optional
        As in `klce`; values must not be negative.

    Returns
    -------
    LocalBias
        NaN where all weights are 0: nothing was seen near the query.

    Raises
    ------
    ValueError
        As in `klce`, for query rows of another width, or a kernel with negative values.
    """
    y_true, y_prob, X = _joined(y_true, y_prob, features)
    (kernel,) = _kernels(X, y_prob, prob_kernel, feature_kernel)
    queries = X if at is None else np.hstack([_rows(at[0], "at"), _rows(at[1], "at")])
    if queries.shape[1] != X.shape[1]:
        raise ValueError(f"at: expected rows with {X.shape[1]} numbers (prediction, features), got {queries.shape[1]}")
    error = -as_rows(residuals(y_true, y_prob))
    bias, spread = np.full((2, len(queries), error.shape[1]), np.nan)
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
        mean = weight @ error
        # Σ w²(e − mean)² without an array of queries × rows × classes
        square = weight**2
        second = square @ error**2 - 2 * mean * (square @ error) + mean**2 * square.sum(axis=1, keepdims=True)
        bias[part], spread[part] = mean, np.sqrt(np.maximum(second, 0))
    scalar = y_prob.ndim == 1
    return LocalBias(bias[:, 0] if scalar else bias, spread[:, 0] if scalar else spread, size)


def _rows(values, name):
    try:
        rows = as_rows(values)
    except ValueError as error:
        raise ValueError(str(error).replace("X:", f"{name}:", 1)) from None
    if rows.ndim != 2:
        raise ValueError(f"{name}: expected shape (n, m) or (n,), got {np.shape(values)}")
    return rows


def _joined(y_true, y_prob, features):
    """Checked input, and the rows (prediction, features) that the product kernel sees."""
    y_true, y_prob = check_predictions(y_true, y_prob)
    features = _rows(features, "features")
    if len(features) != len(y_true):
        raise ValueError(f"features and y_true: expected equal lengths, got {len(features)} and {len(y_true)} rows")
    return y_true, y_prob, np.hstack([as_rows(y_prob), features])


def _kernels(X, y_prob, prob_kernel, feature_kernel):
    """The product kernels, one for each pair."""
    c = as_rows(y_prob).shape[1]
    given = [_listed(prob_kernel, X[:, :c], "prob_kernel"), _listed(feature_kernel, X[:, c:], "feature_kernel")]
    length = max(map(len, given))
    if not all(len(each) in (1, length) for each in given) or not all(given):
        raise ValueError(
            f"prob_kernel, feature_kernel: expected lists of equal length, got {len(given[0])} and {len(given[1])}"
        )
    probs, features = (each * (length if len(each) == 1 else 1) for each in given)
    return [ProductKernel(k, l, c) for k, l in zip(probs, features, strict=True)]


def _listed(kernel, X, name):
    if kernel is None:
        try:
            return [rbf(bandwidth=median_bandwidth(X))]
        except ValueError as error:
            raise ValueError(f"{name}: no default, {error}") from None
    kernels = list(kernel) if isinstance(kernel, list | tuple) else [kernel]
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
        raise ValueError("bound: expected sup |h|, these kernels do not tell their own")
    return float(kernel.diag(X[:1])[0]) * (1 if delta.shape[1] == 1 else 2)
