"""Exercises of notebook 02."""

import numpy as np
from scipy.special import gamma as factorial
from scipy.special import gammaln
from sklearn.isotonic import isotonic_regression

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


def miscalibration(p, fitted, y):
    """mean (p − y)² − mean (r̂ − y)²."""
    return np.mean((p - y) ** 2) - np.mean((fitted - y) ** 2)


def _fitted(rng):
    """Predictions, their isotonic fit and labels of both kinds."""
    y = rng.permutation([0, 1, *rng.integers(0, 2, 8)])
    p = np.clip(np.sort(rng.random(10)) + 0.05, 0, 1)
    return p, isotonic_regression(y.astype(float)), y


def leave_one_out(kernel, y):
    """r̂_i = Σ_{j≠i} k_ij y_j / Σ_{j≠i} k_ij."""
    kernel = kernel - np.diag(np.diag(kernel))
    return kernel @ y / kernel.sum(axis=1)


def _kernel_and_labels(rng):
    return rng.random((3, 3)) + 0.1, rng.integers(0, 2, 3)  # not symmetric, and the diagonal is not 1


def _half_masked(kernel, y):
    return (kernel - np.diag(np.diag(kernel))) @ y / kernel.sum(axis=1)


def beta_kernel(p, c, gamma):
    """The Beta density at p whose top is at c."""
    from scipy.stats import beta

    return beta.pdf(p, c / gamma + 1, (1 - c) / gamma + 1)


def _beta_pdf(p, a, b):
    from scipy.stats import beta

    return beta.pdf(p, a, b)


def _points_and_centres(rng):
    """Points and centres, sometimes both at the wall, and a bandwidth, sometimes one that makes Γ overflow."""
    p, c = rng.uniform(0.05, 0.95, (3, 1)), rng.uniform(0.05, 0.95, (1, 4))
    if rng.random() < 0.4:
        p[-1, 0] = c[0, -1] = 1
    return p, c, 0.001 if rng.random() < 0.4 else rng.uniform(0.05, 0.5)


def _log_beta_kernel(p, c, gamma):
    with np.errstate(divide="ignore"):
        return np.log(beta_kernel(p, c, gamma))


def _beta_kernel_by_formula(p, c, gamma):
    """As it is printed: Γ(1/γ + 2) overflows from γ = .005 down."""
    a, b = c / gamma + 1, (1 - c) / gamma + 1
    with np.errstate(all="ignore"):
        front = factorial(a + b) / (factorial(a) * factorial(b))
        return front * p ** (a - 1) * (1 - p) ** (b - 1)


def _beta_kernel_without_xlogy(p, c, gamma):
    """By logarithms, with 0 · log 0 in it where p and c are 1."""
    a, b = c / gamma + 1, (1 - c) / gamma + 1
    with np.errstate(all="ignore"):
        return np.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + (a - 1) * np.log(p) + (b - 1) * np.log(1 - p))


def loo_likelihood(kernel):
    """Σ_i log of the mean of k_ij over j ≠ i."""
    n = len(kernel)
    others = kernel.sum(axis=1) - np.diag(kernel)
    return np.sum(np.log(others / (n - 1)))


def _off_diagonal_log(kernel):
    """The mean of logarithms where the logarithm of the mean belongs."""
    n = len(kernel)
    return (np.log(kernel).sum() - np.log(np.diag(kernel)).sum()) / (n - 1)


def redraw_labels(confidence, u):
    """1 where the uniform number is below the confidence: this has just that probability."""
    return (u < confidence).astype(int)


def _confidences_and_uniforms(rng):
    return rng.uniform(0.1, 1, 12), rng.random(12)


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
    Exercise(
        "miscalibration", miscalibration,
        "It is at least 0, because no rising function of p has a smaller mean square than the isotonic fit.",
        inputs=_fitted,
        hint="The Brier score of what was said, less that of the fitted frequencies: both are distances from y.",
        mistakes=[
            Mistake(lambda p, f, y: np.mean((p - f) ** 2),
                    "That is how far the fit is from what was said. Compare each with what happened, and take the difference."),
            Mistake(lambda p, f, y: np.mean((f - y) ** 2) - np.mean((p - y) ** 2), "Turned round: the fit has the smaller score."),
            Mistake(lambda p, f, y: np.mean((p - y) ** 2), "That is the whole Brier score. Which part of it does the fit save?"),
            Mistake(lambda p, f, y: np.mean((f - y) ** 2), "That is what is left after recalibration. How much did it save?"),
            Mistake(lambda p, f, y: np.mean((np.mean(y) - y) ** 2) - np.mean((f - y) ** 2),
                    "That is the discrimination: it compares the fit with the overall frequency, not with p."),
            Mistake(lambda p, f, y: np.sum((p - y) ** 2) - np.sum((f - y) ** 2), "A score is a mean over the predictions, not a sum."),
            Mistake(lambda p, f, y: np.mean(np.abs(p - y)) - np.mean(np.abs(f - y)), "The Brier score squares."),
            Mistake(lambda p, f, y: np.sqrt(np.mean((p - y) ** 2)) - np.sqrt(np.mean((f - y) ** 2)), "The Brier score takes no root."),
        ],
    ),
    Exercise(
        "beta_kernel", beta_kernel,
        "A density in p for every centre c. Its top is at c, because a Beta(a, b) has it at (a − 1)/(a + b − 2).",
        inputs=_points_and_centres,
        hint="For two classes the Dirichlet density is the Beta density of p: which two parameters? scipy.stats.beta.pdf(x, a, b) has it.",
        mistakes=[
            Mistake(lambda p, c, g: beta_kernel(*np.broadcast_arrays(c, p), g),
                    "You exchanged p and c: the parameters come from the centre, the density is taken at p (errata G10)."),
            Mistake(lambda p, c, g: beta_kernel(1 - p, c, g),
                    "That is the mirror image. The first parameter belongs to p itself, the second to 1 − p."),
            Mistake(lambda p, c, g: _beta_pdf(p, c / g, (1 - c) / g),
                    "Add 1 to both parameters: otherwise the top is not at c, and near a wall the density is infinite there."),
            Mistake(lambda p, c, g: beta_kernel(p, c, 1 / g), "Divide by the bandwidth: a small γ makes the kernel narrow."),
            Mistake(lambda p, c, g: beta_kernel(p, c, g) / g, "It is a density already; do not divide by γ (errata U1)."),
            Mistake(_log_beta_kernel, "That is the logarithm of the kernel."),
            Mistake(_beta_kernel_by_formula,
                    "Right, until Γ overflows: NaN at a small γ. Take scipy.stats.beta.pdf, or exp of sums of gammaln."),
            Mistake(_beta_kernel_without_xlogy, "Right, but NaN at p = c = 1, from 0 · log 0: take xlogy or scipy.stats.beta.pdf."),
        ],
    ),
    Exercise(
        "leave_one_out", leave_one_out,
        "Prediction i is missing from the sum above and from the sum below.",
        inputs=_kernel_and_labels,
        hint="Remove k_ii from the numerator and from the denominator.",
        mistakes=[
            Mistake(lambda k, y: k @ y / k.sum(axis=1), "Prediction i is in its own estimate: that is eq. 11 as printed (errata G9)."),
            Mistake(
                lambda k, y: (k @ y - y) / (k.sum(axis=1) - 1), "The diagonal is not 1 for this kernel: take k_ii away."
            ),
            Mistake(
                lambda k, y: (k - np.diag(np.diag(k))) @ y / (k - np.diag(np.diag(k))).sum(axis=0),
                "Row i belongs to the estimate at i: sum over the row.",
            ),
            Mistake(_half_masked, "You removed i above and left it below: the weights no longer sum to 1."),
        ],
    ),
    Exercise(
        "loo_likelihood", loo_likelihood,
        "Each prediction is judged by a density made of the others: with k_ii in it, ever narrower kernels would always win.",
        inputs=lambda rng: (rng.random((4, 4)) + 0.1,),
        hint="Row i: the mean of the n − 1 weights that are not its own. Then the logarithm, then the sum.",
        mistakes=[
            Mistake(lambda k: np.sum(np.log(k.mean(axis=1))),
                    "k_ii is in its own density: each prediction makes itself likely, and γ → 0 always wins."),
            Mistake(lambda k: np.sum(np.log((k.sum(axis=1) - np.diag(k)) / len(k))),
                    "You left k_ii out of the sum, but divided by n: there are n − 1 others."),
            Mistake(lambda k: np.sum(np.log(k.sum(axis=1) - np.diag(k))), "Take the mean of the others, not their sum: divide by n − 1."),
            Mistake(_off_diagonal_log, "The density is a mean of kernels: take the logarithm of the mean, not the mean of logarithms."),
            Mistake(lambda k: np.sum(np.log((k.sum(axis=0) - np.diag(k)) / (len(k) - 1))),
                    "Row i holds the weights for the density at i: sum over the row."),
            Mistake(lambda k: np.mean(np.log((k.sum(axis=1) - np.diag(k)) / (len(k) - 1))),
                    "That is the mean over i. The best γ is the same, but here L is the sum."),
        ],
    ),
    Exercise(
        "redraw_labels", redraw_labels,
        "P(u < c) = c for a uniform u: each label is a hit just as often as its confidence says.",
        inputs=_confidences_and_uniforms,
        hint="A uniform number falls below .8 with probability .8.",
        mistakes=[
            Mistake(lambda c, u: (u >= 1 - c).astype(int), "That redraws as well, but here the small u are the hits: u < c."),
            Mistake(lambda c, u: (u > c).astype(int), "Turn it round: that is a hit with probability 1 − c."),
            Mistake(lambda c, u: (u < 0.5).astype(int), "All labels have probability ½ here. Use each prediction's own confidence."),
            Mistake(lambda c, u: (c > 0.5).astype(int), "Nothing is drawn: confident predictions would always be hits. Use u."),
            Mistake(lambda c, u: (u < np.mean(c)).astype(int), "All labels have the mean confidence here. Use each prediction's own."),
            Mistake(lambda c, u: c, "Labels are 0 or 1. Compare each confidence with its u."),
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
    best_for_perfect=(
        "If the model is perfectly calibrated (size 0), which number of bins is best?",
        ["1", "about √n", "as many as possible"],
        "1",
        "There is nothing to resolve, so every further bin only adds noise. But you could only know that if you knew the answer.",
    ),
    to_zero=(
        "The bandwidth goes to 0, and every point is in its own estimate. The estimated error tends to …",
        ["0, the truth", "the Brier score", "infinity"],
        "the Brier score",
        "All the weight falls on the point itself (if no two are equal), r̂ becomes its own label, and what is left is the mean squared residual.",
    ),
    beyond_doubt=(
        "Random forest against network, the first 100 digits, 15 bins: whose ECE is beyond doubt?",
        ["both", "the forest's only", "neither"],
        "the forest's only",
        "Choose each below: the forest's line is far to the right of every bar, the network's is among them.",
    ),
)
