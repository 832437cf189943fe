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
NAMED = re.compile(r"\b(scenes|guess|check|derivations)\.(\w+)")
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
    lesson = _Lesson(nb)
    return [(title, _whole(map(lesson.minutes, pieces))) for title, pieces in sections(nb)]


def part(nb, section, *, only=(), without=(), until=""):
    """Minutes of what is used of one section.

    Parameters
    ----------
    nb : nbformat.NotebookNode
    section : str
        How its title begins: its number, or words; "" is the opening.
    only : sequence of str
        Scenes, guesses, exercises and derivations; nothing else of the section is used.
    without : sequence of str
        Such names, left out with the cells that use them.
    until : str
        The name in the last cell that is used.

    Returns
    -------
    (str, int)
        The section's title, and minutes.

    Raises
    ------
    ValueError
        If there is not one such section, or a name does not stand in it.
    """
    found = [each for each in sections(nb) if re.match(rf"{re.escape(section)}(?!\w)" if section else "$", each[0])]
    if len(found) != 1:
        raise ValueError(f"section: expected the beginning of one title, got {section!r}")
    ((title, pieces),) = found
    names = [set() if isinstance(piece, str) else {name for _, name in NAMED.findall(piece.source)} for piece in pieces]
    if unknown := {*only, *without, *filter(None, [until])} - set().union(*names):
        raise ValueError(f"{', '.join(sorted(unknown))}: not in section {title!r}")
    if not (only or without or until):
        return title, dict(plan(nb))[title]
    if until:
        end = max(place for place, each in enumerate(names) if until in each) + 1
        pieces, names = pieces[:end], names[:end]
    lesson, pairs = _Lesson(nb), zip(pieces, names, strict=True)
    used = [piece for piece, each in pairs if not each & {*without} and (not only or each & {*only})]
    return title, _whole(map(lesson.minutes, used))


def _whole(minutes):
    return max(1, round(sum(minutes)))


def sections(nb):
    """What stands in each section.

    Parameters
    ----------
    nb : nbformat.NotebookNode

    Returns
    -------
    list of (str, list)
        Titles, that of the opening empty, and pieces: prose, as text, or a code cell.
    """
    found = [("", [])]
    for cell in nb.cells:
        if cell.cell_type == "code":
            found[-1][1].append(cell)
            continue
        before, *rest = re.split(r"(?m)^(?=## )", cell.source)
        found[-1][1].append(before)
        found += [(HEADING.match(section)["title"], [section]) for section in rest]
    return found


def write_minutes(nb):
    """Put the minutes of `plan` into headings, metadata and the line **Minutes:**, in place; return the notebook."""
    found = plan(nb)
    known = dict(found)
    optional = sum(minutes for title, minutes in found if title.startswith("Optional"))
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
        """Of prose, as text; of a code cell what it calls, or its lines and what it prints."""
        if isinstance(cell, str):
            return _reading(cell)
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
