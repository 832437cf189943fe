"""Claims of the lesson bets_and_kernels."""

import itertools
from functools import cache

import numpy as np
import pytest
from claim import claim
from scipy.stats import norm
from seeds import as_shown, mean_within, within
from sentences import NOTEBOOKS, notebook
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from splits import hit_and_confidence, trained

from calibtutor import kce_test, laplacian, median_bandwidth, rbf, skce
from calibtutor.binning import expected_calibration_error
from calibtutor.data.datasets import HOLES, digits_predictions, hole_predictions
from calibtutor.data.worlds import wave_world
from calibtutor.kce import kce_witness
from calibtutor.lessons.bets_and_kernels import scenes
from calibtutor.lessons.bets_and_kernels.bumps import best_bet, matrix_and_length, sum_of_bumps
from calibtutor.lessons.bets_and_kernels.exercises import check
from calibtutor.lessons.bets_and_kernels.games import MISSED_BY, SAID, best_bets, earned

REFERENCE = {each.name: each.reference for each in check}
SHOWN, SLACK = as_shown(0), 1e-12
SPLITS, FEW = 40, 20
MODELS = ("random forest", "naive Bayes", "neural network")
slow = pytest.mark.slow


def printed():
    """All that the notebook's cells print, as stored."""
    cells = notebook(NOTEBOOKS / "04_bets_and_kernels.ipynb").cells
    return "".join(output.get("text", "") for cell in cells for output in cell.get("outputs", []))


@claim(
    "04_bets_and_kernels",
    "Six probabilities are said equally often. On average they are right; which of them are too high is hidden.",
    "the best of *all* bets between −1 and 1 is the sign of the miss $p-r(p)$. It earns $\\mathbb{E}\\,|p-r(p)|$",
)
@claim(
    "bets_and_kernels/exercises",
    "The misses p − r are −.2, 0 and .2, the bets −.6, 0 and .6:",
    "(.12 + 0 + .12)/3 = .08.",
)
@claim("bets_and_kernels/games", "your bets where the model says .1, .25, … .9")
def test_the_six_bets():
    p = np.array(SAID)
    r = p - MISSED_BY
    assert p[:2].tolist() == [0.1, 0.25] and p[-1] == 0.9
    payoffs = {bet: ((p - r) * bet).mean() for bet in itertools.product([-1, 0, 1], repeat=6)}
    best = max(payoffs, key=payoffs.get)
    assert list(best) == np.sign(p - r).tolist() == best_bets(p, r).tolist()
    assert payoffs[best] == pytest.approx(earned(np.array(best), p, r)[1]) == pytest.approx(abs(p - r).mean())
    assert (r >= 0).all() and (r <= 1).all() and len(p) == 6 and abs((r - p).mean()) < 1e-15
    for bet in (-1, 0.3, 1):
        assert abs(earned(np.full(6, bet), p, r)[0]) < 1e-15
    said, happens = np.array([0.2, 0.5, 0.8]), np.array([0.4, 0.5, 0.6])
    assert np.allclose(said - happens, [-0.2, 0, 0.2]) and np.allclose(2 * said - 1, [-0.6, 0, 0.6])
    assert ((said - happens) * (2 * said - 1)).mean() == pytest.approx(0.08) == 0.24 / 3


@claim(
    "04_bets_and_kernels",
    "given $p$ the mean of $e_Y$ is $r(p)$: labels stand in for it.",
    "In this split the forest's probabilities of its own answers are too low, so the opposite bet earns; those of "
    "naive Bayes are too high.",
)
def test_a_bet_on_digits():
    for name, sign in zip(MODELS, (-1, 1, 0), strict=True):
        digits = digits_predictions(name)
        hit, c = hit_and_confidence(digits.y_true, digits.y_prob)
        first, second = ((c - hit)[half::2] for half in (0, 1))
        assert f"{name:15} one half {first.mean():+.3f}, other half {second.mean():+.3f}" in printed()
        for half in (first, second):
            assert not sign or sign * half.mean() > 5 * half.std() / len(half) ** 0.5


@claim(
    "04_bets_and_kernels",
    "1 if they are equal, .61 if they are one *bandwidth* $\\gamma$ apart.",
    "Bumps that are far apart only add their $\\beta_a^2$. Where they overlap, equal signs make $b$ longer and "
    "opposite signs shorter.",
)
@claim(
    "bets_and_kernels/exercises",
    "One row for each p, one column for each q, 1 where they are equal.",
    "Parentheses: / 2 * g**2 divides by 2 and multiplies by γ².",
    "Divide by (2 * g**2).",
)
def test_bumps_and_their_length(seeds):
    k = REFERENCE["kernel_matrix"](np.array([0.0]), np.array([0.0, 0.2]), 0.2)[0]
    assert 1 / 2 * 0.2**2 == (1 / 2) * 0.2**2 != 1 / (2 * 0.2**2)
    assert k[0] == 1 and f"{k[1]:.2f}" == "0.61"
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        centres, beta, bandwidth = rng.random(5), rng.normal(size=5), rng.choice([0.05, 0.1, 0.3, 1.0])
        K, squared = matrix_and_length(centres, beta, bandwidth)
        np.testing.assert_allclose(REFERENCE["kernel_matrix"](centres, centres, bandwidth), K)
        np.testing.assert_allclose(sum_of_bumps(centres, centres, beta, bandwidth), K @ beta)
        assert squared == pytest.approx(beta @ K @ beta)
        assert matrix_and_length(np.arange(5.0), beta, 0.1)[1] == pytest.approx((beta**2).sum())
        signs = abs(beta)
        assert matrix_and_length(centres, signs, bandwidth)[1] > (beta**2).sum()
        assert matrix_and_length([0.4, 0.5], signs[:2] * [1, -1], 0.3)[1] < (signs[:2] ** 2).sum()


@claim(
    "04_bets_and_kernels",
    "Every sum of “bumps” is a straight line $v_0+v_1p$, with $v=(v_0,v_1)$.",
    "$$b(p)=\\langle v,\\varphi(p)\\rangle,\\qquad\\|b\\|^2=\\langle v,v\\rangle .$$",
)
@claim(
    "bets_and_kernels/exercises",
    "K has the rows (1, 1) and (1, 2): 9 · 1 − 2 · 3 · 1 + 1 · 2 = 5.",
    "By features: b is 3 (1, 0) − (1, 1) = (2, −1), so b(p) = 2 − p, of squared length 4 + 1.",
)
def test_two_features_by_hand(seeds):
    def k(p, q):
        return 1 + np.multiply.outer(p, q)

    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        centres, beta, p = rng.random(4), rng.normal(size=4), rng.random()
        v = np.array([beta.sum(), beta @ centres])
        assert k(p, centres) @ beta == pytest.approx(v @ [1, p])
        assert beta @ k(centres, centres) @ beta == pytest.approx(v @ v)
    K, beta = k(np.array([0.0, 1.0]), np.array([0.0, 1.0])), np.array([3, -1])
    assert K.tolist() == [[1, 1], [1, 2]] and beta @ K @ beta == 5 == REFERENCE["length_by_hand"]
    assert (beta @ [[1, 0], [1, 1]]).tolist() == [2, -1]


@claim("04_bets_and_kernels", "A digit paired with itself adds noise that looks like an error (notebook 08).")
def test_pairs_with_itself_look_like_an_error(seeds):
    c = digits_predictions("logistic regression").y_prob.max(axis=1)[:300]
    K, with_itself, on_other_half = REFERENCE["kernel_matrix"](c, c, 0.1), [], []
    for seed in seeds(200):
        miss = c - (np.random.default_rng(seed).random(len(c)) < c)  # of a calibrated model
        with_itself.append(miss @ K @ miss / len(c) ** 2)
        bet, _ = best_bet(REFERENCE["kernel_matrix"], c[::2], c[::2] - miss[::2], 0.1, c[1::2])
        on_other_half.append((bet * miss[1::2]).mean())
    adds = (c * (1 - c)).mean() / len(c)
    assert mean_within(with_itself, adds) and not mean_within(with_itself, 0) and mean_within(on_other_half, 0)


@claim(
    "04_bets_and_kernels",
    "The best bet is a smoothed copy of the miss. A wide kernel averages the waves away.",
    "Very narrow bumps hardly overlap",
    "Find the best bandwidth for four waves, then for one: it depends on the miss",
)
@claim(
    "bets_and_kernels/exercises",
    "The miss has four waves, and bets of bandwidth γ = .5 earn a little.",
    "Of length 1, the best bet with γ = .05 earns .0259.",
    "With γ = .5 it earns .0079, with γ = 2 .0029: a wide kernel averages over several waves.",
)
def test_waves_and_bandwidths():
    grid = (np.arange(400) + 0.5) / 400
    earns = {}
    for waves in range(1, 7):
        miss = grid - wave_world(waves, 0.15).curve(grid)
        for width in (0.005, *scenes.BANDWIDTHS):
            earns[waves, width] = np.sqrt(miss @ rbf(bandwidth=width)(grid[:, None]) @ miss) / 400
        best = max(scenes.BANDWIDTHS, key=lambda width: earns[waves, width])
        assert earns[waves, 0.005] < 0.6 * earns[waves, best] and earns[waves, 2.0] < 0.25 * earns[waves, best]
        assert best == {1: 0.2, 4: 0.05}.get(waves, best)
    assert [f"{earns[4, width]:.4f}" for width in (0.05, 0.5, 2.0)] == ["0.0259", "0.0079", "0.0029"]


@claim(
    "04_bets_and_kernels",
    "In data the SKCE is estimated by the mean over all pairs $i\\ne j$ of",
    "another bandwidth can rank two models the other way round.",
)
def test_the_bandwidth_may_turn_the_ranks_round():
    found = {}
    for name, width in itertools.product(MODELS, (0.05, 0.5)):
        digits = digits_predictions(name)
        found[name, width] = skce(digits.y_true, digits.y_prob, kernel=rbf(bandwidth=width))
        assert width == 0.05 or f"{name:15} SKCE {found[name, width]:.5f}" in printed()
    assert found["random forest", 0.5] > 1.5 * found["naive Bayes", 0.5]
    assert found["naive Bayes", 0.05] > 1.5 * found["random forest", 0.05]


@cache
def images():
    return load_digits(return_X_y=True)


def holes_of_a_split(model, seed):
    """(y, p) of 400 test images, "how many holes?", of a model trained on another split and another noise."""
    pixels, digits = images()
    pixels = pixels / 16 + 0.35 * np.random.default_rng(seed).standard_normal(pixels.shape)
    split = train_test_split(pixels, digits, test_size=0.6, stratify=digits, random_state=seed)
    p = trained(model, split[0], split[2], split[1])
    p = np.column_stack([p[:, HOLES == k].sum(axis=1) for k in range(3)])
    return HOLES[split[3]][:400], p[:400] / p[:400].sum(axis=1, keepdims=True)


def holes_of_the_lesson(model):
    predictions = hole_predictions(model, noise=0.35)
    return predictions.y_true[:400], predictions.y_prob[:400]


def arrows(y, p):
    """The witness near each corner, its component along that corner's class: > 0 points to the corner."""
    near = np.full((3, 3), 1 / 12) + 0.75 * np.eye(3)
    return np.diag(kce_witness(y, p, at=near))


def pvalue_of_the_witness(y, p, rng=SHOWN, draws=99):
    return kce_test(y, p, statistic="biased", n_resamples=draws, rng=rng).pvalue


def says_one_hole_too_often(y, p, rng=SHOWN):
    return arrows(y, p)[1] < -0.1 and pvalue_of_the_witness(y, p, rng) <= 0.05


def points_outwards(y, p, rng=SHOWN):
    return (arrows(y, p)[:2] > 0.05).all() and pvalue_of_the_witness(y, p, rng) <= 0.01 + SLACK


@claim("04_bets_and_kernels", "Naive Bayes says “one hole” too often: its arrows point away from that corner.")
def test_naive_bayes_says_one_hole_too_often(seeds):
    assert says_one_hole_too_often(*holes_of_the_lesson("naive Bayes"))
    hits = sum(says_one_hole_too_often(*holes_of_a_split("naive Bayes", k), k) for k in seeds(SPLITS))
    assert within(hits, SPLITS, 0.85, 1)  # fewer than 22 of 40 are not “most”


@claim(
    "04_bets_and_kernels",
    "The forest is under-confident: its arrows point outwards, to “no hole” and “one hole”.",
)
def test_the_forest_is_under_confident():
    y, p = holes_of_the_lesson("random forest")
    hit, c = hit_and_confidence(y, p)
    assert points_outwards(y, p) and hit.mean() > c.mean() + 0.05


@slow
@claim("04_bets_and_kernels", "Both hold on most of 20 other splits, tried in the course's tests.")
def test_the_forest_is_under_confident_on_other_splits(seeds):
    hits = sum(points_outwards(*holes_of_a_split("random forest", k), k) for k in seeds(FEW))
    assert within(hits, FEW, 0.97, 1)


@claim("04_bets_and_kernels", "Beside them: how many sets of redrawn labels have as large an error.")
def test_the_error_beside_redrawn_labels_is_the_librarys():
    for model, bandwidth in itertools.product(MODELS, (0.25, 2.0)):
        y, p = holes_of_the_lesson(model)
        kernel = laplacian(bandwidth * median_bandwidth(p))
        _, _, error, redrawn = scenes.exposed(model, bandwidth)
        found = kce_test(y, p, kernel=kernel, statistic="biased", n_resamples=99, rng=SHOWN)
        assert error**2 == pytest.approx(found.statistic)
        assert (1 + (redrawn >= error - SLACK).sum()) / 100 == pytest.approx(found.pvalue, abs=1e-9)


@claim(
    "04_bets_and_kernels",
    "A model says .5 of an event that happens half of the time.",
    "Move every score by .001, up where the event happens and down where not: "
    "$\\mathbb{E}\\,|p-r(p)|$ goes from 0 to .499.",
    "What smooth bets earn hardly changes, nor does the *smECE*",
)
def test_a_small_nudge():
    y = np.arange(1000) % 2
    p = 0.5 + 0.001 * np.where(y == 1, 1, -1)
    assert expected_calibration_error(y, p, n_bins=10) == pytest.approx(0.499)
    at = np.linspace(0, 1, 2001)  # residuals smoothed by a Gaussian that is reflected at 0 and 1
    near = sum(norm(where, 0.03).pdf(at[:, None]) for where in (p, -p, 2 - p))
    assert np.abs(near @ (y - p) / 1000).mean() < 0.03  # so the smECE, the width that is its own error, is smaller too
    for bandwidth in (0.1, 0.5):
        assert best_bet(REFERENCE["kernel_matrix"], p, y, bandwidth, p)[1] < 0.01
