"""Exercises and the guess of notebook further/01: a bound, and the best payoff in a kernel's unit ball."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def bound_unbiased(estimate, n, H):
    """exp(−⌊n/2⌋ max(0, estimate)²/(2H²))."""
    return np.exp(-(n // 2) * max(0, estimate) ** 2 / (2 * H**2))


def _finite_world(rng):
    """Weights and predictions of five kinds, their frequencies, and the kernel of their predictions."""
    p, r = rng.dirichlet(np.ones(3), 5), rng.dirichlet(np.ones(3), 5)
    distance = np.sqrt(((p[:, None] - p) ** 2).sum(axis=2))
    return rng.dirichlet(np.ones(5)), p, r, np.exp(-distance / 0.5)


def best_payoff(weights, p, r, K):
    """‖E φ(p) ⊗ (p − r)‖, the root of a mean over two independent draws."""
    miss = weights[:, None] * (p - r)
    return np.sqrt((K * (miss @ miss.T)).sum())


def _with_one_weight(weights, p, r, K):
    return np.sqrt(max(0, (weights[:, None] * K * ((p - r) @ (p - r).T)).sum()))


check = Checks([
    Exercise(
        "bound_unbiased", bound_unbiased,
        "Hoeffding's inequality for U-statistics: as good as ⌊n/2⌋ independent pairs, each in [−H, H].",
        inputs=lambda rng: (float(rng.uniform(-0.8, 1)), int(rng.integers(5, 40)), float(rng.uniform(1, 2))),
        hint="How many disjoint pairs do n rows give? And what should a negative estimate say?",
        mistakes=[
            Mistake(lambda t, n, H: np.exp(-n * t**2 / (2 * H**2)), "n rows make ⌊n/2⌋ disjoint pairs, so not n. And a negative estimate is no evidence: cut it at 0."),
            Mistake(lambda t, n, H: np.exp(-(n / 2) * t**2 / (2 * H**2)), "An odd row is left over: ⌊n/2⌋. And a negative estimate is no evidence: cut it at 0."),
            Mistake(lambda t, n, H: np.exp(-n * max(0, t) ** 2 / (2 * H**2)), "n rows make ⌊n/2⌋ disjoint pairs: that many terms are independent, not n."),
            Mistake(lambda t, n, H: np.exp(-(n / 2) * max(0, t) ** 2 / (2 * H**2)), "An odd row is left over: ⌊n/2⌋, not n/2."),
            Mistake(lambda t, n, H: np.exp(-(n // 2) * t**2 / (2 * H**2)),
                    "A negative estimate, squared, would speak against calibration (errata U5). Cut it at 0 first."),
            Mistake(lambda t, n, H: np.exp(-0.5 * max(0, np.sqrt(n * max(0, t) / H) - 1) ** 2), "That is the bound for the biased estimate."),
            Mistake(lambda t, n, H: np.exp(-2 * (n // 2) * max(0, t) ** 2 / H**2),
                    "Hoeffding's range is the width of [−H, H], which is 2H."),
        ],
    ),
    Exercise(
        "best_payoff", best_payoff,
        "The supremum over the unit ball is the norm of E φ(p) ⊗ (p − r), and a squared norm is a mean over pairs of kinds: K and the weights of both.",
        inputs=_finite_world,
        hint="The first two lines of “A squared norm is a mean over pairs”, with r known: two independent draws, each with its weight. Then one step more.",
        mistakes=[
            Mistake(lambda weights, p, r, K: best_payoff(weights, p, r, K) ** 2, "That is the squared payoff, the SKCE. The supremum is a norm: take the root."),
            Mistake(lambda weights, p, r, K: best_payoff(np.ones(len(p)), p, r, K), "The kinds are not equally frequent: each of the two draws brings its weight."),
            Mistake(lambda weights, p, r, K: best_payoff(np.full(len(p), 1 / len(p)), p, r, K), "That is a plain mean. The kinds are not equally frequent: use the weights."),
            Mistake(_with_one_weight, "One weight only. Each of the two draws has one."),
            Mistake(lambda weights, p, r, K: best_payoff(weights, p, r, np.ones_like(K)), "Without K every pair counts alike: that is the best constant bet."),
            Mistake(lambda weights, p, r, K: best_payoff(weights, p, r, np.eye(len(p))), "Only pairs of a kind with itself are in your sum. Different kinds meet as well, with K between them."),
            Mistake(lambda weights, p, r, K: weights @ np.abs(p - r).sum(axis=1), "That is the ECE, which all bets with entries between −1 and 1 earn. The unit ball knows the kernel."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    bounds_power=(
        "Ten classes, labels that ignore the predictions. Put the expected estimate into the bound D_uq: from how many predictions on is "
        "it below .05?",
        ["about 200", "about 2,000", "over 200,000"],
        "over 200,000",
        "It is exp(−⌊n/2⌋ · SKCE²/8), and the SKCE is .015. In the 10,000 data sets of section 4, with n = 250, it rejects not once, and "
        "the exact test always.",
    ),
)
