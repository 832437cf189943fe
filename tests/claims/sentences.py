"""Every sentence that the course says to its reader, and the numbers in it that need support.

A sentence comes from a notebook's prose or from a text in a lesson's source: a scene's words, a guess's answer, a
reply, a hint. What a program fills in there (the braces of an f-string) is computed; " … " stands for it.
"""

import ast
import functools
import re
from pathlib import Path
from typing import NamedTuple

import nbformat

from calibtutor.teach.notebooks import discover

ROOT = Path(__file__).parent.parent.parent
LESSONS, NOTEBOOKS = ROOT / "calibtutor" / "lessons", ROOT / "notebooks"
# Files of a lesson whose texts a reader meets: they make pictures or exercises, or words for them.
MAKES = re.compile(r"teach\.(?:explore|exercise|still) import")
WORDS = ("full_size", "histograms", "surfaces")
NEARBY = 3  # cells before and after
# What is no statement: formulas, code, links, and what points somewhere.
SILENT = re.compile("|".join([
    r"\$\$.*?\$\$", r"\$[^$]*\$", r"```.*?```", r"`[^`]*`", r"\]\([^)]*\)", r"<!--.*?-->", r"</?[a-z][^>]*>",
    r"(?i:\b(?:notebooks?|sections?|steps?|lines?|eqs?\.|equations?|figures?|tables?|definitions?|theorems?|lemmas?|propositions?"
    r"|pages?|exercises?|cells?|goals?|appendix|errata|erratum)) [A-Z]?\d+(?:\.\d+)?(?:(?:, | and |[–-])[A-Z]?\d+)*",
    r"\b[A-Z]\d+\b|\bnorm [12]\b|Beta\(\d, \d\)|\w+/\d\b|\b\d/[a-zA-Zπ(]",
    r"\b(?:19|20)\d\d\b", r"^#+ .*?$", r"^\d+\. "]), flags=re.S | re.M)
NUMBER = re.compile(
    r"(?<![\w.^])[−+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?<=\d)(?:e-?\d+| ?· ?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?: ?%)?(?!\w)")
END = re.compile(r"(?<=[.!?:;”)])\s+(?=[A-Z“*(])|\n\s*\n|\n\s*[-*|] ")
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class Sentence(NamedTuple):
    """A sentence; where it stands, a notebook's or lesson's name; and the number of its cell or line."""

    where: str
    place: int
    text: str


def numbers(text):
    """The numbers of a text as written, without formulas, code, references, and 0 and 1, the ends of a scale."""
    found = (match.group().strip() for match in NUMBER.finditer(SILENT.sub(" ", text)))
    return [number for number in found if magnitude(number)[0] not in (0, 1)]


def magnitude(number):
    """Size of a written number, without its sign, and half a unit of its last digit; percent are hundredths."""
    factor = 0.01 if number.endswith("%") else 1
    digits, _, power = number.strip("−+-% ").replace(",", "").replace(" ", "").replace("·10", "e").partition("e")
    factor *= 10.0 ** int(power.translate(POWERS) or 0)
    return float(digits) * factor, 0.5 * 10.0 ** -len(digits.partition(".")[2]) * factor


def prose(path):
    """The sentences of a notebook's markdown cells."""
    where = path.relative_to(NOTEBOOKS).with_suffix("").as_posix()
    for place, cell in enumerate(notebook(path).cells):
        if cell.cell_type == "markdown":
            for text in END.split(cell.source):
                yield Sentence(where, place, " ".join(text.split()))


def texts(path):
    """The texts in a lesson's source that its reader meets: no names, keys, docstrings, options."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    where = path.relative_to(LESSONS).with_suffix("").as_posix()
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            said = "".join(part.value if isinstance(part, ast.Constant) else " … " for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = node.value
        else:
            continue
        if " " in said.strip():
            for text in END.split(said):
                yield Sentence(where, node.lineno, " ".join(text.split()))


@functools.cache
def notebook(path):
    return nbformat.read(path, as_version=4)


@functools.cache
def places():
    """All places of the course: {where: [sentences]}."""
    found = [*map(prose, discover())]
    sources = {path: path.read_text(encoding="utf-8") for path in LESSONS.glob("*/*.py")}
    found += [texts(path) for path, code in sources.items() if path.stem in WORDS or MAKES.search(code)]
    each = [list(sentences) for sentences in found]
    return {sentences[0].where: sentences for sentences in each if sentences}


def said(where):
    """All that is said there, in one line."""
    return " ".join(sentence.text for sentence in places()[where])


@functools.cache
def printed(where, place):
    """The sizes of all numbers in the code and the outputs near a notebook's cell."""
    cells = notebook(NOTEBOOKS / f"{where}.ipynb").cells[max(place - NEARBY, 0) : place + NEARBY + 1]
    shown = [cell.source for cell in cells if cell.cell_type == "code"]
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        data = output.get("data", {})
        shown += [output.get("text", ""), data.get("text/plain", "")]
        shown += [re.sub(r"<[^>]*>", " ", data.get("text/html", ""))]
    return sorted({magnitude(match.group().strip())[0] for text in shown for match in NUMBER.finditer(text)})


def is_printed(number, where, place):
    """Whether a number near this cell rounds to the one in the prose; a share may be printed as a fraction."""
    size, half = magnitude(number)
    return any(abs(size - other) <= half * (1 + 1e-9) + 1e-15 for other in printed(where, place))


def unsupported(where, quoted, exempt=()):
    """The sentences of a place with a number that is neither printed nearby nor quoted by a claim nor exempt."""
    found = []
    for sentence in places()[where]:
        rest = sentence.text
        for words in sorted(quoted, key=len, reverse=True):  # a short one may be part of a long one
            rest = rest.replace(words, " ")
        for pattern in exempt:
            rest = re.sub(pattern, " ", rest)
        open_ = numbers(rest)
        if (NOTEBOOKS / f"{where}.ipynb").exists():
            open_ = [number for number in open_ if not is_printed(number, where, sentence.place)]
        if open_:
            found.append(f"{where} {sentence.place}: {', '.join(open_)} in: {sentence.text}")
    return found
