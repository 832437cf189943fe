"""What of a notebook is projected: written into its cells for every slide tool, and cut to a room's size for nbconvert.

    jupyter nbconvert --config binder/jupyter_nbconvert_config.json --to slides notebooks/01_notions.ipynb

`mark` says of each stored cell what it is on slides (`slideshow.slide_type`), from what stands in it. With the
configuration above nbconvert also runs `projected`: of prose it projects what can be read from the back of a room, and
gives the rest to the presenter's notes (key S).
"""

import copy
import re

from .. import _course

with _course():
    from nbformat.v4 import new_markdown_cell

__all__ = ["mark", "projected"]

SECTION = re.compile(r"^(?=##? )", flags=re.M)
PLAYS = re.compile(r"^(?:(?:scenes|guess)\.\w+|derive)\(", flags=re.M)
SET_OFF = re.compile(r"\*\*|(?:.*\n\n)?(?:\||\$\$)", flags=re.S)  # opens in bold; a table or a displayed formula
ABOVE, ALONE = 240, 640  # letters of a paragraph that leave room for a picture below, and that fit a slide
ROWS = 21  # of code and what it prints
STYLE = """<style>
body.jp-Notebook { --jp-content-font-size1: 28px; --jp-ui-font-size1: 24px; --jp-code-font-size: 19px; }
.reveal .slides section { top: 0 !important; }
.reveal .jp-RenderedHTMLCommon :is(h1, h2) { font-size: 1.6em; }
.reveal .jp-OutputArea-output img { margin: 0; width: 100%; max-height: 650px; object-fit: contain; }
.reveal .jp-MarkdownCell + .jp-CodeCell img { max-height: 495px; }
.reveal .jp-OutputArea-child + .jp-OutputArea-child img { max-height: 440px; }
.reveal .jp-OutputArea-output table { font-size: 19px; }
.reveal .jp-OutputArea-output :is(td, th) { padding: .2em .5em; }
.reveal .jp-OutputArea-output tbody th { white-space: nowrap; }
.reveal .highlight pre { white-space: pre-wrap; }
</style>
<script type="text/x-mathjax-config">  // for breaking lines their room is measured: a slide that is not shown has none
MathJax.Hub.Config({ CommonHTML: { linebreaks: { automatic: false }, matchFontHeight: false } });
</script>"""


def mark(nb):
    """Write into a notebook's cells what each is on slides, in place.

    A heading opens a slide. A picture, a derivation or a guess is a subslide, with the short paragraph before it; so
    is a paragraph that opens in bold or leads to a table or a displayed formula, and a computation, if it is short
    enough. Other prose is the presenter's notes. Exercises, what needs their answers, and what shows nothing: skipped.

    Parameters
    ----------
    nb : nbformat.NotebookNode

    Returns
    -------
    nbformat.NotebookNode
        The same.
    """
    for before, cell, after in zip([None, *nb.cells], nb.cells, [*nb.cells[1:], None], strict=False):
        cell.metadata["slideshow"] = {"slide_type": _type(before, cell, after)}
    return nb


def projected(nb, resources):
    """A preprocessor of nbconvert: sections opened by their heading and first paragraph, calls without their code.

    Parameters
    ----------
    nb : nbformat.NotebookNode
    resources : dict
        What nbconvert knows of the page, left as it is.

    Returns
    -------
    nbformat.NotebookNode, dict
        A notebook with cells of its own, and `resources`.
    """
    nb = copy.deepcopy(nb)
    nb.cells = [part for cell in nb.cells for part in _parts(cell)]
    for cell in mark(nb).cells:
        if _plays(cell):
            cell.metadata["transient"] = {"remove_source": True}
    nb.cells.insert(1, new_markdown_cell(STYLE))
    return nb, resources


def _type(before, cell, after):
    if cell.cell_type == "markdown":
        if SECTION.search(cell.source):
            return "slide"
        return "subslide" if _introduces(cell, after) or _stands_alone(cell.source) else "notes"
    if _plays(cell):
        return "-" if _introduces(before, cell) else "subslide"
    return "skip" if "check." in cell.source or not 0 < _rows(cell) <= ROWS else "subslide"


def _plays(cell):
    """Whether a cell shows a picture, a derivation or a guess: its code says nothing to a room."""
    if cell.cell_type != "code":
        return False
    pictures = any("image/png" in output.get("data", {}) for output in cell.outputs)
    return bool(PLAYS.search(cell.source)) or pictures and "check." not in cell.source


def _introduces(prose, cell):
    if prose is None or cell is None or prose.cell_type != "markdown" or not _plays(cell):
        return False
    return len(prose.source) <= ABOVE and not SECTION.search(prose.source)


def _stands_alone(text):
    return bool(SET_OFF.match(text)) and len(text) <= ALONE


def _rows(cell):
    """Lines of a cell's code and of what it prints; 0 if it shows nothing, or a widget."""
    printed = "".join(output.get("text", "") for output in cell.get("outputs", []))
    tables = "".join(output.get("data", {}).get("text/html", "") for output in cell.get("outputs", []))
    shown = printed.count("\n") + tables.count("<tr")
    return shown and shown + len(cell.source.splitlines())


def _parts(cell):
    """A cell's parts as cells: a heading with its first paragraph, and each after it; tables and formulas join one."""
    if cell.cell_type != "markdown":
        return [cell]
    texts = []
    for section in filter(str.strip, SECTION.split(cell.source)):
        paragraphs = re.split(r"\n\s*\n", section.strip())
        if SECTION.match(section):
            opening = 2 if len("".join(paragraphs[1:2])) <= ALONE else 1
            texts, paragraphs = [*texts, "\n\n".join(paragraphs[:opening])], paragraphs[opening:]
        for paragraph in paragraphs:
            if texts and paragraph.startswith(("|", "$$")) and len(texts[-1] + paragraph) <= ALONE:
                texts[-1] += f"\n\n{paragraph}"
            else:
                texts.append(paragraph)
    return [new_markdown_cell(text) for text in texts]
