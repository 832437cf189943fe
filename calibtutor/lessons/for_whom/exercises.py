"""What notebook 09 asks: misses of groups, an inference from predictions, the strength of kernels; guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def group_gap(y, p, group):
    """Mean of p − y in group 0, 1, 2, …"""
    return np.array([(p - y)[group == g].mean() for g in range(group.max() + 1)])


def _rows_in_groups(rng):
    """Nine rows in three or four groups of different sizes, not in their order."""
    groups = [0, 0, 1, 1, 1, 1, 2, 2, 2] if rng.random() < 0.5 else [0, 0, 1, 1, 1, 2, 2, 3, 3]
    return rng.integers(0, 2, 9), rng.random(9), rng.permutation(groups)


def _off(M):
    """M without its diagonal."""
    return M - np.diag(np.diag(M))


def strength(delta, v, M):
    """Σ_{i≠j} M_ij δ_i δ_j, divided by its standard deviation if δ_i is independent, with mean 0 and variance v_i."""
    off = M - np.diag(np.diag(M))
    return delta @ off @ delta / np.sqrt(2 * v @ off**2 @ v)


def _rows_and_kernel(rng):
    p, rows = rng.uniform(0.1, 0.9, 6), rng.normal(size=6)
    return p - (rng.random(6) < p), p * (1 - p), np.exp(-((rows[:, None] - rows) ** 2))


check = Checks([
    Exercise(
        "years_off", 3, "(½ · 30 · .4 + ½ · 60 · .6)/.5 = 48, where 45 is right. The miss grows with age, so the older count too much.",
        Mistake(48, "That is what the predictions say. By how much is it off?"),
        Mistake(1.5, "That is the mean of age times miss. Divide it by the share of owners."),
        Mistake(-3, "The older hear too much, so they count too much."),
        Mistake(0, "Right on average is not enough: the miss goes with what is asked for."),
        hint="Each person counts as much as the prediction says. Compare with the mean age of those who own a home.",
    ),
    Exercise(
        "group_gap", group_gap, "The mean miss of everyone is the mean of these, weighted by the sizes of the groups: it can be 0 while none of them is.",
        Mistake(lambda y, p, g: np.mean(p - y), "One number for everyone: opposite misses cancel in it. Average inside each group."),
        Mistake(lambda y, p, g: group_gap(y, p, g)[:-1], "The last group is missing: their numbers go from 0 to group.max()."),
        Mistake(lambda y, p, g: -group_gap(y, p, g), "The sign: a miss is what was said minus what happened, p − y."),
        Mistake(lambda y, p, g: np.bincount(g, p - y) / len(g), "Divide by the size of the group, not by all rows."),
        Mistake(lambda y, p, g: group_gap(0 * y, np.abs(p - y), g), "Average p − y with its sign: even a calibrated model has a mean of |p − y|."),
        Mistake(lambda y, p, g: np.bincount(g, p - y), "These are sums: a larger group would look worse. Divide by the size of the group."),
        Mistake(lambda y, p, g: np.abs(group_gap(y, p, g)), "Keep the signs: they say who hears too much and who too little."),
        inputs=_rows_in_groups, hint="Take the rows of one group, average p − y over them, and do the same for every other group.",
    ),
    Exercise(
        "other_group", -0.04, "¼ · .12 + ¾ · miss = 0. The larger group has the smaller miss. The squares do not cancel: ¼ · .0144 + ¾ · .0016 = .0048.",
        Mistake(-0.36, "The wrong way round: they are three times as many, so their miss is a third."),
        Mistake(-0.12, "That would be right for two groups of the same size. The others are three times as many."),
        Mistake(0.04, "The size is right. If one group hears too much, what must the others hear?"),
        Mistake(-0.03, "That is the weighted part, ¼ · .12. Divide it by the share of the others."),
        Mistake(0.0, "Then the mean miss would be ¼ · .12, and the model not right on average."),
        hint="The two misses, weighted by the sizes of the groups, must add up to nothing.",
    ),
    Exercise(
        "strength", strength, "The error in standard deviations of a right model: it compares pairs of kernels on the same rows. Many rows make the same miss stronger, so it is no size.",
        Mistake(lambda d, v, M: d @ M @ d / np.sqrt(2 * v @ _off(M) ** 2 @ v), "In T a row meets itself: leave out the diagonal of M."),
        Mistake(lambda d, v, M: d @ M @ d / np.sqrt(2 * v @ M**2 @ v), "A row meets itself: leave out the diagonal of M, above and below."),
        Mistake(lambda d, v, M: strength(d, v, M) * np.sqrt(2), "Each pair stands in T twice: its share of the variance is larger than that."),
        Mistake(lambda d, v, M: d @ _off(M) @ d / (2 * v @ _off(M) ** 2 @ v), "That is T over its variance. Take the root."),
        Mistake(lambda d, v, M: d @ _off(M) @ d / np.sqrt(2 * v @ _off(M) @ v), "A factor comes out of a variance as its square: M_ij² in the sum below."),
        Mistake(lambda d, v, M: d @ _off(M) @ d, "That is T. Divide it by its standard deviation."),
        inputs=_rows_and_kernel, hint="Put zeros on the diagonal of M, in a copy. Then both sums are a vector times a matrix times a vector.",
    ),
])  # fmt: skip


guess = Guesses(
    worn_scanner=(
        "As trained, the network says .26 too much on the noisiest quarter of the images and .02 too much on the cleanest. After the correction it is right on average. What does it now say on the cleanest quarter?",
        ["what happens, about", "still .02 too much", ".05 too little or worse"], ".05 too little or worse",
        ".07 too little. One curve takes the same from all images of the same confidence. It must take much, because of the noisy ones, and the clean ones pay for it."),
    many_groups=(
        "After the correction three of the network's four quarters are off by more than chance. Of 64 groups, how many?",
        ["about 50", "about 30", "fewer than 10"], "fewer than 10",
        "7 of 64, though the network is no better than before: the mean of 17 answers varies by chance alone by .16 to each side (two standard errors), so the grey hides misses that quarters show."),
    before=[
        ("Two rows have k = .5, and their residuals are .6 and −.4: what is their h?", ["−.12", ".12", "−.24"], "−.12",
         "k times both residuals: misses to opposite sides count against each other (notebook 04, section 4)."),
        ("The best of four bandwidths has R = .02: may that be the R of all four together?", ["yes", "no, it is too small", "no, it is too large"],
         "no, it is too small", "The smallest of several is small by chance more often than one alone (notebook 08, section 4)."),
        ("Which estimate of the SKCE is too large on average?", ["all entries of the matrix h", "those off the diagonal", "every second row with the next"],
         "all entries of the matrix h", "On the diagonal each row meets itself, and a square is never negative (notebook 08, section 1)."),
    ],
)  # fmt: skip
