"""Computations behind the scenes of the case studies, done once and kept."""

from functools import lru_cache

import numpy as np

from ...data.networks import DATA, NETWORKS, network_predictions
from ...door.predictions import top_label
from ...errors.ckce import ckce, jkce
from ...errors.kce import kce_test
from ...errors.klce import klce_test
from ...estimates.binning import expected_calibration_error
from ...kernels import landmarks, laplacian, linear_plus_gaussian, median_bandwidth, rbf
from ...recalibration import TemperatureScaling
from ...reproductions.compas import bias_by_age, compas_split, recalibrated
from ...reproductions.heart import exact_verdict, heart_split, two_kernels
from ...reproductions.housing import ownership_gap
from ...reproductions.objectives import objectives
from ..shared.stored import stored

LIGHT, CUTS = list(range(-50, 51, 10)), 20
PENALTIES = 1000**-0.25, 0.001  # λ of the CKCE: the paper's for 1,000 images, and a small one
CALIBRATORS, SHUFFLES, AGES = ["none", "isotonic"], 24, [25, 30, 35, 40, 45, 50, 55]
GROUPS = ["African-American women", "African-American men", "other women", "other men"]
DEPTHS, FOREST_SPLITS = [None, 15, 10, 7, 5, 3], 3  # the last is what a test computes again
HEART_SPLITS, DATA_SETS = 40, 500  # theirs is 31
FINDINGS = ["exact", "permuted", "women", "men", "58 and over", "under 58"]


@lru_cache
def own_temperature(network):
    """`TemperatureScaling` learnt from the 5,000 images that were held out."""
    held = network_predictions(network, split="held out")
    return TemperatureScaling().fit(held.y_true, held.y_prob)


@stored(list(DATA), list(NETWORKS))
def exact_p(data, network):
    """Exact p of all classes and of the top label, by 256 landmarks; CIFAR-10: and after the held-out temperature."""
    said, rows = network_predictions(network, data=data), []
    for change in (np.asarray, own_temperature(network).predict_proba)[: 2 if data == "CIFAR-10" else 1]:
        p = change(said.y_prob)
        for y, q in ((said.y_true, p), top_label(said.y_true, p)):
            rows.append(kce_test(y, q, kernel=landmarks(laplacian(median_bandwidth(q)), q, rng=0), rng=0).pvalue)
    return np.reshape(rows, (-1, 2))


@lru_cache
def in_light(network, percent):
    """Labels and predictions of the first 1,000 test images, made lighter by so many percent."""
    said = network_predictions(network, split=f"light {percent:+d}")
    return said.y_true, said.y_prob


@lru_cache
def one_kernel():
    """Kernel (8); its bandwidth is the median distance of two predictions of unchanged images, over five networks."""
    return linear_plus_gaussian(float(np.median([median_bandwidth(in_light(each, 0)[1]) for each in NETWORKS])))


def errors_of(y, p):
    """ECE of the top label (15 bins), JKCE, and CKCE with each of `PENALTIES`, by the one kernel."""
    ridge = [ckce(y, p, kernel=one_kernel(), regularization=each) for each in PENALTIES]
    return [expected_calibration_error(*top_label(y, p)), jkce(y, p, kernel=one_kernel()), *ridge]


@stored(list(NETWORKS))
def errors_in_light(network):
    """`errors_of` the first 1,000 test images, a row a brightness."""
    return np.array([errors_of(*in_light(network, each)) for each in LIGHT])


@stored(list(range(CUTS)))
def best_of_halves(cut):
    """Which network each of `errors_of` names best in one half of these images and in the other, by brightness."""
    halves = np.array_split(np.random.default_rng(cut).permutation(1000), 2)
    every = [[[errors_of(*(each[half] for each in in_light(network, light))) for light in LIGHT]
              for network in NETWORKS] for half in halves]
    return np.argmin(every, axis=1)


@stored(CALIBRATORS, list(range(SHUFFLES)))
def misses_by_shuffle(calibrator, shuffle):
    """Miss and its standard error in one shuffle of the COMPAS rows, averaged over 5 years: shape (2, groups, ages)."""
    split = compas_split(shuffle)
    found = bias_by_age(split, recalibrated(split)[calibrator], AGES)
    return np.array([[-found[g].bias for g in GROUPS], [found[g].standard_error for g in GROUPS]])


@stored(DEPTHS, list(range(FOREST_SPLITS)))
def gap_by_depth(max_depth, split):
    """Forest of this depth, logistic regression without BLACK and with it: Brier score, ECE, gap, true gap, excess."""
    return ownership_gap([split], max_depth=max_depth)[["Brier", "ECE", "gap", "truth", "excess"]].to_numpy(float)


def planted(p, group, size):
    """Probabilities whose log odds are `size` above those of p in the group, as they are elsewhere."""
    return 1 / (1 + np.exp(-np.log(p / (1 - p)) - size * group))


def groups_of(patients):
    """Who is a woman, a man, 58 and over, under 58."""
    women, old = (patients["Sex"] == "F").to_numpy(), (patients["Age"] >= 58).to_numpy()
    return {"women": women, "men": ~women, "58 and over": old, "under 58": ~old}


@stored(list(range(HEART_SPLITS)))
def heart_on_split(split):
    """A row for γ = 25 and years, one for scaled features: the exact p, that of permuted residuals, then the power.

    Power: the share of data sets in which the exact test rejects when log odds are 2.5 higher in each group in turn.
    """
    X_train, y_train, X_test, y, patients = heart_split(split)
    p = objectives(X_train, y_train, X_test, ["XE"])["XE"]
    draws, rows = np.random.default_rng(split).random((DATA_SETS, len(p))), []
    for features, kernel in two_kernels(patients).values():
        kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": kernel, "n_resamples": 1999, "rng": split}
        tests = [klce_test(y, p, features, null=null, **kernels) for null in ("labels", "centred-permutation")]
        rejects = exact_verdict(p, features, feature_kernel=kernel, n_resamples=1999, rng=split)
        truths = (planted(p, inside, 2.5) for inside in groups_of(patients).values())
        power = [np.mean([rejects(u < truth) for u in draws]) for truth in truths]
        rows.append([test.pvalue for test in tests] + power)
    return np.array(rows)
