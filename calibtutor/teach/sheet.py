"""A teacher's sheet: answers, why, likely mistakes with their hints, open questions with their rubrics."""

import inspect
import re
import textwrap

import numpy as np

__all__ = ["solutions"]

WIDEST = 60  # letters of a likely mistake that is shown; a longer function is told by its hint alone


def solutions(name, nb, exercises, questions):
    """The sheet of one notebook, as Markdown."""
    title = re.search(r"^# +(.+)$", nb.cells[0].source, flags=re.M)[1].strip()
    parts = [f"\n## {title}\n\n`{name}.ipynb`\n"]
    for each, exercise in exercises.items():
        (cell,) = (c.source for c in nb.cells if c.cell_type == "code" and f"check.{each}(" in c.source)
        parts += [f"\n### {each}\n\nAsked:\n\n{_code(cell)}\nAnswer:\n\n{_answer(exercise)}\n{exercise.explanation}\n"]
        parts += [f"\nHint: {exercise.nudge}\n"]
        if exercise.mistakes:
            parts += ["\n| likely mistake | what the check says |\n|---|---|\n"]
            parts += [f"| {_cell(_mistake(m.answer))} | {_cell(m.hint)} |\n" for m in exercise.mistakes]
    parts += [f"\n### Open question\n\n{question}\n\n{rubric}\n" for question, rubric in questions]
    return "".join(parts)


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
