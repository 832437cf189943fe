"""Games keep their answers until they are due and count the first one; readers' functions are drawn as they are."""

import numpy as np
import pytest

from calibtutor.data.worlds import wave_world
from calibtutor.lessons.bets_and_kernels import scenes as scenes_04
from calibtutor.lessons.bins import scenes as scenes_02
from calibtutor.lessons.kernel_ridge import scenes as scenes_07
from calibtutor.lessons.notions import scenes as scenes_01
from calibtutor.lessons.start import check
from calibtutor.lessons.start.scenes import your_diagram
from calibtutor.lessons.your_own_model.scenes import FAULTS, asked, which_fault

pytestmark = pytest.mark.usefixtures("forget_widgets")


def test_calibrated_data_sets_come_after_one_answer_and_the_truth_after_two():
    game = scenes_02.hide_the_model().set(beside="calibrated", show=1)
    assert "data sets" not in game.finding.headline and "was" not in game.finding.words
    game.set(show=2)
    assert game.values["beside"] == "not yet"
    game.set(alone=scenes_02.word(1))
    assert "calibrated data sets reach this ECE" in game.finding.headline and "was" not in game.finding.words
    assert "was" not in game.set(beside=scenes_02.word(1)).finding.headline
    game.set(show=3)
    assert game.finding.headline.startswith("Model 2 was") and game.finding.headline.endswith("right twice")
    assert "of 1: 1 at the first look, 1 at the second" in game.finding.sentence
    assert game.set(show=4).finding.headline.startswith("Model 3: ECE")


def test_each_fault_is_asked_once_in_five_files_and_the_share_that_is_right_told_after_the_answer():
    for first in range(0, 40, 5):
        assert sorted(asked(turn) for turn in range(first, first + 5)) == sorted(FAULTS)
    assert asked(0) not in ("labels one row down", "nothing")  # the notebook's picture of section 4, and no game
    scene = which_fault()
    assert "% right" not in scene.finding.words
    assert "% right" in scene.set(answer=asked(0)).set(show=1).finding.drawn


def test_what_a_guess_asks_is_not_shown_as_its_picture_opens():
    assert scenes_01.perfect_diagonal().values["t"] == 0
    assert scenes_01.murphy_dials().values == {"merge": 0, "exaggerate": 1.0}
    shown = scenes_01.accuracy_and_calibration()
    assert "stays" not in shown.finding.drawn and "stays" in shown.set(temperature=0.5).finding.drawn
    assert "under-confident" not in scenes_01.ladder().set(strength=0.0).finding.sentence


def test_up_means_says_too_much():
    for scene, mark, height in ((scenes_02.aliasing, "wave", 0.04), (scenes_04.supremum, "gap", 0.15)):
        x, y = scene().set(waves=1).artists[mark].get_xydata().T
        assert np.allclose(y, x - wave_world(1, height).curve(x), atol=1e-9)


def test_the_readers_function_is_drawn_and_named():
    shown = your_diagram(check.reliability.use(lambda hit, confidence, n_bins: [(0.5, 0.25, 3), (0.95, 1, 7)]))
    assert shown.finding.headline.endswith("1 of 2 dots below the diagonal")
    assert "by your reliability, not right yet" in shown.finding.drawn
    assert "(reliability is still blank)" in your_diagram(check.reliability.use(lambda *a: None)).finding.drawn
    shown = scenes_07.your_ukkr(lambda phi, delta, lam: np.zeros((phi.shape[1], 1)))
    assert "ukkr says no miss" in shown.finding.headline and "your ukkr, not right yet" in shown.finding.drawn


@pytest.mark.parametrize(("rows", "said"), [
    (3, "rows of three numbers"), ([(0.5, 7, 0.3)], "in [0, 1]"), ([(0.51, 1, 1), (0.55, 1, 1)], "in the same bin")])
def test_what_cannot_be_drawn_is_said(rows, said):
    shown = your_diagram(lambda *a: rows)
    assert said in shown.finding.sentence and not shown.error and "No dots" in shown.finding.headline
