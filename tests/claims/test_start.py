"""What notebook 00 says, computed."""

import numpy as np
import pytest
from claim import claim
from scipy.stats import binom
from seeds import mean_within, within
from splits import another_split, hit_and_confidence

from calibtutor.data.datasets import digits_cast, digits_predictions, digits_split
from calibtutor.lessons import discover
from calibtutor.lessons.start import derivations, guess
from calibtutor.lessons.start.scenes import FOUR, PROMISE, SCENES, coin, road_scenes
from calibtutor.teach.assignment import open_questions
from calibtutor.teach.expressions import formula
from calibtutor.teach.write import WORLDS


def seen(predictions):
    return hit_and_confidence(predictions.y_true, predictions.y_prob)


def of_seventy_to_eighty(predictions):
    """How many digits got a confidence above .7, up to .8, and how many of them were right."""
    hit, confidence = seen(predictions)
    inside = (confidence > 0.7) & (confidence <= 0.8)
    return inside.sum(), hit[inside].sum()


def excess(predictions):
    hit, confidence = seen(predictions)
    return confidence.mean() - hit.mean()


@claim("00_start_here", "1,079 test digits of scikit-learn's bundled data set, models trained on 718 others")
def test_size_of_the_split():
    train, y_train, test, y_test, *_ = digits_split()
    assert len(train) == len(y_train) == 718 and len(test) == len(y_test) == 1079
    together = np.unique(np.vstack([train, test]), axis=0)
    assert len(together) == 718 + 1079  # no image stands in both


@claim(
    "00_start_here",
    "Some lines are **yours**: type the next line with the letters of the notebook, such as `2 * (p - r)^3`, and it is "
    "set as a formula, computed in twenty worlds, and answered.",
    "Every derivation has a **false line**",
)
def test_what_is_said_of_derivations():
    found = discover("derivations").values()
    assert WORLDS == 20 and all(any(step.printed for step in each.steps) for each in found)
    letters = derivations.one_forecast.letters_in()
    p, r = (letters.known[name] for name in "pr")
    assert np.isclose(formula("2 * (p - r)^3").value(letters), 2 * (p - r) ** 3)


@claim("00_start_here", "Three of them are right about equally often.")
@claim("start/scenes", "Three are right about equally often, and no two equally sure")
def test_three_are_equally_right():
    right = {name: seen(each)[0].mean() for name, each in digits_cast().items()}
    three = [right[name] for name in FOUR[:3]]
    assert max(three) - min(three) < 0.01 and right["naive Bayes"] < min(three) - 0.05
    sure = sorted(seen(digits_predictions(name))[1].mean() for name in FOUR)
    assert min(np.diff(sure)) > 0.02


@pytest.mark.slow
@claim("00_start_here", "Three of them are right about equally often.")
@claim("start/scenes", "Three are right about equally often, and no two equally sure")
def test_three_are_equally_right_in_other_splits(seeds):
    ranges = []
    for seed in seeds(20):
        hits, confidences = zip(*(seen(another_split(name, seed)) for name in FOUR), strict=True)
        *three, last = (each.mean() for each in hits)
        ranges.append(max(three) - min(three))
        assert last < min(three) - 0.01  # .043 ± .006 over splits
        assert min(np.diff(sorted(each.mean() for each in confidences))) > 0.005  # .024 ± .003
    assert mean_within(ranges, 0, 0.015)


@claim("00_start_here", "“I am 70 to 80 % sure”")
@claim(
    "start/exercises",
    "On 201 digits the random forest was more than 70 % and at most 80 % sure of its answer.",
    "all 201",
    "Every single one.",
    "about 150",
    "about 175",
    "about 192",
)
def test_seventy_to_eighty():
    assert of_seventy_to_eighty(digits_predictions("random forest")) == (201, 201)
    assert round(0.75 * 201, -1) == 150 and round((150 + 201) / 2) in (175, 176)  # as promised, and half way to all
    assert round(seen(digits_predictions("random forest"))[0].mean() * 201) == 192  # as often as on all digits


@pytest.mark.slow
@claim("start/exercises", "It is under-confident.")
def test_the_forest_from_seventy_to_eighty_in_other_splits(seeds):
    count, right = np.transpose([of_seventy_to_eighty(another_split("random forest", seed)) for seed in seeds(20)])
    assert count.min() > 100 and right.sum() > 0.98 * count.sum()


@claim(
    "start/exercises",
    "An event happens with probability r = .5.",
    ".25",
    ".5",
    "It is p = .5, and whatever happens you pay .5² = .25.",
)
@claim("00_start_here", "The cheapest forecast is $p = r$.")
def test_the_cheapest_forecast():
    p = r = np.linspace(0, 1, 101)
    cost = r * (p[:, None] - 1) ** 2 + (1 - r) * p[:, None] ** 2  # a forecast p in each row
    assert (cost.argmin(axis=0) == np.arange(101)).all()
    assert coin().values["rate"] == 0.5  # asked of the state on which the picture opens
    assert min(cost[:, 50]) == 0.25 and guess.cheapest().answer == ".25"


@claim("start/exercises", "so even a calibrated model has 2c(1 − c) where it says c, .42 at c = .7.")
def test_digit_by_digit_a_calibrated_model_misses_by(seeds):
    for c in (0.2, 0.7, 0.9, 1.0):
        hit = seeds.rng(1).random(100_000) < c
        assert abs(c - hit).mean() == pytest.approx(2 * c * (1 - c), abs=0.01)
    assert 2 * 0.7 * (1 - 0.7) == pytest.approx(0.42)


@claim(
    "start/exercises",
    "It is sure of every answer (mean confidence 1.000) and right 83 % of the time: a gap of +.17.",
    "Its excess is about .09.",
    "One model of the five is further out.",
    "It says less than it is right: it is under-confident.",
    "Its two averages nearly agree.",
    "It says less than it is right, so it is under-confident.",
)
def test_who_is_over_confident():
    hit, confidence = seen(digits_predictions("decision tree"))
    assert confidence.min() == 1 and round(hit.mean(), 2) == 0.83
    gap = {name: excess(each) for name, each in digits_cast().items()}
    assert round(gap["decision tree"], 2) == 0.17 and round(gap["naive Bayes"], 2) == 0.09
    assert max(gap["random forest"], gap["logistic regression"]) < -0.05 and abs(gap["neural network"]) < 0.01


@claim("start/exercises", "One model of the five is further out.")
def test_who_is_over_confident_in_other_splits(seeds):
    models = "naive Bayes", "decision tree"
    bayes, tree = ([excess(another_split(name, seed)) for seed in seeds(20)] for name in models)
    assert min(bayes) > 0.03 and min(np.subtract(tree, bayes)) > 0.02  # .078 ± .007 and .106 ± .014 over splits


@pytest.mark.slow
@claim(
    "start/exercises",
    "It says less than it is right: it is under-confident.",
    "Its two averages nearly agree.",
    "It says less than it is right, so it is under-confident.",
)
def test_who_is_not_over_confident_in_other_splits(seeds):
    assert max(excess(another_split("logistic regression", seed)) for seed in seeds(20)) < -0.05  # −.09 ± .006
    assert max(excess(another_split("random forest", seed)) for seed in seeds(20)) < -0.2  # −.25 ± .006
    assert max(abs(excess(another_split("neural network", seed))) for seed in seeds(20)) < 0.03  # .002 ± .005


@claim(
    "start/exercises",
    "20 × .2 = 4.",
    "exactly 4 animals in about one case in five",
    "(If these 20 were drawn at random from many scenes",
    "16 is the number of objects, the class with 80 %.",
    "The promise is about a share of the 20 scenes.",
    "How many of the 20 scenes is it?",
)
@claim(
    "00_start_here",
    "an object with 80 %, a human with 0 %, an animal with 20 %",
    "there was a human in 3 of the 20 scenes, where 0 % had been said.",
)
def test_road_scenes():
    assert PROMISE == {"object": 0.8, "human": 0.0, "animal": 0.2} and road_scenes().values["humans"] == 3
    assert SCENES == 20 and SCENES * PROMISE["animal"] == 4
    assert SCENES * PROMISE["object"] == 16 and road_scenes().values["animals"] == 9
    assert binom.pmf(4, SCENES, PROMISE["animal"]) == pytest.approx(1 / 5, abs=0.02)


@claim("00_start_here", "what it says with 80 % happens in 80 % of cases")
def test_what_a_calibrated_model_says_with_eighty_percent(seeds):
    rng = seeds.rng(2)
    p = rng.dirichlet([1, 1, 1], 400_000)
    y = (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1)  # labels from the predictions: calibrated
    said = abs(p - 0.8) < 0.01
    happens = (np.arange(3) == y[:, None])[said]
    assert within(happens.sum(), said.sum(), 0.79, 0.81)


@claim("00_start_here", "a model that says too much of some digits and too little of others can have it as well.")
def test_a_gap_of_zero_is_not_enough(seeds):
    for seed in seeds(20):
        rng = np.random.default_rng(seed)
        confidence = rng.uniform(0.2, 1, 20_000)
        hit = rng.random(20_000) < 0.6 + 0.3 * (confidence - 0.6)  # under-confident below .6, over-confident above
        assert abs(confidence.mean() - hit.mean()) < 0.02
        which = np.ceil(10 * confidence)
        assert sum(abs((confidence - hit)[which == m].sum()) for m in range(1, 11)) / 20_000 > 0.1


def test_what_the_exit_slip_accepts():
    """Its rubric's numbers, and that the models it names refute the colleague, or do not."""
    ((_, rubric),) = open_questions("00_start_here")
    right, gap = {}, {}
    for name in (*FOUR, "decision tree"):
        each = digits_predictions(name)
        hit, confidence = hit_and_confidence(each.y_true, each.y_prob)
        right[name], gap[name] = hit.mean(), confidence.mean() - hit.mean()
        if name not in ("neural network", "decision tree"):
            assert f"{name} (right {100 * hit.mean():.0f} %, says {100 * confidence.mean():.0f} %)" in rubric
    assert right["random forest"] > right["naive Bayes"] and -gap["random forest"] > gap["naive Bayes"] > 0
    assert right["logistic regression"] > right["naive Bayes"] and gap["logistic regression"] < 0
    assert round(-gap["logistic regression"], 2) == round(gap["naive Bayes"], 2)
    for name in ("naive Bayes", "decision tree"):
        assert right[name] < right["neural network"] and gap[name] > abs(gap["neural network"])
