"""A formula of a derivation says what the function beside it computes: those that can be read are evaluated.

Not read are suprema, searches, limits, integrals, words, and what needs draws or functions of its own, such as ranks.
Of a line with several sides the last is read, and the others where they can be: in front may stand a name.
"""

import random
import re
from functools import cache

import numpy as np
import pytest
from formula_letters import LETTERS, complete
from formula_reader import Unread, read

from calibtutor.lessons import discover

DERIVATIONS = discover("derivations")
READ = 297  # of 398 formulas; one that is not read any more may be wrong
ERRORS = (Unread, KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, np.linalg.LinAlgError)
SLIPS = [  # a sign, a factor, a power, a prime, an index, a bar, an inverse
    (r"(?<=[\w})|\]'>]) ?\+", "-"), (r"(?<=[\w})|\]'>]) ?-(?!1\})", "+"), (r"(?<![\w^_{])2(?!\w|i)", "3"), ("'", ""),
    (r"\^2", "^3"), (r"_i(?!\w)", "_j"), (r"\\frac\{1\}", r"\\frac{2}"), (r"i \\neq j", "i, j"), (r"n\(n-1\)", "n^2"),
    (r"\\bar\{(\w)\}", r"\1"), (r"\^\{-1\}", ""), (r"\\sqrt\{", "{"),
]  # fmt: skip


@cache
def lines(name, seed=0):
    """(LaTeX, environment before it, value of its function) of each line in a world."""
    derivation, found = DERIVATIONS[name], []
    world = derivation.world(np.random.default_rng(seed))
    env = complete(LETTERS[name](world))
    for step in derivation.steps:
        found.append((step.latex, env, np.asarray(step.value(world), dtype=float)))
        env = read(step.latex, env)[1]
    return found


def agrees(latex, env, wanted):
    """Whether all sides that are read have this value; None if the last is not read."""
    held = []
    try:
        sides, env = read(latex, env)
    except ERRORS:
        return None
    for side in sides:
        try:
            with np.errstate(all="ignore"):
                value = np.array(
                    [side.value(env | at | {"fixed": frozenset(at)}) for at in env.get("at", [{}])]
                ).ravel()
            held.append(np.allclose(value if value.size > 1 else value.item(), wanted.ravel(), 1e-7, 1e-9))
        except ERRORS:
            held.append(None)
    return None if not held or held[-1] is None else False not in held


@pytest.mark.parametrize("name", LETTERS)
def test_a_formula_that_is_read_says_what_its_function_computes(name):
    assert [line[0] for seed in (0, 1) for line in lines(name, seed) if agrees(*line) is False] == []


def test_three_formulas_of_four_are_read():
    assert sum(agrees(*line) is not None for name in LETTERS for line in lines(name)) == READ
    assert READ > 0.74 * sum(len(derivation.steps) for derivation in DERIVATIONS.values())


def slips(latex):
    """The formula with one slip, in every way."""
    for pattern, instead in SLIPS:
        for found in re.finditer(pattern, latex):
            yield latex[: found.start()] + found.expand(instead) + latex[found.end() :]


@pytest.mark.slow  # what the reader above is worth
def test_a_slip_in_a_formula_that_is_read_is_found():
    """All but those that change nothing in a world, such as a sign of what is 0 there."""
    seen, missed = 0, []
    for name in LETTERS:
        for latex, env, wanted in lines(name):
            if agrees(latex, env, wanted):
                some = random.Random(latex).sample(every := list(slips(latex)), min(2, len(every)))
                seen, missed = seen + len(some), missed + [slip for slip in some if agrees(slip, env, wanted)]
    assert seen > 400 and len(missed) < 0.1 * seen, "\n".join(missed)
