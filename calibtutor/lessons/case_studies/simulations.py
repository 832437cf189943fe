"""Computations behind the scenes of the case studies, done once and kept."""

import numpy as np

from ...binning import reliability_curve
from ...data.datasets import load_cifar10
from ...predictions import residuals, top_label
from ...reproductions.compas import bias_by_age, compas_split, recalibrated
from ...selection import select_estimator
from ..shared.stored import stored
from .exercises import grouped_error

__all__ = []  # computations, not scenes

NOTIONS = {"canonical": ["h = 0", "kkr", "ukkr"], "top-label": ["h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"]}
SIZES = [10_000, 5000, 2500, 1000]  # the last is what a test computes again
SPLITS = 20
CALIBRATORS, SHUFFLES, AGES = ["none", "isotonic"], 24, [25, 30, 35, 40, 45, 50, 55]
GROUPS = ["African-American women", "African-American men", "other women", "other men"]


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
    bins = np.searchsorted(edges[1:-1], confidence)
    if notion == "top-label":
        return float(grouped_error((confidence - hit)[:, None], bins))
    return float(grouped_error(residuals(cifar.y_true, cifar.y_prob), 10 * bins + cifar.y_prob.argmax(axis=1)))


@stored(CALIBRATORS, list(range(SHUFFLES)))
def misses_by_shuffle(calibrator, shuffle):
    """Miss and its standard error in one shuffle of the COMPAS rows, averaged over 5 years: shape (2, groups, ages)."""
    split = compas_split(shuffle)
    found = bias_by_age(split, recalibrated(split)[calibrator], ages=AGES)[1]
    return np.array([[-found[g].bias for g in GROUPS], [found[g].standard_error for g in GROUPS]])
