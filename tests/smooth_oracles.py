"""smECE as a plain sum over mirror images; ten data sets, and what relplot 1.0.3, its authors' package, says of them.

benchmarks/reliability_against_peers.py draws the same sets and asks relplot anew. No score lies near 0 or 1: relplot's
grid counts a score of exactly 0 or 1 half, where a reflected Gaussian counts it whole.
"""

import numpy as np
from ten_sets import ten_with_generators

__all__ = ["RELPLOT", "dense_error", "right_error", "ten_sets"]

# For each set relplot.smECE(p, y) and relplot.smECE_sigma(p, y, 0.05).
RELPLOT = (
    (0.09304, 0.10366),
    (0.12915, 0.14387),
    (0.11016, 0.11178),
    (0.01505, 0.01184),
    (0.11377, 0.11718),
    (0.09812, 0.12418),
    (0.04695, 0.04551),
    (0.03993, 0.03914),
    (0.01480, 0.00756),
    (0.11557, 0.12125),
)


def ten_sets():
    """(y, p) of ten data sets."""
    return ((y, p) for y, p, _ in ten_with_generators(23))


def dense_error(y, p, width, weights=None, points=20_000, images=5):
    """∫ |mean (y − p) k(t, p)| dt from the middles of equal pieces."""
    w = np.ones(len(y)) if weights is None else weights
    t = ((np.arange(points) + 0.5) / points)[:, None]
    p, kind = np.unique(p, return_inverse=True)
    residual = np.bincount(kind, w * (y - p[kind])) / w.sum()
    k = sum(
        np.exp(-0.5 * ((t - sign * p - 2 * m) / width) ** 2) for m in range(-images, images + 1) for sign in (1, -1)
    )
    return np.abs(k @ residual).mean() / (width * np.sqrt(2 * np.pi))


def right_error(found, y, p):
    """Whether this is a value that is its own bandwidth, or so small that no bandwidth is asked for."""
    least, most = abs(np.mean(y) - np.mean(p)), np.mean(np.abs(np.subtract(y, p)))
    assert isinstance(found, float) and least - 1e-12 <= found <= most + 1e-12
    if found > 1e-3:
        np.testing.assert_allclose(found, dense_error(y, p, found), rtol=0, atol=1e-5)
    else:
        assert found < 1e-12
