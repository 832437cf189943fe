"""Exercises and guesses: the risk, its estimate, the number that is reported, and what is told apart."""

import numpy as np

from ...teach.exercise import Checks, Exercise, Mistake
from ...teach.guess import Guesses


def _matrices(rng):
    delta, u = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    return delta @ delta.T, u @ u.T


def risk_estimate(z, h):
    """Mean of (z_ij − h_ij)² over i ≠ j."""
    n = len(z)
    losses = (z - h) ** 2
    return (losses.sum() - np.trace(losses)) / (n * (n - 1))


def _surface(rng):
    u = rng.normal(size=(5, 2))
    m = rng.normal(size=(2, 2))
    return (u @ (m + m.T) @ u.T,)


def reported_error(h):
    """Mean of h(p_i, p_i)."""
    return np.trace(h) / len(h)


check = Checks([
    Exercise("risk_of_truth", 0.0625,
        "z = (.5 − y)(.5 − y') is ±.25 whatever the labels, and h* = 0: the risk is .25² = .0625.",
        Mistake(0.0, "The truth has a risk too: z is noisy even when h is right."),
        Mistake(0.25, "That is |z|. The risk averages its square."),
        hint="h* is 0 here. What values can z = (p − y)(p' − y') take, and what is the mean of z²?"),
    Exercise("risk_estimate", risk_estimate, "n(n − 1) pairs, none of them a prediction with itself.",
        Mistake(lambda z, h: np.mean((z - h) ** 2), "The diagonal is in it: there a prediction meets its own label."),
        Mistake(lambda z, h: np.triu((z - h) ** 2, 1).sum() / (len(z) * (len(z) - 1)), "Each unordered pair is counted once, but you divide by the number of ordered pairs."),
        Mistake(lambda z, h: ((z - h) ** 2).sum() / (len(z) * (len(z) - 1)), "You divide by the number of pairs i ≠ j, but the diagonal is still in the sum."),
        Mistake(lambda z, h: (((z - h) ** 2).sum() - np.trace((z - h) ** 2)) / len(z) ** 2, "The diagonal is gone, but you still divide by n². There are n(n − 1) pairs left."),
        Mistake(lambda z, h: ((z - h).sum() - np.trace(z - h)) / (len(z) * (len(z) - 1)), "Square the differences before you average."),
        inputs=_matrices, hint="Square the differences, leave the diagonal out, and divide by the number of pairs that are left."),
    Exercise("reported_error", reported_error,
        "Only the diagonal is an error: h(p, p) estimates ‖p − r(p)‖², and its mean the squared calibration error.",
        Mistake(lambda h: h.mean(), "That is the mean over all pairs: misses of opposite sign cancel in it."),
        Mistake(lambda h: np.trace(h), "That is the sum of the right entries. Divide by how many they are."),
        Mistake(lambda h: (h.sum() - np.trace(h)) / (len(h) * (len(h) - 1)), "The risk leaves the diagonal out. The error is what stands on it."),
        Mistake(lambda h: np.diag(h), "Those are the right entries. Their mean is asked, one number."),
        inputs=_surface, hint="Which entries of the matrix belong to one prediction and not to two? Average those."),
    Exercise("in_spreads", 5**0.5,
        "Mean and standard deviation are both 1, and a spread is smaller by the root of the number of folds. More than two spreads: told apart.",
        Mistake(1.0, "That counts standard deviations of one fold. A spread is for the mean of all five, and smaller by their root."),
        *(Mistake(value, "That is the spread itself. How many of them is the mean?") for value in (5**-0.5, 0.4)),
        Mistake(2.5, "np.std divides by the number of folds. Divide by one less: ddof=1."),
        hint="First the mean and the standard deviation (ddof=1) of the five numbers. A spread is smaller than that: how far their mean may be off."),
])


guess = Guesses(
    products=(
        "Two predictions are both near .31, in the framed cell, and the truth there is h* = .019. Where are the 20,880 products of two residuals in this cell?",
        ["near the truth", "far from it, on both sides", "all above 0"], "far from it, on both sides", "A residual p − Y is near .31 or near −.69, so a product is near .10, −.21 or .48. Only the mean comes close to h*."),
    at_theta_one=("At θ = 1 the function h is exactly right. What will the estimated risk be there?",
        ["0", "the smallest, but not 0", "the same as everywhere"], "the smallest, but not 0", "Even the truth does not predict the noise in ⟨δ, δ'⟩. The risk of the truth is the floor under all others."),
    ruled_out=("The neural network: how many of the five answers will the risk rule out?",
        ["none", "two or three", "all five"], "none", "No risk exceeds the smallest by more than two spreads, not even that of h = 0."),
    before=[("Two predictions have the residuals .3 and −.5. What is their product?", [".15", "−.2", "−.15"], "−.15",
             ".3 · (−.5) = −.15. Its mean over pairs needs no frequency (notebook 04, section 4)."),
            ("What does the mean of (p − Y)² hold besides the squared miss?",
             ["nothing", "the noise of the label", "the number of bins"], "the noise of the label",
             "In a pair a label meets another one, and that noise averages to 0 (notebook 04, section 4)."),
            ("A kernel is far too narrow. What is its estimate at p?",
             ["the label of one neighbour", "everybody's share", "p itself"], "the label of one neighbour",
             "One neighbour has all the weight (notebook 05, section 3).")])
