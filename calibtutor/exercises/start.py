"""Exercises of notebook 00."""

import numpy as np

from ..exercise import Checks, Exercise, Guesses, Mistake

__all__ = ["check", "guess"]


def _rates(rng):
    n = 4 * int(rng.integers(3, 9))
    return rng.integers(0, 2, n), rng.random(n)


def gap(hit, confidence):
    """Mean confidence minus accuracy."""
    return np.mean(confidence) - np.mean(hit)


def expected_cost(p, r):
    """Expected squared error of the forecast p for an event of rate r."""
    return (p - r) ** 2 + r * (1 - r)


check = Checks([
    Exercise(
        "animals", 4,
        "Of 20 scenes promised a 20 % chance of an animal, 20 × .2 = 4 must hold one.",
        hint="The promise is about a share of the 20 scenes.",
        mistakes=[
            Mistake(16, "16 is the number of objects, the class with 80 %."),
            Mistake(0.2, "That is the promised share. How many of the 20 scenes is it?"),
            Mistake(20, "20 is the percentage. How many scenes out of 20 is it?"),
        ],
    ),
    Exercise(
        "most_over_confident", "decision tree",
        "It is sure of every answer (mean confidence 1.000) and right 83 % of the time: a gap of +.17.",
        hint="Go through the models of the explorer and look for the largest excess of “says” over “is right”.",
        mistakes=[
            Mistake("naive Bayes", "Its excess is about .09. One model of the five is further out."),
            Mistake("random forest", "The forest says less than it delivers: it is under-confident."),
            Mistake("neural network", "Its two averages nearly agree."),
            Mistake("logistic regression", "It says less than it delivers: it is under-confident."),
        ],
    ),
    Exercise(
        "gap", gap, "Positive means over-confident.", inputs=_rates,
        hint="Two means and a difference. In this course the sign is prediction minus outcome.",
        mistakes=[
            Mistake(lambda hit, confidence: np.mean(hit) - np.mean(confidence),
                    "The size is right and the sign is not: the course counts prediction minus outcome."),
            Mistake(lambda hit, confidence: abs(np.mean(hit) - np.mean(confidence)),
                    "Without the absolute value: the sign tells over-confident from under-confident."),
            Mistake(lambda hit, confidence: np.mean(np.abs(np.asarray(confidence) - hit)),
                    "You averaged |confidence − hit| digit by digit: a single outcome is 0 or 1, so even a perfect "
                    "model has a large one. Average first, then subtract."),
        ],
    ),
    Exercise(
        "expected_cost", expected_cost, "Calibration error plus chance: the last line of the derivation.",
        inputs=lambda rng: (rng.random(), rng.random()),
        hint="Which of the two parts of the derivation's last line is missing?",
        mistakes=[
            Mistake(lambda p, r: (p - r) ** 2, "That is the calibration part alone. A fair coin costs something too."),
            Mistake(lambda p, r: r * (1 - r), "That is chance alone: the cost of the best forecast, p = r."),
            Mistake(lambda p, r: abs(p - r), "The cost is a square."),
        ],
    ),
])  # fmt: skip

guess = Guesses(
    forest=(
        "The random forest says 0.71 on average. How often is it right?",
        ["about 71 %", "clearly more often", "clearly less often"],
        "clearly more often",
        "It is right 95.6 % of the time. It is a modest model: the technical word is under-confident.",
    ),
)
