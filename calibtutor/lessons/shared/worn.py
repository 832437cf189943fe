"""The worn scanner: recalibrated halves of the digits, and their misses by quarter of noise."""

from functools import lru_cache

import numpy as np

from ...data.datasets import worn_digits
from ...door.predictions import top_label
from ...recalibration import IsotonicCalibration

CAST = ("neural network", "random forest", "logistic regression", "naive Bayes")
FOLDS = 2


def folds(n):
    """Which half each row belongs to, shape (n,)."""
    return np.random.default_rng(0).permutation(n) % FOLDS


@lru_cache
def scans(model, isotonic):
    """The worn scanner, top label: hits (n,), confidences (n,), wear (n,), ink (n,).

    With `isotonic` each half's confidences are recalibrated on the other half.
    """
    predictions, wear = worn_digits(model)
    hit, confidence = top_label(predictions.y_true, predictions.y_prob)
    if isotonic:
        confidence = crossed(IsotonicCalibration, hit, confidence, folds(len(hit)))
    return hit, confidence, wear, predictions.ink


def crossed(method, y, said, half):
    """Each half recalibrated by a map that was fitted on the other half."""
    mapped = np.empty(len(y))
    for k in range(FOLDS):
        mapped[half == k] = method().fit(y[half != k], said[half != k]).predict_proba(said[half == k])
    return mapped


def quarters(hit, confidence, feature):
    """Confidence minus share of hits in each quarter of a feature, and its standard error, both shape (4,)."""
    group = np.searchsorted(np.quantile(feature, [0.25, 0.5, 0.75]), feature)
    miss = [(confidence - hit)[group == k] for k in range(4)]
    return np.array([m.mean() for m in miss]), np.array([m.std() / np.sqrt(len(m)) for m in miss])
