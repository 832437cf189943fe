"""What claims on local calibration share: sums over pairs, halves, and how many data sets."""

import numpy as np
import pytest
from rejections import slow


def some_or_more(few, more):
    """A few data sets, or as many as give the range teeth."""
    return pytest.mark.parametrize("data_sets", [few, pytest.param(more, marks=slow)])


def statistics(K, delta):
    """Σ_{i≠j} K_ij δ_i δ_j of every column."""
    return ((K @ delta) * delta).sum(axis=0) - np.diag(K) @ delta**2


def halves(n, rng):
    return rng.permutation(n) % 2
