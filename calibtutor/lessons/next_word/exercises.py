"""An exercise and two guesses of the case study on a language model."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def design_effect(values, passage):
    """Variance of the mean by passages over that by positions."""
    off = values - np.mean(values)
    sums = np.array([off[passage == each].sum() for each in np.unique(passage)])
    G, n = len(sums), len(values)
    return G / (G - 1) * np.sum(sums**2) / (n / (n - 1) * np.sum(off**2))


check = Checks([
    Exercise("design_effect", design_effect,
        "Passages are independent, whatever happens within them: so the first variance is right. The second is, if positions are independent.",
        Mistake(lambda v, g: (1 + 1 / g.max()) * np.sum(np.bincount(g, v) ** 2) / np.sum(v**2) * (1 - 1 / len(v)),
                "Subtract the mean of all values first: it is a variance that is asked for."),
        Mistake(lambda v, g: np.sqrt(design_effect(v, g)), "That is the factor between intervals. The factor between variances is asked for."),
        Mistake(lambda v, g: 1 / design_effect(v, g), "The other way round: by passages over by positions."),
        Mistake(lambda v, g: np.sum(np.bincount(g, v - v.mean()) ** 2) / np.sum((v - v.mean()) ** 2),
                "Nearly: the factors G/(G − 1) and n/(n − 1) are missing."),
        inputs=lambda rng: (rng.normal(0.3, 1, 40) + np.repeat(rng.normal(size=5), 8), np.repeat(np.arange(5), 8)),
        hint="off = values − mean. Sum off within each passage, square the G sums, add them up, times G/(G − 1); "
        "then over the same with each position a passage of its own."),
])

guess = Guesses(
    worth_of_a_position=(
        "In some passages of Python code the likeliest token comes much more often than in others: for how often it comes, an interval "
        "by passages is 2.9 times as wide as one by positions. How many times as wide is it for said − happened?",
        ["about 1.2", "about 2", "about 2.9"], "about 1.2",
        "The model says more where more comes. What it knows of a passage is subtracted, and takes the dependence with it."),
    one_temperature=(
        "Of arithmetic the model says .094 too much. It gets a temperature of its own, the one with the smallest log loss on other "
        "passages of arithmetic. How much does it say too much then?",
        ["about .00", "about .02", "about .045", "about .07"], "about .07",
        "A quarter of it goes. The log loss of all tokens is best at T = 1.09; said and happened agree near 1.3."))
