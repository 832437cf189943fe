"""How often nulls of the local test reject in locally calibrated worlds: the exact one at its level, others not.

Seeds are fixed.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit
from sklearn.gaussian_process.kernels import ConstantKernel
from test_kce_size import FACTORS, RESAMPLES, assert_size_is_the_level, rejections

from calibtutor import klce_test, rbf
from calibtutor.data.local_worlds import clustered

DATA_SETS, EXACT = 200, ("labels", "aggregated")


class World(NamedTuple):
    """A population, how many rows a test gets, its kernels, and errata S: rejections at .05 in 1,000 data sets."""

    draw: callable
    n: int
    prob_kernel: callable
    feature_kernel: callable
    published: dict
    ties: bool = False


def normal(m, score):
    """X ~ N(0, I_m) and the prediction sigmoid(score(X))."""

    def draw(n, rng):
        X = rng.normal(size=(n, m))
        p = expit(score(X))
        return (rng.random(n) < p).astype(int), p, X

    return draw


WIDE = rbf(width=5.0)
# What differs is how the variance p(1 − p) of a residual goes with the density of the data.
WORLDS = {
    "the paper's Figure 5": World(
        normal(1, lambda X: -1 + 0.5 * X[:, 0]), 50, rbf(width=0.2), ConstantKernel(),
        {"residuals": 0.000, "permutation": 0.044, "centred-permutation": 0.159},
    ),
    "doubtful crowd": World(
        lambda n, rng: clustered(0.2, n, rng), 200, rbf(width=0.1), rbf(gamma=1.0),
        {"residuals": 0.162, "permutation": 0.177, "centred-permutation": 0.181}, ties=True,
    ),
    "the paper's Figure 3, all seen": World(
        normal(10, lambda X: X.sum(axis=1)), 200, WIDE, WIDE,
        {"residuals": 0.000, "permutation": 0.085, "centred-permutation": 0.190},
    ),
}  # fmt: skip


def several(kernel):
    """Its bandwidth times `FACTORS`; the constant one as it is."""
    width = getattr(kernel, "length_scale", None)
    return kernel if width is None else [rbf(bandwidth=factor * width) for factor in FACTORS]


@lru_cache
def pvalues(name):
    """p-values of the exact null, alone and aggregated, and of those that are published."""
    world, found = WORLDS[name], []
    kernels = {"prob_kernel": world.prob_kernel, "feature_kernel": world.feature_kernel}
    runs = {null: {"null": null, **kernels} for null in ("labels", *world.published)}
    runs["aggregated"] = {argument: several(kernel) for argument, kernel in kernels.items()}
    for number in range(DATA_SETS):
        data = world.draw(world.n, np.random.default_rng([5, number]))
        options = {"n_resamples": RESAMPLES, "rng": [6, number]}
        found.append([klce_test(*data, **options, **run).pvalue for run in runs.values()])
    return dict(zip(runs, np.transpose(found), strict=True))


FIRST, *REST = WORLDS
NAMES = [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)]


@pytest.mark.parametrize("name", NAMES)
def test_the_size_of_the_exact_null_is_the_level(name):
    for test in EXACT:
        assert_size_is_the_level(pvalues(name)[test], ties=WORLDS[name].ties)


@pytest.mark.parametrize("name", NAMES)
def test_other_nulls_reject_as_often_as_in_the_errata(name):
    for null, published in WORLDS[name].published.items():
        found = rejections(pvalues(name)[null], 0.05) / DATA_SETS
        rate = (found * DATA_SETS + published * 1000 + 1) / (DATA_SETS + 1000 + 2)
        # Both are counts: three standard errors of their difference.
        assert abs(found - published) <= 3 * np.sqrt(rate * (1 - rate) * (1 / DATA_SETS + 1 / 1000)), (null, found)
