"""Games keep their answers until they are due and count the first one; readers' functions are drawn as they are."""

import numpy as np
import pytest

from calibtutor.data.worlds import wave_world
from calibtutor.lessons.bets_and_kernels import scenes as scenes_04
from calibtutor.lessons.bins import games as games_02
from calibtutor.lessons.bins import scenes as scenes_02
from calibtutor.lessons.chance import scenes as scenes_03
from calibtutor.lessons.estimation_risk import games as games_06
from calibtutor.lessons.estimation_risk import scenes as scenes_06
from calibtutor.lessons.kernel_ridge import games as games_07
from calibtutor.lessons.notions import scenes as scenes_01
from calibtutor.lessons.shared.verdicts import signed
from calibtutor.lessons.start import check
from calibtutor.lessons.start.scenes import coin, road_scenes, your_diagram
from calibtutor.lessons.your_own_model.games import FAULTS, asked, which_fault

pytestmark = pytest.mark.usefixtures("forget_widgets")


def test_calibrated_data_sets_come_after_one_answer_and_the_truth_after_two():
    game = games_02.hide_the_model().set(beside="calibrated", show=1)
    assert "data sets" not in game.headline and "was" not in game.finding.words
    game.set(show=2)
    assert game.values["beside"] == "not yet"
    game.set(alone=games_02.word(1))
    assert "calibrated data sets have as large an ECE" in game.headline and "was" not in game.finding.words
    assert "was" not in game.set(beside=games_02.word(1)).headline
    game.set(show=3)
    assert game.headline.startswith("Model 2 was") and game.headline.endswith("right twice")
    assert "of 1: 1 at the first look, 1 at the second" in game.sentence
    assert game.set(show=4).headline.startswith("Model 3: ECE")


def test_each_fault_is_asked_once_in_five_files():
    for first in range(0, 40, 5):
        assert sorted(asked(turn) for turn in range(first, first + 5)) == sorted(FAULTS)
    assert asked(0) not in ("labels one row down", "nothing")  # the notebook's picture of section 4, and no game


def test_the_share_that_is_right_is_told_after_the_answer():
    scene = which_fault()
    assert "% right" not in scene.finding.words
    assert "% right" in scene.set(answer=asked(0)).set(show=1).finding.drawn


def test_what_a_guess_asks_is_not_shown_as_its_picture_opens():
    assert scenes_01.perfect_diagonal().values["t"] == 0
    assert scenes_01.murphy_dials().values == {"merge": 0, "exaggerate": 1.0}
    shown = scenes_01.accuracy_and_calibration()
    assert "stays" not in shown.finding.drawn and "stays" in shown.set(temperature=0.5).finding.drawn
    assert "under-confident" not in scenes_01.ladder().set(strength=0.0).sentence


def test_a_forecast_that_is_true_costs_nothing_and_crowded_out_animals_are_said():
    shown = coin()
    assert shown.artists["name"].get_text() == ""  # the cheapest forecast is not named as the picture opens
    assert shown.set(forecast=0.5, rate=0.5).headline.endswith("costs nothing extra")
    assert "r (1 − r) = 0.210" in shown.set(rate=0.3).artists["name"].get_text()
    shown = road_scenes()
    assert "room" not in shown.finding.drawn
    assert shown.set(humans=15, animals=9).finding.drawn.endswith("of 9 animals 5 found room")


@pytest.mark.parametrize(("scene", "height"), [
    (scenes_02.aliasing, "wave"), (scenes_04.supremum, "gap"),
])  # fmt: skip
def test_up_means_says_too_much(scene, height):
    shown = scene().set(waves=1)
    x, y = shown.artists[height].get_xydata().T
    assert np.allclose(y, x - wave_world(1, *([] if scene is scenes_02.aliasing else [0.15])).curve(x), atol=1e-9)


def test_the_mark_stands_where_the_red_begins():
    scene = scenes_03.by_counting()
    for observed, statistic in ((24, "share of wrong answers"), (20, "class-wise ECE"), (1, "Brier score")):
        scene.set(observed=observed, statistic=statistic)
        colours = scene.artists["bars"].get_facecolor()
        red = np.flatnonzero((colours != colours[0]).any(axis=1))
        # Where all are red none differs from the first.
        assert scene.artists["mark"].get_xdata()[0] == (red[0] if len(red) else 0)


def test_the_framed_cell_has_the_colour_of_its_mean():
    shown = scenes_06.learn_from_pairs()
    for p_cell, other_cell in ((2, 2), (3, 5)):  # on the diagonal no prediction is paired with itself
        shown.set(p_cell=p_cell, other_cell=other_cell)
        mean = shown.artists["image"].get_array()[other_cell, p_cell]
        assert f"their mean is {signed(mean, 4)};" in shown.headline


# --- the reader's own functions ---


def test_the_readers_function_is_drawn_and_named():
    shown = your_diagram(check.reliability.use(lambda hit, confidence, n_bins: [(0.5, 0.25, 3), (0.95, 1, 7)]))
    assert shown.headline.endswith("1 of 2 dots below the diagonal")
    assert "by your reliability, not right yet" in shown.finding.drawn
    assert "(reliability is still blank)" in your_diagram(check.reliability.use(lambda *a: None)).finding.drawn
    shown = games_07.your_ukkr(lambda phi, delta, lam: np.zeros((phi.shape[1], 1)))
    assert "ukkr says no miss" in shown.headline and "your ukkr, not right yet" in shown.finding.drawn


def test_an_own_h_is_judged_and_a_blank_one_is_not():
    blank, mine = games_06.your_h(lambda c: None), games_06.your_h(lambda c: 0.04 + 0.36 * (c < 0.999))
    assert "a constant is ahead" in blank.headline and "as yours is blank" in blank.finding.drawn
    assert mine.headline == "Naive Bayes: your h is ahead of ukkr in 17 of 20 splits"
    assert games_06.your_h(lambda c: 0.1).sentence == blank.sentence  # a number for all confidences will do


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (3, "rows of three numbers"),
        ([(0.5, np.nan, 1)], "finite rows"),
        ([(0.5, 7, 0.3)], "in [0, 1]"),
        ([(0.51, 1, 1), (0.55, 1, 1)], "in the same bin"),
        (ZeroDivisionError, "ZeroDivisionError"),
    ],
)
def test_what_cannot_be_drawn_is_said(rows, said):
    def mine(*a):
        if rows is ZeroDivisionError:
            raise rows
        return rows

    shown = your_diagram(mine)
    assert said in shown.sentence and not shown.error and "No dots" in shown.headline
