"""Exercise and guess on the noise in an error."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _floors(rng):
    own = rng.uniform(0.001, 0.02, 4)
    return rng.uniform(0.2, 3, 4), own * rng.uniform(0.5, 2.5, 4), own, int(rng.integers(5, 12))


def without_noise(weight, energy, own, n):
    """Pairs i ≠ j only, over n(n − 1)."""
    return (weight * (energy - own)).sum() * n / (n - 1)


check = Checks([
    Exercise("without_noise", without_noise,
        "At (0, 0) this is the unbiased SKCE; elsewhere it is the same mean over pairs i ≠ j. For a calibrated model its mean is 0.",
        Mistake(lambda w, e, own, n: (w * (e - own)).sum(), "The pairs i = i are gone from the sum, but n² still stands below. n(n − 1) pairs are left."),
        Mistake(lambda w, e, own, n: (w * e).sum() - own.sum(), "Noise is weighted like everything else in its direction."),
        Mistake(lambda w, e, own, n: (w * e).sum(), "The noise is still in it: no pair has been taken off."),
        Mistake(lambda w, e, own, n: (w * np.maximum(e - own, 0)).sum() * n / (n - 1), "Cut at 0 direction by direction it is biased: for a calibrated model its mean would be above 0."),
        Mistake(lambda w, e, own, n: (e - own).sum() * n / (n - 1), "The weights are missing: this is the unbiased SKCE wherever the dial stands."),
        inputs=_floors, hint="Noise comes from rows that meet themselves. Take it off in each direction, with the direction's weight; then ask how many pairs are left."),
])

guess = Guesses(
    noise_share=(
        "The neural network is nearly calibrated. How much of its CKCE of .173 (λ = .001) would noise alone give?",
        ["almost nothing", "about a third", "most of it"], "most of it",
        "81 %: small eigenvalues are divided by little, and there data are few. Without the pairs of a row with itself, .033 is left. Of the forest's .533 noise makes 32 %, of its SKCE .4 %."))
