"""Claims of the lesson notions."""

import itertools

import numpy as np
import pytest
from claim import claim
from seeds import mean_within, within
from splits import another_split, ece, hit_and_confidence, holes

from calibtutor.data.datasets import digits_cast, digits_predictions, hole_predictions
from calibtutor.data.worlds import FiniteWorld
from calibtutor.lessons.notions import scenes
from calibtutor.lessons.notions.exercises import check, guess
from calibtutor.lessons.notions.scenes import TEMPERATURES, errors_of, murphy_parts, what_diagrams_show
from calibtutor.lessons.notions.worlds import WORLDS, murphy_world, six_permutations, trade_lower

FOREST, NOISE = "random forest", 0.35
REFERENCE = {each.name: each.reference for each in check}
NAMES = {"top label and its class": "top-label-per-class", "top label": "top-label"}


def errors_at_temperatures(predictions):
    return [ece(predictions.y_true, REFERENCE["temper"](predictions.y_prob, t)) for t in TEMPERATURES]


def cells(y_true, y_prob, least=5):
    """The triangle's cells, four a side, from the longest arrow on: (members, mean prediction, frequencies)."""
    _, cell = np.unique(np.minimum((4 * y_prob).astype(int), 3), axis=0, return_inverse=True)
    members = [np.flatnonzero(cell.ravel() == each) for each in range(cell.max() + 1)]
    found = [(i, y_prob[i].mean(axis=0), np.bincount(y_true[i], minlength=3) / len(i)) for i in members]
    large = (each for each in found if len(each[0]) >= least)
    return sorted(large, key=lambda each: -np.linalg.norm(each[2] - each[1]))


def is_from_none_to_two(cell):
    """Whether an arrow starts where no hole is said most, and two holes happen most."""
    return cell[1].argmax() == 0 and cell[2].argmax() == 2


def over_confident_bins(y_true, y_prob, n_bins=10):
    """In how many bins of ten digits or more confidence exceeds the share of hits by two standard errors."""
    hit, confidence = hit_and_confidence(y_true, y_prob)
    which = np.ceil(confidence * n_bins)
    found = 0
    for each in np.unique(which):
        said, right = confidence[which == each], hit[which == each]
        found += len(said) >= 10 and (said - right).sum() > 2 * np.sqrt((said * (1 - said)).sum())
    return found


def errors(world):
    """The mean squared error of each notion."""
    return {NAMES.get(notion, notion): error**2 for notion, error in errors_of(world).items()}


@claim("01_notions", "none (1, 2, 3, 4, 5, 7), one (0, 6, 9) or two (8)?",
       "“one hole” gets what the forest gives to 0, 6 and 9 together.")
def test_holes_of_the_digits():
    digits, holes_of = (f(FOREST, noise=NOISE) for f in (digits_predictions, hole_predictions))
    for k, with_so_many in enumerate(([1, 2, 3, 4, 5, 7], [0, 6, 9], [8])):
        np.testing.assert_allclose(holes_of.y_prob[:, k], digits.y_prob[:, with_so_many].sum(axis=1), atol=1e-12)
        assert sorted(set(digits.y_true[holes_of.y_true == k])) == with_so_many


@claim("notions/scenes", "over 3 standard errors", "01_notions",
       "There the forest gives most to *no hole*, and 33 of these 36 digits had *two*: it is over-confident.")
def test_arrows_of_the_forest():
    forest = hole_predictions(FOREST, noise=NOISE)
    y_true, y_prob = forest.y_true, forest.y_prob
    hit, confidence = hit_and_confidence(y_true, y_prob)
    assert confidence.mean() < hit.mean() - 0.1
    three = cells(y_true, y_prob)[:3]
    assert all(is_from_none_to_two(cell) for cell in three)
    rows = np.concatenate([cell[0] for cell in three])
    assert len(rows) == 36 and (y_true[rows] == 2).sum() == 33
    assert (y_true[rows] == 0).mean() < 0.1
    # Outwards: where none or one hole is said most and happens most, it happens more often than it is said.
    others = [cell for cell in cells(y_true, y_prob, 30) if not is_from_none_to_two(cell)]
    assert len(others) > 5 and all(happens[happens.argmax()] > said[happens.argmax()] for _, said, happens in others)
    assert over_confident_bins(y_true, y_prob) == 0
    said, happened, count = scenes.arrows()
    i, k = scenes.stands_out(said, happened, count)
    assert abs(said - happened)[i, k] > 3 * np.sqrt(said[i, k] * (1 - said[i, k]) / count[i])


@pytest.mark.slow
@claim("01_notions",
       "Most arrows point outwards: on average the forest is under-confident, and a reliability diagram shows that.",
       "A reliability diagram pools these digits with the rest and does not show it.")
def test_arrows_of_the_forest_in_other_splits(seeds):
    under, of_this_kind, over = [], 0, []
    for seed in seeds(20):
        y_true, y_prob = holes(another_split(FOREST, seed, NOISE))
        hit, confidence = hit_and_confidence(y_true, y_prob)
        under.append(hit.mean() - confidence.mean())
        of_this_kind += all(is_from_none_to_two(cell) for cell in cells(y_true, y_prob)[:2])
        over.append(over_confident_bins(y_true, y_prob))
    assert min(under) > 0.05  # .13 ± .01 over splits
    # Seen in 58 of 60 splits: the two longest arrows go to the top.
    assert within(of_this_kind, 20, 0.9, 1, refuses=0.5)
    assert mean_within(over, 0, 0.4, refuses=1)  # of five or six bins


@claim("01_notions", "the model is wrong about two of three classes for every single prediction, and its top-label "
       "diagram is perfect.", "Both diagrams are perfect, and for $t > 0$ no arrow is zero.")
def test_perfect_diagonals():
    world = trade_lower(1)
    assert ((abs(world.frequencies - world.predictions) > 1e-9).sum(axis=1) == 2).all()
    found = errors(world)
    assert found["top-label"] < 1e-15 < 1e-3 < found["class-wise"]
    for t in np.arange(1, 21) / 20:
        world = six_permutations(t)
        assert sorted(map(tuple, world.predictions.round(9))) == sorted(itertools.permutations((0.1, 0.3, 0.6)))
        top = world.predictions.argmax(axis=1)
        miss = (world.frequencies - world.predictions)[np.arange(6), top]
        assert (miss > 0).sum() == (miss < 0).sum() == 3
        found = errors(world)
        assert max(found["top-label"], found["class-wise"]) < 1e-15
        assert np.linalg.norm(world.frequencies - world.predictions, axis=1).min() > 0.05 * t
        for said, happens in what_diagrams_show(world):
            np.testing.assert_allclose(said, happens, rtol=0, atol=1e-12)


@claim("01_notions", "**For every arrow, find a world in which it starts at a red box and ends at a blue one**",
       "notions/exercises", "class-wise calibration does not imply top-label calibration.")
def test_converses_fail():
    found = [errors(world(1.0)) for world in WORLDS.values()]
    implies = [("canonical", "class-wise"), ("canonical", "top-label-per-class"), ("top-label-per-class", "top-label")]
    for strong, weak in implies:
        assert any(each[weak] < 1e-15 and each[strong] > 1e-3 for each in found)
        assert all(each[strong] > 1e-15 or each[weak] < 1e-15 for each in found)
    assert any(each["class-wise"] < 1e-15 and each["top-label"] > 1e-3 for each in found)


@claim("01_notions", "At power 1 merging keeps the model calibrated and gives up sharpness.",
       "Exaggerating leaves sharpness alone, since inputs are told apart as before, and costs calibration.",
       "notions/exercises",
       "Calibration 0, sharpness 0, chance 1 − (.6² + .3² + .1²) = .54: its Brier score equals chance.",
       "That is .6 · .4, for the first class against the rest.",
       "A model says .7, and it rains on 4 of 10 such days.", "(.7 − .4)² = .09")
def test_the_two_dials_and_the_constant():
    assert (0.7 - 4 / 10) ** 2 == pytest.approx(0.09)
    happens = np.array([[0.6, 0.3, 0.1]])
    parts = murphy_parts(FiniteWorld([1.0], happens, happens))
    assert parts == pytest.approx((0.54, 0, 0, 0.54)) and REFERENCE["brier_of_constant"] == pytest.approx(0.54)
    powers = np.arange(4, 31) / 10
    found = np.array([[murphy_parts(murphy_world(merge, power))[1:3] for power in powers] for merge in range(5)])
    one, sharpness, calibration = powers == 1, *np.moveaxis(found, 2, 0)
    assert calibration[:, one].max() < 1e-15 and (calibration[:, ~one] > 1e-5).all()
    assert (np.diff(sharpness[:, one], axis=0) < -0.01).all() and sharpness[-1].max() < 1e-15
    assert np.ptp(sharpness, axis=1).max() < 1e-12


@claim("01_notions", "A temperature never changes which class is ranked first, so accuracy stays.",
       "At $T = 1/4$ the forest has less than a tenth of its error: most of its error was under-confidence.",
       "notions/scenes", "digits, 15 bins")
@pytest.mark.parametrize("elsewhere", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_temperatures(elsewhere, seeds):
    less = 0
    for seed in seeds(20) if elsewhere else [0]:  # the course's own split
        each = another_split(FOREST, seed)
        found = errors_at_temperatures(each)
        assert (REFERENCE["temper"](each.y_prob, 0.25).argmax(axis=1) == each.y_prob.argmax(axis=1)).all()
        less += found[TEMPERATURES.index(1 / 4)] < found[TEMPERATURES.index(1)] / 10
    assert within(less, 20, 0.95, 1, refuses=0.5) if elsewhere else less


@claim("01_notions", "It says “10 % each” of every digit, and has the smallest calibration error in the picture.",
       "notions/scenes", "“10% each” for every digit")
def test_the_model_that_knows_nothing():
    y_true = digits_predictions().y_true
    share = np.bincount(y_true) / len(y_true)
    constant = np.full((len(y_true), 10), 0.1)
    assert ece(y_true, constant) == pytest.approx(abs(0.1 - share[0]))  # it names the first of equals
    worst = abs(0.1 - share).max()
    assert worst < min(min(errors_at_temperatures(each)) for each in digits_cast().values())


@claim("notions/exercises", "A model says (.3, .7) of every digit.",
       "The second class is true of 90 % of the light half and of 50 % of the dark half.",
       "Of all digits with this prediction, 70 % have the second class, as it says.", "01_notions", "The model is "
       "canonically calibrated, and wrong for every single digit: its .7 is too little for the light ones and too much "
       "for the dark ones.")
def test_calibrated_and_wrong_for_every_digit():
    says, of_light, of_dark = [0.3, 0.7], [0.1, 0.9], [0.5, 0.5]
    world = FiniteWorld([0.5, 0.5], [says, says], [of_light, of_dark])
    assert max(errors(world).values()) < 1e-15 and world.frequencies[0][1] == pytest.approx(0.7)
    assert (abs(world.conditionals - world.predictions) > 0.1).all()
    assert says[1] < of_light[1] and says[1] > of_dark[1] and guess.same_for_all().answer == "none"
