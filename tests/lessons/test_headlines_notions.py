"""Headlines of lesson 01 that judge, on both sides of what they judge by."""

import numpy as np
import pytest

from calibtutor.lessons.notions.scenes import (
    broken_notions,
    murphy_verdict,
    what_diagrams_see,
    what_ink_does,
    what_it_earns,
)


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ((0, 0, 0), "Every promise is kept"),
        ((0, 0, 1e-12), "Every promise is kept"),
        ((0, 0, 0.1), "Both diagrams are perfect, and the vector is 0.100 off"),
        ((0, 0.05, 0.1), "The top label is perfect, and the vector is 0.100 off"),
        ((0.02, 0.05, 0.1), "The top label is 0.020 off, the vector 0.100"),
    ],
)
def test_what_the_diagrams_see(errors, words):
    assert what_diagrams_see(*errors).startswith(words)


def test_the_ladder_counts_what_is_broken():
    assert broken_notions({"a": 0, "b": 1e-12}) == "No notion is broken"
    assert broken_notions({"a": 0, "b": 1e-6}) == "1 of 2 notions broken: b"
    assert broken_notions({"a": 1, "b": 1e-6}) == "All four notions are broken"


def test_a_calibration_error_that_prints_as_zero_is_none():
    assert murphy_verdict(0.5, 0.1, 0.0004).startswith("No calibration error")
    assert murphy_verdict(0.5, 0.1, 0.0006) == "0.001 of the Brier score 0.500 is calibration error"


def test_a_bet_that_earns_nothing_sees_no_error():
    assert what_it_earns("linear", 1e-13).endswith("it sees no error")
    assert what_it_earns("linear", 0.02) == "The best bet from “linear” earns 0.020"


def test_groups_differ_when_chance_would_rarely_make_them():
    gap, mean = np.array([0.02, -0.05, 0.01]), -0.0067
    # chi-square with 2 degrees of freedom: 5.99 at 5%
    size = np.sqrt((((gap - mean) / 1) ** 2).sum() / 5.99)
    assert what_ink_does(gap, np.full(3, 1.01 * size), mean).endswith("no more than chance between the groups")
    assert what_ink_does(gap, np.full(3, 0.99 * size), mean).endswith("by -0.050 on the 2. lightest of 3 groups")
    assert what_ink_does(gap[[1, 0, 2]], np.full(3, 0.9 * size), mean).endswith("on the lightest of 3 groups")
    assert what_ink_does(gap[[0, 2, 1]], np.full(3, 0.9 * size), mean).endswith("on the darkest of 3 groups")
    assert "one group" in what_ink_does(gap[:1], np.ones(1), 0.02)
