"""What a page says to readers who run nothing: where code runs, and none of what is said to those who run it."""

import nbformat
import pytest

from calibtutor.teach.book import cells, data, indexes, pages, prose

BLANK = "the reference ({} is still blank)"


@pytest.mark.parametrize(("hub", "says"), [
    ("https://hub/{notebook}", 'href="https://hub/notebooks/07_x.ipynb">open the notebook where it runs</a>'),
    (None, "it runs in the notebook <code>07_x.ipynb</code>, on a computer that has the course (section “Compute it”)"),
])  # fmt: skip
def test_an_exercise_that_asks_for_code_leads_to_where_it_runs(hub, says, tmp_path, monkeypatch):
    path = tmp_path / "notebooks" / "07_x.ipynb"
    path.parent.mkdir()
    (tmp_path / "out" / "pictures").mkdir(parents=True)
    shown = nbformat.v4.new_output("display_data")
    words = nbformat.v4.new_markdown_cell("# 07 · X\n\n## Compute it")
    nb = nbformat.v4.new_notebook(cells=[words, nbformat.v4.new_code_cell("check.gap(gap)", outputs=[shown])])
    nbformat.write(nb, path)
    exercise = {"name": "gap", "kind": "function", "hint": "A mean."}
    caught = {kind: {} for kind in ("scene", "picture", "derivation", "guess")}
    caught |= {"cells": {1: [["exercise", "x.gap"]]}, "exercise": {"x.gap": exercise}}
    monkeypatch.setattr(pages, "NOTEBOOKS", path.parent)
    monkeypatch.setattr(pages.plans, "plans", dict)
    monkeypatch.setattr(indexes, "written", lambda *_: [(name, name, "") for name in indexes.FILES])
    pages.write(tmp_path / "out", {path: caught}, hub)
    assert says in (tmp_path / "out" / "07_x.html").read_text(encoding="utf-8")


def test_nobody_is_told_to_run_cells():
    text = prose.Prose(()).render("Before.\n\n*Run the cells one after the other.*\n\n*Run the cell again.*\n\nBehind.")
    assert "Before" in text and "Behind" in text and "un the cell" not in text


@pytest.mark.parametrize(("said", "kept"), [
    ("1,079 digits; the dots by {a}", "1,079 digits"), ("λ = 1, by {a}; dots: 15 bins", "λ = 1; dots: 15 bins"),
    ("taken away. Misses by {a}.", "taken away."), ("By {a} and {b}.", ""), ("γ = 0.1; {a}", "γ = 0.1"),
    ("left out; by the reference (a and b are still blank)", "left out"),
    ("by the reference group", "by the reference group"),
])  # fmt: skip
def test_a_picture_names_no_blank_functions(said, kept):
    assert data.CREDIT.sub("", said.format(a=BLANK.format("a_1"), b=BLANK.format("b"))) == kept


def test_a_printed_line_names_the_courses_own_functions():
    text = "made of {} and {}\nby {}".format(*map(BLANK.format, "abc"))
    cell = nbformat.v4.new_code_cell("print()", outputs=[nbformat.v4.new_output("stream", text=text)])
    cells.prepare(cell, [], {})
    shown = cell.metadata["book_shown"][0][2]
    assert "made of the course&#x27;s own functions\nby the course&#x27;s own function<" in shown
