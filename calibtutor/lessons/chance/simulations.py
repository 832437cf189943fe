"""Calibrated data sets, tested in two ways and at ten sizes, and all label vectors of three predictions."""

from itertools import product

import numpy as np

from ...chance.pvalues import rank_pvalues
from ...chance.resampling import draw_labels
from ...data.worlds import mixed_widmann_model
from ...estimates.simplex import cell_of
from ...reproductions.widmann import draw_pairs, errors_of_labels, errors_of_pairs
from ..shared.stored import stored

REDRAW_SIZES = [50, 100, 200]
REDRAW_CELLS = [2, 5, 10]
REDRAW_SETS = 200
REDRAW_CLASSES = 5


@stored(REDRAW_SIZES, REDRAW_CELLS)
def redrawn(n, cells):
    """R of an ECE in cells under calibration, (2, REDRAW_SETS): pairs redrawn, then labels only."""
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


def class_wise_ece(p, y):
    """Two bins, cut at ½: over both, the sum of a class's misses p − Y, and its size; the mean of all classes."""
    miss, low = p - np.eye(p.shape[1])[y], p <= 0.5
    return (abs((miss * low).sum(axis=0)) + abs((miss * ~low).sum(axis=0))).mean() / len(p)


def brier_score(p, y):
    return ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1).mean()


STATISTICS = {"class-wise ECE": class_wise_ece, "Brier score": brier_score}


def every_label_vector(statistic):
    """All label vectors of three predictions, in the order of a statistic: (labels, probabilities, statistic)."""
    p = np.array(THREE)
    n, n_classes = p.shape
    labels = np.array(list(product(range(n_classes), repeat=n)))  # 27 of them
    mass = p[np.arange(n), labels].prod(axis=1)  # if the model is calibrated
    values = np.array([statistic(p, y) for y in labels])
    order = np.lexsort((-mass, np.round(values, 12)))
    return labels[order], mass[order], values[order]


def exact_pvalues(mass, statistic):
    """R of each label vector: the probability of all with a statistic at least as large."""
    return np.array([mass[statistic >= each - 1e-12].sum() for each in statistic])


def chance_of_pvalues(mass, pvalue):
    """Levels that R can have, and the chance that it is at most that: never more than the level."""
    levels = np.unique(np.round(pvalue, 12))
    return levels, np.array([mass[pvalue <= level + 1e-12].sum() for level in levels])


SETS, LOOKS, STEP, DRAWS, LEVEL = 400, 10, 100, 199, 0.05
PIECES = 10  # of each probability


@stored()
def at_each_look():
    """R of an ECE in cells of each calibrated data set at its first 100, 200, … rows, (SETS, LOOKS)."""
    found = np.zeros((SETS, LOOKS))
    for number in range(SETS):
        rng = np.random.default_rng([7, number])
        y, p = mixed_widmann_model(0, LOOKS * STEP, n_classes=3, rng=rng)  # calibrated
        cell = cell_of(p, PIECES)
        for look in range(LOOKS):
            rows = slice((look + 1) * STEP)
            labels = np.column_stack([y[rows], draw_labels(p[rows], DRAWS, rng)])
            found[number, look] = rank_pvalues(errors_of_labels(cell[rows], p[rows], labels))[0]
    return found


def rejected_so_far(pvalues, limit):
    """At each look, which data sets were rejected at it or before: R was at most the limit."""
    return np.logical_or.accumulate(pvalues <= limit + 1e-12, axis=1)
