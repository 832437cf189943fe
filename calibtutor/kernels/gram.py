"""Quadratic forms of a kernel matrix that is never held whole: low rank where there is one, exact tiles elsewhere."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvalsh

from ..door.arrays import as_rows, check_numbers
from ..door.inputs import InputError, check_kernel, check_rows
from ..progress import progress_bar
from .finite_rank import MAX_RANK, low_rank
from .matrix import entries, kernel_diagonal, slices

TOLERANCE = 1e-12  # of the trace: what a low-rank kernel may leave out
PROBE_ROWS = 256  # rows whose eigenvalues tell whether the kernel has a low rank at all
TILE_ROWS = 512  # the matrix is cut into squares: 2 MB, and each entry of a vector that is made serves 512 times
CHUNK_ENTRIES = 2**20  # entries of the vectors treated at once: 8 MB
BLOCK_ENTRIES = 2**20  # entries of products of features made at once


class Gram:
    """The kernel matrix K of n rows, as an operator.

    Rank is looked for among `PROBE_ROWS` rows first. If K has a low rank to `TOLERANCE`, features Φ stand for it
    (K ≈ ΦΦᵀ, O(nr) for each form). If not, K is made again in square tiles for each pass, O(n²) time and O(n) memory.
    """

    def __init__(self, kernel, X):
        self.kernel, self.X = kernel, as_rows(X)
        self.n = len(self.X)
        entries(kernel, self.X[:1], self.X[:1])
        self.diagonal = kernel_diagonal(kernel, self.X)
        self.features = None
        if self._may_have_low_rank():
            factor = low_rank(kernel, self.X, tol=TOLERANCE, max_rank=min(self.n // 4, MAX_RANK))
            if factor.residual <= max(TOLERANCE, self.n * np.finfo(float).eps) * factor.trace:  # of many rows, rounding
                self.features = factor.features

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

    def tiles(self):
        """The upper triangle in squares: yields (rows, columns, K[rows, columns])."""
        blocks = slices(self.n, TILE_ROWS)
        for number, rows in enumerate(blocks):
            for columns in blocks[number:]:
                yield rows, columns, entries(self.kernel, self.X[rows], self.X[columns])

    def apply(self, V):
        """K V for V of shape (n, m)."""
        if self.features is not None:
            return self.features @ (self.features.T @ V)
        out = np.zeros_like(V, dtype=float)
        for rows, columns, block in self.tiles():
            out[rows] += block @ V[columns]
            if columns != rows:
                out[columns] += block.T @ V[rows]
        return out

    def forms(self, make, n_draws, *, progress=False):
        """Σ_k Σ_ij K_ij v_ki v_kj for each of many draws of d vectors, and the part of it with i = j.

        `make(rows, draws)` gives the vectors' entries, (rows, d, draws), for slices of both: they are never held whole.
        """
        height = TILE_ROWS if self.features is None else max(TILE_ROWS, self.features.shape[1])
        chunks = slices(n_draws, CHUNK_ENTRIES // (height * make(slice(0, 1), slice(0, 1)).shape[1]))
        (form, own), blocks = np.zeros((2, n_draws)), slices(self.n, TILE_ROWS)
        if self.features is not None:
            for draws in progress_bar(chunks, shown=progress):
                W = 0.0
                for rows in blocks:
                    V = make(rows, draws)
                    own[draws] += self.diagonal[rows] @ (V**2).sum(axis=1)
                    W += self.features[rows].T @ V.reshape(len(V), -1)
                form[draws] = _sum(W**2, draws)
            return form, own
        n_tiles = len(blocks) * (len(blocks) + 1) // 2
        for rows, columns, block in progress_bar(self.tiles(), total=n_tiles, shown=progress):
            for draws in chunks:  # they are cheaper than tiles: each tile is made once
                V = W = make(rows, draws)
                if columns == rows:
                    own[draws] += self.diagonal[rows] @ (V**2).sum(axis=1)
                else:  # a tile stands for both triangles
                    W = 2 * make(columns, draws)
                form[draws] += _sum((block @ W.reshape(len(W), -1)) * V.reshape(len(V), -1), draws)
        return form, own

    def form(self, V):
        """Σ_k v_kᵀ K v_k for V of shape (n, d)."""
        return float(self.forms(lambda rows, _: V[rows, :, None], 1)[0][0])


def _sum(terms, draws):
    """Sum over rows and over the d vectors of each draw."""
    return terms.sum(axis=0).reshape(-1, draws.stop - draws.start).sum(axis=0)


def listed_kernels(kernel, name="kernel"):
    """([kernels], are they several?) of a callable, or of any iterable of callables."""
    several = isinstance(kernel, Iterable) and not callable(kernel) and not isinstance(kernel, str)
    kernels = list(kernel) if several else [kernel]
    for each in kernels:
        check_kernel(each, name)
    if not kernels:
        raise InputError(name, "at least one kernel", found="an empty list")
    return kernels, several


def joined_rows(y_prob, features):
    """What a `ProductKernel` sees: a prediction and its features side by side."""
    features = as_rows(check_numbers(features, "features", columns=1))
    check_rows(features, y_prob, len(features), len(y_prob), "features", "y_prob")
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

    def diag(self, X):
        """k(p, p) l(x, x) for each row."""
        c = self.n_columns
        return kernel_diagonal(self.first, X[:, :c]) * kernel_diagonal(self.second, X[:, c:])

    def is_stationary(self):
        """Whether both kernels say that they are."""
        parts = (self.first, self.second)
        return all(hasattr(part, "is_stationary") and part.is_stationary() for part in parts)
