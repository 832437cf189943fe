"""How often the exact test rejects in three calibrated worlds: its level, alone and aggregated.

Seeds are fixed. Rejections of a test with the right level are binomial; ties make them fewer, never more.
"""

import numpy as np
import pytest
from scipy.stats import binom

from calibtutor import kce_test, kernel_grid, laplacian, rbf
from calibtutor.data.worlds import calibrated_model, widmann_model

N, DATA_SETS, RESAMPLES, FACTORS = 60, 200, 99, (0.25, 1, 4)
LEVELS = (0.01, 0.05, 0.1)


def allowed(data_sets, share=0.01):
    """sup(F̂ − F) over so many draws exceeds this with probability `share` at most (Massart 1990)."""
    return np.sqrt(np.log(1 / share) / (2 * data_sets))


def rejections(pvalues, level):
    return int((pvalues <= level + 1e-12).sum())  # ranks are multiples of 1/100, up to rounding


def assert_size_is_the_level(pvalues, *, ties):
    """At three levels within 99 % of the binomial law, and at all others within Massart's band; ties reject less."""
    for level in LEVELS:
        low, high = binom.ppf([0.005, 0.995], len(pvalues), level)
        assert (0 if ties else low) <= rejections(pvalues, level) <= high, level
    grid = np.arange(1, RESAMPLES + 2) / (RESAMPLES + 1)
    distance = np.array([rejections(pvalues, level) for level in grid]) / len(pvalues) - grid
    assert distance.max() <= allowed(len(pvalues)) and distance[-1] == 0
    assert ties or distance.min() >= -allowed(len(pvalues))


# Labels that hardly ever surprise leave few different label vectors, hence ties in nearly every data set.
@pytest.mark.parametrize(("world", "ties"), [("M1", False), ("heteroscedastic", False), ("near-deterministic", True)])
def test_the_size_is_the_level(world, ties):
    found = []
    for number in range(DATA_SETS):
        rng = np.random.default_rng([4, number])
        y, p = widmann_model(world, N, n_classes=5, rng=rng) if world == "M1" else calibrated_model(world, N, rng=rng)
        every = kce_test(y, p, kernel=kernel_grid(p, factors=FACTORS), n_resamples=RESAMPLES, rng=rng)
        found.append([*every.single_pvalues, every.pvalue])
    for pvalues in np.array(found).T:
        assert_size_is_the_level(pvalues, ties=ties)


# Labels that depend on one another, or on the predictions: what your_own_predictions.md says.
def rejected(draw, n_sets, **options):
    """Of data sets at level .05."""
    pvalues = [kce_test(*draw(np.random.default_rng(seed)), n_resamples=99, rng=seed, **options).pvalue
               for seed in range(n_sets)]
    return sum(pvalue <= 0.05 for pvalue in pvalues)


def visits(rng, *, alike, patients=30):
    """Ten visits a patient, one prediction p; the patient's frequency is Beta(4p, 4(1 − p)): correlation 1/5."""
    p = rng.random(patients)
    frequency = rng.beta(4 * p, 4 * (1 - p)) if alike else p
    return (rng.random((patients, 10)) < frequency[:, None]).astype(int).ravel(), np.repeat(p, 10)


def test_leave_one_out_shares_of_fair_coins_are_rejected_always_or_never():
    def coins(rng):
        y = rng.integers(0, 2, 100)
        return y, (y.sum() - y) / 99  # the mean of the others; its two values tell the label

    assert rejected(coins, 30, kernel=laplacian(0.01)) == 30
    assert rejected(coins, 100, kernel=rbf(bandwidth=0.1)) == 0
    assert rejected(lambda rng: (rng.integers(0, 2, 100), np.full(100, 0.5)), 30, kernel=laplacian(0.01)) < 7


def test_visits_of_a_patient_reject_a_calibrated_model_in_four_of_ten_data_sets():
    fewest, most = binom.interval(0.99, 200, 0.42)
    assert 0.3 * 200 < fewest <= rejected(lambda rng: visits(rng, alike=True), 200) <= most < 0.55 * 200
    assert rejected(lambda rng: visits(rng, alike=False), 200) <= binom.ppf(0.995, 200, 0.05) < 0.12 * 200
