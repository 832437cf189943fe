"""Every lesson has claims, doing cells, derivations that ask, exercises, controls, published numbers, or a reason."""

import course_table
import pytest
from course_table import COLUMNS, REASONS

pytestmark = pytest.mark.usefixtures("forget_widgets")


@pytest.fixture(scope="module")
def table():
    return course_table.rows()


def test_no_cell_is_empty_without_a_reason(table):
    empty = {(name, column) for name, row in table.items() for column in COLUMNS if not row[column]}
    assert empty - set(REASONS) == set()
    assert set(REASONS) - empty == set(), "a reason for a cell that holds something"


def test_every_goal_has_an_exercise(table):
    fewer = [name for name, row in table.items() if row["a goal"] and float(row["a goal"]) < 1]
    assert fewer == ["08_your_own_model"]  # its fifth goal is a paragraph, which `look_over` reads


def test_it_prints(table):
    text = course_table.markdown(table)
    assert text.count("\n| ") == len(table) and "| – [" in text
