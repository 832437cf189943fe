"""Calibration estimation functions and their risk (Gruber & Bach), exact in O(n).

Every estimator of a squared calibration error is a function h(p, q) of two predictions, bilinear in features:
h(p, q) = u(p)ᵀ M u(q). Its risk is the mean squared distance of h to ⟨δ, δ'⟩ over independent pairs, and the
sums over all pairs collapse to matrices of the size of u.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from .binning import bin_of, reliability_curve
from .inputs import InputError, check_choice, check_number
from .kde import conditional_frequency, select_bandwidth
from .kernels import as_rows
from .predictions import check_predictions, check_probabilities, residuals
from .results import Result
from .spectrum import calibration_spectrum

__all__ = ["EstimationFunction", "calibration_risk", "fit_binning", "fit_kde", "fit_kkr", "fit_ukkr"]


@dataclass(frozen=True, eq=False, repr=False)
class EstimationFunction(Result):
    """h(p, q) = u(p)ᵀ M u(q), an estimate of h*(p, q) = ⟨p − r(p), q − r(q)⟩ (Gruber & Bach, eq. 12).

    Attributes
    ----------
    name : str
    features : callable
        Predictions (n, d) or (n,) -> u, shape (n, r).
    core : ndarray, shape (r, r)
        M, symmetric.
    parameters : dict
        Hyper-parameters it was fitted with.
    left_out : float
        tr(K − ΦΦᵀ)/tr(K), what a low-rank kernel left out; 0 when nothing was.
    factor : ndarray, shape (r, s), optional
        F with M = FFᵀ where one is known (ukkr: s = d columns).
    """

    name: str
    features: Callable
    core: np.ndarray
    parameters: dict = field(default_factory=dict)
    left_out: float = 0.0
    factor: np.ndarray | None = None

    def reduced(self, u):
        """Features and core of the smallest size: with M = FFᵀ the features uF and the identity.

        Parameters
        ----------
        u : ndarray, shape (n, r)
            Of `features`.

        Returns
        -------
        u, core : ndarray, shapes (n, s) and (s, s)
            With the same h; unchanged where no factor is known.
        """
        return (u, self.core) if self.factor is None else (u @ self.factor, np.eye(self.factor.shape[1]))

    def __call__(self, P, Q=None):
        """h at every pair, shape (n, m); Q defaults to P."""
        u = self._features(P, "P")
        return u @ self.core @ (u if Q is None else self._features(Q, "Q")).T

    def diagonal(self, P):
        """h(p, p) for each row; its mean estimates the squared calibration error (eq. 21, squared: errata G18).

        Parameters
        ----------
        P : array-like, shape (n, d) or (n,)
            Predictions like those of the fit.

        Returns
        -------
        ndarray, shape (n,)
            u(p)ᵀMu(p), negative where M is not positive semi-definite.

        Raises
        ------
        InputError
            For probabilities that `as_predictions` rejects.
        """
        u = self._features(P, "P")
        return ((u @ self.core) * u).sum(axis=1)

    def _features(self, P, name):
        return self.features(check_probabilities(P, name, min_rows=1))


def calibration_risk(h, y_true, y_prob):
    r"""Unbiased estimate of the risk E(⟨δ, δ'⟩ − h(p, p'))² (Gruber & Bach, eq. 20), exact and linear in n.

    The sum over i ≠ j is ‖ΔᵀΔ‖² − 2⟨UᵀΔΔᵀU, M⟩ + tr(M UᵀU Mᵀ UᵀU) − Σ_i (‖δ_i‖² − u_iᵀMu_i)², over n(n − 1).

    Parameters
    ----------
    h : EstimationFunction
        Fitted on other data, or the estimate is not one of risk.
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        Labels and predictions, as in `as_predictions`.

    Returns
    -------
    float
        At least 0, but for rounding.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import calibration_risk, fit_ukkr
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> h = fit_ukkr(y_true[::2], y_prob[::2])
    >>> print(f"{calibration_risk(h, y_true[1::2], y_prob[1::2]):.4f}")
    0.0387
    """
    delta = as_rows(residuals(y_true, y_prob))
    return risk_of_features(*h.reduced(h.features(np.asarray(y_prob, dtype=float))), delta)


def risk_of_features(u, core, delta):
    """`calibration_risk` from features u (n, r), core M (r, r) and residuals δ (n, d)."""
    n, cross, weighted = len(delta), u.T @ delta, u @ core
    if len(u) > u.shape[1]:
        seen = core @ (u.T @ u)
        squares = np.sum(seen * seen.T)
    else:  # fewer rows than features: the matrix over pairs is smaller than the core
        squares = np.sum((weighted @ u.T) ** 2)
    everything = np.sum((delta.T @ delta) ** 2) - 2 * np.sum((core @ cross) * cross) + squares
    own = (delta**2).sum(axis=1) - (weighted * u).sum(axis=1)
    return float((everything - own @ own) / (n * (n - 1)))


def fit_binning(y_true, y_prob, *, n_bins=15, strategy="uniform", empty="mean"):
    """Binning as an estimation function: u(p) is the gap of p's bin (Gruber & Bach, eq. 23).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
        Labels, as in `as_predictions`.
    y_prob : array-like of float, shape (n,)
        A scalar notion: ``fit_binning(*top_label(y_true, y_prob))``.
    n_bins, strategy : int, str
        As in `reliability_curve`.
    empty : {"mean", "zero"}
        u in a bin that held no training data: the overall gap, as in the authors' code, or 0, as the
        formula reads (errata G11).

    Returns
    -------
    EstimationFunction
        With one feature, the gap.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, an (n, d) y_prob, or unknown options.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import fit_binning
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> h = fit_binning(y_true, y_prob, n_bins=5)
    >>> print(f"estimate of the squared error: {h.diagonal(y_prob).mean():.4f}")
    estimate of the squared error: 0.0426
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    _need_scalar(y_prob)
    check_choice(empty, "empty", ("mean", "zero"))
    curve = reliability_curve(y_true, y_prob, n_bins=n_bins, strategy=strategy)
    overall = (y_prob - y_true).mean() if empty == "mean" else 0.0
    gap = np.where(curve.count > 0, curve.gap, overall)
    return EstimationFunction("binning", partial(_gaps, gap, curve.edges), np.eye(1), {"n_bins": n_bins})


def _gaps(gap, edges, P):
    _need_scalar(P, "P")
    return gap[bin_of(P, edges)][:, None]


def fit_kde(y_true, y_prob, *, bandwidth=None):
    """Kernel density ratio as an estimation function: u(p) = p − r̂(p) (Gruber & Bach, eq. 25).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        Labels and predictions, as in `as_predictions`.
    bandwidth : float > 0, optional
        Default: `select_bandwidth`.

    Returns
    -------
    EstimationFunction
        With a feature for each column of y_prob.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects or a bad bandwidth.

    Notes
    -----
    Nothing is left out: fit on one part of the data and evaluate on another, or the estimate at a training point
    contains that point (errata G9).

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import fit_kde
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> h = fit_kde(y_true, y_prob, bandwidth=0.05)
    >>> print(f"estimate of the squared error: {h.diagonal(y_prob).mean():.4f}")
    estimate of the squared error: 0.0423
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    h = select_bandwidth(y_prob) if bandwidth is None else check_number(bandwidth, "bandwidth", above=0)
    features = partial(_misses, y_true, y_prob, h)
    return EstimationFunction("kde", features, np.eye(as_rows(y_prob).shape[1]), {"bandwidth": h})


def _misses(y_true, y_prob, bandwidth, P):
    return as_rows(P - conditional_frequency(y_true, y_prob, at=P, bandwidth=bandwidth))


def no_error():
    """The estimator h = 0, which says “no error anywhere”: what has no smaller risk has found nothing."""
    return EstimationFunction("h = 0", _nothing, np.zeros((1, 1)))


def _nothing(P):
    return np.zeros((len(P), 1))


def kernel_ridge(spectrum, estimator, regularization):
    """The function of "kkr" or "ukkr" at one λ, from the `CalibrationSpectrum` that all λ of both share."""
    core, about = spectrum.core(estimator, regularization), {"regularization": regularization}
    factor = spectrum.regression(regularization) if estimator == "ukkr" else None
    return EstimationFunction(estimator, spectrum.eigenfunctions, core, about, spectrum.left_out, factor)


def fit_kkr(y_true, y_prob, *, kernel=None, regularization=1e-3, tol=1e-12, max_rank=None):
    r"""Kronecker kernel ridge regression on pairs (Gruber & Bach, eqs. 27–29; eq. 27 corrected: errata G20).

        h(p, q) = Σ_ij Σ_kl k(p, p_i) [(K ⊗ K + λn² I)⁻¹]_{ij,kl} ⟨δ_k, δ_l⟩ k(p_j, q)

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        Labels and predictions, as in `as_predictions`.
    kernel : callable k(X, Y=None), optional
        Default exp(−‖p − q‖²), as in the authors' code (the paper says γ = 1/2: errata G3).
    regularization : float >= 0
        λ. At 0 the pseudo-inverse is used.
    tol, max_rank : float, int or None
        Of `low_rank`; what it leaves out is the result's `left_out`.

    Returns
    -------
    EstimationFunction
        Need not be positive semi-definite: h(p, p), an estimate of a square, can be negative (errata G22).

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, a negative λ, or a kernel that `calibration_spectrum` rejects.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import fit_kkr
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> h = fit_kkr(y_true, y_prob)
    >>> print(f"estimate of the squared error: {h.diagonal(y_prob).mean():.4f}")
    estimate of the squared error: 0.0414
    """
    spectrum = calibration_spectrum(y_true, y_prob, kernel=kernel, tol=tol, max_rank=max_rank, unbiased=False)
    return kernel_ridge(spectrum, "kkr", regularization)


def fit_ukkr(y_true, y_prob, *, kernel=None, regularization=1e-3, tol=1e-12, max_rank=None):
    r"""Two-step kernel ridge regression: regress δ on p, then take inner products (Gruber & Bach, eq. 32).

        h(p, q) = ⟨Δᵀ(K + λn I)⁻¹k(p), Δᵀ(K + λn I)⁻¹k(q)⟩

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        Labels and predictions, as in `as_predictions`.
    kernel, regularization, tol, max_rank : callable, float, float, int
        As in `fit_kkr`.

    Returns
    -------
    EstimationFunction
        h(p, p) is never negative. It equals kkr at λ = 0 when K is invertible, and in the limit
        λ → 0 otherwise (errata G28).

    Raises
    ------
    InputError
        As in `fit_kkr`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import fit_ukkr
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> h = fit_ukkr(y_true, y_prob)
    >>> print(f"estimate of the squared error: {h.diagonal(y_prob).mean():.4f}")
    estimate of the squared error: 0.0421
    """
    spectrum = calibration_spectrum(y_true, y_prob, kernel=kernel, tol=tol, max_rank=max_rank, unbiased=False)
    return kernel_ridge(spectrum, "ukkr", regularization)


def _need_scalar(y_prob, name="y_prob"):
    if y_prob.ndim != 1:
        hint = "reduce first, fit_binning(*top_label(y_true, y_prob))"
        raise InputError(name, "shape (n,)", found=y_prob.shape, hint=hint)
