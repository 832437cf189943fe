"""Exercises of the lesson bins."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]


def _predictions(rng):
    """Hits, confidences of which some lie exactly on edges of bins, 1 among them, and a number of bins."""
    n_bins = int(rng.choice([4, 8]))
    confidence = np.where(rng.random(12) < 0.4, rng.integers(1, n_bins + 1, 12) / n_bins, rng.uniform(0.01, 1, 12))
    confidence[0] = 1
    return rng.integers(0, 2, 12), confidence, n_bins


def ece(hit, confidence, n_bins):
    """Σ_m (n_m/n) |conf_m − acc_m| over right-closed bins of equal width."""
    total = 0.0
    for m in range(n_bins):
        inside = (confidence > m / n_bins) & (confidence <= (m + 1) / n_bins)
        if inside.any():
            total += inside.mean() * abs(confidence[inside].mean() - hit[inside].mean())
    return total


def _rows(hit, confidence, n_bins):
    """Mean confidences, shares of hits and counts of the bins that hold data, as `reliability` of notebook 00 has them."""
    bins = [(confidence > m / n_bins) & (confidence <= (m + 1) / n_bins) for m in range(n_bins)]
    return np.array([(confidence[b].mean(), hit[b].mean(), b.sum()) for b in bins if b.any()]).T


def _from_rows(of_rows):
    """What another formula makes of these rows."""
    return lambda hit, confidence, n_bins: of_rows(*_rows(hit, confidence, n_bins))


def _ece_of_masks(inside):
    """The ECE with a mask for each bin, from its left and its right edge: what is in no bin is lost."""

    def wrong(hit, confidence, n_bins):
        used = [inside(confidence, m / n_bins, (m + 1) / n_bins) for m in range(n_bins)]
        return sum(b.mean() * abs(confidence[b].mean() - hit[b].mean()) for b in used if b.any())

    return wrong


def _ece_without_test(hit, confidence, n_bins):
    """NaN as soon as a bin is empty."""
    return ece(hit, confidence, n_bins) if len(_rows(hit, confidence, n_bins)[0]) == n_bins else np.nan


def debiased_square(conf, acc, n):
    """(conf − acc)² − acc(1 − acc)/(n − 1)."""
    return (conf - acc) ** 2 - acc * (1 - acc) / (n - 1)


def _bin(rng):
    n = int(rng.integers(3, 40))
    return rng.random(), rng.integers(0, n + 1) / n, n


check = Checks([
    Exercise(
        "ece", ece,
        "From the rows it is one line: conf, acc, count = reliability(hit, confidence, n_bins).T, and then "
        "count @ np.abs(conf − acc) / count.sum().",
        inputs=_predictions,
        hint="For each row: the bin's share n_m/n of all predictions, times |conf_m − acc_m|. Then the sum over the rows.",
        mistakes=[
            Mistake(_from_rows(lambda conf, acc, count: np.abs(conf - acc).mean()),
                    "Bins are weighted by their share n_m/n, not equally (a slip found in published code: errata K7)."),
            Mistake(_from_rows(lambda conf, acc, count: np.abs(conf - acc).sum()),
                    "Weight each gap by its bin's share n_m/n of the predictions."),
            Mistake(_from_rows(lambda conf, acc, count: count @ np.abs(conf - acc)),
                    "You weighted by n_m. The weight is the share n_m/n."),
            Mistake(_from_rows(lambda conf, acc, count: count @ (conf - acc) / count.sum()),
                    "Gaps of both signs cancel: take each bin's absolute value."),
            Mistake(_from_rows(lambda conf, acc, count: abs(count @ (conf - acc)) / count.sum()),
                    "That is the ECE with a single bin: take the absolute value in each bin, then sum."),
            Mistake(_from_rows(lambda conf, acc, count: count @ (conf - acc) ** 2 / count.sum()),
                    "You squared the gaps. The ECE takes their absolute values."),
            Mistake(lambda hit, confidence, n_bins: np.mean(np.abs(confidence - hit)),
                    "You took |confidence − hit| one by one. Average inside each bin first."),
            Mistake(_ece_without_test, "Empty bins give 0/0: leave them out."),
            Mistake(_ece_of_masks(lambda c, a, b: (c >= a) & (c < b)),
                    "A confidence of exactly 1 is in no bin of yours, as with np.digitize, and your bins are closed on the left."),
            Mistake(_ece_of_masks(lambda c, a, b: (c >= a) & ((c < b) | (b == 1))),
                    "Your bins are closed on the left. A prediction on an edge belongs to the bin below it here."),
            Mistake(_ece_of_masks(lambda c, a, b: (c >= a) & (c <= b)),
                    "A confidence on an edge is in two bins of yours. It belongs to the bin below."),
        ],
    ),
    Exercise(
        "most_bins", 5,
        "Each gap averages √(2/π · ¼ / n_m), and with equal bins n_m = 2,000/bins: √(2/π · ¼ · bins/2,000) = .02 at 5.03 bins.",
        hint="Put c(1 − c) = ¼ and the same n_m in every bin into the formula, and solve for the number of bins.",
        accept=[5.03, 5.027, 5.0265, 5.02655],
        mistakes=[
            Mistake(3, "You took the standard deviation for the mean distance: the factor √(2/π) is missing."),
            Mistake(3.2, "You took the standard deviation for the mean distance: the factor √(2/π) is missing."),
            Mistake(2, "Did you take c for c(1 − c), or divide by √(2/π)? Near ½ c(1 − c) is ¼, and √(2/π) is a factor."),
            Mistake(2.5, "Did you take c for c(1 − c)? Near ½ it is ¼."),
            Mistake(6, "With that many bins noise alone is above the limit: round down."),
            Mistake(400, "That is how many data a bin then holds. How many bins?"),
            Mistake(20, "Did you take c(1 − c) twice? It stands once under the root."),
        ],
    ),
    Exercise(
        "debiased_square", debiased_square,
        "It can be negative, and must be able to: an estimate that is 0 on average has to fall on both sides.",
        inputs=_bin,
        hint="The squared gap, minus the estimated variance of acc that stands above.",
        mistakes=[
            Mistake(lambda c, a, n: (c - a) ** 2 - a * (1 - a) / n,
                    "Divide by n − 1: acc(1 − acc)/n is a little too small on average, as for every sample variance."),
            Mistake(lambda c, a, n: (c - a) ** 2 + a * (1 - a) / (n - 1), "Noise has been added already: take it away."),
            Mistake(lambda c, a, n: (c - a) ** 2 - c * (1 - c) / (n - 1),
                    "The noise comes from the labels: use acc, not conf, for its variance."),
            Mistake(lambda c, a, n: (c - a) ** 2 - c * (1 - c) / n,
                    "The noise comes from the labels: use acc, not conf, for its variance. (Then divide by n − 1.)"),
            Mistake(lambda c, a, n: abs(c - a) - np.sqrt(a * (1 - a) / (n - 1)),
                    "Variances are subtracted from squares: no roots here."),
            Mistake(lambda c, a, n: max(0.0, (c - a) ** 2 - a * (1 - a) / (n - 1)),
                    "Cutting at 0 brings a bias back: to average 0, an estimate of 0 must also fall below it."),
        ],
    ),
    Exercise(
        "pooled", 1 / 3,
        "1, 0 falls: pooled, ½ and ½. Then ½ before 0 falls: pooled with it, ⅓ for all three. ⅓, ⅓, ⅓, 1, 1 rises.",
        hint="Pool neighbours that fall: each gets the mean of its pool. Does a pool and what follows it still fall?",
        accept=[0.33, 0.333, 0.3333],
        mistakes=[
            Mistake(0.5, "After the first pooling a pool of ½ stands before a 0: that still falls. Repeat."),
            Mistake(0.6, "That is the mean of all five. Pool only what falls: the last two are higher than what is before them."),
            Mistake(1, "Nothing is pooled yet: the first hit stands before a miss, which falls."),
            Mistake(0, "The first is pooled with what follows it, and its pool has a hit."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    ten_waves=(
        "Ten waves, ten bins, infinitely many data. What do the bins report?",
        ["the true error", "about half of it", "nothing"],
        "nothing",
        "Each bin holds exactly one wave, and a wave averages to zero. Twenty bins see all of it.",
    ),
    perfect_model=(
        "n = 500 predictions, 15 bins, a calibrated model. The average ECE over many data sets is …",
        ["0", "about .005", "about .05"],
        "about .05",
        "An absolute value cannot cancel. Each bin holds about 33 coins, whose share of heads misses its mean by some .055, and the ECE averages just that.",
    ),
    best_bins=(
        "n = 500 predictions, waves of height .1. Which number of bins has the smallest RMSE?",
        ["2", "5", "20", "50"],
        "5",
        "With 2 bins each holds one whole wave, and little of the error is left. With 20 noise outweighs what the bins see.",
    ),
)
