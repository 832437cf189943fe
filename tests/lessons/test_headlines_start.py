"""Headlines of lesson 00 that judge, on both sides of what they judge by."""

import pytest

from calibtutor.lessons.start.scenes import road_scenes, verdict


@pytest.mark.parametrize(
    ("gap", "words"),
    [(0.021, "too sure"), (0.019, "about right on average"), (-0.019, "about right on average"), (-0.021, "too shy")],
)
def test_two_points_make_too_sure_or_too_shy(gap, words):
    assert verdict(gap) == words


def test_a_promise_is_kept_exactly_or_not_at_all():
    scene = road_scenes()
    assert scene.set(humans=0, animals=4).headline == "Calibrated: every promise is kept"
    assert scene.set(humans=0, animals=3).headline in (
        "Objects: 80% said, 85% happened",
        "Animals: 20% said, 15% happened",
    )
    assert scene.set(humans=6, animals=4).headline.startswith(("Humans: 0% said, 30%", "Objects: 80% said, 50%"))
