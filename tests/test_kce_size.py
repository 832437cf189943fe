"""How often the tests reject, in three calibrated worlds and near the poster's other models.

Seeds are fixed. Rejections of a test with the right level are binomial; ties make them fewer, never more. The stored
summary that tests/reproductions/test_widmann.py reads has 10,000 data sets of each model.
"""

from functools import lru_cache, partial

import numpy as np
import pytest
from scipy.stats import binom

from calibtutor import kce_test, kernel_grid, simplex_calibration_error
from calibtutor.data.worlds import calibrated_model, mixed_widmann_model, widmann_model
from calibtutor.kce import BOUNDS

N, DATA_SETS, RESAMPLES = 60, 200, 99
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
    if world == "M1":
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
    table = np.array([one(world, number) for number in range(data_sets)])
    return dict(zip(COLUMNS, table.T, strict=True))


def rejections(values, level):
    return int((values <= level + 1e-12).sum())  # ranks are multiples of 1/100, up to rounding


# --- calibrated ---


@pytest.mark.parametrize("world", CALIBRATED)
def test_the_size_is_the_level(world):
    found, data_sets = pvalues(world), DATA_SETS
    # sup(F̂ − F) over N draws exceeds √(log(1/a)/(2N)) with probability a at most (Massart).
    grid, allowed = np.arange(1, RESAMPLES + 2) / (RESAMPLES + 1), np.sqrt(np.log(100) / (2 * data_sets))
    for test in EXACT:
        for level in LEVELS:
            low, high = binom.ppf([0.005, 0.995], data_sets, level)
            rejected = rejections(found[test], level)
            assert rejected <= high, (test, level)
            assert rejected >= low or world not in CONTINUOUS, (test, level)
        distance = np.array([rejections(found[test], level) for level in grid]) / data_sets - grid
        assert distance.max() <= allowed and distance[-1] == 0, test
        assert distance.min() >= -allowed or world not in CONTINUOUS, test
    for test in BOUNDS:
        assert all(rejections(found[test], level) <= level * data_sets for level in (*LEVELS, 0.3, 0.5)), test
        assert rejections(found[test], 0.1) < 0.02 * data_sets, test  # far from it: that is their price


def test_the_bootstrap_is_wrong_where_labels_hardly_surprise():
    # n → ∞ is far away: most data sets hold no surprise at all. Their residuals are small, but near a corner they all
    # point the same way, and that is what the bootstrap takes for an error.
    found = pvalues("near-deterministic")["asymptotic"]
    calm = np.array(
        [(p.argmax(axis=1) == y).all() for y, p, _ in map(partial(data, "near-deterministic"), range(DATA_SETS))]
    )
    assert 0.6 < calm.mean() < 0.75
    assert (found[calm] <= 0.05).all() and (found[~calm] <= 0.05).mean() < 0.2
    assert rejections(pvalues("heteroscedastic")["asymptotic"], 0.05) < 0.1 * DATA_SETS


# --- consistency resampling with an ECE ---


def ece_pvalues(method, data_sets):
    found = []
    for number in range(data_sets):
        y, p, rng = data("M1", number)
        test = kce_test(y, p, statistic=simplex_calibration_error, method=method, n_resamples=59, rng=rng)
        found.append(test.pvalue)
    return np.array(found)


def test_resampled_predictions_give_an_ece_the_wrong_size():
    # A resampled data set holds rows twice, so that its cells are fuller and its error is smaller than the observed.
    assert rejections(ece_pvalues("consistency", 40), 0.05) > 9
    assert binom.sf(9, 40, 0.05) < 1e-4
    # The same statistic with the labels alone redrawn holds its level.
    labels = ece_pvalues("labels", 30)
    assert rejections(labels, 0.05) <= binom.ppf(0.995, 30, 0.05)
    assert rejections(labels, 0.5) >= binom.ppf(0.005, 30, 0.5)


# --- not calibrated ---


def test_the_aggregate_is_nearly_as_good_as_its_best_kernel():
    found = {test: rejections(pvalues("towards M3", 100)[test], 0.05) for test in (*EXACT, "asymptotic")}
    best, worst = (choose(found[test] for test in EXACT[:3]) for choose in (max, min))
    assert best >= 75 and best > 1.5 * worst  # a choice of one bandwidth is a bet
    assert found["aggregated"] > 0.85 * best
    assert found["exact, 1 × median"] > max(40, 2 * found["asymptotic"])
