"""The poster's models in words, the SKCE of M3 and its kernel."""

import numpy as np

from ...data.worlds import mixed_widmann_model
from ...reproductions.widmann import TotalVariationLaplacian
from .stored import stored

LIKE = {"M1": "calibrated", "M2": "half of the labels set to class 0", "M3": "labels ignore predictions",
        "heteroscedastic": "calibrated", "near-deterministic": "calibrated"}
# The poster's kernel, exp(−‖p − q‖/γ) with the total variation; .9 is near the median of 250 of its predictions.
BANDWIDTH = 0.9


def on_the_way(strength):
    """What the poster's data are, between the calibrated M1 and M3, in words."""
    return f"{strength:.0%} towards M3 ({LIKE['M3']})" if strength else "calibrated (M1)"


@stored()
def true_skce():
    """SKCE of M3, ten classes (below, it grows with the square): noiseless residuals of 5,000 predictions, pairs i ≠ j."""
    n = 5000
    p = mixed_widmann_model(0, n, n_classes=10, rng=10**6)[1]
    gap = p - 1 / 10
    h = TotalVariationLaplacian(BANDWIDTH)(p) * (gap @ gap.T)
    return float((h.sum() - np.trace(h)) / (n * (n - 1)))
