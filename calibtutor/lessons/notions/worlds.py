"""Worlds: five models of which the truth is known in words, and Murphy's sixteen kinds."""

import numpy as np

from ...data.worlds import FiniteWorld

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
