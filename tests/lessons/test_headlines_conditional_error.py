"""The judgements in the headlines of notebook 06, on both sides of their thresholds."""

import numpy as np
import pytest

from calibtutor.lessons.conditional_error import scenes
from calibtutor.lessons.conditional_error import simulations as sims
from calibtutor.lessons.conditional_error.games import (
    how_many_above,
    in_words,
    preferred,
    signed_percent,
    towards_zero,
    what_it_does,
    who_moved,
)
from calibtutor.lessons.conditional_error.scenes import (
    at_one_confidence,
    camps,
    effect_of_penalty,
    reach,
    spaced,
    steadiness,
)
from calibtutor.reproductions import shift as paper

NAMES = ("logistic regression", "naive Bayes")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ((2, 2, 2), "all three errors prefer logistic regression"),
        ((0.5, 2, 2), "ECE alone prefers naive Bayes"),
        ((0.96, 2, 2), "ECE sees a near tie, the others prefer logistic regression"),
        ((0.94, 2, 2), "ECE alone prefers naive Bayes"),
        ((1.04, 0.97, 0.5), "CKCE prefers naive Bayes, the others see a near tie"),
        ((1.04, 0.97, 1), "all three errors see a near tie"),
        ((0.5, 1, 2), "each error gives another answer"),
    ],
)
def test_errors_take_sides_beyond_a_near_tie(second, said):
    assert camps(NAMES, np.array([(1, 1, 1), second])) == said


def test_a_penalty_shrinks_means_or_leaves_them_to_single_images():
    even = np.full(50, 1 / 50)
    assert "large" in effect_of_penalty(0.89 * even) and "hardly" in effect_of_penalty(0.91 * even)
    assert "small" in effect_of_penalty(np.full(9, 1 / 9)) and "hardly" in effect_of_penalty(np.full(11, 1 / 11))


def test_a_miss_has_a_sign_and_a_tolerance():
    plain = "λ hardly shrinks the means here"
    assert at_one_confidence(0.5, 0.5, 0.53, plain) == "Weighted around 0.50 it says 0.50 and is right 0.53"
    assert "label of 1.01" in at_one_confidence(0.9, 0.9, 1.01, plain)
    assert at_one_confidence(0.9, 0.9, 1.004, plain).endswith("right 1.00")
    assert at_one_confidence(0.5, 0.1, 0.2, "So large a λ pulls") == "So large a λ pulls: 0.10 and 0.20"
    assert "by single images" in at_one_confidence(0.5, 0.5, 0.8, "So small a λ")


def test_a_kernel_reaches_a_miss_or_not():
    assert "does not find 6% of the S-shape" in reach("linear", "S-shape", 0.06, 0.01)
    assert "finds nearly all of the S-shape" in reach("linear", "S-shape", 0.04, 0.01)
    assert "misses over half of the S-shape" in reach("linear", "S-shape", 0.9, 0.51)
    assert "does not find 90%" in reach("linear", "S-shape", 0.9, 0.49)


def test_the_ckce_moves_least_only_if_it_does():
    assert steadiness((0.56, 0.1, 0.57)) == "The √CKCE moves least: down to 57% of its maximum"
    assert "does not move least" in steadiness((0.56, 0.1, 0.55)) and "not" in steadiness((0.56, 0.9, 0.8))


def test_a_headline_says_what_moves_and_which_way():
    assert what_it_does(True, True, -0.151) == "Crowd and bandwidth move: the CKCE falls by 15%"
    assert what_it_does(True, False, 0.021) == "Only the crowd moves: the CKCE rises by 2%"
    assert what_it_does(False, True, -0.019) == "Only the bandwidth moves: the CKCE stays"
    assert what_it_does(False, False, 0.0) == "Nothing moves: the CKCE stays"
    assert signed_percent(-0.15) == "−15%" and signed_percent(0.1234, 1) == "+12.3%"


def test_the_picture_says_of_each_setting_what_its_curve_does():
    picture = scenes.what_moved()
    assert picture.headline.startswith("Only the crowd moves: the CKCE rises by 2")
    median = {"bandwidth": paper.MEDIAN}
    assert picture.set(**median).headline.startswith("Crowd and bandwidth move: the CKCE falls by 1")
    assert picture.set(noise=sims.LABELS[1]).headline.endswith("falls by 14%")
    assert picture.set(crowd=sims.CROWDS[1]).headline == "Only the bandwidth moves: the CKCE falls by 14%"
    assert picture.set(bandwidth="0.25").headline == "Nothing moves: the CKCE stays"


def test_names_of_lines_do_not_lie_on_one_another():
    assert spaced(np.array([0.5, 0.2, 0.9]), 0.1).tolist() == [0.5, 0.2, 0.9]
    np.testing.assert_allclose(spaced(np.array([0.5, 0.45, 0.44]), 0.1), [0.5, 0.4, 0.3])


@pytest.mark.parametrize(
    ("splits", "who"), [(2, "naive Bayes"), (3, "neither"), (17, "neither"), (18, "logistic regression")]
)
def test_a_ranking_stands_that_comes_back_on_nine_of_ten_splits(splits, who):
    assert preferred(splits) == who


def test_directions_above_the_penalty_are_counted():
    assert how_many_above(0, 0.5).startswith("No direction stands")
    assert how_many_above(1, 0.974) == "1 direction stands above λ; the first ten make 97% of the CKCE"
    assert how_many_above(3, 0.5).startswith("3 directions stand ")


def test_only_endless_worlds_never_stop():
    assert "never stops" in towards_zero("endless", "1", None) and "4.89 in the limit" in towards_zero("8", "1", "4.89")


def test_an_error_moves_beyond_two_standard_errors():
    spread = np.exp(np.outer(np.resize([-0.1, 0.1], 100), [1, 1, 1]))
    moved = who_moved(np.vstack([[1.25, 1.2, 1 / 1.25], spread]))
    assert moved.tolist() == [True, False, True]
    assert in_words(moved) == "ECE and CKCE move" and in_words([False] * 3) == "No error is seen to move"
    assert in_words([True] * 3) == "All three errors move" and in_words([False, True, False]) == "SKCE moves"
