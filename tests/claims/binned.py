"""ECEs of hits and confidences, bin by bin, and the digits they are taken of."""

import numpy as np

from calibtutor import top_label
from calibtutor.data.datasets import digits_predictions


def binned(p, hit, n_bins):
    """Counts, mean confidences and shares of hits of the bins that hold data; hit may have several rows."""
    cell = np.clip(np.ceil(p * n_bins).astype(int) - 1, 0, n_bins - 1)
    inside = np.eye(n_bins)[cell]
    inside = inside[:, inside.any(axis=0)]
    count = inside.sum(axis=0)
    return count, p @ inside / count, hit @ inside / count


def ece(p, hit, n_bins=15):
    count, said, came = binned(p, hit, n_bins)
    return np.abs(said - came) @ count / count.sum()


def top(model, n=None):
    """Hits and confidences of a model on the digits, or on the first n of them."""
    each = digits_predictions(model)
    hit, confidence = top_label(each.y_true[:n], each.y_prob[:n])
    return hit.astype(float), confidence


def calibrated(n, repeats, rng):
    """Scores of a calibrated model, spread evenly over [0, 1], and labels of many data sets."""
    p = (np.arange(n) + 0.5) / n
    return p, (rng.random((repeats, n)) < p).astype(float)
