"""Many rows, fewer of what is summed: cells of nearly equal predictions (notes of `audit`), labels of few random bits.

Bins, groups, intercepts and slopes stay those of the rows: any fixed functional keeps redrawn labels exact.
"""

import numpy as np

from ..chance.resampling import FEW_CLASSES, labels_at
from ..door.probabilities import two_columns
from ..kernels import slices

MANY = 20_000  # rows; of fewer each is a cell
ALONG = 1000  # cells of one number, at most; of fewer different numbers, one each
IN_SPACE = 4096  # cells of several numbers, at most
BLOCK_DRAWS = 128
TABLE_BYTES = 2**27  # of the uniform numbers that clusters share


def are_many(panel, n_sets):
    """Whether rows are many, and the numbers that clusters share not too many."""
    n_units = 0 if panel.cluster is None else panel.cluster.max() + 1
    return len(panel) > MANY and 8 * n_units * n_sets <= TABLE_BYTES


def cells_along(values):
    """The cell of each number: equal ones in one, and of more than 1,000 different ones nearly equal ones, too."""
    different = np.unique(values)
    if len(different) <= ALONG:
        return np.searchsorted(different, values)
    cell = np.searchsorted(np.quantile(values, np.arange(1, ALONG) / ALONG), values)
    return (np.cumsum(np.bincount(cell) > 0) - 1)[cell]


def cells_in_space(X):
    """An order of the rows, and the cell of each in it: halved by top label, then where they differ most, and again."""
    parts, top = [np.arange(len(X))], X.argmax(axis=1)
    while 2 * len(parts) <= IN_SPACE:
        parts = [half for rows in parts for half in _halves(X, top, rows)]
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(rows) for rows in parts])


def _halves(X, top, rows):
    by = top[rows]  # which the mean of a cell must not forget: a slope would be lost
    if (by == by[0]).all():
        by = X[rows, X[rows[:: max(1, len(rows) // 64)]].var(axis=0, dtype=float).argmax()]
    return np.array_split(rows[np.argpartition(by, len(rows) // 2)], 2)


def quick_labels(p, count, rng):
    """Labels of Cat(p_i), (n, count); `count` may be uniform numbers (n, ·) to draw them by.

    A byte decides most: with a_k = ⌊255 p_k⌋ the label is k for a_k of 256 bytes, and for those that are left it is
    drawn from p − a/256.
    """
    p = two_columns(p)
    if np.ndim(count) or p.shape[1] > FEW_CLASSES:
        return labels_at(p, count if np.ndim(count) else rng.random((len(p), count)))
    whole, labels = np.floor(255 * p), np.empty((len(p), count), dtype=np.uint8)
    ends, below = np.cumsum(whole, axis=1).astype(np.uint8), np.cumsum(p - whole / 256, axis=1)
    for part in slices(count, BLOCK_DRAWS):
        size = part.stop - part.start
        byte = rng.integers(2**64 - 1, size=(len(p), -(-size // 8)), dtype=np.uint64, endpoint=True)
        byte = byte.view(np.uint8)[:, :size]
        found = sum((byte >= end[:, None]).view(np.uint8) for end in ends.T)
        row, column = np.divmod(np.flatnonzero(found == p.shape[1]), size)
        edges = below[row]
        found[row, column] = (rng.random((len(row), 1)) * edges[:, -1:] >= edges[:, :-1]).sum(axis=1)
        labels[:, part] = found
    return labels
