"""Exercises that reply.

check = Checks([Exercise("gap", ...), ...])
check.gap(my_answer)      # ✓, or a hint aimed at the likely mistake
check.gap.hint()          # a nudge
check.gap.solution()      # the answer, only when asked for
check.gap.use(my_answer)  # the function to go on with: mine, or the reference while mine is blank
"""

import html
import inspect
import textwrap
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..plots import INK, KEPT, MISS, SOFT
from .answers import decimals, difference, listed, number, other_shape, same, show

__all__ = ["Checks", "Exercise", "Mistake", "Reply", "Used", "whose"]

TRIALS = 20  # random inputs an answer is compared on
COLOUR = {"right": KEPT, "wrong": MISS, "blank": SOFT, "told": INK}
MARK = {"right": "✓", "wrong": "✗", "blank": "○", "told": "→"}


@dataclass(frozen=True)
class Mistake:
    """A likely wrong answer and the hint that it deserves.

    Attributes
    ----------
    answer : value or function
        As a reader would hand it in.
    hint : str
        Aimed at the slip behind it.
    """

    answer: object
    hint: str


class Reply:
    """What a check says.

    Parameters
    ----------
    status : {"right", "wrong", "blank", "told"}
        Which colour and mark it gets.
    text : str
        The reply.
    code : str
        Shown below it.
    exercise : Exercise, optional
        What a check checks.
    """

    def __init__(self, status, text, code="", exercise=None):
        self.status, self.text, self.code, self.exercise = status, text, code, exercise

    def __repr__(self):
        return f"{MARK[self.status]} {self.text}" + (f"\n\n{self.code}" if self.code else "")

    def _repr_html_(self):
        code = f"<pre>{html.escape(self.code)}</pre>" if self.code else ""
        return (
            f'<div role="status" style="border-left:4px solid {COLOUR[self.status]};padding:4px 10px">'
            f'<b style="color:{COLOUR[self.status]}">{MARK[self.status]}</b> {html.escape(self.text)}{code}</div>'
        )


class Used:
    """A function to work with: the reader's, or the reference while theirs is blank; `by` says which.

    Parameters
    ----------
    name : str
        Of the exercise.
    function : callable
        Which is called.
    status : {"right", "wrong", "blank"}
        What the check says of the reader's function.

    Attributes
    ----------
    by : str
        Whose function this is, in words.
    is_blank : bool
        Whether it is the reference.
    """

    def __init__(self, name, function, status):
        self.name, self.function, self.is_blank = name, function, status == "blank"
        mine = f"your {name}" + (", not right yet" if status == "wrong" else "")
        self.by = f"the reference ({name} is still blank)" if self.is_blank else mine

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __repr__(self):
        return self.by


def whose(*used):
    """Whose functions these are, in words: “your ece and the reference (redraw_labels is still blank)”."""
    blank = [each.name for each in used if each.is_blank]
    said = [each.by for each in used if not each.is_blank]
    if blank:
        said.append(f"the reference ({' and '.join(blank)} {'is' if len(blank) == 1 else 'are'} still blank)")
    return " and ".join(said)


class _Tried(NamedTuple):
    """An answer on all trials, beside the reference."""

    answer: object
    trials: list
    found: list
    wanted: list
    agree: list
    problem: str
    overwritten: list

    @property
    def first(self):
        """Found and wanted of the first trial on which they differ."""
        place = self.agree.index(False)
        return self.found[place], self.wanted[place]

    @property
    def spoilt(self):
        """What the answer does to its arguments, in words."""
        return f" But it overwrites {listed(self.overwritten)}: work on a copy." if self.overwritten else ""


class Exercise:
    """One exercise.

    Parameters
    ----------
    name : str
        How it is called: ``check.<name>(answer)``.
    reference : number, array, str or function
        The right answer. A function is compared on random inputs.
    explanation : str
        Said with ✓ and with the solution: why it is right.
    hint : str
        A nudge that does not give the answer away.
    inputs : callable(rng) -> tuple, optional
        Random arguments, for a function.
    mistakes : sequence of Mistake
        Likely wrong answers, each with its own hint.
    accept : sequence
        Other spellings of the answer.
    tolerance : float, default 1e-5
        Largest difference that passes, as a share of the answer's largest entry: single precision passes.
    """

    def __init__(self, name, reference, explanation, *, hint, inputs=None, mistakes=(), accept=(), tolerance=1e-5):
        if callable(reference) != (inputs is not None):
            raise ValueError(f"inputs: expected for a function and only then ({name})")
        self.name, self.reference, self.explanation = name, reference, explanation
        self.nudge, self.inputs, self.mistakes, self.tolerance = hint, inputs, tuple(mistakes), tolerance
        self.accept = tuple(accept)
        self.tries, self.status, self.closed = 0, "blank", False

    def __call__(self, answer=None):
        """Check an answer; never raises, so that a notebook runs from top to bottom.

        Parameters
        ----------
        answer : value or function, optional
            None or ``...`` means not answered yet.

        Returns
        -------
        Reply
            "right", "wrong" or "blank", in words.
        """
        if answer is None or answer is ...:
            return Reply("blank", f"{self.name}: not yet. Put your answer in and run the cell again.", exercise=self)
        reply = self.judge(answer)
        reply.exercise = self
        if reply.status != "blank":
            self.tries += 1
            self.status = "right" if self.status == "right" else reply.status  # a later slip does not undo it
        return reply

    def use(self, answer=None):
        """The reader's function, whatever it computes, or the reference while it is blank.

        Parameters
        ----------
        answer : function, optional
            What this method returned is returned as it is.

        Returns
        -------
        Used
            Called like the function; printed, and in its `by`, it says whose function it is.

        Raises
        ------
        ValueError
            If this exercise asks for no function, or `answer` is none.
        """
        if not callable(self.reference):
            raise ValueError(f"{self.name}: this exercise asks for a value, there is no function to use")
        if isinstance(answer, Used):
            return answer
        if answer is None or answer is ...:
            return Used(self.name, self.reference, "blank")
        if not callable(answer):
            raise ValueError(f"answer: expected your function {self.name}, got {show(answer)}; pass it without ()")
        status = self.judge(answer).status
        return Used(self.name, self.reference if status == "blank" else answer, status)

    def hint(self):
        """A nudge."""
        return Reply("told", f"{self.name}: {self.nudge}")

    def solution(self):
        """The answer and why."""
        if self.closed:
            return Reply("told", f"{self.name}: this copy shows no solutions.")
        if callable(self.reference):
            return Reply("told", self.explanation, textwrap.dedent(inspect.getsource(self.reference)))
        return Reply("told", f"{self.name}: {show(self.reference)}. {self.explanation}")

    def judge(self, answer, seed=0):
        """What a check says of an answer, without counting a try.

        Parameters
        ----------
        answer : value or function
            As handed to the check.
        seed : int, default 0
            Of the random inputs. Whoever gives marks takes one that nobody could have prepared for.

        Returns
        -------
        Reply
            "right", "wrong" or "blank", in words.
        """
        if isinstance(answer, str) and not callable(self.reference) and np.ndim(self.reference) == 0:
            answer = answer if isinstance(self.reference, str) else number(answer)
        if unfit := self._unfit(answer):
            return Reply("wrong", f"{self.name}: {unfit}")
        tried = self._tried(answer, seed)
        looks = self._raised, self._blank, self._right, self._mistaken, self._rounded, self._random, self._shaped
        status, said = next(filter(None, (look(tried) for look in looks)), None) or self._off(tried)
        return Reply(status, f"{self.name}: {said}")

    def _unfit(self, answer):
        """Why an answer cannot be compared at all."""
        if callable(self.reference) and not callable(answer):
            return f"expected a function, got {show(answer)}."
        if callable(answer) and not callable(self.reference):
            return "expected a value, got a function. Did you forget to call it?"
        if isinstance(answer, str) != isinstance(self.reference, str):
            numbers = "a number" if np.ndim(self.reference) == 0 else "numbers"
            return f"expected {'a word' if isinstance(self.reference, str) else numbers}, got {show(answer)}."
        return ""

    def _tried(self, answer, seed):
        trials, overwritten = self._trials(seed), {}
        found, problem = self._outcomes(answer, trials, overwritten)
        wanted, _ = self._outcomes(self.reference, trials)
        agree = [same(f, w, self.tolerance) for f, w in zip(found, wanted, strict=not problem)]
        return _Tried(answer, trials, found, wanted, agree, problem, [*overwritten])

    # What a check looks for in an answer, in this order: each gives a status and what is said, or nothing.

    def _raised(self, tried):
        if tried.problem:
            # That error alone says nothing to a beginner.
            nudge = f"{self._column(tried.trials[0])} {self.nudge}" if "broadcast" in tried.problem else ""
            return "wrong", tried.problem + nudge

    def _blank(self, tried):
        if any(outcome is None or outcome is ... for outcome in tried.found):
            return "blank", "not yet. Your function returns nothing: write its body, ending in return."

    def _right(self, tried):
        if all(tried.agree) or any(same(tried.answer, other, self.tolerance) for other in self.accept):
            return "right", f"right. {self.explanation}{tried.spoilt}"

    def _mistaken(self, tried):
        for mistake in self.mistakes:
            wrong, _ = self._outcomes(mistake.answer, tried.trials)
            if all(same(f, w, self.tolerance) for f, w in zip(tried.found, wrong, strict=True)):
                return "wrong", mistake.hint

    def _rounded(self, tried):
        if places := decimals(tried.found, tried.wanted):
            return "wrong", f"right, but rounded to {places} decimals. Keep all of them."

    def _random(self, tried):
        again, _ = self._outcomes(tried.answer, tried.trials)
        pairs = zip(again, tried.found, strict=True)
        if any(same(f, f, self.tolerance) and not same(a, f, self.tolerance) for a, f in pairs):
            return "wrong", "the same arguments give other numbers each time. Draw none of your own."

    def _shaped(self, tried):
        if shapes := other_shape(*tried.first, self.tolerance):
            return "wrong", shapes

    def _off(self, tried):
        found, wanted = tried.first
        if not callable(self.reference):
            return "wrong", f"{show(found)} is not it. {self.nudge}"
        arguments = ", ".join(show(argument) for argument in tried.trials[tried.agree.index(False)])
        given = textwrap.shorten(arguments, 120, placeholder=" …")
        compared = f"(For {given} expected {show(wanted)}, got {show(found)}{difference(found, wanted)}.)"
        return "wrong", f"{self.nudge}{self._unused(tried.answer, tried.trials)}{tried.spoilt} {compared}"

    def _trials(self, seed):
        if not callable(self.reference):
            return [None]
        rng = np.random.default_rng(seed)
        return [self.inputs(rng) for _ in range(TRIALS)]

    def _argument_names(self):
        return list(inspect.signature(self.reference).parameters)

    def _column(self, arguments):
        """Which vector wants a column's shape beside which table, if there are both."""
        shapes = dict(zip(self._argument_names(), map(np.shape, arguments), strict=False))
        for vector, length in shapes.items():
            for table, shape in shapes.items():
                if len(length) == 1 and len(shape) == 2 and length[0] == shape[0]:
                    return f" {vector}[:, None] is a column, with one entry for each row of {table}."
        return ""

    def _unused(self, answer, trials):
        """Which arguments an answer does not depend on though the reference does, in words."""
        names = self._argument_names()[: len(trials[0])]
        ignored = [name for k, name in enumerate(names) if self._ignores(k, answer, trials)]
        return f" Your function does not use {listed(ignored)}." if ignored else ""

    def _ignores(self, k, answer, trials):
        """Whether argument k, taken from another trial, changes what the reference says and never the answer."""
        matters = False
        for one, other in zip(trials, trials[1:], strict=False):
            if np.shape(one[k]) != np.shape(other[k]):
                continue
            pair = [one, (*one[:k], other[k], *one[k + 1 :])]
            mine, problem = self._outcomes(answer, pair)
            wanted, unfit = self._outcomes(self.reference, pair)
            if unfit:
                continue
            if problem or not same(*mine, self.tolerance):
                return False
            matters |= not same(*wanted, self.tolerance)
        return matters

    def _outcomes(self, answer, trials, overwritten=None):
        """The answer on every trial, and what went wrong in words; keys of `overwritten` are arguments it changes."""
        if not callable(answer):
            return [answer], ""
        outcomes = []
        for arguments in trials:
            # Copies: an answer that changes its arguments must not spoil the comparison.
            given, arguments = arguments, tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments)
            try:
                outcome = answer(*arguments)
            except Exception as error:  # the learner's error is the lesson: say it, with the input
                shown = ", ".join(show(argument) for argument in arguments)
                return [], f"your function raised {type(error).__name__}: {error} for {shown}."
            outcomes.append(outcome)
            for name, now, before in zip(self._argument_names(), arguments, given, strict=False):
                if overwritten is not None and isinstance(now, np.ndarray) and not np.array_equal(now, before):
                    overwritten[name] = True
        return outcomes, ""


class Checks:
    """The exercises of a notebook: ``check.<name>(answer)``, and `report`, how far they are.

    Parameters
    ----------
    exercises : sequence of Exercise
        Of one notebook.
    """

    def __init__(self, exercises):
        self._exercises = {exercise.name: exercise for exercise in exercises}

    def __getattr__(self, name):
        exercises = self.__dict__.get("_exercises", {})
        if name in exercises:
            return exercises[name]
        raise AttributeError(f"no exercise {name!r}; there are {', '.join(exercises)}")

    def __dir__(self):
        return [*super().__dir__(), *self._exercises]

    def __iter__(self):
        return iter(self._exercises.values())

    def close(self):
        """Show no solutions from now on: in copies for a class. Whoever deletes the line has them again."""
        for exercise in self:
            exercise.closed = True

    def report(self):
        """How far this notebook's exercises are: one line each, for its reader."""
        lines = [f"{MARK[each.status]} {each.name}: {each.status}, tries {each.tries}" for each in self]
        right = sum(each.status == "right" for each in self)
        return Reply("told", f"{right} of {len(lines)} right", "\n".join(lines))
