"""What the pictures of notebook 08 say of p-values, and what its game asks."""

import pytest

from calibtutor.lessons.your_own_model.board import board, put
from calibtutor.lessons.your_own_model.games import FAULTS, asked, which_fault
from calibtutor.plots import new_figure

NAMES = [("all rows", "gap"), ("all rows", "slope"), *(("scanner", str(k)) for k in range(1, 5)), ("digit", "0")]


@pytest.mark.parametrize(
    ("pvalues", "told"),
    [
        ([1, 1, 1, 1, 1, 1, 1], ["nothing found"] * 3),
        ([0.05, 0.051, 1, 0.01, 1, 1, 1], ["found: gap", "found: 2", "nothing found"]),
        ([1, 0, 0, 0, 0, 0, 7], ["found: slope", "4 found", "nothing found"]),
    ],
)
def test_what_is_found_is_said(pvalues, told):
    is_found, said = put(board(new_figure(), NAMES), pvalues, NAMES)
    assert said == told
    assert is_found.tolist() == [p <= 0.05 for p in pvalues]


def test_each_fault_is_asked_once_in_five_files():
    for first in range(0, 40, 5):
        assert sorted(asked(turn) for turn in range(first, first + 5)) == sorted(FAULTS)
    assert asked(0) not in ("labels one row down", "nothing")  # the notebook's picture of section 4, and no game


def test_the_share_that_is_right_is_told_after_the_answer():
    scene = which_fault()
    assert "% right" not in "".join(scene.finding)
    scene.set(answer=asked(0))
    scene.set(show=1)
    assert "% right" in scene.finding[1]
    scene.close()
