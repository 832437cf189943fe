"""What a control can be set to, and which of it the book keeps."""

import pytest

from calibtutor.teach.controls import control, steps

pytestmark = pytest.mark.usefixtures("forget_widgets")
LONG = "a forest of 200 trees, of which none was pruned, not even at the end"
CASES = [
    ((1, 4, 1), 2, {}, ("slider", [1, 2, 3, 4], ["1", "2", "3", "4"], 1)),
    ((-0.2, 0.1, 0.1), 0.1, {}, ("slider", [-0.2, -0.1, 0.0, 0.1], ["−0.2", "−0.1", "0.0", "0.1"], 3)),
    ((0.05, 0.95, 0.05), 0.35, {"kept": [0.1, 0.35]}, ("slider", [0.1, 0.35], ["0.10", "0.35"], 1)),
    (["a", "b"], "b", {}, ("buttons", ["a", "b"], ["a", "b"], 1)),
    ([LONG, "words"], LONG, {}, ("select", [LONG, "words"], [LONG, "words"], 0)),
    ([50, "all"], "all", {}, ("slider", [50, "all"], ["50", "all"], 1)),
    (["a", "b", "c", "d", "e"], "a", {"kept": ["a", "e"]}, ("select", ["a", "e"], ["a", "e"], 0)),
    ([0.01, 0.1], 0.1, {}, ("slider", [0.01, 0.1], ["0.01", "0.1"], 1)),
    ([("one", 1), ("two", 2)], 1, {}, ("slider", [1, 2], ["one", "two"], 0)),
    (True, True, {}, ("check", [False, True], ["no", "yes"], 1)),
    (True, False, {}, ("check", [False, True], ["no", "yes"], 0)),
    ("more", 0, {"presses": 2}, ("press", [0, 1, 2], ["0 of 2", "1 of 2", "2 of 2"], 0)),
    ("more", 3, {"kept": range(3, 5)}, ("press", [3, 4], ["0 of 1", "1 of 1"], 0)),
]


@pytest.mark.parametrize(("spec", "default", "asked", "expected"), CASES)
def test_every_kind_of_control_has_its_steps(spec, default, asked, expected):
    found = steps("x", control("x", spec, default, "the label"), **asked)
    assert (found.kind, found.values, found.texts, found.start) == expected
    assert found.label == ("more" if spec == "more" else "the label")


@pytest.mark.parametrize(("spec", "default", "kept", "says"), [
    ((0.0, 1.0, 0.1), 0.5, [0.5, 0.55], "kept: x cannot be 0.55"),
    ((0.0, 1.0, 0.1), 0.5, [0.4, 0.6], "kept: x starts at 0.5, which is not kept"),
    (True, False, [False, 2], "kept: x cannot be 2"),
])  # fmt: skip
def test_a_value_that_the_control_cannot_have_is_refused(spec, default, kept, says):
    with pytest.raises(ValueError, match=says):
        steps("x", control("x", spec, default, "its label"), kept=kept)
