"""The pages of the book: each notebook's, and those that are made of all of them."""

import html
import re
import shutil
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nbformat
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import Highlight2HTML

from ..notebooks import NOTEBOOKS, minutes
from . import cells, data, formulas, indexes, plans
from .prose import Prose

HERE = Path(__file__).parent
FONT = "stix-two-math.woff"
COURSE = "Calibration, hands on"
FOOTER = (
    "The course <i>calibtutor</i>, MIT licence. Formulas are set in STIX Two Math, © The STIX Fonts Project Authors, "
    '<a href="https://scripts.sil.org/OFL">SIL Open Font License 1.1</a>.')
OF_A_PLAN = (
    "What this plan shows, in its order. *Present* in the head of this page puts one picture, derivation or guess "
    "after the other on the screen; → and ← go on and back.")


@dataclass
class Page:
    """One page: a notebook as nbformat reads it, or one made for the book; and what was caught of it."""

    file: str
    notebook: nbformat.NotebookNode
    caught: dict | None = None
    path: Path | None = None
    title: str = ""
    place: str = ""
    description: str = ""
    sections: list = field(default_factory=list)
    headings: list = field(default_factory=list)

    @property
    def about(self):
        """What the notebook says about itself: goals, question, short_route."""
        return self.notebook.metadata.get("calibtutor", {})

    @property
    def minutes(self):
        """How long it takes, or None."""
        return minutes(self.notebook)


def write(out, captured, hub=None):
    """Write all pages, and what they share."""
    read = lambda path: nbformat.read(path, as_version=4)
    lessons = [Page(f"{path.stem}.html", read(path), caught, path) for path, caught in captured.items()]
    shown = [plan for plan in plans.plans().values() if set(plan.notebooks) <= set(captured)]
    planned = [_planned(plan, captured) for plan in shown]
    generated = [Page(name, nbformat.v4.new_notebook()) for name in indexes.FILES]
    known = {page.file for page in [*lessons, *planned, *generated]}
    for page in [*lessons, *planned]:
        _read(page, known, hub)
    for page, (title, description, markdown) in zip(generated, indexes.written(lessons, planned), strict=True):
        page.description = description
        parts = re.split(r"(?=\n## )", f"# {title}\n\n{markdown}", maxsplit=1)
        page.notebook.cells = [nbformat.v4.new_markdown_cell(part) for part in parts]
        _read(page, known)
    generated[0].notebook.cells[1:1] = _to_take_in_hand(lessons)
    menu = [{"file": page.file, "short": indexes.FILES[page.file]} for page in generated]
    exporter = TemplateExporter(template_file=str(HERE / "page.html"))
    exporter.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3"))
    exporter.register_filter("mathml", partial(formulas.mathml, display=True))
    set_ = ""
    for page in [*lessons, *planned, *generated]:
        text = _rendered(exporter, page, menu, lessons)
        set_ += "".join(re.findall(r"<math.*?</math>", text, flags=re.S))
        (out / page.file).write_text(text, encoding="utf-8")
        if page.caught:
            (out / page.file).with_suffix(".js").write_text(data.page_script(page.caught), encoding="utf-8")
    (out / "search.js").write_text(indexes.search([*lessons, *generated]), encoding="utf-8")
    (out / FONT).write_bytes(formulas.font({*html.unescape(re.sub(r"<[^>]*>", "", set_))}))
    for picture in (indexes.PICTURES / f"{page.path.stem}.png" for page in lessons):
        if picture.is_file():
            shutil.copy(picture, out / "pictures")
    for file in ("book/book.css", "book/book.js", "book/icon.svg", "hands.css", "hands.js"):
        shutil.copy(HERE.parent / file, out)


def _to_take_in_hand(lessons):
    """A cell with the first picture of the lessons that is drawn in the page, for the contents; or none."""
    shown = (each for page in lessons for cell in page.notebook.cells for each in cell.metadata.get("book_shown", []))
    found = [[kind, ident, it | {"after": None}] for kind, ident, it in shown if kind == "scene" and it["hand"]]
    return [nbformat.v4.new_code_cell(metadata={"book_shown": found[:1]})] if found else []


def _planned(plan, captured):
    nb = nbformat.v4.new_notebook()
    cells, caught = plans.page_of(plan, captured)
    nb.cells = [nbformat.v4.new_markdown_cell(f"# {plan.title}\n\n{OF_A_PLAN}"), *cells]
    caught["cells"] = {number + 1: played for number, played in caught["cells"].items()}
    return Page(f"plan-{plan.name}.html", nb, caught, description=f"Course plan: {plan.title}")


def _read(page, known, hub=None):
    """Turn a page's cells into what the template shows; its title and sections are found on the way."""
    prose = Prose(known)
    if hub and page.path:  # where its notebook opens
        page.place = hub.replace("{notebook}", page.path.relative_to(NOTEBOOKS.parent).as_posix())
    for number, cell in enumerate(page.notebook.cells):
        if cell.cell_type == "markdown":
            cell.metadata["book_html"] = prose.render(cell.source)
        elif cell.cell_type == "code":
            cells.prepare(cell, page.caught["cells"].get(number, []), page.caught)
            for kind, _, shown in cell.metadata["book_shown"]:
                if kind == "exercise":  # where it runs, if it asks for code
                    shown |= {"notebook": page.path.name, "place": page.place}
                    shown["section"] = prose.sections[-1]["words"] if prose.sections else ""
    cells.put_behind_guesses(page.notebook.cells)
    page.sections, page.headings = prose.sections, prose.headings
    page.title = prose.headings[0][0]
    page.description = (page.description or page.about.get("goals", page.title)) + "."


def _rendered(exporter, page, menu, lessons):
    files = ["index.html", *(lesson.file for lesson in lessons)]
    before, after = dict(zip(files[2:], lessons, strict=False)), dict(zip(files, lessons, strict=False))
    book = {name: getattr(page, name) for name in ("file", "description", "place")} | {"menu": menu, "footer": FOOTER}
    book |= {"title": page.title if page.title == COURSE else f"{page.title} · {COURSE}",
             "script": page.file.replace(".html", ".js") if page.caught else "",
             "sections": page.sections if len(page.sections) > 1 else [],
             "before": before.get(page.file), "after": after.get(page.file)}
    text, _ = exporter.from_notebook_node(page.notebook, resources={"book": book})
    return text
