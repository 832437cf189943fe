"""What claims on local calibration share: sums over pairs, and halves."""

import numpy as np


def statistics(K, delta):
    """Σ_{i≠j} K_ij δ_i δ_j of every column."""
    return ((K @ delta) * delta).sum(axis=0) - np.diag(K) @ delta**2


def halves(n, rng):
    return rng.permutation(n) % 2
