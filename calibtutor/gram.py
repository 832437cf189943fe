"""Quadratic forms of a kernel matrix that is never held whole: low rank where there is one, exact tiles elsewhere."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh
from tqdm.auto import tqdm

from .kernels import MAX_RANK, as_rows, kernel_diagonal, low_rank

__all__ = ["Gram", "ProductKernel", "entries", "paired"]

TOLERANCE = 1e-12  # of the trace: what a low-rank kernel may leave out
PROBE_ROWS = 256  # rows whose eigenvalues tell whether the kernel has a low rank at all
HELD_ENTRIES = 2**22  # upper tiles with no more entries than this are kept between passes: 32 MB
TILE_ROWS = 256  # the upper half is cut into stripes: fewer rows waste less below the diagonal
CHUNK_ENTRIES = 2**22  # entries of the vectors treated at once


class Gram:
    """The kernel matrix K of n rows, as an operator.

    Rank is looked for among `PROBE_ROWS` rows first. If K has a low rank to `TOLERANCE`, features Φ stand for it
    (K ≈ ΦΦᵀ, O(nr) for each form) and `certificate` is tr(K − ΦΦᵀ)/tr(K). If not, K is made again in tiles for
    each pass, O(n²) time and O(n) memory, and `certificate` is 0.

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
            reached = max(TOLERANCE, self.n * np.finfo(float).eps)  # of very many rows rounding errors leave more
            if factor.residual <= reached * factor.trace:
                self.features = factor.features
                self.certificate = factor.residual / factor.trace if factor.trace else 0.0
        if self.features is None and self.n**2 <= HELD_ENTRIES:
            self._held = list(self._make_tiles())

    def _may_have_low_rank(self):
        """Do few eigenvalues carry the kernel of some rows, spread over the data? Few rows are no cheaper with rank."""
        if self.n <= 2 * PROBE_ROWS:
            return False
        rows = self.X[np.linspace(0, self.n - 1, PROBE_ROWS).astype(int)]
        values = eigvalsh(entries(self.kernel, rows, rows))  # rising
        left = np.cumsum(np.maximum(values, 0))
        if values[0] < -TOLERANCE * left[-1]:  # not positive semi-definite: no features, but tiles can do without
            return False
        return np.searchsorted(left, TOLERANCE * left[-1]) > PROBE_ROWS // 2

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
            return self.features @ (self.features.T @ V)
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
                total[draws] = self._sum((self.features.T @ self._flat(make(0, draws))) ** 2, draws)
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


@dataclass(frozen=True)
class ProductKernel:
    """k(p, q) l(x, y) on rows that hold p (`n_columns` numbers) and then x."""

    first: object
    second: object
    n_columns: int

    def __call__(self, X, Y=None):
        Y, c = X if Y is None else Y, self.n_columns
        return entries(self.first, X[:, :c], Y[:, :c]) * entries(self.second, X[:, c:], Y[:, c:])

    def diag(self, X):
        c = self.n_columns
        return kernel_diagonal(self.first, X[:, :c]) * kernel_diagonal(self.second, X[:, c:])

    def is_stationary(self):
        parts = (self.first, self.second)
        return all(hasattr(part, "is_stationary") and part.is_stationary() for part in parts)
