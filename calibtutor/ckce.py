"""Conditional kernel calibration error: the distance of two conditional mean operators (Moskvichev & Sejdinovic).

Where the joint error (SKCE, here JKCE) averages residuals over the predictions that a model happens to make, this one
first regresses them on the prediction, and then measures the regression function.
"""

from dataclasses import dataclass

import numpy as np

from .conditional import Moments, dual_error, fourier_error, low_rank_error, nystrom_map, spread_rows
from .kce import skce
from .kernels import as_rows, linear_plus_gaussian, median_bandwidth
from .predictions import check_count, check_number, check_predictions, residuals

__all__ = ["ConditionalError", "RegularizationChoice", "ckce", "conditional_error", "jkce", "select_regularization"]

METHODS = ("exact", "low-rank", "fourier")
MAX_RANK = 512
CANDIDATES = 10.0 ** np.arange(-6, 2.5, 0.5)  # times n^(−1/4)


@dataclass(frozen=True)
class ConditionalError:
    """A conditional kernel calibration error and how it was found.

    Attributes
    ----------
    value : float
        The squared Hilbert–Schmidt norm, at least 0.
    certificate : float
        |value − exact value| is at most this, proven: 0 for "exact"; NaN for "fourier", where nothing bounds the error
        of a draw (its size falls like 1/√D).
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


def ckce(y_true, y_prob, *, kernel=None, regularization=None, method="exact", n_features=100, rng=None):
    r"""Conditional kernel calibration error Tr(WΔΔᵀWK), W = (K + λnI)⁻¹ (Moskvichev & Sejdinovic, eq. 7).

    With features φ of k it is ‖(C + λI)⁻¹S‖²_HS, C = n⁻¹Σφ_i⊗φ_i, S = n⁻¹Σφ_i⊗δ_i: the squared norm of the ridge
    regression of the residual δ = p − e_y on the prediction (label kernel: 1[y = y']).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)
        (n,): the scalar residual p − y and a kernel on scores.
    kernel : callable k(X, Y=None) -> matrix, optional
        Positive semi-definite. Default: ⟨p, q⟩ + exp(−‖p − q‖²/2γ²) (eq. 8) with γ the median of ‖p_i − p_j‖. Where all
        predictions are equal that median is 0 (errata C4), but the Gaussian part is 1 whatever γ is: γ = 1 is taken.
    regularization : float > 0, optional
        λ; default n^(−1/4), the paper's. Values for different λ or n cannot be compared (errata C3).
    method : {"exact", "low-rank", "fourier"}
        ========== =================================== ====================================================
        "exact"    O(n³) time, O(n²) memory            equal to the formula up to rounding
        "low-rank" O(n r²), O(r² + rd), r ≤ 512        within `conditional_error`'s certificate
        "fourier"  O(n D²), O(D² + Dd)                 eq. 9: random features of kernel (8) or a Gaussian, no bound
        ========== =================================== ====================================================
    n_features : int >= 1
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
    ValueError
        For input that `check_predictions` rejects; unknown options; a kernel that is not positive semi-definite or, for
        "fourier", neither (8) nor Gaussian; no kernel given and a median distance of 0 although predictions differ.
    """
    options = dict(kernel=kernel, regularization=regularization, method=method, n_features=n_features, rng=rng)
    return conditional_error(y_true, y_prob, **options).value


def conditional_error(
    y_true,
    y_prob,
    *,
    kernel=None,
    regularization=None,
    method="exact",
    n_features=100,
    tol=0.05,
    max_rank=MAX_RANK,
    rng=None,
):
    """`ckce` with all that was found: the value, a bound on its error, λ and the number of features.

    Parameters
    ----------
    y_true, y_prob, kernel, regularization, method, n_features, rng
        As in `ckce`.
    tol : float >= 0
        "low-rank": features are doubled until the certificate is at most `tol` times the value,
    max_rank : int >= 1
        or there are so many of them. Then the certificate is larger: look at it.

    Returns
    -------
    ConditionalError

    Raises
    ------
    ValueError
        As in `ckce`, and for a negative tol or max_rank < 1.

    Notes
    -----
    "low-rank": pivoted Cholesky among 2,000 rows (all, if there are no more), evenly spread, chooses the pivots; all
    rows get their features in blocks, and tr(K − ΦΦᵀ) over all rows, λ and the residuals make the certificate. It is
    about 2/λ² times the share of the trace left out (proof: `calibtutor.conditional.Moments.error`), so that a large λ
    needs few features.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    check_number(tol, "tol")
    check_count(max_rank, "max_rank")
    ridge = _regularization(regularization, len(y_prob))
    kernel = _kernel(kernel, y_prob)
    X, delta = as_rows(y_prob), as_rows(residuals(y_true, y_prob))
    if method == "exact":
        return ConditionalError(dual_error(kernel, X, delta, ridge), 0.0, method, ridge, None)
    if method == "fourier":
        value, columns = fourier_error(kernel, X, delta, ridge, n_features=n_features, rng=rng)
        return ConditionalError(value, np.nan, method, ridge, columns)
    value, certificate, rank = low_rank_error(kernel, X, delta, ridge, tol=tol, max_rank=max_rank)
    return ConditionalError(value, certificate, method, ridge, rank)


def jkce(y_true, y_prob, *, kernel=None):
    r"""Joint kernel calibration error (Moskvichev & Sejdinovic, eq. 11), unbiased, with label kernel 1[y = y'].

    It is the squared MMD of (Y, P) and (Z, P), Z ~ P, and equal to the unbiased `skce`:
    Σ_{i≠j} k(p_i, p_j)⟨δ_i, δ_j⟩ / (n(n − 1)).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)
    kernel : callable k(X, Y=None) -> matrix, optional
        Default: as in `ckce`.

    Returns
    -------
    float
        May be negative, but for constant predictions p never below −k(p, p)‖p‖² (errata C1).

    Raises
    ------
    ValueError
        For input that `check_predictions` rejects, or where `ckce` finds no default kernel.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    return skce(y_true, y_prob, kernel=_kernel(kernel, y_prob))


@dataclass(frozen=True)
class RegularizationChoice:
    """What `select_regularization` found.

    Attributes
    ----------
    regularization : float
        The candidate with the smallest error; the largest of equals.
    candidates, errors : ndarray, shape (m,)
        λ and the mean of ‖δ − regression‖² over held-out rows.
    baseline : float
        That of predicting no error at all, mean ‖δ‖². No candidate far below: these data show no miscalibration.
    """

    regularization: float
    candidates: np.ndarray
    errors: np.ndarray
    baseline: float


def select_regularization(y_true, y_prob, *, kernel=None, candidates=None, folds=5, max_rank=MAX_RANK, rng=None):
    r"""λ by cross-validation of the regression that the CKCE is the norm of.

    A conditional mean operator is the ridge regression of label embeddings on φ(p) (Grünewälder et al. 2012). The
    difference of the two operators in the CKCE, fitted with one λ, is that of residuals δ = p − e_y, so the λ that
    predicts held-out residuals best is chosen:

        error(λ) = n⁻¹ Σ_folds Σ_{i in fold} ‖δ_i − S₋ᵀ(C₋ + λI)⁻¹φ(p_i)‖²,      C₋, S₋ without the fold

    Its mean is what noise of the labels makes of it plus the squared distance to the true p − P(Y | p).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)
    kernel : callable k(X, Y=None) -> matrix, optional
        As in `ckce`.
    candidates : sequence of float > 0, optional
        Default: n^(−1/4) (the paper's λ) times 10^−6, 10^−5.5, …, 10².
    folds : int >= 2
        At most n.
    max_rank : int >= 1
        Features of the kernel, chosen by pivoted Cholesky as in `conditional_error`.
    rng : int, Generator or None
        Deals rows to folds.

    Returns
    -------
    RegularizationChoice

    Raises
    ------
    ValueError
        For input that `check_predictions` rejects, bad candidates or folds, or where `ckce` finds no default kernel.

    Notes
    -----
    O(n r²): each fold is known by its sums, and one eigendecomposition of C₋ serves every λ. For a calibrated model
    there is nothing to predict and the largest candidate tends to win. Models are comparable with one λ only: choose it
    on one of them, or on all together.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    n = len(y_prob)
    check_count(max_rank, "max_rank")
    check_count(folds, "folds", 2)
    if folds > n:
        raise ValueError(f"folds: expected at most {n}, the number of rows of y_prob, got {folds}")
    candidates = _candidates(candidates, n)
    kernel = _kernel(kernel, y_prob)
    X, delta = as_rows(y_prob), as_rows(residuals(y_true, y_prob))
    features, _ = nystrom_map(kernel, X[spread_rows(n)], max_rank=max_rank)
    parts = np.array_split(np.random.default_rng(rng).permutation(n), folds)
    moments = [Moments.of(features, X[rows], delta[rows]) for rows in parts]
    total = 0.0
    for k, fold in enumerate(moments):
        others = moments[:k] + moments[k + 1 :]
        total = total + fold.n * sum(others[1:], others[0]).held_out(fold, candidates)
    errors = total / n
    best = candidates[errors == errors.min()].max()
    return RegularizationChoice(float(best), candidates, errors, float((delta**2).sum() / n))


def _candidates(candidates, n):
    if candidates is None:
        return CANDIDATES * n**-0.25
    if np.ndim(candidates) != 1 or not len(candidates):
        raise ValueError(f"candidates: expected a list of positive finite numbers, got {candidates!r}")
    return np.array([check_number(each, "candidates", above=0) for each in candidates])


def _kernel(kernel, y_prob):
    if kernel is None:
        return default_kernel(y_prob)
    if not callable(kernel):
        raise ValueError(f"kernel: expected a callable k(X, Y=None) -> matrix, got {kernel!r}")
    return kernel


def default_kernel(y_prob):
    """Kernel (8) with the median heuristic."""
    if (y_prob == y_prob[0]).all():
        return linear_plus_gaussian(1.0)  # all distances are 0: any bandwidth gives the same matrix
    try:
        return linear_plus_gaussian(median_bandwidth(y_prob))
    except ValueError as error:
        raise ValueError(str(error).replace("X:", "y_prob:", 1)) from None


def _regularization(regularization, n):
    if regularization is None:
        return float(n) ** -0.25
    return check_number(regularization, "regularization", above=0)
