"""Headlines of lesson 03 that judge: each on both sides of its threshold."""

import numpy as np
import pytest

from calibtutor.lessons.calibration_risk import scenes
from calibtutor.lessons.calibration_risk.games import (
    above_the_smallest,
    beaten,
    in_spreads,
    in_words,
    what_splits_say,
    who_is_ahead,
)
from calibtutor.lessons.calibration_risk.scenes import fit_of, is_biased, nearer, ruled_out
from calibtutor.lessons.shared.verdicts import signed


def test_a_mean_is_biased_beyond_three_standard_errors():
    found = np.tile([-1.0, 1.0], 200)  # mean 0
    error = found.std(ddof=1) / 20
    for sign in (1, -1):
        assert not is_biased(found, sign * 2.99 * error)
        assert is_biased(found, sign * 3.01 * error)


def test_the_nearer_surface_is_named_with_what_its_risk_says():
    size = {"kkr": 1.0, "ukkr": 1.0}
    agree, disagree = {"kkr": 0.1, "ukkr": 0.2}, {"kkr": 0.2, "ukkr": 0.1}
    distance = {"kkr": 1.0, "ukkr": 1.021}
    assert nearer(distance, agree, size, 1) == "kkr is nearer to the truth, and its risk is the smaller one"
    assert nearer(distance, disagree, size, 1) == "kkr is nearer to the truth, though its risk is the larger one"
    assert nearer({"kkr": 1.021, "ukkr": 1.0}, disagree, size, 1).startswith("ukkr is nearer to the truth, and")
    assert "equally far" in nearer({"kkr": 1.0, "ukkr": 1.019}, agree, size, 1)


def test_surfaces_vanish_below_a_tenth_of_the_truth_and_both_must():
    distance, risk = {"kkr": 1.0, "ukkr": 2.0}, {"kkr": 1.0, "ukkr": 2.0}
    assert "vanished" in nearer(distance, risk, {"kkr": 0.099, "ukkr": 0.01}, 1)
    assert "vanished" not in nearer(distance, risk, {"kkr": 0.101, "ukkr": 0.01}, 1)


def test_a_penalty_is_judged_by_one_percent_of_the_smallest_risk():
    penalties = np.array([0.01, 0.1, 1.0, 10.0])
    assert fit_of(0.1, penalties, np.array([2, 1, 1.5, 2])) == "is within 1% of the best"
    for at, words in ((0.01, "fits noise"), (1.0, "over-smooths")):
        for risk, said in ((1.0099, "is within 1% of the best"), (1.0101, words)):
            risks = np.where(penalties == at, risk, [2, 1, 2, 2])
            assert fit_of(at, penalties, risks) == said


def test_what_the_risk_rules_out():
    assert ruled_out(0, 5, False) == "the risk rules out nothing, not even “no error”"
    assert ruled_out(0, 5, True) == "the risk rules out only “no error”"
    assert ruled_out(2, 5, True) == "the risk rules out 2 of 5, and “no error”"
    assert ruled_out(5, 5, False) == "the risk rules out all 5, but not “no error”"


def test_the_framed_cell_has_the_colour_of_its_mean():
    shown = scenes.learn_from_pairs()
    for p_cell, other_cell in ((2, 2), (3, 5)):  # on the diagonal no prediction is paired with itself
        shown.set(p_cell=p_cell, other_cell=other_cell)
        mean = shown.artists["image"].get_array()[other_cell, p_cell]
        assert f"their mean is {signed(mean, 4)};" in shown.headline


def test_a_choice_is_as_good_as_the_settings_it_beats():
    distance = np.array([3.0, 1.0, 2.0, 2.0])
    assert beaten(distance, 1) == "nearer to the truth than all of the 3 others"
    assert beaten(distance, 2) == "nearer to the truth than 1 of the 3 others"  # equal is no nearer


def test_told_apart_is_beyond_two_spreads_and_the_best_is_at_zero():
    assert in_spreads(np.array([0.0, 3.0]), np.array([0.0, 1.5])).tolist() == [0, 2]
    risks = np.array([[1.0, 2.0], [1.0, 4.0]])  # the second is 2 above the first, spread √2/√2 = 1
    assert above_the_smallest(risks).tolist() == pytest.approx([0, 2])
    assert above_the_smallest(risks[:, ::-1]).tolist() == pytest.approx([2, 0])


def test_splits_are_counted():
    assert what_splits_say(4, 20, 0.00099) == "“no error” told apart in 4 of 20; exact test: p = 0.00099"
    two = np.array([2, 2, 2])
    assert who_is_ahead("your h", np.array([1, 2, 3]), two) == "your h is ahead of ukkr in 1 of 3 splits"
    assert who_is_ahead("your h", two, two) == "your h is ahead of ukkr in none of 3 splits"


def test_an_own_h_is_judged_and_a_blank_one_is_not():
    blank, mine = scenes.your_h(lambda c: None), scenes.your_h(lambda c: 0.04 + 0.36 * (c < 0.999))
    assert "a constant is ahead" in blank.headline and "as yours is blank" in blank.finding.drawn
    assert mine.headline == "Naive Bayes: your h is ahead of ukkr in 17 of 20 splits"
    assert "by your u" in mine.finding.drawn
    assert scenes.your_h(lambda c: 0.1).sentence == blank.sentence  # a number for all confidences will do


def test_a_miss_in_words():
    assert [in_words(miss) for miss in (0.35, -0.35, 0.0051, 0.0049, -0.0049)] == [
        "0.35 too sure", "0.35 too shy", "0.01 too sure", "no miss", "no miss"
    ]  # fmt: skip


def test_the_readers_ridge_regression_draws_the_curve():
    shown = scenes.your_ukkr(lambda phi, delta, lam: np.zeros((phi.shape[1], 1)))
    assert "ukkr says no miss" in shown.headline and "your ukkr, not right yet" in shown.finding.drawn
    assert "ukkr is still blank" in scenes.your_ukkr().finding.drawn
