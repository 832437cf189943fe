"""Exercises of the lesson chance."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



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


check = Checks([
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
)
