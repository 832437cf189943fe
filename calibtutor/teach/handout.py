"""Hand out lessons as assignments, in nbgrader's format.

    python -m calibtutor handout OUT [--lesson NAME ...]

writes, from a clone of the course and into a folder that does not exist or is empty,

    OUT/source/       each lesson as an assignment: solutions, points, hidden tests, open questions with rubrics
    OUT/nbgrader_config.py
    OUT/student/      what students get of it: no solutions, no hidden tests, no rubrics
    OUT/solutions.md  answers, why, hints of likely mistakes, rubrics
    OUT/README.md     how to mark with nbgrader, and what that does not protect from

NAME is a notebook's (02_compas_local_calibration), or a lesson's number (01); without one it is the whole course.
"""

import argparse
import inspect
import secrets
import shutil
import tempfile
import textwrap
from pathlib import Path

from .. import __version__, _course

with _course():
    import nbformat

from .assignment import CHECK, FUNCTION, LESSON, VALUE, assignment, open_questions, students_copy
from .notebooks import NOTEBOOKS
from .notebooks import discover as every_notebook

CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "calibtutor"
c.ClearSolutions.code_stub = {"python": ""}  # the course's own blanks say what to write
c.Execute.timeout = 60  # seconds for a cell
"""
README = """\
# Assignments

Written by calibtutor {version} for [nbgrader](https://nbgrader.readthedocs.io): `pip install nbgrader` into the
course's environment, and activate that. Give away `student/`, or what the first command writes into `release/`, which
is the same; students need the course installed. `solutions.md` is for you.

In this folder, for one assignment:

```bash
nbgrader generate_assignment {example}  # once, before anything is marked
nbgrader autograde {example}            # marks submitted/STUDENT/{example}/{example}.ipynb
nbgrader generate_feedback {example}    # writes feedback/STUDENT/{example}/{example}.html
```

`submitted/` is filled by `nbgrader collect` on a hub, by `nbgrader zip_collect` from a learning platform's archive, or
by hand. You give the points of open questions in nbgrader's formgrader, which shows their rubrics; `nbgrader export`
writes a table of all points. A value is worth {value}, a function {function}. Feedback shows hidden tests, and with
them solutions: give it back when nobody can hand in any more.

**What nbgrader does not protect from.** The course is public: a student can copy a solution from it, or hand in a
function that imports the package and returns what its reference returns; `check.close()`, after which a copy shows no
solutions, is a line that anybody can delete. A student's code runs under your account, in the kernel in which the
hidden tests run afterwards: it can read your files (these sources and other students' work among them), use the
network, leave processes behind, and change NumPy, Python or IPython so that tests pass or do not run. A patched `check`
earns nothing, a cell is ended after a minute (`c.Execute.timeout`), and a file that is no notebook, or a kernel that
dies, costs that one submission its points; nbgrader names it in its log. For people whom you do not trust mark in a
container that holds nothing else, and read what they wrote.
"""


def hand_out(out, known, chosen=()):
    """Write assignments, students' copies and solutions into a folder that does not exist or is empty, all or nothing.

    Of the lessons that are chosen, or all; `known` has an `Exercise` for each "lesson.name"; a line is printed for each
    notebook. ValueError for no such lesson, or a folder in the way.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out}: expected a folder that does not exist or is empty")
    paths, seed = _chosen(chosen), secrets.randbits(32)  # of the inputs of hidden tests
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as place:
        place, said = Path(place), "# Solutions\n\nNot for students.\n"
        for path in paths:
            nb, name = nbformat.read(path, as_version=4), path.stem
            code = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
            lesson = LESSON.search(code)[1]
            exercises = {each: known[f"{lesson}.{each}"] for each, _ in CHECK.findall(code)}
            questions = open_questions(path.relative_to(NOTEBOOKS).with_suffix("").as_posix())
            source = assignment(nb, exercises, questions, seed)
            for folder, copy in (("source", source), ("student", students_copy(source))):
                target = place / folder / name / f"{name}.ipynb"
                target.parent.mkdir(parents=True)
                nbformat.write(copy, target)
            said += _solutions(name, exercises, questions)
            print(f"{name}: {len(exercises)} exercises, {len(questions)} open questions")
        about = README.format(version=__version__, example=paths[0].stem, value=VALUE, function=FUNCTION)
        for file, text in (("nbgrader_config.py", CONFIG), ("README.md", about), ("solutions.md", said)):
            (place / file).write_text(text, encoding="utf-8")
        shutil.copytree(place, out, dirs_exist_ok=True)


def _solutions(name, exercises, questions):
    """A teacher's sheet of one notebook, as Markdown."""
    parts = [f"\n## {name}\n"]
    for each, exercise in exercises.items():
        answer = exercise.reference
        answer = textwrap.dedent(inspect.getsource(answer)).strip() if callable(answer) else repr(answer)
        parts += [f"\n### {each}\n\n```python\n{answer}\n```\n\n{exercise.explanation}\n\nHint: {exercise.nudge}\n"]
        parts += [f"\nA likely mistake is told: {mistake.hint}\n" for mistake in exercise.mistakes]
    return "".join(parts + [f"\n### Open question\n\n{question}\n\n{rubric}\n" for question, rubric in questions])


def _chosen(names):
    """Paths of the notebooks that are meant."""
    if not NOTEBOOKS.is_dir():
        raise ValueError("no folder notebooks/ beside the package: run this in a clone")
    called = {path: {path.stem} for path in every_notebook()}
    for path in NOTEBOOKS.glob("*.ipynb"):  # one in a folder has no number of its own
        called[path].add(path.stem.partition("_")[0])
    for name in names:
        if not any(name in each for each in called.values()):
            raise ValueError(f"lesson: expected one of {', '.join(path.stem for path in called)}; got {name!r}")
    return [path for path, each in called.items() if not names or each & set(names)]


def main(argv, discover):
    """Command line, given `discover` of the lessons, which no room imports; returns the exit code."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m calibtutor handout", description=__doc__, formatter_class=raw)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--lesson", nargs="+", action="extend", default=[], metavar="NAME", help="leave out the others")
    args = parser.parse_args(argv)
    try:
        hand_out(args.out, discover("exercises"), args.lesson)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    return 0
