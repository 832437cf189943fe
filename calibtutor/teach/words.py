"""The course's letters and words, as notebooks/notation.md says them: for notebook 00, the book and the tests."""

import re
from typing import NamedTuple

__all__ = ["LETTERS", "Letter", "Term", "letters", "short_table", "terms"]

LETTERS = "Letters of the whole course"  # the section that notebook 00 shows
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")
SHORT = """\
| letter | stands for | first in |
|---|---|---|
"""


class Letter(NamedTuple):
    """A row of a table of letters.

    Attributes
    ----------
    symbol, meaning : str
        The letter and what it stands for.
    links : list of (str, str)
        Where it is explained: text and notebook.
    papers : str
        What they write, where it differs.
    """

    symbol: str
    meaning: str
    links: list
    papers: str


class Term(NamedTuple):
    """An entry of the glossary.

    Attributes
    ----------
    name, short : str
        The term, and its abbreviation or "".
    text : str
        What it means.
    lesson, section, notebook : str
        Where it is explained.
    """

    name: str
    short: str
    text: str
    lesson: str
    section: str
    notebook: str


def letters(text):
    """The tables of letters.

    Parameters
    ----------
    text : str
        What stands in notebooks/notation.md.

    Returns
    -------
    dict of str -> list of Letter
        By the title of their section, in its order.

    Raises
    ------
    ValueError
        For a row that has not four fields, or no link.
    """
    found = {}
    for section in re.split(r"(?m)^## ", text)[1:]:
        title, _, body = section.partition("\n")
        rows = [line.strip("|").split("|") for line in body.splitlines() if line.startswith("|")][2:]
        if rows:
            found[title] = [_letter([field.strip() for field in row]) for row in rows]
    return found


def _letter(row):
    if len(row) != 4 or not LINK.search(row[2]):
        raise ValueError(f"notation.md: a row is letter | meaning | [lesson](notebook) | papers, got {row}")
    return Letter(row[0], row[1], LINK.findall(row[2]), row[3])


def terms(text):
    """The glossary.

    Parameters
    ----------
    text : str
        As in `letters`.

    Returns
    -------
    list of Term
        In the order of the file.

    Raises
    ------
    ValueError
        For an entry that does not end in "[lesson, section](notebook)".
    """
    found = []
    for entry in re.findall(r"(?m)^\*\*.+$", text):
        shape = re.fullmatch(r"\*\*(.+?)(?: \(([^)]+)\))?\*\*: (.+) \[(\w+), ([^]]+)\]\(([^)]+)\)", entry)
        if not shape:
            raise ValueError(f"notation.md: an entry is **term**: text [lesson, section](notebook), got {entry!r}")
        name, short, *rest = shape.groups()
        found.append(Term(name, short or "", *rest))
    return found


def short_table(text, here):
    """The letters of the whole course for one notebook, without what the papers write.

    Parameters
    ----------
    text : str
        As in `letters`.
    here : str
        Name of the notebook's file.

    Returns
    -------
    str
        A table in Markdown.
    """
    rows = []
    for letter in letters(text)[LETTERS]:
        places = ("here" if file == here else f"[notebook {name}]({file})" for name, file in letter.links)
        rows.append(f"| {letter.symbol} | {letter.meaning} | {', '.join(places)} |\n")
    return SHORT + "".join(rows)
