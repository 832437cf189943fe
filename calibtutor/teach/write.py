"""What a line that a reader writes is: the next one, true but no step, a known slip, or false, with both numbers.

A line is judged by its value in twenty worlds, and by its terms.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .expressions import Unreadable, formula
from .plain import open_draws, terms

__all__ = ["Judged", "judge"]

WORLDS = 20


@dataclass(frozen=True)
class Judged:
    """What is said of a line.

    Attributes
    ----------
    kind : str
        "step" (the line of the notes), "form" (the same, written in another way), "further" (a later line), "bound"
        (another bound that holds), "standstill" (true, but no step), "chance" (true only because a term is 0), "slip",
        "false" or "unreadable".
    words : str
        For the reader.
    latex : str
        The line as a formula; empty if it cannot be read.
    """

    kind: str
    words: str
    latex: str = ""

    @property
    def good(self):
        """Whether it holds and says something new."""
        return self.kind in ("step", "form", "further", "bound")


def judge(derivation, text, *, worlds=WORLDS):
    """Judge a line in the place of step `write` of a derivation.

    Parameters
    ----------
    derivation : Derivation
        With `write` set.
    text : str
        What the reader wrote, in the language of `expressions`.
    worlds : int, default 20
        In how many worlds it is evaluated.

    Returns
    -------
    Judged
    """
    place = derivation.write
    before = max(k for k in range(place) if derivation.steps[k].printed is None)
    try:
        plain = text.replace("≤", "<=").replace("≥", ">=").strip()
        line = formula(plain.removeprefix(derivation.steps[place].relation))
        values = _values(derivation, line, worlds)
    except Unreadable as problem:
        return Judged("unreadable", str(problem))
    (letters, *_), lines = _worlds(derivation, worlds)
    of = lambda k: [each[k].value for each in lines]
    relation, truth, said = derivation.steps[place].relation, of(before), f"It holds in {worlds} worlds"
    holds = all(derivation.related(relation, a, b) for a, b in zip(truth, values, strict=True))
    equal = lambda these: all(map(derivation.alike, these, values))
    if np.ndim(values[0]) and np.shape(values[0]) != np.shape(truth[0]):
        if open_draws(line, letters):
            other = " Or say at which value, as in given=Y == 1." * ("given=" in text)
            return Judged("false", f"It has a value for each outcome: take its mean, E( … ).{other}", line.latex)
        kinds = f"The line before is {_kind(truth[0])}, and this is {_kind(values[0])}."
        return Judged("false", kinds, line.latex)
    polynomial = lambda each, multiplied=True: terms(each, letters.defined, multiplied=multiplied)
    true = [k for k, s in enumerate(derivation.steps) if s.printed is None]
    known = {k: derivation.steps[k].formula for k in true if derivation.steps[k].formula}
    mine, mine_written = polynomial(line), polynomial(line, False)
    stands = all(map(derivation.alike, truth, values))
    above = [known[k] for k in known if k < place and stands and polynomial(known[k]) == mine]
    if above and not (place in known and _multiplies_out(line, known[place], above[-1], polynomial)):
        return Judged("standstill", "True, but no step: it has the terms of a line above.", line.latex)
    later = [k for k in known if k >= place and holds and equal(of(k)) and polynomial(known[k]) == mine]
    if later:
        if min(later, key=lambda k: (polynomial(known[k], False) != mine_written, k)) == place:
            return Judged("step", f"{said}, and is the next line.", line.latex)
        further = f"{said}, and goes further: it is a later line. The next one comes first."
        return Judged("further", further, line.latex)
    for k in (k for k in known if stands and equal(of(k))):
        theirs = polynomial(known[k], False)
        # Equal in every world with one factor changed: then what it stands before is 0 in every one.
        if theirs.keys() == mine_written.keys() and sum(theirs[each] != mine_written[each] for each in theirs) == 1:
            words = "True only because a term is 0: look at the signs and factors of the terms."
            return Judged("chance", words, line.latex)
    if equal(of(place)):
        return Judged("form", f"{said}, in another form than the next line of the notes.", line.latex)
    if relation != "=" and holds:
        if all(derivation.related(relation, a, b) for a, b in zip(of(place), values, strict=True)):
            return Judged("standstill", "True, but a looser bound than the one that is asked for.", line.latex)
        return Judged("bound", f"{said} as a bound. The next line of the notes is another one.", line.latex)
    slips = []
    for text, name in derivation.slips:
        with suppress(Unreadable):  # not finite in some world, and so not this line
            slips.append((_values(derivation, formula(text), worlds), name))
    # A false line above is still to be found.
    slips += [(of(k), step.printed) for k, step in enumerate(derivation.steps) if step.printed and k > place]
    for slip, name in slips:
        if equal(slip):
            return Judged("slip", f"{_sentence(name)}. {_both(values, truth, derivation)}", line.latex)
    return Judged("false", _difference(values, truth, derivation), line.latex)


def _multiplies_out(line, target, before, polynomial):
    """Whether the next line has the same terms as the one before and is multiplied out, and this one is so, too."""
    new = target.names(where=False) - before.names(where=False)
    enough = new <= line.names(where=False) and len(polynomial(line, False)) >= len(polynomial(target, False))
    return enough and polynomial(line) == polynomial(target)


def _sentence(name):
    """With a capital, unless it begins with a letter of the formula."""
    first = name.split()[0]
    return name[0].upper() + name[1:] if first == "a" or first.isalpha() and len(first) > 1 else name


@lru_cache(maxsize=2)  # one derivation is on view
def _worlds(derivation, worlds):
    """The letters where the line is written, and all lines, in each world."""
    seeds = range(worlds)
    return [derivation.letters_at(derivation.write, s) for s in seeds], [derivation.evaluate(s) for s in seeds]


def _values(derivation, line, worlds):
    """What a formula is in each world, where the line is written."""
    return [line.value(letters) for letters in _worlds(derivation, worlds)[0]]


def _difference(values, truth, derivation):
    """What is known of a false line: that it is off by a factor, by a number, or just off."""
    flat = np.array(
        [[np.ravel(np.broadcast_to(a, np.shape(b)))[0], np.ravel(b)[0]] for a, b in zip(values, truth, strict=True)]
    )
    both = _both(values, truth, derivation)
    with np.errstate(all="ignore"):
        ratio, gap = flat[:, 0] / flat[:, 1], flat[:, 0] - flat[:, 1]
    if np.isfinite(ratio).all() and np.ptp(ratio) < 1e-9 * abs(ratio[0]):
        return f"It is {ratio[0]:.6g} times the line before in every world: look for a factor or a sign. {both}"
    if np.ptp(gap) < 1e-9 and np.ptp(flat[:, 1]) > 1e-6:
        off = f"{'+' if gap[0] > 0 else '−'} {abs(gap[0]):.6g}"
        return f"It is the line before {off} in every world: a number is missing. {both}"
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
