"""Exercises of notebook 04."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


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


def _symmetric(rng):
    """n × n with n even or odd."""
    h = rng.normal(size=[int(rng.integers(5, 7))] * 2)
    return (h + h.T,)


def three_estimators(h):
    """Means of all entries, of those off the diagonal, and of h_12, h_34, …"""
    n = len(h)
    unbiased = (h.sum() - np.trace(h)) / (n * (n - 1))
    first = np.arange(0, n - 1, 2)
    return h.mean(), unbiased, h[first, first + 1].mean()


def _estimators_with(k, value):
    """The three, with entry k replaced."""

    def wrong(h):
        found = list(three_estimators(h))
        found[k] = value(h)
        return found

    return wrong


def _terms(h):
    """h_12, h_34, …; rows count from 0."""
    return np.diag(h, 1)[::2]


def _predictions_and_uniforms(rng):
    return rng.dirichlet(np.ones(3), 4), rng.random(4)


def redraw_labels(p, u):
    """How many cumulative sums does u exceed? The last is 1 and need not be asked."""
    below = np.cumsum(p, axis=1)[:, :-1]
    return (u[:, None] > below).sum(axis=1)


def _observed_and_draws(rng):
    """Both signs, and values that meet."""
    return float(rng.integers(-3, 6)) / 10, rng.integers(-5, 6, 9) / 10


def pvalue(observed, draws):
    """(1 + #{draws ≥ observed})/(B + 1)."""
    return (1 + np.sum(draws >= observed)) / (len(draws) + 1)


def _estimate(rng):
    return float(rng.uniform(-0.8, 1)), int(rng.integers(5, 40)), float(rng.uniform(1, 2))


def bound_unbiased(estimate, n, H):
    """exp(−⌊n/2⌋ max(0, estimate)²/(2H²))."""
    return np.exp(-(n // 2) * max(0, estimate) ** 2 / (2 * H**2))


def _kernel_pvalues(rng):
    """Ranks of related statistics: two kernels, the observed data set and five draws."""
    values = rng.normal(size=6) + 0.7 * rng.normal(size=(2, 6))
    return ((values[:, None, :] >= values[:, :, None]).mean(axis=2),)


def aggregated(pvalues):
    """Rank of the observed smallest p-value among those of all data sets, itself included."""
    smallest = pvalues.min(axis=0)
    return np.mean(smallest <= smallest[0])


def expected_bias(h_diag_mean, skce, n):
    """One pair in n is a row with itself; the others have mean SKCE."""
    return (h_diag_mean - skce) / n


def _finite_world(rng):
    """Five kinds: their probabilities, predictions, frequencies, and the kernel's matrix."""
    p, r = rng.dirichlet(np.ones(3), 5), rng.dirichlet(np.ones(3), 5)
    distance = np.sqrt(((p[:, None] - p) ** 2).sum(axis=2))
    return rng.dirichlet(np.ones(5)), p, r, np.exp(-distance / 0.5)


def best_payoff(weights, p, r, K):
    """‖E φ(p) ⊗ (r − p)‖, the root of a mean over two independent draws."""
    gap = weights[:, None] * (r - p)
    return np.sqrt((K * (gap @ gap.T)).sum())


def _with_one_weight(weights, p, r, K):
    return np.sqrt(max(0, (weights[:, None] * K * ((r - p) @ (r - p).T)).sum()))


def _euclidean(weights, p, r, K):
    """The best bet's payoff over the length of its values, taken as one long vector."""
    gap = weights[:, None] * (r - p)
    return np.sum(gap * (K @ gap)) / np.linalg.norm(K @ gap)


check = Checks([
    Exercise(
        "best_payoff", best_payoff,
        "The supremum over the unit ball is the norm of E φ(p) ⊗ (r − p), and a squared norm is a mean over pairs of kinds: K and the weights of both.",
        inputs=_finite_world,
        hint="The last line of “From a supremum to a norm”: a mean over two independent draws, each with its weight. Then one step more.",
        mistakes=[
            Mistake(lambda weights, p, r, K: best_payoff(weights, p, r, K) ** 2, "That is the squared payoff, the SKCE. The supremum is a norm: take the root."),
            Mistake(lambda weights, p, r, K: best_payoff(np.ones(len(p)), p, r, K), "The kinds are not equally frequent: each of the two draws brings its weight."),
            Mistake(lambda weights, p, r, K: best_payoff(np.full(len(p), 1 / len(p)), p, r, K), "That is a plain mean. The kinds are not equally frequent: use the weights."),
            Mistake(_with_one_weight, "One weight only. Each of the two draws has one: w_a and w_c."),
            Mistake(_euclidean, "You divided by the Euclidean length of the bet. In the unit ball ‖b‖² is βᵀKβ, with K between its weights."),
            Mistake(lambda weights, p, r, K: best_payoff(np.sqrt(weights), p, r, K), "Each of the two draws has a weight: both factors, w_a and w_c, not their roots."),
            Mistake(lambda weights, p, r, K: best_payoff(weights, p, r, np.ones_like(K)), "Without K every pair counts alike: that is the best constant bet."),
            Mistake(lambda weights, p, r, K: best_payoff(weights, p, r, np.eye(len(p))), "Only pairs of a kind with itself are in your sum. Different kinds meet as well, with K between them."),
            Mistake(lambda weights, p, r, K: weights @ np.abs(r - p).sum(axis=1), "That is the ECE, which all bets with |b_k| ≤ 1 earn. The unit ball knows the kernel."),
            Mistake(lambda weights, p, r, K: np.sqrt((K * ((weights[:, None] * p) @ (weights[:, None] * r).T)).sum()), "Both draws bring their gap r − p, not one its p and the other its r."),
        ],
    ),
    Exercise(
        "h_matrix", h_matrix, "Everything in this notebook is a mean over some entries of this matrix.",
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
    Exercise(
        "three_estimators", three_estimators,
        "The same matrix three times: all n² entries, the n(n − 1) off the diagonal, ⌊n/2⌋ that share no data.",
        inputs=_symmetric,
        hint="Three means over different entries. For each, how many entries are in the sum?",
        mistakes=[
            Mistake(_estimators_with(1, lambda h: h.sum() / (len(h) * (len(h) - 1))),
                    "In your unbiased estimate the diagonal is still in the sum: there a residual meets itself."),
            Mistake(_estimators_with(1, lambda h: (h.sum() - np.trace(h)) / len(h) ** 2),
                    "In your unbiased estimate the diagonal is gone, but you still divide by n²."),
            Mistake(_estimators_with(1, lambda h: np.triu(h, 1).sum() / (len(h) * (len(h) - 1))),
                    "In your unbiased estimate each pair is counted once, but you divide by the number of ordered pairs."),
            *(Mistake(_estimators_with(1, lambda h, of=of: np.triu(h).sum() / of(len(h))),
                      "In your unbiased estimate np.triu keeps the diagonal: np.triu(h, 1) leaves it out.")
              for of in (lambda n: n * (n - 1) / 2, lambda n: n * (n - 1), lambda n: n * (n + 1) / 2)),
            Mistake(_estimators_with(0, lambda h: (h.sum() - np.trace(h)) / len(h) ** 2),
                    "The biased estimate keeps the diagonal; that is what biases it."),
            Mistake(_estimators_with(2, lambda h: np.diag(h, 1).mean()),
                    "Your linear estimate has overlapping pairs: (1, 2) and (2, 3) share row 2. Take (1, 2), (3, 4), …"),
            Mistake(_estimators_with(2, lambda h: _terms(h).sum()),
                    "Your linear estimate is a sum. Divide by the number of pairs."),
            Mistake(_estimators_with(2, lambda h: _terms(h).sum() / len(h)),
                    "Your linear estimate divides by n. Only half as many pairs are in the sum."),
            Mistake(_estimators_with(2, lambda h: np.diag(h, 1)[1::2].mean()),
                    "Your linear pairs start at the second row. Python counts from 0: the first pair is h[0, 1]."),
            Mistake(lambda h: [h.sum(), h.sum() - np.trace(h), _terms(h).sum()], "These are sums. Make each a mean."),
            Mistake(lambda h: np.array(three_estimators(h))[[1, 0, 2]], "The right numbers in another order: biased, unbiased, linear."),
        ],
    ),
    Exercise(
        "expected_bias", expected_bias,
        "n of the n² pairs are a row with itself and have mean E h(Z, Z); the other n(n − 1) have mean SKCE.",
        inputs=lambda rng: (float(rng.uniform(0.3, 2)), float(rng.uniform(0.05, 0.3)), int(rng.integers(3, 15))),
        hint="Which share of the n² pairs lies on the diagonal, and what is the mean there? Then take the SKCE away.",
        mistakes=[
            Mistake(lambda d, s, n: d / n, "The diagonal comes in with weight 1/n, but it also pushes the other pairs' weight below 1."),
            Mistake(lambda d, s, n: (d - s) / (n - 1), "The diagonal is n of n² pairs, so its weight is not 1/(n − 1)."),
            Mistake(lambda d, s, n: (d - s) / n**2, "There are n diagonal pairs, not one, among the n²."),
            Mistake(lambda d, s, n: (d + (n - 1) * s) / n, "That is the mean of the estimate. Subtract what it should be."),
            Mistake(lambda d, s, n: (s - d) / n, "The sign: estimate minus truth. It is too large."),
            Mistake(lambda d, s, n: d - s, "That would be n = 1. How many pairs are there for a larger n?"),
        ],
    ),
    Exercise(
        "redraw_labels", redraw_labels,
        "u falls in the interval of class k, which has length p_k, with probability p_k: Y ~ Cat(p).",
        inputs=_predictions_and_uniforms,
        hint="Lay the probabilities of a row end to end on [0, 1]. In which piece does u fall? Classes count from 0.",
        mistakes=[
            Mistake(lambda p, u: p.argmax(axis=1), "The most likely class is what the model predicts. A draw also gives the others their share."),
            *(Mistake(wrong, "That does not use p: every class would be drawn just as often.")
              for wrong in (lambda p, u: np.floor(u * p.shape[1]), lambda p, u: np.round(u * (p.shape[1] - 1)))),
            Mistake(lambda p, u: redraw_labels(p, u) + 1, "Off by one: classes count from 0, and u below the first probability is class 0."),
            Mistake(lambda p, u: (u[:, None] < np.cumsum(p, axis=1)[:, :-1]).sum(axis=1),
                    "The wrong way round: you count the sums that u has not reached, so a small u gives the last class."),
            Mistake(lambda p, u: (u[:, None] > p).sum(axis=1), "Compare u with the cumulative sums of p, not with p itself."),
            Mistake(lambda p, u: (u[:, None] < p).argmax(axis=1), "Compare u with the cumulative sums of p: pieces lie end to end."),
        ],
    ),
    Exercise(
        "pvalue", pvalue,
        "The observed data set is one of B + 1 alike, so it counts itself: never 0, and P(p ≤ α) ≤ α exactly.",
        inputs=_observed_and_draws,
        hint="Put the observed value among the draws. What share of all of them is at least as large?",
        mistakes=[
            Mistake(lambda t, draws: np.mean(draws >= t), "This can be 0. The observed data set is one of the B + 1 (published code forgets it: errata U5)."),
            Mistake(lambda t, draws: np.mean(draws > t), "Ties count, and so does the observed value itself."),
            Mistake(lambda t, draws: np.sum(draws >= t) / (len(draws) + 1), "The observed data set is in your number below, not above."),
            Mistake(lambda t, draws: (1 + np.sum(draws >= t)) / len(draws), "The observed data set is in your number above, not below: this can exceed 1."),
            Mistake(lambda t, draws: (1 + np.sum(draws > t)) / (len(draws) + 1),
                    "A draw that ties counts too, or with many ties the test rejects too often."),
            Mistake(lambda t, draws: (1 + np.sum(draws <= t)) / (len(draws) + 1),
                    "The other tail: large statistics speak against calibration."),
            Mistake(lambda t, draws: (1 + np.sum(np.abs(draws) >= abs(t))) / (len(draws) + 1),
                    "No absolute values: a negative estimate is no evidence against calibration."),
            Mistake(lambda t, draws: min(1, 2 * min((1 + np.sum(draws >= t)) / (len(draws) + 1), (1 + np.sum(draws <= t)) / (len(draws) + 1))),
                    "That is two-sided. Only large values speak against calibration."),
        ],
    ),
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
    Exercise(
        "aggregated", aggregated,
        "The smallest p-value is a statistic like any other: its rank among the same draws is exact, however the kernels depend on each other. (kce_test also decides ties between the smallest, by the largest statistic, so its p-value can be a little smaller.)",
        inputs=_kernel_pvalues,
        hint="Each column is a data set: take its smallest. What share of the columns has one no larger than the first column's?",
        mistakes=[
            Mistake(lambda p: p[:, 0].min(), "That is the luckiest kernel. A calibrated model has one too, and more often than α."),
            Mistake(lambda p: p.min(), "That is the smallest p-value of all data sets. Column 0 is the observed one, and its smallest is to be ranked among the others'."),
            *(Mistake(wrong, "Bonferroni's m · min is valid, but gives power away: kernels that see the same data mostly agree.")
              for wrong in (lambda p: len(p) * p[:, 0].min(), lambda p: min(1, len(p) * p[:, 0].min()))),
            Mistake(lambda p: p[:, 0].mean(), "A mean of p-values is no p-value: its law is not uniform."),
            Mistake(lambda p: np.mean(p.min(axis=0) < p.min(axis=0)[0]), "Ties count, and the observed data set is one of the columns: this can be 0."),
            Mistake(lambda p: (1 + np.sum(p.min(axis=0)[1:] < p.min(axis=0)[0])) / p.shape[1], "A draw whose smallest ties counts too."),
            Mistake(lambda p: np.mean(p.min(axis=0)[1:] <= p.min(axis=0)[0]), "The observed data set is missing: it is one of the columns."),
            Mistake(lambda p: (1 + np.sum(p.min(axis=0) <= p.min(axis=0)[0])) / (p.shape[1] + 1), "Column 0 is the observed data set; you counted it twice."),
            Mistake(lambda p: np.mean(p.min(axis=0) >= p.min(axis=0)[0]), "The other tail: a small smallest p-value is evidence."),
            Mistake(lambda p: np.mean(p.min(axis=1) <= p.min(axis=1)[0]), "Rows are kernels, columns data sets: the smallest over kernels, axis=0."),
        ],
    ),
    Exercise(
        "which_test", "labels",
        "Given the predictions, the labels of a calibrated model are independent draws from them: observed and redrawn ones are alike, "
        "so the rank is exact at n = 300. With 999 draws P(p ≤ .05) is .05 (ties can only lower it).",
        hint="One of them promises a level at every n, and reaches it. What does a calibrated model say about y when p is known?",
        accept=["exact", "label", "label test", "labels only", "redraw labels", "redrawn labels"],
        mistakes=[
            Mistake("consistency", "It redraws the predictions as well. The drawn ones repeat and yours do not: observed and drawn data sets are not alike."),
            Mistake("asymptotic", "Its bootstrap has the right law as n tends to infinity. At n = 300 the level need not be .05."),
            Mistake("asymptotic-linear", "A t test is exact for normal terms. These are not, and 150 of them only come near; most pairs are not even used."),
            Mistake("bound-biased", "It keeps the level at every n, but far from exactly: a bound for all models at once leaves this one hardly any power."),
            *(Mistake(word, "A bound keeps p too large: its level is far below .05, and so is its power unless the error is huge.")
              for word in ("bound-unbiased", "bound-linear")),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    is_point_04_bad=(
        "The neural network's ECE on 1,079 digits is .010, logistic regression's is .092. If the network's probabilities were exactly "
        "right, how often would 1,079 digits give an ECE at least as large as .010?",
        ["almost never", "about one time in ten", "more often than not"],
        "more often than not",
        "About 65 % of redrawn sets of labels do: a perfect model with these predictions shows .011 on average. Logistic regression, "
        "redrawn in the same way, never came above .06.",
    ),
    which_negative=(
        "Which of the three estimates of a squared error can come out negative?",
        ["the biased one", "the two unbiased ones", "none: it is a square"],
        "the two unbiased ones",
        "The biased one is a squared length, ‖n⁻¹ Σ φ(p_i) ⊗ δ_i‖². An unbiased estimate of 0 must fall on both sides of it: on the "
        "poster's calibrated model 56 % of SKCE_uq and 50 % of SKCE_ul are negative (2,000 data sets, n = 250).",
    ),
    redraw_what=(
        "A test of calibration draws new data sets that are calibrated by construction. What must be redrawn to hold the level exactly?",
        ["labels only", "predictions and labels", "predictions only"],
        "labels only",
        "“Calibrated” says how labels follow from predictions, and nothing about the predictions themselves. Given those, observed and "
        "redrawn labels have the same law, so every rank is equally likely. Resampled predictions repeat, and yours do not: with an ECE "
        "in small cells, redrawing both rejects each of the 10,000 calibrated data sets of the poster (n = 250) at .05, labels only 5 %.",
    ),
    look_again=(
        "Your test is exact at every n. You look at n = 100, 200, …, 1,000 and stop at the first p ≤ .05. The model is calibrated. How often "
        "do you reject it?",
        ["5 %", "about 10 %", "about 20 %", "about 40 %"],
        "about 20 %",
        "Each look alone rejects 5 %. Ten independent looks would make 1 − .95¹⁰ = 40 %, but each look has the rows of the looks before it "
        "in its data, so their alarms often come together.",
    ),
    bounds_power=(
        "A bound on the p-value holds for every n. The poster's M3 draws labels without looking at the predictions. With n = 250, how "
        "often does D_uq reject it at .05?",
        ["never", "about half of the time", "always"],
        "never",
        "Not once in 10,000 data sets. The estimate is .015 on average, so the bound says exp(−125 · .015²/8) = .996; it would take an "
        "estimate of .44, and the largest was .023. The exact test rejected every one of them.",
    ),
    pick_bandwidth=(
        "You try seven bandwidths, each a valid test, and report the smallest p-value. The model is calibrated. How often is it at "
        "most .05?",
        ["5 %", "about 9 %", "about 30 %"],
        "about 9 %",
        "Between 7 % and 11 %, depending on what the predictions are like (three classes, n = 100, an eighth to eight times the "
        "median, 199 draws). Seven independent tests would give 1 − .95⁷ = 30 %, but these look at the same data and mostly agree. "
        "The aggregated test keeps to 5 %.",
    ),
)
