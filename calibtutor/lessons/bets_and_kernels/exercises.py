"""What a bet earns, smooth bets and their length, and h of all pairs: to be written; and guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def _world(rng):
    """Weights, predictions and frequencies of a small world."""
    p, r = rng.dirichlet(np.ones(3), (2, 5))
    p[1], r[1] = p[0], r[0]  # two kinds are told the same
    return rng.dirichlet(3 * np.ones(5)), p, r


def payoff(weights, p, r, b):
    """E⟨p − r, b(p)⟩, with b(p) given row by row."""
    return weights @ ((p - r) * b).sum(axis=1)


def _payoff_inputs(rng):
    weights, p, r = _world(rng)
    return weights, p, r, np.sin(p @ rng.normal(0, 3, (3, 3)))  # a function of p: equal predictions, equal bets


def kernel_matrix(p, q, bandwidth):
    """K[i, j] = exp(−(p_i − q_j)² / (2γ²))."""
    return np.exp(-((p[:, None] - q[None, :]) ** 2) / (2 * bandwidth**2))


def _scalars(rng):
    return rng.random(5), rng.random(4), float(rng.choice([0.1, 0.3, 2.0]))


def _predictions_and_kernel(rng):
    p = rng.dirichlet(np.ones(3), 4)
    distance = np.sqrt(((p[:, None] - p) ** 2).sum(axis=2))
    return p, rng.integers(0, 3, 4), np.exp(-distance / 0.5)


def h_matrix(p, y, K):
    """h_ij = K_ij ⟨δ_i, δ_j⟩."""
    delta = p - np.eye(p.shape[1])[y]
    return K * (delta @ delta.T)


def _pairs_of(left, right, combine=np.multiply):
    """h from other rows than the residuals, or combined with K in another way."""

    def wrong(p, y, K):
        e = np.eye(p.shape[1])[y]
        rows = {"p": p, "e": e, "delta": p - e}
        return combine(K, rows[left] @ rows[right].T)

    return wrong


def _minus_one_in_every_row(p, y, K):
    delta = p.copy()
    delta[:, y] -= 1
    return K * (delta @ delta.T)


check = Checks([
    Exercise(
        "payoff", payoff, "The calibration error CE[F] is the largest value this can take for b in F.",
        inputs=_payoff_inputs,
        hint="An inner product for each kind, then the weighted mean over kinds.",
        mistakes=[
            Mistake(lambda w, p, r, b: w @ ((r - p) * b).sum(axis=1),
                    "The sign: a positive bet says that p is too high, so the opponent is paid p − r, said minus happened."),
            Mistake(lambda w, p, r, b: ((p - r) * b).sum(axis=1).mean(), "The kinds are not equally likely: use the weights."),
            Mistake(lambda w, p, r, b: ((p - r) * b).sum(), "That is a sum over kinds. Weigh each kind by its probability."),
            Mistake(lambda w, p, r, b: (w[:, None] * (p - r) * b).sum(axis=0),
                    "That is the payoff class by class. The payoff of the bet is one number: add the classes up."),
            Mistake(lambda w, p, r, b: w @ (p * b).sum(axis=1),
                    "That is what the opponent receives. What he pays, where the event happens, has to be taken off."),
            Mistake(lambda w, p, r, b: w @ np.abs((p - r) * b).sum(axis=1),
                    "No absolute value: the opponent pays where b has the wrong sign."),
            Mistake(lambda w, p, r, b: abs(w @ ((p - r) * b).sum(axis=1)), "A payoff can be negative: no absolute value."),
        ],
    ),
    Exercise(
        "length_by_hand", 5,
        "K has the rows (1, 1) and (1, 2): 9 · 1 − 2 · 3 · 1 + 1 · 2 = 5. By features: b is 3 (1, 0) − (1, 1) = (2, −1), "
        "so b(p) = 2 − p, of squared length 4 + 1.",
        hint="Write down the four similarities of 0 and 1, or add up the features φ(0) and φ(1) with their weights.",
        mistakes=[
            Mistake(np.sqrt(5), "That is the length; its square is asked."),
            Mistake(np.sqrt(10), "That is the Euclidean length of β. The length of b has K between the weights (and its square is asked)."),
            Mistake(10, "That is Σ β²: as if the two bumps were not similar at all."),
            Mistake(4, "That is (Σ β)²: as if k were 1 for every pair. k of 1 with itself is more."),
            Mistake(8, "The pair of 0 and 1 counts twice, as (0, 1) and as (1, 0)."),
            Mistake(17, "The second weight is negative: its pairs with the first count with a minus."),
        ],
    ),
    Exercise(
        "kernel_matrix", kernel_matrix,
        "One row for each p, one column for each q, 1 where they are equal. A bet Σ_a k(·, q_a) β_a at all p is K @ beta.",
        inputs=_scalars,
        hint="Differences of every p with every q: p[:, None] - q[None, :] has a row for each p.",
        mistakes=[
            Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / g**2), "A factor is missing: the square is divided by 2γ²."),
            Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / 2 * g**2),
                    "Parentheses: / 2 * g**2 divides by 2 and multiplies by γ². Divide by (2 * g**2)."),
            Mistake(lambda p, q, g: np.exp(-g * (p[:, None] - q) ** 2),
                    "You multiplied by the bandwidth. Here γ is a width: divide by 2γ²."),
            Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / (2 * g)), "The bandwidth is squared too: 2γ²."),
            Mistake(lambda p, q, g: np.exp(-np.abs(p[:, None] - q) / (2 * g**2)), "The difference is squared."),
            Mistake(lambda p, q, g: np.exp((p[:, None] - q) ** 2 / (2 * g**2)), "The sign: far apart means less similar."),
            Mistake(lambda p, q, g: kernel_matrix(q, p, g), "Rows are p and columns are q; yours are exchanged."),
            Mistake(lambda p, q, g: kernel_matrix(p, q, g) / (g * np.sqrt(2 * np.pi)),
                    "No density: at equal predictions the kernel is 1, so nothing stands before the exponential."),
        ],
    ),
    Exercise(
        "h_matrix", h_matrix, "The estimates of the SKCE, here and in notebook 08, are means over some entries of this matrix.",
        inputs=_predictions_and_kernel,
        hint="Residuals first, one row each (a class may not occur in y: size e_y from p); then all their inner products at once; then K entry by entry.",
        mistakes=[
            Mistake(_pairs_of("p", "p"), "Those are inner products of predictions. No label has entered: use p − e_y."),
            *(Mistake(_pairs_of(*rows), "One of the two factors is not a residual. Both i and j bring theirs.")
              for rows in (("delta", "p"), ("p", "delta"), ("delta", "e"), ("e", "delta"))),
            Mistake(lambda p, y, K: h_matrix(p, y - 1, K), "Classes count from 0: e_y is row y of the unit matrix."),
            Mistake(_minus_one_in_every_row, "delta[:, y] -= 1 takes 1 off in every row, for every class that occurs. Row i has one label: delta[np.arange(n), y]."),
            Mistake(_pairs_of("delta", "delta", np.matmul), "* multiplies entry by entry, @ is a matrix product. h_ij has one K_ij."),
            Mistake(_pairs_of("delta", "delta", lambda K, z: z), "The kernel is missing: near and far pairs count alike."),
            Mistake(_pairs_of("delta", "delta", lambda K, z: K * (z - np.diag(np.diag(z)))),
                    "The diagonal belongs to h. Whether to use it is the next question."),
            Mistake(lambda p, y, K: K * (((p - np.eye(3)[y])[:, None] - (p - np.eye(3)[y])) ** 2).sum(axis=2),
                    "Those are squared distances between residuals. Take inner products."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    all_of_one_kind=(
        "Six bets, each from −1 to 1, on a model that is right on average. What does the same bet everywhere earn?",
        ["nothing", "half of the best", "it depends on the bet"],
        "nothing",
        "What a fixed bet wins where p is too high it loses where p is too low: on average the model is right.",
    ),
    narrower_or_wider=(
        "The miss has four waves, and bets of bandwidth γ = .5 earn a little. Which bandwidth earns more?",
        [".05", "2", "neither"],
        ".05",
        "Of length 1, the best bet with γ = .05 earns .0259. With γ = .5 it earns .0079, with γ = 2 .0029: a wide kernel "
        "averages over several waves.",
    ),
    nudge=(
        "Before the move E|p − r| is 0. What is it now?",
        [".001", ".002", ".499"],
        ".499",
        "Where the model says .501 the event always happens, where it says .499 it never does: both are off by .499.",
    ),
)
