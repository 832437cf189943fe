"""Computations behind the scenes of the case studies, done once and kept."""

import numpy as np

from ...binning import bin_of, reliability_curve
from ...data.datasets import load_cifar10
from ...kernels import rbf
from ...klce import klce_test
from ...predictions import residuals, top_label
from ...reproductions.compas import bias_by_age, compas_split, recalibrated
from ...reproductions.heart import exact_verdict, heart_split, two_kernels
from ...reproductions.housing import ownership_gap
from ...reproductions.objectives import objectives
from ...selection import select_estimator
from ..shared.stored import stored
from .exercises import grouped_error

NOTIONS = {"canonical": ["h = 0", "kkr", "ukkr"], "top-label": ["h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"]}
SIZES = [10_000, 5000, 2500, 1000]  # the last is what a test computes again
SPLITS = 20
CALIBRATORS, SHUFFLES, AGES = ["none", "isotonic"], 24, [25, 30, 35, 40, 45, 50, 55]
GROUPS = ["African-American women", "African-American men", "other women", "other men"]
DEPTHS, FOREST_SPLITS = [None, 15, 10, 7, 5, 3], 3  # the last is what a test computes again
HEART_SPLITS, DATA_SETS = 40, 500  # theirs is 31
FINDINGS = ["exact", "permuted", "women", "men", "58 and over", "under 58"]


@stored(list(NOTIONS), SIZES, list(range(SPLITS)))
def estimates_and_risks(notion, n, split):
    """A row an estimator of CIFAR's squared error: estimate, √risk × 100, told apart from the best (1 or 0)."""
    cifar = load_cifar10(progress=False)
    rows = np.sort(np.random.default_rng(split).permutation(10_000)[:n])
    y, p = cifar.y_true[rows], cifar.y_prob[rows]
    table = select_estimator(y, p, notion=notion, candidates=NOTIONS[notion], rng=split).table
    table["estimate"] = table["estimate"].fillna(0)  # h = 0 estimates nothing
    return table[["estimate", "root_risk", "told_apart"]].astype(float).to_numpy()


@stored(list(NOTIONS))
def grouped_on_all(notion):
    """The grouped error of all 10,000 images: groups have one of 15 bins of confidence and, for ten classes, one answer."""
    cifar = load_cifar10(progress=False)
    hit, confidence = top_label(cifar.y_true, cifar.y_prob)
    edges = reliability_curve(hit, confidence, n_bins=15, strategy="quantile").edges
    bins = bin_of(confidence, edges)
    if notion == "top-label":
        return float(grouped_error((confidence - hit)[:, None], bins))
    return float(grouped_error(residuals(cifar.y_true, cifar.y_prob), 10 * bins + cifar.y_prob.argmax(axis=1)))


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
