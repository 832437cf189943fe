"""Simulations of the lesson chance."""

from itertools import product

import numpy as np

from ...data.worlds import mixed_widmann_model
from ...kernels import rbf
from ...pvalues import rank_pvalues
from ...resampling import draw_labels, draw_pairs
from ...simplex import cell_of, errors_of_labels, errors_of_pairs
from ..shared.stored import stored

REDRAW_SIZES = [50, 100, 200]
REDRAW_CELLS = [2, 5, 10]
REDRAW_SETS = 100
REDRAW_CLASSES = 5


@stored(REDRAW_SIZES, REDRAW_CELLS)
def redrawn(n, cells):
    """p-values of a binned error under calibration, (2, REDRAW_SETS): pairs redrawn (C), then labels only."""
    pvalues = []
    for number in range(REDRAW_SETS):
        rng = np.random.default_rng([5, number])
        y, p = mixed_widmann_model(0, n, n_classes=REDRAW_CLASSES, rng=rng)
        cell = cell_of(p, cells)
        observed = errors_of_labels(cell, p, y[:, None])
        labels = errors_of_labels(cell, p, draw_labels(p, 99, rng))  # the predictions stay
        pairs = errors_of_pairs(cell, p, *draw_pairs(p, 99, rng))  # predictions are drawn as well, then their labels
        pvalues.append([rank_pvalues(np.append(observed, drawn))[0] for drawn in (pairs, labels)])
    return np.transpose(pvalues)


THREE = [[0.7, 0.2, 0.1], [0.25, 0.6, 0.15], [0.3, 0.3, 0.4]]  # predictions


def every_label_vector(sharpness):
    """All label vectors of three predictions, in the order of their SKCE: (labels, probabilities, SKCE_uq)."""
    p = np.array(THREE) ** sharpness
    p /= p.sum(axis=1, keepdims=True)
    n, n_classes = p.shape
    labels = np.array(list(product(range(n_classes), repeat=n)))  # 27 of them
    mass = p[np.arange(n), labels].prod(axis=1)  # if the model is calibrated
    delta = p - np.eye(n_classes)[labels]
    h = rbf(bandwidth=0.5)(p) * (delta @ delta.transpose(0, 2, 1))  # h_ij of each label vector
    statistic = (h.sum(axis=(1, 2)) - np.trace(h, axis1=1, axis2=2)) / (n * (n - 1))
    order = np.lexsort((-mass, np.round(statistic, 12)))
    return labels[order], mass[order], statistic[order]


def exact_pvalues(mass, statistic):
    """p-value of each label vector: the probability of all with a statistic at least as large."""
    return np.array([mass[statistic >= each - 1e-12].sum() for each in statistic])


def chance_of_pvalues(mass, pvalue):
    """Levels that a p-value can have, and the chance that it is at most that: never more than the level."""
    levels = np.unique(np.round(pvalue, 12))
    return levels, np.array([mass[pvalue <= level + 1e-12].sum() for level in levels])
