"""Confidences of the course's models, here and on other splits, and their CKCE with kernel (8)."""

import numpy as np
import pytest
from seeds import within
from splits import another_split

from calibtutor import top_label
from calibtutor.data.datasets import digits_predictions
from calibtutor.kernels import linear_plus_gaussian, low_rank

NEAR = linear_plus_gaussian(0.1)
PAPERS = 1079**-0.25
slow = pytest.mark.slow


def most(hits, n=20):
    """Whether so many of 20 splits support “on most splits”: fewer than 13 do not."""
    assert n == 20
    return within(hits, n, 0.93, 1, refuses=0.5)


def top(model, seed=None):
    each = digits_predictions(model) if seed is None else another_split(model, seed)
    return top_label(each.y_true, each.y_prob)


def norms(hit, confidence, penalties, bandwidth):
    """The CKCE with each of these penalties."""
    phi, n = low_rank(linear_plus_gaussian(bandwidth), confidence, tol=1e-11).features, len(hit)
    C, S = phi.T @ phi / n, phi.T @ (confidence - hit) / n
    return np.array([(np.linalg.solve(C + each * np.eye(len(C)), S) ** 2).sum() for each in penalties])
