"""What a bet earns, smooth bets and their length, and h of all pairs; and guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def kernel_matrix(p, q, bandwidth):
    """K[i, j] = exp(−(p_i − q_j)² / (2γ²))."""
    return np.exp(-((p[:, None] - q[None, :]) ** 2) / (2 * bandwidth**2))


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
    Exercise("payoff", 0.08, "The misses p − r are −.2, 0 and .2, the bets −.6, 0 and .6: (.12 + 0 + .12)/3 = .08.",
        Mistake(0.24, "That is the sum of three payoffs. Each prediction is said one time in three."),
        Mistake(-0.08, "The sign: a positive bet says that p is too high, and is paid p − r, said minus happened."),
        Mistake(0.12, "That is one of the three payoffs. Their mean is asked for."),
        Mistake(0.4 / 3, "That is the mean size of the misses, without the bets. Multiply each miss by its bet first."),
        Mistake(-0.24, "The sign is turned, and you took the sum of the three payoffs in place of their mean."),
        Mistake(0, "The misses cancel; their products with the bet do not."),
        hint="Miss times bet at each of the three predictions, then their mean."),
    Exercise("length_by_hand", 5,
        "K has the rows (1, 1) and (1, 2): 9 · 1 − 2 · 3 · 1 + 1 · 2 = 5. By features: b is 3 (1, 0) − (1, 1) = (2, −1), so b(p) = 2 − p, of squared length 4 + 1.",
        Mistake(np.sqrt(5), "That is the length; its square is asked."),
        Mistake(10, "That is Σ β²: as if the two bumps were not similar at all."),
        Mistake(4, "That is (Σ β)²: as if k were 1 for every pair. k of 1 with itself is more."),
        Mistake(11, "The terms with k(0, 1) are missing: the bumps are not at right angles."),
        Mistake(17, "The two weights have different signs, so the cross terms are taken off."),
        Mistake(8, "The pair of 0 and 1 counts twice, as (0, 1) and as (1, 0)."),
        hint="Write down the four similarities of 0 and 1, or add up the features φ(0) and φ(1) with their weights."),
    Exercise("kernel_matrix", kernel_matrix,
        "One row for each p, one column for each q, 1 where they are equal. A bet Σ_a k(·, q_a) β_a at all p is K @ beta.",
        Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / g**2), "A factor is missing: the square is divided by 2γ²."),
        Mistake(lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / 2 * g**2), "Parentheses: / 2 * g**2 divides by 2 and multiplies by γ². Divide by (2 * g**2)."),
        Mistake(lambda p, q, g: kernel_matrix(p, q, np.sqrt(2) * g), "2γ is squared whole, which divides by 4γ². Divide by 2γ²."),
        Mistake(lambda p, q, g: np.exp(-g * (p[:, None] - q) ** 2), "You multiplied by the bandwidth. Here γ is a width: divide by 2γ²."),
        *(Mistake(lambda p, q, g, by=by: np.exp(-((p[:, None] - q) ** 2) / (by * g)), "The bandwidth is squared too: 2γ².") for by in (1, 2)),
        Mistake(lambda p, q, g: kernel_matrix(q, p, g), "Rows are p and columns are q; yours are exchanged."),
        Mistake(lambda p, q, g: kernel_matrix(p, q, g) / (g * np.sqrt(2 * np.pi)), "That is a normal density. A kernel is 1 at p = q: no factor in front."),
        *(Mistake(lambda p, q, g, of=of: np.exp(-abs(p[:, None] - q) / of(g)), "That is the Laplacian kernel, of |p − q|. The Gaussian one has the square of it.") for of in (lambda g: g, lambda g: 2 * g, lambda g: 2 * g**2)),
        Mistake(lambda p, q, g: np.exp((p[:, None] - q) ** 2 / (2 * g**2)), "The minus is missing: predictions that are far apart are less alike."),
        Mistake(lambda p, q, g: -((p[:, None] - q) ** 2) / (2 * g**2), "exp is missing: a kernel is 1 at p = q and falls towards 0."),
        Mistake(lambda p, q, g: np.exp(-(p[:, None] - q) / (2 * g**2)), "The difference is not squared: it must not matter which of the two is larger."),
        Mistake(lambda p, q, g: kernel_matrix(p, q, 1 / np.sqrt(2)), "The bandwidth does not enter: measure the difference in units of it."),
        inputs=lambda rng: (rng.random(5), rng.random(4), float(rng.choice([0.1, 0.3, 2.0]))), hint="The square of p[:, None] - q[None, :], which has a row for each p and a column for each q, is measured in units of 2γ². Then minus, and exp."),
    Exercise("h_matrix", h_matrix,
        "The estimates of the SKCE, here and in notebook 08, are means over some entries of this matrix.",
        *(Mistake(lambda p, y, K, of=of: K * np.outer(c := of(p[np.arange(len(y)), y]), c), "That is the entry of the label alone. A residual has an entry for every class: p − e_y.") for of in (np.copy, lambda c: c - 1)),
        *(Mistake(lambda p, y, K, of=of: K * ((d := of(p - np.eye(p.shape[1])[y])) @ d.T), "Keep the signs of the residuals: misses on opposite sides must count against each other.") for of in (np.abs, np.square, lambda d: np.linalg.norm(d, axis=1, keepdims=True))),
        Mistake(_pairs_of("e", "e"), "Those are inner products of labels. No prediction has entered: use p − e_y."),
        Mistake(_pairs_of("p", "p"), "Those are inner products of predictions. No label has entered: use p − e_y."),
        *(Mistake(_pairs_of(*rows), "One of the two factors is not a residual. Both i and j bring theirs.") for rows in (("delta", "p"), ("p", "delta"), ("delta", "e"), ("e", "delta"))),
        *(Mistake(slip, "y is the number of a class. e_y is a vector: 1 at that class and else 0.")
          for slip in (lambda p, y, K: K * ((p - y[:, None]) @ (p - y[:, None]).T), lambda p, y, K: K * ((p - y) @ (p - y).T))),
        Mistake(lambda p, y, K: K * np.outer(c := p.max(axis=1) - (p.argmax(axis=1) == y), c), "Those are the misses of the confidence. Here every class has its own: p − e_y."),
        Mistake(lambda p, y, K: K * (p.T @ p), "The sum must run over the classes: delta @ delta.T has an entry for each pair of rows, delta.T @ delta one for each pair of classes."),
        Mistake(_minus_one_in_every_row, "delta[:, y] -= 1 takes 1 off in every row, for every class that occurs. Row i has one label: delta[np.arange(n), y]."),
        Mistake(_pairs_of("delta", "delta", np.matmul), "* multiplies entry by entry, @ is a matrix product. h_ij has one K_ij."),
        Mistake(_pairs_of("delta", "delta", lambda K, z: z), "The kernel is missing: near and far pairs count alike."),
        Mistake(_pairs_of("delta", "delta", lambda K, z: K * (z - np.diag(np.diag(z)))), "The diagonal belongs to h. Whether a mean uses it is another question."),
        inputs=_predictions_and_kernel, hint="Residuals first, one row each (y may lack a class: size e_y from p); then all their inner products at once; then K entry by entry."),
    Exercise("by_pairs", 0.08,
        "The misses are −.2, .6 and .6, so the pairs have −.06, −.06 and .36: their mean is .08. The best bet earns its root, about .28.",
        Mistake(0.24, "That is the sum over three pairs. The estimate is their mean."),
        Mistake(1 / 6, "You averaged six entries, and three of them pair a row with itself. Take the pairs of two rows."),
        Mistake(1.24 / 9, "That is the mean of all nine entries: a row paired with itself squares the noise of its one label."),
        Mistake(0.48 / 9, "The six entries off the diagonal are divided by their number, not by nine."),
        Mistake(0.04, "The kernel is missing: pairs count as much as they are similar."),
        Mistake(0.16, "Keep the signs: misses to opposite sides count against each other. (Of one event a residual is the number p − Y alone.)"),
        *(Mistake(value, "That is the pair of equal predictions alone. The other two pairs count as well, with their kernel and sign.") for value in (0.36, 0.12)),
        Mistake(np.sqrt(0.08), "That is the KCE; its square is asked."),
        hint="Three pairs. Each has kernel times miss times miss, where a miss is p − Y."),
])


guess = Guesses(
    all_of_one_kind=("This model is right on average. Which bets between −1 and 1 can earn something all the same?",
        ["none", "the same bet everywhere", "only bets that differ"], "only bets that differ", "What the same bet everywhere wins where p is too high it loses where p is too low. Bets that differ can win at both."),
    narrower_or_wider=(
        "The miss has four waves, and bets of bandwidth γ = .5 earn a little. Which bandwidth earns more?",
        [".05", "2", "neither"], ".05", "Of length 1, the best bet with γ = .05 earns .0259. With γ = .5 it earns .0079, with γ = 2 .0029: a wide kernel averages over several waves."),
    before=[
        ("Of 99 redrawn sets of labels 4 have an ECE at least as large as the observed one. How large is R?",
         [".04", ".05", ".06"], ".05", "The observed set counts itself: (1 + 4)/100 (notebook 03, section 5)."),
        ("In one bin a model says too much of some digits, and as much too little of others. What does the ECE report of it?",
         ["nearly 0", "the sum of the two misses", "the larger miss"], "nearly 0",
         "Within a bin misses of opposite sign cancel (notebook 02, section 1)."),
        ("A test is to hold its level at every n. What does it redraw?",
         ["rows, with their labels", "predictions", "labels, given the predictions"], "labels, given the predictions",
         "A calibrated model says how its labels are drawn, and nothing else (notebook 03, section 3).")])
