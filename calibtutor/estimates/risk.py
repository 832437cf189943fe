"""Calibration estimation functions and their risk (Gruber & Bach), exact in O(n).

Every estimator of a squared calibration error is a function h(p, q) of two predictions, bilinear in features:
h(p, q) = u(p)ᵀ M u(q). Its risk is the mean squared distance of h to ⟨δ, δ'⟩ over independent pairs, and the
sums over all pairs collapse to matrices of the size of u.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..door.inputs import InputError, check_number
from ..door.predictions import check_predictions, residuals
from ..door.probabilities import check_probabilities
from ..door.results import Result
from ..errors.spectrum import factored, spectrum_of_kernel
from ..kernels import as_rows
from .binning import bin_of, reliability_curve
from .kde import conditional_frequency, select_bandwidth


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
    """

    name: str
    features: Callable
    core: np.ndarray
    parameters: dict = field(default_factory=dict)
    left_out: float = 0.0

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
        As in `as_predictions`, with its errors.

    Returns
    -------
    float
        At least 0, but for rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import calibration_risk, fit_binning, fit_kde, fit_kkr, fit_ukkr
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> for fit in (fit_binning, fit_kde, fit_kkr, fit_ukkr):
    ...     h = fit(y_true[::2], y_prob[::2])
    ...     risk, square = calibration_risk(h, y_true[1::2], y_prob[1::2]), h.diagonal(y_prob[1::2]).mean()
    ...     print(f"{h.name:7}  risk {risk:.4f}  estimate of the squared error {square:.4f}")
    binning  risk 0.0390  estimate of the squared error 0.0519
    kde      risk 0.0414  estimate of the squared error 0.0730
    kkr      risk 0.0387  estimate of the squared error 0.0439
    ukkr     risk 0.0387  estimate of the squared error 0.0441
    """
    delta = as_rows(residuals(y_true, y_prob))
    return risk_of_features(h.features(check_probabilities(y_prob)), h.core, delta)


def risk_of_features(u, core, delta, gram=None):
    """`calibration_risk` from features u (n, r), core M (r, r), residuals δ (n, d) and, where it is at hand, UᵀU."""
    n, cross, weighted = len(delta), u.T @ delta, u @ core
    if len(u) > u.shape[1]:
        seen = core @ (u.T @ u if gram is None else gram)
        squares = np.sum(seen * seen.T)
    else:  # fewer rows than features: the matrix over pairs is smaller than the core
        squares = np.sum((weighted @ u.T) ** 2)
    everything = np.sum((delta.T @ delta) ** 2) - 2 * np.sum((core @ cross) * cross) + squares
    own = (delta**2).sum(axis=1) - (weighted * u).sum(axis=1)
    return float((everything - own @ own) / (n * (n - 1)))


def fit_binning(y_true, y_prob, *, n_bins=15, strategy="uniform"):
    """Binning as an estimation function: u(p) is the gap of p's bin (Gruber & Bach, eq. 23).

    In a bin that held no training data it is the overall gap, as in the authors' code; the formula reads 0 (errata
    G11). Example: `calibration_risk`.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n,)
        As in `as_predictions`, with its errors, and of a scalar notion: ``fit_binning(*top_label(y_true, y_prob))``.
        An (n, d) y_prob is refused.
    n_bins, strategy : int, str
        As in `reliability_curve`, with its errors.

    Returns
    -------
    EstimationFunction
        With one feature, the gap.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    _need_scalar(y_prob)
    curve = reliability_curve(y_true, y_prob, n_bins=n_bins, strategy=strategy)
    gap = np.where(curve.count > 0, curve.gap, (y_prob - y_true).mean())
    return EstimationFunction("binning", partial(_gaps, gap, curve.edges), np.eye(1), {"n_bins": n_bins})


def _gaps(gap, edges, P):
    _need_scalar(P, "P")
    return gap[bin_of(P, edges)][:, None]


def fit_kde(y_true, y_prob, *, bandwidth=None):
    """Kernel density ratio as an estimation function: u(p) = p − r̂(p) (Gruber & Bach, eq. 25).

    Nothing is left out: fit on one part of the data and evaluate on another, or the estimate at a training point
    contains that point (errata G9). Example: `calibration_risk`.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `conditional_frequency`, with its errors.
    bandwidth : float > 0, optional
        Default: `select_bandwidth`, with its errors.

    Returns
    -------
    EstimationFunction
        With a feature for each column of y_prob.
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
    weights, core = factored(spectrum, estimator, regularization)
    features, about = partial(projected, spectrum.feature_map, weights), {"regularization": regularization}
    return EstimationFunction(estimator, features, core, about, spectrum.left_out)


def projected(feature_map, weights, P):
    """φ(p)ᵀW: all functions of one spectrum share φ, and those of kkr W."""
    return feature_map(P, None) @ weights


def fit_kkr(y_true, y_prob, *, kernel=None, regularization=1e-3):
    r"""Kronecker kernel ridge regression on pairs (Gruber & Bach, eqs. 27–29; eq. 27 corrected: errata G20).

        h(p, q) = Σ_ij Σ_kl k(p, p_i) [(K ⊗ K + λn² I)⁻¹]_{ij,kl} ⟨δ_k, δ_l⟩ k(p_j, q)

    Example: `calibration_risk`.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    kernel : callable k(X, Y=None), optional
        Default exp(−‖p − q‖²), as in the authors' code (the paper says γ = 1/2: errata G3).
    regularization : float >= 0
        λ. At 0 the pseudo-inverse is used.

    Returns
    -------
    EstimationFunction
        Need not be positive semi-definite: h(p, p), an estimate of a square, can be negative (errata G22).

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, a negative λ, or a kernel that `calibration_spectrum` rejects.
    """
    return kernel_ridge(spectrum_of_kernel(y_true, y_prob, kernel=kernel)[0], "kkr", regularization)


def fit_ukkr(y_true, y_prob, *, kernel=None, regularization=1e-3):
    r"""Two-step kernel ridge regression: regress δ on p, then take inner products (Gruber & Bach, eq. 32).

        h(p, q) = ⟨Δᵀ(K + λn I)⁻¹k(p), Δᵀ(K + λn I)⁻¹k(q)⟩

    Parameters
    ----------
    y_true, y_prob, kernel, regularization : array-like, callable, float
        As in `fit_kkr`, with its errors.

    Returns
    -------
    EstimationFunction
        h(p, p) is never negative. It equals kkr at λ = 0 when K is invertible, and in the limit
        λ → 0 otherwise (errata G28). Example: `calibration_risk`.
    """
    return kernel_ridge(spectrum_of_kernel(y_true, y_prob, kernel=kernel)[0], "ukkr", regularization)


def _need_scalar(y_prob, name="y_prob"):
    if y_prob.ndim != 1:
        hint = "reduce first, fit_binning(*top_label(y_true, y_prob))"
        raise InputError(name, "shape (n,)", found=y_prob.shape, hint=hint)
