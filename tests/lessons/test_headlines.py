"""Headlines that judge: on both sides of where their words change. (function, its arguments, words of the answer)"""

import numpy as np
import pytest

from calibtutor.lessons.bets_and_kernels import scenes as scenes_04
from calibtutor.lessons.bins import scenes as scenes_02
from calibtutor.lessons.bounds import full_size as full_size_f01
from calibtutor.lessons.case_studies import networks
from calibtutor.lessons.case_studies import scenes as cases
from calibtutor.lessons.chance import scenes as scenes_03
from calibtutor.lessons.estimation_risk import scenes as scenes_06
from calibtutor.lessons.for_whom import scenes as scenes_09
from calibtutor.lessons.kernel_density import scenes as scenes_05
from calibtutor.lessons.kernel_ridge import scenes as scenes_07
from calibtutor.lessons.kernel_tests import scenes as scenes_08
from calibtutor.lessons.map_and_repair import scenes as scenes_10
from calibtutor.lessons.notions import scenes as scenes_01
from calibtutor.lessons.one_operator import scenes as scenes_13
from calibtutor.lessons.random_features import scenes as scenes_f03
from calibtutor.lessons.shared import pvalues, verdicts
from calibtutor.lessons.shared.splits_of_digits import in_spreads
from calibtutor.lessons.start import scenes as scenes_00
from calibtutor.lessons.what_moved import scenes as scenes_12
from calibtutor.lessons.your_own_model.board import board, put
from calibtutor.plots import new_figure, ten_to

SEEN, UNSEEN = 2 * scenes_01.EXACT, scenes_01.EXACT / 2
RACE = {"D_b": 0, "A_uq": 44, "exact": 29, "aggregated": 53}
WORLDS = {"kkr": 1.0, "ukkr": 1.0}
PAIRS = {"l = 1": 0.08, "k = 1": 0.081, "both, wide": 0.5, "both, narrow": 0.9}
BY_BRIER = {"Brier": {"a": [1], "b": [2]}, "age": {"a": [50], "b": [56]}}
FULL = {"exact": 0.05, "A_l": 0.34, "D_b": 0.0}
ELSEWHERE = np.array([[1, 3, 5], [9, 9, 1]]), np.array([[2, 2, 6], [8, 7, 6]])
FOUND = np.array([[0.3, 0.3, 0.3, 0.3], [0.1, 0.2, 0.1, -0.1]])  # biased, unbiased


def spreads(k):
    """400 values of mean 0, and what lies k of their standard errors away."""
    values = np.tile([-1.0, 1.0], 200)
    return values, k * values.std(ddof=1) / 20


def quarters(first, last, overall=0.01, error=0.02):
    return overall, 0.01, np.array([first, 0.039, 0.0, last]), np.array([0.02, 0.02, 0.02, error])


JUDGED = [
    (scenes_00.verdict, (0.021,), "over-confident"), (scenes_00.verdict, (0.019,), "about right"),
    (scenes_00.verdict, (-0.019,), "about right"), (scenes_00.verdict, (-0.021,), "under-confident"),
    (scenes_01.what_diagrams_see, (UNSEEN, UNSEEN, UNSEEN), "Canonically calibrated"),
    (scenes_01.what_diagrams_see, (UNSEEN, UNSEEN, SEEN), "Both diagrams are perfect"),
    (scenes_01.what_diagrams_see, (UNSEEN, SEEN, SEEN), "The top label looks perfect"),
    (scenes_01.what_diagrams_see, (SEEN, UNSEEN, SEEN), "Each class looks perfect"),
    (scenes_01.what_diagrams_see, (SEEN, SEEN, SEEN), "Both diagrams see"),
    (scenes_01.moved, ("A", 0.5, 0.2, 0.1985), "down from 0.200 to 0.199"),
    (scenes_01.moved, ("A", 0.5, 0.2, 0.2015), "up"), (scenes_01.moved, ("A", 0.5, 0.2, 0.2005), "stays at 0.201"),
    (scenes_01.moved, ("A", 1, 0.2, 0.2), "as it is"),
    (scenes_04.how_far, (0, 0.09, [1, 1]), "The same bet everywhere earns 0.000, the best six 0.090"),
    (scenes_04.how_far, (0.0895, 0.09, [1, 0]), "99% of the best"),
    (scenes_04.how_far, (0.09, 0.09, [1, 0]), "nothing better"),
    (scenes_04.what_bumps_do, (np.eye(2) + 0.9 * scenes_04.TOUCH * (1 - np.eye(2)), np.ones(2)), "hardly meet"),
    (scenes_04.what_bumps_do, (np.array([[1, 0.5], [0.5, 1]]), np.array([1, 1])), "add up: ‖b‖² = 3.00"),
    (scenes_04.what_bumps_do, (np.array([[1, 0.5], [0.5, 1]]), np.array([1, -1])), "cancel: ‖b‖² = 1.00"),
    (scenes_02.does_the_ruler_decide, ([0.02, 0.013, 0.01],), True),
    (scenes_02.does_the_ruler_decide, ([0.0199, 0.013, 0.01],), False), (scenes_02.share_seen, (0.0049, 1), "none"),
    (scenes_02.share_seen, (0.996, 1), "all"), (scenes_05.keeps_its_mass, (1.0049,), True),
    (scenes_05.keeps_its_mass, (1.0051,), False), (scenes_05.what_is_left, (0.07, 0.17, 0.149, False), "Too flat"),
    (scenes_05.what_is_left, (0.07, 0.17, 0.151, False), ""),
    (scenes_05.what_is_left, (0.76 * 0.17, 0.17, 1.0, True), "Too narrow"),
    (scenes_05.what_is_left, (0.74 * 0.17, 0.17, 1.0, True), ""), (scenes_05.is_a_comb, (1.59e-5, 1000), True),
    (scenes_05.is_a_comb, (1.61e-5, 1000), False), (ten_to, (1e-5,), "10⁻⁵"), (ten_to, (9.96e-5,), "10⁻⁴"),
    (ten_to, (10**-6.75,), "1.8·10⁻⁷"), (scenes_06.is_biased, spreads(2.99), False),
    (scenes_06.is_biased, spreads(-3.01), True),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 1.021}, {"kkr": 1, "ukkr": 2}, WORLDS, 1), "its risk is the smaller one"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 1.021}, {"kkr": 2, "ukkr": 1}, WORLDS, 1), "its risk is the larger one"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 1.019}, {"kkr": 1, "ukkr": 2}, WORLDS, 1), "equally far"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 2}, WORLDS, {"kkr": 0.099, "ukkr": 0.01}, 1), "vanished"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 2}, {"kkr": 1, "ukkr": 2}, {"kkr": 0.101, "ukkr": 0.01}, 1), "is nearer"),
    (scenes_07.miss_in_words, (0.0051,), "over-confident by 0.01"), (scenes_07.miss_in_words, (0.0049,), "no miss"),
    (scenes_07.miss_in_words, (-0.0049,), "no miss"), (scenes_07.miss_in_words, (-0.35,), "under-confident by 0.35"),
    (scenes_03.against_chance, (0.01,), "worse than chance"), (scenes_03.against_chance, (0.011,), "seldom"),
    (scenes_03.against_chance, (0.05,), "seldom"), (scenes_03.against_chance, (0.051,), "chance does that as well"),
    (scenes_08.estimators_headline, (0.1, FOUND, True, 20), "says 0.2000 too much at n = 20"),
    (scenes_08.estimators_headline, (0.1, FOUND, False, 20), "near the truth"),
    (pvalues.colour_of, (0.05,), scenes_04.MISS), (pvalues.colour_of, (0.051,), scenes_04.KEPT),
    (scenes_08.race_headline, (True, ["A_uq"], RACE), "False alarms: the bootstrap in 44 of 81"),
    (scenes_08.race_headline, (False, [], RACE | {"exact": 55}), "The exact test finds the error most often: in 55"),
    (scenes_03.redraw_headline, ([True, False], [0.11, 0.03]), "pairs: 11% false alarms, labels 3%"),
    (scenes_03.redraw_headline, ([True, False], [0.08, 0.04]), "if not yet at level 5%"),
    (scenes_08.off_target, (0.031, 0, 0.01), True), (scenes_08.off_target, (-0.029, 0, 0.01), False),
    (scenes_04.witness_headline, ("naive Bayes", 1, -0.1, 0.05), "too often, near that corner"),
    (scenes_04.witness_headline, ("naive Bayes", 1, 0.1, 0.05), "too seldom"),
    (scenes_04.witness_headline, ("naive Bayes", 1, -0.1, 0.06), "chance draws such arrows"),
    (full_size_f01.on_target, (0.103, 0.1, 0.1, 10_000), True),
    (full_size_f01.on_target, (0.1032, 0.1, 0.1, 10_000), False),
    (full_size_f01.on_target, (0.1009, 0.1, 0.001, 10_000), True),
    (full_size_f01.on_target, (0.1011, 0.1, 0.001, 10_000), False),
    (full_size_f01.errors_headline, (FULL | {"D_b": 0.0099}, ["A_l"], True), "1 of the 2 other tests finds nothing"),
    (full_size_f01.errors_headline, (FULL | {"D_b": 0.01}, ["A_l"], True), "the weakest in 1%"),
    (scenes_03.looks_headline, (10, 0.08, 0.03, 0.07), "10 looks: false alarms in 8% of calibrated models, not in 5%"),
    (scenes_09.on_average_and_worst, quarters(-0.09, 0.13), "13 points over-confident in the most worn quarter"),
    (scenes_09.on_average_and_worst, quarters(-0.041, 0.03), "4 points under-confident in the cleanest quarter"),
    (scenes_09.on_average_and_worst, quarters(-0.039, 0.03), "no quarter is off beyond chance"),
    (scenes_09.on_average_and_worst, quarters(0.1, 0.3, error=0.2), "cleanest quarter"),
    (scenes_09.on_average_and_worst, quarters(0, 0, 0.021), "2 points over-confident on average"),
    (scenes_10.in_words, (0.3, 0.01, False), "unknown"), (scenes_10.in_words, (0.021, 0.01, True), "over-confident"),
    (scenes_10.in_words, (-0.021, 0.01, True), "under-confident"),
    (scenes_10.in_words, (0.019, 0.01, True), "within chance"),
    (scenes_10.rows_headline, (11 / 400, 0.11), "2.8% rejected, too rarely"),
    (scenes_10.rows_headline, (30 / 400, 0.11), "too often"),
    (scenes_10.too_many, (np.array([11, 12]) / 120, 120), [False, True]),
    (scenes_09.bet_headline, (0.5, 0.2, PAIRS, 0.1), "50% of such errors; “both, narrow” finds 90%"),
    (scenes_09.bet_headline, (0.1, 0.2, PAIRS, 0.1), "no more than chance; “both, narrow” finds 90%"),
    (scenes_09.bet_headline, (0.9, 0.2, PAIRS, 0.9), "Neither your bet nor a pair"),
    (scenes_12.steadiness, ((0.56, 0.1, 0.57),), "moves least: down to 57%"),
    (scenes_12.steadiness, ((0.56, 0.1, 0.55),), "does not move least"),
    (scenes_12.what_it_does, (True, False, 0.021), "rises by 2%"),
    (scenes_12.what_it_does, (False, True, -0.019), "stays"),
    (scenes_13.who_is_ahead, ("A", "B", 1.06), "B looks 1.1 times better"),
    (scenes_13.who_is_ahead, ("A", "B", 1.04), "nearly equal"),
    (scenes_13.who_is_ahead, ("A", "B", 0.96), "nearly equal"),
    (scenes_13.who_is_ahead, ("A", "B", 0.94), "A looks 1.1"),
    (scenes_13.ratios, (np.array([2, 3]), np.array([4, 1]), *ELSEWHERE), [[0.5, 3], [2, 2]]),
    (scenes_f03.steadiest, ((0.76, 0.7, 0.5),), "CKCE moves least: down to 76%"),
    (scenes_f03.steadiest, ((0.74, 0.5, 0.7),), "moves as with one: down to 74%"),
    (cases.at_a_place, (0.041, 0.02), "4 points too high"), (cases.at_a_place, (-0.041, 0.02), "4 points too low"),
    (cases.at_a_place, (0.039, 0.02), "right within chance"), (cases.at_a_place, (-0.039, 0.02), "right within chance"),
    (cases.company, (1.49,), "nobody"), (cases.company, (1.51,), "about 1 other"),
    (networks.said_of, (0.041, 0.02), "4.1 points too much"), (networks.said_of, (-0.039, 0.02), "off within noise"),
    (networks.against_nothing, ("kkr", 0.5, 9, 6, 10), "kkr beats h = 0 in 9 of 10 splits, by 50% of a ±"),
    (networks.against_nothing, ("kkr", 0.5, 9, 5, 10), "rarely told"),
    (networks.against_nothing, ("h = 0", 0, 0, 0, 10), "no mean risk is below"),
    (cases.scores_and_truth, (BY_BRIER, {"age": 55}), "b is nearest"),
    (cases.scores_and_truth, (BY_BRIER, {"age": 52}), "and is nearest"),
    (in_spreads, (np.array([0.0, 3.0]), np.array([0.0, 1.5])), [0, 2]),
    (verdicts.beyond, (np.array([0.021, 0.019, -0.021, -0.019]), 0.01), [True, False, True, False]),
    (pvalues.by_chance, (100,), (0.01, 0.1)), (pvalues.raises_false_alarms, (*pvalues.steps(np.ones(50)), 50), False),
    (pvalues.raises_false_alarms, (*pvalues.steps(np.linspace(0, 1, 50) ** 2), 50), True)]


@pytest.mark.parametrize(("judge", "given", "said"), JUDGED, ids=[each[0].__name__ for each in JUDGED])
def test_words_change_where_they_should(judge, given, said):
    found = judge(*given)
    if not isinstance(said, str):
        assert np.array_equal(found, said)
    else:
        found = found if isinstance(found, str) else found[1]  # what it goes by comes first, or whom it names
        assert said in found if said else found == ""


def test_a_cell_stands_out_beyond_three_standard_errors_and_with_ten_digits():
    said, count = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]]), np.array([100, 100])
    three = np.array([[3 * np.sqrt(0.5 * 0.5 / 100), 0, 0], [0, 0, 0]])
    assert scenes_01.stands_out(said, said + 0.99 * three, count) is None
    assert tuple(scenes_01.stands_out(said, said - 1.01 * three, count)) == (0, 0)
    further = said - 1.01 * three + np.array([[0, 0, 0], [0, 0, 0.3]])
    assert tuple(scenes_01.stands_out(said, further, count)) == (1, 2)  # the larger miss of two that stand out
    assert tuple(scenes_01.stands_out(said, further, np.array([100, 9]))) == (0, 0)


def test_four_standard_errors_are_one_percent():
    """The least regular sum of pairs is (chi-square − 1)/√2: four standard errors leave 1 % above."""
    draws = np.random.default_rng(0).standard_normal(1_000_000) ** 2
    assert abs(((draws - 1) / np.sqrt(2) > scenes_09.OUT).mean() - 0.01) < 0.0005


NAMES = [("all rows", "gap"), ("all rows", "slope"), *(("scanner", str(k)) for k in range(1, 5)), ("digit", "0")]


@pytest.mark.parametrize(("p", "told"), [([1, 1, 1, 1, 1, 1, 1], ["nothing found"] * 3),
                                         ([0.05, 0.051, 1, 0.01, 1, 1, 1], ["found: gap", "found: 2", "nothing found"]),
                                         ([1, 0, 0, 0, 0, 0, 7], ["found: slope", "4 found", "nothing found"])])
def test_what_is_found_is_said(p, told):
    is_found, said = put(board(new_figure(), NAMES), p, NAMES)
    assert said == told and is_found.tolist() == [each <= 0.05 for each in p]


def test_a_number_is_written_with_a_real_minus_and_no_sign_at_zero():
    assert [verdicts.written(x) for x in (0, 0.25, -0.25, -0.0001)] == ["0", "0.250", "−0.250", "0.000"]
    assert [verdicts.written(x, 2, sign="+") for x in (0.25, -0.25, 0.001)] == ["+0.25", "−0.25", "0.00"]
