"""Worlds: five models of which the truth is known in words, and Murphy's sixteen kinds."""

from itertools import permutations

import numpy as np

from ...data.worlds import FiniteWorld
from ..shared.worlds import trade_lower

DESCRIPTIONS = {
    "trade the lower two": "The class ranked first occurs as often as is said; the other two trade frequency.",
    "six permutations": "(.1, .3, .6) in every order: under-confident in three, over-confident in three; in each class this cancels.",
    "favourite class": "Over-confident where it answers “object”, as much under-confident where it answers “animal”.",
    "hidden top": "At strength 1 a class with .40 occurs with .30 where it ranks first, with .50 where it ranks second.",
    "over-confident": "Every prediction is further from (⅓, ⅓, ⅓) than what happens.",
}


def murphy_world(merge, exaggerate):
    """Sixteen calibrated kinds; `merge` halves their number so many times, `exaggerate` is a power on p.

    Merged kinds share their mean prediction and stay calibrated; p ∝ p^power keeps the cells and is miscalibrated.
    """
    rng = np.random.default_rng(3)
    truth = rng.dirichlet([0.7, 0.7, 0.7], 16)
    truth = 0.94 * truth + 0.02
    centre = truth - 1 / 3
    truth = truth[np.argsort(np.arctan2(centre[:, 2], centre[:, 1] - centre[:, 0]))]  # neighbours merge
    p = truth.reshape(16 // 2**merge, 2**merge, 3).mean(axis=1).repeat(2**merge, axis=0)
    p = p**exaggerate
    return FiniteWorld(np.full(16, 1 / 16), p / p.sum(axis=1, keepdims=True), truth)


def placed(human, animal):
    """The prediction (3,) that says so much of two classes; “object” keeps .01, so a large “animal” gives way."""
    animal = min(animal, 0.99 - human)
    return np.array([1 - human - animal, human, animal])


def trade(p):
    """What happens minus what is said, (3,): the class ranked last gives all of its frequency to the second."""
    _, second, last = np.argsort(-p, kind="stable")
    return p[last] * (np.eye(3)[second] - np.eye(3)[last])


def swing(p):
    """The same: the class ranked last gives to the first, as far as the second stays behind the first if it is taken back."""
    first, second, last = np.argsort(-p, kind="stable")
    return min(p[last], p[first] - p[second]) * (np.eye(3)[first] - np.eye(3)[last])


ORDERS = [list(order) for order in permutations(range(3))]
SIGNS = [round(np.linalg.det(np.eye(3)[order])) for order in ORDERS]  # even orders are under-confident, odd ones over-confident
DRAGGED = {"trade the lower two": 11, "six permutations": 0}  # which kind of input says what the reader drags


def dragged_world(world, t, p):
    """A world of which one kind of input says p (3,): with the others of `trade_lower`, or in all six orders.

    At p = (.1, .3, .6) the six orders are `six_permutations`.
    """
    if world == "trade the lower two":
        said, shifts = trade_lower(1).predictions, trade_lower(1).conditionals - trade_lower(1).predictions
        said[DRAGGED[world]], shifts[DRAGGED[world]] = p, trade(p)
    else:
        said, shifts = (np.array([sign * x[order] for order, sign in zip(ORDERS, signs, strict=True)])
                        for x, signs in ((p, np.ones(6)), (swing(p), SIGNS)))  # fmt: skip
    return FiniteWorld(np.full(len(said), 1 / len(said)), said, np.clip(said + t * shifts, 0, 1))
