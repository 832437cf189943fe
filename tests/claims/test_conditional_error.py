"""Claims of the lesson conditional_error."""

import numpy as np
import pytest
from claim import claim
from of_digits import NEAR, PAPERS, top
from scipy.optimize import minimize_scalar

from calibtutor.data.datasets import digits_predictions
from calibtutor.door.predictions import residuals
from calibtutor.errors.ckce import ckce
from calibtutor.lessons.conditional_error import scenes
from calibtutor.lessons.conditional_error import simulations as sims
from calibtutor.lessons.shared import ckce_on_digits as on_digits


def expected(hit, confidence, penalty):
    """The ridge regression of the miss at the data, by the (n, n) kernel matrix."""
    K, n = NEAR(confidence[:, None]), len(hit)
    return K @ np.linalg.solve(K + penalty * n * np.eye(n), confidence - hit)


@claim("11_conditional_error",
       "Of 47 images it is between .9 and .99 sure, and only about half of these answers are right.",
       "from .9 to 1, holds these 47 images and a thousand others.",
       "a small $\\lambda$ lets rare misses count, such as that of the 47 images, a large one mainly common ones.",
       "with a small $\\lambda$ the curve follows the 47, with a large one it does not.",
       "conditional_error/exercises", "Naive Bayes is .9 to .99 sure of 47 images, and right in about half of them.",
       "The 47 are over-confident by .474, their bin by .083: nearly all of its images are others.",
       "A regression of the miss on the confidence can see the 47, if its penalty λ is small.",
       "conditional_error/scenes", "blue: ridge regression of the miss, bandwidth 0.1; dot: its mean over the")
def test_the_47_images_and_their_bin():
    hit, confidence = top("naive Bayes")
    inside, last = sims.nearly_sure(confidence), confidence > 0.9
    assert (inside.sum(), hit[inside].sum(), last.sum()) == (47, 23, 1052)
    assert round((confidence - hit)[inside].mean(), 3) == 0.474 and round((confidence - hit)[last].mean(), 3) == 0.083
    for penalty, wanted in ((PAPERS, 0.09), (0.001, 0.38)):
        assert round(expected(hit, confidence, penalty)[inside].mean(), 2) == wanted
        shown = scenes.who_sees_them().set(penalty=0.001 if penalty == 0.001 else on_digits.PENALTY)
        assert f"says {wanted:.2f} at the 47 images" in shown.finding.headline


@claim("11_conditional_error", "The first ten eigenvalues belong to functions that are nearly linear in $p$.",
       "the kernel $\\langle p, q\\rangle + 1$, which cannot bend, gives .0078 of .0099.",
       "conditional_error/exercises", "The largest is .63; nine lie a little below λ, and keep a third to a half.",
       "All others keep less than 2 %.", "conditional_error/scenes", "rings: below λ, less than half is kept")
def test_the_spectrum_against_the_penalty():
    each, (spectrum, linear) = digits_predictions("logistic regression"), sims.seen_by("logistic regression")
    rows = np.column_stack([each.y_prob, np.ones(len(each.y_prob))])
    first = np.linalg.eigh(on_digits.KERNEL(each.y_prob) / len(rows))[1][:, -10:]
    left = first - rows @ np.linalg.lstsq(rows, first, rcond=None)[0]
    assert ((left**2).sum(axis=0) < 0.02).all()
    mu = spectrum.eigenvalues
    kept = mu / (mu + PAPERS)
    assert mu[9] > 15 * mu[10] and round(mu[0], 2) == 0.63 and (mu > PAPERS).sum() == 1
    assert ((kept[1:10] > 1 / 3) & (kept[1:10] < 0.5)).all() and (kept[10:] < 0.02).all()
    whole, _, alone = sims.parts_of_ckce(spectrum, linear, on_digits.PENALTY)
    packages = ckce(each.y_true, each.y_prob, kernel=on_digits.KERNEL, regularization=PAPERS)
    assert whole == pytest.approx(packages, rel=1e-3)
    assert (round(whole, 4), round(alone, 4)) == (0.0099, 0.0078)


def if_calibrated(K, variance, penalty):
    """The mean CKCE if labels were drawn from the predictions, from E‖δ_i‖²."""
    n = len(K)
    W = np.linalg.inv(K + penalty * n * np.eye(n))
    return np.diag(W @ K @ W) @ variance


@claim("11_conditional_error", "Lower $\\lambda$ to .001: now the CKCE is 3.5, and that kernel finds hardly any of it.",
       "But the noise of the labels gets in, too, with about 1 of the 3.5.", "At $\\lambda = .001$ labels drawn from "
       "logistic regression's own confidences would give a √CKCE of .42 on average.")
def test_the_noise_in_the_ckce_of_ten_classes():
    """E‖δ‖² is the variance of a label plus the squared miss, a bound; sharpened predictions estimate it."""
    whole, _, alone = sims.parts_of_ckce(*sims.seen_by("logistic regression"), 0.001)
    assert round(whole, 1) == 3.5 and alone < 0.1 * whole
    each = digits_predictions("logistic regression")
    sharper = lambda t: each.y_prob**t / (each.y_prob**t).sum(axis=1, keepdims=True)
    right = np.arange(len(each.y_true)), each.y_true
    power = minimize_scalar(lambda t: -np.log(sharper(t)[right]).mean(), bounds=(0.2, 10), method="bounded").x
    squares = (residuals(each.y_true, each.y_prob) ** 2).sum(axis=1)
    variances = np.column_stack([1 - (sharper(power) ** 2).sum(axis=1), squares])
    assert if_calibrated(on_digits.KERNEL(each.y_prob), variances, 0.001).round(1).tolist() == [1.0, 1.1]
    _, confidence = top("logistic regression")
    of_top = if_calibrated(NEAR(confidence[:, None]), confidence * (1 - confidence), 0.001)
    assert round(of_top**0.5, 2) == 0.42


@claim("conditional_error/exercises", "31 %: its fit is a straight line through the S.")
def test_a_linear_kernel_finds_a_line_of_the_s():
    line = np.polyval(np.polyfit(sims.SCORES, sims.MISSES["S-shape"], 1), sims.SCORES)
    left = np.linalg.norm(line - sims.MISSES["S-shape"]) / np.linalg.norm(sims.MISSES["S-shape"])
    assert round(left, 2) == 0.31 and "31%" in scenes.representable().finding.headline
