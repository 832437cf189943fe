"""Guesses, and exercises: an answer of the reader, and the functions gap and reliability."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _rates(rng):
    n = 4 * int(rng.integers(3, 9))
    return rng.integers(0, 2, n), rng.random(n)


def gap(hit, confidence):
    """Mean confidence minus accuracy."""
    return np.mean(confidence) - np.mean(hit)


def _digits(rng):
    """Hits, confidences of which some lie exactly on edges of bins, and how many bins there are."""
    n, n_bins = int(rng.integers(30, 60)), int(rng.choice([4, 8]))
    confidence = np.where(rng.random(n) < 0.3, rng.integers(1, n_bins + 1, n) / n_bins, 0.2 + 0.8 * rng.random(n))
    return (rng.random(n) < confidence).astype(int), confidence, n_bins


def reliability(hit, confidence, n_bins):
    """A row for each bin that is not empty: mean confidence, share of hits, number of digits."""
    rows = []
    for m in range(n_bins):
        inside = (confidence > m / n_bins) & (confidence <= (m + 1) / n_bins)
        if inside.any():
            rows.append((confidence[inside].mean(), hit[inside].mean(), inside.sum()))
    return np.array(rows)


def _empty_bins_too(hit, confidence, n_bins):
    rows = np.full((n_bins, 3), np.nan)
    rows[:, 2] = 0
    found = reliability(hit, confidence, n_bins)
    rows[np.ceil(found[:, 0] * n_bins).astype(int) - 1] = found
    return rows


def _by_floor(hit, confidence, n_bins):
    """The rows of bins that hold their left edge and not their right one; c = 1 has a bin of its own, the last row."""
    which = np.floor(confidence * n_bins)
    return np.array(
        [(confidence[which == m].mean(), hit[which == m].mean(), (which == m).sum()) for m in np.unique(which)])


def _both_edges(hit, confidence, n_bins):
    inside = [(m <= confidence * n_bins) & (confidence * n_bins <= m + 1) for m in range(n_bins)]
    return np.array([(confidence[i].mean(), hit[i].mean(), i.sum()) for i in inside if i.any()])


def _middles(hit, confidence, n_bins):
    found = reliability(hit, confidence, n_bins)
    found[:, 0] = (np.ceil(found[:, 0] * n_bins) - 0.5) / n_bins
    return found


check = Checks([
    Exercise("animals", 4,
        "20 × .2 = 4. (If these 20 were drawn at random from many scenes, a calibrated model would show exactly 4 animals in about one case in five: notebook 03 is about chance.)",
        Mistake(16, "16 is the number of objects, the class with 80 %."),
        Mistake(0.2, "That is the promised share. How many of the 20 scenes is it?"),
        Mistake(9, "That many there were as the picture opened. How many were promised?"),
        hint="The promise is about a share of the 20 scenes."),
    Exercise("most_over_confident", "decision tree",
        "It is sure of every answer (mean confidence 1.000) and right 83 % of the time: a gap of +.17.",
        Mistake("naive Bayes", "Its excess is about .09. One model of the five is further out."),
        Mistake("random forest", "It says less than it is right: it is under-confident."),
        Mistake("neural network", "Its two averages nearly agree."),
        Mistake("logistic regression", "It says less than it is right, so it is under-confident."),
        accept=["tree", "trees", "decision trees"], hint="Go through the models of the picture and look for the largest excess of “says” over “is right”."),
    Exercise("gap", gap, "Positive means over-confident.",
        Mistake(lambda hit, confidence: np.mean(hit) - np.mean(confidence), "The size is right and the sign is not: the course counts prediction minus outcome."),
        Mistake(lambda hit, confidence: abs(np.mean(hit) - np.mean(confidence)), "Leave out the absolute value: the sign tells over-confident from under-confident."),
        Mistake(lambda hit, confidence: np.asarray(confidence) - hit, "You returned one number for each digit. Average."),
        Mistake(lambda hit, confidence: np.mean(np.abs(np.asarray(confidence) - hit)),
                "You averaged |confidence − hit| digit by digit: a single outcome is 0 or 1, so even a calibrated model has 2c(1 − c) where it says c, .42 at c = .7. Average first, then subtract."),
        Mistake(lambda hit, confidence: np.mean((confidence - hit) ** 2), "That is the Brier score: squares do not cancel. Average first, then subtract."),
        Mistake(lambda hit, confidence: np.mean(confidence) / np.mean(hit), "That is a ratio. The gap is a difference."),
        inputs=_rates, hint="Two means and a difference. In this course the sign is prediction minus outcome."),
    Exercise("reliability", reliability, "Every reliability diagram is these rows.",
        Mistake(_empty_bins_too, "A bin without digits has no mean: leave it out."),
        *(Mistake(slip, "A confidence on an edge belongs to the bin below it: > on the left, <= on the right.")
          for slip in (_by_floor, lambda hit, c, n_bins: _by_floor(hit[c < 1], c[c < 1], n_bins), lambda hit, c, n_bins: _by_floor(hit, np.minimum(c, 1 - 1e-12), n_bins))),
        Mistake(lambda *a: reliability(*a) * np.where(np.arange(3) == 1, reliability(*a)[:, 2:], 1), "The second column counts hits. How large a share of the bin's digits are they?"),
        Mistake(lambda hit, c, n_bins: reliability(*(each[c * n_bins % 1 != 0] for each in (hit, c)), n_bins), "A confidence on an edge is in none of your bins. It belongs to the one below: > on the left, <= on the right."),
        Mistake(_both_edges, "A confidence on an edge is in two of your bins. It belongs to the one below: > on the left, <= on the right."),
        Mistake(_middles, "That is the middle of each bin. The dot stands at the mean of the confidences in it."),
        Mistake(lambda *a: reliability(*a)[:, [1, 0, 2]], "The columns are swapped: what it says comes first."),
        Mistake(lambda *a: reliability(*a) * np.array([1, 1, 1 / len(a[0])]), "The third column counts digits; that is their share."),
        Mistake(lambda *a: reliability(*a)[:, :2], "Two columns are right. The number of digits is missing."),
        inputs=_digits, hint="Loop over the bins. With a mask for the digits of a bin, two means and a count make its row."),
    Exercise("can_be_saved", 0.04,
        "(.9 − .7)² = .04 of a cost of .25. The other .21 = .7 × .3 is the variance of the event: nobody saves it.",
        Mistake(0.25, "That is the whole cost. The last line of the derivation has two parts, and a better forecast makes one of them smaller."),
        Mistake(0.21, "That is r(1 − r), which the best forecast pays, too. What does p = .9 pay beyond it?"),
        *(Mistake(miss, "That is the miss. The cost has its square.") for miss in (0.2, -0.2)),
        Mistake(0.09, "That is p(1 − p), as if the forecast were the rate. The event has the rate r."),
        Mistake(0.16, "That is the share of the cost that can be saved. How much is it?"),
        Mistake(0.01, "That is what you pay if it happens. Take the average over both outcomes, and the part of it that a better p saves."),
        Mistake(0.81, "That is what you pay if it does not happen. Take the average over both outcomes, and the part of it that a better p saves."),
        hint="The last line of the derivation has two parts. Which of them contains p?"),
])

guess = Guesses(
    near_seventy=(
        "On 201 digits the random forest was more than 70 % and at most 80 % sure of its answer. How many of them did it get right?",
        ["about 150", "about 175", "about 192", "all 201"], "all 201", "Every single one. It is right more often than it says: it is under-confident."),
    cheapest=(
        "An event happens with probability r = .5. You may choose your forecast p. What does the cheapest one cost on average?",
        ["nothing", ".25", ".5"], ".25", "It is p = .5, and whatever happens you pay .5² = .25. Every other forecast costs more on average."))
