"""Claims of the lesson chance."""

from itertools import product

import numpy as np
import pytest
from binned import ece, top
from claim import claim
from rejections import SLACK, alarms, holds
from seeds import mean_within, within

from calibtutor.chance.pvalues import rank_pvalues
from calibtutor.lessons.chance import check, simulations
from calibtutor.lessons.chance.scenes import PROMISE, SCENES, as_far_off
from calibtutor.lessons.shared.pvalues import chance_of_a_curve


def redrawn_errors(model, n, draws, rng, bins=15):
    """A model's ECE on its first n digits, and those of redrawn sets of labels."""
    hit, confidence = top(model, n)
    return ece(confidence, hit, bins), ece(confidence, (rng.random((draws, n)) < confidence).astype(float), bins)


@claim("03_chance", "an object with 80 %, a human with 0 %, an animal with 20 %.",
       "Then seven of the twenty were animals, not four.",
       "But one human changes the squared distance only a little: $R=.78$.",
       "Seven animals: chance does that one time in six. Ten: hardly ever.", "chance/exercises",
       "A model is .9 sure of 40 digits and gets 30 of them right.", "30/40 = .75 happened: .15 too much was said")
def test_twenty_scenes():
    far = {(animals, humans): as_far_off(animals, humans) for animals, humans in ((7, 0), (10, 0), (4, 1))}
    assert round(1 / far[7, 0][4]) == 6 and far[10, 0][4] < 0.005
    assert round(far[4, 1][2], 3) == 0.005 and round(far[4, 1][4], 2) == 0.78
    assert SCENES * PROMISE[2] == 4 and PROMISE == (0.8, 0, 0.2) and 0.9 - 30 / 40 == pytest.approx(0.15)


@claim("03_chance", "For the network and all 1,079 digits about 650 of 1,000 calibrated data sets look at least as bad",
       "Now take the first 300 digits alone: the network looks suspicious, as only some 50 of 1,000 sets reach its "
       "ECE.", "With the first 100 it does not: some 650 do.",
       "with 199 of them an $R$ of .03 has a standard error of .012.", "chance/exercises",
       "The neural network's ECE on 1,079 digits, in 15 bins, is .010, logistic regression's is .092.",
       "About 65 % of redrawn sets of labels do: a perfect model with these predictions shows .011 on average.",
       "Logistic regression, redrawn in the same way, never came above .06.")
def test_the_networks_error_is_what_chance_makes(seeds):
    rng = seeds.rng(1)
    observed, drawn = redrawn_errors("neural network", 1079, 2000, rng)
    assert len(top("neural network")[0]) == 1079 and round(np.sqrt(0.03 * 0.97 / 199), 3) == 0.012
    assert round(observed, 3) == 0.010 and mean_within(drawn, 0.0105, 0.0117, refuses=(0.01, 0.0125))
    assert within((drawn >= observed - SLACK).sum(), 2000, 0.64, 0.66, refuses=(0.6, 0.7))
    for n, low, high, other in ((100, 0.65, 0.68, (0.6, 0.75)), (300, 0.05, 0.06, (0.025, 0.1))):
        observed, drawn = redrawn_errors("neural network", n, 2000, rng)
        assert within((drawn >= observed - SLACK).sum(), 2000, low, high, refuses=other)
    observed, drawn = redrawn_errors("logistic regression", 1079, 2000, rng)
    assert round(observed, 3) == 0.092 and drawn.max() <= 0.06


@claim("03_chance", "Redrawn labels do; redrawn pairs do not.", "Choose 5 pieces, then 2: the cells are "
       "larger, and false alarms are fewer.",
       "With three classes (.71, .22, .07) and (.75, .21, .04) share one;", "(.69, .22, .09) lies in another.",
       "chance/exercises", "The models are calibrated, with five classes and n = 100 predictions each; every "
       "probability is cut into 10 pieces.", "About seven of ten, and about one of twenty with redrawn labels.")
def test_redrawn_pairs():
    """In the picture's data sets."""
    pairs, labels = np.transpose([alarms(simulations.redrawn(100, pieces).T) for pieces in (2, 5, 10)])
    assert simulations.REDRAW_SETS == 200 and simulations.REDRAW_CLASSES == 5 and labels[:2].max() <= 10
    cells = np.floor(10 * np.array([[0.71, 0.22, 0.07], [0.75, 0.21, 0.04], [0.69, 0.22, 0.09]])).tolist()
    assert cells[0] == cells[1] != cells[2]
    assert pairs[0] < pairs[1] < pairs[2] and 0.65 < pairs[2] / 200 < 0.75 and 0.04 < labels[2] / 200 < 0.07


@claim("03_chance", "three predictions, (.7, .2, .1), (.25, .6, .15) and (.3, .3, .4), and all 27 label vectors.",
       "the labels 0, 1, 2 have .7 · .6 · .4.",
       "chance/exercises", "Rain on one day gives .3, on no day .8, on both .2.",
       "At least .3: two vectors of .8 · .2 = .16 each, and one of .2 · .2 = .04.",
       "The observed statistic is |.8 − .5|.")
def test_counting():
    labels, mass, _ = simulations.every_label_vector(simulations.brier_score)
    assert len(labels) == 27 and mass[(labels == [0, 1, 2]).all(axis=1)] == pytest.approx(0.7 * 0.6 * 0.4)
    assert simulations.THREE == [[0.7, 0.2, 0.1], [0.25, 0.6, 0.15], [0.3, 0.3, 0.4]]
    a, b = np.transpose(list(product((0, 1), repeat=2)))  # rain on the first day, on the second
    gives, mass = np.abs(0.8 - (a + b) / 2), np.where(a, 0.8, 0.2) * np.where(b, 0.8, 0.2)
    assert np.allclose(gives, [0.8, 0.3, 0.3, 0.2]) and np.allclose(mass, [0.04, 0.16, 0.16, 0.64])
    wrong = sorted(each.answer for each in check.by_hand.mistakes)
    sums = [mass[0], mass[1], mass[3], mass[0] + mass[1], mass[1] + mass[2], mass[0] + mass[3], 1 - mass[0]]
    assert np.allclose(wrong, sorted([*sums, 1, gives[1], np.mean(gives >= gives[1] - 1e-9)]))


@claim("03_chance", "You test at $n$ = 100, at 200, at 300, …, at 1,000, and stop at the first $R \\le .05$.",
       "Each look alone rejects about 5 % of calibrated models, three looks about a tenth, ten looks about a fifth.",
       "chance/exercises", "You look at n = 100, 200, …, 1,000 and stop at the first R ≤ .05.",
       "Each look alone rejects about 5 %.", "Ten independent looks would make 1 − .95¹⁰ = 40 %, but each look has the "
       "rows of the looks before it in its data, so their alarms often come together.",
       "The chance of any false alarm is at most the sum, 4 · .0125 = .05, however the looks depend on each other.",
       "Then each look alone spends the whole 5 %.", "That is the sum of four looks at 5 % each.",
       "It must be at most 5 % altogether.")
def test_ten_looks():
    """In the picture's data sets."""
    pvalues = simulations.at_each_look()
    one, three, ten = (simulations.rejected_so_far(pvalues, 0.05)[:, look].mean() for look in (0, 2, 9))
    assert round(1 - 0.95**10, 2) == 0.40 and holds(pvalues) and (round(three, 1), round(ten, 1)) == (0.1, 0.2)
    assert 4 * 0.0125 == 0.05 and simulations.rejected_so_far(pvalues, 0.0125)[:, 3].mean() < 0.05 < 0.07 > one


@claim("03_chance", "On training data, or with predictions of cross-validation, $R$ is not exact")
def test_used_labels(seeds):
    trained, crossed = [], []
    for number in range(300):
        rng = seeds.rng(10, number)
        # The share of hits, learnt from these labels: from all of them, or from all but a row's own fifth.
        y = (rng.random(100) < 0.5).astype(float)
        others = np.repeat((y.sum() - y.reshape(5, 20).sum(axis=1)) / 80, 20)
        for c, found in ((np.full(100, y.mean()), trained), (others, crossed)):
            null = ece(c, (rng.random((99, 100)) < c).astype(float), 10)
            found.append(rank_pvalues(np.append(ece(c, y, 10), null))[0])
    assert min(trained) > 0.9 and within(alarms(crossed), 300, 0.16, 0.22, refuses=(0.05, 0.35))


@claim("03_chance", "A test that holds its level stays near the diagonal, in the grey band.")
def test_the_band_of_chance(seeds):
    rng, n, inside = seeds.rng(5), 100, 0
    polygon = chance_of_a_curve(n)
    (x, low), high = polygon[:101].T, polygon[:100:-1, 1]
    for _ in range(3000):
        R = np.sort(rng.random(n))
        above, below = np.interp(R, x, high) - np.arange(1, n + 1) / n, np.arange(n) / n - np.interp(R, x, low)
        inside += min(above.min(), below.min()) > -1e-9
    assert within(inside, 3000, 0.945, 0.955, refuses=(0.92, 0.98))
