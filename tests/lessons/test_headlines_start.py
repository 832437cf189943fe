"""What the pictures of notebook 00 say in their headlines is decided by rules, tested on both sides."""

import pytest

from calibtutor.lessons.start.scenes import FOUR, coin, four_models, verdict


@pytest.mark.parametrize(
    ("gap", "said"),
    [(0.021, "too sure"), (0.019, "about right on average"), (-0.019, "about right on average"), (-0.021, "too shy")],
)
def test_two_points_are_too_much(gap, said):
    assert verdict(gap) == said


def test_three_of_four_models_are_right_equally_often():
    shares = dict.fromkeys(FOUR)
    for each in four_models().finding.sentence.split(": ")[1].rstrip(".").split("; "):
        name = next(model for model in FOUR if each.startswith(model))
        right, sure = each.removeprefix(name + " ").split(" right, mean confidence ")
        shares[name] = float(right.rstrip("%")) / 100, float(sure)
    right, sure = ([shares[name][k] for name in FOUR[:3]] for k in (0, 1))
    assert max(right) - min(right) < 0.015  # a standard error of their difference is .009
    assert shares[FOUR[3]][0] < min(right) - 0.05
    assert min(abs(a - b) for i, a in enumerate(sure) for b in sure[:i]) > 0.05


def test_a_forecast_that_is_true_costs_nothing():
    shown = coin()
    assert shown.set(forecast=0.5, rate=0.5).headline.endswith("costs nothing extra")
    assert shown.set(forecast=0.55, rate=0.5).headline.endswith("costs 0.003 extra")
