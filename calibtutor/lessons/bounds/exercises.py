"""The exercise and the guess of notebook further/01: a bound, and how many data it needs."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def bound_unbiased(estimate, n, H):
    """exp(−⌊n/2⌋ max(0, estimate)²/(2H²))."""
    return np.exp(-(n // 2) * max(0, estimate) ** 2 / (2 * H**2))


check = Checks([
    Exercise("bound_unbiased", bound_unbiased,
        "Hoeffding's inequality for U-statistics: as good as ⌊n/2⌋ independent pairs, each in [−H, H].",
        Mistake(lambda t, n, H: np.exp(-n * t**2 / (2 * H**2)), "n rows make ⌊n/2⌋ disjoint pairs, so not n. And a negative estimate is no evidence: cut it at 0."),
        Mistake(lambda t, n, H: np.exp(-n * max(0, t) ** 2 / (2 * H**2)), "n rows make ⌊n/2⌋ disjoint pairs: that many terms are independent, not n."),
        Mistake(lambda t, n, H: np.exp(-(n / 2) * max(0, t) ** 2 / (2 * H**2)), "An odd row is left over: ⌊n/2⌋, not n/2."),
        Mistake(lambda t, n, H: np.exp(-(n // 2) * t**2 / (2 * H**2)), "A negative estimate, squared, would speak against calibration (errata U5). Cut it at 0 first."),
        Mistake(lambda t, n, H: np.exp(-0.5 * max(0, np.sqrt(n * max(0, t) / H) - 1) ** 2), "That is the bound for the biased estimate."),
        Mistake(lambda t, n, H: np.exp(-2 * (n // 2) * max(0, t) ** 2 / H**2), "Hoeffding's range is the width of [−H, H], which is 2H."),
        inputs=lambda rng: (float(rng.uniform(-0.8, 1)), int(rng.integers(5, 40)), float(rng.uniform(1, 2))), hint="How many disjoint pairs do n rows give? And what should a negative estimate say?"),
])


guess = Guesses(
    bounds_power=(
        "Ten classes, labels that ignore the predictions. Put the expected estimate into the bound D_uq: from how many predictions on is it below .05?",
        ["about 200", "about 2,000", "over 200,000"], "over 200,000",
        "It is exp(−⌊n/2⌋ · SKCE²/8), and the SKCE is .015. In the 10,000 data sets of section 4, with n = 250, it rejects not once, and the exact test always."))
