"""What the headlines of notebook 02 judge, on both sides of each threshold."""

import numpy as np
import pytest

from calibtutor import corp_reliability, expected_calibration_error, top_label
from calibtutor.data.datasets import digits_predictions
from calibtutor.kde import conditional_frequency
from calibtutor.lessons.binning_and_kde import games, scenes, stairs
from calibtutor.lessons.shared.surfaces import nearer, which_is_nearer


def test_the_ruler_decides_from_a_factor_of_two_on():
    assert scenes.does_the_ruler_decide([0.02, 0.013, 0.01])
    assert not scenes.does_the_ruler_decide([0.0199, 0.013, 0.01])
    assert scenes.does_the_ruler_decide([0, 0.001])


@pytest.mark.parametrize(
    ("seen", "words"), [(0.0, "none"), (0.0049, "none"), (0.0051, "1%"), (0.33, "33%"), (0.994, "99%"), (0.996, "all")]
)
def test_none_and_all_of_an_error_are_half_a_percent_wide(seen, words):
    assert scenes.share_seen(seen * 0.0255, 0.0255) == words


def test_what_the_best_number_of_bins_does():
    assert scenes.best_bins([2, 5, 12]).endswith("grows from 2 to 12 with the data")
    assert scenes.best_bins([12, 5, 2]).endswith("falls from 12 to 2 with the data")
    assert scenes.best_bins([1, 1, 1]).endswith("is 1, however many the data")
    assert scenes.best_bins([3, 5, 3]).endswith("stays near 3")


def test_a_bin_swallows_more_than_half():
    assert scenes.swallowed([51, 30, 19]) == "One bin swallows 51 of 100 digits"
    assert scenes.swallowed([50, 30, 20]) == "No bin holds more than 50 of 100 digits"


def test_chance_explains_what_one_in_twenty_data_sets_reach():
    assert scenes.chance_explains(25, 500)  # 26/501 = .0519
    assert not scenes.chance_explains(24, 500)  # 25/501 = .0499
    assert not scenes.chance_explains(0, 500)
    assert scenes.chance_explains(0, 18), "so few data sets cannot say so"


def test_chance_is_blamed_at_the_level_when_it_is_chance():
    rng = np.random.default_rng(0)
    ranks = rng.integers(0, 501, 4000)  # of a calibrated data set among 500
    blamed = np.mean([not scenes.chance_explains(above, 500) for above in ranks])
    assert abs(blamed - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 4000)


def test_a_mass_is_kept_to_half_a_percent():
    assert scenes.keeps_its_mass(1.0049) and scenes.keeps_its_mass(0.9951)
    assert not scenes.keeps_its_mass(1.0051) and not scenes.keeps_its_mass(0.9949)


def test_what_is_left_of_a_kernel_estimate():
    assert scenes.what_is_left(0.07, 0.17, spread=0.149, narrow=False).startswith("Too flat")
    assert scenes.what_is_left(0.07, 0.17, spread=0.151, narrow=False) == ""
    assert scenes.what_is_left(0.76 * 0.17, 0.17, spread=1.0, narrow=True).startswith("Too narrow")
    assert scenes.what_is_left(0.74 * 0.17, 0.17, spread=1.0, narrow=True) == ""
    assert scenes.what_is_left(1.5 * 0.17, 0.17, spread=0.4, narrow=False) == "", "a wide kernel can err by as much"


def test_what_is_left_at_the_ends_of_all_bandwidths():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(int)
    said = []
    for h in (1e-9, 1e-2, 1e3):
        ratio = conditional_frequency(y, p, bandwidth=h)
        said.append(scenes.what_is_left(np.mean((p - ratio) ** 2), np.mean((p - y) ** 2), np.ptp(ratio), h < 1e-2)[:5])
    assert said == ["Too n", "", "Too f"]


def test_too_narrow_is_said_of_narrow_bandwidths_alone():
    shown = scenes.kernel_on_triangle()
    said = {}
    for model in ("random forest", "logistic regression", "naive Bayes"):
        for power in (-5.0, -4.0, 0.75, 1.0, 1.5, 2.0):
            shown.set(model=model, log10_bandwidth=power)
            said.setdefault(power, set()).add(shown.headline.split(":")[0])
    assert said[-5.0] == said[-4.0] == {"Too narrow"}
    assert said[2.0] == {"Too flat"}
    assert not any("Too narrow" in each for power, each in said.items() if power > 0)


def test_bins_that_hold_data():
    assert scenes.bins_in_words("uniform", 15, 10) == "15 uniform bins, 10 hold data"
    assert scenes.bins_in_words("uniform", 15, 1) == "15 uniform bins, 1 holds data"
    assert scenes.bins_in_words("quantile", 15, 15) == "15 quantile bins"
    assert scenes.bins_in_words("sweep", 15, 6) == "6 sweep bins"


def test_a_comb_has_teeth_narrower_than_two_distances():
    assert scenes.is_a_comb(1e-5, 1000) and scenes.is_a_comb(1.59e-5, 1000)  # √h/2 = .00199 < 2/1000
    assert not scenes.is_a_comb(1.61e-5, 1000) and not scenes.is_a_comb(0.01, 1000)


def test_the_nearer_is_told_only_if_a_twentieth_nearer():
    assert nearer(0.94, 1.0) == "bins" and nearer(1.0, 0.94) == "the kernel"
    assert nearer(0.96, 1.0) == nearer(1.0, 0.96) == nearer(0.0, 0.0) == "neither"


def test_two_comparisons_in_one_sentence():
    assert which_is_nearer("bins", "the kernel") == "Closer on the diagonal: bins; as a whole surface: the kernel"
    assert which_is_nearer("bins", "bins").endswith("and as a whole: bins")
    assert which_is_nearer("neither", "neither").startswith("Neither")


@pytest.mark.parametrize(
    ("h", "text"),
    [(0.01, "0.01"), (0.001, "0.001"), (1e-5, "10⁻⁵"), (10**-6.75, "1.8·10⁻⁷"), (9.96e-5, "10⁻⁴"), (1000.0, "1000")],
)
def test_bandwidths_are_written_as_read(h, text):
    assert scenes.ten_to(h) == text


def test_misses_are_said_minus_happened():
    shown = scenes.aliasing()
    shown.set(waves=1, bins=2)  # the world happens more often than said below one half
    bars = [path.vertices[:, 1] for path in shown.artists["bars"].get_paths()]
    assert bars[0].min() < -0.01 and bars[1].max() > 0.01


def test_the_game_says_what_was_right():
    truth = [games.word(turn) for turn in range(3)]
    assert set(truth) == {"calibrated", "not calibrated"}, "the first models teach nothing"
    other = {"calibrated": "not calibrated", "not calibrated": "calibrated"}
    assert games.outcome(0, [other[truth[0]], truth[0]]) == f"Model 1 was {truth[0]}: first wrong, then right"
    assert games.outcome(1, [truth[1]] * 2) == f"Model 2 was {truth[1]}: right twice"


def test_the_game_shows_redrawn_labels_after_one_answer_and_the_truth_after_two():
    game = scenes.hide_the_model()
    game.set(beside="calibrated", show=1)
    assert "redrawn" not in game.headline and "was" not in game.sentence
    game.set(show=2)
    assert game.values["beside"] == "not yet"
    game.set(alone=games.word(1))
    assert "redrawn ECEs are as large" in game.headline and "was" not in game.sentence
    game.set(beside=games.word(1))
    assert "was" not in game.headline
    game.set(show=3)
    assert game.headline.startswith("Model 2 was") and game.headline.endswith("right twice")
    assert "of 1: 1 at the first look, 1 at the second" in game.sentence
    game.set(show=4)
    assert game.headline.startswith("Model 3: ECE")


def test_a_miscalibration_is_beyond_chance_at_the_level():
    assert stairs.beyond_chance(0.05) == "beyond chance" and stairs.beyond_chance(0.051) == "no more than chance gives"
    shown = scenes.stairs_or_bins()
    said = {}
    for model in ("neural network", "random forest"):
        for bins in (10, 25):
            shown.set(model=model, n=1079, bins=bins)
            y, p = top_label(digits_predictions(model).y_true, digits_predictions(model).y_prob)
            found = corp_reliability(y, p)
            assert shown.headline.startswith(f"No bins to choose: miscalibration {found.miscalibration:.4f}, ")
            assert f"ECE {expected_calibration_error(y, p, n_bins=bins):.3f}" in shown.finding.drawn
            assert f"{len(found.count)} steps" in shown.finding.drawn
            said.setdefault(model, set()).add(shown.headline.split(", ")[1])
    assert said == {"neural network": {"no more than chance gives"}, "random forest": {"beyond chance"}}


def test_a_picture_says_whose_function_made_it():
    mine = games.check.ece.use(lambda confidence, hit, n_bins: 0.1)
    blank = games.check.redraw_labels.use(None)
    assert games.whose(mine, blank) == "your ece, not right yet and the reference (redraw_labels is still blank)"
    shown = scenes.your_null(mine)
    assert "your ece, not right yet" in shown.finding.drawn and "ECE 0.100" in shown.headline
