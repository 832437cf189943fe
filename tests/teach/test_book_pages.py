"""A page of the book: what it makes of a cell, what it says to readers who run nothing, and what its search knows."""

import json

import nbformat
import pytest

from calibtutor.teach.book import cells, data, indexes, pages, prose

BLANK = "the reference ({} is still blank)"
WORDS = "# A lesson: its name\n\nFirst $x^2$ words.\n\n## Two *kinds* (5 min)\n\n- one\n- two & three"


def prepared(source="print()", said=(), exercises=None, **output):
    """What a page shows of a code cell with one output."""
    cell = nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output(**output)])
    cells.prepare(cell, said, {"exercise": exercises})
    return cell.metadata["book_shown"][0][2]


def test_without_a_hub_an_exercise_that_asks_for_code_names_its_notebook(tmp_path, monkeypatch):
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
    pages.write(tmp_path / "out", {path: caught}, None)
    says = "it runs in the notebook <code>07_x.ipynb</code>, on a computer that has the course (section “Compute it”)"
    assert says in (tmp_path / "out" / "07_x.html").read_text(encoding="utf-8")


def test_nobody_is_told_to_run_cells():
    text = prose.Prose(()).render("Before.\n\n*Run the cells one after the other.*\n\n*Run the cell again.*\n\nBehind.")
    assert "Before" in text and "Behind" in text and "un the cell" not in text


@pytest.mark.parametrize(("said", "kept"), [
    ("1,079 digits; the dots by {a}", "1,079 digits"), ("λ = 1, by {a}; dots: 15 bins", "λ = 1; dots: 15 bins"),
    ("taken away. Misses by {a}.", "taken away."), ("By {a} and {b}.", ""), ("γ = 0.1; {a}", "γ = 0.1"),
    ("left out; by the reference (a and b are still blank)", "left out"),
    ("by the reference group", "by the reference group")])
def test_a_picture_names_no_blank_functions(said, kept):
    assert data.CREDIT.sub("", said.format(a=BLANK.format("a_1"), b=BLANK.format("b"))) == kept


def test_a_printed_line_names_the_courses_own_functions_and_wraps_unless_it_is_a_table():
    shown = prepared(output_type="stream", text="made of {} and {}\nby {}".format(*map(BLANK.format, "abc")))
    assert "made of the course&#x27;s own functions\nby the course&#x27;s own function<" in shown
    for text, wraps in [("first:  one line\nand a second", True), ("a  1\nb  2", False)]:
        assert ('class="words"' in prepared(output_type="stream", text=text)) is wraps


def waiting(*items):
    """What each scene of a page waits for."""
    made = []
    for item in items:
        if isinstance(item, str):
            made.append(nbformat.v4.new_markdown_cell(item))
            continue
        kind, *code = item
        shown = [[kind, kind[0], {}]] if kind else []
        made.append(nbformat.v4.new_code_cell(metadata={"book_code": code[0] if code else "none", "book_shown": shown}))
    cells.put_behind_guesses(made)
    shown = [each for cell in made for each in cell.metadata.get("book_shown", [])]
    return [about.get("after") for kind, _, about in shown if kind == "scene"]


@pytest.mark.parametrize(("items", "waits_for"), [
    ([("guess",), "Now the answer.", ("", "folded"), ("scene",), ("scene",)], ["g", None]),
    ([("guess",), "### Inside", ("scene",)], ["g"]), ([("guess",), "## Next", ("scene",)], [None]),
    ([("guess",), ("html", "shown"), ("scene",)], [None]), ([("guess",), ("", "shown"), ("scene",)], [None])])
def test_a_scene_waits_for_the_guess_right_before_it(items, waits_for):
    assert waiting(*items) == waits_for


def test_options_of_a_question_keep_their_lines():
    asked = {"kind": "word", "reference": "b"}
    source = "# Two of them.\n# Which?\n#   a  This\n#   b  That\nanswer = None  # a letter in quotes\ncheck.it(answer)"
    shown = prepared(source, [("exercise", "it")], {"it": asked}, output_type="display_data")
    assert shown["asked"] == "Two of them. Which?\na  This\nb  That"


def test_a_section_is_known_by_its_words_and_by_what_it_plays():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(WORDS), nbformat.v4.new_code_cell("x")])
    page = pages.Page("a.html", nb, {"cells": {}, "derivation": {}})
    pages._read(page, {"a.html"}, None)
    asked = {"question": "Which <b>way</b>?"}
    nb.cells[1].metadata["book_shown"] = [("guess", "g", asked), ("html", "", "<pre>1</pre>")]
    text = indexes.search([page])
    first, second, *glossary = json.loads(text[text.index("[") : text.rindex("]") + 1])
    assert first == ["A lesson: its name", "a.html#a-lesson-its-name", "A lesson", "First x2 words."]
    assert second == ["Two kinds", "a.html#two-kinds", "A lesson", "one two & three Which way?"]
    assert all(address.startswith("notation.html#") and words == "" for _, address, _, words in glossary)
