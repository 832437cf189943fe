"""Exercises of the lesson kernel_density."""

import numpy as np
from scipy.special import gamma as factorial
from scipy.special import gammaln

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def leave_one_out(kernel, y):
    """r̂_i = Σ_{j≠i} k_ij y_j / Σ_{j≠i} k_ij."""
    kernel = kernel - np.diag(np.diag(kernel))
    return kernel @ y / kernel.sum(axis=1)


def _kernel_and_labels(rng):
    return rng.random((3, 3)) + 0.1, rng.integers(0, 2, 3)  # not symmetric, and the diagonal is not 1


def _half_masked(kernel, y):
    return (kernel - np.diag(np.diag(kernel))) @ y / kernel.sum(axis=1)


def beta_kernel(p, c, gamma):
    """The Beta density at p whose top is at c."""
    from scipy.stats import beta

    return beta.pdf(p, c / gamma + 1, (1 - c) / gamma + 1)


def _beta_pdf(p, a, b):
    from scipy.stats import beta

    return beta.pdf(p, a, b)


def _points_and_centres(rng):
    """Points and centres, sometimes both at the wall, and a bandwidth, sometimes one that makes Γ overflow."""
    p, c = rng.uniform(0.05, 0.95, (3, 1)), rng.uniform(0.05, 0.95, (1, 4))
    if rng.random() < 0.4:
        p[-1, 0] = c[0, -1] = 1
    return p, c, 0.001 if rng.random() < 0.4 else rng.uniform(0.05, 0.5)


def _log_beta_kernel(p, c, gamma):
    with np.errstate(divide="ignore"):
        return np.log(beta_kernel(p, c, gamma))


def _beta_kernel_by_formula(p, c, gamma):
    """As it is printed: Γ(1/γ + 2) overflows from γ = .005 down."""
    a, b = c / gamma + 1, (1 - c) / gamma + 1
    with np.errstate(all="ignore"):
        front = factorial(a + b) / (factorial(a) * factorial(b))
        return front * p ** (a - 1) * (1 - p) ** (b - 1)


def _beta_kernel_without_xlogy(p, c, gamma):
    """By logarithms, with 0 · log 0 in it where p and c are 1."""
    a, b = c / gamma + 1, (1 - c) / gamma + 1
    with np.errstate(all="ignore"):
        return np.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + (a - 1) * np.log(p) + (b - 1) * np.log(1 - p))


check = Checks([
    Exercise(
        "beta_kernel", beta_kernel,
        "A density in p for every centre c. Its top is at c, because a Beta(a, b) has it at (a − 1)/(a + b − 2).",
        inputs=_points_and_centres,
        hint="For two classes the Dirichlet density is the Beta density of p: which two parameters? scipy.stats.beta.pdf(x, a, b) has it.",
        mistakes=[
            Mistake(lambda p, c, g: beta_kernel(*np.broadcast_arrays(c, p), g),
                    "You exchanged p and c: the parameters come from the centre, the density is taken at p (errata G10)."),
            Mistake(lambda p, c, g: beta_kernel(1 - p, c, g),
                    "That is the mirror image. The first parameter belongs to p itself, the second to 1 − p."),
            Mistake(lambda p, c, g: _beta_pdf(p, c / g, (1 - c) / g),
                    "Add 1 to both parameters: otherwise the top is not at c, and near a wall the density is infinite there."),
            Mistake(lambda p, c, g: beta_kernel(p, c, 1 / g), "Divide by the bandwidth: a small γ makes the kernel narrow."),
            Mistake(lambda p, c, g: beta_kernel(p, c, g) / g, "It is a density already; do not divide by γ (errata U1)."),
            Mistake(_log_beta_kernel, "That is the logarithm of the kernel."),
            Mistake(_beta_kernel_by_formula,
                    "Right, until Γ overflows: NaN at a small γ. Take scipy.stats.beta.pdf, or exp of sums of gammaln."),
            Mistake(_beta_kernel_without_xlogy, "Right, but NaN at p = c = 1, from 0 · log 0: take xlogy or scipy.stats.beta.pdf."),
        ],
    ),
    Exercise(
        "leave_one_out", leave_one_out,
        "Prediction i is missing from the sum above and from the sum below.",
        inputs=_kernel_and_labels,
        hint="Remove k_ii from the numerator and from the denominator.",
        mistakes=[
            Mistake(lambda k, y: k @ y / k.sum(axis=1), "Prediction i is in its own estimate: that is eq. 11 as printed (errata G9)."),
            Mistake(
                lambda k, y: (k @ y - y) / (k.sum(axis=1) - 1), "The diagonal is not 1 for this kernel: take k_ii away."
            ),
            Mistake(
                lambda k, y: (k - np.diag(np.diag(k))) @ y / (k - np.diag(np.diag(k))).sum(axis=0),
                "Row i belongs to the estimate at i: sum over the row.",
            ),
            Mistake(_half_masked, "You removed i above and left it below: the weights no longer sum to 1."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    to_zero=(
        "The bandwidth goes to 0, and every point is in its own estimate. The estimated error tends to …",
        ["0, the truth", "the Brier score", "infinity"],
        "the Brier score",
        "All the weight falls on the point itself (if no two are equal), r̂ becomes its own label, and what is left is the mean squared residual.",
    ),
)
