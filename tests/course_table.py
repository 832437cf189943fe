"""A table of what each notebook holds, counted where it stands: ``python tests/course_table.py`` prints it.

A cell that holds nothing has a reason in `REASONS`; test_course_table.py holds the table to it.
"""

import functools
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import nbformat

sys.path.insert(0, str(Path(__file__).parent / "claims"))  # also when run as a script

from claim import marked

from calibtutor.data.downloads import available
from calibtutor.lessons import discover
from calibtutor.teach.book import frames
from calibtutor.teach.explore import Explorable, explore
from calibtutor.teach.notebooks import NOTEBOOKS, exercises
from calibtutor.teach.notebooks import discover as notebooks

COLUMNS = {
    "claims": "tests that support its sentences",
    "doing cells": "cells that go on with a function the reader wrote, `check.….use`",
    "asking derivations": "derivations in which the reader finds the false line",
    "exercises": "questions that reply",
    "a goal": "exercises for each goal that the notebook numbers",
    "swept live": "sliders, menus and buttons of its pictures; tests/lessons/test_scenes.py moves each, live",
    "in the book": "settings that the book has a picture of",
    "published": "cells with a paper's numbers beside ours",
}
# How cells name a paper's numbers: a table that has them beside ours, a column of theirs, or what a code printed.
PUBLISHED = re.compile(r"beside_published\(|digits_ckce\.table_1\(|, paper\"|, figure \d\"|\"Resnet-110\"|their code")
DERIVED = "a case study puts a method to work; what it rests on is derived in the lessons"
UNNUMBERED = "it has one aim, in the syllabus, and numbers no goals"
REASONS = {
    ("00_start_here", "a goal"): UNNUMBERED,
    ("00_start_here", "published"): "it follows no paper",
    ("01_notions", "published"): "papers print definitions here; the derivations compare these",
    ("02_binning_and_kde", "published"): "the papers' values are of networks we do not have; formulas are compared",
    ("07_one_operator", "published"): "its subject, the four errors side by side, is in none of the papers",
    ("08_your_own_model", "published"): "it is about the reader's own data",
}
for case in ("01_cifar_calibration_risk", "02_compas_local_calibration", "03_housing_who_owns",
             "04_heart_what_a_kernel_sees"):  # fmt: skip
    REASONS[f"case_studies/{case}", "asking derivations"] = DERIVED
    REASONS[f"case_studies/{case}", "a goal"] = UNNUMBERED


def rows():
    """The table: {notebook: {column: what stands in the cell}}, "" where there is nothing."""
    lessons = [path for path in notebooks() if path.parent.name != "lectures"]  # these show pictures of the lessons
    return {path.relative_to(NOTEBOOKS).with_suffix("").as_posix(): _row(path) for path in lessons}


def _row(path):
    nb = nbformat.read(path, as_version=4)
    code = [cell.source for cell in nb.cells if cell.cell_type == "code"]
    prose = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    called = lambda word: dict.fromkeys(re.findall(rf"\b{word}\.(\w+)", "\n".join(code)))
    lesson = re.search(r"from calibtutor\.lessons\.(\w+) import", "\n".join(code))[1]
    derivations = [discover("derivations")[f"{lesson}.{name}"] for name in called("derivations")]
    asked, goals = len(exercises(nb)), _goals(prose)
    missing = [file for file in nb.metadata["calibtutor"].get("data", []) if not available(file)]
    known = {} if missing else discover("scenes")
    scenes = [_controls(known[f"{lesson}.{name}"]) for name in called("scenes") if f"{lesson}.{name}" in known]
    scenes = [each for each in scenes if isinstance(each, Explorable)]  # a still picture has no controls
    unknown = f"needs {', '.join(missing)}" if missing else ""
    return {
        "claims": _claims(path.stem.partition("_")[2]) or "",
        "doing cells": sum(bool(re.search(r"check\.\w+\.use\(", source)) for source in code) or "",
        "asking derivations": sum(bool(each.choices()) for each in derivations) or "",
        "exercises": asked or "",
        "a goal": f"{asked / goals:.1f}" if goals else "",
        "swept live": sum(len(each.controls) for each in scenes) or unknown,
        "in the book": f"{count:,}" if (count := sum(map(frames.count, scenes))) else unknown,
        "published": sum(bool(PUBLISHED.search(source)) for source in code) or "",
    }


def _claims(notebook):
    """How many tests mark a claim in the file whose name the notebook's begins with: test_heart.py for 04_heart_…."""
    return len({(file, test) for file, test, *_ in marked() if notebook.startswith(file.removeprefix("test_"))})


def _goals(prose):
    """How many goals a notebook numbers: “After this notebook you can (1) …, (2) …”."""
    said = re.search(r"(?s)\*\*After this notebook\*\* you can(.+?)\n\n", prose)
    return len(re.findall(r"\(\d+\) ", said[1])) if said else 0


def _controls(scene):
    """What a scene makes, with its controls and nothing drawn."""

    def undrawn(setup, update, *, size=None, code=(), **settings):
        @functools.wraps(update)  # its defaults are the controls' first values
        def silent(artists, **values):
            return "Nothing is drawn here."

        return explore(lambda fig: [], silent, size=(1, 1), **settings)

    with ExitStack() as patched:
        for name, room in list(sys.modules.items()):
            if name.startswith("calibtutor.lessons.") and getattr(room, "explore", None) is explore:
                patched.enter_context(patch.object(room, "explore", undrawn))
        return scene()


def markdown(table):
    """The table as Markdown, with what its columns count and why a cell is empty."""
    lines = [f"| notebook | {' | '.join(COLUMNS)} |", "|---|" + "---:|" * len(COLUMNS)]
    reasons = list(dict.fromkeys(REASONS.values()))
    for name, row in table.items():
        cells = [row[c] or f"– [{reasons.index(REASONS[name, c]) + 1}]" for c in COLUMNS]
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    lines += ["", *(f"* {name}: {meaning}" for name, meaning in COLUMNS.items()), ""]
    return "\n".join(lines + [f"[{k}] {reason}" for k, reason in enumerate(reasons, 1)])


if __name__ == "__main__":
    print(markdown(rows()))
