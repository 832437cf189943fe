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
exercise.same = lambda *a: True
"""


def nbgrader(folder, *command):
    """Run one of nbgrader's commands in a course's folder; returns how it ended."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as in an environment that is activated
    env = {**os.environ, "PATH": path}
    return subprocess.run(["nbgrader", *command], cwd=folder, env=env, capture_output=True, text=True, timeout=1500)


def read(out, *path):
    return nbformat.read(out.joinpath(*path).with_suffix(".ipynb"), as_version=4)


def hand_in(out, student, assignment, name, nb):
    path = out / "submitted" / student / assignment / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nb, path)


def marked(nb, first=""):
    """What of a copy is marked, behind what it needs."""
    needed = next(found for cell in nb.cells if (found := LESSON.search(cell.source)))
    kept = [cell for cell in nb.cells if "nbgrader" in cell.metadata]
    checks = f"{needed[0]} check\n" if any(CHECK.search(cell.source) for cell in kept) else ""
    nb.cells = [new_code_cell(checks + first), *kept]
    return nb


def answered(nb, answer, first=""):
    """What is marked of a student's copy, with answers: `answer(name, variable)` is the code above a check."""
    for cell in nb.cells:
        for name, variable in CHECK.findall(cell.source) if cell.cell_type == "code" else ():
            cell.source = f"{cell.source.split('check.')[0]}{answer(name, variable)}\ncheck.{name}({variable})"
    return marked(nb, first)


def wrong(name, variable):
    return f"{variable} = check.{name}.mistakes[0].answer"


def marks(out, assignment):
    """(student, notebook) -> (points, whether somebody must mark something); and what hidden tests can give."""
    with api.Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        found = {(each.student.id, nb.name): (nb.score, nb.needs_manual_grade)
                 for each in book.assignment_submissions(assignment)
                 for nb in each.notebooks}
        return found, {nb.name: nb.max_code_score for nb in book.find_assignment(assignment).notebooks}


@pytest.mark.parametrize("half", [0, 1])
def test_every_lesson_comes_back_with_the_marks_it_deserves(half, tmp_path):
    """Half of the lessons, in one assignment. One is handed in whole, of the others what is marked."""
    needs = {n: nbformat.read(path, as_version=4).metadata["calibtutor"].get("data", []) for n, path in PATHS.items()}
    names = [name for name in [*PATHS][half::2] if all(map(available, needs[name]))]
    out, task = tmp_path / "out", "task"
    hand_out(out, find("exercises"), names)
    for name in names:
        (out / "source" / task).mkdir(exist_ok=True)
        (out / "source" / name / f"{name}.ipynb").rename(out / "source" / task / f"{name}.ipynb")
    ended = nbgrader(out, "generate_assignment", task)
    assert ended.returncode == 0, ended.stderr
    for name in names:
        released, source = (read(out, folder, task, name) for folder in ("release", "source"))
        ours = read(out, "student", name, name)
        assert [cell.source for cell in released.cells] == [cell.source for cell in ours.cells]
        solved = {c.metadata.nbgrader.grade_id: c.source for c in source.cells if "nbgrader" in c.metadata}
        for cell in released.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.source = solved[cell.metadata.nbgrader.grade_id]
        hand_in(out, "good", task, name, released if name == names[0] else marked(released))
        hand_in(out, "patched", task, name, answered(read(out, "release", task, name), wrong, PATCH))
    ended = nbgrader(out, "autograde", task)
    assert ended.returncode == 0, ended.stderr
    found, most = marks(out, task)
    for name in names:
        assert (found["good", name], found["patched", name]) == ((most[name], True), (0, True)), name
        done = read(out, "autograded", "good", task, name)
        assert [o for c in done.cells for o in c.get("outputs", []) if o.output_type == "error"] == [], name
        assert "BEGIN MARK SCHEME" in "\n".join(cell.source for cell in done.cells)  # who marks sees the rubric
    assert sum(most.values()) >= 50
    if missing := {each for name in [*PATHS][half::2] for each in needs[name] if not available(each)}:
        pytest.skip(f"lessons that need {', '.join(missing)} were left out (python -m calibtutor data)")


def test_what_goes_wrong_costs_its_own_marks(tmp_path):
    out, name = tmp_path / "out", "00_start_here"
    hand_out(out, find("exercises"), [name])
    assert nbgrader(out, "generate_assignment", name).returncode == 0
    copy = lambda *answers: answered(read(out, "release", name, name), *answers)  # noqa: E731
    right = lambda name, variable: f"{variable} = check.{name}.reference"  # noqa: E731

    def but_gap(code):
        return copy(lambda n, variable: code if n == "gap" else right(n, variable))

    submitted = {"mistaken": (copy(wrong), 0), "blank": (copy(lambda name, variable: ""), 0), "right": (copy(right), 7),
                 "endless": (but_gap("def gap(hit, confidence):\n    while True:\n        pass\n\nNone"), 5),
                 "no_python": (but_gap("def gap(:"), 5)}
    for student, (nb, _) in submitted.items():
        hand_in(out, student, name, name, nb)
    ended = nbgrader(out, "autograde", name, f"--Execute.timeout={SECONDS}")
    assert ended.returncode == 0, ended.stderr
    found, _ = marks(out, name)
    assert {each: found[each, name][0] for each in submitted} == {each: most for each, (_, most) in submitted.items()}
    feedback = nbgrader(out, "generate_feedback", name)
    assert feedback.returncode == 0 and (out / "feedback" / "mistaken" / name / f"{name}.html").is_file()
