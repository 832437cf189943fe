"""What a line that a reader writes is: the next one, true but no step, a known slip, or false, with both numbers.

A line is judged by its value in twenty worlds, and by its terms.
"""

from dataclasses import dataclass

import numpy as np

from .expressions import Unreadable, formula
from .plain import same_terms

__all__ = ["Judged", "judge"]

WORLDS = 20


@dataclass(frozen=True)
class Judged:
    """What is said of a line.

    Attributes
    ----------
    kind : str
        "step" (the line of the notes), "form" (the same, written in another way), "further" (a later line), "bound"
        (another bound that holds), "standstill" (true, but no step), "slip", "false" or "unreadable".
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
        """Whether the reader goes on."""
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
        line = formula(text)
        values = [line.value(derivation.letters_at(place, seed)) for seed in range(worlds)]
    except Unreadable as problem:
        return Judged("unreadable", str(problem))
    lines = [derivation.evaluate(seed) for seed in range(worlds)]
    of = lambda k: [each[k].value for each in lines]
    relation, truth, said = derivation.steps[place].relation, of(before), f"It holds in {worlds} worlds"
    equal = lambda these: all(map(derivation.alike, these, values))
    if not all(
        np.shape(value) == np.shape(old) or np.ndim(value) == 0 for value, old in zip(values, truth, strict=True)
    ):
        return Judged("false", f"The line before is {_kind(truth[0])}, and this is {_kind(values[0])}.", line.latex)
    for k in range(place):
        if (
            derivation.steps[k].formula
            and derivation.steps[k].printed is None
            and same_terms(line, derivation.steps[k].formula)
        ):
            return Judged("standstill", f"True, but no step: it has the terms of line {k + 1}.", line.latex)
    for k in range(place, len(derivation.steps)):
        step = derivation.steps[k]
        if step.printed is None and step.formula and equal(of(k)) and same_terms(line, step.formula):
            further = f"{said}, and goes further: it is a later line. The next one comes first."
            return Judged(
                *(("step", f"{said}, and is the next line.") if k == place else ("further", further)), line.latex
            )
    if equal(of(place)):
        return Judged("form", f"{said}. The next line says the same in another form.", line.latex)
    slips = [
        (step.formula and step.formula.text, step.printed, k) for k, step in enumerate(derivation.steps) if step.printed
    ]
    for slip, name, k in [*slips, *((text, name, None) for text, name in derivation.slips)]:
        if equal(
            of(k) if k is not None else [formula(slip).value(derivation.letters_at(place, s)) for s in range(worlds)]
        ):
            return Judged("slip", f"{name[0].upper()}{name[1:]}. {_both(values, truth, derivation)}", line.latex)
    if relation != "=" and all(derivation.related(relation, a, b) for a, b in zip(truth, values, strict=True)):
        return Judged("bound", f"{said} as a bound. The next line is another one.", line.latex)
    return Judged("false", _difference(values, truth, derivation), line.latex)


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
    return ("a number", "a row of numbers", "a table of numbers")[min(np.ndim(value), 2)]
