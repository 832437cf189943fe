"""The pages of the book: each notebook's, and those that are made of all of them."""

import html
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbconvert.exporters import HTMLExporter

from ..derive import question_about
from ..notebooks import NOTEBOOKS
from . import data, formulas, indexes
from .prose import Prose

__all__ = ["Page", "write"]

HERE = Path(__file__).parent
FONT = "stix-two-math.woff"
COURSE = "Calibration, hands on"
FOOTER = (
    "The course <i>calibtutor</i>, MIT licence. Formulas are set in STIX Two Math, © The STIX Fonts Project Authors, "
    '<a href="https://scripts.sil.org/OFL">SIL Open Font License 1.1</a>.'
)


@dataclass
class Page:
    """One page: a notebook as nbformat reads it, or one made for the book; and what was caught of it."""

    file: str
    notebook: nbformat.NotebookNode
    caught: dict | None = None
    path: Path | None = None
    title: str = ""
    description: str = ""
    sections: list = field(default_factory=list)
    headings: list = field(default_factory=list)

    @property
    def about(self):
        """What the notebook says about itself: goals, minutes, question, short_route."""
        return self.notebook.metadata.get("calibtutor", {})


def write(out, captured, hub=None):
    """Write all pages, and what they share.

    Parameters
    ----------
    out : Path
        With the frames and pictures of `captured`.
    captured : dict
        Notebook's path -> what it shows, as `data` describes it.
    hub : str, optional
        Address that opens a notebook, with {notebook} where its path goes.
    """
    lessons = [_lesson(path, caught) for path, caught in captured.items()]
    generated = [Page(name, nbformat.v4.new_notebook()) for name in indexes.FILES]
    known = {page.file for page in [*lessons, *generated]}
    for page in lessons:
        _read(page, known, out)
    for page, (title, description, markdown) in zip(generated, indexes.written(lessons), strict=True):
        page.description = description
        page.notebook.cells = [nbformat.v4.new_markdown_cell(f"# {title}\n\n{markdown}")]
        _read(page, known, out)
    menu = [{"file": page.file, "short": indexes.FILES[page.file]} for page in generated]
    exporter, characters = HTMLExporter(template_file=str(HERE / "page.html")), set()
    for page in [*lessons, *generated]:
        text = _rendered(exporter, page, menu, lessons, hub)
        for formula in re.findall(r"<math.*?</math>", text, flags=re.S):
            characters |= set(html.unescape(re.sub(r"<[^>]*>", "", formula)))
        _put(out / page.file, text.encode())
        if page.caught:
            _put(out / page.file.replace(".html", ".js"), data.page_script(page.caught).encode())
    _put(out / "search.js", indexes.search([*lessons, *generated]).encode())
    _put(out / FONT, formulas.font(characters))
    for name in ("book.css", "book.js", "icon.svg"):
        _put(out / name, (HERE / name).read_bytes())


def _put(path, content):
    """Write a file so that a reader sees the old one or the new one."""
    whole = path.with_name(path.name + ".making")
    whole.write_bytes(content)
    os.replace(whole, path)


def _lesson(path, caught):
    return Page(f"{path.stem}.html", nbformat.read(path, as_version=4), caught, path)


def _read(page, known, out):
    """Turn a page's cells into what the template shows; its title and sections are found on the way."""
    prose, opened = Prose(known), {id: _scene(out, each) for id, each in page.caught["scene"].items()} if page.caught else {}
    for number, cell in enumerate(page.notebook.cells):
        if cell.cell_type == "markdown":
            cell.metadata["book_html"] = prose.render(cell.source)
        elif cell.cell_type == "code":
            shown = _shown(cell, page.caught["cells"].get(number, []), page.caught, opened)
            cell.metadata["book_shown"] = shown
            # A call that only puts a picture here says nothing to who runs nothing.
            cell.metadata["book_folds"] = bool(shown) and all(kind not in ("html", "exercise") for kind, *_ in shown)
    page.sections, page.headings = prose.sections, prose.headings
    page.title = prose.headings[0][0]
    page.description = page.description or page.about.get("goals", page.title) + "."


def _shown(cell, caught, everything, opened):
    """What stands below a cell: (kind, id, data), in order."""
    shown, waiting = [], list(caught)
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            shown.append(("html", "", f"<pre>{html.escape(output.text)}</pre>"))
            continue
        kind, ident = waiting.pop(0) if waiting else ("stored", "")
        if kind == "stored":
            shown.append(("html", "", _stored(output.data, output.metadata)))
        else:
            shown.append((kind, ident, opened[ident] if kind == "scene" else _PREPARED[kind](everything[kind][ident])))
    return shown


def _stored(found, about):
    """An output as the notebook stores it."""
    if "text/html" in found:
        return "".join(found["text/html"])
    if "image/png" in found:
        alt = about.get("image/png", {}).get("alt", found.get("text/plain", "A picture"))
        return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{found["image/png"].strip()}">'
    return f"<pre>{html.escape(found.get('text/plain', ''))}</pre>"


def _scene(out, each):
    """A scene with its controls, and the longest of the texts that it may show."""
    script = data.read((out / each["folder"] / "scene.js").read_text(encoding="utf-8"))
    longest = [max((said[k] for said in script["said"]), key=len) for k in range(3)]
    return each | {"controls": script["controls"], "longest": longest, "alt": _alt(each["said"])}


def _picture(each):
    return each | {"alt": _alt(each["said"])}


def _alt(said):
    return f"{said[0]}. {said[2]}" if said[0] else said[2]


def _derivation(each):
    """A derivation with its formulas, and what its first world says about each line."""
    first, lines = each["worlds"][0], []
    for line, holds in zip(each["lines"], first["holds"], strict=True):
        if line["printed"] is not None:
            mark, verdict = "miss", f"✗ {line['printed']}: these numbers " + ("happen to agree" if holds else "refute it")
        else:
            mark, verdict = {
                None: ("first", "start here"),
                True: ("holds", "✓"),
                False: ("miss", "✗ disagrees with the line before"),
            }[holds]
        lines.append(line | {"mathml": formulas.mathml(line["math"], display=True), "mark": mark, "verdict": verdict})
    return each | {"lines": lines, "questions": [question_about(choice) for choice in each["choices"]]}


def _exercise(each):
    if each["kind"] == "function":
        return each
    right = each["reference"]
    return each | {"shown": f"“{right}”" if each["kind"] == "word" else f"{right:.6g}" if each["kind"] == "number" else right}


_PREPARED = {"picture": _picture, "derivation": _derivation, "guess": dict, "exercise": _exercise}


def _rendered(exporter, page, menu, lessons, hub):
    place = lessons.index(page) if page in lessons else None
    inside = page.path.relative_to(NOTEBOOKS.parent).as_posix() if page.path else ""
    book = {
        "file": page.file,
        "title": page.title if page.title == COURSE else f"{page.title} · {COURSE}",
        "description": page.description,
        "script": page.file.replace(".html", ".js") if page.caught else "",
        "sections": page.sections if len(page.sections) > 1 else [],
        "menu": menu,
        "before": lessons[place - 1] if place else None,
        "after": lessons[place + 1] if place is not None and place + 1 < len(lessons) else None,
        "hub": hub.replace("{notebook}", inside) if hub and inside else "",
        "footer": FOOTER,
    }
    if page.file == "index.html" and lessons:
        book["after"] = lessons[0]
    text, _ = exporter.from_notebook_node(page.notebook, resources={"book": book})
    return text
