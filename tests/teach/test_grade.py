"""What earns marks: the code of an answer, judged again. Nothing else that a notebook may hold does."""

import csv
import json
import os
import sys
import textwrap
from pathlib import Path

import numpy as np
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

from calibtutor.lessons import discover
from calibtutor.teach import grade as room
from calibtutor.teach import submission
from calibtutor.teach.exercise import Exercise
from calibtutor.teach.grade import folded, grade, students
from calibtutor.teach.handout import _counted, main
from calibtutor.teach.submission import answers, code_cells

LESSON = "00_start_here"
LESSONS = {LESSON: {"animals": "id-animals", "gap": "id-gap"}}
ALL = discover("exercises")
EXERCISES = {LESSON: {name: ALL[f"start.{name}"] for name in LESSONS[LESSON]}}
HEAD = "import numpy as np\n\nfrom calibtutor.lessons.start import check, derivations, derive, guess, scenes"
ANIMALS, NO_ANIMALS = "answer = 4\ncheck.animals(answer)", "answer = None\ncheck.animals(answer)"
GAP = "def gap(hit, confidence):\n    return np.mean(confidence) - np.mean(hit)\n\n\ncheck.gap(gap)"
NO_GAP = "def gap(hit, confidence):\n    ...  # mean confidence minus accuracy\n\n\ncheck.gap(gap)"
needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and sessions are those of Linux")


def does(lines):
    """A cell whose function does this and returns a wrong answer."""
    return (
        "def gap(hit, confidence):\n"
        + textwrap.indent(textwrap.dedent(lines).strip(), "    ")
        + "\n    return 0\n\n\ncheck.gap(gap)"
    )


def says(lines, value):
    """A cell that does this and hands in that value for the number of animals."""
    return f"{textwrap.dedent(lines).strip()}\nanswer = {value}\ncheck.animals(answer)"


def notebook(animals=ANIMALS, gap=GAP, before=(), after=(), outputs=()):
    """A submission, as text."""
    own = [new_code_cell(s, id=f"id-{n}", outputs=list(outputs)) for n, s in (("animals", animals), ("gap", gap)) if s]
    other = [[new_code_cell(source) for source in sources] for sources in ((HEAD, *before), after)]
    return writes(new_notebook(cells=[new_markdown_cell("# Lesson"), *other[0], *own, *other[1]]))


def remembered():
    """A function that knows the notebook's own inputs by heart, and nothing else."""
    exercise = EXERCISES[LESSON]["gap"]
    rng = np.random.default_rng(0)
    known = {}
    for _ in range(20):
        hit, confidence = exercise.inputs(rng)
        known[round(float(confidence.sum()), 6)] = float(exercise.reference(hit, confidence))
    looks = "def gap(hit, confidence):\n    return known.get(round(float(confidence.sum()), 6), 0.0)"
    return f"known = {known}\n{looks}\n\n\ncheck.gap(gap)"


SAID = new_output("execute_result", data={"text/plain": "✓ animals: right. ✓ gap: right."}, execution_count=1)
RIGHT_BY_HAND = 'for e in check:\n    e.status = "right"\n    e.tries = 1\ncheck.report()'
LEFT_BEHIND = "617"
# name -> (notebook, statuses of animals and gap, words in the remarks)
HOSTILE = {
    "statuses set by hand": (notebook(NO_ANIMALS, NO_GAP, after=[RIGHT_BY_HAND], outputs=[SAID]), "blank blank", ""),
    "Exercise changed": (
        notebook("answer = 5\ncheck.animals(answer)", does("""
            from calibtutor.teach import exercise
            exercise.Exercise.judge = exercise.Exercise.__call__ = lambda *a: exercise.Reply("right", "")
            exercise._same = lambda *a: True
        """)), "wrong wrong", "gap: ",
    ),
    "check redefined": (
        notebook("answer = 5\ncheck.animals(answer)", does(""), [
            "class Check:\n    def __getattr__(self, name):\n        return lambda answer: True\n\n\ncheck = Check()"
        ]), "wrong wrong", "animals: 5 is not it",
    ),
    "leaves": (notebook("import sys\nsys.exit(0)\nanswer = 4\ncheck.animals(answer)", does("import os; os._exit(0)")),
               "right wrong", "its process ended before it answered"),
    "exits in the answer": (notebook(gap=does("raise SystemExit(0)")), "right wrong", "raised SystemExit"),
    "endless": (notebook(gap=does("while True: pass")), "right wrong", "it took longer than 2 s"),
    "endless before its function": (
        notebook(gap=GAP.replace("np.mean(hit)", "more"), before=["more = 0\nwhile True:\n    more += 1"]),
        "right wrong", "it took longer than 2 s",
    ),
    "solution imported": (
        notebook(says("from calibtutor.lessons.start.exercises import check as c", "c.animals.reference"),
                 "from calibtutor.lessons.start.exercises import gap\ncheck.gap(gap)"),
        "wrong wrong", "look: uses calibtutor.lessons.start.exercises",
    ),
    "solution through check": (
        notebook(says("", "check.animals.reference"), does("return check.gap.reference(hit, confidence)")),
        "wrong wrong", "no attribute 'reference'",
    ),
    "modules forgotten": (
        notebook(says("""
            import sys
            for name in list(sys.modules):
                if name.startswith("calibtutor"):
                    del sys.modules[name]
        """, "__import__('calibtutor.lessons.start.exercises').lessons.start.exercises.check.animals.reference")),
        "wrong right", "look: uses __import__",
    ),
    "message forged": (
        notebook(gap=does("""
            import os, struct
            for fd in range(3, 32):
                half = b"[]\\n" + struct.pack("<d", 0.5)
                for letter, content in ((b"R", b"right"), (b"A", half), (b"A", b"[9999999999]\\n")):
                    try:
                        os.write(fd, struct.pack("<cQ", letter, len(content)) + content)
                    except OSError:
                        pass
        """)), "right wrong", "look: uses os",
    ),
    "message without end": (
        notebook(gap=does("""
            import os, struct
            while True:
                for fd in range(3, 12):
                    try:
                        os.write(fd, struct.pack("<cQ", b"N", 2**20) + bytes(2**20))
                    except OSError:
                        pass
        """)), "right blank", "",
    ),
    "message too large": (
        notebook(gap=does("import struct, os\nos.write(4, struct.pack('<cQ', b'A', 2**40))")),
        "right wrong", "it is too large",
    ),
    "cells deleted": (notebook("", ""), "missing missing", ""),
    "NumPy changed": (
        notebook(gap=does("np.allclose = np.isclose = np.array_equal = lambda *a, **k: True")), "right wrong", "",
    ),
    "table of the notebook's inputs": (
        notebook(gap=remembered()), "right wrong", "look: right on the notebook's own inputs only",
    ),
    "two gigabytes": (notebook(gap=does("return np.ones(2**28).sum()")), "right wrong", "raised"),
    "a process left behind": (
        notebook(gap=does(f"import os, subprocess\nsubprocess.Popen(['sleep', '{LEFT_BEHIND}'])\nos._exit(0)")),
        "right wrong", "look: uses os, subprocess",
    ),
    "a process of another session": (
        notebook(gap=does(f"import subprocess\nsubprocess.Popen(['sleep', '{LEFT_BEHIND}'], start_new_session=True)")),
        "right wrong", "look: uses subprocess",
    ),
    "holds the pipe": (
        notebook(gap=does("""
            import os, time
            if os.fork() == 0:
                os.setsid()
                time.sleep(8)
            os._exit(0)
        """)),
        "right wrong", "look: uses os",
    ),
    "a lying object": (
        notebook(says("""
            class Any:
                def __eq__(self, other):
                    return True
                def __call__(self, *a):
                    return self
        """, "Any()"), "gap = Any()\ncheck.gap(gap)"), "wrong wrong", "",
    ),
    "not Python": (notebook("answer = = 4\ncheck.animals(answer)", "def gap(:\ncheck.gap(gap)"), "wrong wrong", ""),
    "code too deep": (notebook(f"answer = {'-' * 50_000}4\ncheck.animals(answer)"), "wrong right", "cannot be read"),
    "half a letter": (notebook(says("", "'HALF'")).replace("HALF", "\\ud800"), "wrong right", "cannot be read"),
    "a thousand checks": (notebook(NO_ANIMALS, before=[NO_ANIMALS] * 1000), "blank right", ""),
    "a thousand functions": (
        notebook(gap="\n".join(f"def f{i}(): f{i + 1}()" for i in range(2000)) + "\ngap = f0\ncheck.gap(gap)"),
        "right wrong", "too deeply",
    ),
    "prints much": (notebook(gap=GAP.replace("    return", "    print('x' * 10**6)\n    return")), "right right", ""),
    "=HYPERLINK(1)_": (notebook("answer = '=1+1'\ncheck.animals(answer)"), "wrong right", ""),
}  # fmt: skip
WAITED_FOR = {"endless", "endless before its function", "holds the pipe"}
LINUX_ONLY = {
    "two gigabytes",
    "holds the pipe",
    "message too large",
    "a process left behind",
    "a process of another session",
}
BROKEN = {
    "cut.ipynb": notebook()[:-40].encode(),
    f"cut_{LESSON}.ipynb": notebook()[:-40].encode(),
    "homework.pdf": b"%PDF-1.7 \xff\xfe",
    "list.ipynb": b"[1, 2]",
    "deep.ipynb": b"[" * 200_000,
    "null.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": None}]}).encode(),
    "other.ipynb": writes(new_notebook(cells=[new_code_cell("print(1)")])).encode(),
    "empty.ipynb": b"",
    "large.ipynb": writes(new_notebook(cells=[new_code_cell("x = 1\n" * 40_000)])).encode(),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """One run over all of them: (rows of grades.csv by student, rows of answers.csv)."""
    place = tmp_path_factory.mktemp("class")
    folder, waited = place / "in", place / "waited"
    for name, (text, _, _) in HOSTILE.items():
        if sys.platform == "linux" or name not in LINUX_ONLY:
            path = (waited if name in WAITED_FOR else folder) / name / f"{LESSON}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
    for name, content in BROKEN.items():
        (folder / name).write_bytes(content)
    (folder / "nothing").mkdir()
    (folder / "nothing" / "homework.txt").write_text("see my mail", encoding="utf-8")
    (folder / "cells deleted" / "README.md").write_text("of the handout", encoding="utf-8")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / f"{LESSON}.ipynb").write_text(notebook(), encoding="utf-8")
    files, details = [], []
    for each, seconds in ((folder, 60), (waited, 2)):
        grade(each, place, LESSONS, EXERCISES, seconds=seconds, megabytes=1024, jobs=3, say=lambda text: None)
        for rows, name in ((files, "grades.csv"), (details, "answers.csv")):
            rows += csv.DictReader((place / name).read_text(encoding="utf-8-sig").splitlines())
    return {row["file"].lstrip("'"): row for row in files}, details


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_submission_earns_what_its_answers_are_worth(name, graded):
    if sys.platform != "linux" and name in LINUX_ONLY:
        pytest.skip("limits of memory and sessions are those of Linux")
    _, statuses, words = HOSTILE[name]
    rows = [row for row in graded[1] if row["file"].lstrip("'").startswith(f"{name}/")]
    said = "; ".join(f"{row['exercise']}: {row['remark']}" for row in rows)
    assert " ".join(row["status"] for row in rows) == statuses, said
    assert words in said


def test_a_broken_file_costs_its_own_row(graded):
    files = graded[0]
    judged = {row["file"] for row in graded[1]} - BROKEN.keys()
    assert len(files) == 1 + len(BROKEN) + len(judged)  # one row each, and no checkpoint
    assert (files["nothing"]["student"], files["nothing"]["remarks"]) == ("nothing", "no notebook in this folder")
    for name in BROKEN:
        of = "2" if LESSON in name else "0"  # a file whose name says its lesson earns nothing of it
        assert (files[name]["right"], files[name]["of"]) == ("0", of) and files[name]["remarks"], name
    assert "no notebook" in files["homework.pdf"]["remarks"] and "letters of code" in files["large.ipynb"]["remarks"]
    assert "handed out" in files["other.ipynb"]["remarks"]


def test_what_a_teacher_must_look_at_stands_in_the_row(graded):
    row = graded[0][f"solution imported/{LESSON}.ipynb"]
    assert (row["right"], row["wrong"]) == ("0", "2") and "look: uses calibtutor.lessons" in row["remarks"]
    assert "gap: it took longer than 2 s" in graded[0][f"endless/{LESSON}.ipynb"]["remarks"]
    assert graded[0][f"prints much/{LESSON}.ipynb"]["remarks"] == ""


def test_no_cell_of_a_table_is_a_formula(graded):
    for row in [*graded[0].values(), *graded[1]]:
        assert not any(value[:1] in "=+-@" for value in row.values() if value), row
    assert [row["file"] for row in graded[1] if "HYPERLINK" in row["file"]][0].startswith("'=")


@needs_limits
def test_no_process_is_left_behind(graded):
    assert not [p for p in psutil.process_iter(["cmdline"]) if LEFT_BEHIND in (p.info["cmdline"] or [])]


def one(tmp_path, text, name=f"anna/{LESSON}.ipynb", **limits):
    """Grade one submission: (what was judged, the tables' folder)."""
    path = tmp_path / "in" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (judged,) = grade(tmp_path / "in", tmp_path, LESSONS, EXERCISES, say=lambda text: None, **limits)
    return judged


HONEST = {
    "as asked": notebook(),
    "a helper in another cell": notebook(
        gap="def gap(hit, confidence):\n    return minus(confidence, hit)\n\n\ncheck.gap(gap)",
        before=["%matplotlib inline\ndef minus(a, b):\n    return mean(a) - mean(b)", "from numpy import mean"],
    ),
    "computed": notebook("share = 0.2\nparts = []\nparts.append(share)\nanswer = 20 * parts[0]\ncheck.animals(answer)"),
    "without its check": notebook("answer = 4", GAP.removesuffix("check.gap(gap)")),
    "in a cell of its own, the blank left": notebook(NO_ANIMALS, NO_GAP, before=[ANIMALS, GAP]),
    "a lambda, and a word for the check": notebook(
        "check.animals(answer=4)", "gap = lambda h, c: sum(c) / len(c) - sum(h) / len(h)\ncheck.gap(gap)"
    ),
    "with its own function of before": notebook(
        says("", "int(mine(np.array([1]), np.array([5])))"), before=[GAP, "mine = check.gap.use(gap)"]
    ),
    "something broken elsewhere": notebook(before=["1 / 0", "this is no Python"], after=["raise SystemExit"]),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_is_right(name, tmp_path):
    judged = one(tmp_path, HONEST[name])
    assert judged.statuses == {"animals": ("right", ""), "gap": ("right", "")}
    assert (judged.student, judged.lesson) == ("anna", LESSON)


def test_a_wrong_answer_has_its_hint_for_a_remark(tmp_path):
    judged = one(tmp_path, notebook("check.animals(16)", GAP.replace(") - np", ") + np")))
    assert judged.statuses["animals"] == ("wrong", "animals: 16 is the number of objects, the class with 80 %.")
    assert judged.statuses["gap"][0] == "wrong" and "Two means and a difference." in judged.statuses["gap"][1]


@pytest.mark.parametrize(("name", "student"), [
    (f"anna_{LESSON}.ipynb", "anna"), (f"{LESSON}-anna b.ipynb", "anna b"), ("anna/homework 1.ipynb", "anna"),
    (f"{LESSON} (1)_dora.ipynb", "dora"), (f"dora_{LESSON} (2).ipynb", "dora"), (f"{LESSON}-Copy1_dora.ipynb", "dora"),
    (f"dora_{LESSON} - Copy.ipynb", "dora"), (f"notebooks/{LESSON}_anna-Copyman.ipynb", "anna-Copyman"),
    (f"BEN_{LESSON.title()}.ipynb", "BEN"), (f"ben {LESSON.replace('_', ' ')}.ipynb", "ben"),
    (f"Dora Klein_123_assignsubmission_file/final_{LESSON}.ipynb", "Dora Klein"),
    (f"anna/notebooks/{LESSON}.ipynb", "anna"), (f"Anna Lee_12/anna_{LESSON}.ipynb", "Anna Lee_12"),
])  # fmt: skip
def test_lesson_and_student_are_found(name, student, tmp_path):
    judged = one(tmp_path, notebook(NO_ANIMALS, NO_GAP), name)
    assert (judged.lesson, judged.student, judged.remark) == (LESSON, student, "")


@pytest.mark.parametrize(("name", "student", "remark"), [
    (f"{LESSON}.ipynb", "", "no student's name: name it anna_"), (f"{LESSON} (1).ipynb", "", "no student's name"),
    ("00_dora.ipynb", "dora", "the student is a guess from the file's name: name it anna_"),
    ("carl_00.ipynb", "carl", "the student is a guess from the file's name"),
    (f"anna_{LESSON}_extra.ipynb", "anna", "the student is a guess from the file's name"),
    ("late/carl_00.ipynb", "late", "the student is a guess: the folder says late, the file carl"),
    (f"late/at_{LESSON}.ipynb", "at", "the student is a guess: the folder says late, the file at"),
    (f"late/dora_{LESSON}.ipynb", "dora", "the student is a guess: the folder says late, the file dora"),
])  # fmt: skip
def test_a_student_who_is_a_guess_is_remarked(name, student, remark, tmp_path):
    judged = one(tmp_path, notebook(NO_ANIMALS, NO_GAP), name)
    assert (judged.lesson, judged.student) == (LESSON, student) and judged.remark.startswith(remark)


@needs_limits
def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "solved.ipynb").write_text(notebook(), encoding="utf-8")
    (tmp_path / "in" / f"{LESSON}.ipynb").symlink_to(tmp_path / "solved.ipynb")
    (judged,) = grade(tmp_path / "in", tmp_path, LESSONS, EXERCISES, say=lambda text: None)
    assert {status for status, _ in judged.statuses.values()} == {"missing"} and "a link" in judged.remark


def test_a_function_among_the_inputs_stays_with_the_grader(tmp_path):
    power = ALL["case_studies.power"]
    counts = "return np.mean([rejects((u < truth).astype(int)) for u in draws])"
    code = f"import numpy as np\n\ndef power(truth, draws, rejects):\n    {counts}"
    cells = [("a", f"{code}\ncheck.power(power)")]
    (answer,) = answers(cells, {"power": "a"})["power"]
    room.copy_for_judging(tmp_path)
    assert room.judge(power, answer, tmp_path) == ("right", "")
    (slip,) = answers([("a", cells[0][1].replace("<", ">"))], {"power": "a"})["power"]
    assert room.judge(power, slip, tmp_path)[0] == "wrong"


def test_the_second_inputs_are_others():
    seen = []
    exercise = Exercise("f", lambda x: x, "", hint="", inputs=lambda rng: (rng.random(),))
    for seed in (0, 0, 1):
        got = []
        exercise.judge(lambda x, got=got: got.append(x) or x, seed)
        seen.append(got)
    assert seen[0] == seen[1] != seen[2] and len(seen[0]) == 20
    assert exercise.tries == 0 and exercise.status == "blank"  # judging leaves no trace


def test_a_table_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "grades.csv"
    room._write(path, ["a"], [["old"]])

    def rows():
        yield ["new"]
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        room._write(path, ["a"], rows())
    assert path.read_text(encoding="utf-8-sig").split() == ["a", "old"] and os.listdir(tmp_path) == ["grades.csv"]


def test_a_notebook_is_read_without_running_it(tmp_path, monkeypatch):
    marker = tmp_path / "ran"
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(f"open({str(marker)!r}, 'w')\nanswer = 4\ncheck.animals(answer)"), encoding="utf-8")
    (answer,) = answers(code_cells(path), LESSONS[LESSON])["animals"]
    assert (answer.code, answer.value) == ("answer = 4", "answer") and not marker.exists()
    monkeypatch.setattr(submission, "LARGEST", 100)
    with pytest.raises(ValueError, match="expected at most"):
        code_cells(path)


def test_only_what_an_answer_needs_is_taken():
    cells = [
        ("a", "import numpy as np\nimport pandas as pd\nbig = pd.DataFrame()\nscale = 2"),
        ("b", "def other(big):\n    return scale * big\n\nanswer = None\ncheck.other(other)"),
        ("c", "answer = other(3)\ncheck.animals(answer)"),
    ]
    (answer,) = answers(cells, {"animals": "c"})["animals"]
    assert answer.code.splitlines()[0] == "scale = 2" and "pd" not in answer.code and "None" not in answer.code


@pytest.fixture
def handed_out(tmp_path):
    about = {"version": "1", "variants": False, "lessons": {LESSON: {"module": "start", "exercises": LESSONS[LESSON]}}}
    (tmp_path / "handout.json").write_text(json.dumps(about), encoding="utf-8")
    (tmp_path / "in").mkdir()
    return tmp_path


def test_exit_codes(handed_out, capsys):
    (handed_out / "in" / f"anna_{LESSON}.ipynb").write_text(notebook(gap=NO_GAP), encoding="utf-8")
    command = [str(handed_out), "--grade", str(handed_out / "in"), "--jobs", "2", "--seed", "5"]
    assert main(command) == 0 and "1 of 2 right" in capsys.readouterr().out
    (handed_out / "in" / "notes.txt").write_text("hello", encoding="utf-8")
    removed(handed_out)
    assert main([*command, "--only", "start.gap"]) == 1
    said = capsys.readouterr().out
    assert "0 of 1 right" in said and "2 files, 1 of them need a look" in said
    assert sorted(os.listdir(handed_out)) == ["answers.csv", "grades.csv", "handout.json", "in", "students.csv"]


def removed(folder):
    """Move the tables of the last run away."""
    for name in room.TABLES:
        (folder / name).unlink()


@pytest.mark.parametrize("name", room.TABLES)
def test_tables_that_are_there_are_never_overwritten(name, handed_out, capsys):
    (handed_out / name).write_text("the class", encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main([str(handed_out), "--grade", str(handed_out / "in")])
    assert end.value.code == 2 and f"{handed_out / name} is there already" in capsys.readouterr().err
    assert (handed_out / name).read_text(encoding="utf-8") == "the class"
    assert sorted(os.listdir(handed_out)) == sorted(["handout.json", "in", name])


def test_a_row_for_each_student(tmp_path):
    other = "01_notions"
    lessons = LESSONS | {other: {"rename": "id-rename"}, "lecture": {}}
    exercises = EXERCISES | {other: {"rename": Exercise("rename", 1, "", hint="")}, "lecture": {}}
    for name, text in {
        f"anna_{LESSON}.ipynb": notebook(gap=NO_GAP), f"anna_{LESSON} (1).ipynb": notebook(),
        f"Anna_{other}.ipynb": writes(new_notebook(cells=[new_code_cell("check.rename(1)")])),
        f"{LESSON} (1)_dora.ipynb": notebook()[:-40], f"{LESSON}.ipynb": notebook(),
    }.items():  # fmt: skip
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    options = {"say": lambda text: None, "jobs": 2}
    gap = {LESSON: ["gap"], other: (), "lecture": ()}
    for only, anna, dora in ((None, "3,3,100.0", "0,3,0.0"), (gap, "1,1,100.0", "0,1,0.0")):
        grade(tmp_path / "in", tmp_path, lessons, exercises, only=only, **options)
        rows = list(csv.DictReader((tmp_path / "students.csv").read_text(encoding="utf-8-sig").splitlines()))
        assert [row["student"] for row in rows] == ["", "anna", "dora"]
        numbers = [",".join([row["right"], row["of"], row["percent"]]) for row in rows]
        assert numbers[0] == ",," and numbers[1:] == [anna, dora]
        assert "no student's name" in rows[0]["remarks"]
        twice = f"anna_{LESSON} (1).ipynb, anna_{LESSON}.ipynb"
        assert f"{LESSON} in more than one file, what is right in any counts: {twice}" in rows[1]["remarks"]
        assert "this is no notebook" in rows[2]["remarks"]
        assert ("not handed in: 01_notions;" in rows[2]["remarks"]) == (only is None)
        assert ("none of its exercises count" in rows[1]["remarks"]) == (only is not None)


def test_a_notebook_under_anothers_name_counts_for_what_it_holds(tmp_path):
    other = "01_notions"
    lessons = LESSONS | {other: {"rename": "id-rename"}}
    exercises = EXERCISES | {other: {"rename": Exercise("rename", 1, "", hint="")}}
    (tmp_path / "in").mkdir()
    texts = writes(new_notebook(cells=[new_code_cell("check.rename(1)")])), notebook()
    for name, text in zip((f"Eva K_{LESSON}.ipynb", f"eva_k_{LESSON} (1).ipynb"), texts, strict=True):
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    judged = {each.file: each for each in grade(tmp_path / "in", tmp_path, lessons, exercises, say=lambda text: None)}
    assert judged[f"Eva K_{LESSON}.ipynb"].lesson == other
    assert f"its name says {LESSON}, its cells check exercises of {other}" in judged[f"Eva K_{LESSON}.ipynb"].remark
    (row,) = students(judged.values(), lessons)
    assert row[1:4] == [3, 3, 100.0]


def test_what_spellings_of_a_name_have_in_common():
    assert folded("Dora_Klein") == folded("dora  klein") == "dora klein"
    assert folded("") == "" != folded("🙂") != folded("!")  # or files without a name would be theirs


def test_cells_that_answer_nothing_are_remarked(tmp_path):
    judged = one(tmp_path, writes(new_notebook(cells=[new_code_cell("1 + 1")])))
    assert judged.remark == "none of its cells answers an exercise that counts"


@pytest.mark.parametrize(
    "wrong",
    [
        ["--grade", "no"],
        ["--grade", "."],
        ["--grade", ".."],
        ["--grade", "in", "--jobs", "0"],
        ["--grade", "in", "--seconds", "x"],
        ["--grade", "in", "--only", "00.gaps"],
        ["--grade", "in", "--only", "01"],
        ["--only", "00.gap"],
    ],
)
def test_wrong_use_is_exit_code_2_and_writes_nothing(wrong, handed_out, monkeypatch):
    monkeypatch.chdir(handed_out)
    with pytest.raises(SystemExit) as end:
        main([str(handed_out), *wrong])
    assert end.value.code == 2 and sorted(os.listdir(handed_out)) == ["handout.json", "in"]


def test_what_only_counts(capsys):
    lessons = {
        "02_binning": {"module": "binning", "exercises": {"ece": "a", "gap": "b"}},
        "case_studies/02_compas": {"module": "case_studies", "exercises": {"power": "c"}},
        "case_studies/03_housing": {"module": "case_studies", "exercises": {"owns": "d"}},
    }
    for names, wanted in {
        "02.ece": ["ece"], "02_binning.ece binning.gap": ["ece", "gap"], "02": ["ece", "gap"],
        "case_studies.power": ["power"], "02_compas 02.gap": ["gap", "power"], "case_studies": ["owns", "power"],
    }.items():  # fmt: skip
        found = _counted(names.split(), lessons)
        assert found.keys() == lessons.keys() and sorted(each for names in found.values() for each in names) == wanted
    with pytest.raises(ValueError, match="no exercise '02.power' was handed out; there are 02_binning.ece,"):
        _counted(["02.power"], lessons)


def test_grading_before_handing_out_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--grade", str(tmp_path)])
    assert "hand out first" in capsys.readouterr().err


def test_the_process_knows_no_right_answer(tmp_path):
    room.copy_for_judging(tmp_path)
    left = [p for p in Path(tmp_path).rglob("*") if p.name in ("exercises.py", "open_questions.py", "handout.py")]
    assert left == [] and (tmp_path / "calibtutor" / "lessons" / "start" / "scenes.py").exists()
