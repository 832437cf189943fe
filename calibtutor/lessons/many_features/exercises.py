"""Exercises of the lesson many_features."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def _near(rows):
    """A kernel matrix of rows."""
    return np.exp(-((rows[:, None] - rows) ** 2))


def _symmetric(rng):
    """Matrices h whose estimate has either sign."""
    h = rng.normal(0.2, 1, size=[int(rng.integers(4, 7))] * 2)
    return (h + h.T,)


def eq4(h):
    """Mean over the n(n − 1) pairs i ≠ j."""
    n = len(h)
    return (h.sum() - np.trace(h)) / (n * (n - 1))


def _matrix_and_kernel(rng):
    (h,) = _symmetric(rng)
    return h, _near(rng.normal(size=len(h)))


def klce_library(h, kernel):
    """Σ_{i≠j} h_ij over (n − 1)/n Σ_ij k_ij l_ij, which is eq. 4 over the mean of the kernel."""
    n = len(h)
    return (h.sum() - np.trace(h)) / ((n - 1) / n * kernel.sum())


check = Checks([
    Exercise(
        "klce_library", klce_library, "Eq. 4 over the mean of all n² kernel values. A narrower kernel has a smaller mean, so such numbers cannot be compared across kernels or data (errata K1).",
        inputs=_matrix_and_kernel,
        hint="The sum of eq. 4, over another number: instead of n(n − 1) the library takes the kernel's own sum, times (n − 1)/n.",
        mistakes=[
            Mistake(lambda h, M: eq4(h), "That is eq. 4, which the paper defines. What is printed in its tables is something else."),
            Mistake(lambda h, M: h.sum() / M.sum(), "The library leaves the diagonal of h out, too."),
            Mistake(lambda h, M: (h.sum() - np.trace(h)) / M.sum(), "Almost: the factor (n − 1)/n before the kernel's sum is missing."),
            Mistake(lambda h, M: (h.sum() - np.trace(h)) / (M.sum() - np.trace(M)), "That would make sense, but the library's sum over the kernel keeps its diagonal."),
            Mistake(lambda h, M: eq4(h) * M.mean(), "The wrong way round: dividing eq. 4 by the mean kernel gives what is printed."),
            Mistake(lambda h, M: eq4(h) / M.sum(), "The mean of the kernel, not its sum: n² times too small."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    dimension=(
        "In Figure 3 a model does not see one of d features; n = 500, both kernels of the paper's width 5. For d = 10 the exact test finds out in 60 % of the data "
        "sets. For d = 50?",
        ["just as often", "about one time in five", "one time in twenty: the level"], "about one time in five",
        "18 % of 1,000 data sets, and 27 % for d = 30. One feature in fifty hardly changes a distance, so the kernel averages over the error. What is left "
        "is partly another error: without its last feature the sigmoid is too sure of itself on the others as well (errata K24)."),
)
