"""What is projected: stored notebooks carry the rule's word, no word of them is lost, and nbconvert makes slides."""

import copy
import json

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from calibtutor.teach.notebooks import NOTEBOOKS, discover
from calibtutor.teach.slides import ALONE, ROWS, mark, projected

PICTURE = new_output("execute_result", data={"image/png": "", "text/plain": "Dots."})
PRINTED = new_output("stream", name="stdout", text="1\n2\n")
LONG = "word " * 200
CELLS = {  # a cell, or the last of two: what it is on slides
    "title": (["# 01 · Notions\n\nWords."], "slide"),
    "a heading further down": (["Words.\n\n## 2 · The ladder\n\nWords."], "slide"),
    "prose": (["Words."], "notes"),
    "a formula": (["This is so:\n\n$$a = b$$"], "subslide"),
    "a table": (["| a | b |\n|---|---|"], "subslide"),
    "a long paragraph in bold": ([f"**After** {LONG}"], "notes"),
    "a scene": (["# A", ("scenes.one()", [PICTURE])], "subslide"),
    "a scene with its import": ([("from a import scenes\n\nscenes.one()", [PICTURE])], "subslide"),
    "a scene below its introduction": (["Words.", ("scenes.one()", [PICTURE])], "-"),
    "a scene below a long introduction": ([LONG, ("scenes.one()", [PICTURE])], "subslide"),
    "a scene of one's own function": ([("scenes.mine(check.a.use(a))", [PICTURE])], "subslide"),
    "a guess": ([("guess.one()", [])], "subslide"),
    "a derivation": ([("derive(derivations.one)", [])], "subslide"),
    "an exercise": ([("def a(x):\n    ...\n\n\ncheck.a(a)", [PRINTED])], "skip"),
    "what runs an answer": ([("check.a.use(a)(1)", [PRINTED])], "skip"),
    "what prints": ([("print(1)\nprint(2)", [PRINTED])], "subslide"),
    "what prints too much": ([("print(1)\n" * ROWS, [PRINTED])], "skip"),
    "what shows nothing": ([("import numpy as np", [])], "skip"),
}


def made(*cells):
    return new_notebook(cells=[
        new_markdown_cell(each) if isinstance(each, str) else new_code_cell(each[0], outputs=copy.deepcopy(each[1]))
        for each in cells
    ])  # fmt: skip


def types(nb):
    return [cell.metadata["slideshow"]["slide_type"] for cell in nb.cells]


@pytest.mark.parametrize(("cells", "wanted"), CELLS.values(), ids=CELLS)
def test_what_a_cell_is_follows_from_what_stands_in_it(cells, wanted):
    assert types(mark(made(*cells)))[-1] == wanted


@pytest.mark.parametrize("path", discover(), ids=lambda path: path.stem)
def test_stored_notebooks_carry_it_and_a_projected_one_keeps_every_word(path):
    nb = nbformat.read(path, as_version=4)
    stored = [cell.metadata.get("slideshow") for cell in nb.cells]
    marked = [cell.metadata["slideshow"] for cell in mark(copy.deepcopy(nb)).cells]
    assert stored == marked, "run -m calibtutor notebooks on it"
    cut, _ = projected(nb, {})
    del cut.cells[1]  # the style
    words = ["".join(cell.source for cell in each.cells if cell.cell_type == "markdown").split() for each in (nb, cut)]
    assert "".join(words[0]) == "".join(words[1])
    assert stored == [cell.metadata.get("slideshow") for cell in nb.cells], "the notebook itself was changed"
    for cell in cut.cells:
        if cell.cell_type == "markdown" and cell.metadata["slideshow"]["slide_type"] != "notes":
            assert len(cell.source) <= ALONE + 100, cell.source  # a heading, and a paragraph


def test_nbconvert_makes_slides_as_the_clone_tells_it():
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    config = json.loads((NOTEBOOKS.parent / "binder" / "jupyter_nbconvert_config.json").read_text(encoding="utf-8"))
    section = "Before.\n\n## 2 · The ladder\n\nFirst.\n\n$$a$$\n\nSecond.\n\n**Find** it.\n\nLook:"
    exercise = ("answer = None  # how many?\ncheck.many(answer)", [PRINTED])
    nb = made("# Title\n\nWords.", section, ("scenes.ladder()", [PICTURE]), exercise, ("print(1)\nprint(2)", [PRINTED]))
    html, _ = SlidesExporter(config=Config(config)).from_notebook_node(nb)
    page = BeautifulSoup(html, "html.parser")
    for style in page("style"):
        style.extract()
    notes = [aside.extract().get_text(strip=True) for aside in page.select("aside.notes")]
    slides = [" ".join(section.get_text(" ").replace("¶", "").split()) for section in page.select("section section")]
    assert notes == ["Before.", "Second."]
    assert slides == ["Title Words.", "2 · The ladder First. $$a$$", "Find it.", "Look:", "print ( 1 ) print ( 2 ) 1 2"]
    assert len(page.select(".slides > section")) == 2 and len(page.select("section section")[3].select("img")) == 1
