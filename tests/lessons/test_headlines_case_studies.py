"""Headlines that judge, on both sides of their thresholds."""

import numpy as np

from calibtutor.lessons.case_studies import scenes


def test_the_group_that_is_off_at_most_ages_is_named():
    found = {"women": (3, 0, 40), "men": (7, 12, 41)}
    assert scenes.most_often_off(found) == ("men", "too low for men at 12 of 41 ages")
    assert scenes.most_often_off({**found, "women": (13, 12, 40)})[1] == "too high for women at 13 of 40 ages"
    assert scenes.most_often_off({"women": (0, 0, 40), "men": (0, 0, 41)}) == ("", "no group is off at any age")


def test_a_miss_at_an_age_counts_after_two_standard_errors():
    assert (
        scenes.at_a_place(0.041, 0.02) == "4 points too high" and scenes.at_a_place(-0.041, 0.02) == "4 points too low"
    )
    assert scenes.at_a_place(0.039, 0.02) == scenes.at_a_place(-0.039, 0.02) == "right within chance"


def test_below_one_patient_and_a_half_nobody_is_compared():
    assert scenes.company(1.49) == "nobody" and scenes.company(1.51) == "about 1 other"
    assert scenes.company(3.3) == "about 2 others"


def test_scores_and_truth_may_choose_different_models():
    panels = {
        "accuracy": {"a": [0.7, 0.8], "b": [0.6]},
        "ECE": {"a": [0.01], "b": [0.02]},
        "age": {"a": [50], "b": [56]},
    }
    said = scenes.scores_and_truth(panels, {"age": 55})
    assert said == "a has the best scores, b is nearest to the truth"
    assert scenes.scores_and_truth(panels, {"age": 52}) == "a has the best scores and is nearest to the truth"
    panels["ECE"] = {"a": [0.02], "b": [0.01]}
    assert scenes.scores_and_truth(panels, {"age": 55}) == "b is nearest to the truth; none is best by every score"


def test_the_estimator_with_the_smallest_risk_is_named():
    shown = scenes.estimates_over_splits()
    assert shown.headline == "Split 0: ukkr has the smallest risk; estimates 0.0033 to 0.0062"
    shown.set(images=1000)
    assert shown.headline == "Split 0: kkr has the smallest risk; estimates 0.0005 to 0.0008"
    assert shown.artists["name"].get_text() == "lower bound by groups: 0.0093"
    assert [each.get_text() for each in shown.artists["counts"]][1:4] == ["not for ten classes"] * 2 + ["not run"]


def test_what_lies_beyond_the_axis_stands_at_its_end():
    shown = scenes.estimates_over_splits().set(error="top label", images=2500)
    ends = []
    for split in range(20):
        shown.set(split=split)
        assert shown.error is None
        x = np.concatenate([shown.artists[kind].get_xdata() for kind in ("rings", "dots", "pale")])
        ends += [min(x), max(x)]
    assert min(ends) == -0.002 and max(ends) == 0.021


def test_the_code_of_the_estimates_runs_alone():
    shown, names = scenes.estimates_over_splits(), {}
    exec(shown.code, names)
    assert names["estimates_and_risks"].__doc__ and "select_estimator" in shown.code


def test_the_best_score_is_that_of_the_depth():
    shown = scenes.forest_by_depth()
    assert shown.headline == "Depth 7: the forest reports 81% of the gap; best Brier: forest"
    assert shown.set(max_depth=0).headline == "No limit: the forest reports 92% of the gap; best Brier: LR with BLACK"
    assert "forest 0.171, 0.028, 0.923, 0.004" in shown.sentence


def test_the_split_of_the_table_is_named():
    shown = scenes.other_splits()
    assert shown.headline == "γ = 25, years: p = 0.14, and finds the error for women in 5%"
    assert "that of Table 2" in shown.finding.drawn and "that of Table 2" not in shown.set(split=8).finding.drawn
    assert shown.headline.startswith("γ = 25, years: p = 0.79,") and "on 3 and on 5 of 40 splits" in shown.sentence
