"""The round trip with nbgrader itself: a lesson is released, handed in by a class of all kinds, and marked."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from calibtutor.data.downloads import available
from calibtutor.lessons import discover as find
from calibtutor.teach.assignment import CHECK, LESSON
from calibtutor.teach.handout import hand_out
from calibtutor.teach.notebooks import discover

api = pytest.importorskip("nbgrader.api", reason="nbgrader is not installed (tests/requirements.txt)")
pytestmark = pytest.mark.slow
PATHS = {path.stem: path for path in discover()}
SECONDS = 20  # for a cell, where an answer does not end: the import must fit on a busy machine
PATCH = """
from calibtutor.teach import exercise
exercise.Exercise.judge = lambda self, answer, seed=0: exercise.Reply("right", "")
exercise.Exercise.__call__ = lambda self, answer=None: exercise.Reply("right", "")
exercise._same = lambda *a: True
"""


def nbgrader(folder, *command):
    """Run one of nbgrader's commands in a course's folder; returns how it ended."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as in an environment that is activated
    env = {**os.environ, "PATH": path}
    return subprocess.run(["nbgrader", *command], cwd=folder, env=env, capture_output=True, text=True, timeout=600)


def read(folder, name):
    return nbformat.read(folder / name / f"{name}.ipynb", as_version=4)


def hand_in(out, student, name, text):
    path = out / "submitted" / student / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(text if isinstance(text, str) else nbformat.writes(text), encoding="utf-8")


def answered(nb, answer, first=""):
    """A student's copy with answers: `answer(name, variable)` is the code above a check. Only what it needs is left."""
    cells = []
    for cell in nb.cells:
        source = cell.source if cell.cell_type == "code" else ""
        if not cells and (found := LESSON.search(source)):
            cells.append(new_code_cell(f"{found[0]} check\n{first}"))
        for name, variable in CHECK.findall(source):
            cell.source = f"{source.split('check.')[0]}{answer(name, variable)}\ncheck.{name}({variable})"
        if "nbgrader" in cell.metadata:
            cells.append(cell)
    nb.cells = cells
    return nb


def wrong(name, variable):
    return f"{variable} = (check.{name}.mistakes or [None])[0].answer"


def marks(out, name):
    """Student -> (points, whether an open question waits for a person); and what hidden tests can give together."""
    with api.Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        all_of_them = book.assignment_submissions(name)
        found = {each.student.id: (each.score, each.needs_manual_grade) for each in all_of_them}
        return found, book.find_assignment(name).max_code_score


@pytest.fixture
def course(tmp_path):
    def make(name):
        out = tmp_path / "out"
        hand_out(out, find("exercises"), [name], say=lambda text: None)
        ended = nbgrader(out, "generate_assignment", name)
        assert ended.returncode == 0, ended.stderr
        return out

    return make


@pytest.mark.parametrize("name", PATHS)
def test_every_lesson_comes_back_with_the_marks_it_deserves(name, course):
    about = nbformat.read(PATHS[name], as_version=4).metadata.get("calibtutor", {})
    if missing := [each for each in about.get("data", []) if not available(each)]:
        pytest.skip(f"needs {', '.join(missing)} (python -m calibtutor data)")
    out = course(name)
    released, ours, source = (read(out / folder, name) for folder in ("release", "student", "source"))
    assert [cell.source for cell in released.cells] == [cell.source for cell in ours.cells]

    solved = {c.metadata.nbgrader.grade_id: c.source for c in source.cells if "nbgrader" in c.metadata}
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = solved[cell.metadata.nbgrader.grade_id]
    hand_in(out, "good", name, released)
    hand_in(out, "blank", name, answered(read(out / "release", name), lambda name, variable: ""))
    hand_in(out, "patched", name, answered(read(out / "release", name), wrong, PATCH))
    ended = nbgrader(out, "autograde", name)
    assert ended.returncode == 0, ended.stderr
    found, most = marks(out, name)
    assert found == {"good": (most, True), "blank": (0, True), "patched": (0, True)}
    done = read(out / "autograded" / "good", name)
    assert [o for c in done.cells for o in c.get("outputs", []) if o.output_type == "error"] == []
    assert "BEGIN MARK SCHEME" in "\n".join(cell.source for cell in done.cells)  # who marks an open question sees it


def test_what_goes_wrong_costs_its_own_marks(course):
    name = "00_start_here"
    out = course(name)
    right = lambda name, variable: f"{variable} = check.{name}.reference"  # noqa: E731

    def but_gap(code):
        return answered(read(out / "release", name), lambda n, variable: code if n == "gap" else right(n, variable))

    submitted = {
        "mistaken": (answered(read(out / "release", name), wrong), 0),
        "right": (answered(read(out / "release", name), right), 8),
        "endless": (but_gap("def gap(hit, confidence):\n    while True:\n        pass\n\nNone"), 6),
        "no_python": (but_gap("def gap(:"), 6),
        "dies": (but_gap("import os\nos._exit(0)"), 0),
        "no_notebook": ("{", 0),
        "no_cells": (nbformat.v4.new_notebook(cells=[new_code_cell("1")]), 0),
    }
    for student, (text, _) in submitted.items():
        hand_in(out, student, name, text)
    ended = nbgrader(out, "autograde", name, f"--Execute.timeout={SECONDS}")
    lost = "There was an error processing assignment '00_start_here' for student '{}'"
    assert [each for each in submitted if lost.format(each) in ended.stderr] == ["dies", "no_notebook"]
    found, _ = marks(out, name)
    assert {each: score for each, (score, _) in found.items()} == {each: most for each, (_, most) in submitted.items()}
    feedback = nbgrader(out, "generate_feedback", name)
    assert feedback.returncode == 0 and (out / "feedback" / "mistaken" / name / f"{name}.html").is_file()
