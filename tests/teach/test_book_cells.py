"""What a page makes of a cell: its question, what it prints, and which scenes wait for the guess before them."""

import nbformat
import pytest

from calibtutor.teach.book import cells


def page(*items):
    made = []
    for item in items:
        if isinstance(item, str):
            made.append(nbformat.v4.new_markdown_cell(item))
            continue
        kind, *code = item
        shown = [[kind, kind[0], {}]] if kind else []
        made.append(nbformat.v4.new_code_cell(metadata={"book_code": code[0] if code else "none", "book_shown": shown}))
    cells.put_behind_guesses(made)
    return [
        data.get("after") for cell in made for kind, _, data in cell.metadata.get("book_shown", []) if kind == "scene"
    ]


@pytest.mark.parametrize(("items", "waits_for"), [
    ([("guess",), "Now the answer.", ("", "folded"), ("scene",), ("scene",)], ["g", None]),
    ([("guess",), "### Inside", ("scene",)], ["g"]), ([("guess",), "## Next", ("scene",)], [None]),
    ([("guess",), ("html", "shown"), ("scene",)], [None]), ([("guess",), ("", "shown"), ("scene",)], [None]),
])  # fmt: skip
def test_a_scene_waits_for_the_guess_right_before_it(items, waits_for):
    assert page(*items) == waits_for


def test_options_of_a_question_keep_their_lines():
    asked = {"kind": "word", "reference": "b"}
    source = "# Two of them.\n# Which?\n#   a  This\n#   b  That\nanswer = None  # a letter in quotes\ncheck.it(answer)"
    cell = nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output("display_data")])
    cells.prepare(cell, [("exercise", "it")], {"exercise": {"it": asked}})
    assert cell.metadata["book_shown"][0][2]["asked"] == "Two of them. Which?\na  This\nb  That"


def test_what_is_printed_wraps_unless_it_is_a_table():
    for text, wraps in [("first:  one line\nand a second", True), ("a  1\nb  2", False)]:
        cell = nbformat.v4.new_code_cell("print()", outputs=[nbformat.v4.new_output("stream", text=text)])
        cells.prepare(cell, [], {})
        assert ('class="words"' in cell.metadata["book_shown"][0][2]) is wraps
