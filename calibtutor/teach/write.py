"""What a line that a reader writes is: the next one, true but no step, a known slip, or false, with both numbers.

A line is judged by its value in twenty worlds, and by its terms.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .expressions import Unreadable, formula
from .fingerprint import differs_in_a_factor, fingerprint

WORLDS = 20


@dataclass(frozen=True)
class Judged:
    """What is said of a line to its reader, and the line as a formula, if it can be read.

    Its kind is "step" (the line of the notes), "form" (equal to it in every world), "bound" (another bound that holds),
    "standstill" (true, but no step), "chance" (true only because a term is 0), "slip", "false" or "unreadable".
    """

    kind: str
    words: str
    latex: str = ""

    @property
    def good(self):
        """Whether it holds and says something new."""
        return self.kind in ("step", "form", "bound")


def judge(derivation, text):
    """Judge what a reader wrote in the place of step `write` of a derivation; a `Judged`."""
    place, steps = derivation.write, derivation.steps
    relation = steps[place].relation
    try:
        line = formula(text.replace("≤", "<=").replace("≥", ">=").strip().removeprefix(relation))
        values = _values(derivation, line)
    except Unreadable as problem:
        return Judged("unreadable", str(problem))
    return Judged(*_said(derivation, line, values), line.latex)


def _said(derivation, line, values):
    """The kind of a line, and what is said of it."""
    place, steps = derivation.write, derivation.steps
    (letters, *_), lines = _worlds(derivation)
    true = [k for k, step in enumerate(steps) if step.printed is None]
    before, of = max(k for k in true if k < place), lambda k: [each[k].value for each in lines]
    truth, goal, said = of(before), of(place), f"It holds in {WORLDS} worlds"
    equal = lambda these: all(map(derivation.alike, these, values))
    stands = lambda these: all(map(derivation.related, [steps[place].relation] * WORLDS, these, values))
    if np.ndim(values[0]) and np.shape(values[0]) != np.shape(truth[0]):
        words = f"The line before is {_kind(truth[0])}, and this is {_kind(values[0])}."
        return "false", f"{words} Of what has a value for each outcome take the mean, E( … )."
    known = {k: steps[k].formula for k in true if steps[k].formula}
    same = multiplied = lambda each: fingerprint(each, letters.defined)
    if {before, place} <= known.keys() and multiplied(known[before]) == multiplied(known[place]):
        same = lambda each: fingerprint(each, letters.defined, multiplied=False)  # the next line multiplies out
    mine, unchanged = same(line), equal(truth)
    if unchanged and any(same(known[k]) == mine for k in known if k < place):
        return "standstill", "True, but no step: it has the terms of a line above."
    if equal(goal) and place in known and same(known[place]) == mine:
        return "step", f"{said}, and is the next line."
    for k in (k for k in known if unchanged and equal(of(k))):
        # Equal in every world with one factor changed: then what it stands before is 0 in every one.
        if differs_in_a_factor(line, known[k], letters.defined):
            return "chance", "True only because a term is 0: look at the signs and factors of the terms."
    if equal(goal):
        return "form", f"{said}, in another form than the next line of the notes."
    if steps[place].relation != "=" and stands(truth):
        if stands(goal):
            return "standstill", "True, but a looser bound than the one that is asked for."
        return "bound", f"{said} as a bound. The next line of the notes is another one."
    slips = []
    for text, name in derivation.slips:
        with suppress(Unreadable):  # not finite in some world, and so not this line
            slips.append((_values(derivation, formula(text)), name))
    # A false line above is still to be found.
    slips += [(of(k), step.printed) for k, step in enumerate(steps) if step.printed and k > place]
    for slip, name in slips:
        if equal(slip):
            return "slip", f"This is {name}. {_both(values, truth, derivation)}"
    return "false", _difference(values, truth, derivation)


@lru_cache(maxsize=2)  # one derivation is on view
def _worlds(derivation):
    """The letters where the line is written, and all lines, in each world."""
    seeds = range(WORLDS)
    return [derivation.letters_at(derivation.write, s) for s in seeds], [derivation.evaluate(s) for s in seeds]


def _values(derivation, line):
    """What a formula is in each world, where the line is written."""
    return [line.value(letters) for letters in _worlds(derivation)[0]]


def _difference(values, truth, derivation):
    """What is known of a false line: that it is off by a factor, or just off."""
    both = _both(values, truth, derivation)
    with np.errstate(all="ignore"):
        ratio = np.array([np.ravel(a)[0] / np.ravel(b)[0] for a, b in zip(values, truth, strict=True)])
    if np.isfinite(ratio).all() and np.ptp(ratio) < 1e-9 * abs(ratio[0]):
        return f"It is {ratio[0]:.6g} times the line before in every world: look for a factor or a sign. {both}"
    return both


def _both(values, truth, derivation):
    """Both numbers in the world in which they are furthest apart."""
    apart = [np.max(np.abs(a - b)) / max(1e-12, np.max(np.abs(b))) for a, b in zip(values, truth, strict=True)]
    world = int(np.argmax(apart))
    where = np.argmax(np.abs(np.ravel(values[world] - truth[world])))
    mine, theirs = (np.ravel(np.broadcast_to(x[world], np.shape(truth[world])))[where] for x in (values, truth))
    return f"In world {world} your line is {mine:.6f}, the line before {theirs:.6f}."


def _kind(value):
    size = " × ".join(map(str, np.shape(value)))
    return ("a number", f"a row of {size} numbers", f"a table of {size} numbers")[min(np.ndim(value), 2)]
