"""Claims of the lesson notions."""

import itertools
from dataclasses import replace

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
from worlds_of_notions import REFERENCE

from calibtutor.data.datasets import (
    HOLES,
    MODELS,
    digits_cast,
    digits_predictions,
    digits_split,
    hole_predictions,
)
from calibtutor.data.worlds import FiniteWorld
from calibtutor.lessons.notions.exercises import check
from calibtutor.lessons.notions.scenes import (
    TEMPERATURES,
    accuracy_and_calibration,
    by_ink,
    error_of_every_notion,
    stands_out,
    what_diagrams_show,
)
from calibtutor.lessons.notions.worlds import light_and_dark, murphy_world
from calibtutor.lessons.shared.worlds import WORLDS, six_permutations, trade_lower

FOREST, NOISE = "random forest", 0.35
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


def bold_bins(y_true, y_prob, n_bins=10):
    """In how many bins of ten digits or more confidence exceeds the share of hits by two standard errors."""
    hit, confidence = hit_and_confidence(y_true, y_prob)
    which = np.ceil(confidence * n_bins)
    found = 0
    for each in np.unique(which):
        said, right = confidence[which == each], hit[which == each]
        found += len(said) >= 10 and (said - right).sum() > 2 * np.sqrt((said * (1 - said)).sum())
    return found


def cells_that_stand_out(y_true, y_prob):
    """In how many cells of ten digits or more a class misses by more than three standard errors, and how many are."""
    found = [
        (abs(said - happens) > 3 * np.sqrt(said * (1 - said) / len(rows))).any()
        for rows, said, happens in cells(y_true, y_prob, 10)
    ]
    return sum(found), len(found)


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
    "The forest's arrows point outwards: on average it is too modest (it says .66 and is right .80 of "
    "the time), and a reliability diagram shows that.",
    "Now look at the three long arrows to the top.",
    "There the forest says *none* with .50, and 33 of these 36 digits had *two* holes: it is over-confident where on "
    "average it is too modest.",
    "A diagram of the top label pools these digits with the rest and does not show it.",
)
def test_arrows_of_the_forest():
    forest = hole_predictions(FOREST, noise=NOISE)
    y_true, y_prob = forest.y_true, forest.y_prob
    hit, confidence = hit_and_confidence(y_true, y_prob)
    assert round(confidence.mean(), 2) == 0.66 and round(hit.mean(), 2) == 0.80
    three = longest(cells(y_true, y_prob), 3)
    assert all(is_from_none_to_two(cell) for cell in three)
    rows = np.concatenate([cell[0] for cell in three])
    assert len(rows) == 36 and (y_true[rows] == 2).sum() == 33
    assert y_prob[rows, 0].mean() == pytest.approx(0.50, abs=0.005) and (y_true[rows] == 0).mean() < 0.1
    # Outwards: where none or one hole is said most and happens most, it happens more often than it is said.
    others = [cell for cell in cells(y_true, y_prob, 30) if not is_from_none_to_two(cell)]
    assert len(others) > 5 and all(happens[happens.argmax()] > said[happens.argmax()] for _, said, happens in others)
    assert bold_bins(y_true, y_prob) == 0


@pytest.mark.slow
@claim(
    "01_notions",
    "The forest's arrows point outwards: on average it is too modest",
    "(No accident: in most other splits of the images the two longest arrows are of this kind.)",
    "A diagram of the top label pools these digits with the rest and does not show it.",
)
def test_arrows_of_the_forest_in_other_splits(seeds):
    modest, of_this_kind, bold = [], 0, []
    for seed in seeds(40):
        y_true, y_prob = holes(another_split(FOREST, seed, NOISE))
        hit, confidence = hit_and_confidence(y_true, y_prob)
        modest.append(hit.mean() - confidence.mean())
        of_this_kind += all(is_from_none_to_two(cell) for cell in longest(cells(y_true, y_prob), 2))
        bold.append(bold_bins(y_true, y_prob))
    assert min(modest) > 0.05  # .13 ± .01 over splits
    assert within(of_this_kind, 40, 0.85, 1)  # seen in 58 of 60 splits: at least 21 of 40, more than half
    assert mean_within(bold, 0, 0.4)  # of five or six bins


@claim("01_notions", "the network is now over-confident, and in logistic regression hardly an arrow stands out")
@claim("notions/scenes", "misses by over 3 standard errors", "the largest miss over 3 standard errors")
def test_noise_changes_roles():
    for name, stand_out, over in (("logistic regression", 0, False), ("neural network", 4, True)):
        noisy = hole_predictions(name, noise=NOISE)
        hit, confidence = hit_and_confidence(noisy.y_true, noisy.y_prob)
        assert (confidence.mean() - hit.mean() > 0.05) == over
        found, of = cells_that_stand_out(noisy.y_true, noisy.y_prob)
        assert (found >= stand_out if stand_out else found == 0) and of > 5
        rows, said, happens = map(list, zip(*cells(noisy.y_true, noisy.y_prob), strict=True))
        drawn = stands_out(np.array(said), np.array(happens), np.array(list(map(len, rows))))
        assert (drawn is not None) == bool(found)


@claim("01_notions", "the two longest rest on 7 and on 5 digits")
def test_the_longest_arrows_of_logistic_regression():
    noisy = hole_predictions("logistic regression", noise=NOISE)
    found = longest(cells(noisy.y_true, noisy.y_prob), 3)
    lengths = [np.linalg.norm(happens - said) for _, said, happens in found]
    assert [len(rows) for rows, *_ in found[:2]] == [7, 5] and lengths[1] > 1.5 * lengths[2]


@claim("01_notions", "in logistic regression hardly an arrow stands out")
def test_logistic_regression_on_noise_in_other_splits(seeds):
    splits = [cells_that_stand_out(*holes(another_split("logistic regression", seed, NOISE))) for seed in seeds(20)]
    assert mean_within([found / of for found, of in splits], 0, 0.1)


@pytest.mark.slow
@claim("01_notions", "the network is now over-confident, and in")
def test_the_network_on_noise_in_other_splits(seeds):
    for seed in seeds(20):
        hit, confidence = hit_and_confidence(*holes(another_split("neural network", seed, NOISE)))
        assert confidence.mean() - hit.mean() > 0.02  # .08 ± .01 over splits


@claim(
    "01_notions",
    "the model is wrong about two of three classes for every single prediction, and its top-label diagram is perfect.",
    "“Each class” sees it.",
    "But now choose **six permutations**: the model says (.1, .3, .6) in each of the six orders.",
    "Half of them are too shy, half too bold, and for each class the two cancel: both diagrams are perfect, and for "
    "$t > 0$ no arrow is zero.",
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
    "**Find for every arrow a world in which its converse fails.**",
    "An arrow that leads from a red box to a blue one shows that its converse fails.",
    "there is no arrow from class-wise to top label.",
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
    "With two classes three of the notions agree (canonical, class-wise, top label with its class), up to "
    "a factor that has confused papers and code",
    "predictions (.3, .7) that should be (.4, .6), and as many (.7, .3) "
    "that should be (.8, .2), are all said with .7, are right .6 and .8 of the time, and cancel.",
)
def test_two_classes(seeds):
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        found = errors(FiniteWorld(rng.dirichlet(np.ones(5)), rng.dirichlet([1, 1], 5), rng.dirichlet([1, 1], 5)))
        halves = found["canonical"] / 2
        assert found["class-wise"] == pytest.approx(halves) and found["top-label-per-class"] == pytest.approx(halves)
    world = FiniteWorld([0.5, 0.5], [[0.3, 0.7], [0.7, 0.3]], [[0.4, 0.6], [0.8, 0.2]])
    top = world.predictions.argmax(axis=1)
    assert world.predictions.max(axis=1).tolist() == [0.7, 0.7]
    assert world.frequencies[[0, 1], top].tolist() == [0.6, 0.8]
    found = errors(world)
    assert found["top-label"] < 1e-15 and found["top-label-per-class"] == pytest.approx(0.01)


@claim(
    "01_notions",
    "At power 1 merging keeps every promise and gives up sharpness; at the end the model says the same to "
    "everybody, is perfectly calibrated and pays all of chance.",
    "Exaggerating leaves sharpness alone, since inputs are told apart as before, and costs calibration.",
    "(Powers below 1 are too modest.",
    "At any power but 1, merging moves the red bar as well.)",
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
    assert (abs(np.diff(calibration[:, ~one], axis=0)) > 2e-5).all()  # every step of merging moves it
    assert np.ptp(murphy_world(4, 1).predictions, axis=0).max() < 1e-12


@claim(
    "notions/exercises",
    "Calibration 0, sharpness 0, chance 1 − Σ .1² = .9: the constant model pays all of the chance.",
    "That is .1 · .9, the chance of one class against the rest.",
    "That is (1 − .1)², the cost in the true class; the other nine add .1² each.",
)
def test_brier_of_the_constant():
    says, happens = np.full(10, 0.1), np.full(10, 0.1)
    costs = (says - np.eye(10)) ** 2
    exercise = next(each for each in check if each.name == "brier_of_constant")
    assert happens @ costs.sum(axis=1) == pytest.approx(0.9) == exercise.reference
    assert costs[0, 0] == pytest.approx(0.81) and costs[0, 1:] == pytest.approx(0.1**2)
    assert 0.1 * 0.9 == pytest.approx(0.09)  # an event of rate .1, forecast .1, costs its variance


@claim(
    "01_notions",
    "the pale dots are the places that the chosen model reaches for temperatures from ¼ to 8.",
    "At $T = ¼$ the forest has less than a tenth of its error: its fault was mostly its tone of voice.",
    "The decision tree cannot move at all (it says 0 or 1, and powers leave those alone).",
)
@claim("notions/exercises", "The ranking of the classes stays, so the accuracy stays.")
@claim("notions/scenes", "digits, 15 bins")
def test_temperatures():
    assert (min(TEMPERATURES), max(TEMPERATURES)) == (1 / 4, 8)
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
        if name == "decision tree":
            assert np.ptp(found) < 1e-12 and set(np.unique(each.y_prob)) == {0, 1}


@pytest.mark.slow
@claim("01_notions", "At $T = ¼$ the forest has less than a tenth of its error: its fault was mostly its tone")
def test_temperatures_of_the_forest_in_other_splits(seeds):
    less = 0
    for seed in seeds(20):
        found = errors_at_temperatures(another_split(FOREST, seed))
        less += found[TEMPERATURES.index(1 / 4)] < found[TEMPERATURES.index(1)] / 10
    assert within(less, 20, 0.95, 1)


@claim(
    "01_notions",
    "And far to the left is a model that knows nothing, says “10 % each”, and has the smallest error of "
    "all: whichever class it names, that class is 9.6 to 10.2 % of the digits.",
)
@claim("notions/scenes", "“10% each” for every digit")
def test_the_model_that_knows_nothing():
    y_true = digits_predictions().y_true
    share = np.bincount(y_true) / len(y_true)
    assert round(100 * share.min(), 1) == 9.6 and round(100 * share.max(), 1) == 10.2
    constant = np.full((len(y_true), 10), 0.1)
    assert ece(y_true, constant) == pytest.approx(abs(0.1 - share[0]))  # it names the first of equals
    worst = abs(0.1 - share).max()
    assert worst < min(min(errors_at_temperatures(each)) for each in digits_cast().values())


@pytest.mark.slow
@claim("01_notions", "says “10 % each”, and has the smallest error of")
def test_the_model_that_knows_nothing_in_other_splits(seeds):
    smallest = 0
    for seed in seeds(20):
        cast = [another_split(name, seed) for name in MODELS]
        worst = abs(0.1 - np.bincount(cast[0].y_true) / len(cast[0].y_true)).max()
        smallest += worst < min(min(errors_at_temperatures(each)) for each in cast)
    assert within(smallest, 20, 0.95, 1)


@claim(
    "01_notions",
    "Suppose a model of two classes says (.3, .7) to everyone, and the second is true for .9 of the light "
    "digits and, there being equally many, .5 of the dark ones: it is canonically calibrated, and "
    "wrong for every digit.",
)
def test_calibrated_and_wrong_for_everyone():
    says, of_light, of_dark = [0.3, 0.7], [0.1, 0.9], [0.5, 0.5]
    world = FiniteWorld([0.5, 0.5], [says, says], [of_light, of_dark])
    assert world.calibration_error() < 1e-15
    assert (abs(world.conditionals - world.predictions) > 0.1).all()


@claim(
    "01_notions",
    "The lightest quarter of naive Bayes stands out, but look at the bars",
    "with four groups of some 270 digits this may be chance (p = .09, from a χ² test of equal gaps).",
    "Eight groups look worse (p = .01), but five models in two to eight groups are 35 tests, and in a random order of "
    "the digits the smallest of these 35 p-values is below .01 in about one case of five.",
    "(In the digits' own order the smallest is the forest's: p = .00003 with seven groups, as in fewer than one random "
    "order in a hundred.)",
)
def test_gaps_by_ink(seeds):
    bayes = digits_predictions()
    gap, _ = gaps_by_ink(bayes, 4)
    assert gap.argmax() == 0 and round(len(bayes.ink) / 4, -1) == 270
    assert round(p_of_equal_gaps(*gaps_by_ink(bayes, 4)), 2) == 0.09
    assert round(p_of_equal_gaps(*gaps_by_ink(bayes, 8)), 2) == 0.01
    looks = [(each, groups) for each in digits_cast().values() for groups in range(2, 9)]
    assert len(looks) == 35
    smallest, of = min((p_of_equal_gaps(*gaps_by_ink(*look)), (look[0].name, look[1])) for look in looks)
    assert of == ("random forest", 7) and round(smallest, 5) == 0.00003
    found = []
    for seed in seeds(200):
        order = np.random.default_rng([64, seed]).random(len(bayes.ink))
        shuffled = [(replace(each, ink=order), groups) for each, groups in looks]
        found.append(min(p_of_equal_gaps(*gaps_by_ink(*look)) for look in shuffled))
    found = np.array(found)
    assert within((found < 0.01).sum(), 200, 0.17, 0.25)  # .22 in 500 orders
    assert within((found <= smallest).sum(), 200, 0, 0.01)  # 1 of 500


@claim("notions/scenes", "digits by how much ink they have; black bars: ± 2 standard errors")
def test_bars_of_ink():
    shown = by_ink().set(model="naive Bayes", groups=4)
    low, high = np.transpose([bar[:, 1] for bar in shown.artists["bars"].get_segments()])
    gap, error = gaps_by_ink(digits_predictions(), 4)
    np.testing.assert_allclose([low, high], [gap - 2 * error, gap + 2 * error])


@claim("01_notions", "Each dot on the right is one of 1,079 predictions")
def test_predictions_of_the_triangle():
    assert len(hole_predictions(noise=NOISE).y_prob) == len(digits_split(NOISE)[3]) == 1079
    assert len(HOLES) == 10


@claim(
    "01_notions",
    "For two classes the Brier score is twice the cost of notebook 00, and the variance of the "
    "outcome there becomes, on "
    "average and doubled, chance − sharpness here.)",
)
def test_two_classes_count_twice(seeds):
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        weights, p, r = rng.dirichlet(np.ones(5)), rng.random(5), rng.random(5)
        world = FiniteWorld(weights, np.column_stack([1 - p, p]), np.column_stack([1 - r, r]))
        cost = weights @ (r * (p - 1) ** 2 + (1 - r) * p**2)
        brier = world.expectation(lambda p, e: ((p - e) ** 2).sum(axis=-1))
        spread = world.frequencies - world.marginal
        chance, sharpness = 1 - world.marginal @ world.marginal, weights @ (spread**2).sum(axis=1)
        assert brier == pytest.approx(2 * cost) and chance - sharpness == pytest.approx(2 * weights @ (r * (1 - r)))


@claim(
    "01_notions",
    "These are the numbers in the lowest box of the ladder, at strength 1.",
    "where a confidence occurs once, the hit rate of its group is one label, and the function charges a calibrated "
    "model for its chance as well.",
)
def test_the_error_of_the_top_label_in_worlds_and_on_data(seeds):
    for name in WORLDS:
        world = WORLDS[name](1.0)
        top = world.predictions.argmax(axis=1)
        right = world.conditionals[np.arange(len(top)), top]
        found = REFERENCE["top_label_error"](world.weights, world.predictions.max(axis=1), right)
        assert np.sqrt(found) == pytest.approx(error_of_every_notion(name, 1.0)["top label"], abs=1e-12)
        assert found == pytest.approx(world.calibration_error("top-label"), abs=1e-15)
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        c = rng.uniform(0.5, 1, 500)
        hit = rng.random(500) < c  # calibrated
        charged = REFERENCE["top_label_error"](np.full(500, 1 / 500), c, hit)
        assert charged == pytest.approx((c * (1 - c)).mean(), abs=0.05) and charged > 0.1


@claim(
    "01_notions",
    "sort them by the model's *answer* alone, ten groups of some hundred digits, in which $r$ can be counted.",
    "Chance costs .900 there;",
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


@claim("01_notions", "In the known world each gap is many times its error.")
def test_the_known_world_by_ink():
    known = light_and_dark()
    gap, error = gaps_by_ink(known, 4)
    assert (abs(gap) > 5 * error).all() and (gap[:2] < 0).all() and (gap[2:] > 0).all()
    hit = known.y_true[np.argsort(known.ink, kind="stable")]
    assert hit[:540].mean() == pytest.approx(0.9, abs=0.04) and hit[540:].mean() == pytest.approx(0.5, abs=0.06)
    assert set(map(tuple, known.y_prob)) == {(0.3, 0.7)}


@pytest.mark.parametrize(("said", "happens"), [(0.7, 0.9), (0.7, 0.5), (0.9, 0.77)])
def test_two_standard_errors_cover_a_gap(said, happens, seeds):
    covered = 0
    for seed in seeds(1000):
        hit = np.random.default_rng(seed).random(270) < happens
        gap, error = REFERENCE["gap_and_error"](np.full(270, said), hit)
        covered += abs(gap - (said - happens)) <= 2 * error
    assert within(covered, 1000, 0.94, 0.96)
