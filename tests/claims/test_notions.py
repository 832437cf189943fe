"""Claims of the lesson notions."""

import itertools

import numpy as np
import pytest
from claim import claim
from scipy.special import log_softmax
from scipy.stats import chi2
from seeds import mean_within, within
from splits import (
    another_split,
    ece,
    hit_and_confidence,
    holes,
)

from calibtutor.data.datasets import (
    HOLES,
    digits_cast,
    digits_predictions,
    digits_split,
    hole_predictions,
)
from calibtutor.data.worlds import FiniteWorld
from calibtutor.lessons.notions.exercises import check, guess
from calibtutor.lessons.notions.scenes import (
    TEMPERATURES,
    accuracy_and_calibration,
    by_ink,
    stands_out,
    what_diagrams_show,
)
from calibtutor.lessons.notions.worlds import light_and_dark, murphy_world
from calibtutor.lessons.shared.worlds import WORLDS, six_permutations, trade_lower

FOREST, NOISE = "random forest", 0.35
REFERENCE = {each.name: each.reference for each in check}
NOTIONS = "canonical", "class-wise", "top-label-per-class", "top-label"


def at_temperature(y_prob, temperature):
    return np.exp(log_softmax(np.log(np.maximum(y_prob, 1e-300)) / temperature, axis=1))


def errors_at_temperatures(predictions):
    return [ece(predictions.y_true, at_temperature(predictions.y_prob, t)) for t in TEMPERATURES]


def cells(y_true, y_prob, least=5):
    """The triangle's cells, four a side: rows (members, mean prediction, frequencies)."""
    key = np.minimum((4 * y_prob).astype(int), 3)
    members = [np.flatnonzero((key == each).all(axis=1)) for each in np.unique(key, axis=0)]
    return [
        (rows, y_prob[rows].mean(axis=0), np.bincount(y_true[rows], minlength=3) / len(rows))
        for rows in members
        if len(rows) >= least
    ]


def longest(found, count):
    """The cells of the longest arrows."""
    return sorted(found, key=lambda cell: -np.linalg.norm(cell[2] - cell[1]))[:count]


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


def cells_that_stand_out(y_true, y_prob):
    """In how many cells of ten digits or more a class misses by more than three standard errors."""
    return sum(
        (abs(said - happens) > 3 * np.sqrt(said * (1 - said) / len(rows))).any()
        for rows, said, happens in cells(y_true, y_prob, 10)
    )


def gaps_by_ink(predictions, n_groups):
    """Mean gap and its standard error, from the digits of least ink to those of most."""
    hit, confidence = hit_and_confidence(predictions.y_true, predictions.y_prob)
    parts = np.array_split((confidence - hit)[np.argsort(predictions.ink, kind="stable")], n_groups)
    return np.array([(part.mean(), part.std(ddof=1) / len(part) ** 0.5) for part in parts]).T


def p_of_equal_gaps(gap, error):
    centre = np.average(gap, weights=error**-2)
    return chi2.sf((((gap - centre) / error) ** 2).sum(), len(gap) - 1)


def errors(world):
    return {notion: world.calibration_error(notion) for notion in NOTIONS}


@claim("01_notions", "none (1, 2, 3, 4, 5, 7), one (0, 6, 9) or two (8)?")
def test_holes_of_the_digits():
    y_true, digits = hole_predictions().y_true, digits_predictions().y_true
    assert [sorted(set(digits[y_true == k])) for k in range(3)] == [[1, 2, 3, 4, 5, 7], [0, 6, 9], [8]]


@claim(
    "01_notions",
    "Most arrows point outwards: on average the forest is under-confident, and a reliability diagram shows that.",
    "But look at the three long arrows to the top.",
    "There the forest gives most to *no hole*, and 33 of these 36 digits had *two*: it is over-confident.",
    "A reliability diagram pools these digits with the rest and does not show it.",
)
def test_arrows_of_the_forest():
    forest = hole_predictions(FOREST, noise=NOISE)
    y_true, y_prob = forest.y_true, forest.y_prob
    hit, confidence = hit_and_confidence(y_true, y_prob)
    assert confidence.mean() < hit.mean() - 0.1
    three = longest(cells(y_true, y_prob), 3)
    assert all(is_from_none_to_two(cell) for cell in three)
    rows = np.concatenate([cell[0] for cell in three])
    assert len(rows) == 36 and (y_true[rows] == 2).sum() == 33
    assert (y_true[rows] == 0).mean() < 0.1
    # Outwards: where none or one hole is said most and happens most, it happens more often than it is said.
    others = [cell for cell in cells(y_true, y_prob, 30) if not is_from_none_to_two(cell)]
    assert len(others) > 5 and all(happens[happens.argmax()] > said[happens.argmax()] for _, said, happens in others)
    assert over_confident_bins(y_true, y_prob) == 0


@claim("notions/scenes", "misses by over 3 standard errors", "bold: the largest miss", "over 3 standard errors")
def test_what_stands_out():
    for name in ("logistic regression", "neural network", FOREST):
        noisy = hole_predictions(name, noise=NOISE)
        rows, said, happens = map(list, zip(*cells(noisy.y_true, noisy.y_prob), strict=True))
        drawn = stands_out(np.array(said), np.array(happens), np.array(list(map(len, rows))))
        assert (drawn is not None) == (cells_that_stand_out(noisy.y_true, noisy.y_prob) > 0) == (name[0] != "l")


@pytest.mark.slow
@claim(
    "01_notions",
    "Most arrows point outwards: on average the forest is under-confident, and a reliability diagram shows that.",
    "A reliability diagram pools these digits with the rest and does not show it.",
)
def test_arrows_of_the_forest_in_other_splits(seeds):
    under, of_this_kind, over = [], 0, []
    for seed in seeds(20):
        y_true, y_prob = holes(another_split(FOREST, seed, NOISE))
        hit, confidence = hit_and_confidence(y_true, y_prob)
        under.append(hit.mean() - confidence.mean())
        of_this_kind += all(is_from_none_to_two(cell) for cell in longest(cells(y_true, y_prob), 2))
        over.append(over_confident_bins(y_true, y_prob))
    assert min(under) > 0.05  # .13 ± .01 over splits
    assert within(of_this_kind, 20, 0.85, 1)  # seen in 58 of 60 splits: the two longest arrows go to the top
    assert mean_within(over, 0, 0.4)  # of five or six bins


@claim(
    "01_notions",
    "the model is wrong about two of three classes for every single prediction, and its top-label diagram is perfect.",
    "The diagram of each class, which has a dot for every value of $p_k$, sees the error.",
    "Half of the time it is over-confident about its answer, half of the time under-confident, and for each class the "
    "two cancel.",
    "Both diagrams are perfect, and for $t > 0$ no arrow is zero.",
)
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


@claim(
    "01_notions",
    "**For every arrow, find a world in which it leads from a red box to a blue one**: there its converse fails.",
)
@claim("notions/exercises", "class-wise calibration does not imply top-label calibration.")
def test_converses_fail():
    found = [errors(world(1.0)) for world in WORLDS.values()]
    implies = [("canonical", "class-wise"), ("canonical", "top-label-per-class"), ("top-label-per-class", "top-label")]
    for strong, weak in implies:
        assert any(each[weak] < 1e-15 and each[strong] > 1e-3 for each in found)
        assert all(each[strong] > 1e-15 or each[weak] < 1e-15 for each in found)
    hidden = errors(WORLDS["hidden top"](1.0))
    assert hidden["class-wise"] < 1e-15 and hidden["top-label"] > 1e-3


@claim(
    "01_notions",
    "At power 1 merging keeps the model calibrated and gives up sharpness.",
    "After the last step it says the same of all inputs: it is perfectly calibrated, and its Brier score equals "
    "chance.",
    "Exaggerating leaves sharpness alone, since inputs are told apart as before, and costs calibration.",
    "Powers below 1 make the model under-confident, which costs too.",
)
def test_the_two_dials():
    powers = np.arange(4, 31) / 10
    found = np.empty((5, len(powers), 2))  # calibration and sharpness
    for merge, (k, power) in itertools.product(range(5), enumerate(powers)):
        world = murphy_world(merge, power)
        spread = world.frequencies - world.weights @ world.frequencies
        found[merge, k] = world.calibration_error(), world.weights @ (spread**2).sum(axis=1)
    one = powers == 1
    calibration, sharpness = found[..., 0], found[..., 1]
    assert calibration[:, one].max() < 1e-15 and (calibration[:, ~one] > 1e-5).all()
    for side, sign in ((powers < 1.05, -1), (powers > 0.95, 1)):  # the further from 1, the dearer
        assert (sign * np.diff(calibration[:, side], axis=1) > 0).all()
    assert (np.diff(sharpness[:, one], axis=0) < -0.01).all() and sharpness[-1].max() < 1e-15
    assert np.ptp(sharpness, axis=1).max() < 1e-12
    for power in powers:
        p, r = (getattr(murphy_world(0, power), each) for each in ("predictions", "frequencies"))
        over = (p.max(axis=1) - r[np.arange(16), p.argmax(axis=1)]).mean()
        assert np.sign(round(over, 9)) == np.sign(round(power - 1, 9))
    assert np.ptp(murphy_world(4, 1).predictions, axis=0).max() < 1e-12


@claim(
    "notions/exercises",
    "Calibration 0, sharpness 0, chance 1 − (.6² + .3² + .1²) = .54: its Brier score equals chance.",
    "That is .6 · .4, for the first class against the rest.",
    "That is the cost if the first class happens, .4² + .3² + .1².",
)
def test_brier_of_the_constant():
    says = happens = np.array([0.6, 0.3, 0.1])
    costs = (says - np.eye(3)) ** 2
    exercise = next(each for each in check if each.name == "brier_of_constant")
    assert happens @ costs.sum(axis=1) == pytest.approx(0.54) == exercise.reference
    assert costs[0].sum() == pytest.approx(0.4**2 + 0.3**2 + 0.1**2) == 0.26
    assert happens @ happens == pytest.approx(0.46) and 0.6 * 0.4 == pytest.approx(0.24)


@claim(
    "01_notions",
    "A temperature never changes which class is ranked first, so accuracy stays.",
    "At $T = 1/4$ the forest has less than a tenth of its error: most of its error was under-confidence.",
)
@claim("notions/exercises", "The ranking of the classes stays, so the accuracy stays.")
@claim("notions/scenes", "digits, 15 bins")
def test_temperatures():
    shown = accuracy_and_calibration()
    for name, each in digits_cast().items():
        found = errors_at_temperatures(each)
        for t, error in zip(TEMPERATURES, found, strict=True):
            assert (at_temperature(each.y_prob, t).argmax(axis=1) == each.y_prob.argmax(axis=1)).all()
            if t in (0.25, 5.0):
                assert f"{error:.3f}" in shown.set(model=name, temperature=t).headline
        at_one = found[TEMPERATURES.index(1)]
        if name == FOREST:
            assert TEMPERATURES[0] == 1 / 4 and found[0] < at_one / 10


@pytest.mark.slow
@claim("01_notions", "At $T = 1/4$ the forest has less than a tenth of its error: most of its error was under-confid")
def test_temperatures_of_the_forest_in_other_splits(seeds):
    less = 0
    for seed in seeds(20):
        found = errors_at_temperatures(another_split(FOREST, seed))
        less += found[TEMPERATURES.index(1 / 4)] < found[TEMPERATURES.index(1)] / 10
    assert within(less, 20, 0.95, 1)


@claim("01_notions", "It says “10 % each” of every digit, and has the smallest calibration error in the picture.")
@claim("notions/scenes", "“10% each” for every digit")
def test_the_model_that_knows_nothing():
    y_true = digits_predictions().y_true
    share = np.bincount(y_true) / len(y_true)
    constant = np.full((len(y_true), 10), 0.1)
    assert ece(y_true, constant) == pytest.approx(abs(0.1 - share[0]))  # it names the first of equals
    worst = abs(0.1 - share).max()
    assert worst < min(min(errors_at_temperatures(each)) for each in digits_cast().values())


@claim(
    "notions/exercises",
    "A model says (.3, .7) of every digit.",
    "The second class is true of 90 % of the light half and of 50 % of the dark half.",
    "Of all digits with this prediction, 70 % have the second class, as it says.",
)
@claim("01_notions", "The model is canonically calibrated, and wrong for every single digit.")
def test_calibrated_and_wrong_for_every_digit():
    says, of_light, of_dark = [0.3, 0.7], [0.1, 0.9], [0.5, 0.5]
    world = FiniteWorld([0.5, 0.5], [says, says], [of_light, of_dark])
    assert max(errors(world).values()) < 1e-15 and world.frequencies[0][1] == pytest.approx(0.7)
    assert (abs(world.conditionals - world.predictions) > 0.1).all()
    assert by_ink().values["model"] == "known world" and guess.same_for_all().answer == "none"
    known = light_and_dark()
    hit = known.y_true[np.argsort(known.ink, kind="stable")]
    assert hit[:540].mean() == pytest.approx(0.9, abs=0.04) and hit[540:].mean() == pytest.approx(0.5, abs=0.06)
    assert set(map(tuple, known.y_prob)) == {(0.3, 0.7)}
    gap, error = gaps_by_ink(known, 4)
    assert (abs(gap) > 5 * error).all() and (gap[:2] < 0).all() and (gap[2:] > 0).all()


@claim(
    "01_notions", "Its lightest quarter stands out, but the black bars are long, and such differences may be chance."
)
def test_the_lightest_quarter_of_naive_bayes():
    gap, error = gaps_by_ink(digits_predictions(), 4)
    assert gap.argmax() == 0 and p_of_equal_gaps(gap, error) > 0.05
    assert by_ink().set(model="naive Bayes").headline.endswith("may be chance")


@claim("notions/scenes", "digits by ink; black bars: ± 2 standard errors")
def test_bars_of_ink():
    shown = by_ink().set(model="naive Bayes", groups=4)
    low, high = np.transpose([bar[:, 1] for bar in shown.artists["bars"].get_segments()])
    gap, error = gaps_by_ink(digits_predictions(), 4)
    np.testing.assert_allclose([low, high], [gap - 2 * error, gap + 2 * error])


@claim(
    "01_notions",
    "The dots on the right are a forest's predictions of 1,079 digits; for each class the probabilities of its digits "
    "are added.",
)
def test_predictions_of_the_triangle():
    assert len(hole_predictions(noise=NOISE).y_prob) == len(digits_split(NOISE)[3]) == 1079
    assert len(HOLES) == 10
    ten, three = (f(FOREST, noise=NOISE).y_prob for f in (digits_predictions, hole_predictions))
    np.testing.assert_allclose(three, np.transpose([ten[:, HOLES == k].sum(axis=1) for k in range(3)]), atol=1e-12)


@claim(
    "01_notions",
    "With two classes both entries of $p$ miss by the same amount, so squared errors of the vector are twice those of "
    "one number (errata G21): the Brier score is twice the cost of notebook 00.",
)
def test_two_classes_count_twice(seeds):
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        weights, p, r = rng.dirichlet(np.ones(5)), rng.random(5), rng.random(5)
        world = FiniteWorld(weights, np.column_stack([1 - p, p]), np.column_stack([1 - r, r]))
        cost = weights @ (r * (p - 1) ** 2 + (1 - r) * p**2)
        brier = world.expectation(lambda p, e: ((p - e) ** 2).sum(axis=-1))
        assert brier == pytest.approx(2 * cost)
        assert world.calibration_error() == pytest.approx(2 * weights @ (p - r) ** 2)


@claim(
    "01_notions",
    "That leaves ten groups of some hundred digits, in which $r$ can be counted.",
)
def test_what_the_answer_alone_saves():
    for name, each in digits_cast().items():
        answer = each.y_prob.argmax(axis=1)
        groups = np.bincount(answer, minlength=10)
        assert len(groups) == 10 and groups.min() > 90 and groups.max() < 130
        share = np.bincount(each.y_true) / len(answer)
        assert f"{1 - share @ share:.3f}" == "0.900"
        r = np.array([np.bincount(each.y_true[answer == k], minlength=10) / groups[k] for k in range(10)])
        saved = REFERENCE["sharpness"](groups / len(answer), r)
        own = np.eye(10)[each.y_true] - r[answer]  # what is left to pay if r of the answer is said
        assert saved == pytest.approx(1 - share @ share - (own**2).sum(axis=1).mean()), name


@claim("notions/exercises", "Raising to the power 1/T keeps the order of the classes")
def test_a_temperature_keeps_the_order():
    for each in digits_cast().values():
        for temperature in TEMPERATURES:
            found = REFERENCE["temper"](each.y_prob, temperature)
            np.testing.assert_allclose(found, at_temperature(each.y_prob, temperature), atol=1e-12)
            assert (found.argmax(axis=1) == each.y_prob.argmax(axis=1)).all()
