"""Confidences of the course's models on the digits, here and on other splits; their estimates, kernel (8)."""

from functools import lru_cache

import pytest
from risk_oracles import as_rows, off_diagonal
from seeds import as_shown, within
from splits import another_split

from calibtutor import linear_plus_gaussian, select_estimator, top_label
from calibtutor.data.datasets import digits_predictions

NEAR = linear_plus_gaussian(0.1)
PAPERS = 1079**-0.25
ESTIMATORS = ["15 bins", "binning", "kde", "kkr", "ukkr"]
slow = pytest.mark.slow


def most(hits):
    """Whether so many of 20 splits support “on most splits”: fewer than 13 do not."""
    return within(hits, 20, 0.93, 1, refuses=0.5)


def top(model, seed=None):
    each = digits_predictions(model) if seed is None else another_split(model, seed)
    return top_label(each.y_true, each.y_prob)


@lru_cache
def selected(model):
    each = digits_predictions(model)
    return select_estimator(each.y_true, each.y_prob, notion="top-label", rng=as_shown(0)).table


def estimates(model):
    return selected(model).loc[ESTIMATORS, "estimate"].astype(float)


def risk_on_pairs(surface, delta):
    """The plain mean of (⟨δ_i, δ_j⟩ − h_ij)² over i ≠ j."""
    delta = as_rows(delta)
    return off_diagonal((delta @ delta.T - surface) ** 2)
