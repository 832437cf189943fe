"""Claims of the lesson bets_and_kernels."""

import itertools

import numpy as np
import pytest
from binned import top
from claim import claim
from seeds import as_shown, within
from splits import another_split, holes

from calibtutor import kce_test, laplacian, median_bandwidth, rbf
from calibtutor.chance.pvalues import rank_pvalues
from calibtutor.data.datasets import hole_predictions
from calibtutor.data.worlds import wave_world
from calibtutor.errors.kce import kce_witness
from calibtutor.estimates.binning import expected_calibration_error
from calibtutor.lessons.bets_and_kernels import scenes
from calibtutor.lessons.bets_and_kernels.exercises import check
from calibtutor.lessons.bets_and_kernels.scenes import MISSED_BY, SAID, best_bet, best_bets, earned, matrix_and_length

REFERENCE = {each.name: each.reference for each in check}
SHOWN, SLACK = as_shown(0), 1e-12


@claim("04_bets_and_kernels",
       "Six probabilities are said equally often. On average they are right; which of them are too high is hidden.",
       "The best of *all* bets between −1 and 1 is the sign of the miss $p-r(p)$. It earns $\\mathbb{E}\\,|p-r(p)|$",
       "bets_and_kernels/exercises", "The misses p − r are −.2, 0 and .2, the bets −.6, 0 and .6:",
       "(.12 + 0 + .12)/3 = .08.", "K has the rows (1, 1) and (1, 2): 9 · 1 − 2 · 3 · 1 + 1 · 2 = 5.",
       "By features: b is 3 (1, 0) − (1, 1) = (2, −1), so b(p) = 2 − p, of squared length 4 + 1.",
       "The misses are −.2, .6 and .6, so the pairs have −.06, −.06 and .36: their mean is .08.",
       "The best bet earns its root, about .28.", "Of 99 redrawn sets of labels 4 have an ECE at least as large as the "
       "observed one.", "The observed set counts itself:", "(1 + 4)/100",
       "bets_and_kernels/scenes", "your bets where the model says .1, .25, … .9")
def test_six_bets_and_two_features_by_hand():
    p = np.array(SAID)
    r = p - MISSED_BY
    assert p[:2].tolist() == [0.1, 0.25] and p[-1] == 0.9 and (0 <= r).all() and (r <= 1).all()
    best = max(itertools.product([-1, 0, 1], repeat=6), key=lambda bets: earned(np.array(bets), p, r)[0])
    assert list(best) == best_bets(p, r).tolist()
    assert earned(np.array(best), p, r) == pytest.approx([abs(p - r).mean()] * 2)
    assert abs(earned(np.ones(6), p, r)[0]) < 1e-15
    said, happens = np.array([0.2, 0.5, 0.8]), np.array([0.4, 0.5, 0.6])
    assert ((said - happens) * (2 * said - 1)).mean() == pytest.approx(0.08)
    phi, beta = np.array([[1, 0], [1, 1]]), np.array([3, -1])
    assert (phi @ phi.T).tolist() == [[1, 1], [1, 2]] and beta @ phi @ phi.T @ beta == 5 == REFERENCE["length_by_hand"]
    assert (beta @ phi).tolist() == [2, -1]
    miss, k = np.array([0.8, 0.6, 0.6]) - [1, 0, 0], np.array([[1, 0.5, 0.5], [0.5, 1, 1], [0.5, 1, 1]])
    pairs = (k * np.outer(miss, miss))[np.triu_indices(3, 1)]
    assert pairs == pytest.approx([-0.06, -0.06, 0.36]) and round(np.sqrt(pairs.mean()), 2) == 0.28
    assert rank_pvalues(np.repeat([5.0, 4.0, 6.0], [1, 95, 4]))[0] == pytest.approx((1 + 4) / 100)


@claim("04_bets_and_kernels", "1 if they are equal, .61 if they are one *bandwidth* $\\gamma$ apart.", "If bumps are "
       "far apart, $\\|b\\|^2$ is just the sum of the $\\beta_a^2$. Where they overlap, equal signs make $b$ "
       "longer and opposite signs shorter.", "bets_and_kernels/exercises",
       "Parentheses: / 2 * g**2 divides by 2 and multiplies by γ².",
       "Divide by (2 * g**2).")
def test_bumps_and_their_length(seeds):
    k = REFERENCE["kernel_matrix"](np.array([0.0]), np.array([0.0, 0.2]), 0.2)[0]
    assert k[0] == 1 and f"{k[1]:.2f}" == "0.61" and 1 / 2 * 0.2**2 != 1 / (2 * 0.2**2)
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        centres, beta = rng.random(5), rng.normal(size=5)
        squared = matrix_and_length(centres, beta, 0.2)[1]
        assert squared == pytest.approx(beta @ REFERENCE["kernel_matrix"](centres, centres, 0.2) @ beta)
        assert matrix_and_length(np.arange(5.0), beta, 0.1)[1] == pytest.approx((beta**2).sum())
        assert matrix_and_length(centres, abs(beta), 0.2)[1] > (beta**2).sum()
        assert matrix_and_length([0.4, 0.5], abs(beta[:2]) * [1, -1], 0.3)[1] < (beta[:2] ** 2).sum()


@claim("04_bets_and_kernels", "Few bumps copy the labels of their digits: the bet earns much on these, and less on "
       "others. With half of all digits the two numbers nearly agree.")
@pytest.mark.parametrize("model", ["random forest", "logistic regression"])
def test_few_bumps_copy_labels(model, seeds):
    hit, confidence = top(model)
    for n, low, high in ((3, 0.05, 1), (540, -0.03, 0.03)):
        falls = []
        for seed in seeds(20):
            order = np.random.default_rng(seed).permutation(len(hit))
            (h, others), (c, at) = (np.split(each[order], [n]) for each in (hit, confidence))
            bet, earns = best_bet(REFERENCE["kernel_matrix"], c, h, 0.1, at)
            falls.append(earns - (bet * (at - others)).mean())
        assert low < np.mean(falls) < high


@claim("04_bets_and_kernels", "The best bet is a smoothed copy of the miss. A wide kernel averages the waves away.",
       "Find the best bandwidth for four waves, then for one: it depends on the miss",
       "bets_and_kernels/exercises", "The miss has four waves, and bets of bandwidth γ = .5 earn a little.",
       "Of length 1, the best bet with γ = .05 earns .0259.",
       "With γ = .5 it earns .0079, with γ = 2 .0029: a wide kernel averages over several waves.")
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


def is_wrong_there(model, y, p, seed):
    """Whether naive Bayes says “one hole” too often and the forest points outwards, by the witness and its p-value."""
    y, p, near = y[:400], p[:400], np.full((3, 3), 1 / 12) + 0.75 * np.eye(3)
    arrows = np.diag(kce_witness(y, p, at=near))  # near each corner along its class: > 0 points to it
    pvalue = kce_test(y, p, statistic="biased", n_resamples=99, rng=seed).pvalue
    if model == "naive Bayes":
        return arrows[1] < -0.1 and pvalue <= 0.05
    return (arrows[:2] > 0.05).all() and pvalue <= 0.01 + SLACK


@claim("04_bets_and_kernels", "Naive Bayes says “one hole” too often: its arrows point away from that corner.",
       "The forest is under-confident: its arrows point outwards, to “no hole” and “one hole”.",
       "Both hold on most of 20 other splits.")
@pytest.mark.parametrize("elsewhere", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", ["naive Bayes", "random forest"])
def test_where_a_model_is_wrong(model, elsewhere, seeds):
    if elsewhere:
        hits = sum(is_wrong_there(model, *holes(another_split(model, seed, 0.35)), seed) for seed in seeds(20))
        assert within(hits, 20, 0.85, 1, refuses=0.5)
    else:
        digits = hole_predictions(model, noise=0.35)
        assert is_wrong_there(model, digits.y_true, digits.y_prob, SHOWN)


@claim("04_bets_and_kernels", "Beside them: how many sets of redrawn labels have as large an error.")
def test_the_error_beside_redrawn_labels_is_the_librarys():
    for model, bandwidth in itertools.product(("random forest", "naive Bayes", "neural network"), (0.25, 2.0)):
        y, p, _ = scenes.hole_data(model)
        kernel = laplacian(bandwidth * median_bandwidth(p))
        _, _, error, redrawn = scenes.exposed(model, bandwidth)
        found = kce_test(y, p, kernel=kernel, statistic="biased", n_resamples=99, rng=SHOWN)
        assert error**2 == pytest.approx(found.statistic)
        assert (1 + (redrawn >= error - SLACK).sum()) / 100 == pytest.approx(found.pvalue, abs=1e-9)


@claim("04_bets_and_kernels", "A model says .5 of an event that happens half of the time.",
       "Add .001 to the prediction if the event happens, subtract it if not: $\\mathbb{E}\\,|p-r(p)|$ goes from 0 "
       "to .499.", "What smooth bets earn hardly changes (Błasiok et al.).")
def test_a_small_nudge():
    y = np.arange(1000) % 2
    p = 0.5 + 0.001 * np.where(y == 1, 1, -1)
    assert expected_calibration_error(y, p, n_bins=10) == pytest.approx(0.499)
    for bandwidth in (0.1, 0.5):
        assert best_bet(REFERENCE["kernel_matrix"], p, y, bandwidth, p)[1] < 0.01
