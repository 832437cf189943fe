"""Quadratic forms of a kernel matrix that is never held whole: low rank where there is one, exact tiles elsewhere."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh
from tqdm.auto import tqdm

from .kernels import MAX_RANK, as_rows, kernel_diagonal, low_rank
from .predictions import check_numbers

__all__ = ["Gram", "ProductKernel", "RowProducts", "entries", "joined_rows", "paired"]

TOLERANCE = 1e-12  # of the trace: what a low-rank kernel may leave out
PROBE_ROWS = 256  # rows whose eigenvalues tell whether the kernel has a low rank at all
HELD_ENTRIES = 2**22  # upper tiles with no more entries than this are kept between passes: 32 MB
TILE_ROWS = 256  # the upper half is cut into stripes: fewer rows waste less below the diagonal
CHUNK_ENTRIES = 2**22  # entries of the vectors treated at once
MAX_FACTOR_RANK = 500  # of one kernel of a product
BLOCK_ENTRIES = 2**22  # entries of products of features made at once


class Gram:
    """The kernel matrix K of n rows, as an operator.

    Rank is looked for among `PROBE_ROWS` rows first. If K has a low rank to `TOLERANCE`, features Φ stand for it
    (K ≈ ΦΦᵀ, O(nr) for each form) and `certificate` is tr(K − ΦΦᵀ)/tr(K). So it is, as a bound, where K is a product
    of two kernels of low rank; then the features are products too. If not, K is made again in tiles for each pass,
    O(n²) time and O(n) memory, and `certificate` is 0.

    Parameters
    ----------
    kernel : callable k(X, Y=None) -> matrix
    X : array-like, shape (n, d) or (n,)
    tile_rows : int
        Rows of a tile; results differ by rounding only.
    """

    def __init__(self, kernel, X, *, tile_rows=TILE_ROWS):
        self.kernel, self.X = kernel, as_rows(X)
        self.n, self.tile_rows = len(self.X), tile_rows
        entries(kernel, self.X[:1], self.X[:1])
        self.diagonal = kernel_diagonal(kernel, self.X)
        self.features, self.certificate, self._held = None, 0.0, None
        if self._may_have_low_rank():
            factor = low_rank(kernel, self.X, tol=TOLERANCE, max_rank=min(self.n // 4, MAX_RANK))
            if factor.residual <= self._reached(TOLERANCE) * factor.trace:
                self.features = factor.features
                self.certificate = factor.residual / factor.trace if factor.trace else 0.0
        if self.features is None and isinstance(kernel, ProductKernel) and self.n > 2 * PROBE_ROWS:
            self._multiply_low_ranks()
        if self.features is None and self.n**2 <= HELD_ENTRIES:
            self._held = list(self._make_tiles())

    def _may_have_low_rank(self):
        """Do few eigenvalues carry the kernel of some rows, spread over the data? Few rows are no cheaper with rank."""
        if self.n <= 2 * PROBE_ROWS:
            return False
        rank = _probed_rank(self.kernel, self.X)
        return rank is not None and rank < PROBE_ROWS // 2

    def _multiply_low_ranks(self):
        """Two factors of low rank: a row's features are all products of theirs, cheap to make and never held whole."""
        found, most = [], self.n // 4
        for part, X in self.kernel.factors(self.X):
            limit = min(most, MAX_FACTOR_RANK)
            if limit < 1 or _probed_rank(part, X) is None:
                return
            factor = low_rank(part, X, tol=TOLERANCE / 2, max_rank=limit)
            if factor.residual > self._reached(TOLERANCE / 2) * factor.trace:
                return
            found.append((factor, kernel_diagonal(part, X).max()))
            most //= max(1, factor.rank)
        (first, height), (second, other_height) = found
        # K₁∘K₂ − K̂₁∘K̂₂ = (K₁ − K̂₁)∘K₂ + K̂₁∘(K₂ − K̂₂) leaves out at most this much of the trace:
        left, trace = other_height * first.residual + height * second.residual, self.diagonal.sum()
        if left <= 2 * self._reached(TOLERANCE / 2) * trace:
            self.features = RowProducts(first.features, second.features)
            self.certificate = float(left / trace) if trace else 0.0

    def _reached(self, tolerance):
        """Of very many rows rounding errors leave more."""
        return max(tolerance, self.n * np.finfo(float).eps)

    def _make_tiles(self):
        for start in range(0, self.n, self.tile_rows):
            stop = min(start + self.tile_rows, self.n)
            yield slice(start, stop), entries(self.kernel, self.X[start:stop], self.X[start:])

    def tiles(self):
        """Stripes of the upper triangle: yields (rows a:b, block K[a:b, a:])."""
        return self._held if self._held is not None else self._make_tiles()

    def apply(self, V):
        """K V for V of shape (n, m)."""
        if self.features is not None:
            return self._expand(self._project(V))
        out = np.zeros_like(V, dtype=float)
        for rows, block in self.tiles():
            out[rows] += block @ V[rows.start :]
            out[rows.stop :] += block[:, rows.stop - rows.start :].T @ V[rows]
        return out

    def forms(self, make, n_draws, *, progress=False):
        """Σ_k v_kᵀ K v_k for each of many draws of d vectors.

        Parameters
        ----------
        make : callable(start, draws) -> ndarray, shape (n − start, d, b)
            Entries from row `start` of the vectors of a slice of draws.
        n_draws : int
        progress : bool

        Returns
        -------
        ndarray, shape (n_draws,)
        """
        n_columns = make(self.n - 1, slice(0, 1)).shape[1]
        step = max(1, CHUNK_ENTRIES // (self.n * n_columns))
        chunks = [slice(start, min(start + step, n_draws)) for start in range(0, n_draws, step)]
        total = np.zeros(n_draws)
        if self.features is not None:
            for draws in tqdm(chunks, disable=not progress):
                total[draws] = self._sum(self._project(self._flat(make(0, draws))) ** 2, draws)
        elif self._held is not None:  # tiles are at hand: make each chunk once
            for draws in tqdm(chunks, disable=not progress):
                V = self._flat(make(0, draws))
                total[draws] = sum(
                    self._sum(_stripe(rows, block, V[rows.start :]), draws) for rows, block in self._held
                )
        else:  # chunks are cheaper than tiles: make each tile once
            n_tiles = -(-self.n // self.tile_rows)
            for rows, block in tqdm(self._make_tiles(), total=n_tiles, disable=not progress):
                for draws in chunks:
                    total[draws] += self._sum(_stripe(rows, block, self._flat(make(rows.start, draws))), draws)
        return total

    def form(self, V):
        """Σ_k v_kᵀ K v_k for V of shape (n, d)."""
        return float(self.forms(lambda start, draws: V[start:, :, None], 1)[0])

    def _project(self, V):
        return self.features.project(V) if isinstance(self.features, RowProducts) else self.features.T @ V

    def _expand(self, W):
        return self.features.expand(W) if isinstance(self.features, RowProducts) else self.features @ W

    @staticmethod
    def _flat(V):
        return V.reshape(len(V), -1)

    @staticmethod
    def _sum(terms, draws):
        """Sum over rows and over the d vectors of each draw."""
        return terms.sum(axis=0).reshape(-1, draws.stop - draws.start).sum(axis=0)


def _stripe(rows, block, V):
    """Terms of vᵀKv in a stripe of the upper triangle; what lies right of its square stands for both triangles."""
    size = rows.stop - rows.start
    product = block[:, :size] @ V[:size]
    product += 2 * (block[:, size:] @ V[size:])
    return product * V[:size]


def entries(kernel, X, Y):
    """The block k(X, Y); what is no matrix of finite numbers is refused, as NaN would end in a p-value of 1."""
    block = np.asarray(kernel(X, Y))
    if block.shape != (len(X), len(Y)):
        raise ValueError(f"kernel: expected a matrix of shape {(len(X), len(Y))}, got shape {block.shape}")
    if not np.isfinite(block).all():
        row, column = np.argwhere(~np.isfinite(block))[0]
        raise ValueError(f"kernel: expected finite numbers, got {block[row, column]} for {X[row]} and {Y[column]}")
    return block


def paired(kernel, X, Y, *, block=256):
    """k(x_i, y_i) for each i, shape (n,), in O(n): diagonals of small blocks."""
    X, Y = as_rows(X), as_rows(Y)
    parts = [np.diagonal(entries(kernel, X[i : i + block], Y[i : i + block])) for i in range(0, len(X), block)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _probed_rank(kernel, X):
    """Numerical rank of the kernel of some rows, spread over the data; None where it is not positive semi-definite."""
    rows = X[np.linspace(0, len(X) - 1, PROBE_ROWS).astype(int)]
    values = eigvalsh(entries(kernel, rows, rows))  # rising
    left = np.cumsum(np.maximum(values, 0))
    if values[0] < -TOLERANCE * left[-1]:  # no features, but tiles can do without
        return None
    return PROBE_ROWS - int(np.searchsorted(left, TOLERANCE * left[-1]))


@dataclass(frozen=True)
class RowProducts:
    """Features Φ whose row i holds all products a_ij b_ik, as an operator: made for a few rows at a time."""

    first: np.ndarray
    second: np.ndarray

    @property
    def shape(self):
        return len(self.first), self.first.shape[1] * self.second.shape[1]

    def _blocks(self):
        step = max(1, BLOCK_ENTRIES // self.shape[1])
        for start in range(0, len(self.first), step):
            rows = slice(start, start + step)
            yield rows, (self.first[rows, :, None] * self.second[rows, None, :]).reshape(-1, self.shape[1])

    def project(self, V):
        """ΦᵀV."""
        total = np.zeros((self.shape[1], V.shape[1]))
        for rows, block in self._blocks():
            total += block.T @ V[rows]
        return total

    def expand(self, W):
        """ΦW."""
        return np.concatenate([block @ W for _, block in self._blocks()])


def joined_rows(y_prob, features):
    """What a `ProductKernel` sees: a prediction and its features side by side."""
    features = as_rows(check_numbers(features, "features", columns=1))
    if len(features) != len(y_prob):
        raise ValueError(f"features and y_prob: expected equal lengths, got {len(features)} and {len(y_prob)} rows")
    return np.hstack([as_rows(y_prob), features])


@dataclass(frozen=True)
class ProductKernel:
    """k(p, q) l(x, y) on rows that hold p (`n_columns` numbers) and then x."""

    first: object
    second: object
    n_columns: int

    def __call__(self, X, Y=None):
        Y, c = X if Y is None else Y, self.n_columns
        return entries(self.first, X[:, :c], Y[:, :c]) * entries(self.second, X[:, c:], Y[:, c:])

    def factors(self, X):
        """Both kernels, each with the columns it sees."""
        return (self.first, X[:, : self.n_columns]), (self.second, X[:, self.n_columns :])

    def diag(self, X):
        c = self.n_columns
        return kernel_diagonal(self.first, X[:, :c]) * kernel_diagonal(self.second, X[:, c:])

    def is_stationary(self):
        parts = (self.first, self.second)
        return all(hasattr(part, "is_stationary") and part.is_stationary() for part in parts)
