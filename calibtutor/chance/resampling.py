"""Data sets drawn as if the model were calibrated.

If the model is calibrated, then given the predictions the labels are independent draws Y_i ~ Cat(p_i). The observed
labels and B redrawn ones are then exchangeable, so a rank among the B + 1 is an exact p-value, whatever n, the
statistic and its distribution (Besag & Clifford 1989, "Generalized Monte Carlo significance tests").
"""

import numpy as np

from ..door.inputs import InputError, check_rng
from ..kernels import slices
from ..kernels.gram import BLOCK_ENTRIES

FEW_CLASSES = 32  # so many comparisons are faster than a search
CHUNK_BYTES = 2**25  # of what is drawn at once: 32 MB


def chunks_of_draws(n, n_draws, size=1):
    """The draws as ranges, so many at a time that arrays (n, draws) of `size` bytes an entry stay below 32 MB."""
    return [range(draws.start, draws.stop) for draws in slices(n_draws, CHUNK_BYTES // (n * size))]


def draw_labels(y_prob, n_draws, rng=None, *, observed=None, cluster=None):
    """Labels drawn from the predictions, (n, n_draws), independently, or all rows of a cluster by one uniform number.

    `observed` labels stand before the draws: all are treated alike, which is what makes ranks exact. Rows of one value
    of the sorted `cluster` get the labels F_{p_i}^{-1}(u) of one u: they are as dependent as they can be. The type is
    the smallest unsigned one that holds the classes, a byte up to 256: do no arithmetic in it.
    """
    rng, first = check_rng(rng), 0 if observed is None else 1
    try:
        labels = np.empty((len(y_prob), first + n_draws), dtype=label_type(y_prob))
    except (MemoryError, ValueError):  # numpy says the second of what an index of 4 bytes cannot count, in a browser
        raise InputError("n_resamples", f"fewer for {len(y_prob):,} rows: all labels are held", found=n_draws) from None
    if first:
        labels[:, 0] = observed
    for rows, uniform in _uniform_numbers(rng, n_draws, len(y_prob), cluster, y_prob.size // max(len(y_prob), 1)):
        if y_prob.ndim == 1:
            np.less(uniform, y_prob[rows, None], out=labels[rows, first:], casting="unsafe")
        else:
            labels[rows, first:] = labels_at(y_prob[rows], uniform)
    return labels


def labels_at(y_prob, uniform):
    """The labels F_{p_i}^{-1}(u) of rows, (n, d), by numbers u, (n, draws)."""
    below = np.cumsum(y_prob, axis=1, dtype=float)
    below /= below[:, -1:]  # rows may miss 1 by a rounding error, which must not fall to the last class
    if below.shape[1] <= FEW_CLASSES:
        return sum((uniform >= edge[:, None]).view(np.uint8) for edge in below.T[:-1])
    kind, pairs = label_type(y_prob), zip(below, uniform, strict=True)
    return np.array([edges.searchsorted(u, side="right").astype(kind) for edges, u in pairs])


def _uniform_numbers(rng, n_draws, n, cluster, width):
    """Blocks of rows and their numbers, (rows, n_draws); rows of a cluster (sorted) have the same ones."""
    last = None
    for rows in slices(n, BLOCK_ENTRIES // 8 // max(n_draws, width)):
        if cluster is None:
            yield rows, rng.random((rows.stop - rows.start, n_draws))
            continue
        begins = np.array([row == 0 or cluster[row] != cluster[row - 1] for row in range(rows.start, rows.stop)])
        fresh = rng.random((begins.sum(), n_draws))
        pool = fresh if begins[0] else np.vstack([last, fresh])
        last = pool[-1:]
        yield rows, pool[np.cumsum(begins) - int(begins[0])]


def label_type(y_prob):
    return np.min_scalar_type(1 if y_prob.ndim == 1 else y_prob.shape[1] - 1)
