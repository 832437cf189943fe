"""The exact test needs labels that are independent given the predictions; what your_own_predictions.md says."""

import numpy as np
from scipy.stats import binom

from calibtutor import kce_test, laplacian, rbf


def rejected(draw, n_sets, **options):
    """Of data sets at level .05."""
    pvalues = [kce_test(*draw(np.random.default_rng(seed)), n_resamples=99, rng=seed, **options).pvalue
               for seed in range(n_sets)]  # fmt: skip
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


def test_visits_of_a_patient_reject_a_calibrated_model_in_a_third_of_data_sets():
    fewest, most = binom.interval(0.99, 60, 1 / 3)
    assert fewest <= rejected(lambda rng: visits(rng, alike=True), 60) <= most
    assert rejected(lambda rng: visits(rng, alike=False), 60) <= binom.ppf(0.995, 60, 0.05)
