"""Headlines that judge: on both sides of where their words change. (function, its arguments, words of the answer)"""

import numpy as np
import pytest

from calibtutor.lessons.bets_and_kernels import bumps as bumps_04
from calibtutor.lessons.bets_and_kernels import games as games_04
from calibtutor.lessons.bets_and_kernels import scenes as scenes_04
from calibtutor.lessons.bins import games as games_02
from calibtutor.lessons.bins import scenes as scenes_02
from calibtutor.lessons.bins_and_bets import scenes as scenes_f05
from calibtutor.lessons.bounds import full_size as full_size_f01
from calibtutor.lessons.bounds import scenes as scenes_f01
from calibtutor.lessons.case_studies import scenes as cases
from calibtutor.lessons.chance import games as games_03
from calibtutor.lessons.chance import scenes as scenes_03
from calibtutor.lessons.estimation_risk import games as games_06
from calibtutor.lessons.estimation_risk import scenes as scenes_06
from calibtutor.lessons.for_whom import scenes as scenes_09
from calibtutor.lessons.kernel_density import scenes as scenes_05
from calibtutor.lessons.kernel_ridge import games as games_07
from calibtutor.lessons.kernel_ridge import scenes as scenes_07
from calibtutor.lessons.kernel_tests import scenes as scenes_08
from calibtutor.lessons.map_and_repair import scenes as scenes_10
from calibtutor.lessons.notions import scenes as scenes_01
from calibtutor.lessons.one_operator import scenes as scenes_13
from calibtutor.lessons.shared import pvalues, verdicts
from calibtutor.lessons.shared.splits_of_digits import in_spreads
from calibtutor.lessons.start import scenes as scenes_00
from calibtutor.lessons.what_moved import games as games_12
from calibtutor.lessons.what_moved import scenes as scenes_12
from calibtutor.lessons.your_own_model.board import board, put
from calibtutor.plots import new_figure

SEEN, UNSEEN = 2 * scenes_01.EXACT, scenes_01.EXACT / 2
RACE = {"C on an ECE": 80, "D_b": 0, "exact": 29, "aggregated": 53}
WORLDS = {"kkr": 1.0, "ukkr": 1.0}
PAIRS = {"l = 1": 0.08, "k = 1": 0.081, "both, wide": 0.5, "both, narrow": 0.9}
GROUPS = {"women": (3, 0, 40), "men": (7, 12, 41)}
BY_BRIER = {"Brier": {"a": [1], "b": [2]}, "age": {"a": [50], "b": [56]}}
MODELS = ("logistic regression", "naive Bayes")
FULL = {"exact": 0.05, "A_l": 0.34, "D_b": 0.0}
FOUND = np.array([[0.3, 0.3, 0.3, 0.3], [0.1, 0.2, 0.1, -0.1]])  # biased, unbiased


def notions(broken):
    """An error of each notion, c, w, p or t, beyond rounding if it is among these letters."""
    letters = zip(scenes_01.NODES, "cwpt", strict=True)
    return {notion: SEEN if letter in broken else UNSEEN for notion, letter in letters}


def spreads(k):
    """400 values of mean 0, and what lies k of their standard errors away."""
    values = np.tile([-1.0, 1.0], 200)
    return values, k * values.std(ddof=1) / 20


def quarters(first, last, overall=0.01, error=0.02):
    return overall, 0.01, np.array([first, 0.039, 0.0, last]), np.array([0.02, 0.02, 0.02, error])


JUDGED = [
    # 00
    (scenes_00.verdict, (0.021,), "over-confident"), (scenes_00.verdict, (0.019,), "about right"),
    (scenes_00.verdict, (-0.019,), "about right"), (scenes_00.verdict, (-0.021,), "under-confident"),
    # 01
    (scenes_01.what_diagrams_see, (UNSEEN, UNSEEN, UNSEEN), "Canonically calibrated"),
    (scenes_01.what_diagrams_see, (UNSEEN, UNSEEN, SEEN), "Both diagrams are perfect"),
    (scenes_01.what_diagrams_see, (UNSEEN, SEEN, SEEN), "The top label looks perfect"),
    (scenes_01.what_diagrams_see, (SEEN, UNSEEN, SEEN), "Each class looks perfect"),
    (scenes_01.what_diagrams_see, (SEEN, SEEN, SEEN), "Both diagrams see"),
    (scenes_01.what_is_broken, (notions(""),), "Every notion holds"),
    (scenes_01.what_is_broken, (notions("c"),), "Only “canonical” fails"),
    (scenes_01.what_is_broken, (notions("cw"),), "These fail: canonical and class-wise"),
    (scenes_01.what_is_broken, (notions("cwp"),), "Only “top label” holds"),
    (scenes_01.what_is_broken, (notions("cwpt"),), "All four notions fail"),
    (scenes_01.murphy_verdict, (0.2, 0.3), "Sharpness saves 0.300"),
    (scenes_01.murphy_verdict, (0.3, 0.2), "more than sharpness saves"),
    (scenes_01.murphy_verdict, (UNSEEN, 0.2), "Calibrated, and sharpness saves 0.200"),
    (scenes_01.murphy_verdict, (0.2, UNSEEN), "Sharpness is 0"),
    (scenes_01.murphy_verdict, (UNSEEN, UNSEEN), "The same answer for all"),
    (scenes_f05.what_it_earns, ("linear", 1e-13), "nothing: blind"),
    (scenes_f05.what_it_earns, ("linear", 0.0004), "barely seen"),
    (scenes_f05.what_it_earns, ("linear", 0.0006), "0.001, so this error is seen"),
    (scenes_f05.high_or_low, (np.array([0.29, -0.09, -0.2]),), "“animal” is too low"),
    (scenes_f05.high_or_low, (np.array([0.31, -0.11, -0.2]),), "“object” is too high"),
    (scenes_01.moved, ("A", 0.5, 0.2, 0.1985), "down from 0.200 to 0.199"),
    (scenes_01.moved, ("A", 0.5, 0.2, 0.2015), "up"), (scenes_01.moved, ("A", 0.5, 0.2, 0.2005), "stays at 0.201"),
    (scenes_01.moved, ("A", 1, 0.2, 0.2), "as it is"),
    (games_04.how_far, (0, 0.09, [0, 0]), "No bet is placed"),
    (games_04.how_far, (0, 0.09, [1, 1]), "The same bet everywhere earns 0.000, the best six 0.090"),
    (games_04.how_far, (-0.045, 0.09, [1, 0]), "lose 0.045"),
    (games_04.how_far, (0.0895, 0.09, [1, 0]), "99% of the best"),
    (games_04.how_far, (0.09, 0.09, [1, 0]), "nothing better"),
    (bumps_04.what_bumps_do, (np.eye(2) + 0.9 * bumps_04.TOUCH * (1 - np.eye(2)), np.ones(2)), "hardly meet"),
    (bumps_04.what_bumps_do, (np.array([[1, 0.5], [0.5, 1]]), np.array([1, 1])), "add up: ‖b‖² = 3.00"),
    (bumps_04.what_bumps_do, (np.array([[1, 0.5], [0.5, 1]]), np.array([1, -1])), "cancel: ‖b‖² = 1.00"),
    (bumps_04.what_bumps_do, (np.array([[1, 0.5], [0.5, 1]]), np.array([1, 0])), "‖b‖² = 1.00, as the sum of β²"),
    (bumps_04.does_it_pay, (0.2, 0.1), "0.100 on the other half"),
    (bumps_04.does_it_pay, (0.2, -0.1), "loses 0.100 on the other"),
    (bumps_04.does_it_pay, (np.nan, np.nan), "No length"),
    # 02
    (scenes_02.does_the_ruler_decide, ([0.02, 0.013, 0.01],), True),
    (scenes_02.does_the_ruler_decide, ([0.0199, 0.013, 0.01],), False),
    (scenes_02.does_the_ruler_decide, ([0, 0.001],), True),
    (scenes_02.share_seen, (0.0049, 1), "none"), (scenes_02.share_seen, (0.0051, 1), "1%"),
    (scenes_02.share_seen, (0.994, 1), "99%"), (scenes_02.share_seen, (0.996, 1), "all"),
    (scenes_02.best_bins, ([2, 5, 12],), "grows from 2 to 12"),
    (scenes_02.best_bins, ([12, 5, 2],), "falls from 12 to 2"),
    (scenes_02.best_bins, ([1, 1, 1],), "is 1, however many"), (scenes_02.best_bins, ([3, 5, 3],), "stays near 3"),
    (scenes_05.keeps_its_mass, (1.0049,), True), (scenes_05.keeps_its_mass, (1.0051,), False),
    (scenes_05.keeps_its_mass, (0.9951,), True), (scenes_05.keeps_its_mass, (0.9949,), False),
    (scenes_05.what_is_left, (0.07, 0.17, 0.149, False), "Too flat"),
    (scenes_05.what_is_left, (0.07, 0.17, 0.151, False), ""),
    (scenes_05.what_is_left, (0.76 * 0.17, 0.17, 1.0, True), "Too narrow"),
    (scenes_05.what_is_left, (0.74 * 0.17, 0.17, 1.0, True), ""),
    (scenes_05.what_is_left, (0.26, 0.17, 0.4, False), ""),
    (scenes_05.is_a_comb, (1.59e-5, 1000), True), (scenes_05.is_a_comb, (1.61e-5, 1000), False),
    (scenes_05.ten_to, (0.001,), "0.001"), (scenes_05.ten_to, (1e-5,), "10⁻⁵"), (scenes_05.ten_to, (9.96e-5,), "10⁻⁴"),
    (scenes_05.ten_to, (10**-6.75,), "1.8·10⁻⁷"),
    (scenes_05.beside_chance, (0, 20), "nowhere"), (scenes_05.beside_chance, (19, 20), "at 19 of 20"),
    (scenes_05.beside_chance, (20, 20), "at every bandwidth"),
    # 03
    (scenes_06.is_biased, spreads(2.99), False), (scenes_06.is_biased, spreads(-3.01), True),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 1.021}, {"kkr": 1, "ukkr": 2}, WORLDS, 1), "its risk is the smaller one"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 1.021}, {"kkr": 2, "ukkr": 1}, WORLDS, 1), "its risk is the larger one"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 1.019}, {"kkr": 1, "ukkr": 2}, WORLDS, 1), "equally far"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 2}, WORLDS, {"kkr": 0.099, "ukkr": 0.01}, 1), "vanished"),
    (scenes_07.nearer, ({"kkr": 1, "ukkr": 2}, {"kkr": 1, "ukkr": 2}, {"kkr": 0.101, "ukkr": 0.01}, 1), "is nearer"),
    (scenes_06.ruled_out, (0, 5, False), "rules out nothing"), (scenes_06.ruled_out, (0, 5, True), "only “no error”"),
    (scenes_06.ruled_out, (2, 5, True), "2 of 5, and “no error”"),
    (scenes_06.ruled_out, (5, 5, False), "all 5, but not"),
    (games_07.what_splits_say, (4, 20, 0.00099), "told apart in 4 of 20; exact test: R = 0.00099"),
    (games_06.beaten, (np.array([3.0, 1.0, 2.0, 2.0]), 1), "all of 3"),
    (games_06.beaten, (np.array([3.0, 1.0, 2.0, 2.0]), 2), "1 of 3 others"),
    (games_06.who_is_ahead, ("h", np.array([1, 2, 3]), np.full(3, 2)), "in 1 of 3"),
    (games_06.who_is_ahead, ("h", np.full(3, 2), np.full(3, 2)), "in none of 3"),
    (games_07.in_words, (0.0051,), "over-confident by 0.01"), (games_07.in_words, (0.0049,), "no miss"),
    (games_07.in_words, (-0.0049,), "no miss"), (games_07.in_words, (-0.35,), "under-confident by 0.35"),
    # 04
    (scenes_03.against_chance, (0.01,), "worse than chance"), (scenes_03.against_chance, (0.011,), "seldom"),
    (scenes_03.against_chance, (0.05,), "seldom"), (scenes_03.against_chance, (0.051,), "chance does that as well"),
    (scenes_08.estimators_headline, (0.1, FOUND, True, 20), "says 0.2000 too much at n = 20"),
    (scenes_08.estimators_headline, (0.1, FOUND, False, 20), "near the truth"),
    (scenes_08.estimators_headline, (0, FOUND, True, 20), "25% of the unbiased"),
    (pvalues.colour_of, (0.05,), scenes_04.MISS), (pvalues.colour_of, (0.051,), scenes_04.KEPT),
    (scenes_03.collision_headline, (4, 1, 0.78), "disproves it at once"),
    (scenes_03.collision_headline, (4, 0, 1.0), "4 animals, as promised"),
    (scenes_03.collision_headline, (13, 0, 1e-5), "(R < 0.001)"),
    (scenes_08.race_headline, (True, ["C on an ECE"], RACE), "Redrawing pairs (C) rejects too often"),
    (scenes_08.race_headline, (True, ["C on an ECE", "A_uq", "A_l"], RACE), ", the bootstrap and the t test reject"),
    (scenes_08.race_headline, (True, [], RACE), "No test rejects too often"),
    (scenes_08.race_headline, (False, ["C on an ECE"], RACE), "the aggregated test finds the error most often: in 53"),
    (scenes_08.race_headline, (False, ["C on an ECE"], RACE | {"exact": 55}), "the exact test finds"),
    (scenes_03.redraw_headline, ([True, False], [0.11, 0.03]), "pairs: 11% false alarms, labels 3%"),
    (scenes_03.redraw_headline, ([True, False], [0.08, 0.04]), "if not yet at level 5%"),
    (scenes_03.redraw_headline, ([False, False], [0.1, 0.06]), "neither stands out"),
    (scenes_03.redraw_headline, ([False, True], [0.1, 0.3]), "labels only raises too many false alarms: 30%"),
    (scenes_03.redraw_headline, ([True, True], [0.4, 0.3]), "Both"),
    (scenes_08.off_target, (0.031, 0, 0.01), True), (scenes_08.off_target, (-0.029, 0, 0.01), False),
    (scenes_04.witness_headline, ("naive Bayes", 1, -0.1, 0.05), "too often, near that corner"),
    (scenes_04.witness_headline, ("naive Bayes", 1, 0.1, 0.05), "too seldom"),
    (scenes_04.witness_headline, ("naive Bayes", 1, -0.1, 0.06), "chance draws such arrows"),
    (scenes_04.supremum_headline, (0.1, 0.5, [0.1, 0.2, 0.5, 0.4, 0.3, 0.2, 0.1]), "none of the others"),
    (scenes_04.supremum_headline, (0.2, 0.4, [0.1, 0.2, 0.5, 0.4, 0.3, 0.2, 0.1]), "0.1 would earn"),
    (scenes_f01.bounds_headline, ((1467, 186566),), "1,467 predictions, the others 186,566"),
    (scenes_f01.bounds_headline, ((1467, None),), "over a million"),
    (scenes_f01.bounds_headline, ((None, None),), "too few for every"),
    (full_size_f01.on_target, (0.103, 0.1, 0.1, 10_000), True),
    (full_size_f01.on_target, (0.1032, 0.1, 0.1, 10_000), False),
    (full_size_f01.on_target, (0.1009, 0.1, 0.001, 10_000), True),
    (full_size_f01.on_target, (0.1011, 0.1, 0.001, 10_000), False),
    (full_size_f01.estimates_headline, ("ECE", 0.44, False), "0.440 too much"),
    (full_size_f01.estimates_headline, ("ECE", -0.0012, False), "too little"),
    (full_size_f01.errors_headline, (FULL, [], False), "None of these 3"),
    (full_size_f01.errors_headline, (FULL, ["A_l"], False), "1 of 3"),
    (full_size_f01.errors_headline, (FULL | {"D_b": 0.0099}, ["A_l"], True), "1 of the 2 other tests finds nothing"),
    (full_size_f01.errors_headline, (FULL | {"D_b": 0.01}, ["A_l"], True), "the weakest in 1%"),
    (games_03.looks_headline, (1, 0.07, 0.03, 0.07), "One look: false alarms in 5% of calibrated models, up to chance"),
    (games_03.looks_headline, (10, 0.08, 0.03, 0.07), "10 looks: false alarms in 8% of calibrated models, not in 5%"),
    (games_03.looks_headline, (2, 0.02, 0.03, 0.07), "in fewer than 5%"),
    # 05
    (scenes_09.on_average_and_worst, quarters(-0.09, 0.13), "13 points over-confident in the most worn quarter"),
    (scenes_09.on_average_and_worst, quarters(-0.041, 0.03), "4 points under-confident in the cleanest quarter"),
    (scenes_09.on_average_and_worst, quarters(-0.039, 0.03), "no quarter is off beyond chance"),
    (scenes_09.on_average_and_worst, quarters(0.1, 0.3, error=0.2), "cleanest quarter"),
    (scenes_09.on_average_and_worst, quarters(0, 0, 0.021), "2 points over-confident on average"),
    (scenes_10.in_words, (0.3, 0.01, False), "unknown"), (scenes_10.in_words, (0.021, 0.01, True), "over-confident"),
    (scenes_10.in_words, (-0.021, 0.01, True), "under-confident"),
    (scenes_10.in_words, (0.019, 0.01, True), "within chance"),
    (scenes_10.rows_headline, (11 / 400, 0.11), "2.8% rejected, too rarely"),
    (scenes_10.rows_headline, (12 / 400, 0.11), "as its level says"),
    (scenes_10.rows_headline, (29 / 400, 0.11), "as its level says"),
    (scenes_10.rows_headline, (30 / 400, 0.11), "too often"),
    (scenes_10.too_many, (np.array([11, 12]) / 120, 120), [False, True]),
    (scenes_09.bet_headline, (0.9, 0.2, PAIRS, 0.1), "90% of such errors, no pair of kernels more"),
    (scenes_09.bet_headline, (0.5, 0.2, PAIRS, 0.1), "50% of such errors; “both, narrow” finds 90%"),
    (scenes_09.bet_headline, (0.1, 0.2, PAIRS, 0.1), "no more than chance; “both, narrow” finds 90%"),
    (scenes_09.bet_headline, (0.9, 0.2, PAIRS, 0.9), "Neither your bet nor a pair"),
    (scenes_09.bet_headline, (0.04, 0.0, PAIRS, 0.1), "Nothing is planted, and your bet rejects 4%"),
    (scenes_09.off_by, (-0.006,), "0.01 too little"), (scenes_09.off_by, (0.0049,), "what happens"),
    # 06
    (scenes_12.steadiness, ((0.56, 0.1, 0.57),), "moves least: down to 57%"),
    (scenes_12.steadiness, ((0.56, 0.1, 0.55),), "does not move least"),
    (games_12.what_it_does, (True, True, -0.151), "Crowd and bandwidth move: the CKCE falls by 15%"),
    (games_12.what_it_does, (True, False, 0.021), "rises by 2%"),
    (games_12.what_it_does, (False, True, -0.019), "stays"),
    (scenes_12.in_light, (-50,), "50% darker"), (scenes_12.in_light, (20,), "20% lighter"),
    (scenes_12.in_light, (0,), "As they were"),
    (games_12.towards_zero, ("endless", "1", None), "never stops"),
    (games_12.towards_zero, ("8", "1", "4.89"), "in the limit"),
    # 07
    (scenes_13.who_is_ahead, ("A", "B", 1.06), "B looks 1.1 times better"),
    (scenes_13.who_is_ahead, ("A", "B", 1.04), "nearly equal"),
    (scenes_13.who_is_ahead, ("A", "B", 0.96), "nearly equal"),
    (scenes_13.who_is_ahead, ("A", "B", 0.94), "A looks 1.1"),
    (scenes_13.here_or_everywhere, ("A looks better", 17), "in this split"),
    # case studies
    (cases.most_often_off, (GROUPS,), "too low for men at 12 of 41"),
    (cases.most_often_off, ({**GROUPS, "women": (13, 12, 40)},), "too high for women at 13 of 40"),
    (cases.most_often_off, ({"women": (0, 0, 40)},), "no group is off"),
    (cases.at_a_place, (0.041, 0.02), "4 points too high"), (cases.at_a_place, (-0.041, 0.02), "4 points too low"),
    (cases.at_a_place, (0.039, 0.02), "right within chance"), (cases.at_a_place, (-0.039, 0.02), "right within chance"),
    (cases.company, (1.49,), "nobody"), (cases.company, (1.51,), "about 1 other"),
    (cases.company, (3.3,), "about 2 others"),
    (cases.scores_and_truth, (BY_BRIER, {"age": 55}), "b is nearest"),
    (cases.scores_and_truth, (BY_BRIER, {"age": 52}), "and is nearest"),
    (cases.scores_and_truth, (BY_BRIER | {"ECE": {"a": [2], "b": [1]}}, {"age": 55}), "none is best by every score"),
    # shared
    (verdicts.beyond, (np.array([0.021, 0.019, -0.021, -0.019]), 0.01), [True, False, True, False]),
    (verdicts.points, (0.129,), "13 points over-confident"), (verdicts.points, (-0.075,), "8 points under-confident"),
    (verdicts.signed, (-0.126, 2), "−0.13"), (verdicts.signed, (-0.001, 2), "0.00"),
    (pvalues.by_chance, (100,), (0.01, 0.1)),
    (pvalues.raises_false_alarms, (*pvalues.steps(np.ones(50)), 50), False),
    (pvalues.raises_false_alarms, (*pvalues.steps(np.linspace(0, 1, 50) ** 2), 50), True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("judge", "given", "said"), JUDGED, ids=[f"{j[0].__module__.split('.')[2]}.{j[0].__name__}" for j in JUDGED]
)
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


def test_ratios_and_how_often_an_order_comes_back():
    elsewhere = np.array([[1, 3, 5], [9, 9, 1]]), np.array([[2, 2, 6], [8, 7, 6]])
    ratio, count = scenes_13.ratios(np.array([2, 3]), np.array([4, 1]), *elsewhere)
    assert ratio.tolist() == [0.5, 3] and count.tolist() == [2, 2]


def test_names_of_lines_do_not_lie_on_one_another():
    assert scenes_12.spaced(np.array([0.5, 0.2, 0.9]), 0.1).tolist() == [0.5, 0.2, 0.9]
    np.testing.assert_allclose(scenes_12.spaced(np.array([0.5, 0.45, 0.44]), 0.1), [0.5, 0.4, 0.3])


def test_told_apart_is_beyond_two_spreads_and_the_best_is_at_zero():
    assert in_spreads(np.array([0.0, 3.0]), np.array([0.0, 1.5])).tolist() == [0, 2]
    risks = np.array([[1.0, 2.0], [1.0, 4.0]])  # the second is 2 above the first, spread √2/√2 = 1
    assert games_06.above_the_smallest(risks).tolist() == pytest.approx([0, 2])


def test_three_of_four_models_are_right_about_equally_often():
    found = [scenes_00.hit_and_confidence(name) for name in scenes_00.FOUR]
    right, sure = ([each[k].mean() for each in found] for k in (0, 1))
    assert max(right[:3]) - min(right[:3]) < 0.015  # a standard error of their difference is .009
    assert right[3] < min(right[:3]) - 0.05 and np.diff(sorted(sure)[:3]).min() > 0.05


def test_exact_p_values_keep_their_level():
    rng = np.random.default_rng(0)
    alarms = [pvalues.raises_false_alarms(*pvalues.steps(rng.uniform(size=50)), 50) for _ in range(400)]
    assert np.mean(alarms) < 0.05  # one side of a band that holds 95 of 100 curves


def test_four_standard_errors_are_one_percent():
    """The least regular sum of pairs is (chi-square − 1)/√2: four standard errors leave 1 % above."""
    draws = np.random.default_rng(0).standard_normal(1_000_000) ** 2
    assert abs(((draws - 1) / np.sqrt(2) > scenes_09.OUT).mean() - 0.01) < 0.0005


NAMES = [("all rows", "gap"), ("all rows", "slope"), *(("scanner", str(k)) for k in range(1, 5)), ("digit", "0")]


@pytest.mark.parametrize(("p", "told"), [
    ([1, 1, 1, 1, 1, 1, 1], ["nothing found"] * 3),
    ([0.05, 0.051, 1, 0.01, 1, 1, 1], ["found: gap", "found: 2", "nothing found"]),
    ([1, 0, 0, 0, 0, 0, 7], ["found: slope", "4 found", "nothing found"]),
])  # fmt: skip
def test_what_is_found_is_said(p, told):
    is_found, said = put(board(new_figure(), NAMES), p, NAMES)
    assert said == told and is_found.tolist() == [each <= 0.05 for each in p]


def test_both_looks_of_the_game_are_judged():
    truth = [games_02.word(turn) for turn in range(3)]
    assert set(truth) == {"calibrated", "not calibrated"}, "the first models teach nothing"
    other = {"calibrated": "not calibrated", "not calibrated": "calibrated"}
    game = games_02.hide_the_model().set(alone=other[truth[0]], beside=truth[0], show=1)
    assert game.headline == f"Model 1 was {truth[0]}: first wrong, then right"


def test_a_number_is_written_with_a_real_minus_and_no_sign_at_zero():
    assert [verdicts.written(x) for x in (0, 0.25, -0.25, -0.0001)] == ["0", "0.250", "−0.250", "0.000"]
    assert [verdicts.written(x, 2, sign="+") for x in (0.25, -0.25, 0.001)] == ["+0.25", "−0.25", "0.00"]
