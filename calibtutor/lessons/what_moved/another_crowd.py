"""Another crowd of digits: weights by groups of confidences, and what three errors do."""

from functools import lru_cache

import numpy as np

from ..shared.ckce_on_digits import confidences, root_errors

RESAMPLES = 200


@lru_cache
def redrawn(n):
    """How often each of n rows is in each of RESAMPLES bootstraps; row 0: in the data themselves."""
    rng = np.random.default_rng(0)
    counts = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(RESAMPLES)]
    return np.array([np.ones(n), *counts])


EDGES = [0.7, 0.9, 0.99]
GROUPS = ["below .7", ".7 to .9", ".9 to .99", "above .99"]
TIMES = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]


def group_of(confidence):
    """The number of each confidence's group, an edge belonging to the group above it."""
    return np.searchsorted(EDGES, confidence, side="right")


def crowd(confidence, times):
    """A weight for each image, chosen by its confidence alone, so that P(Y | p) stays: times[g] in group g, mean 1."""
    weights = np.asarray(times)[group_of(confidence)]
    return weights / weights.mean()


def ratios(phi, hit, confidence, weights, penalty, counts):
    """Errors with these weights, relative to those without, in the data (row 0) and in bootstraps: (m, 3)."""
    after = root_errors(phi, hit, confidence, counts * weights, penalty)
    before = root_errors(phi, hit, confidence, counts, penalty)
    return np.divide(after, before, out=np.ones_like(after), where=before > 0)


@lru_cache(maxsize=256)
def moved(model, times, penalty):
    """`ratios` of a model for weights of the four groups: (1 + RESAMPLES, 3)."""
    hit, confidence, features = confidences(model)
    weights = crowd(confidence, times)
    return ratios(features.features, hit, confidence, weights, penalty, redrawn(len(hit)))
