"""Worlds whose truth is known: four that some notion of calibration sees and another does not, and Murphy's sixteen kinds."""

from itertools import permutations, product

import numpy as np

from ...data.worlds import FiniteWorld

ORDERS = [list(order) for order in permutations(range(3))]
SIGNS = [round(np.linalg.det(np.eye(3)[order])) for order in ORDERS]  # even orders are under-confident, odd ones over-confident
DRAGGED = {"trade the lower two": 11, "six permutations": 0}  # which kind of input says what the reader drags


def equally_likely(said, shifts):
    """A world of kinds that are told `said` (m, 3); what happens lies `shifts` away."""
    return FiniteWorld(np.full(len(said), 1 / len(said)), said, np.clip(np.add(said, shifts), 0, 1))


def trade(p):
    """What happens minus what is said, (3,): the class ranked last gives all of its frequency to the second."""
    _, second, last = np.argsort(-p, kind="stable")
    return p[last] * (np.eye(3)[second] - np.eye(3)[last])


def swing(p):
    """The same: the class ranked last gives to the first, as far as the second stays behind the first if it is taken back."""
    first, second, last = np.argsort(-p, kind="stable")
    return min(p[last], p[first] - p[second]) * (np.eye(3)[first] - np.eye(3)[last])


# The first lines are shown below the ladder.


def trade_lower(t, dragged=None):
    """The class ranked first occurs as often as is said; the other two trade frequency.

    One kind of input says what is `dragged`, (3,), if that is given.
    """
    said = np.array([np.array([c, 0.62 * (1 - c), 0.38 * (1 - c)])[np.argsort(order)]
                     for c, order in product((0.45, 0.6, 0.75, 0.9), ORDERS)])
    if dragged is not None:
        said[DRAGGED["trade the lower two"]] = dragged
    return equally_likely(said, [t * trade(p) for p in said])


def six_permutations(t, dragged=(0.1, 0.3, 0.6)):
    """(.1, .3, .6) in every order: under-confident in three, over-confident in three; in each class this cancels."""
    p = np.array(dragged)
    return equally_likely(p[ORDERS], [t * sign * swing(p)[order] for order, sign in zip(ORDERS, SIGNS, strict=True)])


def favourite_class(t):
    """Over-confident where it answers “object”, as much under-confident where it answers “animal”."""
    confidence, sign = np.repeat([0.5, 0.65, 0.8], 2)[:, None], np.tile([[-1], [1]], (3, 1))
    is_top = np.tile(np.eye(3, dtype=bool)[[0, 2]], (3, 1))
    shift = t * (1 - confidence) * 0.9 * sign * np.where(is_top, 1, -0.5)
    return equally_likely(np.where(is_top, confidence, (1 - confidence) / 2), shift)


def hidden_top(t):
    """At strength 1 a class with .40 occurs with .30 where it ranks first, with .50 where it ranks second."""
    values = np.array([(0.40, 0.35, 0.25), (0.50, 0.40, 0.10), (0.65, 0.25, 0.10)])
    shifts = np.array([(-1, 0, 1), (0, 1, -1), (0, -1, 1)])
    return equally_likely(values[:, ORDERS].reshape(-1, 3), 0.1 * t * shifts[:, ORDERS].reshape(-1, 3))


WORLDS = {"trade the lower two": trade_lower, "six permutations": six_permutations, "favourite class": favourite_class,
          "hidden top": hidden_top}


def placed(human, animal):
    """The prediction (3,) that says so much of two classes; “object” keeps .01, so a large “animal” gives way."""
    animal = min(animal, 0.99 - human)
    return np.array([1 - human - animal, human, animal])


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
