"""Hand out lessons and take them back.

    python -m calibtutor handout OUT [--lesson NAME ...] [--key WORD] [--variants FILE] [--no-run]
    python -m calibtutor handout OUT --grade FOLDER [--seconds N] [--megabytes N] [--jobs N] [--seed N]

The first writes, from a clone of the course and into a folder that does not exist or is empty,

    OUT/student/      a course of its own: notebooks without outputs, a package that does not show solutions, and what
                      an installation needs (README.md says how). Push it, zip it, or give it to nbgitpuller.
    OUT/instructor/   the same notebooks with every solution filled in, run from top to bottom; solutions.md (answers,
                      why, likely mistakes with their hints, open questions with a rubric); guesses.gift for Moodle
    OUT/handout.json  what was handed out, for --grade

and stores nothing unless all solutions passed and the student's copy ran with nothing filled in. --no-run leaves both
runs out. NAME is a notebook's (01_notions), its number (01) or its lesson's (notions, case_studies); without one it is
the whole course.

--key WORD: `check.gap.solution("WORD")` shows a solution in the students' copy; without a key it shows none.
What a key can do: keep solutions out of sight until you give it away. What it cannot do: keep them secret. The package
is open source and its reference has to run where a student's function is blank, so it is packed and not encrypted (seal.py).

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

--grade FOLDER judges notebooks that were handed in and writes OUT/grades.csv and OUT/answers.csv; what earns marks and what does
not, the limits and the exit codes stand in calibtutor/teach/grade.py. `check.report()` in a notebook is for its
reader; its output's metadata holds it for a machine, and nothing here believes it.

With nbgrader or otter: every answer cell of a student's copy has the tag “exercise” and its exercise's name in its
metadata (`calibtutor.exercise`), and keeps its id, so a script can find it. Both tools run whole notebooks and trust the
kernel that a student's code has run in; use them to collect notebooks and to give them back, and --grade for the marks.
"""

import argparse
import ast
import copy
import inspect
import json
import os
import re
import runpy
import shutil
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from .. import __version__, _course

with _course():
    import nbformat
    from nbclient.exceptions import CellExecutionError

from . import notebooks, sheet
from .exercise import Exercise
from .grade import grade
from .notebooks import NOTEBOOKS, clean, discover, store
from .seal import copy_for_students, lock

__all__ = ["Variant", "filled", "hand_out", "put_variants"]

ALONGSIDE = ("LICENSE", "CITATION.cff", "pyproject.toml", "requirements.txt", "binder")
README = """\
# {titles}

Handed out from calibtutor {version}. You need Python 3.11 or newer. In this folder, one line makes an environment,
installs the course and opens it (on Windows: `py -m venv`, `.venv\\Scripts\\` for `.venv/bin/`):

```bash
python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt && .venv/bin/jupyter lab --config binder/jupyter_server_config.json notebooks
```

Write your answers into the cells that ask for them; `check.<name>(...)` replies at once. {solutions}
Hand in the notebook files. What counts is the code of your answers, which is judged anew: check that they
still stand when you restart the kernel and run all cells.
"""
LOCKED = "Solutions show for your teacher's key: `check.<name>.solution(key)`."
CLOSED = "This copy shows no solutions."
ABOUT, VARIANTS = "handout.json", "variants.py"
LESSON = re.compile(r"from calibtutor\.lessons\.(\w+) import")
CHECK = re.compile(r"^check\.(\w+)\((\w+)\)$", flags=re.M)


@dataclass(frozen=True)
class Variant:
    """A teacher's own question in place of one of the course's.

    Parameters
    ----------
    cell : str
        What stands above the check: the question as a comment, with ``answer = None`` or a function to fill in.
    exercise : Exercise
        With the name of the one that it replaces.
    """

    cell: str
    exercise: Exercise


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
    paths, own = _chosen(chosen), _variants(variants)
    lessons, exercises = {}, {}
    for path in paths:
        nb = nbformat.read(path, as_version=4)
        lessons[_name(path)] = {"module": _module(nb), "exercises": _asked(nb)}
        exercises[_name(path)] = _exercises(lessons[_name(path)], own)
    _refuse_strangers(own, lessons, exercises)
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
            blank = _blank(path, paths, lessons[name]["module"], own)
            shown[name] = blank, exercises[name]
            full = filled(blank, exercises[name])
            if own:
                _point_to_variants(full, name)
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
        _alongside(student, shown, paths, key)
        sheet.write(instructor, student, {name: (lessons[name]["module"], *each) for name, each in shown.items()})
        about = {"version": __version__, "lessons": lessons, "variants": bool(variants)}
        (Path(place) / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
        out.mkdir(exist_ok=True)
        for each in Path(place).iterdir():
            os.replace(each, out / each.name)
    return []


def filled(nb, exercises):
    """A notebook with the reference in each cell that asks for an answer.

    Parameters
    ----------
    nb : nbformat.NotebookNode
        With its answers blank.
    exercises : dict
        name -> Exercise.

    Returns
    -------
    nbformat.NotebookNode
        A copy without outputs.
    """
    nb, imported = copy.deepcopy(nb), False
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        cell.update(outputs=[], execution_count=None)
        for name, argument in CHECK.findall(cell.source):
            cell.source = _fill(cell.source, argument, exercises[name].reference)
            if not imported and callable(exercises[name].reference) and "import numpy as np" not in cell.source:
                cell.source = f"import numpy as np\n\n\n{cell.source}"  # a case study may import it further down
        imported = imported or "import numpy as np" in cell.source
    return nb


def _fill(source, argument, reference):
    """A cell's source with the reference for its blank."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if callable(reference) and isinstance(node, ast.FunctionDef) and node.name == argument:
            wanted = textwrap.dedent(inspect.getsource(reference)).rstrip()
            (found,) = ast.parse(wanted).body
            same = ast.unparse(found.args) == ast.unparse(node.args) and found.name == node.name
            said = [line for line in map(_comment, lines[node.lineno : node.end_lineno]) if line]  # the question
            head = [lines[node.lineno - 1]] if same else wanted.splitlines()[: found.body[0].lineno - 1]
            lines[node.lineno - 1 : node.end_lineno] = head + said + wanted.splitlines()[found.body[0].lineno - 1 :]
            return "\n".join(lines)
        if not callable(reference) and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == argument:
            comment = _comment(lines[node.end_lineno - 1]).strip()
            lines[node.lineno - 1 : node.end_lineno] = [f"{argument} = {reference!r}  {comment}".rstrip()]
            return "\n".join(lines)
    raise ValueError(f"no blank for {argument} in this cell:\n{source}")


def _comment(line):
    """The comment of a line of a blank, or nothing."""
    return f"    {line[line.index('#') :]}" if "#" in line else ""


def put_variants(check, file):
    """Put a teacher's own questions in the place of the course's: the first cell of an instructor's copy does it.

    Parameters
    ----------
    check : Checks
    file : str or Path
    """
    for name, variant in _variants(Path(file)).items():
        if name.partition(".")[2] in [each.name for each in check]:
            check.replace(variant.exercise)


def _point_to_variants(nb, name):
    """Have an instructor's copy judge variants: right after its lesson is imported."""
    place = next(i for i, cell in enumerate(nb.cells) if cell.cell_type == "code" and LESSON.search(cell.source))
    file = "/".join([".."] * (name.count("/") + 1) + [VARIANTS])
    source = f"from calibtutor.teach.handout import put_variants\n\nput_variants(check, {file!r})"
    nb.cells.insert(place + 1, nbformat.v4.new_code_cell(source, id="put-variants"))


def _chosen(names):
    """Paths of the notebooks that are meant."""
    if not NOTEBOOKS.is_dir():
        raise ValueError("no folder notebooks/ beside the package: run this in a clone")
    found, chosen = discover(), set()
    for name in names:
        meant = {p for p in found if name in (_name(p), p.stem, _module(nbformat.read(p, as_version=4)))}
        meant |= {p for p in found if p.parent == NOTEBOOKS and name == p.stem.partition("_")[0]}
        if not meant:
            raise ValueError(f"lesson: expected one of {', '.join(map(_name, found))}; got {name!r}")
        chosen |= meant
    return [path for path in found if path in chosen or not names]


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


def _variants(file):
    if file is None:
        return {}
    found = runpy.run_path(str(file)).get("variants")
    if not isinstance(found, dict) or not all(isinstance(each, Variant) for each in found.values()):
        raise ValueError(f"variants: expected a dict variants in {file}, 'lesson.name' -> Variant")
    return found


def _refuse_strangers(own, lessons, exercises):
    """Say what a variant names that was not handed out, or names otherwise than its exercise."""
    asked = {f"{lessons[name]['module']}.{each}" for name, found in exercises.items() for each in found}
    for name, variant in own.items():
        if name not in asked:
            raise ValueError(
                f"variants: {name!r} is no exercise of these lessons; there are {', '.join(sorted(asked))}"
            )
        if name.partition(".")[2] != variant.exercise.name:
            raise ValueError(f"variants: {name!r} holds an exercise called {variant.exercise.name!r}")


def _blank(path, paths, module, own):
    """A notebook as a student gets it."""
    nb = nbformat.read(path, as_version=4)
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = _live(cell.source, path, paths)
            continue
        cell.update(outputs=[], execution_count=None)
        for name, argument in CHECK.findall(cell.source):
            if variant := own.get(f"{module}.{name}"):
                gap = "\n\n\n" if callable(variant.exercise.reference) else "\n"
                cell.source = f"{variant.cell.rstrip()}{gap}check.{name}({argument})"
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "exercise"]
            cell.metadata["calibtutor"] = {"exercise": name}
    return clean(nb, path.stem)


def _live(text, path, paths):
    """Markdown in which a link to what was not handed out is its words."""
    kept = {*paths, NOTEBOOKS / "README.md", NOTEBOOKS / "errata.md"}
    is_dead = lambda target: (
        not re.match(r"[a-z]+:|#", target) and (path.parent / target.partition("#")[0]).resolve() not in kept
    )
    return re.sub(r"\[([^]]*)\]\(([^)\s]+)\)", lambda link: link[1] if is_dead(link[2]) else link[0], text)


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


def _alongside(student, shown, paths, key):
    """What a student's copy needs besides its notebooks and its package."""
    for name in ALONGSIDE:
        source = NOTEBOOKS.parent / name
        shutil.copytree(source, student / name) if source.is_dir() else shutil.copy(source, student / name)
    for name in ("README.md", "errata.md"):
        text = (NOTEBOOKS / name).read_text(encoding="utf-8")
        (student / "notebooks" / name).write_text(_live(text, NOTEBOOKS / name, paths), encoding="utf-8")
    titles = [re.search(r"^# +(.+)$", nb.cells[0].source, flags=re.M)[1].strip() for nb, _ in shown.values()]
    said = README.format(titles=titles[0] if len(titles) == 1 else "Calibration: the lessons", version=__version__,
                         solutions=LOCKED if key else CLOSED)  # fmt: skip
    (student / "README.md").write_text(said, encoding="utf-8")


def _grade(args, parser):
    about = args.out / ABOUT
    if not about.is_file():
        parser.error(f"{about}: no such file; hand out first, into the same folder")
    if not args.grade.is_dir():
        parser.error(f"{args.grade}: no such folder")
    about = json.loads(about.read_text(encoding="utf-8"))
    own = _variants(args.out / "instructor" / VARIANTS if about["variants"] else None)
    lessons = {name: lesson["exercises"] for name, lesson in about["lessons"].items()}
    exercises = {name: _exercises(lesson, own) for name, lesson in about["lessons"].items()}
    limits = {"seconds": args.seconds, "megabytes": args.megabytes, "jobs": args.jobs, "seed": args.seed}
    judged = grade(args.grade, args.out, lessons, exercises, say=lambda text: print(text, flush=True), **limits)
    failed = sum(not each.statuses for each in judged)
    print(f"{len(judged)} files, {failed} of them could not be judged: {args.out / 'grades.csv'}")
    return int(failed > 0)


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
        complaints = hand_out(args.out, args.lesson, key=args.key, variants=args.variants, run=not args.no_run)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for each in complaints:
        print(each, file=sys.stderr)
    if complaints:
        print("Nothing was stored.", file=sys.stderr)
    return int(bool(complaints))
