"""How often the tests reject, on 2,000 data sets of each of three calibrated worlds and on the poster's other models.

Seeds are fixed. Rejections of a test with the right level are binomial; ties make them fewer, never more.
"""

from functools import lru_cache, partial

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.stats import binom

from calibtutor import kce_test, kernel_grid, simplex_calibration_error
from calibtutor.data.worlds import calibrated_model, mixed_widmann_model, widmann_model
from calibtutor.kce import BOUNDS

N, DATA_SETS, RESAMPLES = 60, 2000, 199
CALIBRATED = ("M1", "heteroscedastic", "near-deterministic")
# Labels that hardly ever surprise leave few different label vectors, hence ties in nearly every data set.
CONTINUOUS = CALIBRATED[:2]
FACTORS = (0.25, 1, 4)
EXACT = (*(f"exact, {factor} × median" for factor in FACTORS), "aggregated")
COLUMNS = (*EXACT, *BOUNDS, "asymptotic")
LEVELS = (0.01, 0.05, 0.1)


def data(world, number):
    """Data set `number` of a world, and what is left of its random numbers."""
    rng = np.random.default_rng([4, number])
    if world in ("M1", "M2", "M3"):
        return *widmann_model(world, N, n_classes=5, rng=rng), rng
    if world.startswith("towards"):
        return *mixed_widmann_model(0.3, N, towards=world[-2:], n_classes=5, rng=rng), rng
    return *calibrated_model(world, N, rng=rng), rng


def one(world, number):
    y, p, rng = data(world, number)
    kernels = kernel_grid(p, factors=FACTORS)
    every = kce_test(y, p, kernel=kernels, n_resamples=RESAMPLES, rng=rng)
    others = [kce_test(y, p, kernel=kernels[1], method=m, n_resamples=RESAMPLES, rng=rng) for m in COLUMNS[4:]]
    return [*every.single_pvalues, every.pvalue, *(result.pvalue for result in others)]


@lru_cache
def pvalues(world, data_sets=DATA_SETS):
    """p-values of the tests `COLUMNS`, by name, each (data_sets,)."""
    # One process: the suite's two workers have the cores. A reader may say joblib.parallel_config(n_jobs=…).
    table = np.array(Parallel(n_jobs=1)(delayed(one)(world, number) for number in range(data_sets)))
    return dict(zip(COLUMNS, table.T, strict=True))


def rejections(values, level):
    return int((values <= level + 1e-12).sum())  # ranks are multiples of 1/200, up to rounding


# --- calibrated ---


@pytest.mark.parametrize("test", EXACT)
@pytest.mark.parametrize("world", CALIBRATED)
def test_the_size_is_the_level(world, test):
    for level in LEVELS:
        low, high = binom.ppf([0.005, 0.995], DATA_SETS, level)
        rejected = rejections(pvalues(world)[test], level)
        assert rejected <= high
        assert rejected >= low or world not in CONTINUOUS


@pytest.mark.parametrize("test", EXACT)
@pytest.mark.parametrize("world", CALIBRATED)
def test_pvalues_lie_along_the_diagonal(world, test):
    # sup(F̂ − F) over N draws exceeds √(log(1/a)/(2N)) with probability a at most (Massart): .034 for 1 %.
    grid = np.arange(1, RESAMPLES + 2) / (RESAMPLES + 1)
    distance = np.array([rejections(pvalues(world)[test], level) for level in grid]) / DATA_SETS - grid
    allowed = np.sqrt(np.log(100) / (2 * DATA_SETS))
    assert distance.max() <= allowed
    assert distance.min() >= -allowed or world not in CONTINUOUS
    assert distance[-1] == 0


@pytest.mark.parametrize("test", BOUNDS)
@pytest.mark.parametrize("world", CALIBRATED)
def test_bounds_never_reject_more_than_the_level(world, test):
    for level in (*LEVELS, 0.3, 0.5):
        assert rejections(pvalues(world)[test], level) <= level * DATA_SETS
    assert rejections(pvalues(world)[test], 0.1) < 0.02 * DATA_SETS  # far from it: that is their price


def test_the_bootstrap_is_wrong_where_labels_hardly_surprise():
    # n → ∞ is far away: most data sets hold no surprise at all. Their residuals are small, but near a corner they all
    # point the same way, and that is what the bootstrap takes for an error.
    found = pvalues("near-deterministic")["asymptotic"]
    calm = np.array([(p.argmax(axis=1) == y).all() for y, p, _ in map(partial(data, "near-deterministic"), range(500))])
    assert 0.6 < calm.mean() < 0.75
    assert (found[:500][calm] <= 0.05).all() and (found[:500][~calm] <= 0.05).mean() < 0.2
    assert rejections(pvalues("heteroscedastic")["asymptotic"], 0.05) < 0.1 * DATA_SETS


# --- consistency resampling with an ECE ---


@lru_cache
def ece_pvalues(method):
    found = []
    for number in range(100):
        y, p, rng = data("M1", number)
        test = kce_test(y, p, statistic=simplex_calibration_error, method=method, n_resamples=99, rng=rng)
        found.append(test.pvalue)
    return np.array(found)


def test_resampled_predictions_give_an_ece_the_wrong_size():
    # A resampled data set holds rows twice, so that its cells are fuller and its error is smaller than the observed.
    assert rejections(ece_pvalues("consistency"), 0.05) > 25
    assert binom.sf(25, 100, 0.05) < 1e-10
    # The same statistic with the labels alone redrawn holds its level.
    assert rejections(ece_pvalues("labels"), 0.05) <= binom.ppf(0.995, 100, 0.05)
    assert rejections(ece_pvalues("labels"), 0.5) >= binom.ppf(0.005, 100, 0.5)


# --- not calibrated ---

POWER = {  # rejections at .05, in percent of 200 data sets, at least
    "M2": {"exact, 1 × median": 99, "aggregated": 99},
    "M3": {"exact, 0.25 × median": 99, "exact, 1 × median": 99, "aggregated": 99},
    "towards M2": {"exact, 1 × median": 97, "aggregated": 97},
    "towards M3": {"exact, 0.25 × median": 75, "exact, 1 × median": 40, "aggregated": 70},
}


@pytest.mark.parametrize("world", POWER)
def test_power(world):
    found = pvalues(world, 200)
    for test, percent in POWER[world].items():
        assert rejections(found[test], 0.05) >= 2 * percent


def test_the_aggregate_is_nearly_as_good_as_its_best_kernel():
    found = {test: rejections(pvalues("towards M3", 200)[test], 0.05) for test in (*EXACT, "asymptotic")}
    best, worst = (choose(found[test] for test in EXACT[:3]) for choose in (max, min))
    assert best > 1.5 * worst  # a choice of one bandwidth is a bet
    assert found["aggregated"] > 0.85 * best
    assert found["exact, 1 × median"] > 2 * found["asymptotic"]
