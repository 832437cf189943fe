"""What a page shows of a notebook's code cells: the code where it is worth reading, and what stands below it."""

import ast
import html
import re

from ..stepper import FORMULAS
from . import data, formulas

HEADING = re.compile(r"^##? ", flags=re.M)
COLUMNS = re.compile(r"\S {2,}\S")  # of a line of a printed table
OPTION = re.compile(r"^#\s+\w {2,}")  # of a question: its letter
COMMENT = re.compile(r"^answer = None(?:\s+#|$)|^#", flags=re.M)


def prepare(cell, shown, caught):
    """Write into a cell's metadata what the template shows of it."""
    about = cell.metadata
    about["book_shown"] = _shown(cell, list(shown), caught)
    kinds = {kind for kind, *_ in about["book_shown"]}
    about["book_code"] = "shown"
    if "html" not in kinds and "exercise" not in kinds and kinds:
        # A call that only puts a picture here says nothing to who runs nothing.
        about["book_code"] = "none" if _is_call(cell.source) else "folded"
    if cell.source.strip() == "check.report()":  # how far its reader is, whom a page does not know
        about["book_code"], about["book_shown"] = "none", []
    if kinds == {"exercise"} and (asked := _asked(cell.source)):
        about["book_code"] = "none"
        for *_, each in about["book_shown"]:
            each["asked"] = asked if each["kind"] != "function" else ""


def put_behind_guesses(cells):
    """Name, in the data of each scene that directly follows a guess, that guess: `after`.

    Between the two stands nothing but prose of the same section and code that is closed.
    """
    guess = None
    for cell in cells:
        if cell.cell_type == "markdown" and HEADING.search(cell.source):
            guess = None
        for kind, ident, data_of in cell.metadata.get("book_shown", []):
            if kind == "scene" and guess:
                data_of["after"] = guess
            guess = ident if kind == "guess" else None
        if cell.cell_type == "code" and cell.metadata["book_code"] == "shown" and not cell.metadata["book_shown"]:
            guess = None


def _is_call(source):
    body = ast.parse(source).body
    return "#" not in source and all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Call) for each in body)


def _asked(source):
    """The question of a cell that has nothing but comments, `answer = None` and its check; or nothing."""
    *lines, _ = source.strip().splitlines()
    if not all(COMMENT.match(line) for line in lines):
        return ""
    words = "".join(("\n" if OPTION.match(line) else " ") + COMMENT.sub("", line).strip() for line in lines).strip()
    words = re.sub(r" Write its name in quotes\.| a letter in quotes", "", words)
    return words[:1].upper() + words[1:]


def _shown(cell, waiting, caught):
    """(kind, id, data) of what stands below a cell, in order."""
    shown = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            columns = sum(bool(COLUMNS.search(line)) for line in output.text.splitlines())
            words = "" if columns > 1 else ' class="words"'
            text = data.REFERENCE.sub(lambda found: data.OURS + "s" * bool(found["more"]), output.text)
            shown.append(("html", "", f"<pre{words}>{html.escape(text)}</pre>"))
            continue
        kind, ident = waiting.pop(0) if waiting else ("stored", "")
        if kind == "stored":
            shown.append(("html", "", _stored(output.data, output.metadata)))
        else:
            shown.append((kind, ident, dict(caught[kind][ident])))
    return shown


def _stored(found, about):
    """An output as the notebook stores it."""
    if "text/html" in found:
        if FORMULAS in found["text/html"]:
            set_ = lambda each: formulas.mathml(html.unescape(each["inline"]))
            return formulas.FORMULA.sub(set_, found["text/html"])
        return found["text/html"].replace(' border="1"', "")
    if "image/png" in found:
        alt = about.get("image/png", {}).get("alt", found.get("text/plain", "A picture"))
        return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{found["image/png"].strip()}">'
    return f"<pre>{html.escape(found.get('text/plain', ''))}</pre>"
