"""What moved by how much, how shares enter a CKCE, weights of another crowd, two shares apart; guesses."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def crowd_weights(group, shares):
    """New share over old, for each image's group."""
    old = np.bincount(group, minlength=len(shares)) / len(group)
    return shares[group] / old[group]


def _weighed(combine):
    """crowd_weights from new shares, numbers of images in the groups and n combined in another way."""
    return lambda group, shares: combine(shares[group], np.bincount(group)[group], len(group))


check = Checks([
    Exercise("bandwidth_alone", 22,
        "Nothing but the bandwidth moved. A moving crowd works against it, so that with both the fall is smaller.",
        Mistake(14, "That is with the crowd moving, or without noise. Hold the crowd still, and leave the labels drawn."),
        Mistake(-22, "Right, but asked is by how many per cent it falls: give it without a sign."),
        Mistake(0, "With one bandwidth nothing moves. Choose the median of each data set."),
        accept=[22.5], hint="In the picture: the crowd stays at α = 0; the bandwidth the median of each data set, labels drawn, λ = 0.178."),
    Exercise("rare_and_frequent", 0.0424,
        "(.2 · .9/1)² + (.2 · .1/.2)² = .0324 + .01: of the frequent miss nine tenths are left, of the rare one half.",
        Mistake(0.08, "That is without λ: each prediction keeps only s/(s + λ) of its miss."),
        Mistake(0.28, "Square each, then add."),
        Mistake(0.0784, "You squared the sum. The CKCE is the sum of the squares."),
        Mistake(0.03016, "The squares are added as they are, not weighted by the shares: the shares have had their say in s/(s + λ)."),
        Mistake(0.2059, "No root: the CKCE is the squared length."),
        hint="Each prediction keeps s/(s + λ) of its miss. Square each, then add."),
    Exercise("crowd_weights", crowd_weights,
        "New share over old. These weights depend on the prediction alone, so P(Y | p) stays as it is.",
        Mistake(_weighed(lambda new, count, n: new), "That is the new share alone. A group that was large already must not count twice: divide by its old share."),
        Mistake(_weighed(lambda new, count, n: new / count), "A factor n is missing: these weights add up to 1, and their mean should be 1. The old share is the number of images in the group divided by n."),
        Mistake(_weighed(lambda new, count, n: count / n / new), "The wrong way round: new share over old."),
        Mistake(lambda group, shares: shares / (np.bincount(group) / len(group)), "Right for each group. The function returns a value for each image: index with group."),
        inputs=lambda rng: (rng.permutation(np.append([0, 1, 2], rng.integers(0, 3, 6))), rng.dirichlet(3 * np.ones(3))),
        hint="np.bincount counts the images of each group; divided by their number these are the old shares. Index with group to have one value for each image."),
    Exercise("apart", 4,
        "Beyond 2 chance hardly explains it: at the same confidence the model is right more often. The curve has moved, and an error should say so.",
        Mistake(0.1, "That is the difference. Divide it by its standard error."),
        Mistake(160, "You divided by the variance. Take its root."),
        Mistake(1 / 0.35, "Variances add up, standard errors do not."),
        Mistake(0.2, "The numbers of cases are missing: each variance is f(1 − f)/n."),
        Mistake(-4, "The size is right. More digits are right in the dark."),
        accept=[3.96], hint="The variance of a share f of n independent cases is f(1 − f)/n. Variances of independent shares add up."),
])


guess = Guesses(
    which_moves=(
        "Nothing changes but where the inputs are: P(Y | p) stays. Inputs move from one end of the range to its middle. Which error moves most?",
        ["ECE", "SKCE", "CKCE"], "SKCE",
        "Means of 400 data sets (n = 1,000), the bandwidth the median distance of each: from the ends to the middle √SKCE falls by 68 %, the ECE by 44 %, √CKCE by 8 %. "
        "The CKCE moves least of the three, with each bandwidth of the picture."),
    what_moved=(
        "From the ends to the middle the CKCE falls by 14 % (no root; means of 200 data sets). The curve stays. What makes it fall?",
        ["the penalty λ", "the noise of the labels", "the crowd of inputs", "the bandwidth of the kernel"], "the bandwidth of the kernel",
        "The bandwidth is the median distance of the predictions, and these move: it is .016 at the ends and .346 in the middle. With one bandwidth for all data sets, from .05 to .5, nothing falls. "
        "The CKCE rises towards the middle, with and without noise, for each λ of the picture. (λ was the same for all data sets.) See for yourself: hold still one at a time."),
    four_or_eight=(
        "With four inputs the limit is .23. Now there are eight, these four and four between; the curve and the kernel are the same. The limit is …",
        ["smaller", "the same", "larger"], "larger",
        "It is 4.9: a function that runs through eight misses runs through four of them, so it cannot be shorter than the shortest that does only that."),
    darker_digits=(
        "Digits are shown at half of their brightness to a logistic regression that learnt them at full brightness. What does its √CKCE do?",
        ["it stays, within noise", "it grows by about a half", "it grows to more than three times as much"], "it grows to more than three times as much",
        "From .100 to .349 (λ = .17). The mean confidence falls from .87 to .58: another crowd. Has the curve moved, too? That comes next."),
    before=[
        ("The kernel ⟨p, q⟩ plus a Gaussian one: what is it for the prediction (.6, .4) and itself?", [".52", "1", "1.52"], "1.52",
         "⟨p, p⟩, and 1 for the Gaussian part (notebook 11, section 3)."),
        ("The penalty λ grows: what does the CKCE do?", ["it falls", "it stays", "it grows"], "it falls",
         "Along each direction less is kept, μ/(μ + λ) of a coefficient (notebook 11, section 4)."),
        ("What is the CKCE?", ["the mean squared miss", "the squared length of the curve of misses", "the largest miss"],
         "the squared length of the curve of misses", "It is ‖G‖², not a mean over the crowd (notebook 11, section 2).")])
