"""Which scenes of a page wait for the guess before them."""

import nbformat

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


def test_a_scene_waits_for_the_guess_right_before_it():
    assert page(("guess",), "Now the answer.", ("", "folded"), ("scene",), ("scene",)) == ["g", None]


def test_a_scene_behind_a_heading_other_output_or_open_code_does_not_wait():
    assert page(("guess",), "## Next", ("scene",)) == [None]
    assert page(("guess",), ("html", "shown"), ("scene",)) == [None]
    assert page(("guess",), ("", "shown"), ("scene",)) == [None]
    assert page(("guess",), "### Inside", ("scene",)) == ["g"]
