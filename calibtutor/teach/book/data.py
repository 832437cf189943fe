"""What the pages play from: plain data, and the scripts that hand it to the player.

A page opened from a file may run scripts but not fetch, so all data are calls such as `book.guess("start.coin", {…})`.

What a notebook shows, as `work` finds it and `pages` takes it, is one dict of plain values, here called *caught*:

    cells       {cell's index in the notebook: [[kind, id], …]}: one entry for each output with data of that cell, in
                order; what the book does not play is ["stored", ""]. Printed text is no entry.
    scene       {id: {folder, width, height, controls, frame, said, longest, code}}: `folder` has base.png, 0.png … and
                scene.js; `frame` is the opening frame's number, `said` its [headline, second line, sentence], `longest`
                the longest of each that the scene may show.
    picture     {id: {file, width, height, said, code}}: a PNG at twice width × height pixels, without its headline.
    derivation, guess, exercise   {id: what the functions of these names say}

An id is "lesson.name" (lesson-folder and name in the lesson's room, "start.coin"), "lesson.name-2" when a notebook
shows it again, and "notebook's-stem.cell-7" for what a cell makes itself. It is unique within its kind only.

    scene.js    book.scene(id, {width, height, controls, said, which, frame?}).
                controls: [{name, label, kind, texts, start}], see `Steps`; the first one is the slowest in the number
                of a setting. which: for each setting an index into said; frame: for each setting the number of its
                file, left out when that is the setting's own number.
"""

import json
import re
from itertools import chain, count

import numpy as np

from ..answers import show
from ..derive import question_about, sign, six_digits, verdict, with_subscripts

# Whose functions these are, while the reader's are blank (`exercise.whose`): in the book nobody writes functions.
_REFERENCE = r"the reference \([\w ]+ still blank\)"
REFERENCE = re.compile(rf"{_REFERENCE}(?P<more>(?:(?:, | and ){_REFERENCE})*)")
_CREDIT = rf"(?:\w+ ){{0,2}}(?:\b[Bb]y )?{REFERENCE.pattern.replace('?P<more>', '?:')}"
CREDIT = re.compile(rf"[;,] {_CREDIT}|(?:^| (?<=\. )){_CREDIT}\.?")  # "; dots by the reference (ece is still blank)"
OURS = "the course's own function"
WORLDS = 21  # as many as the live slider has


def script(kind, ident, data):
    """The line of a script that hands data to the player."""
    return f"book.{kind}({_json(ident)}, {_json(data)});\n"


def _json(data):
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def free(name, taken):
    """A name, with a number behind it if it is taken."""
    return next(each for each in chain([name], (f"{name}-{k}" for k in count(2))) if each not in taken)


def page_script(caught):
    """All that a page plays, its scenes apart, as a script.

    Formulas and reasons of derivations stand in the page, where a reader without scripts finds them too.
    """
    played = {"derivation": {}, "guess": caught["guess"], "exercise": caught["exercise"]}
    for ident, each in caught["derivation"].items():
        printed = [{"printed": line["printed"]} for line in each["lines"]]
        played["derivation"][ident] = {"lines": printed, "worlds": each["worlds"], "choices": each["choices"]}
    return "".join(script(kind, *item) for kind, of in played.items() for item in of.items())


def derivation(derivation):
    """The lines of a derivation as its page shows them, HTML but for LaTeX and code, and their values in all worlds.

    A choice is of lines, counted from 0, of which one is true.
    """
    worlds = []
    for seed in range(WORLDS):
        shown = derivation.displayed(seed)
        values, holds = [six_digits(line.value) for line in shown], [line.holds for line in shown]
        worlds.append({"about": derivation.about(seed), "values": values, "holds": holds})
    lines = []
    for step, line in zip(derivation.order(), derivation.displayed(), strict=True):
        mark, words = verdict(line)
        lines.append({"math": sign(line) + line.step.latex, "reason": with_subscripts(line.step.reason), "mark": mark,
                      "printed": line.step.printed, "code": line.step.code, "verdict": words,
                      "yours": step == derivation.write})
    choices = [list(choice) for choice in derivation.choices()]
    said = {"title": with_subscripts(derivation.title), "claim": with_subscripts(derivation.claim)}
    return said | {"lines": lines, "worlds": worlds, "choices": choices, "questions": [*map(question_about, choices)]}


def guess(predict):
    """A guess's question and answer."""
    return {name: getattr(predict, name) for name in ("question", "options", "answer", "because")}


def exercise(exercise):
    """An exercise; all that checks it, unless it asks for a function."""
    about = {"name": exercise.name, "kind": "function", "hint": exercise.nudge}
    if callable(exercise.reference):
        return about
    is_word, is_number = isinstance(exercise.reference, str), np.ndim(exercise.reference) == 0
    return about | {"kind": "word" if is_word else "number" if is_number else "numbers",
                    "reference": _plain(exercise.reference), "shown": show(exercise.reference),
                    "accept": [*map(_plain, exercise.accept)], "tolerance": exercise.tolerance,
                    "mistakes": [[_plain(each.answer), each.hint] for each in exercise.mistakes],
                    "explanation": exercise.explanation}


def _plain(value):
    return value if isinstance(value, str) else np.asarray(value, dtype=float).tolist()
