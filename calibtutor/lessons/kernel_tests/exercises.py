"""Exercises and guesses of notebook 08: estimates of the SKCE, a test of whole predictions, several bandwidths, which test to take."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def three_estimators(h):
    """Means of all entries, of those off the diagonal, and of h_12, h_34, …"""
    n = len(h)
    unbiased = (h.sum() - np.trace(h)) / (n * (n - 1))
    first = np.arange(0, n - 1, 2)
    return h.mean(), unbiased, h[first, first + 1].mean()


def _estimators_with(k, value):
    """The three, with entry k replaced."""
    return lambda h: [value(h) if j == k else each for j, each in enumerate(three_estimators(h))]


def _kernel_pvalues(rng):
    """Ranks of related statistics: two kernels, the observed data set and five draws."""
    values = rng.normal(size=6) + 0.7 * rng.normal(size=(2, 6))
    return ((values[:, None, :] >= values[:, :, None]).mean(axis=2),)


def aggregated(pvalues):
    """Rank of the observed smallest p-value among those of all data sets, itself included."""
    smallest = pvalues.min(axis=0)
    return np.mean(smallest <= smallest[0])


check = Checks([
    Exercise("three_estimators", three_estimators,
        "The same matrix three times: all n² entries, the n(n − 1) off the diagonal, ⌊n/2⌋ that share no data.",
        Mistake(_estimators_with(1, lambda h: h.sum() / (len(h) * (len(h) - 1))), "In your unbiased estimate the diagonal is still in the sum: there a residual meets itself."),
        Mistake(_estimators_with(1, lambda h: (h.sum() - np.trace(h)) / len(h) ** 2), "In your unbiased estimate the diagonal is gone, but you still divide by n²."),
        Mistake(_estimators_with(1, lambda h: np.triu(h, 1).sum() / (len(h) * (len(h) - 1))), "In your unbiased estimate each pair is counted once, but you divide by the number of ordered pairs."),
        Mistake(_estimators_with(1, lambda h: np.triu(h).sum() / (len(h) * (len(h) - 1) / 2)), "In your unbiased estimate np.triu keeps the diagonal: np.triu(h, 1) leaves it out."),
        Mistake(_estimators_with(0, lambda h: (h.sum() - np.trace(h)) / len(h) ** 2), "The biased estimate keeps the diagonal; that is what biases it."),
        Mistake(_estimators_with(2, lambda h: np.diag(h, 1).mean()), "In your linear estimate neighbouring pairs share a row. Take every other one: each row is used once."),
        Mistake(_estimators_with(2, lambda h: np.diag(h, 1)[::2].sum() / len(h)), "Your linear estimate divides by n. Only half as many pairs are in the sum."),
        Mistake(_estimators_with(2, lambda h: np.diag(h, 1)[1::2].mean()), "Your linear pairs start at the second row. Python counts from 0: the first pair is h[0, 1]."),
        Mistake(lambda h: (h.sum(), h.sum() - np.trace(h), np.diag(h, 1)[::2].sum()), "Those are the three sums. By how many entries is each divided?"),
        Mistake(_estimators_with(1, lambda h: (h.sum() - np.trace(h)) / (len(h) - 1) ** 2), "In your unbiased estimate you divide by (n − 1)²: n rows have n(n − 1) pairs with another."),
        Mistake(_estimators_with(2, lambda h: np.trace(h) / len(h)), "Your linear estimate takes the diagonal. Its pairs are of two rows: h_12, h_34, …"),
        *(Mistake(slip, "n is odd here: the last row has no partner, and is left out.") for slip in (lambda h: h[0, len(h) + len(h) % 2 - 1], lambda h: h[np.arange(0, len(h), 2), np.arange(1, len(h), 2)])),
        inputs=lambda rng: ((h := rng.normal(size=[int(rng.integers(5, 7))] * 2)) + h.T,), hint="Three means over different entries. For each, how many entries are in the sum?"),
    Exercise("whole_test", 0.03,
        "kce_test(y, p, kernel=laplacian(median_bandwidth(p)), rng=0).pvalue: labels are redrawn, and predictions alone choose the kernel.",
        Mistake(0.057, "Without kernel= the confidence is tested as well. Whole predictions alone: give one kernel."),
        *(Mistake(value, "That is the test of the confidence. Whole predictions: give p with all its columns, and one kernel.") for value in (0.405, 0.425)),
        *(Mistake(value, "Other redraws than asked: pass rng=0 and leave their number at 999.") for value in (0.05, 0.02, 0.045, 0.04, 0.034)),
        *(Mistake(value, "With rng=0 that comes of another bandwidth: take median_bandwidth(p). Without rng=0 every call draws other labels.") for value in (0.013, 0.015, 0.016, 0.023, 0.037, 0.039)),
        Mistake(0.035, "With rng=0 that is the Gaussian kernel, rbf: take laplacian. Without rng=0 every call draws other labels."),
        *(Mistake(value, "With rng=0 those are several kernels, the aggregated test: give one. Without rng=0 every call draws other labels.") for value in (0.024, 0.027, 0.028)),
        Mistake(0.043, 'method="asymptotic" redraws rows and not labels: it is right for endless data alone. Exact is method="labels".'),
        *(Mistake(value, "Such a method redraws no labels: a bound, or a t test. Exact is method=\"labels\".") for value in (1, 0.511)),
        Mistake(0.026, "With rng=0 that is the test of the biased estimate: leave out statistic=. Without rng=0 every call draws other labels."),
        *(Mistake(k / 1000, "The draws differ: pass rng=0. Without it every call redraws other labels, and R is a little different each time.")
          for k in range(12, 53) if k not in (13, 15, 16, 20, 23, 24, 26, 27, 28, 30, 34, 35, 37, 39, 40, 43, 45, 50)),
        Mistake(3.779e-05, "That is the estimated SKCE. The p-value of the test is its .pvalue."),
        hint="kce_test(y, p, kernel=…, rng=0).pvalue, with y before p and one kernel, laplacian(…). Which bandwidth does it get?",
        tolerance=1e-3),
    Exercise("aggregated", aggregated,
        "The smallest R is a statistic like any other: its rank among the same draws is exact, however the kernels depend on each other.",
        Mistake(lambda p: p[:, 0].min(), "That is the smallest of the observed R. Of a calibrated model it is at most α more often than a share α of the time."),
        Mistake(lambda p: p.min(), "That is the smallest R of all label sets. Column 0 is the observed one, and its smallest is to be ranked among the others'."),
        *(Mistake(lambda p, most=most: min(most, len(p) * p[:, 0].min()), "Bonferroni's is valid, but gives power away: kernels that see the same data mostly agree.") for most in (np.inf, 1)),
        Mistake(lambda p: np.sum(p.min(axis=0) <= p.min(axis=0)[0]), "That is the count. Its share of all label sets is the p-value."),
        Mistake(lambda p: 1 - (1 - p[:, 0].min()) ** len(p), "That holds for independent kernels. These see the same labels: let the redrawn ones say."),
        *(Mistake(lambda p, of=of: np.mean(of(p, axis=0) <= of(p, axis=0)[0]), "Of each label set keep the smallest R: it belongs to the kernel that sees most.") for of in (np.max, np.mean)),
        Mistake(lambda p: np.mean(p.min(axis=0) <= p[0, 0]), "p[0, 0] is the observed R of the first kernel. The smallest one of the observed labels is to be ranked."),
        *(Mistake(slip, "A tie counts against you, and the observed label set counts itself: use <=.") for slip in (lambda p: np.mean(p.min(axis=0) < p.min(axis=0)[0]), lambda p: (1 + np.sum(p.min(axis=0) < p.min(axis=0)[0])) / p.shape[1])),
        Mistake(lambda p: np.mean(p.min(axis=0) >= p.min(axis=0)[0]), "The wrong side: small R speak against the model. Count the label sets whose smallest is at most yours."),
        Mistake(lambda p: np.mean(p.min(axis=0)[1:] <= p.min(axis=0)[0]), "The observed label set is missing: it is one of the columns."),
        Mistake(lambda p: (1 + np.sum(p.min(axis=0) <= p.min(axis=0)[0])) / (p.shape[1] + 1), "Column 0 is the observed label set; you counted it twice."),
        Mistake(lambda p: np.mean(p.min(axis=1) <= p.min(axis=1)[0]), "Rows are kernels, columns label sets: the smallest over kernels, axis=0."),
        inputs=_kernel_pvalues, hint="Each column is a label set: take its smallest. What share of the columns has one no larger than the first column's?"),
    Exercise("rows_for_more_classes", 3000.0,
        "Signal over noise is as n/√d: 100 times as many classes need √100 = 10 times as many rows.",
        Mistake(300000, "There were ten classes before: how many times as many are 1,000?"),
        Mistake(30000, "That would be so if the noise did not fall, too."),
        Mistake(300, "The noise falls as well, but not as fast as the mean."),
        Mistake(3_000_000, "Noise falls like 1/n here, not like 1/√n: a mean over pairs that averages 0 gains with every pair."),
        Mistake(300 * 100**0.25, "Take the root of 100 once: the noise falls like 1/n."),
        hint="The mean falls like 1/d. With n rows the noise is as 1/(n√d). What must n be, for their ratio to stay?"),
    Exercise("which_test", "labels",
        "It is exact at every n, for certain predictions too, and it sees more than a bound. With several kernels it is the aggregated test.",
        *(Mistake(word, "It redraws the predictions as well. The drawn ones repeat and yours do not: observed and drawn data sets are not alike.")
          for word in ("consistency", "pairs")),
        *(Mistake(word, "It is right for endless data. On nearly certain predictions the picture shows far too many false alarms.")
          for word in ("asymptotic", "bootstrap")),
        *(Mistake(word, "It is right for normal terms. On nearly certain predictions it raises far too many false alarms: it is test b.")
          for word in ("asymptotic-linear", "t test")),
        *(Mistake(word, "A bound holds its level, but its R are so large that it finds hardly any error.")
          for word in ("bound-biased", "bound-unbiased", "bound-linear")),
        hint="Which of them hold their level on nearly certain predictions, too? And which of these find anything?",
        accept=["aggregated", "aggregated test", "exact", "label", "label test", "labels only", "redraw labels", "redrawn labels"]),
    Exercise("holds_its_level", "ad",
        "a rejects 5, which chance does, and d none: at most a share α is what the level allows. b rejects 26 and c 13: chance does that to no exact test.",
        Mistake("d", "d is one. Test a rejects 5 of 81: more than 5 %, but an exact test does that by chance, it rejects up to 8."),
        Mistake("a", "a is one. But a test that never rejects raises no false alarm, so it holds its level, too."),
        *(Mistake(letters, "c rejects one calibrated data set in six. Chance lets an exact test reject 8 of 81 at most.")
          for letters in ("acd", "ac", "cd", "c")),
        *(Mistake(letters, "b rejects nearly a third of these data sets, though all are calibrated.")
          for letters in ("abcd", "abd", "bd", "ab", "bcd", "bc", "b", "abc")),
        hint="How many of 81 does an exact test reject at level .05, on average and by chance? Fewer is no fault.",
        accept=["da", "a and d", "d and a"]),
])


guess = Guesses(
    which_negative=(
        "200 data sets of 20 rows, all from a calibrated model. Which of the three estimates comes out negative in some of them?",
        ["the biased one", "the two unbiased ones", "none: the SKCE is a square"], "the two unbiased ones",
        "The biased one is a squared length, as ‖s‖² in notebook 04: never negative. An unbiased estimate of 0 must fall on both sides of 0: here about half of the unbiased and half of the linear ones are negative."),
    more_classes=(
        "Models of 3 to 1,000 classes, equally sure, and all too sure: temperature 1.3, n = 1,000. With more classes the error is even larger. Does the test of all probabilities find it more often?",
        ["more often", "equally often", "less often"], "less often", "The error grows with the classes, and is still found less often: it is shared among more and more top labels."),
    pick_bandwidth=(
        "Two classes, n = 200, a calibrated model. You try seven bandwidths, each a valid test, and report the smallest R. How often is it at most .05?",
        ["5 %", "about 13 %", "about 30 %"], "about 13 %", "Seven independent tests would give 1 − .95⁷ = 30 %, but these look at the same data and mostly agree."),
    before=[
        ("If 4 of 199 redrawn sets of labels have at least the observed error, what is R?", [".020", ".025", ".040"], ".025",
         "The observed set counts, too: 5 of 200 (03, section 5)."),
        ("Two rows have k = .5, and their residuals the product −.4: what is their h?", ["−.2", ".2", "−.9"], "−.2",
         "h is k times that product, so it may be negative (04, section 4)."),
        ("Is an error chance: what is redrawn to find out?", ["the labels", "the predictions", "pairs of both"], "the labels",
         "Only the labels are random given the predictions. Redrawn pairs raise false alarms (03, section 3).")])
