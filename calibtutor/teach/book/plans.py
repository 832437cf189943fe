"""A page for each course plan of notebooks/plans.md: what it shows, in its order, over notebooks.

A plan is a part of that file with a mark, `<!-- plan: class -->`, and tables of hours: their first column is the
clock, the class or the week. A row shows what stands in the sections that the links in its column “where” or “in class”
name: `[01 §2](01_notions.ipynb)`, `[01 §2–4](…)`, `[01 opening](…)`, and `[01](…)` for all of it. Names in `backticks`
in a row choose among its pictures and derivations, each with the guess directly above it.
"""

import copy
import re
from typing import NamedTuple

import nbformat

from ..notebooks import NOTEBOOKS

PLAYED = ("scene", "picture", "derivation", "guess")
MARK = re.compile(r"<!-- plan: (\w+) -->")
LINK = re.compile(r"\[([^]]*)\]\(([^)#]+\.ipynb)\)")
PLACE = re.compile(r"opening|§(\d+)(?:–(\d+))?((?:, \d+)*)")
HEADING = re.compile(r"^## (?:(\d+) · )?", flags=re.M)


class Plan(NamedTuple):
    """Its name; its heading; its rows: (words of its cells, [(notebook's path, sections or None), …], names)."""

    name: str
    title: str
    rows: list

    @property
    def notebooks(self):
        """The notebooks that it shows, each once."""
        return list(dict.fromkeys(path for _, links, _ in self.rows for path, _ in links))


def plans(text=None):
    """All plans: {name: Plan}."""
    text = (NOTEBOOKS / "plans.md").read_text(encoding="utf-8") if text is None else text
    found = {}
    for part in re.split(r"(?m)^## ", text)[1:]:
        if mark := MARK.search(part):
            rows = [row for table in re.findall(r"(?m)(?:^\|.*\n)+", part) for row in _hours(table)]
            found[mark[1]] = Plan(mark[1], part.partition("\n")[0], rows)
    return found


def _hours(table):
    """The rows of a table of hours that link to a notebook."""
    head, _, *lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
    where = [k for k, name in enumerate(head) if name in ("where", "in class")]
    if head[0] not in ("clock", "class", "week") or not where:
        return
    for words in lines:
        words[0] = words[0] if head[0] == "clock" else f"{head[0]} {words[0]}"
        if links := [(NOTEBOOKS / file, _sections(text)) for text, file in LINK.findall(words[where[0]])]:
            yield words[: where[0] + 2], links, re.findall(r"`(\w+)`", " ".join(words))


def _sections(words):
    """Numbers of sections, 0 for the opening; None for all. A heading in “quotes” is prose alone: nothing is played."""
    if "“" in words:
        return set()
    if not (found := PLACE.search(words)):
        return None
    if found[0] == "opening":
        return {0}
    first, last, more = int(found[1]), int(found[2] or found[1]), re.findall(r"\d+", found[3])
    return {*range(first, last + 1), *map(int, more)}


def page_of(plan, captured):
    """What the plan's page shows: a heading for each row with its cells, and what these play."""
    shown, caught = [], {kind: {} for kind in ("scene", "picture", "derivation", "guess", "exercise", "cells")}
    for (first, *others), links, names in plan.rows:
        shown.append(nbformat.v4.new_markdown_cell(f"## {first}\n\n{' · '.join(filter(None, others))}"))
        for path, sections in links:
            for cell, played in _chosen(path, sections, names, captured[path]):
                if any(ident in caught[kind] for kind, ident in played):
                    continue  # a page shows it once
                caught["cells"][len(shown)] = played
                shown.append(cell)
                for kind, ident in played:
                    caught[kind][ident] = captured[path][kind][ident]
    return shown, caught


def _chosen(path, sections, names, caught):
    """(cell, [(kind, id), …]) of what a row shows of one notebook, in the notebook's order."""
    found, section = [], 0
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type == "markdown":
            for heading in HEADING.finditer(cell.source):
                section = int(heading[1]) if heading[1] else section + 1
        elif played := [tuple(each) for each in caught["cells"].get(number, []) if each[0] in PLAYED]:
            if sections is None or section in sections:
                cell = copy.deepcopy(cell)
                cell.outputs = [nbformat.v4.new_output("display_data") for _ in played]
                found.append((cell, played))
    called = [re.findall(r"(?<=\.)\w+(?=\()|(?<=derivations\.)\w+", cell.source) for cell, _ in found]
    wanted = {k for k, each in enumerate(called) if {*each} & {*names}}
    wanted |= {k - 1 for k in wanted if k and found[k - 1][1][-1][0] == "guess"}
    return [found[k] for k in sorted(wanted)] or found
