"""What further 02 asks: the weight of one feature of fifty, what the library prints, and three guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def eq4(h):
    """Mean over the n(n − 1) pairs i ≠ j."""
    n = len(h)
    return (h.sum() - np.trace(h)) / (n * (n - 1))


def _matrix_and_kernel(rng):
    """A symmetric h whose estimate has either sign, and a kernel matrix."""
    n = int(rng.integers(4, 7))
    h, x = rng.normal(0.2, 1, (n, n)), rng.normal(size=n)
    return h + h.T, np.exp(-((x[:, None] - x) ** 2))


def klce_library(h, kernel):
    """Σ_{i≠j} h_ij over (n − 1)/n Σ_ij k_ij l_ij, which is eq. 4 over the mean of the kernel."""
    n = len(h)
    return (h.sum() - np.trace(h)) / ((n - 1) / n * kernel.sum())


check = Checks([
    Exercise("one_of_fifty", float(np.exp(-4 / 25)),
        "exp(−2²/5²) = exp(−.16) = .852: they count nearly as much, however wrong the model is about the fiftieth feature.",
        Mistake(float(np.exp(-2 / 5)), "Square both: the distance and the width."),
        Mistake(float(np.exp(-2 / 25)), "Square the distance as well. And a width, unlike a bandwidth, has no factor two below: exp(−d²/w²)."),
        Mistake(float(np.exp(-4)), "Divide the squared distance by the squared width first."),
        Mistake(0.5, "It is a Gaussian of the distance: exp(−d²/w²)."),
        hint="The factor is the kernel of the fiftieth feature alone. Which squared distance does it add, over which squared width?", tolerance=2e-3),
    Exercise("klce_library", klce_library,
        "Eq. 4 over the mean of all n² kernel values. A narrower kernel has a smaller mean, so such numbers cannot be compared across kernels or data (errata K1).",
        Mistake(lambda h, M: eq4(h), "That is eq. 4, which the paper defines. What is printed in its tables is something else."),
        Mistake(lambda h, M: h.sum() / M.sum(), "The library leaves the diagonal of h out, too."),
        Mistake(lambda h, M: (h.sum() - np.trace(h)) / M.sum(), "Almost: the factor (n − 1)/n before the kernel's sum is missing."),
        Mistake(lambda h, M: (h.sum() - np.trace(h)) / (M.sum() - np.trace(M)), "That would make sense, but the library's sum over the kernel keeps its diagonal."),
        Mistake(lambda h, M: eq4(h) / M.sum(), "The mean of the kernel, not its sum: n² times too small."),
        inputs=_matrix_and_kernel, hint="The sum of eq. 4, over another number: instead of n(n − 1) the library takes the kernel's own sum, times (n − 1)/n."),
])


guess = Guesses(
    dimension=(
        "200 rows, 40 features, and the model uses all but one. Five bandwidths are tried. How often does the exact test with the best of them find the error?",
        ["nearly always", "about half of the time", "about one time in ten"], "about one time in ten",
        "10 %, hardly more than the level of 5 %. With 2 features instead of 40 the best bandwidth finds it in 97 % of the data sets."),
    blind_kernel=(
        "A published audit (Heart, 184 test rows, features age in years and sex, l(x, x') = exp(−25 ‖x − x'‖²)) has p = .26. What does it say about the model?",
        ["it is locally calibrated", "it is probably locally calibrated", "little"], "little",
        "In years l(50, 51) = exp(−25) = 1.4e-11: people a year apart are strangers. In made-up data of that shape, frequencies .2 above the "
        "prediction for the old and .2 below for the young, 1.2 % of the pairs have k·l > .01, and the test misses the error in 43 to 51 % of data sets; "
        "with both features scaled to standard deviation 1 and bandwidth 1, in 16 to 23 %."),
    constant_shift=(
        "A model says .15 too little for nearly everyone, and you have 200 labels. How often does Algorithm 1 notice, at level .05?",
        ["hardly ever", "about half of the time", "nearly always"], "hardly ever",
        "In less than 1 % of data sets. The residuals that it redraws have the shift in them, so its null distribution lies where the statistic is. With redrawn labels the test rejects in more than 90 %."))
