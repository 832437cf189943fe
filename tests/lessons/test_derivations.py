"""Every derivation of the course holds in every world that a reader can choose, and can be read.

How a wrong line is found, and what the stepper shows, is tested with a small derivation in tests/teach/test_derive.py.
"""

import dataclasses

import numpy as np
import pytest

from calibtutor.lessons import discover
from calibtutor.teach.stepper import derive

DERIVATIONS = discover("derivations")
WORLDS = range(21)  # the slider's
OFF = 1e-6

every_derivation = pytest.mark.parametrize("name", DERIVATIONS)


def test_there_are_derivations():
    assert len(DERIVATIONS) >= 16
    assert len({d.title for d in DERIVATIONS.values()}) == len(DERIVATIONS)


def true_before(derivation, number):
    """The last true line before this one."""
    return next(k for k in range(number - 1, -1, -1) if derivation.steps[k].printed is None)


@every_derivation
def test_all_lines_hold_and_all_slips_are_refuted(name):
    derivation = DERIVATIONS[name]
    true = [step for step in derivation.steps if step.printed is None]
    assert len(true) >= 2 and derivation.steps[0].printed is None
    assert any(step.relation == "=" for step in true[1:])
    assert derivation.tolerance <= 1e-8
    assert [failure for seed in WORLDS for failure in derivation.failures(seed)] == []
    # Six digits are shown, which must be enough to see a slip, except perhaps in one world.
    worlds = [[f"{np.ravel(line.value)[0]:.6f}" for line in derivation.evaluate(seed)] for seed in WORLDS]
    for k, step in enumerate(derivation.steps):
        alike = [] if step in true else [lines for lines in worlds if lines[k] == lines[true_before(derivation, k)]]
        assert len(alike) <= 1, f"line {k + 1} looks right in {len(alike)} of {len(WORLDS)} worlds"


def test_derivations_ask_their_reader():
    assert not {name for name, derivation in DERIVATIONS.items() if not derivation.choices()}
    falls = [d.displayed()[choice[0]].step.printed is not None for d in DERIVATIONS.values() for choice in d.choices()]
    assert 0.4 < np.mean(falls) < 0.6, "the first of two lines would be a good guess"


@every_derivation
def test_a_reader_can_follow(name):
    derivation = DERIVATIONS[name]
    assert derivation.claim.endswith(".")
    for step in derivation.steps:
        assert step.reason.strip() and step.latex.count("{") == step.latex.count("}") and "$" not in step.latex
    stepper, starts = derive(derivation), set()
    for _ in derivation.steps:
        stepper.next.click()
    for choice in derivation.choices():
        stepper.buttons[choice[0]].click()
    for seed in (WORLDS[0], WORLDS[-1]):
        stepper.world.value = seed
        starts.add((stepper.about.value, stepper.rows[0].value))
        for row, line in zip(stepper.rows, derivation.displayed(seed), strict=True):
            assert f"{np.round(np.ravel(line.value)[0], 6) + 0.0:.6f}" in row.value and "alert" not in row.value
            wanted = "start here" if line.holds is None else "✗" if line.step.printed else "✓"
            assert wanted in row.value and "happen to agree" not in row.value
    assert len(starts) == 2, "the slider seems dead; `describe` can say which world it is"


def with_value(derivation, number, value):
    steps = list(derivation.steps)
    steps[number] = dataclasses.replace(steps[number], value=value)
    return dataclasses.replace(derivation, steps=tuple(steps))


def spoiled(derivation, number, sign):
    """The derivation with one line off by a millionth, on the side that its relation forbids."""
    step = derivation.steps[number]
    if step.printed is not None:  # what must not happen to a slip is that it agrees
        return with_value(derivation, number, derivation.steps[true_before(derivation, number)].value)
    if step.relation == "=":
        off = lambda w: np.asarray(step.value(w)) + sign * OFF * max(1.0, np.max(np.abs(step.value(w))))
        return with_value(derivation, number, off)
    before = derivation.steps[true_before(derivation, number)].value
    side = 1 if step.relation == ">=" else -1
    return with_value(derivation, number, lambda w: before(w) + side * OFF * max(1.0, np.max(np.abs(before(w)))))


# With slips, with bounds, of numbers, of arrays, and the least exact one.
@pytest.mark.parametrize("name", [
    "notions.murphy", "calibration_tests.bound_unbiased", "conditional_error.trace_formula",
    "local_calibration.labels_exchangeable", "one_operator.kkr_spectral",
])  # fmt: skip
def test_a_line_that_is_off_by_a_millionth_is_found(name):
    derivation = DERIVATIONS[name]
    for number in range(len(derivation.steps)):
        # The first line has nothing to agree with: there the next true one complains.
        complains = number or next(k for k, step in enumerate(derivation.steps) if k and step.printed is None)
        for sign in (1, -1):
            failures = spoiled(derivation, number, sign).failures(0)
            assert any(f"line {complains + 1}:" in failure for failure in failures), (number, failures)
