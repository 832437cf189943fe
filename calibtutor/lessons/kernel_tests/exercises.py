"""Exercises and guesses of notebook 08: estimates of the SKCE, their bias, several bandwidths, and which test to take."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



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


check = Checks([
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
        "aggregated", aggregated,
        "The smallest R is a statistic like any other: its rank among the same draws is exact, however the kernels depend on each other. (kce_test also decides ties between the smallest, by the largest statistic, so its R can be a little smaller.)",
        inputs=_kernel_pvalues,
        hint="Each column is a label set: take its smallest. What share of the columns has one no larger than the first column's?",
        mistakes=[
            Mistake(lambda p: p[:, 0].min(), "That is the smallest of the observed R. Of a calibrated model it is at most α more often than a share α of the time."),
            Mistake(lambda p: p.min(), "That is the smallest R of all label sets. Column 0 is the observed one, and its smallest is to be ranked among the others'."),
            *(Mistake(wrong, "Bonferroni's (the number of kernels times the smallest) is valid, but gives power away: kernels that see the same data mostly agree.")
              for wrong in (lambda p: len(p) * p[:, 0].min(), lambda p: min(1, len(p) * p[:, 0].min()))),
            Mistake(lambda p: p[:, 0].mean(), "A mean of several R is no p-value: its law is not uniform."),
            Mistake(lambda p: np.mean(p.min(axis=0) < p.min(axis=0)[0]), "Ties count, and the observed label set is one of the columns: this can be 0."),
            Mistake(lambda p: (1 + np.sum(p.min(axis=0)[1:] < p.min(axis=0)[0])) / p.shape[1], "A draw whose smallest ties counts too."),
            Mistake(lambda p: np.mean(p.min(axis=0)[1:] <= p.min(axis=0)[0]), "The observed label set is missing: it is one of the columns."),
            Mistake(lambda p: (1 + np.sum(p.min(axis=0) <= p.min(axis=0)[0])) / (p.shape[1] + 1), "Column 0 is the observed label set; you counted it twice."),
            Mistake(lambda p: np.mean(p.min(axis=0) >= p.min(axis=0)[0]), "The other tail: a small smallest R is evidence."),
            Mistake(lambda p: np.mean(p.min(axis=1) <= p.min(axis=1)[0]), "Rows are kernels, columns label sets: the smallest over kernels, axis=0."),
        ],
    ),
    Exercise(
        "which_test", "labels",
        "Given the predictions, the labels of a calibrated model are independent draws from them: observed and redrawn ones are alike, "
        "so the rank is exact at n = 300. With 999 draws P(R ≤ .05) is .05 (ties can only lower it).",
        hint="Which of them hold their level on nearly certain predictions, too? And which of these find anything?",
        accept=["exact", "label", "label test", "labels only", "redraw labels", "redrawn labels"],
        mistakes=[
            Mistake("consistency", "It redraws the predictions as well. The drawn ones repeat and yours do not: observed and drawn data sets are not alike."),
            Mistake("asymptotic", "Its bootstrap has the right law as n tends to infinity. At n = 300 the level need not be .05, least of all for nearly certain predictions."),
            Mistake("asymptotic-linear", "A t test is exact for normal terms. These are not, least of all for nearly certain predictions, and 150 of them only come near."),
            Mistake("bound-biased", "It holds the level at every n, but far from exactly: a bound for all models at once leaves this one hardly any power."),
            *(Mistake(word, "A bound keeps R too large: its level is far below .05, and so is its power unless the error is huge.")
              for word in ("bound-unbiased", "bound-linear")),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    which_negative=(
        "200 data sets of 20 rows, all from a calibrated model. Which of the three estimates comes out negative in some of them?",
        ["the biased one", "the two unbiased ones", "none: the SKCE is a square"],
        "the two unbiased ones",
        "The biased one is a squared length, as ‖s‖² in notebook 04: never negative. An unbiased estimate of 0 must fall on both sides of 0: here about "
        "half of the SKCE_uq and of the SKCE_ul are negative.",
    ),
    pick_bandwidth=(
        "Two classes, n = 200, a calibrated model. You try seven bandwidths, each a valid test, and report the smallest R. How often is "
        "it at most .05?",
        ["5 %", "about 13 %", "about 30 %"],
        "about 13 %",
        "Seven independent tests would give 1 − .95⁷ = 30 %, but these look at the same data and mostly agree.",
    ),
)
