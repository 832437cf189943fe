"""Random features by hand, the lowest JKCE of a constant model; a guess."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def fourier_map(p, W):
    """p, then cos(Wp)/√D, then sin(Wp)/√D."""
    angles = W @ p
    return np.concatenate([p, np.cos(angles) / np.sqrt(len(W)), np.sin(angles) / np.sqrt(len(W))])


def _waves(combine):
    return lambda p, W: combine(p, W @ p, len(W))


check = Checks([
    Exercise("fourier_map", fourier_map,
        "The inner product of two such vectors has the mean k(p, q) of eq. 8, as cos a cos b + sin a sin b = cos(a − b).",
        Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a), np.sin(a)])), "The waves are not divided: their inner product is a sum over D frequencies, and must be a mean."),
        Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a) / D, np.sin(a) / D])), "Divided by D in each of two factors makes D² in the product. Take the root."),
        Mistake(_waves(lambda p, a, D: np.concatenate([np.cos(a), np.sin(a)]) / np.sqrt(D)), "p itself is missing: these are features of the Gaussian part only."),
        Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a), np.sin(a)]) / np.sqrt(D)), "p is not divided: ⟨p, q⟩ enters once, exactly."),
        Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a) / np.sqrt(2 * D), np.sin(a) / np.sqrt(2 * D)])), "√D, not √(2D): cos² + sin² is 1, so D pairs of waves have the mean 1 already."),
        Mistake(_waves(lambda p, a, D: np.concatenate([p, np.cos(a) / np.sqrt(D)])), "Cosines alone make cos a cos b, which is not a function of a − b. Add the sines."),
        Mistake(_waves(lambda p, a, D: np.concatenate([p, np.ravel([np.cos(a), np.sin(a)], order="F") / np.sqrt(D)])), "The right features in the paper's order. Here: p, then all cosines, then all sines."),
        inputs=lambda rng: (rng.dirichlet(np.ones(3)), rng.normal(size=(4, 3))), hint="The angles are one matrix–vector product. D of them: the D products cos a cos b + sin a sin b must average, so each factor takes a root."),
    Exercise("lowest_jkce", -0.3125,
        "k(p, p) = ¼ + 1, and for two different labels ⟨δ, δ'⟩ = ‖p‖² − ¼ − ¼ = −¼. With 1,000 classes this is −.001001: the −.002 of the paper's Table 1 cannot be (errata C1).",
        Mistake(-0.25, "That is the inner product of two residuals. The kernel is not 1: it has a linear part."),
        Mistake(0.0, "An unbiased estimate of 0 falls on both sides: a few data with different labels go below."),
        Mistake(0.3125, "The size is right. What is the sign of ⟨δ, δ'⟩ for two different labels?"),
        Mistake(-1.25, "That is the kernel. Times the least inner product of two residuals."),
        hint="All rows have the same p, so k is one number. The least inner product ⟨p − e_y, p − e_y'⟩ is that of two different labels."),
])


guess = Guesses(
    more_frequencies=(
        "Twenty random frequencies give the kernel with an error of about .1. How many do you need for half of the error?",
        ["twice as many", "four times as many", "twenty more"], "four times as many",
        "Each entry is a mean of D independent terms, so its error falls like 1/√D."))
