"""Estimates and risks of the digits, chosen on other splits."""

from functools import lru_cache

import numpy as np
from seeds import as_shown

from calibtutor import select_estimator
from calibtutor.data.datasets import digits_predictions

ESTIMATORS = ["15 bins", "binning", "kde", "kkr", "ukkr"]


@lru_cache
def selected(model, rng=0, notion="top-label"):
    each = digits_predictions(model)
    return select_estimator(each.y_true, each.y_prob, notion=notion, rng=as_shown(rng)).table


def estimates(model):
    return selected(model).loc[ESTIMATORS, "estimate"].astype(float)


def risk_on_pairs(surface, delta):
    """The plain mean of (⟨δ_i, δ_j⟩ − h_ij)² over i ≠ j."""
    delta = delta.reshape(len(delta), -1)
    losses = (delta @ delta.T - surface) ** 2
    n = len(delta)
    return (losses.sum() - np.trace(losses)) / (n * (n - 1))
