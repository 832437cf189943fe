"""Exercises of the lesson bounds."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def _estimate(rng):
    return float(rng.uniform(-0.8, 1)), int(rng.integers(5, 40)), float(rng.uniform(1, 2))


def bound_unbiased(estimate, n, H):
    """exp(−⌊n/2⌋ max(0, estimate)²/(2H²))."""
    return np.exp(-(n // 2) * max(0, estimate) ** 2 / (2 * H**2))


check = Checks([
    Exercise(
        "bound_unbiased", bound_unbiased,
        "Hoeffding's inequality for U-statistics: as good as ⌊n/2⌋ independent pairs, each in [−H, H].",
        inputs=_estimate,
        hint="How many disjoint pairs do n rows give? And what should a negative estimate say?",
        mistakes=[
            Mistake(lambda t, n, H: np.exp(-n * t**2 / (2 * H**2)), "n rows make ⌊n/2⌋ disjoint pairs, so not n. And a negative estimate is no evidence: cut it at 0."),
            Mistake(lambda t, n, H: np.exp(-(n / 2) * t**2 / (2 * H**2)), "An odd row is left over: ⌊n/2⌋. And a negative estimate is no evidence: cut it at 0."),
            Mistake(lambda t, n, H: np.exp(-n * max(0, t) ** 2 / (2 * H**2)), "n rows make ⌊n/2⌋ disjoint pairs: that many terms are independent, not n."),
            Mistake(lambda t, n, H: np.exp(-(n / 2) * max(0, t) ** 2 / (2 * H**2)), "An odd row is left over: ⌊n/2⌋, not n/2."),
            Mistake(lambda t, n, H: np.exp(-(n // 2) * t**2 / (2 * H**2)),
                    "A negative estimate, squared, would speak against calibration (errata U5). Cut it at 0 first."),
            Mistake(lambda t, n, H: np.exp(-0.5 * max(0, np.sqrt(n * max(0, t) / H) - 1) ** 2), "That is the bound for the biased estimate."),
            Mistake(lambda t, n, H: np.exp(-(n // 2) * max(0, t) ** 2 / (2 * H)), "H is squared too: the exponent has no unit."),
            Mistake(lambda t, n, H: np.exp(-2 * (n // 2) * max(0, t) ** 2 / H**2),
                    "Hoeffding's range is the width of [−H, H], which is 2H."),
            Mistake(lambda t, n, H: 2 * np.exp(-(n // 2) * max(0, t) ** 2 / (2 * H**2)), "One-sided: no factor 2 in front."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    bounds_power=(
        "A bound on the p-value holds for every n. The poster's M3 draws labels without looking at the predictions. With n = 250, how "
        "often does D_uq reject it at .05?",
        ["never", "about half of the time", "always"],
        "never",
        "Not once in 10,000 data sets. The estimate is .015 on average, so the bound says exp(−125 · .015²/8) = .996; it would take an "
        "estimate of .44, and the largest was .023. The exact test rejected every one of them.",
    ),
)
