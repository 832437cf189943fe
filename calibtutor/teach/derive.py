"""Derivations that check themselves: each line is evaluated, and must agree with the line before.

A `Derivation` is data: lines in the language of `expressions`, the reason each follows, and worlds in which every
expectation is an exact sum. `stepper.derive` shows it one line at a time. Lines that a paper prints and that are wrong
appear as false lines, with the numbers that refute them.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from zlib import crc32

import numpy as np

from .expressions import Letters, formula
from .source import function_source

RELATIONS = {"=": "=", "<=": r"\leq", ">=": r"\geq"}


@dataclass(frozen=True)
class Step:
    """One line of a derivation.

    Attributes
    ----------
    text : str
        The line, in the language of `expressions`: from it come the formula, the value and the code. With `value` it is
        LaTeX written by hand, for what no finite expression says: a supremum, a search, a limit.
    reason : str
        Why it follows from the line before.
    value : callable(world) -> float or array, optional
        Evaluates a line that is written by hand.
    relation : {"=", "<=", ">="}
        How the line stands to the last true line before it.
    printed : str, optional
        Set for a false line: what it is, such as "Gruber & Bach, eq. 5, as printed (errata G17)".
    """

    text: str
    reason: str
    value: Callable | None = None
    relation: str = "="
    printed: str | None = None

    @cached_property
    def formula(self):
        """The line as a Formula; None if it is written by hand."""
        return None if self.value else formula(self.text)

    @property
    def latex(self):
        """The line in LaTeX, without its sign."""
        return self.text if self.value else self.formula.latex

    @property
    def code(self):
        """What computes it: the line as it is typed; of one written by hand, its function."""
        return function_source(self.value) if self.value else self.text


@dataclass(frozen=True)
class Line:
    """A step evaluated in a world; `holds` if it stands to the last true line as it claims, None if it has none."""

    step: Step
    value: object
    holds: bool | None


class Derivation:
    """A chain of lines that must agree in every world.

    Parameters
    ----------
    title : str
    claim : str
        One sentence: what is shown.
    *steps : Step
        The lines.
    world : callable(rng) -> object
        Makes a random world; a `Step.value` takes it.
    letters : callable(world) -> Letters, optional
        What the letters of its formulas are in a world.
    describe : callable(world) -> str, optional
        Says in a few words which world it is, beside the slider.
    start : int
        Seed of the slider's first world: one in which every false line is visibly off.
    write : int, optional
        The step, counted from 0, that the reader writes before it is shown.
    ask : str, optional
        What the reader is asked of that line, if its reason would give it away.
    slips : tuple of (str, str)
        Lines that a reader may write by mistake, and what is said of each; the false lines are known without it.
    tolerance : float
        Largest difference between equal lines, relative to the larger of 1 and the value.
    """

    def __init__(self, title, claim, *steps, world, letters=None, describe=None, start=0, write=None, ask="", slips=(),
                 tolerance=1e-12):
        self.title, self.claim, self.steps, self.world, self.letters = title, claim, steps, world, letters
        self.describe, self.start, self.write, self.slips, self.tolerance = describe, start, write, slips, tolerance
        self.ask = ask

    def in_world(self, seed=0):
        """A world of the slider."""
        return self.world(np.random.default_rng(self.start + seed))

    def about(self, seed=0):
        """Which world it is, in a few words."""
        return self.describe(self.in_world(seed)) if self.describe else ""

    def evaluate(self, seed=0):
        """Evaluate every line in the world of this seed."""
        world = self.in_world(seed)
        letters, lines, truth = self.letters_at(-1, seed), [], None
        for step in self.steps:
            value = np.asarray(step.value(world) if step.value else step.formula.value(letters), dtype=float)
            lines.append(Line(step, value, None if truth is None else self.related(step.relation, truth, value)))
            if step.printed is None:  # what a false line calls by a name is not that
                truth, letters = value, letters if step.value else step.formula.define(letters)
        return lines

    def letters_at(self, place, seed=0):
        """What letters are known when a step is written: those of the world, and what true lines up to it define."""
        letters = self.letters(self.in_world(seed)) if self.letters else Letters()
        for step in self.steps[: place + 1]:
            if step.printed is None and step.formula:
                letters = step.formula.define(letters)
        return letters

    def related(self, relation, before, after):
        """Whether a line stands to the one before as it claims, up to `tolerance`."""
        slack = self.tolerance * max(1.0, float(np.max(np.abs(before))))
        if relation not in RELATIONS:
            raise ValueError(f"relation: expected one of {', '.join(RELATIONS)}, got {relation!r}")
        if np.shape(before) != np.shape(after) and 0 not in (np.ndim(before), np.ndim(after)):  # one for every case
            return False
        if relation == "=":
            return bool(np.max(np.abs(after - before)) <= slack)
        return bool(np.all(before <= after + slack if relation == "<=" else before >= after - slack))

    def alike(self, one, other):
        """Whether two lines have the same value, up to rounding."""
        return self.related("=", one, other) or bool(np.ndim(one) == 0 and np.allclose(one, other, 0, self.tolerance))

    def choices(self):
        """Which lines the reader chooses from: tuples of indices, in each just one true line.

        False lines that follow each other stand with the true line behind them, or else with the one before.
        """
        places, is_false = range(len(self.steps)), lambda k: self.steps[k].printed is not None
        runs = [tuple(run) for false, run in groupby(places, is_false) if false]
        return [(*run, run[-1] + 1) if run[-1] + 1 in places else (run[0] - 1, *run) for run in runs]

    def order(self):
        """The steps as the page shows them: a choice's true line has any place in it, always the same."""
        order = list(range(len(self.steps)))
        for choice in self.choices():
            by = crc32(self.title.encode()) % len(choice)
            order[choice[0] : choice[-1] + 1] = choice[by:] + choice[:by]
        return order

    def displayed(self, seed=0):
        """`evaluate` in the order of the page."""
        lines = self.evaluate(seed)
        return [lines[k] for k in self.order()]


SUBSCRIPT = re.compile(r"(?<![\w$])((?:[^\W\d_]|\u0304)+)_([A-Za-z0-9]{1,2})(?![A-Za-z0-9_])")  # p_i, h̄_i; not y_true


def with_subscripts(text):
    """Words with their subscripts, for a page."""
    return SUBSCRIPT.sub(r"\1<sub>\2</sub>", html.escape(text))


def six_digits(value):
    """Six digits: enough to see agreement, few enough to read."""
    rounded = np.round(np.ravel(value)[:4], 6) + 0.0  # −0 would print its sign
    return ", ".join(f"{v:.6f}" for v in rounded) + (", …" if np.size(value) > 4 else "")


def question_about(lines):
    """What the reader is asked of some lines, counted from 0."""
    *first, last = (f"{k + 1}" for k in lines)
    return f"Only one of lines {', '.join(first)} and {last} holds. Which?"


def verdict(line):
    """What the numbers say of a line: "first", "holds" or "miss", and words."""
    if line.step.printed is not None:  # in one world it may hold by accident
        return "miss", f"✗ {line.step.printed}: these numbers " + ("happen to agree" if line.holds else "refute it")
    said = {None: ("first", "start here"), True: ("holds", "✓"), False: ("miss", "✗ disagrees with the line before")}
    return said[line.holds]


def sign(line):
    """How a line stands to the one before, in LaTeX."""
    return "" if line.holds is None else f"{RELATIONS[line.step.relation]}\\;"
