"""How long a lesson takes its reader: counted from what stands in it, and written where it says so.

The constants, in minutes, are a teacher's who worked through the lessons: 100 words of prose a minute, 45 seconds
a line of a derivation, 2.5 to 3 minutes a picture, 2 to 10 an exercise.
"""

import inspect
import re
from importlib import import_module

WORDS = 100
LINE, PICTURE, GUESS, OUTPUT = 0.75, 2.75, 1.0, 1.0
VALUE, FUNCTION, BODY, LONGEST = 2.0, 2.0, 1.0, 10.0  # an exercise: a value; a function, and each of its lines
CODE = 1 / 6  # a line to read
HEADING = re.compile(r"^## (?P<title>.+?)(?: \(\d+ min(?:, optional)?\))?$", flags=re.M)
TOTAL = re.compile(r"\*\*Minutes:\*\* [^.]*\.")


def plan(nb):
    """Sections of a notebook and their minutes.

    Parameters
    ----------
    nb : nbformat.NotebookNode

    Returns
    -------
    list of (str, int)
        The opening, whose title is empty, and each section. A title that begins with "Optional" is an option.
    """
    lesson, found = _Lesson(nb), [["", 0.0]]
    for cell in nb.cells:
        if cell.cell_type == "code":
            found[-1][1] += lesson.minutes(cell)
            continue
        before, *rest = re.split(r"(?m)^(?=## )", cell.source)
        found[-1][1] += _reading(before)
        found += [[HEADING.match(section)["title"], _reading(section)] for section in rest]
    return [(title, max(1, round(minutes))) for title, minutes in found]


def write_minutes(nb):
    """Put the minutes of `plan` into headings, metadata and the line **Minutes:**, in place; return the notebook."""
    sections = plan(nb)
    known = dict(sections)
    optional = sum(minutes for title, minutes in sections if title.startswith("Optional"))
    total = sum(known.values()) - optional
    said = f"**Minutes:** {total}, of which {known['']} before the first section"
    said += f", and {optional} more for what is optional." if optional else "."
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = TOTAL.sub(said, HEADING.sub(lambda heading: _headed(heading["title"], known), cell.source))
    nb.metadata.setdefault("calibtutor", {})["minutes"] = total
    return nb


def _headed(title, known):
    return f"## {title} ({known[title]} min{', optional' * title.startswith('Optional')})"


def _reading(text):
    text = re.sub(r"(?s)^\*References\.\*.*", "", text, flags=re.M)
    text = TOTAL.sub("", HEADING.sub(r"\g<title>", text))  # what is written here does not count
    return len(re.findall(r"\w[^\s|]*", re.sub(r"\]\([^)]*\)|\$[^$]*\$", " formula ", text))) / WORDS


class _Lesson:
    """What a notebook's calls refer to."""

    def __init__(self, nb):
        source = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
        named = re.search(r"from calibtutor\.lessons\.(\w+) import", source)
        self.name = named[1] if named else ""
        lessons = import_module("calibtutor.lessons")  # found by name: no room imports the lessons
        self.derivations, self.exercises = lessons.discover("derivations"), lessons.discover("exercises")

    def minutes(self, cell):
        """Of a code cell: what it calls, or its lines and what it prints."""
        calls = re.findall(r"\b(scenes|guess|check|derivations)\.(\w+)(?=[()])", cell.source)  # not check.ece.use
        if not calls:
            lines = sum(bool(line.strip()) for line in cell.source.splitlines())
            return CODE * lines + OUTPUT * bool(cell.get("outputs"))
        return sum(self._call(kind, name) for kind, name in set(calls))

    def _call(self, kind, name):
        if kind == "scenes":
            return PICTURE
        if kind == "guess":
            return GUESS
        if kind == "derivations":
            return LINE * len(self.derivations[f"{self.name}.{name}"].steps)
        if name == "report":
            return 0
        reference = self.exercises[f"{self.name}.{name}"].reference
        if not callable(reference):
            return VALUE
        body = sum(bool(line.strip()) for line in inspect.getsource(reference).splitlines()[1:])
        return min(LONGEST, FUNCTION + BODY * body)
