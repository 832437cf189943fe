"""Quadratic forms of a kernel matrix that is never held whole: low rank where there is one, exact tiles elsewhere."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy.linalg import eigvalsh
from tqdm.auto import tqdm

from .inputs import InputError, check_kernel, check_numbers, check_rows
from .kernels import as_rows, entries, kernel_diagonal, low_rank, paired
from .kernels.finite_rank import MAX_RANK

__all__ = ["Bar", "Gram", "ProductKernel", "RowProducts", "joined_rows", "listed_kernels", "paired"]

TOLERANCE = 1e-12  # of the trace: what a low-rank kernel may leave out
PROBE_ROWS = 256  # rows whose eigenvalues tell whether the kernel has a low rank at all
TILE_ROWS = 512  # the matrix is cut into squares: 2 MB, and each entry of a vector that is made serves 512 times
CHUNK_ENTRIES = 2**20  # entries of the vectors treated at once: 8 MB
MAX_FACTOR_RANK = 500  # of one kernel of a product
BLOCK_ENTRIES = 2**20  # entries of products of features made at once

LONG = 60  # seconds
FASTER = "kernel=landmarks(kernel, rows) takes time in proportion to the rows, and the test stays exact"


class Bar:
    """A progress bar, and one line ahead of what will take more than a minute, in the log of this package."""

    def __init__(self, total, *, show, faster):
        self._bar, self._started = tqdm(total=total, disable=not show), perf_counter()
        self._total, self._done, self._faster = total, 0, faster

    def step(self):
        """One step is done."""
        self._bar.update()
        self._done += 1
        elapsed = perf_counter() - self._started
        if self._faster and elapsed > LONG / 30:
            expected = elapsed / self._done * self._total
            if expected > LONG:
                message = "this will take about %.0f minutes; %s"
                logging.getLogger("calibtutor").warning(message, max(1, expected / 60), self._faster)
            self._faster = None
        if self._done == self._total:
            self._bar.close()


class Gram:
    """The kernel matrix K of n rows, as an operator.

    Rank is looked for among `PROBE_ROWS` rows first. If K has a low rank to `TOLERANCE`, features Φ stand for it
    (K ≈ ΦΦᵀ, O(nr) for each form) and `left_out` is tr(K − ΦΦᵀ)/tr(K). So it is, as a bound, where K is a product
    of two kernels of low rank; then the features are products too. If not, K is made again in square tiles of
    `tile_rows` for each pass, O(n²) time and O(n) memory, and `left_out` is 0.
    """

    def __init__(self, kernel, X, *, tile_rows=TILE_ROWS):
        self.kernel, self.X = kernel, as_rows(X)
        self.n, self.tile_rows = len(self.X), tile_rows
        entries(kernel, self.X[:1], self.X[:1])
        self.diagonal = kernel_diagonal(kernel, self.X)
        self.features, self.left_out = None, 0.0
        if self._may_have_low_rank():
            factor = low_rank(kernel, self.X, tol=TOLERANCE, max_rank=min(self.n // 4, MAX_RANK))
            if factor.residual <= self._reached(TOLERANCE) * factor.trace:
                self.features = factor.features
                self.left_out = factor.residual / factor.trace if factor.trace else 0.0
        if self.features is None and isinstance(kernel, ProductKernel) and self.n > 2 * PROBE_ROWS:
            self._multiply_low_ranks()

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
            self.left_out = float(left / trace) if trace else 0.0

    def _reached(self, tolerance):
        """Of very many rows rounding errors leave more."""
        return max(tolerance, self.n * np.finfo(float).eps)

    def _blocks(self, size):
        return [slice(start, min(start + size, self.n)) for start in range(0, self.n, size)]

    def tiles(self):
        """The upper triangle in squares: yields (rows, columns, K[rows, columns])."""
        blocks = self._blocks(self.tile_rows)
        for number, rows in enumerate(blocks):
            for columns in blocks[number:]:
                yield rows, columns, entries(self.kernel, self.X[rows], self.X[columns])

    def _feature_blocks(self):
        """Yields (rows, Φ[rows])."""
        products = isinstance(self.features, RowProducts)
        for rows in self._blocks(max(1, BLOCK_ENTRIES // self.features.shape[1]) if products else self.tile_rows):
            yield rows, self.features[rows]

    def apply(self, V):
        """K V for V of shape (n, m)."""
        if self.features is not None:
            W = sum(block.T @ V[rows] for rows, block in self._feature_blocks())
            return np.concatenate([block @ W for _, block in self._feature_blocks()])
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
        height = self.tile_rows if self.features is None else max(self.tile_rows, self.features.shape[1])
        step = max(1, CHUNK_ENTRIES // (height * make(slice(0, 1), slice(0, 1)).shape[1]))
        chunks = [slice(start, min(start + step, n_draws)) for start in range(0, n_draws, step)]
        form, own = np.zeros((2, n_draws))
        if self.features is not None:
            bar = Bar(len(chunks), show=progress, faster=FASTER)
            for draws in chunks:
                W = 0.0
                for rows, block in self._feature_blocks():
                    V = make(rows, draws)
                    own[draws] += self.diagonal[rows] @ (V**2).sum(axis=1)
                    W += block.T @ V.reshape(len(V), -1)
                form[draws] = _sum(W**2, draws)
                bar.step()
            return form, own
        n_blocks = len(self._blocks(self.tile_rows))  # chunks are cheaper than tiles: each tile is made once
        bar = Bar(n_blocks * (n_blocks + 1) // 2, show=progress, faster=FASTER)
        for rows, columns, block in self.tiles():
            for draws in chunks:
                V = W = make(rows, draws)
                if columns == rows:
                    own[draws] += self.diagonal[rows] @ (V**2).sum(axis=1)
                else:  # a tile stands for both triangles
                    W = 2 * make(columns, draws)
                form[draws] += _sum((block @ W.reshape(len(W), -1)) * V.reshape(len(V), -1), draws)
            bar.step()
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
    """Features Φ whose row i holds all products a_ij b_ik: made for the rows that are asked for."""

    first: np.ndarray
    second: np.ndarray

    @property
    def shape(self):
        """Of the features, which are never made all at once."""
        return len(self.first), self.first.shape[1] * self.second.shape[1]

    def __getitem__(self, rows):
        return (self.first[rows, :, None] * self.second[rows, None, :]).reshape(-1, self.shape[1])


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

    def factors(self, X):
        """Both kernels, each with the columns it sees."""
        return (self.first, X[:, : self.n_columns]), (self.second, X[:, self.n_columns :])

    def diag(self, X):
        """k(p, p) l(x, x) for each row."""
        c = self.n_columns
        return kernel_diagonal(self.first, X[:, :c]) * kernel_diagonal(self.second, X[:, c:])

    def is_stationary(self):
        """Whether both kernels say that they are."""
        parts = (self.first, self.second)
        return all(hasattr(part, "is_stationary") and part.is_stationary() for part in parts)
