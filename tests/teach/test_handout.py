"""What is handed out: students' copies show no solution and run, teachers' copies are right, and marks agree."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from notebook_rules import dead_links

from calibtutor.data.downloads import available
from calibtutor.lessons import discover
from calibtutor.lessons.open_questions import QUESTIONS
from calibtutor.teach import handout, sheet
from calibtutor.teach.copies import CHECK, filled
from calibtutor.teach.exercise import Checks, Exercise
from calibtutor.teach.grade import TABLES
from calibtutor.teach.handout import Variant, hand_out, main
from calibtutor.teach.notebooks import NOTEBOOKS
from calibtutor.teach.notebooks import discover as notebooks
from calibtutor.teach.notebooks import exercises as checked
from calibtutor.teach.seal import Kept, locked

EXERCISES, GUESSES = discover("exercises"), discover("guesses")
NAMES = {path.relative_to(NOTEBOOKS).with_suffix("").as_posix(): path for path in notebooks()}
VARIANTS = '''
from calibtutor.teach.exercise import Exercise, Mistake
from calibtutor.teach.handout import Variant


def gap(hit, confidence):
    """Twice as far."""
    return 2 * (confidence.mean() - hit.mean())


variants = {
    "start.animals": Variant(
        cell="answer = None  # in how many of 35 scenes?",
        exercise=Exercise("animals", 7, "That is 35 × .2.", hint="A share.", mistakes=[Mistake(28, "Objects.")]),
    ),
    "start.gap": Variant(
        cell="def gap(hit, confidence):\\n    ...  # twice the gap",
        exercise=Exercise("gap", gap, "Twice.", hint="Twice.", inputs=lambda rng: (rng.random(9), rng.random(9))),
    ),
}
'''


def silent(text):
    """Say nothing."""


def fast(out, *lessons, **options):
    """Hand out without running the copies."""
    assert hand_out(out, lessons, run=False, say=silent, **options) == []
    return out


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return fast(tmp_path_factory.mktemp("handout") / "out", key="open sesame")


def marks(out, folder, capsys):
    """{lesson: (right, wrong, blank, missing, of)} of a folder."""
    handed_in = folder.parent / f"of {folder.name}"
    for path in folder.rglob("*.ipynb"):
        target = handed_in / "anna" / path.relative_to(folder)
        target.parent.mkdir(parents=True)
        shutil.copy(path, target)
    assert main([str(out), "--grade", str(handed_in)]) == 0, capsys.readouterr().out
    shutil.rmtree(handed_in)
    rows = (out / "grades.csv").read_text(encoding="utf-8").splitlines()[1:]
    for name in TABLES:
        (out / name).unlink()
    return {row.split(",")[2]: tuple(map(int, row.split(",")[3:8])) for row in rows}


# --- the students' copy ---------------------------------------------------------------------------------


def test_a_students_copy_is_a_course_of_its_own(out):
    student = out / "student"
    assert {p.relative_to(student / "notebooks").with_suffix("").as_posix() for p in student.rglob("*.ipynb")} == set(
        NAMES
    )
    for name in (
        "README.md",
        "requirements.txt",
        "pyproject.toml",
        "LICENSE",
        "binder/requirements.txt",
        "notebooks/check_setup.py",
    ):
        assert (student / name).is_file(), name
    assert "check.<name>.solution(key)" in (student / "README.md").read_text(encoding="utf-8")
    assert not (student / "calibtutor" / "teach" / "handout.py").exists()
    syllabus = (student / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert "| notebook | you will be able to |" in syllabus and "notation.md" in syllabus
    assert not re.search(r"Teacher|nbgitpuller|python -m calibtutor (notebooks|handout)|\[\]", syllabus)
    for path in student.rglob("*.ipynb"):
        nb = read(path)
        nbformat.validate(nb)
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in nb.cells)
        tagged = [c.metadata["calibtutor"]["exercise"] for c in nb.cells if "exercise" in c.metadata.get("tags", [])]
        assert tagged == checked(nb)
        assert [each for c in nb.cells if c.cell_type == "markdown" for each in dead_links(c.source, path.parent)] == []


def test_nothing_in_it_tells_an_answer_in_plain_sight(out):
    texts = [each for e in EXERCISES.values() for each in (e.explanation, e.nudge, *(m.hint for m in e.mistakes))]
    texts += [guess().because for guess in GUESSES.values()]
    texts += [points for questions in QUESTIONS.values() for q in questions for _, points in q.rubric]
    files = {
        p: p.read_text(encoding="utf-8") for p in (out / "student").rglob("*") if p.suffix in (".py", ".md", ".ipynb")
    }
    assert len(files) > 100 and len(texts) > 500
    everything = "\n".join(files.values())
    assert [text for text in texts if len(text) > 40 and text in everything] == []
    assert ".solution(" not in "".join(text for p, text in files.items() if p.suffix == ".ipynb")
    assert any(text in (out / "instructor" / "solutions.md").read_text(encoding="utf-8") for text in texts)


def test_a_solution_shows_for_the_key_only(out):
    code = """
import inspect, traceback
import numpy as np
from calibtutor.lessons.start import check, guess, scenes
print("from", __import__("calibtutor").__file__)
print("right", check.animals(4).status, check.animals(16), check.gap.use(None)(np.zeros(2), np.ones(2)))
print("attributes", [name for name in dir(check.gap) if name[0] != "_"])
print("report", check.report().to_dict()["exercises"]["animals"])
print("closed", check.gap.solution(), check.gap.solution("guess"), check.gap.solution(3))
used = check.gap.use(lambda *a: ...).function
try:
    print("source", inspect.getsource(used))
except OSError:
    print("source none")
try:
    used("no", "numbers")
except Exception:
    print("traceback", traceback.format_exc().replace("\\n", " "))
print("open", check.gap.solution("open sesame"), check.animals.solution("open sesame"))
"""
    student = {"cwd": out / "student", "env": {**os.environ, "PYTHONPATH": str(out / "student")}}
    result = subprocess.run([sys.executable, "-c", code], **student, capture_output=True, text=True)
    said = dict(line.split(" ", 1) for line in result.stdout.splitlines() if " " in line and line.split()[0].isalpha())
    assert result.returncode == 0, result.stderr
    assert (
        str(out / "student") in said["from"]
        and said["right"].startswith("right ✗ animals: 16 is the number")
        and "1.0" in said["right"]
    )
    assert said["attributes"] == "['hint', 'name', 'solution', 'status', 'tries', 'use']"
    assert said["report"] == "{'status': 'right', 'tries': 2}"
    assert (
        "asks for the teacher's key" in said["closed"]
        and "is not the key" in said["closed"]
        and "np.mean" not in said["closed"]
    )
    assert said["source"] == "none" and "unpacked>" in said["traceback"] and "np.mean" not in said["traceback"]
    opened = result.stdout[result.stdout.index("\nopen ") :]
    assert inspect.getsource(EXERCISES["start.gap"].reference) in opened and "20 × .2 = 4." in opened


def test_without_a_key_nothing_opens():
    check = locked(Checks([EXERCISES["start.gap"]]), None)
    for given in ((), ("",), ("open sesame",)):
        assert repr(check.gap.solution(*given)) == "→ gap: this copy shows no solutions."
    assert "Two means" in repr(check.gap.hint())


def test_a_variant_in_a_students_copy_holds_no_answer():
    kept = Kept(EXERCISES["start.gap"])
    assert kept(None).status == kept(lambda *a: None).status == "blank" and kept.tries == 0
    right, wrong = (kept(lambda hit, c, k=k: k * (c.mean() - hit.mean())) for k in (1, 2))
    assert repr(right) == repr(wrong) and "noted" in repr(right) and kept.tries == 2
    assert "no answer" in repr(kept.solution("open sesame")) and "no answer" in repr(kept.hint())
    assert kept.use(None).is_blank and kept.use(len).by == "your gap"


# --- the teacher's ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_filled_cell_is_right(name, out):
    nb = read(out / "instructor" / "notebooks" / f"{name}.ipynb")
    blank = read(out / "student" / "notebooks" / f"{name}.ipynb")
    module, place, before = json.loads((out / "handout.json").read_text())["lessons"][name]["module"], {}, ""
    found = [(n, cell.source) for cell in nb.cells if cell.cell_type == "code" for n, _ in CHECK.findall(cell.source)]
    assert [n for n, _ in found] == checked(blank) == list(dict.fromkeys(n for n, _ in found))
    for cell in nb.cells:
        if cell.cell_type == "code":
            imports = [line for line in cell.source.splitlines() if line == "import numpy as np"]
            exec("\n".join(imports), place)
            for each, argument in CHECK.findall(cell.source):
                exec(CHECK.sub("", cell.source), place)
                assert EXERCISES[f"{module}.{each}"].judge(place[argument], seed=7).status == "right", cell.source
                before += cell.source
    said = [line.split("#", 1)[1].strip() for cell in blank.cells for n, _ in CHECK.findall(cell.source)
            for line in cell.source.splitlines() if "#" in line and cell.cell_type == "code"]  # fmt: skip
    assert [line for line in said if line not in before] == []  # the question is still there


def test_a_cell_without_a_blank_is_refused():
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 4\ncheck.animals(answer)")])
    with pytest.raises(ValueError, match="no blank for answer"):
        filled(nb, {"animals": EXERCISES["start.animals"]})


def test_the_sheet_has_all_of_every_exercise(out):
    text = (out / "instructor" / "solutions.md").read_text(encoding="utf-8")
    flat = " ".join(text.split())
    for name, exercise in EXERCISES.items():
        assert f"\n### {exercise.name}\n" in text
        wanted = [exercise.explanation, exercise.nudge, *(m.hint.replace("|", "\\|") for m in exercise.mistakes)]
        if callable(exercise.reference):
            wanted.append(inspect.getsource(exercise.reference))
        assert [w for w in wanted if " ".join(w.split()) not in flat] == [], name
    asked = (out / "instructor" / "open_questions.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert QUESTIONS[name]  # at least one a notebook
        for each in QUESTIONS[name]:
            assert each.question in text and each.question in asked
            assert all(points > 0 and about in text for points, about in each.rubric)
            assert sum(points for points, _ in each.rubric) >= 3
    assert set(QUESTIONS) == set(NAMES)


def test_guesses_are_gift(out):
    text = (out / "instructor" / "guesses.gift").read_text(encoding="utf-8")
    used = {n for p in NAMES.values() for c in read(p).cells for n in re.findall(r"\bguess\.(\w+)\(", c.source)}
    found = re.findall(r"(?s)^::([\w.]+)::(.+?) \{\n(.+?)\n\}\n", text, flags=re.M)
    assert {name.partition(".")[2] for name, _, _ in found} == used and len(found) == len(used)
    for name, question, body in found:
        options = re.findall(r"^\t([=~])(.+)$", body, flags=re.M)
        guess = GUESSES[name]()
        assert [sign for sign, _ in options].count("=") == 1 and len(options) == len(guess.options)
        assert not re.search(r"(?<!\\)[{}=#]", question), question
        assert re.match(r"\((\d\d ·|Guest|Case).+\) ", question) and "min)" not in question, question  # its place
        (right,) = (text for sign, text in options if sign == "=")
        assert re.sub(r"\\(.)", r"\1", right) == guess.answer


def test_gift_escapes_what_has_a_meaning():
    class Odd:
        question, options, answer, because = "Is {a} = b: ~#?", ["1:2", "a=b"], "a=b", "So\nit is."

    assert sheet.gift("x.y", Odd, "01 · N, 2 · =") == (
        "::x.y::(01 · N, 2 · \\=) Is \\{a\\} \\= b\\: \\~\\#? {\n\t~1\\:2\n\t=a\\=b\n"
        "\t####In the notebook\\: So it is.\n}\n\n"
    )


# --- the command ------------------------------------------------------------------------------------


def test_marks_of_both_copies(tmp_path, capsys):
    out = fast(tmp_path / "out", "00")
    name = "00_start_here"
    assert marks(out, out / "instructor" / "notebooks", capsys) == {name: (5, 0, 0, 0, 5)}
    assert marks(out, out / "student" / "notebooks", capsys) == {name: (0, 0, 5, 0, 5)}


def test_variants_replace_questions_and_their_answers_stay_with_the_teacher(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(VARIANTS, encoding="utf-8")
    out = fast(tmp_path / "out", "start", variants=tmp_path / "mine.py", key="k")
    path = "notebooks/00_start_here.ipynb"
    student, instructor = (
        "\n".join(c.source for c in read(out / who / path).cells) for who in ("student", "instructor")
    )
    assert "of 35 scenes?\ncheck.animals(answer)" in student and "twice the gap\n\n\ncheck.gap(gap)" in student
    assert (
        "answer = 7  # in how many of 35 scenes?" in instructor
        and "put_variants(check, '../variants.py')" in instructor
    )
    texts = [
        p.read_text(encoding="utf-8") for p in (out / "student").rglob("*") if p.suffix in (".py", ".md", ".ipynb")
    ]
    assert not any("35 × .2" in text or "Twice as far" in text for text in texts)
    assert "check = locked(check, '" in "".join(texts) and "('animals', 'gap'))" in "".join(texts)
    assert marks(out, out / "instructor" / "notebooks", capsys)["00_start_here"] == (5, 0, 0, 0, 5)
    public = fast(tmp_path / "public", "00")  # whose answers are those of the public package
    assert marks(out, public / "instructor" / "notebooks", capsys)["00_start_here"] == (3, 2, 0, 0, 5)


def test_put_variants_changes_what_the_check_wants(tmp_path):
    (tmp_path / "mine.py").write_text(VARIANTS, encoding="utf-8")
    check = Checks([EXERCISES["start.animals"], EXERCISES["start.expected_cost"]])
    handout.put_variants(check, tmp_path / "mine.py")
    assert check.animals(7).status == "right" and check.animals(4).status == "wrong"
    assert check.expected_cost is EXERCISES["start.expected_cost"]
    with pytest.raises(ValueError, match="no 'gap' to replace; there are animals"):
        check.replace(EXERCISES["start.gap"])


def strangers(name, called):
    return {name: Variant("answer = None", Exercise(called, 1, "", hint=""))}


@pytest.mark.parametrize(("arguments", "says"), [
    (["--lesson", "nothing"], "lesson: expected one of 00_start_here"),
    (["--lesson", "01", "--variants", "start.animals"], "variants: 'start.animals' is no exercise of these lessons"),
    (["--lesson", "00", "--variants", "start.gap"], "variants: 'start.gap' holds an exercise called 'animals'"),
    (["--variants", "no.py"], "no.py"),
])  # fmt: skip
def test_wrong_use_is_exit_code_2_and_leaves_nothing(arguments, says, tmp_path, monkeypatch, capsys):
    if arguments[-1].startswith("start"):
        monkeypatch.setattr(handout, "read_variants", lambda file: strangers(str(file), "animals"))
    with pytest.raises(SystemExit) as end:
        main([str(tmp_path / "out"), "--no-run", *arguments])
    assert end.value.code == 2 and says in capsys.readouterr().err and os.listdir(tmp_path) == []


def test_a_folder_with_something_in_it_is_left_alone(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--no-run", "--lesson", "00"])
    assert "does not exist or is empty" in capsys.readouterr().err and os.listdir(tmp_path) == ["mine.txt"]


def test_a_file_of_variants_must_hold_variants(tmp_path):
    (tmp_path / "mine.py").write_text("variants = [1]", encoding="utf-8")
    with pytest.raises(ValueError, match="expected a dict variants in .*mine.py"):
        hand_out(tmp_path / "out", ["00"], variants=tmp_path / "mine.py")


def test_nothing_is_stored_when_a_copy_does_not_run(tmp_path, monkeypatch, capsys):
    ran = []
    monkeypatch.setattr(handout.notebooks, "run", lambda nb, folder, **kernel: ran.append((Path(folder), kernel)))
    assert main([str(tmp_path / "out"), "--lesson", "00"]) == 1
    said = capsys.readouterr().err
    assert (
        "student/00_start_here: expected ○ from check.gap" in said
        and "instructor/00_start_here: expected ✓ from check.gap" in said
    )
    assert "Nothing was stored." in said and os.listdir(tmp_path) == []
    (student, kernel), (_, other) = ran
    assert (
        student.parts[-2:] == ("student", "notebooks")
        and kernel["env"]["PYTHONPATH"] == str(student.parent)
        and other == {}
    )


def missing_data(path):
    return [name for name in read(path).metadata.get("calibtutor", {}).get("data", []) if not available(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name, tmp_path, capsys):
    """Each copy gets the marks that it must; of two lessons both are run before, as the command does with all."""
    if missing := missing_data(NAMES[name]):
        pytest.skip(f"needs {', '.join(missing)} (python -m calibtutor data)")
    out = tmp_path / "out"
    run = name in ("00_start_here", "case_studies/04_heart_what_a_kernel_sees")
    assert hand_out(out, [name], key="k", run=run) == []
    if (n := len(checked(read(NAMES[name])))) == 0:
        return  # a lecture asks nothing
    assert marks(out, out / "instructor" / "notebooks", capsys) == {name: (n, 0, 0, 0, n)}
    assert marks(out, out / "student" / "notebooks", capsys) == {name: (0, 0, n, 0, n)}
