"""Exercises of the lesson what_moved."""

import numpy as np
from scipy.stats import rankdata

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses

__all__ = ["check", "guess"]



def tilt(confidence, times):
    """times^(rank/(n − 1)), divided by its mean; equal confidences share the mean of their ranks."""
    below = (confidence[:, None] > confidence).sum(axis=1)
    up_to = (confidence[:, None] >= confidence).sum(axis=1)
    weights = times ** ((below + up_to - 1) / 2 / (len(confidence) - 1))
    return weights / weights.mean()


def _tilted(confidence, times, rank):
    weights = times ** (rank / (len(confidence) - 1))
    return weights / weights.mean()


def _with_ties(rng):
    """Six confidences, two of them equal, in any order; and how much more the largest counts."""
    some = rng.uniform(0.2, 1, 5)
    return rng.permutation([*some, rng.choice(some)]), rng.uniform(2, 9)


def apart(f, n, g, m):
    """(g − f)/√(f(1 − f)/n + g(1 − g)/m)."""
    return (g - f) / np.sqrt(f * (1 - f) / n + g * (1 - g) / m)


def _pooled(f, n, g, m):
    """`apart` with one share for both groups."""
    both = (n * f + m * g) / (n + m)
    return (g - f) / np.sqrt(both * (1 - both) * (1 / n + 1 / m))


check = Checks([
    Exercise(
        "tilt", tilt, "Weights that depend on p alone leave P(Y | p) as it is: a shift of the crowd, and of nothing else.",
        inputs=_with_ties,
        hint="scipy.stats.rankdata gives ranks 1 … n, and equal confidences the mean of theirs. Take 1 away, divide by n − 1, and use that as the exponent.",
        mistakes=[
            Mistake(lambda c, t: _tilted(c, t, np.argsort(np.argsort(c))), "Equal confidences get different weights, by their order in the data: then P(Y | p) may move. Give them their mean rank (scipy.stats.rankdata)."),
            Mistake(lambda c, t: _tilted(c, t, np.searchsorted(np.sort(c), c)), "Equal confidences share a weight, good. But their rank is the mean of theirs, not the least."),
            Mistake(lambda c, t: _tilted(c, t, np.searchsorted(np.sort(c), c, side="right") - 1), "Equal confidences share a weight, good. But their rank is the mean of theirs, not the largest."),
            Mistake(lambda c, t: t ** ((rankdata(c) - 1) / (len(c) - 1)), "The shape is right. Divide by the mean, so that the weights have the mean 1."),
            Mistake(lambda c, t: tilt(c, 1 / t), "The wrong way round: the surest image counts most."),
            Mistake(lambda c, t: t**c / (t**c).mean(), "That uses the confidence itself as exponent. Here it is the rank, from 0 to 1."),
            Mistake(lambda c, t: t ** ((c - c.min()) / np.ptp(c)) / (t ** ((c - c.min()) / np.ptp(c))).mean(), "The exponent is the rank divided by n − 1, not the confidence."),
            Mistake(lambda c, t: t ** (np.argsort(c) / (len(c) - 1)) / (t ** (np.argsort(c) / (len(c) - 1))).mean(), "argsort once lists the images from least to most sure. Ranks need it twice."),
            Mistake(lambda c, t: tilt(c, t) / len(c), "These sum to 1. The mean is to be 1."),
            *[Mistake(lambda c, t, how=how: t ** ((rankdata(c, method=how) - 1) / (len(c) - 1)), "Two steps are left: equal confidences share the mean of their ranks, and the weights are divided by their mean.") for how in ("ordinal", "min", "max")],
        ],
    ),
    Exercise(
        "apart", apart, "Beyond 2 chance hardly explains it: these images are right more often (or less) at about the same confidence, and no error can be blamed for moving with that.",
        inputs=lambda rng: (rng.uniform(0.2, 0.9), int(rng.integers(50, 300)), rng.uniform(0.2, 0.9), int(rng.integers(50, 300))),
        hint="The variance of a share f of n independent cases is f(1 − f)/n. Variances of independent shares add up.",
        mistakes=[
            Mistake(lambda f, n, g, m: abs(apart(f, n, g, m)), "The size is right. Leave the sign: it says which way."),
            Mistake(_pooled, "The textbook's test of equal shares pools the two. Here each share keeps its own variance."),
            Mistake(lambda f, n, g, m: g - f, "That is the difference. Divide it by its standard error."),
            Mistake(lambda f, n, g, m: (f - g) / np.sqrt(f * (1 - f) / n + g * (1 - g) / m), "The sign: after minus before."),
            Mistake(lambda f, n, g, m: (g - f) / (f * (1 - f) / n + g * (1 - g) / m), "That is the variance. Take its root."),
            Mistake(lambda f, n, g, m: (g - f) / (np.sqrt(f * (1 - f) / n) + np.sqrt(g * (1 - g) / m)), "Variances add up, standard errors do not."),
            Mistake(lambda f, n, g, m: (g - f) / np.sqrt(f * (1 - f) + g * (1 - g)), "The numbers of cases are missing: each variance is f(1 − f)/n."),
        ],
    ),
])  # fmt: skip


guess = Guesses(
    which_moves=(
        "Nothing changes but where the inputs are: P(Y | p) stays. Inputs move from one end of the range to its middle. Which error moves most?",
        ["ECE", "JKCE", "CKCE"], "JKCE",
        "In the paper's world, means of 400 data sets (n = 1,000), the bandwidth the median distance of each: from the ends to the middle √JKCE falls by 68 %, the ECE by 44 %, √CKCE by 8 %. "
        "The CKCE moves least of the three, with each bandwidth of the picture. The paper says that it stays constant (errata C3)."),
    what_moved=(
        "From the ends to the middle the CKCE falls by 15 % (no root; n = 1,000). The curve stays. What makes it fall?",
        ["the penalty λ", "the noise of the labels", "the crowd of inputs", "the bandwidth of the kernel"], "the bandwidth of the kernel",
        "The bandwidth is the median distance of the predictions, and these move: it is .016 at the ends and .346 in the middle. With one bandwidth for all data sets, from .05 to .5, nothing falls. "
        "The CKCE rises towards the middle, with and without noise, for each λ of the picture. (λ was the same for all data sets.) See for yourself: hold still one at a time."),
    small_penalty=(
        "One bandwidth, .1, and no noise: with the paper's λ = .178 the CKCE rises by 20 % from the ends to the middle. Now λ = .01. Is it steadier?",
        ["yes, nearly constant", "about the same", "no, it moves more"], "no, it moves more",
        "It rises by 137 %; with bandwidths from .05 to .5 by 100 % to 163 %. A small λ lets the regression follow the curve more closely, and each crowd shows it another piece."),
    large_penalty=(
        "Let λ grow without end. What becomes of the CKCE?",
        ["it tends to the ECE", "it tends to 0, and models rank as by the biased SKCE", "it grows without end"], "it tends to 0, and models rank as by the biased SKCE",
        "(C + λI)⁻¹ is nearly I/λ then, so λ² times the CKCE tends to ‖S‖², the biased SKCE. (Naive Bayes and logistic regression, in the picture of the opening: λ = 100.) A large λ gives back the marginal that the CKCE was made to remove."),
    constant_model=(
        "A model says the same to everyone: the true frequencies of the classes. Its CKCE?",
        ["about 0", "large: it knows nothing", "not defined"], "about 0",
        "It is calibrated. One prediction p, so CKCE = k‖mean δ‖²/(k + λ)² with k = k(p, p), and the mean residual is 0 but for chance. Only the median heuristic fails, as all "
        "distances are 0 (errata C4): any bandwidth gives the same."),
    darker_digits=(
        "Digits are shown at half of their brightness, to models that learnt them at full brightness. What does the √CKCE of logistic regression do?",
        ["it stays, within noise", "it grows to more than three times", "it halves"], "it grows to more than three times",
        "From .100 to .349 (λ = .17). The mean confidence falls from .87 to .58: another crowd. Has the curve moved, too? That comes next."),
    which_crowd=(
        "Reweight the digits: sure ones count up to nine times as much as doubtful ones, or the reverse. P(Y | p) stays. Which error stays, on the root scale?",
        ["the CKCE", "the SKCE", "none of them"], "none of them",
        "From mostly sure to mostly doubtful, with λ = .17 and bandwidth .1: logistic regression ECE × 2.6, √SKCE × 2.2, √CKCE × 2.0; naive Bayes × 3.5, 3.4 and 4.1. "
        "With λ = .001 the √CKCE moves less in naive Bayes, × 1.6, but it moves."),
)
