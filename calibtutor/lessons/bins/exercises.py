"""Exercises of the lesson bins."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def _predictions(rng):
    """Confidences, some of them exactly on bin edges, 0 and 1 among them, with outcomes and a number of bins."""
    n_bins = int(rng.choice([4, 8]))
    confidence = np.where(rng.random(12) < 0.4, rng.integers(0, n_bins + 1, 12) / n_bins, rng.random(12))
    confidence[:2] = 0, 1
    return confidence, rng.integers(0, 2, 12), n_bins


def ece(confidence, hit, n_bins):
    """Σ_m (n_m/n) |conf_m − acc_m| over right-closed bins of equal width."""
    bin_of = np.clip(np.ceil(confidence * n_bins) - 1, 0, n_bins - 1)
    total = 0.0
    for m in range(n_bins):
        inside = bin_of == m
        if inside.any():
            total += inside.mean() * abs(confidence[inside].mean() - hit[inside].mean())
    return total


def _ece_with(weight, left_closed=False):
    """The same with another weight for each bin, or with bins closed on the left."""

    def wrong(confidence, hit, n_bins):
        place = np.floor(confidence * n_bins) if left_closed else np.ceil(confidence * n_bins) - 1
        bin_of = np.clip(place, 0, n_bins - 1)
        used = [bin_of == m for m in range(n_bins) if (bin_of == m).any()]
        return sum(weight(b, used) * abs(confidence[b].mean() - hit[b].mean()) for b in used)

    return wrong


def _ece_of_gaps(of_gap):
    """The same with another function of each bin's gap in place of the absolute value."""

    def wrong(confidence, hit, n_bins):
        bin_of = np.clip(np.ceil(confidence * n_bins) - 1, 0, n_bins - 1)
        used = [bin_of == m for m in range(n_bins) if (bin_of == m).any()]
        return sum(b.mean() * of_gap(confidence[b].mean() - hit[b].mean()) for b in used)

    return wrong


def _ece_of_masks(inside):
    """The same with a mask for each bin, from its left and its right edge: what is in no bin is lost."""

    def wrong(confidence, hit, n_bins):
        used = [inside(confidence, m / n_bins, (m + 1) / n_bins) for m in range(n_bins)]
        return sum(b.mean() * abs(confidence[b].mean() - hit[b].mean()) for b in used if b.any())

    return wrong


def _ece_without_test(confidence, hit, n_bins):
    """NaN as soon as a bin is empty."""
    bin_of = np.clip(np.ceil(confidence * n_bins) - 1, 0, n_bins - 1)
    empty = any((bin_of == m).sum() == 0 for m in range(n_bins))
    return np.nan if empty else ece(confidence, hit, n_bins)


def debiased_square(conf, acc, n):
    """(conf − acc)² − acc(1 − acc)/(n − 1)."""
    return (conf - acc) ** 2 - acc * (1 - acc) / (n - 1)


def _bin(rng):
    n = int(rng.integers(3, 40))
    return rng.random(), rng.integers(0, n + 1) / n, n


check = Checks([
    Exercise(
        "ece", ece, "Right-closed bins, weighted by how many predictions each holds, empty ones left out.",
        inputs=_predictions,
        hint="For each bin: the share of data in it, times |mean confidence − mean hit|. Bins are (a, b]; 0 goes to the first.",
        mistakes=[
            Mistake(_ece_with(lambda b, used: 1 / len(used)),
                    "Bins are weighted by their share n_m/n, not equally (a slip found in published code: errata K7)."),
            Mistake(_ece_with(lambda b, used: b.mean(), left_closed=True),
                    "Your bins are closed on the left. A prediction on an edge belongs to the bin below it here."),
            Mistake(_ece_of_masks(lambda c, a, b: (c > a) & (c <= b)),
                    "A confidence of exactly 0 is in no bin of yours: it goes to the first. Else all is right."),
            Mistake(_ece_of_masks(lambda c, a, b: (c >= a) & (c < b)),
                    "A confidence of exactly 1 is in no bin of yours, as with np.digitize, and your bins are closed on the left."),
            Mistake(_ece_of_masks(lambda c, a, b: (c >= a) & (c <= b)), "A confidence on an edge is in two bins of yours. It belongs to the bin below."),
            Mistake(lambda c, h, m: np.mean(np.abs(c - h)),
                    "You took |confidence − hit| one by one. Average inside each bin first."),
            Mistake(_ece_with(lambda b, used: 1.0), "Weight each gap by the bin's share n_m/n of the data."),
            Mistake(_ece_without_test, "Empty bins give 0/0: leave them out."),
            Mistake(lambda c, h, m: abs(np.mean(c) - np.mean(h)), "That is the ECE with a single bin."),
            Mistake(_ece_of_gaps(lambda gap: gap), "Gaps of both signs cancel: take each bin's absolute value."),
            Mistake(_ece_of_gaps(lambda gap: gap**2), "You squared the gaps: that is norm 2, without its root."),
        ],
    ),
    Exercise(
        "most_bins", 5,
        "Each gap averages √(2/π · ¼ / n_m), and with equal bins n_m = 2,000/bins: √(2/π · ¼ · bins/2,000) = .02 at 5.03 bins.",
        hint="Put p(1 − p) = ¼ and the same n_m in every bin into the formula, and solve for the number of bins.",
        accept=[5.03, 5.027, 5.0265, 5.02655],
        mistakes=[
            Mistake(3, "You took the standard deviation for the mean distance: the factor √(2/π) is missing."),
            Mistake(3.2, "You took the standard deviation for the mean distance: the factor √(2/π) is missing."),
            Mistake(2, "Did you take p for p(1 − p), or divide by √(2/π)? Near ½ p(1 − p) is ¼, and √(2/π) is a factor."),
            Mistake(2.5, "Did you take p for p(1 − p)? Near ½ it is ¼."),
            Mistake(6, "With that many bins noise alone is above the limit: round down."),
            Mistake(400, "That is how many data a bin then holds. How many bins?"),
            Mistake(20, "Did you take p(1 − p) twice? It stands once under the root."),
        ],
    ),
    Exercise(
        "debiased_square", debiased_square,
        "It can be negative, and must be able to: an estimate that is 0 on average has to fall on both sides.",
        inputs=_bin,
        hint="Squared gap, minus the estimated variance of acc. What does the derivation divide by?",
        mistakes=[
            Mistake(lambda c, a, n: (c - a) ** 2 - a * (1 - a) / n,
                    "Divide by n − 1: acc(1 − acc) is a little too small on average (second line of the derivation)."),
            Mistake(lambda c, a, n: (c - a) ** 2 + a * (1 - a) / (n - 1), "Noise has been added already: take it away."),
            Mistake(lambda c, a, n: (c - a) ** 2 - c * (1 - c) / (n - 1),
                    "The noise comes from the labels: use acc, not conf, for its variance."),
            Mistake(lambda c, a, n: (c - a) ** 2 - c * (1 - c) / n,
                    "The noise comes from the labels: use acc, not conf, for its variance. (Then divide by n − 1.)"),
            Mistake(lambda c, a, n: max(0.0, (c - a) ** 2 - a * (1 - a) / (n - 1)),
                    "Cutting at 0 brings a bias back: to average 0, an estimate of 0 must also fall below it."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    ten_waves=(
        "Ten waves, ten bins, infinitely many data. What do the bins report?",
        ["the true error", "about half of it", "nothing"],
        "nothing",
        "Each bin holds exactly one wave, and a wave averages to zero. Twenty bins see all of it; try.",
    ),
    perfect_model=(
        "n = 500 predictions, 15 bins, a perfect model. The average ECE over many data sets is …",
        ["0", "about .005", "about .05"],
        "about .05",
        "An absolute value cannot cancel. Each bin holds about 33 coins, whose share of heads misses its mean by some .055, and the ECE averages just that.",
    ),
)
