"""Errors to plant, four pairs of kernels, and how often each pair finds each error."""

import numpy as np

from ...kernels import rbf
from ...pvalues import aggregated_pvalue
from ..shared.stored import stored

ERRORS = ["everywhere", "left and right", "ten stripes", "four corners", "one spot"]
SIZES = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
# Bandwidths of k, in p, and of l, in x; None: the kernel is 1.
KERNELS = {"l = 1": (0.1, None), "k = 1": (None, 0.1), "both, wide": (0.2, 0.5), "both, narrow": (0.05, 0.1)}
SETS, ROWS, DRAWS, LEVEL = 200, 300, 99, 0.05


def miss(error, size, p, x):
    """What the planted error adds to what is said, at prediction p and feature x: the frequency is p − miss."""
    signs = {
        "everywhere": np.ones(np.broadcast(p, x).shape),
        "left and right": np.sign(x) * (p > 0),
        "ten stripes": np.sign(np.sin(5 * np.pi * x)) * (p > 0),
        "four corners": np.sign(x) * np.sign(p - 0.5),
        "one spot": (np.abs(p - 0.5) < 0.125) & (np.abs(x - 0.4) < 0.35),
    }
    return size * signs[error]


def together(p, x, widths):
    """The matrix k(p_i, p_j) l(x_i, x_j) with Gaussian kernels of these bandwidths; None is the kernel 1."""
    K = np.ones((len(p), len(p)))
    for rows, width in zip((p, x), widths, strict=True):
        K *= 1 if width is None else rbf(bandwidth=width)(rows[:, None])
    return K


@stored(ERRORS, SIZES)
def found(error, size):
    """Share of data sets that the exact test rejects, a kernel each, and the aggregated test over all of them."""
    rejected = []
    for number in range(SETS):
        rng = np.random.default_rng([9, number])
        p, x = rng.uniform(0.25, 0.75, ROWS), rng.uniform(-1, 1, ROWS)
        y = rng.random(ROWS) < p - miss(error, size, p, x)
        delta = p[:, None] - np.column_stack([y, rng.random((ROWS, DRAWS)) < p[:, None]])  # observed, then redrawn
        matrices = [together(p, x, widths) for widths in KERNELS.values()]
        values = np.array([((K @ delta) * delta).sum(axis=0) - (delta**2).sum(axis=0) for K in matrices])
        _, aggregated, single = aggregated_pvalue(values)
        rejected.append(np.append(single, aggregated) <= LEVEL + 1e-12)
    return np.mean(rejected, axis=0)
