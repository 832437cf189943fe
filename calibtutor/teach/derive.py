"""Derivations that check themselves: each line is evaluated, and must agree with the line before.

A `Derivation` is data: lines of LaTeX, the reason each follows, and a function that evaluates it in a world
where every expectation is an exact sum. `derive` shows it one line at a time. Lines that a paper prints and
that are wrong appear as false lines, with the numbers that refute them.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import ipywidgets as widgets
import numpy as np

from ..plots import INK, KEPT, MISS, SOFT
from .expressions import Letters, formula
from .still import WithStill

__all__ = ["Derivation", "Line", "Stepper", "Step", "derive"]

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


@dataclass(frozen=True)
class Line:
    """A step evaluated in a world.

    Attributes
    ----------
    step : Step
        What was evaluated.
    value : ndarray
        Of the line.
    holds : bool or None
        Whether it stands to the last true line as it claims; None for the first line, which has none before it.
    """

    step: Step
    value: object
    holds: bool | None


@dataclass(frozen=True)
class Derivation:
    """A chain of lines that must agree in every world.

    Attributes
    ----------
    title : str
    claim : str
        One sentence: what is shown.
    world : callable(rng) -> object
        Makes a random world; a `Step.value` takes it.
    steps : tuple of Step
    tolerance : float
        Largest difference between equal lines, relative to the larger of 1 and the value.
    describe : callable(world) -> str, optional
        Says in a few words which world it is, beside the slider.
    letters : callable(world) -> Letters, optional
        What the letters of its formulas are in a world.
    start : int
        Seed of the slider's first world: one in which every false line is visibly off.
    """

    title: str
    claim: str
    world: Callable
    steps: tuple
    tolerance: float = 1e-12
    describe: Callable | None = None
    letters: Callable | None = None
    start: int = 0

    def in_world(self, seed=0):
        """A world of the slider.

        Parameters
        ----------
        seed : int
            Its place on the slider.

        Returns
        -------
        object
            As `world` makes it.
        """
        return self.world(np.random.default_rng(self.start + seed))

    def evaluate(self, seed=0):
        """Evaluate every line in the world of this seed.

        Parameters
        ----------
        seed : int
            The world's place on the slider.

        Returns
        -------
        list of Line
            One a step, in the order of `steps`.
        """
        world = self.in_world(seed)
        letters = self.letters(world) if self.letters else Letters()
        lines, truth = [], None
        for step in self.steps:
            value = np.asarray(step.value(world) if step.value else step.formula.value(letters), dtype=float)
            if step.printed is None and not step.value:  # what a false line calls by a name is not that
                letters = step.formula.define(letters)
            holds = None if truth is None else _related(step.relation, truth, value, self.tolerance)
            lines.append(Line(step, value, holds))
            if step.printed is None:
                truth = value
        return lines

    def choices(self):
        """Which lines the reader chooses from: tuples of indices, in each just one true line.

        False lines that follow each other stand with the true line behind them, or else with the one before.

        Returns
        -------
        list of tuple of int
            Counted from 0, in the order of `order`.
        """
        found, k, n = [], 0, len(self.steps)
        while k < n:
            end = k
            while end < n and self.steps[end].printed is not None:
                end += 1
            if end > k:
                found.append(tuple(range(k, end + 1) if end < n else range(k - 1, end)))
            k = end + 1
        return found

    def order(self):
        """The steps as the page shows them: a choice's true line has any place in it, always the same.

        Returns
        -------
        list of int
            Indices into `steps`.
        """
        order = list(range(len(self.steps)))
        for choice in self.choices():
            by = crc32(self.title.encode()) % len(choice)
            order[choice[0] : choice[-1] + 1] = choice[by:] + choice[:by]
        return order

    def displayed(self, seed=0):
        """`evaluate` in the order of the page.

        Parameters
        ----------
        seed : int
            The world's place on the slider.

        Returns
        -------
        list of Line
            As many as there are steps.
        """
        lines = self.evaluate(seed)
        return [lines[k] for k in self.order()]

    def failures(self, seed=0):
        """What is wrong in this world, in words: true lines that disagree, false lines that do not.

        Parameters
        ----------
        seed : int
            The world's place on the slider.

        Returns
        -------
        list of str
            Empty if every line is what it claims.
        """
        said = []
        for number, line in enumerate(self.evaluate(seed), 1):
            expected = None if number == 1 else line.step.printed is None
            if not np.isfinite(line.value).all() or line.holds is not expected:
                kind = "false line agrees" if expected is False else "line disagrees with the one before"
                said.append(f"{self.title}, line {number}: {kind}: {line.step.latex} = {six_digits(line.value)}")
        return said


def derive(derivation):
    """Step through a derivation: Next, Back, and a slider that changes the world under all its lines.

    Parameters
    ----------
    derivation : Derivation
        What is shown.

    Returns
    -------
    Stepper
        Live in a running notebook; elsewhere a page of all lines with their values.
    """
    return Stepper(derivation)


class Stepper(WithStill, widgets.VBox):
    """The widget of `derive`; `shown` is the number of lines on view.

    Of a false line and its true neighbour only the formulas are shown until the reader has said which of them holds.

    Parameters
    ----------
    derivation : Derivation
        What is shown.

    Attributes
    ----------
    shown : int
        Lines on view.
    unanswered : list of tuple of int
        Choices that the reader has not made.
    """

    def __init__(self, derivation):
        self.derivation = derivation
        self.back = widgets.Button(description="◀ Back", layout=widgets.Layout(width="90px"))
        self.next = widgets.Button(description="Next ▶", layout=widgets.Layout(width="90px"))
        self.world = widgets.IntSlider(
            value=0, min=0, max=20, description="world", layout=widgets.Layout(width="260px")
        )
        self.about = widgets.HTML()
        # Every line has its own widget of fixed least height, so that nothing below jumps as lines appear.
        rows = [widgets.HTMLMath(layout=widgets.Layout(min_height="3.4em")) for _ in derivation.steps]
        self.rows, self.shown = rows, 1
        self.back.on_click(lambda _: self._move(-1))
        self.next.on_click(lambda _: self._move(+1))
        self.world.observe(lambda _: self._redraw(), names="value")
        title = widgets.HTMLMath(f"<b>{html.escape(derivation.title)}</b>. {with_subscripts(derivation.claim)}")
        self.unanswered, self.buttons, self.questions = list(derivation.choices()), {}, {}
        self.reply = widgets.HTML(layout=widgets.Layout(min_height="1.6em"))
        for lines in self.unanswered:
            for k in lines:
                self.buttons[k] = widgets.Button(description=f"line {k + 1}", layout=widgets.Layout(width="auto"))
                self.buttons[k].on_click(lambda _, k=k: self._choose(k))
            question = widgets.HTML(question_about(lines), layout=widgets.Layout(margin="0 8px 0 0"))
            self.questions[lines] = widgets.HBox([question, *(self.buttons[k] for k in lines)])
        asked = [*self.questions.values(), self.reply] if self.questions else []
        self._redraw()
        super().__init__(
            [
                title,
                widgets.HBox(
                    [self.back, self.next, self.world, self.about], layout=widgets.Layout(flex_flow="row wrap")
                ),
                *rows,
                *asked,
            ],
            layout=widgets.Layout(max_width="900px", border_left=f"4px solid {KEPT}", padding="0 0 0 12px"),
        )

    def _move(self, by):
        self.shown = int(np.clip(self.shown + by, 1, len(self.rows)))
        self._redraw()

    def _redraw(self):
        try:
            lines = self.derivation.displayed(self.world.value)
        except Exception as problem:  # a callback's exception would vanish and leave stale numbers
            for row in self.rows:
                row.value = ""
            self.rows[0].value = f'<div role="alert" style="color:{MISS}">{html.escape(repr(problem))}</div>'
            return
        for number, (row, line) in enumerate(zip(self.rows, lines, strict=True), 1):
            hidden = f'<span style="color:{SOFT}">{number}. …</span>'
            is_open = any(number - 1 in each for each in self.unanswered)
            row.value = _line_html(number, line, is_open) if number <= self.shown else hidden
        if self.derivation.describe:
            world = self.derivation.in_world(self.world.value)
            self.about.value = html.escape(self.derivation.describe(world))
        self.back.disabled = self.shown == 1
        self.next.disabled = self.shown == len(self.rows)
        for lines, question in self.questions.items():
            question.layout.display = None if lines in self.unanswered else "none"
            for k in lines:
                self.buttons[k].disabled = self.shown <= lines[-1]

    def _choose(self, k):
        """Say which line holds, and show what the numbers say."""
        lines = next(each for each in self.derivation.choices() if k in each)
        if lines not in self.unanswered:  # a second click, sent before the page knew of the first
            return
        self.unanswered.remove(lines)
        self.questions[lines].layout.display = "none"  # before anything else: the page must not offer it again
        steps = [self.derivation.steps[each] for each in self.derivation.order()]
        right = steps[k].printed is None
        (true,) = (each for each in lines if steps[each].printed is None)
        said = f"✓ Line {k + 1} holds" if right else f"✗ Line {k + 1} is false, and line {true + 1} holds"
        colour = KEPT if right else MISS
        self.reply.value = f'<b role="status" style="color:{colour}">{said}: compare the numbers.</b>'
        self._redraw()

    def still(self):
        """All lines, the answer to what is asked about them folded away; and how many there are.

        Returns
        -------
        data, metadata : dict
            By MIME type.
        """
        lines, choices = self.derivation.displayed(), self.derivation.choices()
        refuted = sum(line.step.printed is not None for line in lines)
        sentence = (
            f"Derivation “{self.derivation.title}”. {self.derivation.claim} "
            f"{len(lines) - refuted} lines, each related to the one before as "
            f"its sign claims, to {self.derivation.tolerance:g}"
            + (f"; {refuted} false and refuted." if refuted else ".")
        )
        asked = [k for choice in choices for k in choice]
        said = [f"<p><b>{html.escape(self.derivation.title)}</b>. {with_subscripts(self.derivation.claim)}</p>"]
        said += [_line_html(place, line, place - 1 in asked) for place, line in enumerate(lines, 1)]
        for choice in choices:
            answer = "".join(_line_html(k + 1, lines[k]) for k in choice)
            said.append(f"<details><summary>{question_about(choice)} Show the answer</summary>{answer}</details>")
        return {"text/html": "".join(said), "text/plain": sentence}, {}


def question_about(lines):
    """What the reader is asked of some lines, counted from 0."""
    *first, last = (f"{k + 1}" for k in lines)
    return f"Only one of lines {', '.join(first)} and {last} holds. Which?"


def _related(relation, before, after, tolerance):
    slack = tolerance * max(1.0, float(np.max(np.abs(before))))
    if relation == "=":
        alike = np.shape(before) == np.shape(after) or np.ndim(after) == 0  # one number for every case
        return bool(alike and np.max(np.abs(after - before)) <= slack)
    if relation == "<=":
        return bool(np.all(before <= after + slack))
    if relation == ">=":
        return bool(np.all(before >= after - slack))
    raise ValueError(f"relation: expected one of {', '.join(RELATIONS)}, got {relation!r}")


SUBSCRIPT = re.compile(r"(?<![\w$])([^\W\d_]+)_([A-Za-z0-9]{1,2})(?![A-Za-z0-9_])")  # p_i, SKCE_uq; not y_true


def with_subscripts(text):
    """Words with their subscripts, for a page."""
    return SUBSCRIPT.sub(r"\1<sub>\2</sub>", html.escape(text))


def six_digits(value):
    """Six digits: enough to see agreement, few enough to read."""
    rounded = np.round(np.ravel(value)[:4], 6) + 0.0  # −0 would print its sign
    return ", ".join(f"{v:.6f}" for v in rounded) + (", …" if np.size(value) > 4 else "")


def _verdict(line):
    if line.step.printed is not None:
        # A printed slip may hold by accident in one world; the reader is told what the numbers say.
        return f"✗ {line.step.printed}: these numbers " + ("happen to agree" if line.holds else "refute it")
    return {None: "start here", True: "✓", False: "✗ disagrees with the line before"}[line.holds]


def _colour(line):
    return INK if line.holds is None else KEPT if line.holds and line.step.printed is None else MISS


def sign(line):
    """How a line stands to the one before, in LaTeX."""
    return "" if line.holds is None else f"{RELATIONS[line.step.relation]}\\;"


def _line_html(place, line, is_open=False):
    """A line; while the reader is asked about it, its formula alone."""
    return (
        f'<div style="line-height:1.5"><span style="color:{SOFT}">{place}.</span> &nbsp;'
        f"${html.escape(sign(line) + line.step.latex)}$ &nbsp;&nbsp;"
        + (
            f'<b style="color:{KEPT}">?</b>'
            if is_open
            else f"<code>{six_digits(line.value)}</code> "
            f'<span style="color:{_colour(line)};font-weight:600">{html.escape(_verdict(line))}</span>'
            f'<div style="color:{SOFT};margin-left:1.6em">{with_subscripts(line.step.reason)}</div>'
        )
        + "</div>"
    )
