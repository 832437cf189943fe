"""How often a test rejects: in full-size runs, and in draws of our own; sums over pairs, and halves."""

from functools import cache

import numpy as np
import pytest
from seeds import within

from calibtutor.reproductions import widmann
from calibtutor.reproductions.blocks import stored_summary

FOUR = ("random forest", "logistic regression", "neural network", "naive Bayes")
SLACK = 1e-12  # p-values of ranks are multiples of 1/(B + 1), up to rounding
slow = pytest.mark.slow


def alarms(pvalues, level=0.05):
    """How many of the p-values, along the first axis, reject."""
    return (np.asarray(pvalues) <= level + SLACK).sum(axis=0)


def rejected(pvalues, level=0.05):
    return alarms(pvalues, level) / len(pvalues)


def holds(pvalues, low=0.05):
    """Whether each column of p-values rejects a share that may come from a chance between low and .05."""
    return all(within(each, len(pvalues), low, 0.05, refuses=0.12) for each in np.atleast_1d(alarms(pvalues)))


@cache
def full_size():
    return stored_summary("widmann")["models"]


def size(model, test):
    """Share of data sets rejected at .05, at full size."""
    rates = full_size()[model]["rejected"][test]
    return rates[int(np.argmin(np.abs(widmann.LEVELS - 0.05)))]


def statistics(K, delta):
    """Σ_{i≠j} K_ij δ_i δ_j of every column."""
    return ((K @ delta) * delta).sum(axis=0) - np.diag(K) @ delta**2


def halves(n, rng):
    return rng.permutation(n) % 2


def h_of(y, p, kernel):
    delta = p - np.eye(p.shape[1])[y]
    return kernel(p) * (delta @ delta.T)
