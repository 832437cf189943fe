"""Made-up worlds of three classes whose error some notion sees and another does not."""

from itertools import permutations

import numpy as np

from ...data.worlds import FiniteWorld

__all__ = ["CLASSES", "WORLDS", "favourite_class", "hidden_top", "over_confident", "six_permutations", "trade_lower", "world_named"]


CLASSES = ("object", "human", "animal")


def trade_lower(t):
    """Top labels occur as often as is said; of the two other classes the smaller gives a share t of its frequency away."""
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
    """(.1, .3, .6) in every order; even orders are under-confident and odd ones over-confident, so every class averages out."""
    predictions, truths = [], []
    for order in permutations(range(3)):
        sign = np.linalg.det(np.eye(3)[list(order)])
        predictions.append(np.array([0.1, 0.3, 0.6])[list(order)])
        truths.append(predictions[-1] + t * sign * np.array([-0.1, 0.0, 0.1])[list(order)])
    return _equally_likely(predictions, truths)


def favourite_class(t):
    """Over-confident where it answers “object”, as much under-confident where it answers “animal”: right on average only."""
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
    """Each p_k is right on average over being on top or not; on top alone it is not."""
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
    """Every prediction is exaggerated: what happens lies between the prediction and one third each."""
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


def _equally_likely(predictions, truths):
    m = len(predictions)
    return FiniteWorld(np.full(m, 1 / m), np.array(predictions), np.clip(truths, 0, 1))
