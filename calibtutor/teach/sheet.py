"""A teacher's sheet: answers, why, likely mistakes with their hints, open questions, guesses for Moodle."""

import inspect
import re
import textwrap
from importlib import import_module

import numpy as np

from .notebooks import sections

__all__ = ["gift", "open_questions", "solutions", "write"]

WIDEST = 60  # letters of a likely mistake that is shown; a longer function is told by its hint alone


def write(instructor, lessons):
    """Write solutions.md, guesses.gift, and open_questions.md, which has no rubrics: the teacher decides when to ask.

    Parameters
    ----------
    instructor : Path
        Folder.
    lessons : dict
        Name of a notebook's file -> (its lesson, notebook as handed out, {exercise: Exercise}).
    """
    course = import_module("calibtutor.lessons")  # found by name: no room imports the lessons
    questions = import_module("calibtutor.lessons.open_questions").QUESTIONS
    text = "".join(solutions(name, nb, found, questions.get(name, ())) for name, (_, nb, found) in lessons.items())
    guesses = course.discover("guesses")
    places = {}
    for module, nb, _ in lessons.values():
        for name, place in _guessed(nb):
            places.setdefault(_full(module, name, guesses), place)
    (instructor / "solutions.md").write_text(f"# Solutions\n\nNot for students.\n{text}", encoding="utf-8")
    asked = [gift(name, guesses[name](), place) for name, place in places.items()]
    (instructor / "guesses.gift").write_text("".join(asked), encoding="utf-8")
    text = "".join(open_questions(_title(nb), questions.get(name, ())) for name, (_, nb, _) in lessons.items())
    (instructor / "open_questions.md").write_text(f"# Open questions\n{text}", encoding="utf-8")


def solutions(name, nb, exercises, questions):
    """The sheet of one notebook, as Markdown.

    Parameters
    ----------
    name : str
        Of its file.
    nb : nbformat.NotebookNode
        With its answers blank.
    exercises : dict
        Name -> Exercise.
    questions : sequence of OpenQuestion
        The open ones of this notebook.

    Returns
    -------
    str
        Answers, why, likely mistakes and rubrics.
    """
    parts = [f"\n## {_title(nb)}\n\n`{name}.ipynb`\n"]
    for each, exercise in exercises.items():
        (cell,) = (c.source for c in nb.cells if c.cell_type == "code" and f"check.{each}(" in c.source)
        parts += [f"\n### {each}\n\nAsked:\n\n{_code(cell)}\nAnswer:\n\n{_answer(exercise)}\n{exercise.explanation}\n"]
        parts += [f"\nHint: {exercise.hint().text.removeprefix(f'{each}: ')}\n"]
        if exercise.mistakes:
            parts += ["\n| likely mistake | what the check says |\n|---|---|\n"]
            parts += [f"| {_cell(_mistake(m.answer))} | {_cell(m.hint)} |\n" for m in exercise.mistakes]
    parts += [f"\n### Open question\n\n{each.question}\n\n{_rubric(each.rubric)}" for each in questions]
    return "".join(parts)


def open_questions(title, questions):
    """The open questions of a notebook without their rubrics, as Markdown.

    Parameters
    ----------
    title : str
        Of the notebook.
    questions : sequence of OpenQuestion
        Those that it has.

    Returns
    -------
    str
        Empty if there are none.
    """
    return "".join([f"\n## {title}\n" * bool(questions), *(f"\n{each.question}\n" for each in questions)])


def gift(name, guess, place):
    """A guess as a question in Moodle's GIFT format, which says where it stands: it speaks of what is around it there.

    Parameters
    ----------
    name : str
        Of the question.
    guess : Predict
        The question, its options and the right one.
    place : str
        Notebook and section.

    Returns
    -------
    str
        One entry of a file of questions.
    """
    options = [f"\t{'=' if o == guess.answer else '~'}{_escaped(o)}\n" for o in guess.options]
    question, because = _escaped(f"({place}) {guess.question}"), _escaped(f"In the notebook: {guess.because}")
    return f"::{name}::{question} {{\n{''.join(options)}\t####{because}\n}}\n\n"


def _full(module, name, guesses):
    """A guess's name with its lesson's; a lecture asks what lessons ask."""
    own = f"{module}.{name}"
    return own if own in guesses else next(each for each in guesses if each.partition(".")[2] == name)


def _guessed(nb):
    """(name, notebook and section) of each guess."""
    title = _title(nb).partition(":")[0]
    for section, pieces in sections(nb):
        source = "\n".join(piece.source for piece in pieces if not isinstance(piece, str))
        for name in re.findall(r"\bguess\.(\w+)\(", source):
            yield name, ", ".join(filter(None, [title, section]))


def _escaped(text):
    return re.sub(r"([\\~=#{}:])", r"\\\1", " ".join(text.split()))


def _title(nb):
    return re.search(r"^# +(.+)$", nb.cells[0].source, flags=re.M)[1].strip()


def _code(text):
    return f"```python\n{text.strip()}\n```\n"


def _answer(exercise):
    if callable(exercise.reference):
        return _code(textwrap.dedent(inspect.getsource(exercise.reference)))
    also = f" (also: {', '.join(f'`{each}`' for each in exercise.accept)})" if len(exercise.accept) else ""
    return f"`{_value(exercise.reference)}`{also}\n"


def _value(value):
    return value if isinstance(value, str) else f"{np.asarray(value).tolist()}"


def _mistake(answer):
    """A value, a function's expression if it is short, or its name if that tells."""
    if not callable(answer):
        return f"`{_value(answer)}`"
    found = re.search(r"Mistake\(\s*(lambda .*)", _source(answer), flags=re.S)
    text = " ".join(found[1].split()) if found else ""
    text = text[: _end(text)]
    if 0 < len(text) <= WIDEST:
        return f"`{text}`"
    named = getattr(answer, "__qualname__", "<lambda>")
    return "(a function)" if "<" in named else named.replace("_", " ").strip()


def _source(function):
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # a class, a function of NumPy
        return ""


def _end(text):
    """Where an argument ends: at a comma or bracket that closes what was not opened in it."""
    depth = colon = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        colon = colon or letter == ":" and depth == 0
        if depth < 0 or colon and depth == 0 and letter == ",":
            return place
    return len(text)


def _cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def _rubric(rubric):
    total = sum(points for points, _ in rubric)
    return f"| points, of {total} | for |\n|---:|---|\n" + "".join(f"| {p} | {_cell(text)} |\n" for p, text in rubric)
