"""Conditional kernel calibration error: the distance of two conditional mean operators (Moskvichev & Sejdinovic).

Where the joint error (SKCE, here JKCE) averages residuals over the predictions that a model happens to make, this one
first regresses them on the prediction, and then measures the regression function.
"""

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ..door.arrays import check_numbers
from ..door.inputs import InputError, check_choice, check_count, check_kernel, check_number, check_rng, naming
from ..door.predictions import check_predictions, residuals
from ..door.results import Result
from ..kernels import as_rows, entries, linear_plus_gaussian, median_bandwidth
from ..kernels.finite_rank import fourier_map
from .kce import skce
from .ridge import error_of_matrix, low_rank_error, moments, pivots

DEFAULT_EXACT_ROWS = 5_000
EXACT_ROWS = 11_000  # two matrices of so many rows take 2 GB
MAX_RANK = 512
CANDIDATES = 10.0 ** np.arange(-6, 2.5, 0.5)  # times n^(−1/4)


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalErrorResult(Result):
    """A conditional kernel calibration error and how it was found.

    Attributes
    ----------
    value : float
        The squared Hilbert–Schmidt norm, at least 0.
    certificate : float
        |value − exact value| is at most this, proven: 0 for "exact"; NaN for "fourier", whose error falls like 1/√D.
    method : str
    regularization : float
        λ.
    n_features : int or None
        Columns of the feature matrix; None for "exact", which has none.
    """

    value: float
    certificate: float
    method: str
    regularization: float
    n_features: int | None


def ckce(y_true, y_prob, *, kernel=None, regularization=None, method=None, n_frequencies=100, rng=None):
    r"""Conditional kernel calibration error Tr(WΔΔᵀWK), W = (K + λnI)⁻¹ (Moskvichev & Sejdinovic, eq. 7).

    With features φ of k it is ‖(C + λI)⁻¹S‖²_HS, C = n⁻¹Σφ_i⊗φ_i, S = n⁻¹Σφ_i⊗δ_i: the squared norm of the ridge
    regression of the residual δ = p − e_y on the prediction (label kernel: 1[y = y']).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n,): the scalar residual p − y and a kernel on scores.
    kernel : callable k(X, Y=None) -> matrix, optional
        Positive semi-definite. Default: ⟨p, q⟩ + exp(−‖p − q‖²/2γ²) (eq. 8) with γ the median of ‖p_i − p_j‖. Where all
        predictions are equal that median is 0 (errata C4), but the Gaussian part is 1 whatever γ is: γ = 1 is taken.
        A median moves with the data: give one kernel to all models or data sets that you compare (errata C3).
    regularization : float > 0, optional
        λ; default n^(−1/4), the paper's. Values for different kernels, λ or n cannot be compared.
    method : {"exact", "low-rank", "fourier"}, optional
        Default: "exact" up to 5,000 rows (0.4 GB), "low-rank" beyond; `conditional_error` says which it was.
        ========== =================================== ====================================================
        "exact"    O(n³), O(n²) memory, n ≤ 11,000     equal to the formula up to rounding
        "low-rank" O(n r²), O(r² + rd), r ≤ 512        within `conditional_error`'s certificate
        "fourier"  O(n D²), O(D² + Dd)                 eq. 9: random features of kernel (8) or a Gaussian, no bound
        ========== =================================== ====================================================
    n_frequencies : int >= 1
        D of "fourier": there are d + 2D features (a Gaussian kernel: 2D).
    rng : int, Generator or None
        Of "fourier"; nothing else is random.

    Returns
    -------
    float
        At least 0, and not unbiased: noise of the labels adds to it, λ shrinks it. All labels as promised
        (Δ = 0): 0. Constant predictions: k‖mean δ‖²/(k + λ)² with k = k(p, p).

    Raises
    ------
    InputError
        For input that `as_predictions` rejects; unknown options; more rows than "exact" has memory for (2 GB); a
        kernel that is not positive semi-definite or, for "fourier", neither (8) nor Gaussian; no kernel given and a
        median distance of 0 although predictions differ.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import ckce, conditional_error, jkce, select_regularization
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> print(f"{ckce(y_true, y_prob):.4f} {jkce(y_true, y_prob):.4f}", conditional_error(y_true, y_prob).method)
    0.0292 0.0348 exact
    >>> print(f"{select_regularization(y_true, y_prob, rng=0).regularization:.2g}")
    0.27
    """
    options = dict(kernel=kernel, regularization=regularization, method=method, n_frequencies=n_frequencies, rng=rng)
    return conditional_error(y_true, y_prob, **options).value


def conditional_error(y_true, y_prob, *, kernel=None, regularization=None, method=None, n_frequencies=100, rng=None,
                      tol=0.05, max_rank=MAX_RANK):
    """`ckce` with all that was found: the value, a bound on its error, λ and the number of features. Example: `ckce`.

    Parameters
    ----------
    y_true, y_prob, kernel, regularization, method, n_frequencies, rng : array-like, callable, float, str, int
        As in `ckce`.
    tol : float >= 0
        "low-rank": features are doubled until the certificate is at most `tol` times the value.
    max_rank : int >= 1
        Or until there are so many of them. Then the certificate is larger: look at it.

    Returns
    -------
    ConditionalErrorResult
        The value, its certificate and how it was found.

    Raises
    ------
    InputError
        As in `ckce`, and for a negative tol or max_rank < 1.

    Notes
    -----
    "low-rank": pivoted Cholesky among 2,000 rows (all, if there are no more), evenly spread, chooses the pivots; all
    rows get their features in blocks, and tr(K − ΦΦᵀ) over all rows, λ and the residuals make the certificate. It is
    about 2/λ² times the share of the trace left out (proof: `ridge.certified`), so that a large λ needs few features.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if method is None:
        method = "exact" if len(y_prob) <= DEFAULT_EXACT_ROWS else "low-rank"
    check_choice(method, "method", ("exact", "low-rank", "fourier"))
    tol, n, rng = check_number(tol, "tol"), len(y_prob), check_rng(rng)
    check_count(max_rank, "max_rank")
    ridge = n**-0.25 if regularization is None else check_number(regularization, "regularization", above=0)
    if method == "exact" and n > EXACT_ROWS:
        wanted, size = f'at most {EXACT_ROWS:,} rows for method="exact"', f"two matrices of {8e-9 * n**2:.2f} GB"
        raise InputError("y_prob", wanted, found=f"{n:,}: {size}", hint='method="low-rank" takes more')
    kernel, X, delta = default_kernel(y_prob, kernel), as_rows(y_prob), as_rows(residuals(y_true, y_prob))
    certificate, columns = np.nan, None
    if method == "exact":
        value, certificate = error_of_matrix(entries(kernel, X, X), delta, ridge), 0.0
    elif method == "low-rank":
        value, certificate, columns = low_rank_error(kernel, X, delta, ridge, tol, max_rank)
    else:
        feature_map = fourier_map(kernel, X.shape[1], n_frequencies, rng)
        columns = feature_map(X[:1]).shape[1]
        if columns > n:  # then the matrix of all pairs is smaller than C
            value = error_of_matrix((phi := feature_map(X)) @ phi.T, delta, ridge)
        else:
            value = moments(feature_map, X, delta).spectrum().norm(0, 1, ridge)
    return ConditionalErrorResult(value, certificate, method, ridge, columns)


def jkce(y_true, y_prob, *, kernel=None):
    r"""Joint kernel calibration error (Moskvichev & Sejdinovic, eq. 11), unbiased, with label kernel 1[y = y'].

    It is the squared MMD of (Y, P) and (Z, P), Z ~ P, and equal to the unbiased `skce`:
    Σ_{i≠j} k(p_i, p_j)⟨δ_i, δ_j⟩ / (n(n − 1)). Example: `ckce`.

    Parameters
    ----------
    y_true, y_prob, kernel : array-like, callable
        As in `ckce`, with its errors.

    Returns
    -------
    float
        May be negative, but for constant predictions p never below −k(p, p)‖p‖² (errata C1).
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    return skce(y_true, y_prob, kernel=default_kernel(y_prob, kernel))


@dataclass(frozen=True, eq=False, repr=False)
class RegularizationResult(Result):
    """What `select_regularization` found.

    Attributes
    ----------
    regularization : float
        The candidate with the smallest error; the largest of equals.
    candidates, errors : ndarray, shape (m,)
        λ and the mean of ‖δ − regression‖² over held-out rows.
    baseline : float
        That of predicting no error at all, mean ‖δ‖². No candidate far below: nothing was found. It is no test.
    """

    regularization: float
    candidates: np.ndarray
    errors: np.ndarray
    baseline: float


def select_regularization(y_true, y_prob, *, kernel=None, candidates=None, folds=5, rng=None):
    r"""λ by cross-validation of the regression that the CKCE is the norm of.

    A conditional mean operator is the ridge regression of label embeddings on φ(p) (Grünewälder et al. 2012). The
    difference of those in the CKCE is the regression of δ = p − e_y: the λ that predicts held-out δ best is chosen,

        error(λ) = n⁻¹ Σ_folds Σ_{i in fold} ‖δ_i − S₋ᵀ(C₋ + λI)⁻¹φ(p_i)‖²,      C₋, S₋ without the fold

    Its mean is what noise of the labels makes of it plus the squared distance to the true p − P(Y | p).

    Parameters
    ----------
    y_true, y_prob, kernel : array-like, callable
        As in `ckce`.
    candidates : sequence of float > 0, optional
        Default: n^(−1/4) (the paper's λ) times 10^−6, 10^−5.5, …, 10².
    folds : int >= 2
        At most n.
    rng : int, Generator or None
        Deals rows to folds.

    Returns
    -------
    RegularizationResult
        The choice, and the held-out error of every candidate.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, bad candidates or folds, or where `ckce` finds no default kernel.

    Notes
    -----
    O(n r²), with r ≤ 512 features as in `conditional_error`: each fold is known by its sums, and one eigendecomposition
    of C₋ serves every λ. For a calibrated model there is nothing to predict and the largest candidate tends to win.
    Models are comparable with one kernel and one λ only: choose λ on one of them, or on all together. Example: `ckce`.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    n = len(y_prob)
    check_count(folds, "folds", 2)
    if folds > n:
        raise InputError("folds", f"at most {n}, the number of rows of y_prob", found=folds)
    candidates = CANDIDATES * n**-0.25 if candidates is None else check_numbers(candidates, "candidates")
    if candidates.ndim != 1 or not candidates.size or candidates.min() <= 0:
        raise InputError("candidates", "a list of positive finite numbers", found=candidates)
    kernel, X, delta = default_kernel(y_prob, kernel), as_rows(y_prob), as_rows(residuals(y_true, y_prob))
    feature_map = pivots(kernel, X)[1](max_rank=MAX_RANK).transform
    parts = np.array_split(check_rng(rng).permutation(n), folds)
    sums = [moments(feature_map, X[rows], delta[rows]) for rows in parts]
    errors = sum(_held_out(reduce(add, sums[:k] + sums[k + 1 :]), fold, candidates) for k, fold in enumerate(sums)) / n
    best = candidates[errors == errors.min()].max()
    return RegularizationResult(float(best), candidates, errors, float((delta**2).sum() / n))


def _held_out(rest, fold, candidates):
    """Squared errors, summed over a fold, of the regression fitted on the rest: from Moments of both, for each λ."""
    found = rest.spectrum()
    second, cross = found.vectors.T @ fold.second @ found.vectors, found.vectors.T @ fold.cross
    slopes = [found.regression(ridge) for ridge in candidates]
    return np.array([fold.energy - 2 * (A * cross).sum() + (A * (second @ A)).sum() for A in slopes])


def default_kernel(y_prob, kernel=None):
    """Kernel (8) with the median heuristic, unless another one is given."""
    if kernel is not None:
        check_kernel(kernel, "kernel")
        return kernel
    if (y_prob == y_prob[0]).all():
        return linear_plus_gaussian(1.0)  # all distances are 0: any bandwidth gives the same matrix
    with naming("y_prob"):
        return linear_plus_gaussian(median_bandwidth(y_prob))
