"""Local calibration (Vashistha & Farahi): a kernel error on (prediction, features), its tests, where a model is wrong.

A model is locally calibrated if P(Y | prediction, features) is the prediction. With residuals δ_i = p_i − e_{y_i}
(binary: p_i − y_i) and the product kernel k(p, p') l(x, x') the error is the kernel calibration error of the pairs
(prediction, features): everything that holds for the one holds for the other.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ..chance.nulls import bound_test, label_test, residual_test
from ..door.arrays import check_numbers
from ..door.inputs import InputError, check_choice, check_count, naming, refuse_beside, same_rows
from ..door.predictions import check_predictions, residuals
from ..door.results import Result
from ..kernels import as_rows, entries, median_bandwidth, rbf, slices
from ..kernels.gram import ProductKernel, joined_rows, listed_kernels
from ..kernels.pair_sums import skce_of_residuals
from .kce import default_of_test

NULLS = ("labels", "residuals", "permutation", "centred-permutation", "signs", "bound")


@same_rows
def klce(y_true, y_prob, features, *, prob_kernel=None, feature_kernel=None):
    r"""Squared kernel local calibration error, Σ_{i≠j} k(p_i, p_j) l(x_i, x_j)⟨δ_i, δ_j⟩ / (n(n − 1)) (eq. 4).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    features : array-like, shape (n, m) or (n,)
        What calibration is asked for given; scale them first, or one of them decides alone.
    prob_kernel, feature_kernel : callable k(X, Y=None) -> matrix, optional
        k and l; default: Gaussian with the median heuristic on predictions and on features.

    Returns
    -------
    float
        Unbiased, so it may be negative. Values compare as those of `skce` do, with one kernel fixed for all models.
        Those printed in the paper are this over the mean of all n² kernel values (errata K1).

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, features that are not finite numbers or of another length, lists
        of kernels, and where the bandwidth of a default kernel would be 0.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import klce, klce_test, local_calibration_bias
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> age = np.tile([20, 40, 60, 80], 50)
    >>> print(f"{klce(y_true, y_prob, age):.4f}", klce_test(y_true, y_prob, age, rng=0).pvalue)
    0.0129 0.001
    >>> found = local_calibration_bias(y_true, y_prob, age, at=([0.7], [40]))
    >>> found.bias.round(2), found.standard_error.round(2)
    (array([-0.2]), array([0.04]))
    """
    y_true, y_prob, X, (kernel,), *_ = _read(y_true, y_prob, features, prob_kernel, feature_kernel)
    return skce_of_residuals(kernel, X, as_rows(residuals(y_true, y_prob)))


@same_rows
def klce_test(y_true, y_prob, features, *, prob_kernel=None, feature_kernel=None, null="labels", n_resamples=999,
              bound=None, cluster=None, weights=None, rng=None, n_jobs=None, progress=False):
    r"""Test of H₀ "the model is locally calibrated" with the KLCE of eq. 4.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    features : array-like, or table of pandas, polars or arrow, shape (n, m) or (n,)
        A table is read as `FeatureSpace` says. Columns with two values of an array count as categories where the median
        distance of its rows is 0.
    prob_kernel, feature_kernel : callable, or several, optional
        As in `klce`. Iterables of kernels (of equal length, or several and one) make pairs: the aggregated test, with
        null="labels". With more than 10,000 rows and no kernel given, the product of the defaults is replaced by its
        `landmarks` kernel of rank 256, and `method` of the result says so.
    null : str
        ===================== ==============================================================================
        "labels"              exact: labels redrawn from the predictions given the features
        "residuals"           Algorithm 1: residuals redrawn with replacement, uncentred
        "permutation"         residuals permuted (the paper's Figures 3 and 5)
        "centred-permutation" the same, minus the mean of the draws (the authors' library)
        "signs"               residuals with random signs (wild bootstrap)
        "bound"               Theorem 3.6 with ⌊n/2⌋ (errata K25)
        ===================== ==============================================================================
        Which of them hold their level is said in the notes.
    n_resamples, bound, cluster, weights, rng, n_jobs, progress : int, float, array-like, Generator, bool
        As in `kce_test`, with k l in the place of k; clusters and weights with null="labels", H with "bound".

    Returns
    -------
    CalibrationTestResult
        As of `kce_test`; its `statistic` compares as in `klce`.

    Raises
    ------
    InputError
        As in `klce`; for unknown options; lists that make no pairs, or with another null, as clusters and weights; a
        table that `FeatureSpace` rejects or whose index is another; a bound that is needed and not given.

    Notes
    -----
    Only "labels" has the right size in general, and "bound" is valid and conservative. Given (p, x) residuals of a
    calibrated model are independent with mean 0, but their variance and support depend on p: they are not
    exchangeable, as "residuals" and both permutations assume (errata S). "signs" is right as n grows. Example: `klce`.
    """
    check_choice(null, "null", NULLS)
    check_count(n_resamples, "n_resamples")
    given = y_true, y_prob, features, prob_kernel, feature_kernel
    y_true, y_prob, X, kernels, several, _ = _read(*given, lists=null == "labels")
    if null == "labels":
        if prob_kernel is None and feature_kernel is None:
            kernels = [default_of_test(kernels[0], X)]
        options = {"several": several, "n_resamples": n_resamples, "rng": rng, "n_jobs": n_jobs, "progress": progress}
        return label_test(kernels, X, y_true, y_prob, cluster=cluster, weights=weights, **options)
    refuse_beside(f"null={null!r}", cluster=cluster, weights=weights)
    delta = as_rows(residuals(y_true, y_prob))
    if null == "bound":
        return bound_test(kernels[0], X, delta, "unbiased", bound, null)
    return residual_test(kernels[0], X, delta, null, n_resamples, rng, progress)


@dataclass(frozen=True, eq=False, repr=False)
class LocalBiasResult(Result):
    """What `local_calibration_bias` finds, one entry a query row.

    Attributes
    ----------
    bias : ndarray, shape (m, d) or (m,)
        Weighted mean of y − p (vector predictions: e_y − p): positive where the model says too little.
    standard_error : ndarray, same shape
        √(Σ w_i² p_i(1 − p_i))/Σ w_i, a class each: the standard deviation of `bias` *if the model is locally
        calibrated*. Then |bias| is at most 2 of them at 93 to 100 % of places (three worlds, widths .02 to .5). It is
        for comparing the bias with 0, and no interval: where a model is over-confident, labels are noisier than said.
    effective_size : ndarray, shape (m,)
        (Σ w_i)²/Σ w_i²: how many equally weighted rows the average is worth.
    """

    bias: np.ndarray
    standard_error: np.ndarray
    effective_size: np.ndarray


@same_rows
def local_calibration_bias(y_true, y_prob, features, *, at=None, prob_kernel=None, feature_kernel=None):
    r"""Local calibration bias, LCB(x', p') = Σ_i w_i (y_i − p_i)/Σ_i w_i with w_i = k(p', p_i) l(x', x_i) (eq. 7).

    A Nadaraya–Watson regression of what happened minus what was promised. Example: `klce`.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    features : array-like, or table of pandas, polars or arrow, shape (n, m) or (n,)
        As in `klce_test`.
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
    InputError
        As in `klce`, for query rows that are not like the data, or a kernel with negative values.
    """
    y_true, y_prob, X, (kernel,), _, space = _read(y_true, y_prob, features, prob_kernel, feature_kernel)
    error = -as_rows(residuals(y_true, y_prob))
    queries = X if at is None else _queries(at, space, error.shape[1], X.shape[1] - error.shape[1])
    variance = as_rows(y_prob * (1 - y_prob))
    bias, standard_error = np.full((2, len(queries), error.shape[1]), np.nan)
    size = np.zeros(len(queries))
    for part in slices(len(queries), 2**22 // len(X)):
        weight = entries(kernel, queries[part], X)
        if (weight < 0).any():
            raise InputError("prob_kernel, feature_kernel", "weights of at least 0", found=f"{weight.min():g}")
        total = weight.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 marks a query that nothing is near to
            weight = weight / total
            size[part] = np.where(total[:, 0] > 0, 1 / (weight**2).sum(axis=1), 0)
        bias[part], standard_error[part] = weight @ error, np.sqrt(weight**2 @ variance)
    shape = len(queries), *y_prob.shape[1:]
    return LocalBiasResult(bias.reshape(shape), standard_error.reshape(shape), size)


def product_kernel(y_true, y_prob, features):
    """The rows (prediction, features) of `klce_test`, and its default kernel on them."""
    _, _, X, (kernel,), *_ = _read(y_true, y_prob, features, None, None)
    return X, kernel


def _queries(at, space, *widths):
    if not (isinstance(at, list | tuple) and len(at) == 2):
        raise InputError("at", "a pair (predictions, features)", found=type(at).__name__)
    if space is not None:
        from ..kernels.features import as_table

        at = at[0], space.transform(as_table(at[1], "at"), "at")
    parts = [as_rows(check_numbers(part, "at", columns=1)) for part in at]
    found = [part.shape for part in parts]
    if [width for _, width in found] != list(widths) or found[0][0] != found[1][0]:
        raise InputError("at", f"as many predictions as features, {widths} numbers a row", found=f"shapes {found}")
    return np.hstack(parts)


def _read(y_true, y_prob, features, prob_kernel, feature_kernel, *, lists=False):
    """Checked input, rows (prediction, features), the product kernels on them, whether several; the `FeatureSpace`."""
    y_true, y_prob = check_predictions(y_true, y_prob)
    c, space, table = as_rows(y_prob).shape[1], None, hasattr(features, "columns")
    if not table:
        try:
            X = joined_rows(y_prob, features)
            feature_kernel = rbf(bandwidth=median_bandwidth(X[:, c:])) if feature_kernel is None else feature_kernel
        except InputError:  # names, or most rows are equal: are there categories among the columns?
            table = True
    if table:
        from ..kernels.features import as_table, space_of  # brings pandas

        space = space_of(features)
        X = joined_rows(y_prob, features if space is None else space.transform(as_table(features), "features"))
    with naming("prob_kernel"):
        prob_kernel = rbf(bandwidth=median_bandwidth(y_prob)) if prob_kernel is None else prob_kernel
    if feature_kernel is None:
        with naming("feature_kernel"):
            feature_kernel = rbf(bandwidth=median_bandwidth(X[:, c:])) if space is None else space.kernel(X[:, c:])
    probs, several = listed_kernels(prob_kernel, "prob_kernel")
    features, more = listed_kernels(feature_kernel, "feature_kernel")
    if (several or more) and not lists:
        hint = 'lists go with klce_test, null="labels"'
        raise InputError("prob_kernel, feature_kernel", "one callable each", found="several", hint=hint)
    n, m = len(probs), len(features)
    if n != m and 1 not in (n, m):
        raise InputError("prob_kernel, feature_kernel", "lists of one length, or one kernel", found=f"{n} and {m}")
    pairs = zip(probs, features, strict=True) if n == m else product(probs, features)
    return y_true, y_prob, X, [ProductKernel(k, l, c) for k, l in pairs], several or more, space
