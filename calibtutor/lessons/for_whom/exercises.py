"""What notebook 09 asks: misses of groups, an inference from predictions, and three guesses about kernels."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def inference_estimate(trait, p):
    """Σ I p/Σ p."""
    return trait @ p / p.sum()


def group_gap(y, p, group):
    """Mean of p − y in group 0, 1, 2, …"""
    return np.array([(p - y)[group == g].mean() for g in range(group.max() + 1)])


def _rows_in_groups(rng):
    """Nine rows in three or four groups of different sizes, not in their order."""
    groups = [0, 0, 1, 1, 1, 1, 2, 2, 2] if rng.random() < 0.5 else [0, 0, 1, 1, 1, 2, 2, 3, 3]
    return rng.integers(0, 2, 9), rng.random(9), rng.permutation(groups)


def _in_each(mean):
    """A wrong answer, group by group."""
    return lambda y, p, group: np.array([mean(y, p, group == g) for g in range(group.max() + 1)])


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
        "group_gap", group_gap, "The mean miss of everyone is the mean of these, weighted by the sizes of the groups: it can be 0 while none of them is.",
        inputs=_rows_in_groups,
        hint="Take the rows of one group, average p − y over them, and do the same for every other group.",
        mistakes=[
            Mistake(lambda y, p, g: np.mean(p - y), "One number for everyone: opposite misses cancel in it. Average inside each group."),
            Mistake(lambda y, p, g: group_gap(y, p, g)[:2], "Two groups only. There may be more: group.max() + 1 of them."),
            Mistake(lambda y, p, g: group_gap(y, p, g)[:-1], "The last group is missing: their numbers go from 0 to group.max()."),
            Mistake(lambda y, p, g: -group_gap(y, p, g), "The sign: a miss is what was said minus what happened, p − y."),
            Mistake(_in_each(lambda y, p, here: (p - y)[here].sum()), "These are sums: a larger group would look worse. Divide by the size of the group."),
            Mistake(_in_each(lambda y, p, here: (p - y)[here].sum() / len(p)), "You divide by n. A group has fewer rows than that."),
            Mistake(lambda y, p, g: np.abs(group_gap(y, p, g)), "Keep the signs: they say who hears too much and who too little."),
            Mistake(_in_each(lambda y, p, here: p[here].mean() - y.mean()), "Compare with what happened in the same group, not with everybody's frequency."),
        ],
    ),
    Exercise(
        "other_group", -0.04,
        "¼ · .12 + ¾ · miss = 0. The larger group has the smaller miss. The squares do not cancel: ¼ · .0144 + ¾ · .0016 = .0048.",
        hint="The two misses, weighted by the sizes of the groups, must add up to nothing.",
        mistakes=[
            Mistake(-0.12, "That would be right for two groups of the same size. The others are three times as many."),
            Mistake(0.04, "The size is right. If one group hears too much, what must the others hear?"),
            *(Mistake(wrong, "The wrong way round: the larger group needs the smaller miss.") for wrong in (-0.36, 0.36)),
            Mistake(-0.03, "That is the weighted part, ¼ · .12. Divide it by the share of the others."),
            Mistake(0.0, "Then the mean miss would be ¼ · .12, and the model not right on average."),
        ],
    ),
    Exercise(
        "left_and_right", 0.02,
        "Two independent rows lie on one side in half of the cases; then E δ E δ' is .2² = .04, left as well as right. Otherwise l is 0: ½ · .04.",
        hint="Take two independent rows. How often are both on the same side? What is then the mean of δ times the mean of δ'?",
        mistakes=[
            Mistake(0.04, "That is the square of a miss. It counts only if both rows lie on the same side."),
            Mistake(0.01, "Both on the left is one way, both on the right another."),
            Mistake(0.0, "That is so with l = 1, where left and right cancel. Here pairs across do not count."),
            *(Mistake(wrong, "You took a root. Asked is the square, KLCE².") for wrong in (0.02**0.5, 0.141, 0.14)),
            Mistake(0.2, "That is the miss on one side. Asked is the mean of h over two rows: a product of two residuals."),
            Mistake(0.25, "δ² is ¼ for each row. The two rows are independent: E δ δ' is a product of two means."),
            Mistake(0.125, "δ² is ¼ for each row. The two rows are independent: E δ δ' is a product of two means, when both lie on the same side."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    worn_scanner=(
        "As trained, the network says .26 too much on the noisiest quarter of the images and .02 too much on the cleanest. After the correction it is right on "
        "average. What does it now say on the cleanest quarter?",
        ["what happens, about", "still .02 too much", ".05 too little or worse"], ".05 too little or worse",
        ".07 too little. One curve takes the same from all images of the same confidence. It must take much, because of the noisy ones, and the clean ones pay for it."),
    many_groups=(
        "After the correction three of the network's four quarters are off by more than chance. Of 64 groups, how many?",
        ["about 50", "about 30", "fewer than 10"], "fewer than 10",
        "7 of 64, though the network is no better than before: the mean of 17 answers varies by chance alone by .16 to each side (two standard errors), so the grey hides "
        "misses that quarters show."),
    which_is_kce=(
        "In one world too little is said on the right and too much on the left, as often. Three estimates look at the same rows: with both kernels, with l = 1 "
        "(features do not count), with k = 1 (predictions do not count). Which finds nothing?",
        ["both kernels", "l = 1", "k = 1"], "l = 1",
        "Pairs with similar predictions then mix left and right, and the misses cancel. What l = 1 leaves is the error of notebook 08, which sees predictions alone. "
        "(The paper says that k = 1 gives it: errata K21.)"),
    four_corners=(
        "An error is planted in four corners: too much is said where x and p are both high or both low, too little in the other two. Which kernels find it no more "
        "often than chance?",
        ["l = 1 and k = 1", "only l = 1", "only k = 1", "none of them"], "l = 1 and k = 1",
        "At each prediction the misses left and right cancel, and at each feature those above and below: with one kernel alone nothing is left. Both together "
        "find it in some 93 % (wide) and more than 98 % (narrow) of data sets at size .2."),
)  # fmt: skip
