"""Claims of the lesson chance."""

import math
from itertools import product

import numpy as np
import pytest
from binned import ece, top
from claim import claim
from rejections import SLACK, alarms, full_size, holds, size
from scipy.stats import binom
from seeds import mean_within, within

from calibtutor import brier_score, expected_calibration_error
from calibtutor.data.datasets import digits_predictions
from calibtutor.data.worlds import mixed_widmann_model
from calibtutor.lessons.bins import games as games_02
from calibtutor.lessons.chance import check, simulations
from calibtutor.lessons.shared.pvalues import chance_of_a_curve
from calibtutor.pvalues import rank_pvalues
from calibtutor.reproductions.blocks import stored_summary
from calibtutor.resampling import draw_labels, draw_pairs
from calibtutor.simplex import cell_of, errors_of_labels, errors_of_pairs


def redrawn_errors(model, n, draws, rng, bins=15):
    """A model's ECE on its first n digits, and those of redrawn sets of labels."""
    hit, confidence = top(model, n)
    return ece(confidence, hit, bins), ece(confidence, (rng.random((draws, n)) < confidence).astype(float), bins)


@claim(
    "03_chance",
    "an object with 80 %, a human with 0 %, an animal with 20 %.",
    "Then seven of the twenty were animals, not four.",
    "the squared distance is .005 and $R=.78$.",
    "Seven animals: chance does that one time in six. Ten: hardly ever.",
)
def test_twenty_scenes():
    promise, mass = np.array([0.80, 0, 0.20]), binom.pmf(np.arange(21), 20, 0.2)
    distance = [((promise - np.array([20 - k, 0, k]) / 20) ** 2).sum() for k in range(21)]
    chance_of = lambda observed: mass[np.array(distance) >= observed - SLACK].sum()
    assert 20 * promise[2] == 4 and round(1 / chance_of(distance[7])) == 6
    assert chance_of(distance[10]) < 0.005
    human = ((promise - np.array([15, 1, 4]) / 20) ** 2).sum()
    assert round(human, 3) == 0.005 and round(chance_of(human), 2) == 0.78


@claim(
    "03_chance",
    "For the network and all 1,079 digits about 650 of 1,000 calibrated data sets look at least as bad",
    "Now the network with the first 300 digits: some 50 of 1,000, and with the first 100 some 650.",
)
@claim(
    "chance/exercises",
    "The neural network's ECE on 1,079 digits, in 15 bins, is .010, logistic regression's is .092.",
    "how often would 1,079 digits give an ECE at least as large as .010?",
    "About 65 % of redrawn sets of labels do: a perfect model with these predictions shows .011 on average.",
    "Logistic regression, redrawn in the same way, never came above .06.",
)
def test_the_networks_error_is_what_chance_makes(seeds):
    rng, at_least = seeds.rng(1), {}
    observed, drawn = redrawn_errors("neural network", 1079, 2000, rng)
    assert round(observed, 3) == 0.010 and mean_within(drawn, 0.0105, 0.0115)
    assert within((drawn >= observed - SLACK).sum(), 2000, 0.64, 0.66)
    for n in (100, 300):
        observed, drawn = redrawn_errors("neural network", n, 2000, rng)
        at_least[n] = (drawn >= observed - SLACK).sum()
    assert within(at_least[300], 2000, 0.045, 0.06) and within(at_least[100], 2000, 0.64, 0.68)
    observed, drawn = redrawn_errors("logistic regression", 1079, 2000, rng)
    assert round(observed, 3) == 0.092 and drawn.max() <= 0.06


@claim(
    "03_chance",
    "The ECE is .126 with 15 bins *and* with 40.",
    "With 15, hardly any calibrated data set shows as much; with 40, about one in three does.",
)
def test_the_same_ece_can_be_alarming_or_expected(seeds):
    rng = seeds.rng(3)
    for bins, low, high in ((15, 0.005, 0.015), (40, 0.3, 0.38)):
        observed, drawn = redrawn_errors("logistic regression", 100, 10_000, rng, bins)
        assert round(observed, 3) == 0.126
        assert within((drawn >= observed - SLACK).sum(), 10_000, low, high)


@pytest.mark.slow
@claim(
    "03_chance",
    "each probability is cut into 10 equal pieces (0 to .1, …), and two predictions share a cell if they agree in the "
    "pieces of all classes.",
    "Redrawn labels do; redrawn pairs do not.",
    "Larger cells (5 pieces, then 2) do less harm.",
    "With replacement some predictions come twice, and about a third not at all. So redrawn pairs fill fewer "
    "cells, with more data in each, where misses partly cancel. Their errors come out too small",
)
@claim(
    "chance/exercises",
    "The models are calibrated, with five classes and n = 100 predictions each; every probability is cut into 10 "
    "pieces.",
    "A test at level 5 % redraws pairs.",
    "About seven of ten, and about one of twenty with redrawn labels.",
)
def test_redrawn_pairs_on_other_data(seeds):
    """The picture's opening n on other data sets than the picture's."""
    data_sets, many = 150, {}
    for number in range(data_sets):
        rng = seeds.rng(4, number)
        y, p = mixed_widmann_model(0, 100, n_classes=5, rng=rng)
        labels, (rows, their) = draw_labels(p, 99, rng), draw_pairs(p, 99, rng)
        for pieces in (2, 5, 10):
            cell = cell_of(p, pieces)
            observed = errors_of_labels(cell, p, y[:, None])
            kept, drawn = errors_of_labels(cell, p, labels), errors_of_pairs(cell, p, rows, their)
            ranks = [rank_pvalues(np.append(observed, each))[0] for each in (drawn, kept)]
            fewer = len(np.unique(cell)) - len(np.unique(cell[rows[:, 0]]))
            many.setdefault(pieces, []).append([*ranks, kept.mean() - drawn.mean(), fewer])
    assert abs((1 - 1 / 100) ** 100 - 1 / 3) < 0.04  # not drawn at all
    by = {pieces: np.transpose(found) for pieces, found in many.items()}
    assert all(within(alarms(each[1]), data_sets, 0.02, 0.05) for each in by.values())  # ties: at most the level
    assert within(alarms(by[2][0]), data_sets, 0.02, 0.1) and within(alarms(by[5][0]), data_sets, 0.4, 0.6)
    assert alarms(by[5][0]) + 10 < alarms(by[10][0]) and within(alarms(by[10][0]), data_sets, 0.6, 0.8)
    assert all(not mean_within(by[pieces][k], -100, 0) for pieces in (5, 10) for k in (2, 3))


@claim(
    "chance/exercises",
    "in a published setting (n = 250, 10 pieces) redrawing pairs rejects each of 10,000 calibrated data sets, "
    "redrawing labels only 5 % of them.",
)
def test_consistency_resampling_at_full_size():
    assert stored_summary("widmann")["n"] == 250 and full_size()["M1"]["data_sets"] == 10_000
    assert size("M1", "C") == 1 and round(size("M1", "exact ECE"), 2) == 0.05


@claim(
    "03_chance",
    "Count all 27",
    "three predictions, (.7, .2, .1), (.25, .6, .15) and (.3, .3, .4), and all 27 label vectors.",
    "the labels 0, 1, 2 have .7 · .6 · .4.",
    "Left: the 27 vectors in the order of the statistic.",
    "each class has two bins, for probabilities up to ½ and above it, and an ECE of its own",
    "**The staircase touches the diagonal and never crosses it.**",
    "So at level 5 % at most 5 % of calibrated data sets are rejected, with three predictions already.",
    "the order changes, and the staircase still does not cross.",
)
def test_counting(seeds):
    rng, p = seeds.rng(6), np.array([[0.7, 0.2, 0.1], [0.25, 0.6, 0.15], [0.3, 0.3, 0.4]])
    assert simulations.THREE == p.tolist()
    vectors = list(product(range(3), repeat=3))
    mass = np.array([math.prod(p[i, k] for i, k in enumerate(vector)) for vector in vectors])
    assert len(vectors) == 27 and mass[vectors.index((0, 1, 2))] == pytest.approx(0.7 * 0.6 * 0.4)
    shown = [[simulations.STATISTICS[name](p, np.array(v)) for v in vectors] for name in simulations.STATISTICS]
    for value in [*shown, *rng.integers(0, 9, (20, 27))]:  # and any other
        value = np.array(value)
        pvalue = np.array([mass[value >= each - SLACK].sum() for each in value])
        reached = np.array([mass[pvalue <= level + SLACK].sum() for level in pvalue])
        np.testing.assert_allclose(reached, pvalue, atol=1e-9)  # touches, at every R there is
        levels = np.linspace(0, 1, 401)
        assert all(mass[pvalue <= level].sum() <= level + 1e-9 for level in [*levels, 0.05])


@claim(
    "chance/exercises",
    "Rain on one day gives .3, on no day .8, on both .2.",
    "At least .3: two vectors of .8 · .2 = .16 each, and one of .2 · .2 = .04.",
    "The observed statistic is |.8 − .5|.",
    "Rain on one of two days comes in two orders, each with .8 · .2.",
)
def test_four_vectors_by_hand():
    gives, mass = zip(*[(abs(0.8 - (a + b) / 2), [0.2, 0.8][a] * [0.2, 0.8][b]) for a, b in product((0, 1), repeat=2)],
                      strict=True)  # fmt: skip
    assert np.allclose(gives, [0.8, 0.3, 0.3, 0.2]) and np.allclose(mass, [0.04, 0.16, 0.16, 0.64])
    wrong = sorted(each.answer for each in check.by_hand.mistakes)
    assert np.allclose(wrong, [mass[0], mass[0] + mass[1], mass[1] + mass[2], mass[3]])


@claim(
    "03_chance",
    "In the game of notebook 02 the rule $R \\le .05$, with 100 draws of the ECE, is right for more than nineteen "
    "models of twenty.",
)
def test_hidden_models(seeds):
    many, right = 300, 0
    for turn in seeds(many):
        y, p, bins, is_calibrated = games_02.hidden_model(turn)
        redrawn = (np.random.default_rng([turn, 1]).random((100, len(p))) < p).astype(float)
        above = np.sum(ece(p, redrawn, bins) >= ece(p, y.astype(float), bins) - SLACK)
        right += ((1 + above) / 101 <= 0.05) != is_calibrated
    assert within(right, many, 0.95, 1)


@claim(
    "03_chance",
    "they are under-confident, so they pay *less* than with redrawn labels, and only large values count against a "
    "model.",
)
def test_under_confident_models_pay_less(seeds):
    """Twenty models whose labels follow sharpened predictions."""
    by_brier, by_ece = [], []
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet(np.ones(3), 300)
        sharp = p**3 / (p**3).sum(axis=1, keepdims=True)
        y, redrawn = draw_labels(sharp, 1, rng)[:, 0], draw_labels(p, 99, rng)
        for found, statistic in ((by_brier, brier_score), (by_ece, expected_calibration_error)):
            found.append(rank_pvalues(np.array([statistic(each, p) for each in (y, *redrawn.T)]))[0])
    assert min(by_brier) > 0.9 and max(by_ece) < 0.1


@claim("03_chance", "For 1,079 digits", "with 199 of them an $R$ of .03 has a standard error of .012.")
def test_what_few_draws_know():
    assert len(digits_predictions("neural network").y_true) == 1079
    assert round(np.sqrt(0.03 * 0.97 / 199), 3) == 0.012


@claim(
    "03_chance",
    "You test at $n$ = 100, at 200, at 300, …, at 1,000, and stop at the first $R \\le .05$.",
    "Each look alone rejects about 5 % of calibrated models, three looks about a tenth, ten looks about a fifth.",
)
@claim(
    "chance/exercises",
    "You look at n = 100, 200, …, 1,000 and stop at the first R ≤ .05.",
    "Each look alone rejects about 5 %.",
    "Ten independent looks would make 1 − .95¹⁰ = 40 %, but each look has the rows of the looks before it in its data, "
    "so their alarms often come together.",
    "The chance of any false alarm is at most the sum, 4 · .0125 = .05, however the looks depend on each other.",
    "Then each look alone spends the whole 5 %.",
    "That is the sum of four looks at 5 % each.",
    "It must be at most 5 % altogether.",
)
def test_ten_looks_by_other_means(seeds):
    """Other data and another error: 12 predictions, each in a cell of its own, so a look needs only counts."""
    data_sets, B, rng, pvalues = 600, 99, seeds.rng(8), []
    for _ in range(data_sets):
        kinds = rng.dirichlet(np.ones(3), 12)
        kind = rng.integers(12, size=1000)
        labels = (rng.random((1000, B + 1)) < kinds[kind, :1]).astype(np.float32)
        member = np.eye(12, dtype=np.float32)[kind].reshape(10, 100, 12).transpose(0, 2, 1)
        misses = np.cumsum(member @ (labels - kinds[kind, :1].astype(np.float32)).reshape(10, 100, -1), axis=0)
        values = np.abs(misses).sum(axis=1)
        pvalues.append((values >= values[:, :1] - 1e-4).mean(axis=1))
    assert round(1 - 0.95**10, 2) == 0.40 and holds(pvalues)
    three, ten = (alarms(np.min(np.array(pvalues)[:, :looks], axis=1)) for looks in (3, 10))
    assert within(ten, data_sets, 0.17, 0.23) and within(three, data_sets, 0.09, 0.13)
    four = alarms(np.min(np.array(pvalues)[:, :4], axis=1), 0.0125)
    assert 4 * 0.0125 == 0.05 and within(four, data_sets, 0, 0.05)


@claim("03_chance", "(Armitage, McPherson and Rowe found the same for means of normal data in 1969.)")
def test_looks_at_normal_means(seeds):
    """A t-like test with known variance, as theirs: 10.7 % after three looks, 19.3 % after ten."""
    sums = np.cumsum(seeds.rng(9).standard_normal((20_000, 10)), axis=1) / np.sqrt(np.arange(1, 11))
    gone = np.logical_or.accumulate(np.abs(sums) > 1.959964, axis=1).sum(axis=0)
    assert within(gone[0], 20_000, 0.05) and within(gone[2], 20_000, 0.107) and within(gone[9], 20_000, 0.193)


@claim(
    "03_chance",
    "Several visits of one patient are not, and raise more false alarms.",
    "On training data, or with predictions of cross-validation, $R$ is not exact",
)
def test_dependent_labels_and_used_labels(seeds):
    alone, visits, trained, crossed = [], [], [], []
    for number in range(300):
        rng = seeds.rng(10, number)
        c = np.repeat(rng.random(60), 5)  # five visits of each patient, with one prediction
        null = ece(c, (rng.random((99, 300)) < c).astype(float), 10)
        for u, found in ((rng.random(300), alone), (np.repeat(rng.random(60), 5), visits)):
            found.append(rank_pvalues(np.append(ece(c, (u < c) * 1.0, 10), null))[0])
        # The share of hits, learnt from these labels: from all of them, or from all but a row's own fifth.
        y = (rng.random(100) < 0.5).astype(float)
        others = np.repeat((y.sum() - y.reshape(5, 20).sum(axis=1)) / 80, 20)
        for c, found in ((np.full(100, y.mean()), trained), (others, crossed)):
            null = ece(c, (rng.random((99, 100)) < c).astype(float), 10)
            found.append(rank_pvalues(np.append(ece(c, y, 10), null))[0])
    assert within(alarms(alone), 300, 0.03, 0.05) and not within(alarms(visits), 300, 0, 0.1)
    assert min(trained) > 0.9 and within(alarms(crossed), 300, 0.14, 0.21)


@claim("03_chance", "A test that holds its level stays near the diagonal, in the grey.")
def test_the_band_of_chance(seeds):
    rng, n, inside = seeds.rng(5), 100, 0
    polygon = chance_of_a_curve(n)
    (x, low), high = polygon[:101].T, polygon[:100:-1, 1]
    for _ in range(3000):
        R = np.sort(rng.random(n))
        above, below = np.interp(R, x, high) - np.arange(1, n + 1) / n, np.arange(n) / n - np.interp(R, x, low)
        inside += min(above.min(), below.min()) > -1e-9
    assert within(inside, 3000, 0.945, 0.955)


@claim("03_chance", "few draws cost power, not level.")
def test_few_draws_cost_power(seeds):
    """A model with an error: R from 19 draws, which rejects if none of them reaches its ECE, and from 499."""
    lost, level = [], []
    for number in range(1000):
        rng = seeds.rng(7, number)
        c, u = rng.random(100), rng.random((501, 100))
        null = ece(c, (u[2:] < c).astype(float), 5)
        labels = u[0] < c, u[1] < c + 0.22 * np.sin(2 * np.pi * c)
        right, wrong = ((null >= ece(c, each.astype(float), 5) - SLACK).mean() for each in labels)
        lost.append((wrong <= 0.05) - (1 - wrong) ** 19)
        level.append((1 - right) ** 19)
    assert not mean_within(lost, -1, 0) and mean_within(level, 0.05)
