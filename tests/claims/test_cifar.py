"""Claims of the case study on CIFAR-10."""

from functools import lru_cache

import numpy as np
import pytest
from claim import claim
from seeds import as_shown

from calibtutor import fit_ukkr, kce_test, reliability_curve, residuals, top_label
from calibtutor.data.datasets import load_cifar10
from calibtutor.lessons.case_studies.exercises import grouped_error
from calibtutor.lessons.case_studies.simulations import SIZES, SPLITS, estimates_and_risks, grouped_on_all

pytestmark = pytest.mark.slow  # as the notebook

SHOWN = list(map(as_shown, range(SPLITS)))  # the picture's


@lru_cache
def cifar():
    return load_cifar10(progress=False)


@claim("case_studies/01_cifar_calibration_risk",
       "A VGG network is right on 93.6 % of the 10,000 test images of CIFAR-10, and says 97.6 % on average.",
       "The network is over-confident, beyond any doubt: the exact test of notebook 08 gives p = .001 on the first "
       "1,500 images.")
def test_the_predictions_are_too_sure(seeds):
    y, p = cifar().y_true, cifar().y_prob
    hit, confidence = top_label(y, p)
    assert p.shape == (10_000, 10) and [f"{each.mean():.1%}" for each in (hit, confidence)] == ["93.6%", "97.6%"]
    for each in (top_label(y[:1500], p[:1500]), (y[:1500], p[:1500])):
        assert round(kce_test(*each, rng=seeds.rng()).pvalue, 3) == 0.001


@claim("case_studies/01_cifar_calibration_risk",
       "**at the penalties that the risk chose, kkr and ukkr report too little here.**",
       "ukkr's .0062 lies .003 below the bound.", "leave out a tenth of the images at a time: by this jackknife their "
       "difference has a standard error of about .001.")
def test_the_difference_has_an_error_of_its_own():
    y, p = cifar().y_true, cifar().y_prob
    hit, c = top_label(y, p)
    edges = reliability_curve(hit, c, n_bins=15, strategy="quantile").edges
    group = 10 * np.searchsorted(edges[1:-1], c) + p.argmax(axis=1)
    delta, order = residuals(y, p), np.random.default_rng(as_shown(0)).permutation(10_000)
    train, test = order[1600:8000], order[8000:]  # the first of the five folds of select_estimator

    def bound_less_estimate(kept):
        rows = train[kept[train]]
        h = fit_ukkr(y[rows], p[rows], regularization=1e-3 * len(rows) ** -0.25)  # the penalty that it chose
        return grouped_error(delta[kept], group[kept]) - h.diagonal(p[test[kept[test]]]).mean()

    blocks = np.arange(10_000) // 1000
    without = [bound_less_estimate(blocks != block) for block in range(10)]
    assert round(np.sqrt(9 * np.var(without)), 3) == 0.001
    assert round(bound_less_estimate(blocks >= 0), 3) == 0.003


@claim("case_studies/exercises", "estimate one squared error from the same 10,000 predictions, on one split.",
       "On this split they reach from .0041 (15 bins) to .0064 (bins whose number the risk chose).",
       "It is more than 50 % in 13 of 20 splits.", "case_studies/01_cifar_calibration_risk", "On this split the "
       "spreads of the risks (.26) are eleven times larger than the largest difference among the five estimators.")
def test_five_estimates():
    estimate = estimates_and_risks("top-label", 10_000, 0)[1:, 0]
    assert estimate.max() > 1.5 * estimate.min()
    assert estimate.argmin() == 0 and estimate.argmax() == 1
    assert np.round([estimate.min(), estimate.max()], 4).tolist() == [0.0041, 0.0064]
    every = [estimates_and_risks("top-label", 10_000, split)[1:, 0] for split in SHOWN]
    assert sum(each.max() > 1.5 * each.min() for each in every) == 13
    risks = estimates_and_risks("top-label", 10_000, 0)[1:, 1]
    assert 0.255 / 11.5 < risks.max() - risks.min() < 0.265 / 10.5  # the spread, .26, is printed


@claim("case_studies/01_cifar_calibration_risk",
       "One split of 10,000 labels does not decide for the canonical error of this network", "With all 10,000 images "
       "and ten classes both estimates lie below the bound in all 20 splits, which share their labels (with 2,500 one "
       "is above it in 1 split, with 1,000 in 4)", "the best estimator is told apart from h = 0 in 15 of 20 splits for "
       "ten classes and in all 20 for the top label; with 5,000 images in 6 and in 15, with 1,000 in 1 and in none",
       "over the 20 splits `rng=0` to `rng=19` it tells ukkr apart from h = 0 in 15.")
def test_what_the_labels_decide():
    assert SPLITS == 20 and SIZES[0] == 10_000
    for n, canonical, top in ((10_000, 15, 20), (5000, 6, 15), (1000, 1, 0)):  # splits that tell h = 0 apart
        for notion, wanted in (("canonical", canonical), ("top-label", top)):
            assert sum(estimates_and_risks(notion, n, split)[0, 2] for split in SHOWN) == wanted
    most = {n: [estimates_and_risks("canonical", n, split)[1:, 0].max() for split in SHOWN] for n in SIZES}
    least = grouped_on_all("canonical")
    assert {n: sum(each > least for each in most[n]) for n in SIZES} == {10_000: 0, 5000: 0, 2500: 1, 1000: 4}
