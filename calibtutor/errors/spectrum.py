"""One operator behind every kernel calibration error: its spectrum, and the weights that four papers give it.

With features φ of a kernel on predictions, rows Φ (n, r), and residuals Δ (n, d), two small matrices are all that an
error knows of a model: what each feature has to do with the residual, and how predictions spread over the features,

    S = ΦᵀΔ/n  (r, d)        C = ΦᵀΦ/n = V diag(μ) Vᵀ  (r, r)

An error is a choice of weights for the eigendirections of C. Those of four papers are points of one family,

    ‖C^a (C + λ)^{−b} S‖² = Σ_j μ_j^{2a}/(μ_j + λ)^{2b} ‖(VᵀS)_j‖²

    (a, b) = (0, 0)   SKCE, biased (Widmann et al., eq. 2); of (prediction, features) KLCE² (Vashistha & Farahi, eq. 4)
    (a, b) = (½, 1)   mean of h(p, p) of ukkr over its own data (Gruber & Bach, eq. 32)
    (a, b) = (0, 1)   CKCE (Moskvichev & Sejdinovic, eq. 7)

the norm of a mean embedding, and the L² and the RKHS norm of one ridge regression of δ on φ. From SKCE to CKCE common
directions count less and rare ones more; λ says how rare is too rare. `risk`, `ckce` and `selection` take S, C and the
weights from here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from operator import add

import numpy as np
from scipy.linalg.interpolative import interp_decomp, reconstruct_interp_matrix
from scipy.optimize import brentq

from ..door.arrays import check_numbers
from ..door.inputs import InputError, check_choice, check_kernel, check_number, refuse_beside, same_rows
from ..door.predictions import check_predictions, residuals
from ..door.probabilities import check_probabilities
from ..door.results import Result
from ..kernels import as_rows, low_rank, rbf, slices
from ..kernels.gram import ProductKernel, joined_rows
from ..progress import progress_bar

BLOCK_ROWS = 4096  # rows of features in the eigenbasis that are held at once
POLES, POLE_TOLERANCE, FEW_POLES = 320, 1e-12, 20  # see `_few`


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationSpectrum(Result):
    """S and C in the eigenbasis of C. Methods raise InputError for numbers out of range and rows unlike the data.

    Attributes
    ----------
    eigenvalues : ndarray, shape (r,)
        μ_j >= 0, falling: the mean of v_j(p)² over the data, where v_j(p) = φ(p)ᵀV_j.
    coordinates : ndarray, shape (r, d)
        VᵀS, the means of v_j(p) δ. The sign of V_j makes the largest number of a row positive: where v_j(p) > 0 the
        model says too much of that class.
    vectors : ndarray, shape (r, r)
        V. Where eigenvalues are equal V is not unique: only sums over such directions mean something.
    n : int
    own : ndarray, shape (r,)
        n⁻² Σ_i v_j(p_i)² ‖δ_i‖², the energy that rows make with themselves; its sum is n⁻² Σ_i k(p_i, p_i) ‖δ_i‖².
    feature_map : callable or None
        Predictions (and features, or None) -> φ, shape (m, r).
    left_out : float
        ε = tr(K − ΦΦᵀ)/tr(K), what a low rank leaves out. With c = ε (mean of k(p, p)) (mean of ‖δ‖²), the biased SKCE
        lacks at most c; ukkr is within 4c/λ, CKCE within 3c/λ².
    """

    eigenvalues: np.ndarray
    coordinates: np.ndarray
    vectors: np.ndarray
    n: int
    own: np.ndarray | None = None
    feature_map: Callable | None = None
    left_out: float = 0.0

    @property
    def energy(self):
        """‖(VᵀS)_j‖² for each direction, shape (r,): at most μ_j times the mean of ‖δ‖²."""
        return (self.coordinates**2).sum(axis=1)

    def weights(self, a, b, regularization):
        """How much each direction's energy counts: μ_j^{2a}/(μ_j + λ)^{2b}.

        λ = 0 is the pseudo-inverse: if b > 0, directions with μ_j + λ below rounding (2e-16 of the largest μ) count 0.
        S lies in the range of C, so a direction without eigenvalue has no energy.

        Parameters
        ----------
        a, b, regularization : float
            The powers, in [0, 2], and λ >= 0.

        Returns
        -------
        ndarray, shape (r,)
            At least 0.
        """
        a, b = check_number(a, "a", most=2), check_number(b, "b", most=2)
        shifted, seen = self._shifted(regularization)
        return _ratio(self.eigenvalues**a, shifted**b, seen | (b == 0)) ** 2

    def norm(self, a, b, regularization, *, unbiased=False):
        """‖C^a (C + λ)^{−b} S‖²_F = Σ_j weight_j energy_j, the error at one point of the family.

        With `unbiased` the same sum over pairs i ≠ j, over n(n − 1). Given the predictions C is fixed, so its mean is
        that sum with p − r(p) for δ: 0 for a calibrated model, wherever the dial stands. At (0, 0): SKCE_uq = JKCE.

        Parameters
        ----------
        a, b, regularization : float
            As in `weights`.
        unbiased : bool
            Leave out what rows make with themselves, `own`.

        Returns
        -------
        float
            At least 0 unless `unbiased`.
        """
        energy = (self.energy - self.own) * self.n / (self.n - 1) if unbiased else self.energy
        return float(self.weights(a, b, regularization) @ energy)

    def regression(self, regularization):
        """Vᵀ(C + λ)⁻¹S: the ridge regression of δ on the eigenfunctions.

        Parameters
        ----------
        regularization : float >= 0
            λ.

        Returns
        -------
        ndarray, shape (r, d)
            Rows (VᵀS)_j/(μ_j + λ).
        """
        shifted, seen = self._shifted(regularization)
        return _ratio(self.coordinates, shifted[:, None], seen[:, None])

    def core(self, estimator, regularization):
        """M of the estimation function h(p, q) = v(p)ᵀ M v(q) of Gruber & Bach, from S and C alone.

        "kkr" (eqs. 28–29): (VᵀSSᵀV)_ij/(μ_i μ_j + λ), which couples directions, compares λ with products of μ where
        ukkr compares it with μ, and is no (a, b);
        "ukkr" (eq. 32): (VᵀSSᵀV)_ij/((μ_i + λ)(μ_j + λ)), products of the `regression`.

        Parameters
        ----------
        estimator : {"kkr", "ukkr"}
            Which of the two.
        regularization : float >= 0
            λ.

        Returns
        -------
        ndarray, shape (r, r)
            Symmetric.
        """
        check_choice(estimator, "estimator", ("kkr", "ukkr"))
        if estimator == "ukkr":
            return (slope := self.regression(regularization)) @ slope.T
        _, seen = self._shifted(regularization)
        pairs = np.outer(self.eigenvalues, self.eigenvalues) + regularization
        return _ratio(self.coordinates @ self.coordinates.T, pairs, np.outer(seen, seen) & (pairs > 0))

    @cached_property
    def _few(self):
        """W of kkr, and a few μ with their t = max(μ, rounding): t/(μ + c) at all μ is X times what it is at these.

        To rounding, at every c: an interpolative decomposition, by a pivoted QR. None where it is no gain.
        """
        (r, d), mu, eps = self.coordinates.shape, self.eigenvalues, np.finfo(float).eps
        if r <= FEW_POLES * d:
            return None
        t, c = np.maximum(mu, eps * mu[0]), mu[0] * np.geomspace(eps, 1 / eps, POLES)[:, None]
        s, few, rest = interp_decomp(t * (mu[0] + c) / (mu + c), POLE_TOLERANCE, rand=False)
        X = reconstruct_interp_matrix(few, rest).T
        W = self.vectors @ (X[:, :, None] * (self.coordinates / t[:, None])[:, None]).reshape(r, -1)
        return (W, mu[few[:s]], t[few[:s]]) if s * d < r else None

    def eigenfunctions(self, y_prob, features=None):
        """v_j(p) = φ(p)ᵀV_j for predictions (and features) like the data: what each direction sees.

        Parameters
        ----------
        y_prob : array-like, shape (m, d) or (m,)
            Predictions; of `spectrum_of_features`, rows φ(p).
        features : array-like, shape (m, k) or (m,), optional
            Where the spectrum was made with features, and only then.

        Returns
        -------
        ndarray, shape (m, r)
            A column for each direction.
        """
        return self.feature_map(y_prob, features) @ self.vectors

    def _shifted(self, regularization):
        """μ + λ, and which of them are no rounding errors."""
        shifted = self.eigenvalues + check_number(regularization, "regularization")
        return shifted, shifted > np.finfo(float).eps * self.eigenvalues.max(initial=0)


@dataclass(frozen=True, eq=False)
class Moments:
    """All that an error has to know of some rows, as sums: Moments of two parts add up to those of both.

    `second` and `cross` are ΦᵀΦ and ΦᵀΔ, `energy` ‖Δ‖²_F, and `left` tr(K − ΦΦᵀ) where it was given.
    """

    n: int
    second: np.ndarray
    cross: np.ndarray
    energy: float
    left: float

    @classmethod
    def of(cls, phi, delta, left=0.0):
        return cls(len(phi), phi.T @ phi, phi.T @ delta, float((delta**2).sum()), left)

    def __add__(self, other):
        return Moments(*map(add, vars(self).values(), vars(other).values()))

    def spectrum(self):
        """The `CalibrationSpectrum`, without `own` and `feature_map`."""
        values, vectors = (part[..., ::-1] for part in np.linalg.eigh(self.second / self.n))  # falling
        found = vectors.T @ self.cross / self.n
        largest = np.take_along_axis(found, np.abs(found).argmax(axis=1)[:, None], axis=1)
        sign = np.where(largest < 0, -1.0, 1.0)
        return CalibrationSpectrum(np.maximum(values, 0), found * sign, vectors * sign.T, self.n)


def factored(spectrum, estimator, regularization):
    """W (r, s) and A (s, s), h(p, q) = φ(p)ᵀW A Wᵀφ(q): `core` between V, in as few columns as there may be.

    "ukkr": A = I, s = d. "kkr": one W for all λ, as 1/(μ_iμ_j + λ) is 1/(μ_i + c), c = λ/μ_j, but for a factor.
    """
    one = np.eye(spectrum.coordinates.shape[1])
    if estimator == "ukkr":
        return spectrum.vectors @ spectrum.regression(regularization), one
    if spectrum._few is None or not spectrum._shifted(regularization)[1].all():
        return spectrum.vectors, spectrum.core(estimator, regularization)
    W, mu, t = spectrum._few
    return W, np.kron(np.outer(t, t) / (np.outer(mu, mu) + regularization), one)


@same_rows
def calibration_spectrum(y_true, y_prob, features=None, *, kernel=None, feature_kernel=None, tol=1e-12, max_rank=None,
                         progress=False):
    """Spectrum of the calibration residuals, in O(n r²) time and O(n r) memory for a kernel of rank r.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    features : array-like, shape (n, m) or (n,), optional
        Makes it the local one: φ(p) ⊗ ψ(x) for φ(p), that is k(p, p') l(x, x').
    kernel : callable k(X, Y=None) -> matrix, optional
        k; default exp(−‖p − q‖²), as in `fit_kkr` and `fit_ukkr`. Two models must be compared with one kernel: this one
        does not follow the predictions, as a median heuristic would, and a constant model has a spectrum too.
    feature_kernel : callable, optional
        l, needed with features; say rbf(bandwidth=median_bandwidth(features)), which two models share.
    tol, max_rank : float, int or None
        Of `low_rank`; the result's `left_out` bounds what that does to each error.
    progress : bool
        Show a progress bar, of two steps: features, their sums.

    Returns
    -------
    CalibrationSpectrum
        With as many directions as the kernel has features.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, features that are not finite numbers or of another length, kernels
        that are not callable, finite and positive semi-definite on the data, a feature_kernel without features or
        the reverse, and as in `low_rank`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import calibration_spectrum, ranking_flips, rbf, spectrum_of_features
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> spectrum_of_features(np.column_stack([np.ones(200), y_prob]), y_prob - y_true).eigenvalues.round(3)
    array([1.264, 0.054])
    >>> calibration_spectrum(y_true, y_prob).eigenvalues[:2].round(3)
    array([0.885, 0.108])
    >>> two = [calibration_spectrum(y_true, p, kernel=rbf(bandwidth=0.1)) for p in (y_prob, y_prob**1.5)]
    >>> ranking_flips(*two, lambda t: (0, 1, 10**t), np.linspace(-4, 0, 41)).round(1)
    array([-3.6, -2.5])
    """
    given = y_true, y_prob, features, kernel, feature_kernel, tol, max_rank
    with progress_bar(total=2, shown=progress, desc="steps") as bar:
        return _with_own(*spectrum_of_kernel(*given, bar.update))


def spectrum_of_kernel(y_true, y_prob, features=None, kernel=None, feature_kernel=None, tol=1e-12, max_rank=None,
                       done=lambda: None):
    """The `calibration_spectrum` without `own`, which costs as much as all the rest, and its features and residuals."""
    y_true, y_prob = check_predictions(y_true, y_prob)
    X, kernel = as_rows(y_prob), rbf(gamma=1.0) if kernel is None else kernel
    check_kernel(kernel, "kernel")
    if features is None:
        refuse_beside("no features", feature_kernel=feature_kernel)
    else:
        check_kernel(feature_kernel, "feature_kernel")
        X, kernel = joined_rows(y_prob, features), ProductKernel(kernel, feature_kernel, X.shape[1])
    factor = low_rank(kernel, X, tol=tol, max_rank=max_rank)
    done()
    phi, delta = factor.features, as_rows(residuals(y_true, y_prob))
    light = replace(factor, features=phi[:0].copy())  # new rows need the pivots only: free the n × r block
    feature_map = partial(_new_rows, light, y_prob.shape[1:], X.shape[1])
    found = Moments.of(phi, delta).spectrum()
    done()
    return replace(found, feature_map=feature_map, left_out=factor.residual / (factor.trace or 1.0)), phi, delta


def spectrum_of_features(phi, delta):
    """The same from features that are at hand: Fourier features, one-hot bins, the last layer of a network.

    Parameters
    ----------
    phi : array-like, shape (n, r)
        Rows φ(p_i); `eigenfunctions` takes such rows.
    delta : array-like, shape (n, d) or (n,)
        Rows δ_i, from `residuals`.

    Returns
    -------
    CalibrationSpectrum
        With as many directions as `phi` has columns. Example: `calibration_spectrum`.

    Raises
    ------
    InputError
        For arrays that are not finite numbers, or of other shapes; n >= 2.
    """
    phi, delta = check_numbers(phi, "phi"), as_rows(check_numbers(delta, "delta"))
    n = len(delta)
    if phi.ndim != 2 or len(phi) != n or n < 2 or not delta.size:
        raise InputError("phi and delta", "(n, r) and (n, d), n >= 2", found=f"shapes {phi.shape} and {delta.shape}")
    found = replace(Moments.of(phi, delta).spectrum(), feature_map=partial(_given_rows, phi.shape[1]))
    return _with_own(found, phi, delta)


def _with_own(found, phi, delta):
    squares, own = (delta**2).sum(axis=1), np.zeros(phi.shape[1])
    for rows in slices(found.n, BLOCK_ROWS):
        own += squares[rows] @ (phi[rows] @ found.vectors) ** 2 / found.n**2
    return replace(found, own=own)


def ranking_flips(first, second, path, grid):
    """Where the ranking of two models changes along a path through the family. Example: `calibration_spectrum`.

    Parameters
    ----------
    first, second : CalibrationSpectrum
        Of two models, with the same kernel.
    path : callable t -> (a, b, regularization)
        Continuous; ``lambda t: (0, 1, 10**t)`` is CKCE along λ.
    grid : array-like, shape (m,)
        Rising values of t. Two changes between neighbours are not seen.

    Returns
    -------
    ndarray
        The t where the norms are equal and change order; empty if one model is ahead all along.

    Raises
    ------
    InputError
        For a grid that is not rising, or a path that leaves the ranges of `CalibrationSpectrum.weights`.
    """
    grid = check_numbers(grid, "grid")
    if grid.ndim != 1 or len(grid) < 2 or not (np.diff(grid) > 0).all():
        raise InputError("grid", "at least two rising numbers", found=grid)

    lead = lambda t: first.norm(*path(t)) - second.norm(*path(t))
    ahead = [(t, value) for t in grid.tolist() if (value := lead(t)) != 0]
    return np.array([brentq(lead, s, t) for (s, u), (t, v) in pairwise(ahead) if (u < 0) != (v < 0)])


def _new_rows(factor, shape, width, y_prob, features):
    """φ of rows like those of the fit: predictions of `shape`, with features, if any, of this `width`."""
    y_prob = check_probabilities(y_prob, min_rows=1)
    X = as_rows(y_prob) if features is None else joined_rows(y_prob, features)
    if (y_prob.shape[1:], X.shape[1]) != (shape, width):
        raise InputError("y_prob and features", "rows like the data", found=f"{y_prob.shape} and {np.shape(features)}")
    return factor.transform(X)


def _given_rows(rank, phi, features):
    if np.shape(phi)[1:] != (rank,) or features is not None:
        raise InputError("y_prob", f"rows of {rank} features and nothing else", found=f"shape {np.shape(phi)}")
    return check_numbers(phi, "y_prob")


def _ratio(top, bottom, where):
    """top/bottom; 0 elsewhere."""
    return np.divide(top, bottom, out=np.zeros(np.broadcast_shapes(top.shape, bottom.shape)), where=where)
