"""Features that stand for a kernel: low rank with a certificate, landmarks, random Fourier features."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, solve_triangular

from ..door.arrays import as_rows
from ..door.inputs import InputError, check_count, check_number, check_rng
from ..door.results import Result
from .families import rbf
from .matrix import entries, kernel_diagonal, slices

MAX_RANK = 2000  # a kernel that needs more features than this has no useful low rank
AHEAD, AHEAD_ENTRIES = 64, 2**22  # rows that are made at once, with one product of matrices; a bound on their numbers
FIRST_ROWS = 64  # of the factor: a low rank is not known beforehand, and limit × n numbers may not fit
FEATURE_ROWS = 2048  # rows whose features are made at once
PROBED_ROWS = 64  # rows whose entries show whether the features are those of the kernel


@dataclass(frozen=True, eq=False, repr=False)
class LowRank(Result):
    """Features Φ, (n, r), with ΦΦᵀ ≈ K, from the rows that were chosen (`pivots`), and how far off they are.

    `residual` is tr(K − ΦΦᵀ) >= 0, plus (n + 8) ε max K for rounding, ε of the precision that the kernel returns. As K
    is positive semi-definite but for rounding, no entry of K − ΦΦᵀ is larger: the certificate. `trace` is tr(K).
    """

    kernel: object
    pivots: np.ndarray
    features: np.ndarray
    residual: float
    trace: float
    _factor: np.ndarray

    @property
    def rank(self):
        """How many features there are, r."""
        return self.features.shape[1]

    def transform(self, X):
        """Features K(X, pivots) L⁻ᵀ of new rows, (m, r): the same projection, so that Φ(x)Φᵀ is the Nyström kernel."""
        if not self.rank:  # a kernel that is 0 on the data
            return np.zeros((len(X), 0))
        return solve_triangular(self._factor, self.kernel(as_rows(X), self.pivots).T, lower=True).T


def low_rank(kernel, X, *, tol=1e-10, max_rank=None):
    """Pivoted Cholesky factor of a kernel matrix: K ≈ ΦΦᵀ in O(n r²), without the n × n matrix.

    Parameters
    ----------
    kernel : callable k(X, Y=None) -> matrix
        Positive semi-definite. Entries in single precision have that precision's rounding in `residual`.
    X : array-like, shape (n, d) or (n,)
        Rows that the kernel compares.
    tol : float >= 0
        Stop when `residual` is at most ``tol`` times the trace of K, or when all that is left is rounding.
    max_rank : int, optional
        Stop there in any case (default 2,000, or n if that is less); look at `residual` then.

    Returns
    -------
    LowRank
        Features of the rows, and how far off they are.

    Raises
    ------
    InputError
        For an empty X, a negative tol, max_rank < 1; entries that are not finite; a kernel that is not positive
        semi-definite: a negative diagonal, a remainder below −√ε max K, an entry missed by more than the certificate.

    Notes
    -----
    Greedy: the row with the largest remaining variance is next. Ties go to the first row. Entries are looked at on the
    diagonal, in the chosen rows and among 64 rows more: an indefinite kernel that shows in none passes.
    """
    X = as_rows(X)
    if not len(X):
        raise InputError("X", "at least 1 row", found="none")
    check_number(tol, "tol")
    max_rank = MAX_RANK if max_rank is None else max_rank
    check_count(max_rank, "max_rank")
    left = kernel_diagonal(kernel, X)
    if (left < 0).any():
        raise InputError("kernel", "a non-negative diagonal", found=f"{left.min():g} in row {int(np.argmin(left))}")
    trace, height, eps, limit = float(left.sum()), left.max(), np.finfo(float).eps, min(len(X), max_rank)
    rows = np.empty((min(limit, FIRST_ROWS), len(X)))  # and half as many again whenever they are full
    pivots, rounding, ahead, first, few = [], (len(X) + 8) * eps * height, [], 0, 1
    # Below the rounding a pivot is noise; duplicated rows end here.
    while len(pivots) < limit and np.abs(left).sum() + rounding > tol * trace and left.max() > rounding:
        i, r = int(np.argmax(left)), len(pivots)
        if r == len(rows):
            rows.resize((min(limit, r + r // 2), len(X)), refcheck=False)
        if i not in ahead:  # the next pivots are likely among the largest: so many as the last time were of use, twice
            few = max(1, min(2 * (r - first), AHEAD, AHEAD_ENTRIES // len(X), len(X)))
            largest = np.argpartition(left, -few)[-few:]
            ahead, first = [i, *largest[largest != i].tolist()], r
            block = entries(kernel, X[ahead], X)
            if block.dtype.kind == "f":
                eps = max(eps, np.finfo(block.dtype).eps)
            rounding = (len(X) + 8) * eps * height
            block = block - rows[:r, ahead].T @ rows[:r]
        rows[r] = (block[ahead.index(i)] - rows[first:r, i] @ rows[first:r]) / np.sqrt(left[i])
        left = left - rows[r] ** 2
        left[i] = 0
        pivots.append(i)
        if left.min() < -max(rounding, np.sqrt(eps) * height):
            _refuse(kernel, f"leaves {left.min():g} of the variance of row {int(np.argmin(left))}")
    features, residual = rows[: len(pivots)].T, float(np.abs(left).sum() + rounding)
    # Rows that were never chosen are looked at too, some of them: a diagonal alone does not show an indefinite kernel.
    some = np.linspace(0, len(X) - 1, min(PROBED_ROWS, len(X))).astype(int)
    missed = np.abs(entries(kernel, X[some], X[some]) - features[some] @ features[some].T)
    if not missed.max() <= residual + np.sqrt(eps) * height:
        at = int(some[np.argmax(missed.max(axis=1))])
        _refuse(kernel, f"has an entry in row {at} that its features miss by {missed.max():g}")
    residual = max(residual, float(missed.max()))
    return LowRank(kernel, X[pivots], features, residual, trace, np.tril(features[pivots]))


def _refuse(kernel, found):
    hint = "take another kernel, or compute this one in double precision"
    found = f"{kernel!r}, which {found}, more than rounding"
    raise InputError("kernel", "a positive semi-definite one", found=found, hint=hint)


@dataclass(frozen=True, eq=False, repr=False)
class Landmarks:
    """A kernel of finite rank, φ(x)ᵀφ(y) with φ(x) = Λ^(−½)Vᵀk(z, x) for landmarks z (`points`), K_zz = VΛVᵀ (Nyström).

    It is called like any kernel, k(X, Y=None) -> matrix, and tests use its features instead.
    """

    kernel: object
    points: np.ndarray
    _map: np.ndarray  # VΛ^(−½)

    @property
    def rank(self):
        """How many features there are."""
        return self._map.shape[1]

    def __repr__(self):
        return f"{self.kernel!r} on {len(self.points)} landmarks"

    def features(self, X):
        """φ(x) for each row, shape (n, rank)."""
        return entries(self.kernel, as_rows(X), self.points) @ self._map

    def __call__(self, X, Y=None):
        first = self.features(X)
        return first @ (first if Y is None else self.features(Y)).T

    def diag(self, X):
        """k(x, x) for each row."""
        X = as_rows(X)
        return np.concatenate([(self.features(X[rows]) ** 2).sum(axis=1) for rows in slices(len(X), FEATURE_ROWS)])


def landmarks(kernel, X, *, rank=256, rng=None):
    """A kernel of finite rank in the place of another, so that a test takes O(n) time and memory.

    Parameters
    ----------
    kernel : callable k(X, Y=None) -> matrix
        Positive semi-definite.
    X : array-like, shape (n, d) or (n,)
        What the kernel will see: predictions, and for `klce_test` predictions and features side by side. Rows of it are
        drawn without replacement as landmarks.
    rank : int >= 1
        How many; equal rows count once, and fewer features may be left where the kernel has a lower rank.
    rng : int, Generator or None
        Draws the landmarks.

    Returns
    -------
    Landmarks
        A kernel, called like any other.

    Raises
    ------
    InputError
        For a rank below 1, or a kernel that is not positive semi-definite or 0 on the landmarks.

    Notes
    -----
    A test that redraws labels is exact with every kernel that does not look at the labels, hence with this one:
    what few landmarks cost is power (Williams & Seeger 2001 for the features). Simulated in ten classes at n = 1,000,
    where the kernel itself finds six in ten failures, 256 landmarks find as many, 32 one in ten fewer
    (tests/kernels/test_kernels.py).

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import landmarks, rbf
    >>> kernel = landmarks(rbf(bandwidth=0.2), np.linspace(0, 1, 1000), rank=20, rng=0)
    >>> kernel.features([0.5]).shape[0], len(kernel.points)
    (1, 20)
    """
    X = as_rows(X, single=True)
    check_count(rank, "rank")
    chosen = np.sort(check_rng(rng).choice(len(X), min(rank, len(X)), replace=False))
    points = np.unique(X[chosen].astype(float), axis=0)
    values, vectors = eigh(entries(kernel, points, points))
    if values[0] < -np.sqrt(np.finfo(float).eps) * abs(values[-1]):
        _refuse(kernel, f"has an eigenvalue {values[0]:g} on its landmarks")
    kept = values > len(points) * np.finfo(np.float32).eps * values[-1]  # below, 1/√Λ would blow up rounding errors
    if not kept.any():
        raise InputError("kernel", "one that is not 0 on the data", found=repr(kernel))
    return Landmarks(kernel, points, vectors[:, kept] / np.sqrt(values[kept]))


def fourier_features(X, *, bandwidth, n_frequencies=100, rng=None):
    """Random Fourier features of the Gaussian kernel exp(−‖x − y‖²/(2γ²)), γ = `bandwidth`.

    Parameters
    ----------
    X : array-like, shape (n, d) or (n,)
        Rows that the kernel compares.
    bandwidth : float > 0
        γ above.
    n_frequencies : int >= 1
        D frequencies w ~ N(0, γ⁻² I); there are 2D columns.
    rng : int, Generator or None
        Draws the frequencies.

    Returns
    -------
    ndarray, shape (n, 2D)
        [cos(Xw)/√D, sin(Xw)/√D], whose inner products estimate the kernel without bias.

    Raises
    ------
    InputError
        For a bandwidth that is not positive or n_frequencies < 1.
    """
    X = as_rows(X)
    return fourier_map(rbf(bandwidth=bandwidth), X.shape[1], n_frequencies, rng)(X)


def fourier_map(kernel, width, n_frequencies, rng):
    """One draw of Fourier features for all blocks of rows (m, width), by an RBF or ⟨x, y⟩ + RBF of one bandwidth.

    The map gives (m, 2D), or (m, width + 2D) with the row itself first.
    """
    from sklearn.gaussian_process.kernels import RBF, DotProduct, Sum

    check_count(n_frequencies, "n_frequencies")
    linear = isinstance(kernel, Sum) and isinstance(kernel.k1, DotProduct) and kernel.k1.sigma_0 == 0
    gaussian = kernel.k2 if linear else kernel
    if not (type(gaussian) is RBF and np.ndim(gaussian.length_scale) == 0):
        expected = 'linear_plus_gaussian(bandwidth) or rbf(…) with one bandwidth for method="fourier"'
        raise InputError("kernel", expected, found=repr(kernel))
    frequencies = check_rng(rng).standard_normal((width, n_frequencies)) / gaussian.length_scale

    def features(X):
        angles = X @ frequencies
        return np.hstack([X] * linear + [f(angles) / np.sqrt(n_frequencies) for f in (np.cos, np.sin)])

    return features
