"""Ridge regression of residuals on predictions from sums over rows: the r × r machinery of the conditional error.

With features Φ (n × r) and residuals Δ (n × d) everything is in C = ΦᵀΦ/n and S = ΦᵀΔ/n. Rows are visited in blocks, so
that memory is O(r² + rd), whatever n is.
"""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.gaussian_process.kernels import RBF, DotProduct, Sum

from .gram import entries
from .kernels import as_rows, fourier_features, kernel_diagonal, low_rank

__all__ = ["Moments", "dual_error", "error_of_matrix", "fourier_error", "low_rank_error", "nystrom_map", "spread_rows"]

BLOCK_ENTRIES = 2**20  # of features made at once: 8 MB
PIVOT_ROWS = 2000  # pivots are looked for among so many rows, evenly spread over the data
PIVOT_TOLERANCE = 1e-12  # of the trace: pivots beyond would be rounding errors
FIRST_RANK = 64
NEGATIVE = 1e-8  # of the largest diagonal entry: more below 0 is no rounding error


def dual_error(kernel, X, delta, regularization):
    """Tr(WΔΔᵀWK) with W = (K + λnI)⁻¹, by one Cholesky factor: O(n³) time, two n × n matrices of memory."""
    X = as_rows(X)
    return error_of_matrix(entries(kernel, X, X), delta, regularization)


def error_of_matrix(K, delta, regularization):
    """The same from the kernel matrix."""
    shifted = np.array(K, dtype=float)
    shifted[np.diag_indices_from(shifted)] += regularization * len(K)
    try:
        weights = cho_solve(cho_factor(shifted, lower=True, overwrite_a=True), delta)
    except LinAlgError:
        raise ValueError(
            f"kernel: K + λnI is not positive definite at λ = {regularization:g}; expected a positive semi-definite "
            "kernel and a λ above rounding"
        ) from None
    return float((weights * (K @ weights)).sum())


@dataclass(frozen=True)
class Moments:
    """What ridge regression needs to know of n rows.

    Attributes
    ----------
    n : int
    second : ndarray, shape (r, r)
        ΦᵀΦ.
    cross : ndarray, shape (r, d)
        ΦᵀΔ.
    energy : float
        ‖Δ‖²_F.
    left : float
        tr(K − ΦΦᵀ), if the diagonal of K was given.
    """

    n: int
    second: np.ndarray
    cross: np.ndarray
    energy: float
    left: float = np.nan

    @classmethod
    def of(cls, features, X, delta, diagonal=None):
        """Sums over blocks of rows; `features(block)` is (rows, r)."""
        X, second, cross, left = as_rows(X), 0.0, 0.0, 0.0
        n_features = features(X[:1]).shape[1]
        step = max(256, BLOCK_ENTRIES // max(1, n_features))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            phi = features(X[rows])
            second, cross = second + phi.T @ phi, cross + phi.T @ delta[rows]
            if diagonal is not None:
                rest = diagonal[rows] - (phi**2).sum(axis=1)
                if rest.min() < -NEGATIVE * diagonal.max():
                    row = start + int(np.argmin(rest))
                    raise ValueError(f"kernel: expected a positive semi-definite one, row {row} of y_prob denies it")
                left += np.maximum(rest, 0).sum()
        if not np.isfinite(second).all():
            raise ValueError("kernel: expected finite numbers, got others")
        return cls(len(X), second, cross, float((delta**2).sum()), np.nan if diagonal is None else float(left))

    def __add__(self, other):
        return Moments(
            self.n + other.n, self.second + other.second, self.cross + other.cross, self.energy + other.energy
        )

    def spectrum(self):
        """Eigenvalues μ of C, and VᵀS."""
        mu, V = np.linalg.eigh(self.second / self.n)
        return np.maximum(mu, 0), V, V.T @ self.cross / self.n

    def error(self, regularization):
        """‖(C + λI)⁻¹S‖²_F, and a bound on its distance to the value for K in place of ΦΦᵀ.

        The bound. Let ν = λn, K̂ = ΦΦᵀ, E = K − K̂ with K̂ and E positive semi-definite, ε = tr E, Ŵ = (K̂ + ν)⁻¹,
        W = (K + ν)⁻¹, f and f̂ the two values. Write R̂ = ŴΔ, T = νŴ²Δ, u = E^½R̂, v = E^½T,
        M = I − E^½WE^½. From W = Ŵ − WEŴ and f = tr Δᵀ(W − νW²)Δ,

            f − f̂ = −⟨R̂, ER̂⟩ + ⟨R̂, EWER̂⟩ + 2⟨R̂, νWER̂⟩ − ν‖WER̂‖²
                   = −⟨u, Mu⟩ + 2⟨u, Mv⟩ − e      as νWR̂ = T − WET gives E^½νWR̂ = Mv, with e = ν‖WE^½u‖²
                   = ⟨v, Mv⟩ − ⟨u − v, M(u − v)⟩ − e.

        As W ≤ (E + ν)⁻¹, 0 ≤ E^½WE^½ ≤ ε/(ε + ν), so 0 ≤ M ≤ I and, with νW² ≤ W, e ≤ ‖u‖² ε/(ε + ν); and
        νWEW ≤ νWKW ≤ 1/4, so e ≤ ‖u‖²/4. With ‖E^½A‖² ≤ ε‖A‖² and R̂ − T = K̂Ŵ²Δ:

            −ε‖K̂Ŵ²Δ‖² − min(ε/(ε + ν), 1/4) ε‖ŴΔ‖²  ≤  f − f̂  ≤  ε‖νŴ²Δ‖².

        Also 0 ≤ f ≤ ‖Δ‖²/(4ν), as μ/(μ + ν)² ≤ 1/(4ν). The norms follow from the spectrum. Only ‖E‖ ≤ tr E is
        wasteful: where what was left out is spread over n rows, the true distance is about n times smaller.
        """
        n, ridge = self.n, regularization
        mu, _, moment = self.spectrum()
        size, shifted = (moment**2).sum(axis=1), mu + ridge
        value = float((size / shifted**2).sum())
        if not self.left > 0:
            return value, self.left
        nu, share = ridge * n, ridge / shifted
        # In the span of Φ, Ŵ is 1/(nμ + ν) and ΔᵀΔ has n‖VᵀS‖²/μ; outside, Ŵ is 1/ν. Nothing is divided by μ here:
        spread = (self.energy - n * (size * (1 + share) / shifted).sum()) / nu**2  # ‖ŴΔ‖²
        noise = (self.energy - n * (size * (1 + share) * (1 + share**2) / shifted).sum()) / nu**2  # ‖νŴ²Δ‖²
        seen = (size * mu / shifted**4).sum() / n  # ‖K̂Ŵ²Δ‖²
        below = seen + min(self.left / (self.left + nu), 0.25) * max(spread, 0)
        most = self.energy / (4 * nu)
        return value, float(min(self.left * max(noise, below), max(value, most - value)))

    def held_out(self, other, regularizations):
        """Mean squared error on `other` rows of the regression fitted on these, for each λ."""
        mu, V, moment = self.spectrum()
        second, cross = V.T @ other.second @ V, V.T @ other.cross
        errors = []
        for ridge in regularizations:
            A = moment / (mu + ridge)[:, None]
            errors.append((other.energy - 2 * (A * cross).sum() + (A * (second @ A)).sum()) / other.n)
        return np.array(errors)


def spread_rows(n):
    """Numbers of the rows that pivots are looked for in, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, PIVOT_ROWS)).astype(int))


def nystrom_map(kernel, X, *, max_rank):
    """Features φ with Σφφ ≤ K from pivots among the rows of X: (features of a block of rows, their number).

    There are fewer than `max_rank` when nothing is left to find.
    """
    entries(kernel, X[:1], X[:1])
    factor = low_rank(kernel, X, tol=PIVOT_TOLERANCE, max_rank=max_rank)
    if factor.rank == 0:  # a kernel that is 0 on the data
        return lambda block: np.zeros((len(block), 0)), 0
    return factor.transform, factor.rank


def low_rank_error(kernel, X, delta, regularization, *, tol, max_rank):
    """Value, certificate and rank; as many features as it takes for a certificate of `tol` times the value."""
    entries(kernel, X[:1], X[:1])
    few, diagonal = spread_rows(len(X)), kernel_diagonal(kernel, X)
    wanted = min(FIRST_RANK, max_rank)
    features, rank = nystrom_map(kernel, X[few], max_rank=wanted)
    # The few rows that pivots come from tell cheaply how many it takes; then all rows decide.
    for rows in [few, slice(None)] if len(few) < len(X) else [slice(None)]:
        while True:
            value, certificate = Moments.of(features, X[rows], delta[rows], diagonal[rows]).error(regularization)
            if certificate <= tol * value or rank < wanted or wanted == max_rank:
                break
            wanted = min(2 * wanted, max_rank)
            features, rank = nystrom_map(kernel, X[few], max_rank=wanted)
    return value, certificate, rank


def fourier_error(kernel, X, delta, regularization, *, n_features, rng):
    """Value and number of features, by sums or, where rows are fewer than features, by their Gram matrix."""
    rng = np.random.default_rng(rng)
    features = fourier_map(kernel, n_features=n_features, rng=rng)
    columns = features(X[:1]).shape[1]
    if columns > len(X):
        value = dual_error(lambda A, B: features(A) @ features(B).T, X, delta, regularization)
    else:
        value = Moments.of(features, X, delta).error(regularization)[0]
    rng.standard_normal((X.shape[1], n_features))  # these were used: a Generator moves on
    return value, columns


def fourier_map(kernel, *, n_features, rng):
    """Random features of kernel (8), [p, cos(Wp)/√D, sin(Wp)/√D], or of a Gaussian kernel: without the p.

    The frequencies are those of ``fourier_features(X, bandwidth=…, n_features=…, rng=rng)``.
    """
    linear = isinstance(kernel, Sum) and isinstance(kernel.k1, DotProduct) and kernel.k1.sigma_0 == 0
    gaussian = kernel.k2 if linear else kernel
    if not (type(gaussian) is RBF and np.ndim(gaussian.length_scale) == 0):
        raise ValueError(
            'kernel: method "fourier" expected linear_plus_gaussian(bandwidth) or rbf(…) with one bandwidth, got '
            f"{kernel!r}"
        )
    options = dict(bandwidth=gaussian.length_scale, n_features=n_features)

    def features(block):  # the same draw for every block
        waves = fourier_features(block, rng=deepcopy(rng), **options)
        return np.hstack([block, waves]) if linear else waves

    return features
