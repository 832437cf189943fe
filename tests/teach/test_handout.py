"""What is handed out: assignments that nbgrader takes, whose hidden tests say what the checks say, and blank copies."""

import inspect
import os
import re

import nbformat
import numpy as np
import pytest

from calibtutor.__main__ import main
from calibtutor.lessons import discover
from calibtutor.teach import assignment, handout
from calibtutor.teach.assignment import CHECK, hidden_test, open_questions, plain
from calibtutor.teach.exercise import Checks, Exercise
from calibtutor.teach.handout import hand_out
from calibtutor.teach.notebooks import NOTEBOOKS
from calibtutor.teach.notebooks import discover as notebooks

EXERCISES = discover("exercises")
PATHS = {path.stem: path for path in notebooks()}
LESSONS = ("00_start_here", "04_heart_what_a_kernel_sees")


def called(path):
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def read(path):
    return nbformat.read(path, as_version=4)


def asked(path):
    """Names of the exercises of a notebook, in its order."""
    return [each for cell in read(path).cells for each, _ in CHECK.findall(cell.source)]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handout") / "out"
    hand_out(folder, EXERCISES, ["00", LESSONS[1]])
    return folder


def points(exercise, *answers, seed=7):
    """Whether the hidden test, which knows nothing of the course, gives the points to each answer."""
    test, found = compile(hidden_test(exercise, "answer", seed), "<hidden test>", "exec"), []
    for answer in answers:
        try:
            exec(test, {"answer": answer})
            found.append(True)
        except Exception:
            found.append(False)
    return found


@pytest.mark.parametrize("name", EXERCISES)
def test_a_hidden_test_says_what_the_check_says(name, monkeypatch):
    exercise = EXERCISES[name]
    answers = [exercise.reference, *exercise.accept, *(m.answer for m in exercise.mistakes), None, "nonsense", 123.4]
    wanted = [exercise.judge(each).status == "right" for each in answers]
    monkeypatch.setattr(Exercise, "judge", lambda *answer: pytest.fail("a hidden test asked what a student can change"))
    assert points(exercise, *answers) == wanted
    assert wanted[0] and not any(wanted[1 + len(exercise.accept) :])
    assert "calibtutor" not in hidden_test(exercise, "answer", seed=7)


@pytest.mark.parametrize("name", [name for name, each in EXERCISES.items() if callable(each.reference)])
def test_whatever_the_seed_no_mistake_gets_points(name):
    """A mistake that shows in one input of eight passes twenty inputs in one seed of fifteen: at 10 two did."""
    mistakes = [each.answer for each in EXERCISES[name].mistakes]
    passed = {seed: points(EXERCISES[name], *mistakes, seed=seed) for seed in (10, 22, 43)}
    assert {seed: each for seed, each in passed.items() if any(each)} == {}


def test_a_hidden_test_is_as_forgiving_as_the_check():
    gap = EXERCISES["start.gap"]
    loud = lambda hit, confidence: gap.reference(hit, confidence) + 0 * np.log(np.zeros(1))[0]  # noqa: E731
    single = lambda hit, confidence: np.float32(gap.reference(hit, confidence))  # noqa: E731
    listed = lambda hit, confidence: [gap.reference(hit, confidence)]  # noqa: E731
    assert points(gap, loud, single, listed) == [False, True, False]  # NaN; single precision; another shape
    assert points(EXERCISES["estimation_risk.risk_of_truth"], "1/16", "1/15") == [True, False]


def test_what_needs_the_course_is_not_plain():
    with pytest.raises(ValueError, match="not plain, since hand_out need from"):
        plain(handout, "hand_out")


@pytest.mark.parametrize("name", LESSONS)
def test_a_source_is_in_nbgraders_format(name, out):
    nb = read(out / "source" / name / f"{name}.ipynb")
    nbformat.validate(nb)
    marked = {cell.metadata.nbgrader.grade_id: cell for cell in nb.cells if "nbgrader" in cell.metadata}
    assert len(marked) == sum("nbgrader" in cell.metadata for cell in nb.cells)
    graded = [each for each in marked if marked[each].metadata.nbgrader.grade]
    assert graded == [f"test-{each}" for each in asked(PATHS[name])]
    for each in asked(PATHS[name]):
        answer, test = marked[each], marked[f"test-{each}"]
        assert nb.cells.index(test) == nb.cells.index(answer) + 1
        assert answer.metadata.nbgrader.solution and "### BEGIN SOLUTION" in answer.source
        exec(CHECK.sub("", answer.source) + "\n" + test.source, {})  # the solution gets its points
        assert test.metadata.nbgrader.locked and test.metadata.nbgrader.points in (1, 2)
    ((question, rubric),), task = open_questions(called(PATHS[name])), marked["open-0"]
    assert task.metadata.nbgrader.task and question in task.source and rubric in task.source
    assert task.metadata.nbgrader.points == len(rubric.splitlines()) - 2  # a point a row, in these two


@pytest.mark.parametrize("name", LESSONS)
def test_a_students_copy_is_blank(name, out):
    nb, course = read(out / "student" / name / f"{name}.ipynb"), read(PATHS[name])
    nbformat.validate(nb)
    text = "\n".join(cell.source for cell in nb.cells)
    assert not re.search("BEGIN|END|hidden_test|points \\| for|solution\\(", text)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in nb.cells)
    assert not re.search(r"\]\((?!#|https?:)", text)  # its neighbours are not there
    lines = lambda source: [line for line in source.splitlines() if line]  # noqa: E731
    for cell in course.cells:
        if CHECK.search(cell.source):  # asked as in the course
            assert [lines(each.source) for each in nb.cells if each.get("id") == cell.id] == [lines(cell.source)]
    assert text.count("check.close()") == 1
    assert text.count(" import check as ") == len(re.findall(r"(?m)^of_\d\d\.close\(\)$", text))


def test_a_closed_check_shows_no_solution():
    check = Checks([Exercise("four", 4, "Two and two.", hint="Count.")])
    assert "Two and two." in repr(check.four.solution())
    check.close()
    assert repr(check.four.solution()) == "→ four: this copy shows no solutions." and check.four(4).status == "right"


def test_what_lies_beside_the_assignments(out):
    names = {"README.md", "nbgrader_config.py", "solutions.md", "source", "student"}
    assert {each.name for each in out.iterdir()} == names
    readme = (out / "README.md").read_text(encoding="utf-8")
    commands = [f"nbgrader {each} 00_start_here" for each in ("generate_assignment", "autograde", "generate_feedback")]
    assert all(each in readme for each in commands) and "does not protect from" in readme and "{" not in readme
    compile((out / "nbgrader_config.py").read_text(encoding="utf-8"), "nbgrader_config.py", "exec")


def test_the_sheet_has_all_of_every_exercise(out):
    flat = " ".join((out / "solutions.md").read_text(encoding="utf-8").split())
    for name in LESSONS:
        (lesson,) = {m for m in re.findall(r"calibtutor\.lessons\.(\w+) import check", str(read(PATHS[name])))}
        for exercise in (EXERCISES[f"{lesson}.{each}"] for each in asked(PATHS[name])):
            wanted = [exercise.explanation, exercise.nudge, *(m.hint for m in exercise.mistakes)]
            wanted += [inspect.getsource(exercise.reference)] if callable(exercise.reference) else []
            assert [w for w in wanted if " ".join(w.split()) not in flat] == [], name


def test_every_notebook_has_an_open_question():
    names = [called(path) for path in PATHS.values()]
    text = (NOTEBOOKS / "open_questions.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", text) == names
    found = [each for name in names for each in open_questions(name)]
    assert all(len(open_questions(name)) >= 1 for name in names) and len(found) == text.count("| points | for |")
    assert all(question.endswith(("?", ".")) and assignment._points(rubric) >= 3 for question, rubric in found)


@pytest.mark.parametrize("there", [False, True])
def test_wrong_use_is_exit_code_2_and_leaves_nothing(there, tmp_path, capsys):
    if there:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["handout", str(tmp_path / "out"), "--lesson", "00" if there else "nothing"])
    assert end.value.code == 2
    assert ("is empty" if there else "lesson: expected one of 00_start_here") in capsys.readouterr().err
    assert [name for _, _, files in os.walk(tmp_path) for name in files] == ["mine.txt"] * there
