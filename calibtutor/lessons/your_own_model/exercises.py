"""Exercises and guesses about many questions, what may be signed, and faults of the data."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses
from .data import clinic


def _table(rng):
    """Three statistics in different units, of the observed labels and of 19 redrawn ones; some values are equal."""
    table = rng.normal(size=(3, 20)).round(1)
    table[:, 0] += rng.uniform(0, 2, 3).round(1)
    return (table * np.array([[1.0], [10.0], [100.0]]),)


def _ranks(table, at_least=np.greater_equal):
    """The p-value of each question (row) in each data set (column)."""
    return at_least(table[:, None, :], table[:, :, None]).mean(axis=2)


def adjusted(table):
    p = (table[:, None, :] >= table[:, :, None]).mean(axis=2)  # of each question (row), in each data set (column)
    smallest = p.min(axis=0)  # what chance can do
    return (smallest <= p[:, :1]).mean(axis=1)


_RISK, _RELAPSE = clinic()["risk"].to_numpy() / 100, (clinic()["outcome"] == "relapse").to_numpy()

check = Checks([
    Exercise(
        "brought_in", float(np.mean(_RISK - _RELAPSE)), "As probabilities, and with the classes in the order (cured, relapse): a single column is that of the second. The model says too much.",
        Mistake(float(np.mean(_RISK - ~_RELAPSE)), "Here the risk of a relapse is compared with those who were cured. A single column is that of the second class: name “cured” first."),
        Mistake(float(np.mean(_RELAPSE - _RISK)), "The sign: prediction minus outcome, and of a relapse, not of the cured."),
        Mistake(float(np.mean(100 * _RISK - _RELAPSE)), "Your risk is still in per cent: make probabilities of it."),
        Mistake(float(np.mean(100 * _RISK - ~_RELAPSE)), "Your risk is still in per cent. And a single column is that of the second class."),
        Mistake(float(100 * np.mean(_RISK - _RELAPSE)), "That is in per cent. Give it as a probability."),
        Mistake(float(np.mean(np.abs(_RISK - _RELAPSE))), "Keep the signs: what is said too much of one patient and too little of another cancels."),
        Mistake(float(np.mean((_RISK - _RELAPSE) ** 2)), "That is the Brier score. Average p − y itself."),
        Mistake(float(np.mean(_RISK)), "That is what is said. How much more is it than what happens?"),
        Mistake(float(np.mean(_RELAPSE)), "That is how often it happens. How much more is said?"),
        hint="Two things must be mended before the average: the unit of risk, and which class a single column means."),
    Exercise("adjusted", adjusted,
        "Each p-value is compared with the smallest p-values of data sets that are calibrated: so the number of questions is paid for, and what they have in common is not paid for twice.",
        Mistake(lambda t: _ranks(t)[:, 0], "Those are the p-values R: the number of questions is not paid for yet."),
        *(Mistake(lambda t, most=most: np.minimum(most, len(t) * _ranks(t)[:, 0]), "That is Bonferroni's correction. Rank among the smallest p-values of the redrawn data sets instead.") for most in (1, np.inf)),
        Mistake(lambda t: (1 + (_ranks(t).min(axis=0) <= _ranks(t)[:, :1]).sum(axis=1)) / (t.shape[1] + 1), "Column 0 is the observed data set; you counted it twice."),
        Mistake(lambda t: _ranks(t)[:, 0] / len(t), "Dividing makes it smaller. Whoever asks more must get a larger p-value."),
        Mistake(lambda t: (_ranks(t).min(axis=0)[1:] <= _ranks(t)[:, :1]).mean(axis=1), "The observed data set is one of the B + 1: count it too, or a p-value can be 0."),
        Mistake(lambda t: (_ranks(t).min(axis=0) < _ranks(t)[:, :1]).mean(axis=1), "A tie counts against you: use <=."),
        Mistake(lambda t: ((p := _ranks(t, np.greater)).min(axis=0) <= p[:, :1]).mean(axis=1), "In (a) a tie counts against you: the share that is at least as large, >= and not >, so that a data set counts itself."),
        Mistake(lambda t: ((p := _ranks(t, np.less_equal)).min(axis=0) <= p[:, :1]).mean(axis=1), "The statistic is large if the model errs: a p-value is the share of data sets that are at least as large."),
        Mistake(lambda t: (t.max(axis=0) >= t[:, :1]).mean(axis=1), "You compare statistics of different questions: their units differ. Make p-values of them first."),
        Mistake(lambda t: (_ranks(t).min(axis=0) >= _ranks(t)[:, :1]).mean(axis=1), "The wrong side: count the data sets whose smallest p-value is at most yours."),
        Mistake(lambda t: 1 - (1 - _ranks(t)[:, 0]) ** len(t), "That holds for independent questions. These are asked of the same labels: let the redrawn data sets say."),
        Mistake(lambda t: (_ranks(t).min(axis=0) <= _ranks(t)[:, :1]).sum(axis=1), "That is the count. Its share of all B + 1 data sets is the p-value."),
        inputs=_table, hint="First the p-value of every data set for every question, as if each were the observed one. Then the smallest of each data set. Then rank."),
    Exercise("signed",
        "undecided", "The interval holds errors below the tolerance and above it: these rows cannot tell.",
        Mistake("calibrated", "No audit can say so: the interval holds errors that are not 0."),
        Mistake("within the tolerance", "For that the upper end of the interval must lie below the tolerance."),
        Mistake("more than the tolerance", "For that the lower end of the interval must lie above the tolerance."),
        hint="Compare both ends of the interval with the tolerance, and say it in one of the four answers."),
    Exercise("supported",
        "b", "It says how many questions were asked, which error the size is about, and how far the interval reaches.",
        Mistake("a", "“Not found” is not “calibrated”: a scanner has some ninety rows, and few rows hide much."),
        Mistake("c", "The interval is that of all rows. On a scanner with fewer rows a miss must be larger to be found."),
        Mistake("d", "An audit speaks for rows drawn like these; of other times it knows nothing."),
        hint="Look for what was not asked, for what was asked but not found, and for rows that are not like these."),
    Exercise("copies", 3,
        "The variance is 9² = 81 times that of one miss, and for nine independent rows it is 9 times: the standard deviation is √(81/9) times as large.",
        Mistake(9, "That is the ratio of the variances. The standard deviation is the root of a variance."),
        Mistake(81, "That is how many times the variance of one miss it is. Compare with nine independent rows, and take the root."),
        Mistake(1 / 3, "Upside down: sums of equal misses vary more, not less."),
        Mistake(1, "Independent misses partly cancel one another. Those of one patient are equal."),
        hint="Divide the true variance of the derivation by the false one. The standard deviation is the root of a variance."),
    Exercise("data_at_fault",
        "bd", "In b the accuracy collapsed, in d no promised miss happened: the model knows these rows. a and c are right as often as before, and say too much.",
        Mistake("b", "One file hides what is wrong: where misses are promised, some must happen."),
        Mistake("d", "In one more file the accuracy is far below that of the validation."),
        *(Mistake(letters, "Not all of yours: a file that is right as often as at validation, and promises too few misses, shows a fault of the model.")
          for letters in ("ac", "ab", "abd", "ad", "abc", "abcd", "bc", "bcd", "cd")),
        hint="First compare the accuracy with that at validation, then the misses that were promised with those that happened.",
        accept=["db", "b and d", "d and b"]),
])

guess = Guesses(
    by_chance=(
        "A model is calibrated, and 24 questions are asked about it, each with an exact p-value R. How often is at least one R at most .05?",
        ["in one data set of twenty", "in about a quarter", "in about half"], "in about half",
        "Were they independent and each R at most .05 in exactly 5 %, it would be 1 − .95²⁴ = 71 %. It is about .55: many of these sums take few values, so that R ≤ .05 is rarer than 5 %, and all are sums of the same labels."),
    which_breaks=("Every label slips down by one row, the last one to the top. Which questions will find nothing?",
        ["those about all rows", "those about each scanner", "those about each digit"], "those about each digit",
        "The sum of said − happened for one digit, over all rows, does not know which row a label belongs to. A question that cannot see a fault does not deny it."),
    before=[
        ("Of five questions the smallest R is kept; in 38 of 1,000 label sets it is at most the observed one: what is the aggregated R?",
         [".0076", ".038", ".19"], ".038", "38/1000: the number of questions is paid for already (08, section 4)."),
        ("R = .40: is the model calibrated?", ["yes", "nobody knows"], "nobody knows",
         "Not rejected is not calibrated: few data hide a lot (08, last section)."),
        ("A curve was fitted on the first half of the rows: which rows may test the mended model?",
         ["the first half", "the second half", "all"], "the second half", "A test needs labels that nothing was fitted on (10, section 3).")])
