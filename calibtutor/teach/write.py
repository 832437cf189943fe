"""What a line that a reader writes is: the next one or a later one, true but no step, a known slip, or false.

A line is judged by its value in twenty worlds, and by its terms.
"""

import ast
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .expressions import Formula, Letters, Unreadable, formula
from .fingerprint import differs_in_a_factor, fingerprint

WORLDS = 20
RESIDUAL = formula("1; delta = p - e_Y; delta' = p' - e_Y'").define(Letters()).defined  # it may be written out


class Judged(NamedTuple):
    """What is said of a line to its reader, and the line as a formula, if it can be read.

    Its kind is "step" (the line of the notes), "ahead" (a later one), "way" (a line above, multiplied out), "form"
    (equal in every world), "bound" (another bound that holds), "standstill" (true, but no step), "chance" (true only
    because a term is 0), "slip", "false" or "unreadable".
    """

    kind: str
    words: str
    latex: str = ""

    @property
    def good(self):
        """Whether it holds and says something new."""
        return self.kind in ("step", "ahead", "way", "form", "bound")


def judge(derivation, text):
    """Judge what a reader wrote in the place of step `write` of a derivation; a `Judged`."""
    text = text.replace("≤", "<=").replace("≥", ">=").strip()
    sign, text = re.fullmatch(r"([<>]=?|=)?(.*)", text, re.DOTALL).groups()
    if sign in ("<", ">"):
        return Judged("unreadable", f"Write {sign}=: the two sides may be equal.")
    try:
        line = formula(text)
        values = _values(derivation, line)
    except Unreadable as problem:
        return Judged("unreadable", str(problem))
    return Judged(*_said(derivation, line, values, sign), line.latex)


def _said(derivation, line, values, sign=None):
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
        if steps[place].formula and _is_part(derivation, values, steps[place].formula):
            return "false", f"{words} It equals a part of the next line: write the whole line."
        return "false", f"{words} Of what has a value for each outcome take the mean, E( … )."
    known = {k: steps[k].formula for k in true if steps[k].formula}
    defined = letters.defined | (RESIDUAL if "e_Y" in letters.names() else {})
    same = multiplied = lambda each: fingerprint(each, defined)
    tight = lambda each: fingerprint(each, defined, multiplied=False)
    if {before, place} <= known.keys() and multiplied(known[before]) == multiplied(known[place]):
        same = tight  # the next line multiplies out
    mine, unchanged, above = same(line), equal(truth), [known[k] for k in known if k < place]
    if unchanged and any(tight(each) == tight(line) for each in above):
        return "standstill", "True, but no step: it has the terms of a line above."
    signs = lambda k: {each.relation for each in steps[place : k + 1]} - {"="}
    further = [k for k in known if k >= place and (k == place or unchanged or sign in signs(k)) and equal(of(k))]
    placed = lambda fits: next((_placed(derivation, k) for k in further if fits(known[k])), None)
    if found := placed(lambda each: tight(each) == tight(line)):
        return found
    if place in further and same(known[place]) == mine:
        return _placed(derivation, place)
    for k in (k for k in known if unchanged and equal(of(k))):
        # Equal in every world with one factor changed: then what it stands before is 0 in every one.
        if differs_in_a_factor(line, known[k], letters.defined):
            return "chance", "True only because a term is 0: look at the signs and factors of the terms."
    if found := placed(lambda each: _same_terms(derivation, line, each)):  # in other letters, such as E(Y) for r
        return found
    if equal(goal) and any(multiplied(each) == multiplied(line) for each in above):
        notes = re.split(r"(?<=[.:])\s", steps[place].reason)[0].rstrip(".:")
        return "way", f"True, and another way: it is a line above, multiplied out. The notes: “{notes}.”"
    if equal(goal):
        return "form", f"True: it holds in {WORLDS} worlds. The next line of the notes has another form."
    if steps[place].relation != "=" and stands(truth):
        if stands(goal):
            return "standstill", "True, but a looser bound than the one that is asked for."
        return "bound", f"{said} as a bound. The next line of the notes is another one."
    slips = []
    for text, words in derivation.slips:
        with suppress(Unreadable):  # not finite in some world, and so not this line
            slips.append((_values(derivation, formula(text)), words))
    slips += [(of(k), f"This is {each.printed}. {each.reason}") for k, each in enumerate(steps) if each.printed]
    for slip, words in slips:
        if equal(slip):
            return "slip", f"{words} {_both(values, truth, derivation)}"
    return "false", _difference(values, truth, derivation)


def _placed(derivation, k):
    """What is said of the next line or a later one: its number, unless that would answer what is asked of it."""
    if k == derivation.write:
        return "step", f"It holds in {WORLDS} worlds, and is the next line."
    order, asked = derivation.order(), sum(derivation.choices(), ())
    where = "a line further down" if order.index(k) in asked else f"line {order.index(k) + 1} already"
    if all(step.printed for step in derivation.steps[k + 1 :]):
        where = "where the derivation ends"
    return "ahead", f"True: that is {where}. Line {order.index(derivation.write) + 1}, now shown, leads there."


def _same_terms(derivation, *lines):
    """Whether two lines are sums of terms, none of them 0, that are equal one by one in every world."""
    terms = lambda line: [Formula("", (each,), line.where) for each in _terms(line.sides[-1])]
    one, other = ([_values(derivation, each) for each in terms(line)] for line in lines)
    if len(one) < 2 or any(np.allclose(each, 0) for term in one for each in term):
        return False
    for term in one:
        if not (places := [k for k, each in enumerate(other) if all(map(derivation.alike, term, each))]):
            return False
        del other[places[0]]
    return not other


def _is_part(derivation, values, line):
    """Whether values are those of a part of a line that is more than a letter, in every world."""
    for node in (each for each in ast.walk(line.sides[-1]) if isinstance(each, ast.Call | ast.BinOp | ast.Subscript)):
        with suppress(Unreadable):  # an index, or a function without its arguments, has no value alone
            part = _values(derivation, Formula("", (node,), line.where))
            if np.shape(part[0]) == np.shape(values[0]) and all(map(derivation.alike, part, values)):
                return True
    return False


def _terms(node, negative=False):
    """The terms of a sum, each with its sign."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return _terms(node.left, negative) + _terms(node.right, negative ^ isinstance(node.op, ast.Sub))
        case ast.UnaryOp():
            return _terms(node.operand, not negative)
    return [ast.UnaryOp(ast.USub(), node) if negative else node]


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
