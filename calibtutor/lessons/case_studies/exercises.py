"""Exercises of the case studies. They need no data: each is about a formula that the study uses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Guesses, Mistake

__all__ = ["check", "guess"]


def rate_of_the_others(n, rate, m):
    """Outcome rate without m rows that all have the outcome."""
    return (n * rate - m) / (n - m)


def equation_4(printed, K):
    """The library divides by the mean of all kernel values; multiply it back."""
    return printed * np.mean(K)


def predicted_gap(p, black):
    """Mean prediction of group 1 minus mean prediction of group 0."""
    return np.mean(p[black == 1]) - np.mean(p[black == 0])


def mean_among_owners(p, age):
    """Each household counts with its probability of owning."""
    return np.sum(p * age) / np.sum(p)


def effective_size(w):
    """(Σ w)²/Σ w²."""
    return np.sum(w) ** 2 / np.sum(w**2)


def one_year_apart(gamma, scale):
    """exp(−γ d²) for two people one year apart, ages divided by `scale`."""
    return np.exp(-gamma / scale**2)


def grouped_error(residuals, group):
    """Mean over rows of their group's mean product of two different residuals; a group of one counts 0."""
    total = 0
    for each in np.unique(group):
        inside = residuals[group == each]
        n = len(inside)
        if n > 1:
            pairs = np.sum(inside.sum(axis=0) ** 2) - np.sum(inside**2)
            total += n * pairs / (n * (n - 1))
    return total / len(group)


def _own_pairs_too(residuals, group):
    means = {each: residuals[group == each].mean(axis=0) for each in np.unique(group)}
    return np.mean([np.sum(means[each] ** 2) for each in group])


def _groups_alike(residuals, group):
    inside = [residuals[group == each] for each in np.unique(group)]
    return np.mean([grouped_error(each, np.zeros(len(each))) for each in inside])


def _residuals(rng):
    n, d = int(rng.integers(12, 30)), int(rng.integers(2, 5))
    return rng.dirichlet(np.ones(d), n) - np.eye(d)[rng.integers(0, d, n)], rng.integers(0, 5, n)


def _rows(rng):
    n = int(rng.integers(500, 5000))
    m = int(rng.integers(50, n // 4))
    return n, float(rng.uniform(0.4, 0.6)), m


def _kernel(rng):
    x = rng.normal(size=int(rng.integers(5, 9)))
    return float(rng.uniform(0.01, 0.1)), np.exp(-((x[:, None] - x) ** 2))


def _owners(rng):
    p = rng.random(int(rng.integers(10, 20)))
    black = rng.integers(0, 2, len(p))
    black[:2] = 0, 1
    return p, black


check = Checks([
    Exercise(
        "grouped_error", grouped_error,
        "Given the predictions, it is at most the mean squared error on average, whatever the groups: a mean of products is "
        "at most a mean of squares.",
        inputs=_residuals,
        hint="For one group: the squared length of the sum of its residuals is the sum over all pairs, own pairs included. "
        "Take those away, divide by the number of other pairs. Then average over groups, each as often as it has rows.",
        mistakes=[
            Mistake(_own_pairs_too, "You squared each group's mean: that counts the pairs of a residual with itself, which are never negative."),
            Mistake(_groups_alike, "A large group must count for more than a small one: weight each with its number of rows."),
            Mistake(lambda residuals, group: grouped_error(residuals, np.zeros(len(group))), "That is one group for all rows."),
            Mistake(lambda residuals, group: np.mean(np.sum(residuals**2, axis=1)),
                    "That is the mean squared residual, with the labels' noise in it: even a calibrated model has it."),
            Mistake(lambda residuals, group: grouped_error(residuals, group) * len(group),
                    "That is the sum over rows. Divide by their number."),
        ],
    ),
    Exercise(
        "rate_of_the_others", rate_of_the_others, "All rows have n·rate events, m of them in the part that is left out.",
        inputs=_rows, hint="How many events are there in all n rows? How many are left, among how many rows?",
        mistakes=[
            Mistake(lambda n, rate, m: (n * rate - m) / n, "The events are right. Divide by the rows that are left, not by all."),
            Mistake(lambda n, rate, m: rate - m / n, "The events are right. Divide by the rows that are left, not by all."),
            Mistake(lambda n, rate, m: n * rate / (n - m), "The m rows leave with their events: take these away too."),
            Mistake(lambda n, rate, m: rate, "That is the rate of all rows. The m rows have rate 1 and pull it up."),
        ],
    ),
    Exercise(
        "equation_4", equation_4, "Printed = equation 4 / mean(K). A narrow kernel has a small mean, which makes the printed value large.",
        inputs=_kernel, hint="The library divides Σ e K e by (n − 1)/n · ΣK, the paper by n(n − 1). What is the ratio of the two?",
        mistakes=[
            Mistake(lambda printed, K: printed / np.mean(K), "The other way round: the library has divided by the mean of K."),
            Mistake(lambda printed, K: printed * np.sum(K), "Divide the sum of K by n²: the paper's formula has a mean of n(n − 1) terms."),
            Mistake(lambda printed, K: printed * (np.sum(K) - np.trace(K)) / (len(K) * (len(K) - 1)),
                    "Nearly: the library's sum of K includes the diagonal."),
        ],
    ),
    Exercise(
        "predicted_gap", predicted_gap, "Probabilities are averaged as if they were labels.", inputs=_owners,
        hint="Average the probabilities of each group; subtract.",
        mistakes=[
            Mistake(lambda p, black: np.mean(p[black == 0]) - np.mean(p[black == 1]),
                    "The size is right, the sign is not: group 1 minus group 0."),
            Mistake(lambda p, black: np.mean(p[black == 1] > 0.5) - np.mean(p[black == 0] > 0.5),
                    "Do not round the probabilities first: a .6 is .6 of an owner."),
            Mistake(lambda p, black: np.mean(p * black) - np.mean(p * (1 - black)),
                    "Each mean must be over the group's own size, not over everyone."),
        ],
    ),
    Exercise(
        "mean_among_owners", mean_among_owners, "With labels in place of p this is the mean age of the owners.",
        inputs=lambda rng: (rng.random(12), rng.uniform(20, 80, 12)),
        hint="Equation 1 of the paper: a mean of ages, weighted by the probabilities.",
        mistakes=[
            Mistake(lambda p, age: np.mean(age), "That is the mean age of everyone. Owners should weigh more."),
            Mistake(lambda p, age: np.mean(p * age), "A weighted mean divides by the sum of the weights."),
            Mistake(lambda p, age: np.mean(age[p > np.median(p)]), "Do not decide who owns. Use the probabilities as weights."),
        ],
    ),
    Exercise(
        "one_year_apart", one_year_apart, "Scale and γ are one setting: dividing ages by s divides γ by s².",
        inputs=lambda rng: (float(rng.uniform(0.2, 2)), float(rng.uniform(1, 12))),
        hint="The distance is 1/scale.",
        mistakes=[
            Mistake(lambda gamma, scale: np.exp(-gamma / scale), "The distance enters squared."),
            Mistake(lambda gamma, scale: np.exp(-gamma), "That is without the scale."),
            Mistake(lambda gamma, scale: np.exp(-1 / (2 * gamma**2 * scale**2)),
                    "This γ multiplies the squared distance; it is not a bandwidth."),
        ],
    ),
    Exercise(
        "effective_size", effective_size, "n equal weights give n; one weight far above the others gives 1.",
        inputs=lambda rng: (rng.random(int(rng.integers(4, 12))) + 0.01,),
        hint="It must not change when all weights are doubled, and be n for n equal weights.",
        mistakes=[
            Mistake(lambda w: np.sum(w), "Double all weights: the average stays, so its size must stay."),
            Mistake(lambda w: np.sum(w) ** 2, "Double all weights: the average stays, so its size must stay."),
            Mistake(lambda w: float(len(w)), "Weights near 0 hardly count."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    five_estimates=(
        "Five estimators, each with its best setting, estimate one squared error from the same 10,000 predictions, on one split. "
        "How far is the largest of the five above the smallest?",
        ["at most 10 %", "about 30 %", "more than 50 %"],
        "more than 50 %",
        "On this split they reach from .0041 (15 bins) to .0064 (bins whose number the risk chose). It is more than 50 % in 13 of 20 splits.",
    ),
)
