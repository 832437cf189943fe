"""Local calibration by loops: statistics, redrawn nulls, halves and repairs of the worn digits."""

import numpy as np
import pytest
from rejections import SLACK, slow

from calibtutor import expected_calibration_error, klce_test, rbf
from calibtutor.lessons.map_and_repair import exercises as exercises_10
from calibtutor.lessons.map_and_repair import simulations as sims_10
from calibtutor.lessons.shared import worn as of_worn

WEAR_KERNELS = {"prob_kernel": rbf(bandwidth=0.2), "feature_kernel": rbf(bandwidth=0.5)}


def some_or_more(few, more):
    """A few data sets, or as many as give the range teeth."""
    return pytest.mark.parametrize("data_sets", [few, pytest.param(more, marks=slow)])


def statistics(K, delta):
    """Σ_{i≠j} K_ij δ_i δ_j of every column."""
    return ((K @ delta) * delta).sum(axis=0) - np.diag(K) @ delta**2


def halves(n, rng):
    return rng.permutation(n) % 2


def mended(hit, p, wear, half, bandwidths=(0.1, 0.08)):
    W = rbf(bandwidth=bandwidths[0])(p[:, None]) * rbf(bandwidth=bandwidths[1])(wear[:, None])
    return exercises_10.mended(p, hit, W, half)


def looked_at(hit, p, wear, rng):
    """Of each repair fitted on one half: what the other half says of it."""
    half, every = halves(len(p), rng), {}
    learn, use = half == 0, half == 1
    for name, method in sims_10.METHODS.items():
        new, groups = p[use], (wear[:, None],) if name == "multicalibration" else ()
        if method:
            fitted = method().fit(hit[learn], p[learn], *(g[learn] for g in groups))
            new = fitted.predict_proba(new, *(g[use] for g in groups))
            if not groups:  # a map of the confidence alone
                same = fitted.predict_proba(np.repeat(p[use][:5], 2))
                assert (same[::2] == same[1::2]).all()
        miss, error = of_worn.quarters(hit[use], new, wear[use])
        test = klce_test(hit[use], new, wear[use] / wear.std(), **WEAR_KERNELS, n_resamples=99, rng=rng)
        every[name] = {"brier": np.mean((new - hit[use]) ** 2), "ece": expected_calibration_error(hit[use], new),
                       "off": (np.abs(miss) > 2 * error).sum(), "rejects": test.pvalue <= 0.05 + SLACK}  # fmt: skip
    return every


MAPS = ("Platt", "temperature", "isotonic", "BBQ")


def holds(every):
    """What the text says of the network in one cut, each in one truth value."""
    return [all(every[m]["ece"] < every["nothing"]["ece"] for m in MAPS),
            all(every[m]["off"] >= 2 and every[m]["rejects"] for m in MAPS),
            every["multicalibration"]["off"] <= 1,
            every["multicalibration"]["rejects"]]  # fmt: skip
