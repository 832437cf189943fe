"""Exercises that reply.

check = Checks([Exercise("gap", ...), ...])
check.gap(my_answer)      # ✓, or a hint aimed at the likely mistake
check.gap.hint()          # a nudge
check.gap.solution()      # the answer, only when asked for
check.gap.use(my_answer)  # the function to go on with: mine, or the reference while mine is blank
check.gap.mine()          # my function, in a later notebook: to go on with by check.gap.use(check.gap.mine())
"""

import html
import inspect
import textwrap
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from ..plots import INK, KEPT, MISS, SOFT
from .answers import apart, comes_from, decimals, in_a_line, in_full, in_words, number, other_shape, same, show
from .kept import bring_back, file_of, keep

TRIALS = 20  # random inputs an answer is compared on
COLOUR = {"right": KEPT, "wrong": MISS, "blank": SOFT, "told": INK}
MARK = {"right": "✓", "wrong": "✗", "blank": "○", "told": "→"}


class Mistake(NamedTuple):
    """A likely wrong answer, as a reader would hand it in, and a hint aimed at the slip behind it."""

    answer: object
    hint: str


class Reply:
    """What a check says; `status` is "right", "wrong", "blank" or "told"."""

    def __init__(self, status, text, code="", exercise=None):
        self.status, self.text, self.code, self.exercise = status, text, code, exercise

    def __repr__(self):
        return f"{MARK[self.status]} {self.text}" + (f"\n\n{self.code}" if self.code else "")

    def _repr_html_(self):
        code = f"<pre>{html.escape(self.code)}</pre>" if self.code else ""
        return (f'<div role="status" style="border-left:4px solid {COLOUR[self.status]};padding:4px 10px">'
                f'<b style="color:{COLOUR[self.status]}">{MARK[self.status]}</b> {html.escape(self.text)}{code}</div>')


class Used:
    """A function to work with: the reader's, or the reference while theirs is blank; `by` says which."""

    def __init__(self, name, function, status):
        self.function, mine = function, f"your {name}" + (", not right yet" if status == "wrong" else "")
        self.by = f"the reference ({name} is still blank)" if status == "blank" else mine

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __repr__(self):
        return self.by


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
    *mistakes : Mistake
        Likely wrong answers, each with its own hint.
    hint : str
        What all others are told: a nudge that does not give the answer away.
    inputs : callable(rng) -> tuple, optional
        Random arguments, for a function.
    accept : sequence
        Other spellings of the answer.
    tolerance : float, default 1e-5
        Largest difference that passes, as a share of the answer's largest entry: single precision passes.
    """

    def __init__(self, name, reference, explanation, *mistakes, hint, inputs=None, accept=(), tolerance=1e-5):
        if callable(reference) != (inputs is not None):
            raise ValueError(f"inputs: expected for a function and only then ({name})")
        self.name, self.reference, self.explanation = name, reference, explanation
        self.nudge, self.inputs, self.mistakes, self.accept, self.tolerance = hint, inputs, mistakes, accept, tolerance
        self.tries, self.status, self.closed = 0, "blank", False

    def __call__(self, answer=None):
        """Check an answer, None or ``...`` if there is none yet; never raises: a notebook runs from top to bottom."""
        if answer is None or answer is ...:
            return Reply("blank", f"{self.name}: not yet. Put your answer in and run the cell again.", exercise=self)
        reply = self.judge(answer)
        if reply.status != "blank":
            self.tries += 1
            self.status = "right" if self.status == "right" else reply.status  # a later slip does not undo it
        if reply.status == "right" and callable(answer):
            reply.text += keep(self, answer)
        return reply

    def use(self, answer=None):
        """The reader's function, whatever it computes, or the reference while it is blank, as a `Used`.

        ValueError if this exercise asks for no function, or `answer` is none.
        """
        if not callable(self.reference):
            raise ValueError(f"{self.name}: this exercise asks for a value, there is no function to use")
        if isinstance(answer, Used):
            return answer
        if answer is None or answer is ...:
            used = Used(self.name, self.reference, "blank")
            used.by += f"; yours is kept: check.{self.name}.mine()" * file_of(self).exists()
            return used
        if not callable(answer):
            raise ValueError(f"answer: expected your function {self.name}, got {show(answer)}; pass it without ()")
        status = self.judge(answer).status
        return Used(self.name, self.reference if status == "blank" else answer, status)

    def mine(self):
        """The reader's function, accepted in an earlier session and kept as text; ``...`` if there is none.

        One that is kept and not accepted any more, since it was edited, is said and not used.
        """
        found = bring_back(self)
        if found and self.judge(found).status == "right":
            return found
        if file_of(self).exists():
            print(f"{file_of(self).as_posix()} is not accepted any more: mend it, or remove it.")
        return ...

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

    def judge(self, answer):
        """What a check says of an answer, without counting a try."""
        if isinstance(answer, str) and not callable(self.reference) and np.ndim(self.reference) == 0:
            wrong, right = {each.answer: each.hint for each in self.mistakes}, [self.reference, *self.accept]
            answer = in_full(answer, wrong, right) if isinstance(self.reference, str) else number(answer)
        unfit = self._unfit(answer)
        status, said = ("wrong", unfit) if unfit else self._compared(answer)
        return Reply(status, f"{self.name}: {said}", exercise=self)

    def _unfit(self, answer):
        """Why an answer cannot be compared at all."""
        if callable(self.reference) and not callable(answer):
            return f"expected a function, got {show(answer)}."
        if callable(answer) and not callable(self.reference):
            return "expected a value, got a function. Did you forget to call it?"
        if hasattr(answer, "pvalue"):
            return "that is the whole result of a test. Take one number of it, such as its .pvalue."
        if isinstance(answer, str) != isinstance(self.reference, str):
            numbers = "a number" if np.ndim(self.reference) == 0 else "numbers"
            return f"expected {'a word' if isinstance(self.reference, str) else numbers}, got {show(answer)}."
        return ""

    def _compared(self, answer):
        """Status and words for an answer, beside the reference and the likely mistakes on the same inputs."""
        rng = np.random.default_rng(0)
        trials = [self.inputs(rng) for _ in range(TRIALS)] if callable(self.reference) else [None]
        found, problem, overwrites = self._outcomes(answer, trials)
        if problem:
            alike = (each.hint for each in self.mistakes if self._outcomes(each.answer, trials)[1] == problem)
            return "wrong", next(alike, f"{in_words(problem)}{self.nudge} ({problem}.)")
        if any(outcome is None or outcome is ... for outcome in found):
            return "blank", "not yet. Your function returns nothing: write its body, ending in return."
        wanted, spoilt = self._outcomes(self.reference, trials)[0], " But it overwrites its arguments: work on a copy."
        spoilt = spoilt * overwrites
        agree = self._alike(found, wanted)
        if all(agree) or any(same(answer, other, self.tolerance) for other in self.accept):
            return "right", f"right. {self.explanation}{spoilt}"
        places = decimals(found, wanted)
        for mistake in self.mistakes:
            made, fails, _ = self._outcomes(mistake.answer, trials)
            if not fails and (all(self._alike(found, made)) or not places and decimals(found, made)):
                return "wrong", mistake.hint
        if places:
            return "right", f"right, to {places} decimals; in code keep all of them. {self.explanation}{spoilt}"
        if not all(self._alike(found, self._outcomes(answer, trials)[0])) and all(self._alike(found, found)):
            return "wrong", "the same arguments give other numbers each time. Draw none of your own."
        first = agree.index(False)
        if shapes := other_shape(found[first], wanted[first], self.tolerance):
            return "wrong", shapes
        sizes = [np.size(given[0]) for given in trials] if callable(self.reference) else []
        if rule := comes_from(found, wanted, sizes, self.tolerance):
            return "wrong", f"{rule} {self.nudge}{spoilt}"
        if not callable(self.reference):
            return "wrong", f"{show(answer)} is not it. {self.nudge}"
        return "wrong", f"{self.nudge}{spoilt} (For {in_a_line(trials[first])} {apart(found[first], wanted[first])}.)"

    def _alike(self, found, wanted):
        return [same(f, w, self.tolerance) for f, w in zip(found, wanted, strict=True)]

    def _outcomes(self, answer, trials):
        """The answer on every trial, what went wrong in words, and whether it overwrites its arguments."""
        if not callable(answer):
            return [answer], "", False
        outcomes, overwrites = [], False
        for given in trials:
            # Copies: an answer that changes its arguments must not spoil the comparison.
            arguments = [np.copy(each) if isinstance(each, np.ndarray) else each for each in given]
            try:
                outcomes.append(answer(*arguments))
            except Exception as error:  # the learner's error is the lesson: say it, with the input
                words = textwrap.shorten(str(error), 120, placeholder=" …")
                return [], f"Your function raised {type(error).__name__}: {words} for {in_a_line(given)}", False
            pairs = zip(arguments, given, strict=True)
            overwrites |= any(isinstance(a, np.ndarray) and not np.array_equal(a, b) for a, b in pairs)
        return outcomes, "", overwrites


class Checks(SimpleNamespace):
    """The exercises of a notebook: ``check.<name>(answer)``, and `report`, how far they are.

    Parameters
    ----------
    exercises : sequence of Exercise
        Of one notebook.
    """

    def __init__(self, exercises):
        super().__init__(**{exercise.name: exercise for exercise in exercises})

    def __iter__(self):
        return iter(vars(self).values())

    def close(self):
        """Show no solutions from now on: in copies for a class. Whoever deletes the line has them again."""
        for exercise in self:
            exercise.closed = True

    def report(self):
        """How far this notebook's exercises are: one line each, for its reader."""
        lines = [f"{MARK[each.status]} {each.name}: {each.status}, tries {each.tries}" for each in self]
        return Reply("told", f"{sum(each.status == 'right' for each in self)} of {len(lines)} right", "\n".join(lines))
