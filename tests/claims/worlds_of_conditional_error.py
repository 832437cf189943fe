"""What several files of claims use."""

import numpy as np
import pytest
from seeds import within
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from splits import another_split, trained

from calibtutor import top_label
from calibtutor.ckce import (
    ckce,
    select_regularization,
)
from calibtutor.data.datasets import brightened_digits, digits_predictions
from calibtutor.kernels import (
    linear_plus_gaussian,
    low_rank,
)
from calibtutor.lessons.shared import ckce_on_digits as of_ckce_on_digits
from calibtutor.predictions import residuals
from calibtutor.reproductions import digits_ckce
from calibtutor.simplex import simplex_calibration_error, simplex_occupancy

NEAR = linear_plus_gaussian(0.1)
PAPERS = 1079**-0.25
CURVE = ("random forest", "logistic regression", "naive Bayes")
slow = pytest.mark.slow


def most(hits, n=20):
    """Whether so many of 20 splits support “on most splits”: fewer than 11 do not."""
    assert n == 20
    return within(hits, n, 0.93, 1)


def top(model, seed=None):
    each = digits_predictions(model) if seed is None else another_split(model, seed)
    return top_label(each.y_true, each.y_prob)


def norm(hit, confidence, penalty, bandwidth):
    K, n = linear_plus_gaussian(bandwidth)(confidence[:, None]), len(hit)
    a = np.linalg.solve(K + penalty * n * np.eye(n), confidence - hit)
    return a @ K @ a


def held_out(folds, seed=None):
    """Data and results for logistic regression and naive Bayes; the λ that predicts held-out misses of both best."""
    pair = [top(model, seed) for model in ("logistic regression", "naive Bayes")]
    each = [select_regularization(*one, kernel=NEAR, rng=folds) for one in pair]
    both = each[0].candidates[(each[0].errors + each[1].errors).argmin()]
    return pair, each, both


def better(folds, seed=None):
    """Whether logistic regression has the smaller CKCE at the λ for both."""
    pair, _, both = held_out(folds, seed)
    logistic, bayes = (ckce(*one, kernel=NEAR, regularization=both) for one in pair)
    return logistic < bayes


def below_the_papers(folds, seed=None):
    _, each, _ = held_out(folds, seed)
    for choice in each:
        assert choice.candidates[12] == pytest.approx(PAPERS)
    return all(c.regularization < PAPERS and c.errors.min() < c.errors[12] < c.baseline for c in each)


def ten_classes(seed=None):
    """CKCE of logistic regression and of naive Bayes, with the paper's λ and with .001: (2, 2)."""
    every = [
        digits_predictions(model) if seed is None else another_split(model, seed)
        for model in ("logistic regression", "naive Bayes")
    ]
    return np.array([
        [ckce(each.y_true, each.y_prob, kernel=of_ckce_on_digits.KERNEL, regularization=penalty) for penalty in (PAPERS, 0.001)]
        for each in every
    ])  # fmt: skip


DARK = range(-50, 0, 10)


def in_the_light(model, changes, seed=None):
    """Labels and predictions in other lights; on another split the model is trained anew."""
    if seed is None:
        every = [brightened_digits(model, change) for change in changes]
        return every[0].y_true, [each.y_prob for each in every]
    pixels, labels = load_digits(return_X_y=True)
    train, test, y_train, y = train_test_split(pixels / 16, labels, test_size=0.6, stratify=labels, random_state=seed)
    lit = np.concatenate([np.minimum(test * (1 + k / 100), 1) for k in changes])
    return y, np.split(trained(model, train, y_train, lit), len(changes))


def moved_in_the_dark(model, rng, seed=None, resamples=40):
    """How √CKCE moves from clean to darker images, in standard errors of the difference."""
    y, every = in_the_light(model, [0, *DARK], seed)
    n = len(y)
    counts = [np.ones(n), *(np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples))]
    roots = []
    for p in every:
        phi, delta = low_rank(of_ckce_on_digits.KERNEL, p, tol=1e-4).features, residuals(y, p)
        found = []
        for w in np.array(counts) / n:
            C, S = phi.T @ (w[:, None] * phi), phi.T @ (w[:, None] * delta)
            found.append(np.linalg.norm(np.linalg.solve(C + of_ckce_on_digits.PENALTY * np.eye(len(C)), S)))
        roots.append(found)
    moved = np.array(roots[1:]) - roots[0]
    return np.abs(moved[:, 0]) / moved[:, 1:].std(axis=1, ddof=1)


def cells_of_one_image(rng, seed=None):
    """Whether the ECE in cells is below that of a calibrated model, and most cells hold one image, for both models."""
    found = []
    for model in ("logistic regression", "random forest"):
        each = digits_predictions(model) if seed is None else another_split(model, seed)
        ece = 2 * simplex_calibration_error(each.y_true, each.y_prob, n_steps=digits_ckce.STEPS)
        cells = simplex_occupancy(each.y_prob, n_steps=digits_ckce.STEPS)
        found += [ece < digits_ckce.calibrated_ece(each.y_prob, rng=rng), cells.single > 0.5 * cells.occupied]
    return all(found)
