"""Hand out lessons and take them back.

    python -m calibtutor handout OUT [--lesson NAME ...] [--key WORD] [--variants FILE] [--no-run]
    python -m calibtutor handout OUT --grade FOLDER [--only NAME ...] [--seconds N] [--megabytes N] [--jobs N]
                                                   [--seed N]

The first writes, from a clone of the course and into a folder that does not exist or is empty,

    OUT/student/      a course of its own: notebooks without outputs, a package that does not show solutions, and what
                      an installation needs (README.md says how). Push it, zip it, or give it to nbgitpuller.
    OUT/instructor/   the same notebooks with every solution filled in, run from top to bottom; solutions.md (answers,
                      why, likely mistakes with their hints, open questions with a rubric); open_questions.md, without
                      the rubrics, to give away when you ask them; guesses.gift for Moodle
    OUT/handout.json  what was handed out, for --grade

and stores nothing unless all solutions passed and the student's copy ran with nothing filled in. --no-run leaves both
runs out. NAME is a notebook's (01_notions), its number (01) or its lesson's (notions, case_studies); without one it is
the whole course.

--key WORD: `check.gap.solution("WORD")` shows a solution in the students' copy; without a key it shows none.
What a key can do: keep solutions out of sight until you give it away. What it cannot do: keep them secret. The package
is open source and its reference has to run where a student's function is blank, so it is packed and not encrypted
(seal.py), and a student can as well install the public package, or copy its line: variants are what helps.

--variants FILE: your own questions in place of the course's, which are public. FILE is Python:

    from calibtutor.teach.exercise import Exercise, Mistake
    from calibtutor.teach.handout import Variant

    variants = {
        "start.animals": Variant(
            cell="answer = None  # in how many of 35 scenes must there be an animal, if the model is calibrated?",
            exercise=Exercise("animals", 7, "35 × .2 = 7.", hint="The promise is about a share.",
                              mistakes=[Mistake(28, "That is the number of objects.")]),
        ),
    }

The key is the lesson and the exercise, the cell what stands in it above its check. The text around it stays, so the
cell says all that is asked. No answer to a variant is in the students' copy, which notes what is handed in.

--grade FOLDER judges notebooks that were handed in, in folders of their own (anna/01_notions.ipynb) or with names
beside the lesson's (anna_01_notions.ipynb), and writes OUT/grades.csv, a row a file, OUT/answers.csv, a row an
exercise, and OUT/students.csv, a row a student with the sums over all lessons: what was not handed in earns 0.
--only 00 02.redraw_labels counts all exercises of 00, that one of 02, and nothing else. Tables that are there are not
overwritten: put late work beside the rest, move the tables away and grade again. Each answer is run anew, in a process
with limits, and compared here: nothing that a notebook stored or printed counts. Exit code 0: all judged; 1: the
tables hold a file that could not be judged or has no sure student (its remark says so); 2: wrong use. On Linux memory
is limited too, elsewhere perhaps only time (macOS and Windows were not tried). Files and the network are open to a
student's code: take a container or an account of its own, and not root, for people you do not trust. More in
calibtutor/teach/grade.py.

`check.report()` in a notebook is for its reader; its output's metadata holds it for a machine, and nothing here
believes it.

With nbgrader or otter-grader, neither of which was tried: every answer cell of a student's copy has the tag “exercise”
and its exercise's name in its metadata (`calibtutor.exercise`), and keeps its id, so a script can find it. Use them to
hand out, collect and give back; for marks use --grade, since tests that run in the kernel that a student's code ran in
can be changed by it.
"""

import argparse
import copy
import json
import os
import re
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from .. import __version__, _course

with _course():
    import nbformat
    from nbclient.exceptions import CellExecutionError

from . import notebooks, sheet
from .copies import (
    CHECK,
    LESSON,
    VARIANTS,
    Variant,
    blanked,
    filled,
    live,
    point_to_variants,
    put_variants,
    read_variants,
    refuse_strangers,
)
from .grade import TABLES, folded, grade
from .notebooks import NOTEBOOKS, clean, discover, store
from .seal import copy_for_students, lock

__all__ = ["Variant", "hand_out", "put_variants"]

ALONGSIDE = ("LICENSE", "CITATION.cff", "pyproject.toml", "requirements.txt", "binder")
README = """\
# {title}

Handed out from calibtutor {version}. You need Python 3.11 or newer. In this folder, one line makes an environment,
installs the course and opens it (on Windows: `py -m venv`, `.venv\\Scripts\\` for `.venv/bin/`):

```bash
{command}
```

Some days before the class, `.venv/bin/python notebooks/check_setup.py` says in words whether something is missing.

Write your answers into the cells that ask for them; `check.<name>(...)` replies at once. {solutions}
Hand in the notebook files, each with your name in front (`anna_01_notions.ipynb`). What counts is the code of your
answers, which is judged anew: check that they still stand when you restart the kernel and run all cells.
"""
COMMAND = (
    "python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt && "
    ".venv/bin/jupyter lab --config binder/jupyter_server_config.json notebooks"
)
LOCKED = "Solutions show for your teacher's key: `check.<name>.solution(key)`."
CLOSED = "This copy shows no solutions."
ABOUT = "handout.json"


def hand_out(out, chosen=(), *, key=None, variants=None, run=True, say=print):
    """Write the copies of students and instructors.

    Parameters
    ----------
    out : Path
        Must not exist, or be empty.
    chosen : sequence of str
        Lessons; all when empty.
    key : str, optional
        Opens the solutions of the students' copy.
    variants : Path, optional
        A file with a dict `variants`: "lesson.name" -> Variant.
    run : bool, default True
        Whether both copies are run before anything is stored.
    say : callable
        Told a line for each notebook.

    Returns
    -------
    list of str
        What is wrong with it; empty, or nothing was stored.

    Raises
    ------
    ValueError
        For a lesson or a variant that does not exist, and an `out` that is in the way.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out}: expected a folder that does not exist or is empty")
    paths, own = _chosen(chosen), read_variants(variants)
    lessons, exercises = {}, {}
    for path in paths:
        nb = nbformat.read(path, as_version=4)
        lessons[_name(path)] = {"module": _module(nb), "exercises": _asked(nb)}
        exercises[_name(path)] = _exercises(lessons[_name(path)], own)
    refuse_strangers(own, lessons, exercises)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as place:
        student, instructor, complaints, shown = Path(place) / "student", Path(place) / "instructor", [], {}
        for folder in (student, instructor):
            folder.mkdir()
        copy_for_students(student, lock(key) if key else None, tuple(own))
        if variants:
            shutil.copy(variants, instructor / VARIANTS)
        for path in paths:
            name = _name(path)
            blank = blanked(path, paths, lessons[name]["module"], own)
            shown[name] = blank, exercises[name]
            full = filled(blank, exercises[name])
            if own:
                point_to_variants(full, name)
            for folder, nb, mark in ((student, blank, "○"), (instructor, full, "✓")):
                target = folder / "notebooks" / f"{name}.ipynb"
                target.parent.mkdir(parents=True, exist_ok=True)
                if run:
                    ran, said = _run(nb, target.parent, student if folder == student else None, exercises[name], mark)
                    complaints += [f"{folder.name}/{name}: {each}" for each in said]
                    nb = nb if folder == student else ran
                target.touch()
                store(clean(nb, target.stem), target)
            say(f"{name}: {len(exercises[name])} exercises")
        if complaints:
            return complaints
        _alongside(student, instructor, shown, paths, key)
        sheet.write(instructor, {name: (lessons[name]["module"], *each) for name, each in shown.items()})
        about = {"version": __version__, "lessons": lessons, "variants": bool(variants)}
        (Path(place) / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
        out.mkdir(exist_ok=True)
        for each in Path(place).iterdir():
            os.replace(each, out / each.name)
    return []


def _chosen(names):
    """Paths of the notebooks that are meant."""
    if not NOTEBOOKS.is_dir():
        raise ValueError("no folder notebooks/ beside the package: run this in a clone")
    found, chosen = discover(), set()
    for name in names:
        meant = {p for p in found if name in _called(_name(p), _module(nbformat.read(p, as_version=4)))}
        if not meant:
            raise ValueError(f"lesson: expected one of {', '.join(map(_name, found))}; got {name!r}")
        chosen |= meant
    return [path for path in found if path in chosen or not names]


def _called(name, module):
    """What a notebook may be called: 01_notions, 01, notions; one in a folder has no number of its own."""
    folder, _, stem = name.rpartition("/")
    return {name, stem, module} | ({stem.partition("_")[0]} if not folder else set())


def _counted(names, lessons):
    """{lesson: exercises} of what --only names: lessons, or exercises as "02.ece"."""
    found = {lesson: set() for lesson in lessons}
    for name in names:
        meant, _, exercise = name.partition(".")
        called = [lesson for lesson, about in lessons.items() if meant in _called(lesson, about["module"])]
        hits = {lesson: {e for e in lessons[lesson]["exercises"] if exercise in ("", e)} for lesson in called}
        if not any(hits.values()):
            every = [f"{lesson}.{each}" for lesson, about in lessons.items() for each in about["exercises"]]
            raise ValueError(f"only: no exercise {name!r} was handed out; there are {', '.join(every)}")
        for lesson, hit in hits.items():
            found[lesson] |= hit
    return found


def _name(path):
    return path.relative_to(NOTEBOOKS).with_suffix("").as_posix()


def _module(nb):
    """The lesson that a notebook imports."""
    return LESSON.search("\n".join(cell.source for cell in nb.cells if cell.cell_type == "code"))[1]


def _asked(nb):
    """{exercise: id of the cell that asks for its answer}."""
    cells = [cell for cell in nb.cells if cell.cell_type == "code"]
    return {name: cell.id for cell in cells for name, _ in CHECK.findall(cell.source)}


def _exercises(lesson, own):
    """{name: Exercise} of a notebook, variants among them."""
    every = import_module("calibtutor.lessons").discover("exercises")  # found by name: no room imports the lessons
    names = {name: f"{lesson['module']}.{name}" for name in lesson["exercises"]}
    return {name: own[full].exercise if full in own else every[full] for name, full in names.items()}


def _run(nb, folder, package, exercises, mark):
    """Run a copy of a notebook; return it, and what its checks should have said and did not."""
    nb = copy.deepcopy(nb)
    # The students' copy runs on the students' package.
    env = {**os.environ, "PYTHONPATH": str(package)} if package else None
    try:
        notebooks.run(nb, folder, **({"env": env} if env else {}))
    except CellExecutionError as error:
        return nb, [f"a cell failed\n{error}"]
    said = [o.get("data", {}).get("text/plain", "") for c in nb.cells for o in c.get("outputs", [])]
    missing = [name for name in exercises if not any(text.startswith(f"{mark} {name}: ") for text in said)]
    return nb, [f"expected {mark} from check.{name}" for name in missing]


def _alongside(student, instructor, shown, paths, key):
    """What the copies need besides their notebooks and the students' package."""
    for name in ALONGSIDE:
        source = NOTEBOOKS.parent / name
        shutil.copytree(source, student / name) if source.is_dir() else shutil.copy(source, student / name)
    for name in ("README.md", "errata.md"):
        text = (NOTEBOOKS / name).read_text(encoding="utf-8")
        for folder, said in ((student, _for_students(text)), (instructor, text)):  # links of the notebooks lead there
            (folder / "notebooks" / name).write_text(live(said, NOTEBOOKS / name, paths), encoding="utf-8")
    shutil.copy(NOTEBOOKS / "check_setup.py", student / "notebooks")
    titles = [re.search(r"^# +(.+)$", nb.cells[0].source, flags=re.M)[1].strip() for nb, _ in shown.values()]
    title = titles[0] if len(titles) == 1 else "Calibration: the lessons"
    said = README.format(title=title, version=__version__, command=COMMAND, solutions=LOCKED if key else CLOSED)
    (student / "README.md").write_text(said, encoding="utf-8")


def _for_students(text):
    """A page without what it marks as for teachers."""
    return re.sub(r"\s*<!-- teachers -->.*?<!-- all -->", "", text, flags=re.S)


def _grade(args, parser):
    about = args.out / ABOUT
    if not about.is_file():
        parser.error(f"{about}: no such file; hand out first, into the same folder")
    if not args.grade.is_dir():
        parser.error(f"{args.grade}: no such folder")
    if args.grade.resolve() in (args.out.resolve(), *args.out.resolve().parents):
        parser.error(f"{args.grade}: expected a folder of submissions; what was handed out lies in this one")
    if there := [name for name in TABLES if (args.out / name).exists()]:
        parser.error(
            f"{args.out / there[0]} is there already and is not overwritten: move {', '.join(there)} away; "
            "for one table of the whole class put all submissions into one folder"
        )
    about = json.loads(about.read_text(encoding="utf-8"))
    only = _counted(args.only, about["lessons"]) if args.only else None
    own = read_variants(args.out / "instructor" / VARIANTS if about["variants"] else None)
    lessons = {name: lesson["exercises"] for name, lesson in about["lessons"].items()}
    exercises = {name: _exercises(lesson, own) for name, lesson in about["lessons"].items()}
    options = {name: getattr(args, name) for name in ("seconds", "megabytes", "jobs", "seed")}
    judged = grade(args.grade, args.out, lessons, exercises, only=only, say=lambda t: print(t, flush=True), **options)
    remarked = sum(bool(each.remark) for each in judged)
    print(f"{len(judged)} files, {remarked} of them need a look (see remarks): {args.out / 'grades.csv'}")
    print(f"{len({folded(each.student) for each in judged} - {''})} students: {args.out / 'students.csv'}")
    return int(remarked > 0)


def main(argv=None):
    """Command line; returns the exit code."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m calibtutor handout", description=__doc__, formatter_class=raw)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--lesson", nargs="+", action="extend", default=[], metavar="NAME", help="leave out the others")
    parser.add_argument("--key", metavar="WORD", help="opens the solutions of the students' copy")
    parser.add_argument("--variants", type=Path, metavar="FILE", help="your own questions")
    parser.add_argument("--no-run", action="store_true", help="store without running the copies")
    parser.add_argument("--grade", type=Path, metavar="FOLDER", help="judge the notebooks in this folder")
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="NAME", help="count nothing else")
    parser.add_argument("--seconds", type=int, default=20, help="for one answer; default 20")
    parser.add_argument("--megabytes", type=int, default=2048, help="memory for one answer; default 2048")
    parser.add_argument("--jobs", type=int, default=1, help="notebooks judged at the same time; default 1")
    parser.add_argument("--seed", type=int, help="of the inputs nobody has seen; drawn by default")
    args = parser.parse_args(argv)
    for name in ("seconds", "megabytes", "jobs"):
        if getattr(args, name) < 1:
            parser.error(f"--{name}: expected at least 1")
    try:
        if args.grade:
            return _grade(args, parser)
        if args.only:
            parser.error("--only: expected with --grade; to hand out some lessons only: --lesson")
        complaints = hand_out(args.out, args.lesson, key=args.key, variants=args.variants, run=not args.no_run)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for each in complaints:
        print(each, file=sys.stderr)
    if complaints:
        print("Nothing was stored.", file=sys.stderr)
    return int(bool(complaints))
