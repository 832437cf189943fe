"""The headlines of notebook 04 that judge, on both sides of what they judge by."""

import numpy as np
import pytest

from calibtutor.data.worlds import wave_world
from calibtutor.lessons.calibration_tests import games, scenes, simulations
from calibtutor.lessons.calibration_tests.full_size import errors_headline, estimates_headline, on_target
from calibtutor.lessons.shared.pvalues import by_chance, chance_of_a_curve, cries_wolf, steps


def test_an_error_is_judged_by_its_p_value():
    assert scenes.against_chance(0.01) == "worse than chance can explain"
    assert scenes.against_chance(0.011) == scenes.against_chance(0.05) == "chance seldom does that"
    assert scenes.against_chance(0.051) == "chance does that as well"
    assert scenes.colour_of(0.05) == scenes.MISS and scenes.colour_of(0.051) == scenes.KEPT


def test_a_human_where_none_was_possible_disproves_the_detector():
    assert "disproves it at once" in scenes.collision_headline(4, 1, 0.78)
    assert scenes.collision_headline(4, 0, 1.0).startswith("4 animals, as promised")
    assert scenes.collision_headline(1, 0, 0.156) == "1 animal, not 4: chance does that as well (p = 0.156)"
    assert scenes.collision_headline(13, 0, 1e-5).endswith("(p < 0.001)")


def test_exact_p_values_keep_their_level_and_small_ones_cry_wolf():
    rng = np.random.default_rng(0)
    alarms = [cries_wolf(*steps(rng.uniform(size=50)), 50) for _ in range(400)]
    assert np.mean(alarms) < 0.05  # one side of a band that holds 95 of 100 curves
    assert cries_wolf(*steps(rng.uniform(size=50) ** 2), 50)
    assert not cries_wolf(*steps(np.ones(50)), 50)  # shy is not crying wolf
    polygon = chance_of_a_curve(50)
    assert polygon.min() >= 0 and polygon.max() <= 1
    levels = np.linspace(0, 1, 101)
    high = np.interp(0.5, polygon[:100:-1, 0], polygon[:100:-1, 1]) - 0.5
    assert cries_wolf(levels, levels + high + 1e-6, 50) and not cries_wolf(levels, levels + high - 1e-6, 50)


def test_what_chance_rejects():
    low, high = by_chance(100)
    assert (low, high) == (0.01, 0.1)


@pytest.mark.parametrize("drawn", [20, 81])
def test_the_race_is_lost_by_consistency_resampling_alone(drawn):
    wolves = [
        name
        for name, values in zip(simulations.RACE, simulations.race(0.0)[:, :drawn], strict=True)
        if cries_wolf(*steps(values), drawn)
    ]
    assert wolves == ["C on an ECE"]


def test_the_race_says_who_cries_wolf_and_who_finds_the_error():
    count = {"C on an ECE": 20, "D_b": 0, "exact": 9, "aggregated": 12}
    assert scenes.race_headline(0.0, ["C on an ECE"], count, 20).startswith("Redrawing pairs (C) cries wolf")
    assert scenes.race_headline(0.0, ["C on an ECE", "A_l"], count, 20).startswith(
        "Redrawing pairs (C) and the t test cry wolf"
    )
    assert "no test stands out" in scenes.race_headline(0.0, [], count, 20)
    said = scenes.race_headline(0.3, ["C on an ECE"], count | {"exact": 5}, 20)  # 12 and 6 are within their noise
    assert said == "Of the honest, aggregated finds most errors, the bound never"
    said = scenes.race_headline(0.3, ["C on an ECE"], count | {"exact": 6}, 20)
    assert said == "Of the honest, exact and aggregated find most errors, the bound never"
    said = scenes.race_headline(0.3, ["C on an ECE"], count | {"A_uq": 8}, 20)
    assert said == "3 honest tests find the error about as often, the bound never"
    assert "No honest test" in scenes.race_headline(0.3, ["C on an ECE"], {"C on an ECE": 3, "D_b": 0}, 20)


def test_redrawing_is_judged_by_its_curve():
    assert scenes.redraw_headline([True, False], [0.53, 0.03]).startswith("Redrawing pairs cries wolf: 53%")
    assert scenes.redraw_headline([True, False], [0.1, 0.04]).endswith("if not yet at level 5%")
    assert "neither stands out" in scenes.redraw_headline([False, False], [0.1, 0.06])
    assert "labels only cries wolf" in scenes.redraw_headline([False, True], [0.1, 0.3])
    assert scenes.redraw_headline([True, True], [0.4, 0.3]).startswith("Both")


def test_a_bias_is_one_beyond_three_standard_errors():
    assert scenes.off_target(0.031, 0, 0.01) and not scenes.off_target(-0.029, 0, 0.01)
    values = [np.array([0.2, 0.4]), np.array([-0.1, 0.1, 0.2, 0.2]), np.zeros(2)]
    assert "says 0.2000 too much" in scenes.estimators_headline(0.1, values, True, 20)
    assert scenes.estimators_headline(0.1, values, False, 20).startswith("No bias")
    assert "25% of the unbiased" in scenes.estimators_headline(0, values, True, 20)


def test_estimates_are_on_target_within_their_noise_or_one_percent():
    assert on_target(0.103, 0.1, 0.1, 10_000) and not on_target(0.1032, 0.1, 0.1, 10_000)
    assert on_target(0.1009, 0.1, 0.001, 10_000) and not on_target(0.1011, 0.1, 0.001, 10_000)
    assert not on_target(0.0018, 0, 0.00045, 10_000)
    assert estimates_headline("ECE", 0.43957, False) == "The ECE says 0.440 too much"
    assert estimates_headline("ECE", -0.0012, False) == "The ECE says 0.0012 too little"
    assert estimates_headline("linear SKCE", 0.0001, True) == "The linear SKCE is on target"


def test_tests_at_full_size_cry_wolf_or_are_blind():
    share = {"exact": 0.05, "A_l": 0.34, "D_b": 0.0}
    assert errors_headline(share, [], False) == "None of these 3 tests cries wolf up to α = 20%"
    assert errors_headline(share, ["A_l"], False) == "1 of 3 tests cries wolf, 34% false alarms"
    assert "2 of 3 tests cry wolf, up to 34%" in errors_headline(share, ["A_l", "exact"], False)
    assert errors_headline(share | {"D_b": 0.0099}, ["A_l"], True) == "1 of 2 honest tests sees nothing of the error"
    assert errors_headline(share | {"D_b": 0.01}, ["A_l"], True).endswith("the weakest in 1%")


def test_the_witness_is_believed_when_its_p_value_is_small():
    assert (
        scenes.witness_headline("naive Bayes", 1, -0.1, 0.05)
        == "Naive Bayes says “one hole” too often, near that corner"
    )
    assert scenes.witness_headline("random forest", 0, 0.1, 0.01).startswith("Random forest says “no hole” too seldom")
    assert "chance draws such arrows" in scenes.witness_headline("naive Bayes", 1, -0.1, 0.06)
    assert "corner" in scenes.witness_headline("naive Bayes", 1, -0.1, 0.05, 0.25)
    assert "corner" not in scenes.witness_headline("naive Bayes", 1, -0.1, 0.05, 0.1)


def test_the_mark_stands_where_the_red_begins():
    scene = scenes.by_counting()
    for observed, sharpness in ((24, 0.0), (20, 1.0), (8, 0.0)):
        scene.set(observed=observed, sharpness=sharpness)
        colours = scene.artists["bars"].get_facecolor()
        red = np.flatnonzero((colours != colours[0]).any(axis=1))
        assert scene.artists["mark"].get_xdata()[0] == (red[0] if len(red) else 0)


def test_waves_that_leave_the_unit_interval_are_cut_and_said_to_be():
    scene = scenes.supremum()
    said = []
    for waves in range(1, 7):
        scene.set(waves=waves)
        said.append("cut at 0 and 1" in scene.finding.drawn)
    assert said == [False] * 4 + [True] * 2


def test_an_opponent_is_judged_by_the_other_bandwidths():
    every = [0.1, 0.2, 0.5, 0.4, 0.3, 0.2, 0.1]  # best at 0.1
    ball = "unit ball of a kernel"
    assert "of these the best" in scenes.supremum_headline(ball, 0.1, 0.5, every)
    assert "0.1 would earn 0.5000" in scenes.supremum_headline(ball, 0.2, 0.4, every)
    assert "0.1 would earn 0.5000" in scenes.supremum_headline(ball, 0.05, 0.2, every)
    assert "nothing" in scenes.supremum_headline("constants", 0.1, 4e-5, every)
    assert "nothing" not in scenes.supremum_headline("constants", 0.1, 6e-5, every)


def test_bounds_need_predictions_or_are_blind():
    assert scenes.bounds_headline((1467, 186566)).endswith("1,467 predictions, the others 186,566")
    assert scenes.bounds_headline((1467, None)).endswith("the others over a million")
    assert "too few for every bound" in scenes.bounds_headline((None, None))


def test_up_means_says_too_much():
    """The miss of the opponent's scene is what is said minus what happens."""
    scene = scenes.supremum()
    scene.set(functions="all with |b| ≤ 1")
    gap = scene.artists["gap"].get_xydata()
    p, r = gap[:, 0], gap[:, 0] - gap[:, 1]
    assert np.allclose(r, wave_world(1, 0.15).curve(p), atol=1e-9)
    assert np.array_equal(scene.artists["function"].get_ydata(), np.sign(gap[:, 1]))


def test_a_spoiled_test_is_judged_by_what_chance_explains():
    said = games.spoil_headline("pairs (C)", 10, 0.2, high=0.1)
    assert said == "20% false alarms, not 5%, with 10 looks and redrawn pairs"
    assert games.spoil_headline("labels only", 1, 0.05, high=0.1) == "5% false alarms, no more than chance explains"
    said = games.spoil_headline("pairs (C)", 1, 0.1, high=0.1)
    assert said == "10% false alarms: no harm of redrawn pairs is to be seen"
    scene = scenes.spoil_the_test()
    assert scene.headline.endswith("with 10 looks") and "100 data sets" in scene.finding.drawn
    scene.set(looks=1, more=9)
    assert "no more than chance" in scene.headline and "400 data sets" in scene.finding.drawn
