"""The three-class worlds of notebook 01: each breaks some notions of calibration and keeps the others."""

from itertools import permutations

import numpy as np

from ...data.datasets import Predictions, digits_predictions
from ...data.worlds import FiniteWorld
from ...kernels import rbf

__all__ = []  # worlds, not scenes

CLASSES = ("object", "human", "animal")


def trade_lower(t):
    """Top labels keep their promise; of the two other classes the smaller gives a share t of its frequency away."""
    predictions, truths = [], []
    for confidence in (0.45, 0.6, 0.75, 0.9):
        for top, low, lower in permutations(range(3)):
            p = np.zeros(3)
            p[top], p[low], p[lower] = confidence, 0.62 * (1 - confidence), 0.38 * (1 - confidence)
            shift = np.zeros(3)
            shift[low], shift[lower] = p[lower], -p[lower]
            predictions.append(p)
            truths.append(p + t * shift)
    return _equally_likely(predictions, truths)


def six_permutations(t):
    """(.1, .3, .6) in every order; even orders are too shy and odd ones too bold, so every class averages out."""
    predictions, truths = [], []
    for order in permutations(range(3)):
        sign = np.linalg.det(np.eye(3)[list(order)])
        predictions.append(np.array([0.1, 0.3, 0.6])[list(order)])
        truths.append(predictions[-1] + t * sign * np.array([-0.1, 0.0, 0.1])[list(order)])
    return _equally_likely(predictions, truths)


def favourite_class(t):
    """Answers “object” keep less than they promise and answers “animal” as much more: right on average only."""
    predictions, truths = [], []
    for confidence in (0.5, 0.65, 0.8):
        for top, sign in ((0, -1), (2, 1)):
            p = np.full(3, (1 - confidence) / 2)
            p[top] = confidence
            shift = np.full(3, -sign / 2)
            shift[top] = sign
            predictions.append(p)
            truths.append(p + t * (1 - confidence) * 0.9 * shift)
    return _equally_likely(predictions, truths)


def hidden_top(t):
    """Each p_k keeps its promise on average over being on top or not; the top label alone does not."""
    predictions, truths = [], []
    for values, shift in (
        ((0.40, 0.35, 0.25), (-1, 0, 1)),
        ((0.50, 0.40, 0.10), (0, 1, -1)),
        ((0.65, 0.25, 0.10), (0, -1, 1)),
    ):
        for order in permutations(range(3)):
            predictions.append(np.array(values)[list(order)])
            truths.append(predictions[-1] + 0.1 * t * np.array(shift)[list(order)])
    return _equally_likely(predictions, truths)


def over_confident(t):
    """Every promise is exaggerated: what happens lies between the prediction and one third each."""
    world = trade_lower(0.0)
    truth = (1 - 0.6 * t) * world.predictions + 0.6 * t / 3
    return FiniteWorld(world.weights, world.predictions, truth)


WORLDS = {
    "trade the lower two": trade_lower,
    "six permutations": six_permutations,
    "favourite class": favourite_class,
    "hidden top": hidden_top,
    "over-confident": over_confident,
}


def world_named(world, strength=1.0):
    """One of the five worlds, by its name."""
    return WORLDS[world](strength)


DESCRIPTIONS = {
    "trade the lower two": "The class ranked first keeps its promise; the other two trade frequency.",
    "six permutations": "(.1, .3, .6) in every order: three are too shy, three too bold, each class averages out.",
    "favourite class": "“Object” in first place keeps less than it promises, “animal” in first place as much more.",
    "hidden top": "At strength 1 a promise of .40 is kept as .30 where it ranks first, as .50 where second.",
    "over-confident": "Every prediction is further from (⅓, ⅓, ⅓) than what happens.",
}


def murphy_world(merge, exaggerate):
    """Sixteen calibrated kinds; `merge` halves their number so many times, `exaggerate` is a power on p.

    Merged kinds share their mean prediction and stay calibrated; p ∝ p^power keeps the cells and breaks the promise.
    """
    rng = np.random.default_rng(3)
    truth = rng.dirichlet([0.7, 0.7, 0.7], 16)
    truth = 0.94 * truth + 0.02
    centre = truth - 1 / 3
    truth = truth[np.argsort(np.arctan2(centre[:, 2], centre[:, 1] - centre[:, 0]))]  # neighbours merge
    p = truth.reshape(16 // 2**merge, 2**merge, 3).mean(axis=1).repeat(2**merge, axis=0)
    p = p**exaggerate
    return FiniteWorld(np.full(16, 1 / 16), p / p.sum(axis=1, keepdims=True), truth)


def best_opponents(world, bandwidth):
    """sup over f in F of E⟨r − p, f(p)⟩ for four classes F, and the function that attains it.

    The classes are the unit balls of: constant vectors; linear maps p ↦ Ap with the Frobenius norm; the RKHS of
    exp(−‖p − p'‖²/2γ²)·I with γ = `bandwidth`; and functions with |f_k| <= 1 everywhere (Widmann et al., CE[F, g]).

    Returns
    -------
    earns : dict of str -> float
    field : dict of str -> callable
        (m, 3) points -> (m, 3) values of the maximiser up to scale, less their mean over classes (which earns nothing).
    """
    p, w = world.predictions, world.weights[:, None]
    error = world.frequencies - p
    mean, moment, kernel = (w * error).sum(axis=0), (w * error).T @ p, rbf(bandwidth=bandwidth)
    best = {
        "constants": lambda at: np.broadcast_to(mean, at.shape),
        "linear": lambda at: at @ moment.T,
        "RKHS ball": lambda at: kernel(at, p) @ (w * error),
        "bounded": lambda at: np.sign(np.where(np.abs(error) < 1e-12, 0, error)),  # given at the predictions
    }
    centred = {name: lambda at, f=f: f(at) - f(at).mean(axis=1, keepdims=True) for name, f in best.items()}
    return best_payoffs(world.weights, p, world.frequencies, bandwidth), centred


def best_payoffs(weights, p, r, bandwidth):
    """What the best bet of four classes earns on average, from weights (m,), predictions and frequencies (m, d)."""
    gap = weights[:, None] * (r - p)
    K = rbf(bandwidth=bandwidth)(p)  # K[a, c] = exp(-|p_a - p_c|² / 2γ²)
    return {
        "constants": np.sqrt((gap.sum(axis=0) ** 2).sum()),  # bet along the overall gap
        "linear": np.sqrt(((gap.T @ p) ** 2).sum()),  # b(p) = Ap, along the matrix of moments
        "RKHS ball": np.sqrt(max(0.0, (gap * (K @ gap)).sum())),  # over all pairs of predictions
        "bounded": np.abs(gap).sum(),  # +1 or -1, at each prediction and for each class
    }


def light_and_dark():
    """A model of two classes that says .7 of every digit: right for .9 of the light half, for .5 of the dark half.

    The digits, and how much ink they have, are real; whether the model is right is drawn, once.
    """
    digits = digits_predictions()
    n = len(digits.ink)
    light = np.argsort(np.argsort(digits.ink, kind="stable")) < n / 2
    right = np.random.default_rng(0).random(n) < np.where(light, 0.9, 0.5)
    return Predictions("known world", right.astype(int), np.tile([0.3, 0.7], (n, 1)), digits.ink, digits.images)


def _equally_likely(predictions, truths):
    m = len(predictions)
    return FiniteWorld(np.full(m, 1 / m), np.array(predictions), np.clip(truths, 0, 1))
