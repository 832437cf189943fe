"""What the pictures of notebook 01 say in their headlines is decided by rules, tested on both sides."""

import numpy as np
import pytest

from calibtutor.lessons.notions.bumps import TOUCH, does_it_pay, matrix_and_length, what_bumps_do
from calibtutor.lessons.notions.exercises import check
from calibtutor.lessons.notions.games import how_far
from calibtutor.lessons.notions.nudge import EXACT as NONE
from calibtutor.lessons.notions.nudge import NAMES, small_nudge, who_wins
from calibtutor.lessons.notions.scenes import (
    EXACT,
    NODES,
    RARE,
    accuracy_and_calibration,
    do_groups_differ,
    ladder,
    moved,
    murphy_dials,
    murphy_verdict,
    on_or_against,
    p_of_equal_gaps,
    perfect_diagonal,
    stands_out,
    what_diagrams_see,
    what_is_broken,
    what_it_earns,
)

SEEN, UNSEEN = 2 * EXACT, EXACT / 2


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ((UNSEEN, UNSEEN, UNSEEN), "Every promise is kept"),
        ((UNSEEN, UNSEEN, SEEN), "Both diagrams are perfect"),
        ((UNSEEN, SEEN, SEEN), "The top label looks perfect; “each class” and the whole vector do not"),
        ((SEEN, UNSEEN, SEEN), "Each class looks perfect; “top label” and the whole vector do not"),
        ((SEEN, SEEN, SEEN), "Both diagrams see"),
    ],
)
def test_a_diagram_sees_what_is_not_rounding(errors, said):
    assert what_diagrams_see(*errors).startswith(said)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("", "Every notion holds"),
        ("c", "Only “canonical” is broken"),
        ("cw", "Broken: canonical and class-wise"),
        ("cwp", "Only “top label” holds"),
        ("cpt", "Only “class-wise” holds"),
        ("cwpt", "All four notions are broken"),
    ],
)
def test_a_notion_is_broken_by_more_than_rounding(broken, said):
    errors = {notion: SEEN if letter in broken else UNSEEN for notion, letter in zip(NODES, "cwpt", strict=True)}
    assert what_is_broken(errors).startswith(said)


def test_the_larger_part_of_a_score_is_named():
    assert murphy_verdict(0.2, 0.3) == "Sharpness saves 0.300, calibration error costs 0.200"
    assert murphy_verdict(0.3, 0.2) == "Calibration error costs 0.300, more than sharpness saves"
    assert murphy_verdict(UNSEEN, 0.2).startswith("Every promise is kept")
    assert murphy_verdict(SEEN, 0.2).startswith("Sharpness saves")
    assert murphy_verdict(0.2, UNSEEN).startswith("Nothing told apart")
    assert murphy_verdict(UNSEEN, UNSEEN).startswith("The same answer for all")


def test_a_bet_that_earns_little_still_earns():
    assert what_it_earns("linear", 1e-13) == "Linear bets earn nothing: blind to this error"
    assert what_it_earns("linear", 1e-7) == "Linear bets earn 1e-07, so this error is barely seen"
    assert what_it_earns("linear", 0.0004).endswith("barely seen")
    assert what_it_earns("linear", 0.0006) == "Linear bets earn 0.001, so this error is seen"


def test_a_bet_is_on_what_it_raises_or_against_what_it_lowers():
    assert on_or_against(np.array([-0.1, 0.3, -0.2])) == "on “human”"
    assert on_or_against(np.array([-0.29, 0.09, 0.2])) == "on “animal”"
    assert on_or_against(np.array([-0.31, 0.11, 0.2])) == "against “object”"


def test_a_cell_stands_out_beyond_three_standard_errors_and_with_ten_digits():
    said, count = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]), np.array([100, 100])
    three = 3 * np.sqrt(0.5 * 0.5 / 100)
    assert stands_out(said, said + np.array([[0.99, 0, 0], [0, 0, 0]]) * three, count) is None
    beyond = said + np.array([[-1.01, 0, 0], [0, 0, 0]]) * three
    assert tuple(stands_out(said, beyond, count)) == (0, 0)
    further = beyond + np.array([[0, 0, 0], [0, 0, 0.3]])
    assert tuple(stands_out(said, further, count)) == (1, 2)  # the larger miss of two that stand out
    assert tuple(stands_out(said, further, np.array([100, 9]))) == (0, 0)
    assert stands_out(said, said + 0.4, np.array([9, 9])) is None


def test_a_temperature_moves_an_error_by_a_thousandth_or_leaves_it():
    assert moved("A forest", 0.5, 0.2, 0.1985) == "A forest: calibration error down from 0.200 to 0.199"
    assert moved("A forest", 0.5, 0.2, 0.2015).startswith("A forest: calibration error up")
    assert moved("A forest", 0.5, 0.2, 0.2005) == "A forest: calibration error stays at 0.201"
    assert moved("A forest", 1, 0.2, 0.2) == "A forest: calibration error 0.200 as it is"


def test_groups_differ_when_chance_would_rarely_make_them():
    error = np.array([0.01, 0.01])

    def says(apart):  # two groups that lie so many standard errors of their difference apart
        return do_groups_differ(np.array([0, apart * np.sqrt(2) * 0.01]), error)

    assert says(1.96)[0] == pytest.approx(0.05, abs=1e-3)  # as a two-sided normal test
    assert says(1.9)[1].endswith("their differences may be chance")
    assert says(2.0)[1].endswith("suggestive, no proof")
    assert says(3.2)[1].endswith("suggestive, no proof")
    assert says(3.4)[1].endswith("more than chance explains")
    assert do_groups_differ(np.array([0.2]), np.array([0.01]))[1].startswith("One group")


def test_a_p_value_of_equal_gaps_is_rare_below_one_in_a_thousand():
    gap, error = np.array([0, 0.0466]), np.array([0.01, 0.01])
    assert p_of_equal_gaps(gap, error) < RARE < p_of_equal_gaps(gap * 0.99, error)
    assert p_of_equal_gaps(gap[:1], error[:1]) == 1


def test_the_game_says_how_far_once_a_bet_was_moved():
    assert how_far(0, 0.09, False) == "No bet is placed. The best bets earn 0.090"
    assert how_far(0, 0.09, True) == "Your bets earn 0.000, the best earn 0.090"
    assert how_far(0.045, 0.09, True) == "Your bets earn 0.045: 50% of the best"
    assert how_far(-0.045, 0.09, True) == "Your bets lose 0.045, the best earn 0.090"
    assert how_far(0.0895, 0.09, True).endswith("99% of the best")
    assert how_far(0.08957, 0.09, True).endswith("within half a percent of the best")
    assert how_far(0.09, 0.09, True).endswith("nothing better is allowed")


@pytest.mark.parametrize(
    ("similar", "weights", "said"),
    [
        (0.9 * TOUCH, (1, 1), "Bumps that hardly meet: ‖b‖² = 2.09, about the sum"),
        (0.5, (1, 1), "Bumps that meet add up: ‖b‖² = 3.00, the sum of β² is 2.00"),
        (0.5, (1, -1), "Bumps that meet cancel: ‖b‖² = 1.00, the sum of β² is 2.00"),
        (0.5, (1, 0), "‖b‖² = 1.00, as the sum of β²"),
    ],
)
def test_bumps_meet_add_up_or_cancel(similar, weights, said):
    assert what_bumps_do(np.array([[1, similar], [similar, 1]]), np.array(weights)).startswith(said)


def test_a_bump_of_weight_zero_meets_nobody():
    K = matrix_and_length((0.2, 0.5, 0.8), np.ones(3), 0.2)[0]
    assert what_bumps_do(K, np.array([1, 0, 1])).startswith("Bumps that hardly meet")
    assert what_bumps_do(K, np.array([1, 0.1, 1])).startswith("Bumps that meet add up")


def test_the_ladder_describes_no_fault_at_strength_zero():
    shown = ladder().set(strength=0.0)
    assert "too shy" not in shown.sentence and "too shy" in shown.set(strength=0.1).sentence


def test_what_a_guess_asks_is_not_shown_as_its_picture_opens():
    assert perfect_diagonal().values["t"] == 0 and murphy_dials().values == {"merge": 0, "exaggerate": 1.0}
    shown = accuracy_and_calibration()
    assert len(shown.artists["fan"].get_xdata()) == 0 and "stays" not in shown.finding.drawn
    shown.set(temperature=0.5)
    assert len(shown.artists["fan"].get_xdata()) > 1 and "stays" in shown.finding.drawn


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("kernel_matrix", lambda p, q, g: np.exp(-((p - q) ** 2) / (2 * g**2)), "p[:, None] - q[None, :]"),
        ("kernel_matrix", lambda p, q, g: np.exp(-((p[:, None] - q) ** 2) / 2 * g**2), "Parentheses"),
    ],
)
def test_a_slip_in_a_kernel_gets_its_hint(name, answer, said):
    assert said in getattr(check, name)(answer).text


def test_a_bet_pays_where_it_was_not_placed_or_loses():
    assert does_it_pay(0.2, 0.1) == "Placed, it earns 0.200; on the other half 0.100"
    assert does_it_pay(0.2, -0.1) == "Placed: 0.200. On the other half it loses 0.100"
    assert does_it_pay(np.nan, np.nan).startswith("No length")


@pytest.mark.parametrize(
    ("larger", "said"),
    [
        ((), "By no measure is “always .6” the better model"),
        (("ece",), "By the ECE alone, “always .6” is the better model"),
        (("ece", "smece"), "By the ECE and smECE, “always .6” is the better model"),
        (("ece", "smece", "distance"), "By all but Lipschitz bets, “always .6” is the better model"),
        (tuple(NAMES), "By every measure “always .6” is the better model"),
    ],
)
def test_a_measure_calls_the_model_better_whose_error_is_smaller(larger, said):
    assert who_wins({name: 0.1 + (2 if name in larger else -2) * NONE for name in NAMES}, 0.1) == said


def test_without_an_error_nothing_is_compared():
    assert who_wins(dict.fromkeys(NAMES, NONE / 2), 0.1).startswith("Every error is 0")
    shown = small_nudge()
    assert shown.headline == "By the ECE alone, “always .6” is the better model"
    assert shown.set(nudge=0.05).headline == "By the ECE and smECE, “always .6” is the better model"
    for nudge in (0.0, 0.5):
        assert shown.set(nudge=nudge).headline.startswith("Every error is 0")
