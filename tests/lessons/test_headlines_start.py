"""What the pictures of notebook 00 say in their headlines is decided by rules, tested on both sides."""

import numpy as np
import pytest

from calibtutor.lessons.start import check
from calibtutor.lessons.start.games import CLUES, NOBODY, hidden, too, whose_dots
from calibtutor.lessons.start.scenes import FOUR, coin, four_models, road_scenes, verdict, your_diagram
from calibtutor.plots import MODELS


@pytest.mark.parametrize(
    ("gap", "said"),
    [(0.021, "too sure"), (0.019, "about right on average"), (-0.019, "about right on average"), (-0.021, "too shy")],
)
def test_two_points_are_too_much(gap, said):
    assert verdict(gap) == said


def test_three_of_four_models_are_right_about_equally_often():
    shares = dict.fromkeys(FOUR)
    for each in four_models().finding.sentence.rstrip(".").split("; "):
        name = next(model for model in FOUR if each.lower().startswith(model.lower()))
        right, sure = each[len(name) :].split(" right, mean confidence ")
        shares[name] = float(right.rstrip("%")) / 100, float(sure)
    right, sure = ([shares[name][k] for name in FOUR[:3]] for k in (0, 1))
    assert max(right) - min(right) < 0.015  # a standard error of their difference is .009
    assert shares[FOUR[3]][0] < min(right) - 0.05
    assert min(abs(a - b) for i, a in enumerate(sure) for b in sure[:i]) > 0.05


def test_a_forecast_that_is_true_costs_nothing():
    shown = coin()
    assert shown.set(forecast=0.5, rate=0.5).headline.endswith("costs nothing extra")
    assert shown.set(forecast=0.55, rate=0.5).headline.endswith("costs 0.003 extra")


def test_the_cheapest_forecast_is_not_named_as_the_picture_opens():
    shown = coin()
    assert shown.artists["name"].get_text() == ""
    shown.set(rate=0.3)
    assert shown.artists["name"].get_text() == "no forecast is below r (1 − r) = 0.210"


def test_animals_without_a_scene_are_said():
    shown = road_scenes()
    assert "room" not in shown.finding.drawn
    shown.set(humans=15, animals=9)
    assert shown.finding.drawn.endswith("of 9 animals 5 found room")
    assert shown.set(humans=20).finding.drawn.endswith("of 9 animals 0 found room")


# --- the game ---


def all_words(shown):
    """Everything written on the picture and below it, but the menu of five names."""
    artists = shown.artists
    written = [artists["words"].get_text(), artists["count"].get_text(), *shown.finding]
    return " ".join(written + [n.get_text() for n in artists["names"].values() if n.get_weight() == "bold"])


def test_no_answer_before_a_choice():
    shown = whose_dots()
    for clicks in range(11):
        shown.set(name=NOBODY, show=clicks)
        assert not [name for name in MODELS if name in all_words(shown)]
        assert not [clue for clue in CLUES.values() if clue in all_words(shown)]
        colour = np.unique(np.round(shown.artists["diagram"].points.get_facecolor()[:, :3], 3), axis=0)
        assert colour.tolist() == [[0.463, 0.463, 0.463]]  # grey, and no model's
        assert ("First choose" in shown.headline) == (clicks % 2 == 1)


def test_the_first_answer_of_a_turn_counts():
    shown = whose_dots()
    model = hidden(0)[0]
    other = next(name for name in MODELS if name != model)
    assert shown.set(name=other).headline == "Whose dots are these?"
    assert shown.set(show=1).headline == f"No, not {other}: {model}"
    assert shown.set(name=model).headline == f"No, not {other}: {model}"  # too late
    assert shown.artists["count"].get_text() == "0 of 1"
    shown.set(show=2)
    assert shown.artists["names"][model].get_weight() == "normal" and "Yes" not in shown.headline
    shown.set(name=hidden(1)[0], show=3)
    assert shown.headline == f"Yes: {hidden(1)[0]}" and shown.artists["count"].get_text() == "1 of 2"
    shown.set(show=0)
    assert shown.artists["count"].get_text() == ""


def test_a_name_chosen_late_is_answered_at_once():
    shown = whose_dots().set(show=1)
    assert shown.set(name=hidden(0)[0]).headline.startswith("Yes")


def test_points_in_words():
    assert too(0.004) == too(-0.004) == "what happens, to a point"
    assert too(0.006) == "1 point too much" and too(-0.08) == "8 points too little"


# --- the reader's diagram ---


def test_the_reader_draws_the_diagram():
    mine = lambda hit, confidence, n_bins: [(0.5, 0.25, 3), (0.95, 1, 7)]
    shown = your_diagram(check.reliability.use(mine))
    assert shown.headline.endswith("1 of 2 dots below the diagonal")
    assert "by your reliability, not right yet" in shown.finding.drawn
    blank = your_diagram(check.reliability.use(lambda *a: None))
    assert "the reference (reliability is still blank)" in blank.finding.drawn


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (3, "rows of three numbers"),
        ([(0.5, np.nan, 1)], "finite rows"),
        ([(0.5, 7, 0.3)], "in [0, 1]"),
        ([(0.51, 1, 1), (0.55, 1, 1)], "in the same bin"),
    ],
)
def test_what_cannot_be_drawn_is_said(rows, said):
    shown = your_diagram(lambda *a: rows)
    assert said in shown.sentence and not shown.error and "No dots" in shown.headline


def test_a_function_that_fails_is_named():
    assert "ZeroDivisionError" in your_diagram(lambda *a: 1 / 0).sentence


def test_the_reference_finds_what_the_package_finds():
    assert your_diagram().finding.headline == "Naive Bayes: 5 of 5 dots below the diagonal"
