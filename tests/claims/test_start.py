"""What notebook 00 says, computed."""

import numpy as np
import pytest
from claim import claim
from scipy.stats import binom
from seeds import mean_within
from splits import another_split, hit_and_confidence

from calibtutor.data.datasets import digits_cast, digits_predictions, digits_split
from calibtutor.lessons.start.scenes import FOUR, PROMISE, SCENES, coin, road_scenes
from calibtutor.teach.assignment import open_questions


def seen(predictions):
    return hit_and_confidence(predictions.y_true, predictions.y_prob)


@claim("00_start_here", "Three of them are right about equally often.", "That is where they differ.")
@pytest.mark.parametrize("elsewhere", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_three_are_equally_right(elsewhere, seeds):
    ranges = []
    for seed in seeds(20) if elsewhere else [0]:  # the course's own split
        hits, confidences = zip(*(seen(another_split(name, seed)) for name in FOUR), strict=True)
        *three, last = (each.mean() for each in hits)
        ranges.append(max(three) - min(three))
        assert last < min(three) - 0.01  # .043 ± .006 over splits
        assert min(np.diff(sorted(each.mean() for each in confidences))) > 0.005  # .024 ± .003
    assert mean_within(ranges, 0, 0.015, refuses=0.03) if elsewhere else ranges[0] < 0.01


@claim("00_start_here", "1,079 test digits of scikit-learn's bundled data set, models trained on 718 others",
       "“I am 70 to 80 % sure”",
       "start/exercises", "On 201 digits the random forest was more than 70 % and at most 80 % sure of its answer.")
def test_the_split_and_its_seventy_to_eighty():
    train, _, test, *_ = digits_split()
    assert (len(train), len(test)) == (718, 1079)
    assert len(np.unique(np.vstack([train, test]), axis=0)) == 718 + 1079  # no image stands in both
    hit, confidence = seen(digits_predictions("random forest"))
    inside = (confidence > 0.7) & (confidence <= 0.8)
    assert inside.sum() == hit[inside].sum() == 201
    assert round(0.75 * 201, -1) == 150 and round((150 + 201) / 2) in (175, 176)  # as promised, and half way to all
    assert round(hit.mean() * 201) == 192  # as often as on all digits


@claim("start/exercises", "An event happens with probability r = .5.", ".25", ".5",
       "so even a calibrated model has 2c(1 − c) where it says c, .42 at c = .7.",
       "(.9 − .7)² = .04 of a cost of .25.", "The other .21 = .7 × .3 is the variance of the event: nobody saves it.")
def test_what_a_forecast_costs():
    happens, not_ = (0.9 - 1) ** 2, 0.9**2
    assert np.round([0.7 * happens + 0.3 * not_, (0.9 - 0.7) ** 2, 0.7 * 0.3], 12).tolist() == [0.25, 0.04, 0.21]
    p, c = np.linspace(0, 1, 101), 0.7
    cost = 0.5 * (p - 1) ** 2 + 0.5 * p**2
    assert p[cost.argmin()] == 0.5 and cost.min() == 0.25
    assert coin().values["rate"] == 0.5  # asked of the state on which the picture opens
    assert c * abs(c - 1) + (1 - c) * c == pytest.approx(2 * c * (1 - c)) == pytest.approx(0.42)


@claim("start/exercises",
       "It is sure of every answer (mean confidence 1.000) and right 83 % of the time: a gap of +.17.",
       "Its excess is about .09.", "It says less than it is right: it is under-confident.",
       "Its two averages nearly agree.")
def test_who_is_over_confident_and_what_the_exit_slip_accepts():
    """The slip's rubric: its numbers, and that the models it names refute the colleague, or do not."""
    hits = {name: seen(each) for name, each in digits_cast().items()}
    right = {name: hit.mean() for name, (hit, _) in hits.items()}
    gap = {name: sure.mean() - hit.mean() for name, (hit, sure) in hits.items()}
    assert hits["decision tree"][1].min() == 1 and round(right["decision tree"], 2) == 0.83
    assert round(gap["decision tree"], 2) == 0.17 and abs(gap["neural network"]) < 0.01
    assert max(gap["random forest"], gap["logistic regression"]) < -0.05
    ((_, rubric),) = open_questions("00_start_here")
    for name in ("random forest", "logistic regression", "naive Bayes"):
        assert f"{name} (right {100 * right[name]:.0f} %, says {100 * (right[name] + gap[name]):.0f} %)" in rubric
    assert min(right["random forest"], right["logistic regression"]) > right["naive Bayes"]
    assert -gap["random forest"] > gap["naive Bayes"]
    assert round(-gap["logistic regression"], 2) == round(gap["naive Bayes"], 2) == 0.09
    for name in ("naive Bayes", "decision tree"):
        assert right[name] < right["neural network"] and gap[name] > abs(gap["neural network"])


@claim("start/exercises", "20 × .2 = 4.", "exactly 4 animals in about one case in five",
       "(If these 20 were drawn at random from many scenes", "16 is the number of objects, the class with 80 %.",
       "The promise is about a share of the 20 scenes.",
       "00_start_here", "there was a human in 3 of the 20 scenes, where 0 % had been said.",
       "what it says with 80 % happens in 80 % of cases")
def test_road_scenes():
    assert PROMISE == {"object": 0.8, "human": 0.0, "animal": 0.2}
    assert road_scenes().values == {"humans": 3, "animals": 9}
    assert SCENES == 20 and SCENES * PROMISE["animal"] == 4 and SCENES * PROMISE["object"] == 16
    assert binom.pmf(4, SCENES, PROMISE["animal"]) == pytest.approx(1 / 5, abs=0.02)
