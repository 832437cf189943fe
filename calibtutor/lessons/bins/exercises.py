"""Exercises and guesses of notebook 02: an ECE, its noise, a debiased square, an isotonic fit by hand."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _bins(rng):
    """A row for each of a few bins: mean confidence, share of hits, count."""
    count = rng.integers(1, 30, int(rng.integers(2, 8)))
    return (np.column_stack([rng.random(len(count)), rng.binomial(count, 0.6) / count, count]),)


def ece(rows):
    """Σ_m (n_m/n) |conf_m − acc_m|."""
    conf, acc, count = np.asarray(rows).T
    return count @ np.abs(conf - acc) / count.sum()


def _of_columns(formula):
    """Another formula of the three columns."""
    return lambda rows: formula(*np.asarray(rows).T)


def debiased_square(conf, acc, n):
    """(conf − acc)² − acc(1 − acc)/(n − 1)."""
    return (conf - acc) ** 2 - acc * (1 - acc) / (n - 1)


def _bin(rng):
    n = int(rng.integers(3, 40))
    return rng.random(), rng.integers(0, n + 1) / n, n


check = Checks([
    Exercise("ece", ece, "A bin's gap counts as often as the bin has predictions: large bins matter more.",
        Mistake(_of_columns(lambda conf, acc, count: np.abs(conf - acc).mean()), "Bins are weighted by their share n_m/n, not equally (a slip found in published code: errata K7)."),
        Mistake(_of_columns(lambda conf, acc, count: np.abs(conf - acc).sum()), "Weight each gap by its bin's share n_m/n of the predictions."),
        Mistake(_of_columns(lambda conf, acc, count: count @ np.abs(conf - acc)), "You weighted by n_m. The weight is the share n_m/n."),
        Mistake(_of_columns(lambda conf, acc, count: np.abs(conf - acc).max()), "That is the largest gap of a bin, the MCE. The ECE is their weighted mean."),
        *(Mistake(_of_columns(lambda conf, acc, count, of=of: of(count @ (conf - acc) / count.sum())), "Gaps of both signs cancel: take each bin's absolute value.") for of in (np.abs, np.copy)),
        Mistake(_of_columns(lambda conf, acc, count: count @ (conf - acc) ** 2 / count.sum()), "You squared the gaps. The ECE takes their absolute values."),
        inputs=_bins, hint="conf, acc, count = rows.T. Each bin's share count / count.sum(), times |conf − acc|; then the sum."),
    Exercise("times_noise", 0.045 / np.sqrt(2 / np.pi * 0.25 * 10 / 1000),
        "Each bin holds 100, so a calibrated model gets √(2/π · ¼ / 100) = .040 on average, and .045 is 1.13 times that. In ten bins a calibrated model often gets as much: lost in noise.",
        Mistake(0.9, "You took the standard deviation for the mean distance: the factor √(2/π) is missing."),
        Mistake(0.0399 / 0.045, "Upside down: divide the observed ECE by what a calibrated model gets."),
        Mistake(0.04, "That is what a calibrated model gets. How many times as large is .045?"),
        Mistake(3.57, "You put all 1,000 predictions into each bin: n_m is 100."),
        hint="Put c(1 − c) = ¼ and n_m = 100 into the formula of section 2: all bins have the same term. Then divide .045 by it.", accept=[1.1], tolerance=0.008),
    Exercise("debiased_square", debiased_square,
        "It can be negative, and must be able to: an estimate that is 0 on average has to fall on both sides.",
        Mistake(lambda c, a, n: (c - a) ** 2 - a * (1 - a) / n, "Divide by n − 1: acc(1 − acc)/n is a little too small on average, as for every sample variance."),
        Mistake(lambda c, a, n: (c - a) ** 2 + a * (1 - a) / (n - 1), "Noise has been added already: take it away."),
        *(Mistake(lambda c, a, n, less=less: (c - a) ** 2 - c * (1 - c) / (n - less), "The noise comes from the labels: use acc, not conf, for its variance. (Then divide by n − 1.)") for less in (0, 1)),
        Mistake(lambda c, a, n: (c - a) ** 2, "Nothing is taken off yet: the noise of acc makes this too large on average."),
        Mistake(lambda c, a, n: abs(c - a) - np.sqrt(a * (1 - a) / (n - 1)), "Variances are subtracted from squares: no roots here."),
        Mistake(lambda c, a, n: max(0.0, (c - a) ** 2 - a * (1 - a) / (n - 1)), "Cutting at 0 brings a bias back: to average 0, an estimate of 0 must also fall below it."),
        inputs=_bin, hint="The squared gap, minus the estimated variance of acc that stands above."),
    Exercise("pooled", 1 / 3,
        "1, 0 falls: pooled, ½ and ½. Then ½ before 0 falls: pooled with it, ⅓ for all three. ⅓, ⅓, ⅓, 1, 1 rises.",
        Mistake(0.5, "After the first pooling a pool of ½ stands before a 0: that still falls. Repeat."),
        Mistake(0.6, "That is the mean of all five. Pool only what falls: the last two are higher than what is before them."),
        Mistake(1, "Nothing is pooled yet: the first hit stands before a miss, which falls."),
        hint="Pool neighbours that fall: each gets the mean of its pool. Does a pool and what follows it still fall?",
        tolerance=0.011),
])


guess = Guesses(
    ten_waves=("Ten waves, ten bins, infinitely many data. What do the bins report?",
        ["the true error", "about half of it", "nothing"], "nothing", "Each bin holds exactly one wave, and a wave averages to zero. Twenty bins see all of it."),
    perfect_model=(
        "Of LeNet-5's confidences 500, in 15 bins; suppose it is calibrated. The average ECE over many data sets is …",
        ["0", "about .005", "about .05"], "about .05",
        "An absolute value cannot cancel. Of 33 answers said with 75 %, about a bin's, the share that is right misses .75 by some .06 on average. The ECE averages that."),
    whose_ece=(
        "4,000 answers, each stated with 50, 55, …, 95 or 100 %. Ten bins of equal width. Does it matter whether a bin holds its right end or its left one?",
        ["hardly: all but a few lie inside", "yes: half of the numbers that are stated are ends", "no: the ECE averages it out"],
        "yes: half of the numbers that are stated are ends",
        "60, 70, 80, 90 and 100 % are ends of bins: 80 shares a bin with 75 or with 85."),
    before=[
        ("Of 50 days said with 80 % it rains on 45. How large is the miss, said minus happened?", ["+.1", "−.1", "+.9"], "−.1",
         "45/50 = .9 happened, and .8 − .9 = −.1: it says too little (notebook 00, section 3)."),
        ("A model always says how often each class occurs. Which part of its Brier score is not 0?",
         ["calibration", "sharpness", "chance"], "chance", "It is calibrated and tells nothing apart (notebook 01, section 3)."),
        ("What does a diagram of the top label not see?", ["over-confidence", "errors in the other classes", "rare answers"],
         "errors in the other classes", "It looks at the answer and its confidence alone (notebook 01, section 1).")])
