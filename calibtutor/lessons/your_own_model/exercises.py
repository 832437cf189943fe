"""Exercises of notebook 08."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Guesses, Mistake

__all__ = ["check", "guess"]


def _table(rng):
    """Three statistics in different units, of the observed labels and of 19 redrawn ones; some values are equal."""
    table = rng.normal(size=(3, 20)).round(1)
    table[:, 0] += rng.uniform(0, 2, 3).round(1)
    return (table * np.array([[1.0], [10.0], [100.0]]),)


def adjusted(table):
    """Single-step min-p of Westfall and Young: the smallest p-value of each data set is what chance can do."""
    p = (table[:, None, :] >= table[:, :, None]).mean(axis=2)  # of each question (row), in each data set (column)
    smallest = p.min(axis=0)
    return (smallest <= p[:, :1]).mean(axis=1)


def _ranks(table):
    return (table[:, None, :] >= table[:, :, None]).mean(axis=2)


def _less(table):
    p = (table[:, None, :] <= table[:, :, None]).mean(axis=2)
    return (p.min(axis=0) <= p[:, :1]).mean(axis=1)


FOUR_TIMES, LEAST = 2.0, 0.12

check = Checks([
    Exercise(
        "adjusted", adjusted, "Each p-value is compared with the smallest p-values of data sets that are calibrated: so the number of questions is paid for, and what they have in common is not paid for twice.",
        inputs=_table,
        hint="First the p-value of every data set for every question, as if each were the observed one. Then the smallest of each data set. Then rank.",
        mistakes=[
            Mistake(lambda t: _ranks(t)[:, 0], "Those are the raw p-values: the number of questions is not paid for yet."),
            Mistake(lambda t: np.minimum(1, len(t) * _ranks(t)[:, 0]), "That is Bonferroni's correction. Rank among the smallest p-values of the redrawn data sets instead."),
            Mistake(lambda t: (_ranks(t).min(axis=0)[1:] <= _ranks(t)[:, :1]).mean(axis=1), "The observed data set is one of the B + 1: count it too, or a p-value can be 0."),
            Mistake(lambda t: (_ranks(t).min(axis=0) < _ranks(t)[:, :1]).mean(axis=1), "A tie counts against you: use <=."),
            Mistake(_less, "The statistic is large if the model errs: a p-value is the share of data sets that are at least as large."),
            Mistake(lambda t: (t.max(axis=0) >= t[:, :1]).mean(axis=1), "You compare statistics of different questions: their units differ. Make p-values of them first."),
            Mistake(lambda t: (_ranks(t).max(axis=0) <= _ranks(t)[:, :1]).mean(axis=1), "The largest p-value of a data set is not what you fear: chance shows you its smallest."),
            Mistake(lambda t: (_ranks(t).mean(axis=0) <= _ranks(t)[:, :1]).mean(axis=1), "The mean of a data set's p-values stands in yours. One looks at the smallest."),
            Mistake(lambda t: (_ranks(t).min(axis=0) >= _ranks(t)[:, :1]).mean(axis=1), "The wrong side: count the data sets whose smallest p-value is at most yours."),
            Mistake(lambda t: 1 - (1 - _ranks(t)[:, 0]) ** len(t), "That holds for independent questions. These are asked of the same labels: let the redrawn data sets say."),
            Mistake(lambda t: (_ranks(t).min(axis=0) <= _ranks(t)[:, :1]).sum(axis=1), "That is the count. Its share of all B + 1 data sets is the p-value."),
            Mistake(lambda t: (_ranks(t).min(axis=0) <= _ranks(t)[:, :1]).mean(axis=1).min(), "That is the smallest of them. One for each question is asked."),
        ],
    ),
    Exercise(
        "least_bonferroni", LEAST, "The smallest rank p-value is 1/(B + 1), and Bonferroni multiplies it by the number of questions: above the level whatever the labels are.",
        hint="What is the smallest p-value that a rank among B + 1 data sets can be? What does Bonferroni do with it?",
        mistakes=[
            Mistake(0.005, "That is the smallest p-value of a single question. Bonferroni multiplies it by the number of questions."),
            *(Mistake(wrong, "The observed data set counts too: the ranks go up to B + 1.") for wrong in (24 / 199, 0.1206, 0.121)),
            *(Mistake(wrong, "That is the level each question is tested at. What is the smallest p-value that can be compared with it, times the number of questions?") for wrong in (0.05 / 24, 0.0021, 0.00208)),
            Mistake(0.0, "A rank among B + 1 data sets is never 0."),
        ],
    ),
    Exercise(
        "four_times", FOUR_TIMES, "The sum is 4 times as large. Its standard deviation for copies is too, but for independent rows it would be √4 times as large, and that is what redrawn labels have.",
        hint="How does a sum of n independent residuals spread, as n grows? And what does copying do to the sum itself?",
        mistakes=[
            Mistake(4.0, "The sum grows so, but what it is compared with grows as well: as the root of the number of rows."),
            Mistake(1.0, "The redrawn labels of copies are drawn independently: their sum spreads less than four times as far."),
            Mistake(16.0, "That is the factor of the squared sum, before it is compared with anything."),
            Mistake(0.5, "The other way round: it looks larger than it is."),
        ],
    ),
    Exercise(
        "hides", "rows of the training", "The model has seen these labels, so that it is sure and right. All other spoilings can only make findings that are not the model's.",
        hint="Which of them changes where the labels come from so that they agree with the predictions more than new ones will?",
        accept=["training", "the rows of the training", "training rows"],
        mistakes=[
            *(Mistake(word, "It adds misses that the model did not make: something is found, nothing is hidden.") for word in ("labels one row down", "one bad scanner")),
            Mistake("two classes swapped", "Confident answers become wrong: that is seen, though not by questions about one class alone."),
            Mistake("each row four times", "It makes every deviation look twice as sure: false alarms, nothing hidden."),
        ],
    ),
    Exercise(
        "signed", "undecided", "Nothing was found, and the interval reaches beyond the tolerance: larger misses are possible. More rows decide it, no other word does.",
        hint="Compare both ends of the interval with the tolerance.",
        accept=["it is undecided"],
        mistakes=[
            Mistake("calibrated", "No audit can say so: the interval holds errors that are not 0."),
            Mistake("calibrated within tolerance", "For that the upper end of the interval must lie below the tolerance."),
            Mistake("miscalibrated", "Nothing was found: p is above the level."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    by_chance=(
        "A model is calibrated, and 24 questions are asked about it, each with an exact p-value. How often is at least one of them at most .05?",
        ["in one data set of twenty", "in about a quarter", "in more than half"], "in more than half",
        "With independent questions it would be 1 − .95²⁴ = 71 %. They share labels, so it is somewhat less often."),
    which_breaks=(
        "In one of twelve scanners a tenth of the labels are noted wrongly. What will be found?",
        ["that scanner alone", "all rows, but no scanner", "nothing: too few rows"], "that scanner alone",
        "About nine wrong labels, where the network promises few misses, are far more than chance for one scanner. Among all rows they are few."),
)  # fmt: skip
