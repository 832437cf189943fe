"""Exercises of the lesson for_whom."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def inference_estimate(trait, p):
    """Σ I f/Σ f."""
    return trait @ p / p.sum()


def group_gap(y, p, group):
    """Mean of p − y in group 0 and in group 1."""
    return np.array([(p - y)[group == g].mean() for g in (0, 1)])


check = Checks([
    Exercise(
        "inference_estimate", inference_estimate, "Each person is in the class with probability p, so counts p times: a weighted mean. Its error is Σ(p − y)(I − A)/Σp, A being the mean with labels.",
        inputs=lambda rng: (rng.uniform(20, 80, 6), rng.permutation([0.1, 0.9, *rng.uniform(0.2, 0.8, 4)])),  # ages; both sides of ½
        hint="A mean of the trait in which each row counts as much as it belongs to the class.",
        mistakes=[
            Mistake(lambda I, p: np.mean(I * p), "Divide by the sum of the predictions, not by n: only part of the n people is in the class."),
            Mistake(lambda I, p: I @ p, "A weighted sum. Divide by the total weight."),
            Mistake(lambda I, p: I.mean(), "That is the mean in the whole population. The predictions have not entered."),
            Mistake(lambda I, p: I[p > 0.5].mean(), "Those the model calls positive. Some of the others are in the class as well."),
            Mistake(lambda I, p: I @ p / I.sum(), "Upside down: this is a mean prediction, weighted by the trait."),
            Mistake(lambda I, p: I @ p / (p > 0.5).sum(), "The expected size of the class is the sum of the predictions, not the number above ½."),
            Mistake(lambda I, p: I @ (1 - p) / (1 - p).sum(), "That is the mean among the others, Y = 0."),
        ],
    ),
    Exercise(
        "group_gap", group_gap, "The overall gap is the mean of these, weighted by the sizes of the groups: it can be 0 while neither of them is.",
        inputs=lambda rng: (rng.integers(0, 2, 8), rng.random(8), rng.permutation([0, 0, 0, 1, 1, 1, 1, 1])),
        hint="Take the rows of one group, average p − y over them, and do the same for the other.",
        mistakes=[
            Mistake(lambda y, p, g: np.mean(p - y), "One number for everyone: opposite errors cancel in it. Average inside each group."),
            Mistake(lambda y, p, g: -group_gap(y, p, g), "The sign: promised minus happened, p − y."),
            Mistake(lambda y, p, g: np.array([(p - y)[g == k].sum() for k in (0, 1)]), "These are sums: a larger group would look worse. Divide by the size of the group."),
            Mistake(lambda y, p, g: np.array([(p - y)[g == k].sum() / len(p) for k in (0, 1)]), "You divide by n. A group has fewer rows than that."),
            Mistake(lambda y, p, g: group_gap(y, p, g)[::-1], "The right numbers in the other order: group 0 first."),
            Mistake(lambda y, p, g: np.abs(group_gap(y, p, g)), "Keep the signs: they tell whom the model favours."),
            Mistake(lambda y, p, g: np.array([p[g == k].mean() - y.mean() for k in (0, 1)]), "Compare with what happened in the same group, not with everybody's frequency."),
        ],
    ),
    Exercise(
        "other_group", -0.04,
        "¼ · .12 + ¾ · gap = 0. The larger group pays with a smaller gap; the squares still add up to ¼ · .0144 + ¾ · .0016 = .0048, not 0.",
        hint="The two gaps, weighted by the sizes of the groups, must add up to nothing.",
        mistakes=[
            Mistake(-0.12, "That would be right for two groups of the same size. The rest is three times as large."),
            Mistake(0.04, "The size is right. If one group hears too much, what must the other hear?"),
            *(Mistake(wrong, "The wrong way round: the larger group needs the smaller gap.") for wrong in (-0.36, 0.36)),
            Mistake(-0.03, "That is the weighted part, ¼ · .12. Divide it by the share of the rest."),
            Mistake(0.0, "Then the overall gap would be ¼ · .12, and the model not right on average."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    which_is_kce=(
        "k compares predictions and l compares features. Which of them must be 1 everywhere, so that KLCE becomes the KCE?",
        ["k", "l", "either of them"], "l",
        "l ≡ 1 forgets the features. The paper says k (errata K21). Say .2 or .8 by a coin, and let Y be another coin: with l ≡ 1, and k 1 for equal "
        "predictions and else 0, KLCE² is .045. With k ≡ 1 it is 0, although these predictions know nothing."),
    four_corners=(
        "You plant an error in four corners: too much where x and p are both high or both low, too little in the other two. Which kernels are blind to it, however "
        "large it is?",
        ["l = 1 and k = 1", "only l = 1", "only k = 1", "none of them"], "l = 1 and k = 1",
        "At each prediction the misses left and right cancel, and at each feature those above and below: with one kernel alone nothing is left. Both together "
        "find it in some 93 % (wide) and more than 98 % (narrow) of data sets at size .2."),
    worn_scanner=(
        "A scanner wears out, and the neural network says .109 too much on average. Isotonic regression on half of the images mends this: +.001 on the "
        "other half. On the cleanest third the miss was +.020. What is it now?",
        ["about 0, too", "still +.02", "below −.05"], "below −.05",
        "−.070 (mean over random halves): the network is now too modest there. On the most worn third +.242 has become +.119. A map of the confidence "
        "cannot tell a clean image from a worn one with the same confidence. The local test, with the wear as feature, rejects on nearly every half, before and after."),
)
