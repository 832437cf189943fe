"""Made-up worlds of three classes whose error some notion sees and another does not."""

from itertools import permutations, product

import numpy as np

from ...data.worlds import FiniteWorld

__all__ = ["CLASSES", "WORLDS", "favourite_class", "hidden_top", "over_confident", "six_permutations", "trade_lower", "world_named"]


CLASSES = ("object", "human", "animal")


def trade_lower(t):
    """Top labels occur as often as is said; of the two other classes the smaller gives a share t of its frequency away."""
    predictions, shifts = [], []
    for confidence, (top, low, lower) in product((0.45, 0.6, 0.75, 0.9), permutations(range(3))):
        p, shift = np.zeros((2, 3))
        p[[top, low, lower]] = confidence, 0.62 * (1 - confidence), 0.38 * (1 - confidence)
        shift[[low, lower]] = p[lower], -p[lower]
        predictions.append(p)
        shifts.append(t * shift)
    return _equally_likely(predictions, shifts)


def six_permutations(t):
    """(.1, .3, .6) in every order; even orders are under-confident and odd ones over-confident, so every class averages out."""
    orders = np.array(list(permutations(range(3))))
    sign = np.linalg.det(np.eye(3)[orders])[:, None]
    return _equally_likely(np.array([0.1, 0.3, 0.6])[orders], t * sign * np.array([-0.1, 0.0, 0.1])[orders])


def favourite_class(t):
    """Over-confident where it answers “object”, as much under-confident where it answers “animal”: right on average only."""
    predictions, shifts = [], []
    for confidence, (top, sign) in product((0.5, 0.65, 0.8), ((0, -1), (2, 1))):
        p, shift = np.full(3, (1 - confidence) / 2), np.full(3, -sign / 2)
        p[top], shift[top] = confidence, sign
        predictions.append(p)
        shifts.append(t * (1 - confidence) * 0.9 * shift)
    return _equally_likely(predictions, shifts)


def hidden_top(t):
    """Each p_k is right on average over being on top or not; on top alone it is not."""
    orders = np.array(list(permutations(range(3))))
    values = np.array([(0.40, 0.35, 0.25), (0.50, 0.40, 0.10), (0.65, 0.25, 0.10)])
    shifts = np.array([(-1, 0, 1), (0, 1, -1), (0, -1, 1)])
    return _equally_likely(values[:, orders].reshape(-1, 3), 0.1 * t * shifts[:, orders].reshape(-1, 3))


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


def _equally_likely(predictions, shifts):
    truths = np.clip(np.add(predictions, shifts), 0, 1)
    return FiniteWorld(np.full(len(truths), 1 / len(truths)), np.array(predictions), truths)
