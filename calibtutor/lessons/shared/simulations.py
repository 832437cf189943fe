"""The SKCE of the poster's models, its kernel, and which p-values reject."""

import numpy as np

from ...data.worlds import mixed_widmann_model
from ...reproductions.widmann import TotalVariationLaplacian
from .stored import stored

__all__ = ["BANDWIDTH", "BOUND_CLASSES", "FULL", "rejections", "true_skce"]


FULL = {"M2": 0.5, "M3": 1.0}  # M2 still draws half of its labels from the predictions
BOUND_CLASSES = [2, 3, 5, 10, 30]
# The poster's kernel, exp(−‖p − q‖/γ) with the total variation; .9 is near the median of 250 of its predictions.
BANDWIDTH = 0.9


@stored(FULL, BOUND_CLASSES)
def true_skce(towards, n_classes):
    """SKCE of M2 or M3 (below, it grows with the square): noiseless residuals of 5,000 predictions, pairs i ≠ j."""
    n = 5000
    p = mixed_widmann_model(0, n, n_classes=n_classes, rng=10**6)[1]
    gap = p - (np.eye(n_classes)[0] if towards == "M2" else 1 / n_classes)
    h = TotalVariationLaplacian(BANDWIDTH)(p) * (gap @ gap.T)
    return FULL[towards] ** 2 * float((h.sum() - np.trace(h)) / (n * (n - 1)))


def rejections(pvalues, alpha):
    """Which p-values reject at level alpha; those of ranks are multiples of 1/100, up to rounding."""
    return np.asarray(pvalues) <= alpha + 1e-12
