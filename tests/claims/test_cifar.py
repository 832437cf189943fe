"""Claims of the case study on CIFAR-10."""

from functools import lru_cache

import numpy as np
import pytest
from claim import claim

from calibtutor import calibration_risk, fit_ukkr, kce_test, select_estimator, top_label
from calibtutor.data.datasets import digits_predictions, load_cifar10
from calibtutor.data.downloads import fetch


@lru_cache
def cifar():
    return load_cifar10(progress=False)


def told_apart(notion, rng):
    """Whether the risk tells ridge regression apart from h = 0 on this split."""
    found = select_estimator(cifar().y_true, cifar().y_prob, notion=notion, candidates=["h = 0", "ukkr"], rng=rng)
    return found.best == "ukkr" and found.table.loc["h = 0", "told_apart"]


@claim(
    "case_studies/01_cifar_calibration_risk",
    "A VGG network is right on 93.6 % of the 10,000 test images of CIFAR-10, and says 97.6 % on average.",
)
@claim(
    "case_studies/01_cifar_calibration_risk",
    "what can 10,000 labels decide?",
    "the first cell downloads them (0.5 MB, checksum verified)",
)
def test_the_predictions():
    y, p = cifar().y_true, cifar().y_prob
    assert p.shape == (10_000, 10)
    assert f"{np.mean(p.argmax(axis=1) == y):.1%}" == "93.6%"
    assert f"{p.max(axis=1).mean():.1%}" == "97.6%"
    assert round(fetch("cifar_probs.dat", progress=False).stat().st_size / 1e6, 1) == 0.5


@claim(
    "case_studies/01_cifar_calibration_risk",
    "The network is over-confident, beyond any doubt: the exact test of notebook 04 gives p = .001 on the "
    "first 1,500 images.",
)
def test_the_network_is_too_sure():
    y, p = cifar().y_true, cifar().y_prob
    hit, c = top_label(y, p)
    assert round(kce_test(hit[:1500], c[:1500], rng=0).pvalue, 3) == 0.001
    assert round(kce_test(y[:1500], p[:1500], rng=0).pvalue, 3) == 0.001
    assert np.mean(c - hit) > 10 * np.std(c - hit) / np.sqrt(len(hit))


@claim(
    "case_studies/01_cifar_calibration_risk",
    "√risk × 100 and its spread over five folds (standard deviation over √5), which the paper's Table 1 prints"
    " with ± for five other CIFAR-10 networks",
)
def test_what_the_table_prints():
    each = digits_predictions("naive Bayes")
    hit, c = top_label(each.y_true, each.y_prob)
    row = select_estimator(hit, c, notion="canonical", candidates=["h = 0"], rng=0).table.loc["h = 0"]
    order = np.random.default_rng(0).permutation(len(c))
    roots = []
    for fold in np.array_split(order[: len(c) - len(c) // 5], 5):
        z = np.outer(c[fold] - hit[fold], c[fold] - hit[fold]) ** 2
        roots.append(100 * np.sqrt((z.sum() - np.trace(z)) / (len(z) * (len(z) - 1))))
    assert row["root_risk"] == pytest.approx(np.mean(roots))
    assert row["root_risk_spread"] == pytest.approx(np.std(roots, ddof=1) / np.sqrt(5))


@pytest.mark.slow
@claim(
    "case_studies/01_cifar_calibration_risk",
    "over the 20 splits `rng=0` to `rng=19` it tells ukkr apart from h = 0 in 15 (for the top label in all 20)",
)
@claim(
    "case_studies/01_cifar_calibration_risk",
    "One split of 10,000 labels does not decide for the canonical error of this network",
)
def test_twenty_splits():
    assert sum(told_apart("canonical", rng) for rng in range(20)) == 15
    assert all(told_apart("top-label", rng) for rng in range(20))


@pytest.mark.slow
@claim(
    "case_studies/01_cifar_calibration_risk",
    "the canonical squared error is at least the top-label one, and kkr's .0033 lies below every top-label "
    "estimate above",
)
def test_kkr_against_the_top_label():
    y, p = cifar().y_true, cifar().y_prob
    canonical = select_estimator(y, p, notion="canonical", candidates=["kkr"], rng=0).estimate
    top = select_estimator(y, p, rng=0).table["estimate"].astype(float)
    assert f"{canonical:.4f}" == "0.0033"
    assert canonical < top.min()


@claim(
    "case_studies/01_cifar_calibration_risk",
    "Train on 6,400 predictions, once with their own labels and once with shuffled ones; take the risk on "
    "1,600 others.",
)
@claim(
    "case_studies/01_cifar_calibration_risk",
    "at this small penalty the fit reports a huge error, and its risk explodes",
)
def test_shuffled_labels():
    assert 8000 - 6400 == 1600
    y, p = cifar().y_true, cifar().y_prob
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        train, held_out = order[:1600], order[1600:3200]  # fewer, so that it takes a second
        own = y[train]
        risks, errors = [], []
        for labels in (own, np.random.default_rng(1).permutation(own)):
            h = fit_ukkr(labels, p[train], regularization=1e-3 * len(train) ** -0.25)
            risks.append(calibration_risk(h, y[held_out], p[held_out]))
            errors.append(h.diagonal(p[held_out]).mean())
        assert risks[1] > 10 * risks[0] and errors[1] > 0.5 > 10 * errors[0]
