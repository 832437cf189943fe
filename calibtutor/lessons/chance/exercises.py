"""What the reader writes, works out and guesses about chance."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def redraw_labels(p, u):
    """How many cumulative sums does u exceed? The last is 1 and need not be asked."""
    below = np.cumsum(p, axis=1)[:, :-1]
    return (u[:, None] > below).sum(axis=1)


def pvalue(observed, draws):
    """(1 + #{draws ≥ observed})/(B + 1)."""
    return (1 + np.sum(draws >= observed)) / (len(draws) + 1)


check = Checks([
    Exercise("redraw_labels", redraw_labels,
        "u falls in the piece of class k, which is p_k long, with probability p_k: class k is drawn as often as it was promised.",
        Mistake(lambda p, u: p.argmax(axis=1), "The most likely class is what the model predicts. A draw also gives the others their share."),
        Mistake(lambda p, u: redraw_labels(p, u) + 1, "Off by one: classes count from 0, and u below the first probability is class 0."),
        Mistake(lambda p, u: (u[:, None] < np.cumsum(p, axis=1)[:, :-1]).sum(axis=1), "The wrong way round: you count the sums that u has not reached, so a small u gives the last class."),
        Mistake(lambda p, u: (u[:, None] < np.cumsum(p, axis=1)).sum(axis=1), "You count the sums above u: all of them for a small u, which is class 0. Count the sums that u exceeds: u > …"),
        *(Mistake(slip, "Compare u with the cumulative sums of p, not with p itself.")
          for slip in (lambda p, u: (u[:, None] > p).sum(axis=1), lambda p, u: (p > u[:, None]).argmax(axis=1),
                       lambda p, u: np.where(u < p[:, 0], 0, np.where(u < p[:, 1], 1, 2)), lambda p, u: [np.searchsorted(row, one) for row, one in zip(p, u, strict=True)])),
        Mistake(lambda p, u: np.floor(u * p.shape[1]), "So every class is drawn equally often, whatever was predicted."),
        Mistake(lambda p, u: redraw_labels(np.sort(p, axis=1), u), "Do not sort: the first piece is that of class 0, and so on."),
        Mistake(lambda p, u: (u[:, None] > np.cumsum(p, axis=0)).sum(axis=1), "axis=0 sums down the rows. The pieces of a row are laid end to end: axis=1."),
        Mistake(lambda p, u: (u[:, None] > np.cumsum(p, axis=1)).argmax(axis=1), "That finds the first sum that u exceeds, which is the first of all or none. Count them."),
        *(Mistake(lambda p, u, to=to: (u[:, None] > np.cumsum(p)[:to]).sum(axis=1), "You used the same sums for every u. Each row has sums of its own: np.cumsum(p, axis=1).") for to in (None, -1)),
        inputs=lambda rng: (rng.dirichlet(np.ones(3), 4), rng.random(4)), hint="Lay the probabilities of a row end to end on [0, 1]. In which piece does the given u fall? Classes count from 0."),
    Exercise("by_hand", 0.36,
        "Rain on one day gives .3, on no day .8, on both .2. At least .3: two vectors of .8 · .2 = .16 each, and one of .2 · .2 = .04.",
        Mistake(0.32, "Those are the two vectors with the observed value. A larger one counts as well."),
        Mistake(0.04, "Ties count: the observed vector itself, and the other with one rainy day."),
        Mistake(0.3, "That is the observed statistic. How probable is one at least as large?"),
        Mistake(0.75, "The four vectors are not equally likely: rain is likelier than none, on each day."),
        *(Mistake(value, "Either day may be the rainy one: two vectors have the observed value.") for value in (0.16, 0.2)),
        Mistake(1, "That is the chance of all four vectors. Leave out the one that is nearer to what was forecast than the observed one."),
        Mistake(0.68, "Those are the days that are alike. Rain on both is nearer to what was forecast than what was observed."),
        Mistake(0.96, "The wrong side: those are the vectors with at most the observed value."),
        Mistake(0.64, "That is rain on both days: there the statistic is smaller than what was observed."),
        hint="The observed statistic is |.8 − .5|. Which of the four label vectors reach it, and with which probability?"),
    Exercise("pvalue", pvalue, "The observed data set is one of B + 1 alike, so it counts itself: R is never 0.",
        Mistake(lambda t, draws: np.mean(draws >= t), "This can be 0. The observed data set is one of the B + 1, and counts itself; some published code forgets it."),
        Mistake(lambda t, draws: np.mean(draws > t), "Ties count, and so does the observed value itself."),
        Mistake(lambda t, draws: np.sum(draws >= t) / (len(draws) + 1), "The observed data set is in your number below, not above."),
        Mistake(lambda t, draws: (1 + np.sum(draws >= t)) / len(draws), "The observed data set is in your number above, not below: this can exceed 1."),
        Mistake(lambda t, draws: (1 + np.sum(draws <= t)) / (len(draws) + 1), "The other tail: large statistics speak against the model."),
        Mistake(lambda t, draws: (1 + np.sum(draws > t)) / (len(draws) + 1), "Ties count against the model: >=, not >."),
        *(Mistake(lambda t, draws, more=more: more + np.sum(draws >= t), "That is a count. What share of all B + 1 values is it?") for more in (0, 1)),
        *(Mistake(slip, "Brackets: all of 1 + the count is divided, by B + 1.") for slip in (lambda t, draws: 1 + np.sum(draws >= t) / (len(draws) + 1), lambda t, draws: (1 + np.sum(draws >= t)) / len(draws) + 1)),
        Mistake(lambda t, draws: (1 + np.sum(abs(draws) >= abs(t))) / (len(draws) + 1), "Only large values speak against the model: compare the statistics themselves, not their absolute values."),
        # Both signs, and values that meet.
        inputs=lambda rng: (float(rng.integers(-3, 6)) / 10, rng.integers(-5, 6, 9) / 10), hint="Put the observed value among the draws. What share of all of them is at least as large?"),
    Exercise("each_look", 0.0125,
        "The chance of any false alarm is at most the sum, 4 · .0125 = .05, however the looks depend on each other.",
        Mistake(0.05, "Then each look alone spends the whole 5 %."),
        *(Mistake(value, "That is for independent looks, each at the whole level: how often all four alarm, or any of them.") for value in (0.05**4, 1 - 0.95**4)),
        *(Mistake(value, "How many looks are there? Their chances may add up to the level.") for value in (0.025, 0.04)),
        Mistake(0.2, "That is the sum of four looks at 5 % each. It must be at most 5 % altogether."),
        Mistake(1 - 0.95**0.25, "That is right for independent looks. These share rows; the sum of the chances holds for all looks."),
        hint="If each of four looks has the same chance of a false alarm, what may it be for the sum to be at most the level?"),
])


guess = Guesses(
    is_point_01_bad=(
        "The neural network's ECE on 1,079 digits, in 15 bins, is .010, logistic regression's is .092. If the network's probabilities were exactly right, how often would 1,079 digits give an ECE at least as large as .010?",
        ["about one time in twenty", "about one time in three", "about two times in three"], "about two times in three",
        "About 65 % of redrawn sets of labels do: a perfect model with these predictions shows .011 on average. Logistic regression, redrawn in the same way, never came above .06."),
    redraw_what=(
        "The models are calibrated, with five classes and n = 100 predictions each; every probability is cut into 10 pieces. A test at level 5 % redraws pairs. How many of these calibrated models does it reject?",
        ["hardly any", "about 5 %", "more than half"], "more than half",
        "About seven of ten, and about one of twenty with redrawn labels. It gets worse: in a published setting (n = 250, 10 pieces) redrawing pairs rejects each of 10,000 calibrated data sets, redrawing labels only 5 % of them."),
    look_again=(
        "The test holds its level at every n. You look at n = 100, 200, …, 1,000 and stop at the first R ≤ .05. How many calibrated models do you reject?",
        ["5 %", "about 10 %", "about 20 %", "about 40 %"], "about 20 %",
        "Each look alone rejects about 5 %. Ten independent looks would make 1 − .95¹⁰ = 40 %, but each look has the rows of the looks before it in its data, so their alarms often come together."),
    before=[("A model is .9 sure of 40 digits and gets 30 of them right. How far is it off, said minus happened?",
             ["+.15", "−.15", "+.1"], "+.15",
             "30/40 = .75 happened: .15 too much was said, it is over-confident (notebook 00, section 3)."),
            ("A calibrated model has many digits in each bin. What is its ECE, most likely?",
             ["0", "a little above 0", "as often below 0 as above"], "a little above 0",
             "Each bin misses by chance, and the ECE takes the sizes of the misses (notebook 02, section 2)."),
            ("A model is calibrated in its top label. Is each class's own probability calibrated, too?",
             ["yes", "not always", "never"], "not always",
             "The top label forgets which class it is; errors of classes can cancel there (notebook 01, section 2).")])
