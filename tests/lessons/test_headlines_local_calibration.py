"""Headlines that judge, on both sides of their thresholds."""

import numpy as np

from calibtutor.lessons.local_calibration import games, scenes
from calibtutor.lessons.local_calibration import simulations as sims
from calibtutor.lessons.shared.verdicts import beyond, points, signed


def test_a_miss_is_beyond_chance_after_two_standard_errors():
    assert list(beyond(np.array([0.021, 0.019, -0.021, -0.019]), 0.01)) == [True, False, True, False]
    assert points(0.129) == "13 points too sure" and points(-0.075) == "8 points too shy"
    assert [signed(v, 2) for v in (0.126, -0.126, -0.001, 0.0)] == ["+0.13", "−0.13", "0.00", "0.00"]


def test_the_quarter_named_is_the_worst_beyond_chance():
    errors = np.full(4, 0.02)
    said = scenes.on_average_and_worst(0.01, 0.01, np.array([-0.09, 0.039, 0.0, 0.13]), errors)
    assert said == "About right on average, 13 points too sure in the most worn quarter"
    said = scenes.on_average_and_worst(0.01, 0.01, np.array([-0.041, 0.039, 0.0, 0.03]), errors)
    assert said.endswith("4 points too shy in the cleanest quarter")
    said = scenes.on_average_and_worst(0.01, 0.01, np.array([-0.039, 0.039, 0.0, 0.03]), errors)
    assert said == "About right on average, and no quarter is off beyond chance"
    assert scenes.on_average_and_worst(0.021, 0.01, np.zeros(4), errors).startswith("2 points too sure on average")
    wide = np.array([0.02, 0.02, 0.02, 0.2])  # a larger miss that chance explains is not named
    assert scenes.on_average_and_worst(0.0, 0.01, np.array([0.1, 0, 0, 0.3]), wide).endswith("cleanest quarter")


def test_a_tenth_of_a_year_counts():
    assert scenes.older_or_younger(0.1) == "0.1 years older" and scenes.older_or_younger(-0.1) == "0.1 years younger"
    assert scenes.older_or_younger(0.099) == scenes.older_or_younger(-0.099) == ""


def test_four_standard_errors_stand_out():
    assert scenes.stands_out(4.01, 1) and not scenes.stands_out(3.99, 1) and not scenes.stands_out(-9, 1)
    for world, kernels, seen in (
        (sims.HALF_WORLDS[0], (0.1, 0.3), True),
        (sims.HALF_WORLDS[0], (0.1, None), False),  # left and right cancel
        (sims.HALF_WORLDS[1], (0.1, None), True),
    ):
        assert scenes.stands_out(sims.half_table(world)[kernels], sims.half_noise(world)[kernels]) == seen
    right = sims.HALF_WORLDS[2]
    assert not any(scenes.stands_out(value, sims.half_noise(right)[k]) for k, value in sims.half_table(right).items())


def test_four_standard_errors_are_one_percent():
    """The least regular sum of pairs is (chi-square − 1)/√2: four standard errors leave 1 % above."""
    draws = np.random.default_rng(0).standard_normal(1_000_000) ** 2
    assert abs(((draws - 1) / np.sqrt(2) > scenes.OUT).mean() - 0.01) < 0.0005


def test_a_place_on_the_map_is_judged_with_its_support():
    assert scenes.in_words(0.3, 0.01, False) == "unknown"
    assert scenes.in_words(0.021, 0.01, True) == "too sure" and scenes.in_words(-0.021, 0.01, True) == "too shy"
    assert scenes.in_words(0.019, 0.01, True) == scenes.in_words(-0.019, 0.01, True) == "nothing beyond chance"


def test_a_name_on_the_map_lies_on_what_it_names():
    values = np.full((29, 36), np.nan)
    values[10:20, 20:34] = 0.2
    up, across = np.linspace(0.3, 1, 29), np.linspace(0, 0.5, 36)
    x, y = scenes.place_for(values, up, across, [0.9])
    assert across[20] < x < across[33] and up[10] <= y <= up[19]
    assert scenes.place_for(values, up, across, up[10:20]) is None
    assert scenes.place_for(-values, up, across, [0.9]) is None


def test_a_repair_is_judged_by_the_exact_test():
    assert scenes.repair_verdict(0.1, 0.02, 0.15) == "ECE down to 0.020; the local test rejects in 3 of 20 cuts"
    assert scenes.repair_verdict(0.1, 0.12, 1.0) == "ECE up to 0.120; the local test rejects in 20 of 20 cuts"


def test_cross_fitted_rows_are_judged_by_the_luck_of_400_data_sets():
    say = lambda rejected: scenes.rows_headline(rejected / 400, 0.11)
    assert say(11) == "All rows, cross-fitted: 3% rejected, too rarely; a clean half: 11%"
    assert "as its level says" in say(12) and "as its level says" in say(29)
    assert "too often" in say(30)


def test_a_test_cries_wolf_beyond_the_luck_of_120_data_sets():
    assert list(scenes.cries_wolf(np.array([6, 11, 12, 19]) / 120, 120)) == [False, False, True, True]
    for crowd in sims.CROWDS:  # redrawn labels keep the level
        for share in sims.RACE_SHARES:
            assert not scenes.cries_wolf((sims.race(crowd, share)[-1] <= 0.05 + 1e-12).mean(), sims.RACE_SETS)


def test_a_bet_is_compared_with_the_best_pair():
    shares = {"l = 1": 0.08, "k = 1": 0.081, "both, wide": 0.5, "both, narrow": 0.9}
    say = lambda bet, size=0.2: games.bet_headline(bet, size, shares, 0.08)
    assert say("both, narrow") == "Your bet finds 90% of such errors, no other pair more"
    assert say("both, wide") == "Your bet finds 50% of such errors; “both, narrow” finds 90%"
    assert say("l = 1") == "Your bet finds no more of them than chance explains; “both, narrow” finds 90%"
    assert say("k = 1").startswith("Your bet finds 8%")
    few = dict.fromkeys(shares, 0.08)
    assert games.bet_headline("k = 1", 0.05, few, 0.08) == "No pair finds more of such errors than chance explains"
    assert say("l = 1", 0.0) == "Nothing is planted, and your kernels reject 8%"
    assert say("k = 1", 0.0).endswith(": bad luck")
