"""Every derivation of the course holds in every world that a reader can choose, and can be read."""

import re

import numpy as np
import pytest
from notebook_rules import sessions_first

from calibtutor.lessons import discover
from calibtutor.teach.stepper import derive

DERIVATIONS = discover("derivations")
WORLDS = range(21)  # the slider's

every_derivation = pytest.mark.parametrize("name", sessions_first(DERIVATIONS))


@every_derivation
def test_all_lines_hold_and_all_slips_are_refuted(name):
    derivation = DERIVATIONS[name]
    true = [step for step in derivation.steps if step.printed is None]
    assert len(true) >= 2 and derivation.steps[0].printed is None
    assert any(step.relation == "=" for step in true[1:])
    assert derivation.tolerance <= 1e-8
    every = [derivation.evaluate(seed) for seed in WORLDS]
    for seed, lines in enumerate(every):
        assert [line.holds for line in lines] == [None, *(step in true for step in derivation.steps[1:])], seed
        assert all(np.isfinite(line.value).all() for line in lines)
    # Six digits are shown, which must be enough to see a slip, except perhaps in one world.
    worlds = [[f"{np.ravel(line.value)[0]:.6f}" for line in lines] for lines in every]
    for k, step in enumerate(derivation.steps):
        before = next((j for j in range(k - 1, -1, -1) if derivation.steps[j] in true), 0)
        alike = [] if step in true else [lines for lines in worlds if lines[k] == lines[before]]
        assert len(alike) <= 1, f"line {k + 1} looks right in {len(alike)} of {len(WORLDS)} worlds"
        if step not in true:  # in the world that is shown first it is visibly off
            said, truth = every[0][k].value, every[0][before].value
            assert np.abs(said - truth).max() >= 0.1 * max(np.abs(said).max(), np.abs(truth).max()), step.latex


def test_derivations_ask_their_reader():
    assert len(DERIVATIONS) >= 16
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
    while stepper.shown < len(derivation.steps) or stepper.unanswered:
        stepper.next.click()
        if stepper.waits and stepper.shown > stepper.place:
            stepper.gap.show.click()
        if stepper.unanswered and stepper.next.disabled:  # it waits for the choice
            stepper.buttons[stepper.unanswered[0][0]].click()
    for seed in (WORLDS[0], WORLDS[-1]):
        stepper.world.value = seed
        starts.add((stepper.about.value, stepper.rows[0].value))
        for row, line in zip(stepper.rows, derivation.displayed(seed), strict=True):
            assert f"{np.round(np.ravel(line.value)[0], 6) + 0.0:.6f}" in row.value and "alert" not in row.value
            wanted = "start here" if line.holds is None else "✗" if line.step.printed else "✓"
            assert wanted in row.value and "happen to agree" not in row.value
    assert len(starts) == 2, "the slider seems dead; `describe` can say which world it is"


def test_nearly_all_lines_are_formulas():
    by_hand = {name: [s.latex for s in d.steps if s.value] for name, d in DERIVATIONS.items()}
    lines = sum(len(d.steps) for d in DERIVATIONS.values())
    assert sum(map(len, by_hand.values())) <= 0.07 * lines
    # What no finite expression says: suprema and searches, limits, integrals, and what the package itself returns.
    said = r"\\sup|\\min|\\max|argmin|\\lim|rightarrow|\\int|\\sim N|h_\{|fit\\_|SKCE"
    assert {name: latex for name, those in by_hand.items() for latex in those if not re.search(said, latex)} == {}


def test_a_lambda_by_hand_is_shown_to_its_end():
    by_hand = [step for derivation in DERIVATIONS.values() for step in derivation.steps if step.value]
    for step in (step for step in by_hand if step.code.startswith("lambda")):
        shown = eval(step.code.split("\n\n")[0], step.value.__globals__)  # noqa: S307 - what the page shows
        assert shown.__code__.co_code == step.value.__code__.co_code, step.code
