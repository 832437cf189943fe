"""Spoiling of the lesson chance."""

import numpy as np

from ...data.worlds import mixed_widmann_model
from ...kernels import laplacian
from ...pair_sums import of_form
from ...pvalues import rank_pvalues
from ...resampling import draw_labels, draw_pairs
from ...simplex import cell_of, errors_of_pairs
from ..shared.stored import stored

STATISTICS = ["SKCE", "binned error"]
RECIPES = ["labels", "pairs"]
SETS, LOOKS, STEP, DRAWS, LEVEL = 400, 10, 100, 99, 0.05
CELLS = 10  # steps of the cells' grid along each class
KERNEL = laplacian(0.5)


@stored(STATISTICS, RECIPES)
def first_alarms(statistic, recipe):
    """At which look, 1 to 10, each calibrated data set first gets p ≤ .05; 0: at none."""
    first = np.zeros(SETS, dtype=int)
    for number in range(SETS):
        rng = np.random.default_rng([7, number])
        y, p = mixed_widmann_model(0, LOOKS * STEP, n_classes=3, rng=rng)  # calibrated
        for look in range(1, LOOKS + 1):
            rows = slice(look * STEP)  # the first 100, 200, …
            pvalue = rank_pvalues(errors(statistic, recipe, y[rows], p[rows], rng))[0]
            if pvalue <= LEVEL + 1e-12:
                first[number] = look
                break
    return first


def share_so_far(first, looks):
    """The share of data sets that are rejected if one looks so many times, after 1, 2, … data sets."""
    rejected = (first > 0) & (first <= looks)
    return np.cumsum(rejected) / np.arange(1, len(first) + 1)


def errors(statistic, recipe, y, p, rng):
    """The error of the data, and those of DRAWS redrawn data sets: "labels" are redrawn, or "pairs" of rows and labels."""
    own, n = np.arange(len(p))[:, None], len(p)
    if recipe == "labels":
        rows, labels = np.repeat(own, DRAWS, axis=1), draw_labels(p, DRAWS, rng)
    else:
        rows, labels = draw_pairs(p, DRAWS, rng)
    rows, labels = np.hstack([own, rows]), np.column_stack([y, labels])
    if statistic == "binned error":
        return errors_of_pairs(cell_of(p, CELLS), p, rows, labels)
    delta, total = p[rows] - np.eye(3)[labels], np.zeros((n, DRAWS + 1, 3))
    np.add.at(total, (rows, np.arange(DRAWS + 1)), delta)  # a row that is drawn twice counts twice
    form = (total * np.tensordot(KERNEL(p), total, axes=1)).sum(axis=(0, 2))
    return of_form(form, (delta**2).sum(axis=(0, 2)), n, "unbiased")
