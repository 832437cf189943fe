"""What pictures of p-values share: axes with the diagonal, what chance does to them, and the names of tests."""

from functools import lru_cache

import numpy as np
from scipy.stats import binom, kstwo

from ...plots import KEPT, MISS, panel, reference

LEVEL = 0.05
IN_WORDS = {"C on an ECE": "pairs redrawn $C$", "C": "pairs redrawn $C$", "C, colliding cells": "$C$, colliding cells",
            "C with SKCE_uq": "$C$ with the SKCE", "D_b": "biased bound $D_b$", "D_uq": "unbiased bound $D_{uq}$",
            "D_ul": "linear bound $D_{ul}$", "A_uq": "bootstrap $A_{uq}$", "A_l": "t test of pairs $A_l$",
            "exact": "labels redrawn, exact", "aggregated": "labels, aggregated", "exact ECE": "labels redrawn, ECE"}


def colour_of(pvalue):
    """Of a mark: a test that rejects is a miss."""
    return MISS if pvalue <= LEVEL else KEPT


def rejections(pvalues, alpha):
    """Which p-values reject at level alpha; those of ranks are multiples of 1/100, up to rounding."""
    return np.asarray(pvalues) <= alpha + 1e-12


def square(fig, spec=None, **settings):
    """A `panel` for a distribution function of p-values, with the diagonal of a test that holds its level."""
    axes = panel(fig, spec, **{"xlim": (0, 1), "ylim": (0, 1.01), "x": [0, 0.5, 1], "y": [0, 0.5, 1]} | settings)
    reference(axes, [0, 1], [0, 1])
    return axes


def steps(pvalues):
    """x and y of the empirical distribution function, from 0 to 1."""
    x = np.concatenate([[0], np.sort(pvalues), [1]])
    y = np.concatenate([np.arange(len(pvalues) + 1) / len(pvalues), [1]])
    return x, y


@lru_cache
def _room(n_sets):
    """Kolmogorov's: the curve of exact p-values of so many data sets stays within, in 95 of 100 simulations."""
    return kstwo.ppf(0.95, n_sets)


def chance_of_a_curve(n_sets):
    """Where the curve of an exact test's p-values stays in 95 of 100 simulations, as a polygon."""
    x, room = np.linspace(0, 1, 101), _room(n_sets)
    low, high = np.maximum(x - room, 0), np.minimum(x + room, 1)
    return np.vstack([np.column_stack([x, low]), np.column_stack([x, high])[::-1]])


def raises_false_alarms(levels, share, n_sets):
    """Whether the share of calibrated data sets rejected is above all that chance explains, at some level."""
    return bool((np.asarray(share) - levels).max() > _room(n_sets))


@lru_cache
def by_chance(n_sets, level=0.05):
    """Shares (low, high) between which an exact test rejects calibrated data, in 95 of 100 simulations."""
    return binom.ppf(0.025, n_sets, level) / n_sets, binom.ppf(0.975, n_sets, level) / n_sets
