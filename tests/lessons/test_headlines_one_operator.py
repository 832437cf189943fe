"""The judgements in the headlines of notebook 07, on both sides of their thresholds."""

import numpy as np
import pytest
from scipy.stats import chi2

from calibtutor.lessons.one_operator.scenes import (
    CHI_SQUARE,
    beside_noise,
    here_or_everywhere,
    ranked,
    what_moves,
    who_is_ahead,
    yellow_dot,
)


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (2.06, "Random forest looks 2.1 times better"),
        (1.06, "Random forest looks 1.1 times better"),
        (1.04, "Naive Bayes and random forest look nearly equal"),
        (0.96, "Naive Bayes and random forest look nearly equal"),
        (0.5, "Naive Bayes looks 2.0 times better"),
        (0.08, "Naive Bayes looks 12 times better"),
    ],
)
def test_the_smaller_error_is_ahead(ratio, said):
    assert who_is_ahead("naive Bayes", "random forest", ratio) == said


def test_places_and_how_often_neighbours_come_back():
    values = np.array([[1, 2], [3, 1], [2, 3]])
    elsewhere = np.stack([values, values[[1, 0, 2]], values * 1.0], axis=-1)
    places, counts = ranked(values, elsewhere)
    assert places.tolist() == [[1, 2], [3, 1], [2, 3]]
    assert counts.tolist() == [[2, 2], [2, 3]]


def test_an_order_that_few_other_splits_have_is_one_of_this_split():
    assert here_or_everywhere("A looks better", 18) == "A looks better"
    assert here_or_everywhere("A looks better", 17) == "A looks better, in this split"


def test_a_direction_is_above_noise_beyond_the_quantile():
    assert pytest.approx(chi2.ppf(0.95, 1), abs=0.01) == CHI_SQUARE
    assert beside_noise(3.8) == ", maybe noise alone" and beside_noise(3.9) == ""


def test_a_dot_outside_the_picture_is_said_to_be_there():
    assert yellow_dot(2e-5, 1e-5) == "the yellow dot is"
    assert yellow_dot(3e-7, 1e-5) == "left of the axis,"


def test_what_moves_is_named_and_what_stays_is_not():
    still, moved = (1, 1.04), (2.93, 1.26)
    assert what_moves(still, still) == "Nothing moved: the data and λ are as they were"
    assert what_moves(still, (1, 84.55)) == "The same data, another λ: CKCE × 84.5"
    assert what_moves(moved, still) == "The same λ, other data: SKCE × 2.93, CKCE × 1.26"
    assert what_moves((0.26, 0.53), (1, 1.06)) == "Other data: SKCE × 0.26. Another λ: CKCE × 1.06"
