"""Every derivation of the course holds in random worlds, and a wrong line in any of them would be found."""

import base64
import dataclasses
import io

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser
from PIL import Image

from calibtutor.lessons import discover
from calibtutor.teach.derive import derive

DERIVATIONS = discover("derivations")
WORLDS = range(60)
SLIDER = range(21)  # the worlds that a reader can choose
OFF = 1e-6

every_derivation = pytest.mark.parametrize("name", DERIVATIONS)
every_line = pytest.mark.parametrize(
    ("name", "number"), [(name, k) for name, d in DERIVATIONS.items() for k in range(len(d.steps))]
)


def test_there_are_derivations():
    assert len(DERIVATIONS) >= 16
    assert len({d.title for d in DERIVATIONS.values()}) == len(DERIVATIONS)


@every_derivation
def test_all_lines_hold_and_all_slips_are_refuted(name):
    failures = [failure for seed in WORLDS for failure in DERIVATIONS[name].failures(seed)]
    assert failures == []


@every_derivation
def test_a_derivation_is_complete(name):
    derivation = DERIVATIONS[name]
    true = [step for step in derivation.steps if step.printed is None]
    assert len(true) >= 2 and derivation.steps[0].printed is None
    assert derivation.tolerance <= 1e-8
    assert derivation.claim.endswith(".")
    assert all(step.reason.strip() for step in derivation.steps)
    assert any(step.relation == "=" for step in true[1:])


def with_value(derivation, number, value):
    steps = list(derivation.steps)
    steps[number] = dataclasses.replace(steps[number], value=value)
    return dataclasses.replace(derivation, steps=tuple(steps))


def true_before(derivation, number):
    """The last true line before this one."""
    return next(k for k in range(number - 1, -1, -1) if derivation.steps[k].printed is None)


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


@every_line
@pytest.mark.parametrize("sign", [1, -1])
def test_a_line_that_is_off_by_a_millionth_is_found(name, number, sign):
    derivation = DERIVATIONS[name]
    assert derivation.failures(0) == []
    failures = spoiled(derivation, number, sign).failures(0)
    # The first line has nothing to agree with: there the next true one complains.
    complains = number or next(k for k, step in enumerate(derivation.steps) if k and step.printed is None)
    assert any(f"line {complains + 1}:" in failure for failure in failures), failures


@every_derivation
def test_readers_see_that_a_slip_is_wrong_and_that_a_line_is_right(name):
    # Six digits are shown. Worlds in which a slip is right by accident may be few.
    derivation = DERIVATIONS[name]
    slips = [k for k, step in enumerate(derivation.steps) if step.printed is not None]
    for k in slips:
        unlike = 0
        for seed in SLIDER:
            lines = derivation.evaluate(seed)
            slip, truth = (np.ravel(lines[j].value) for j in (k, true_before(derivation, k)))
            unlike += f"{slip[0]:.6f}" != f"{truth[0]:.6f}"
        assert unlike >= 20, f"line {k + 1} looks right in {21 - unlike} of 21 worlds"


@every_line
def test_latex_is_read_by_mathtext(name, number):
    latex = DERIVATIONS[name].steps[number].latex
    for text in (latex, latex.replace(r"\mathbb{E}", r"\mathrm{E}")):
        width, height, depth, *_ = MathTextParser("path").parse(f"${text}$")
        assert width > 0 and height > 0
    assert latex.count("{") == latex.count("}") and "$" not in latex


@every_derivation
def test_the_stepper_steps_through(name):
    derivation = DERIVATIONS[name]
    stepper = derive(derivation)
    for _ in derivation.steps:
        stepper.next.click()
    for seed in (0, 20):
        stepper.world.value = seed
        for row, line in zip(stepper.rows, derivation.evaluate(seed), strict=True):
            assert f"{np.round(np.ravel(line.value)[0], 6) + 0.0:.6f}" in row.value and "alert" not in row.value
            wanted = "start here" if line.holds is None else "✗" if line.step.printed else "✓"
            assert wanted in row.value and "happen to agree" not in row.value


@every_derivation
def test_another_world_is_seen_at_the_first_line(name):
    stepper, seen = derive(DERIVATIONS[name]), []
    for seed in (0, 20):
        stepper.world.value = seed
        seen.append((stepper.about.value, stepper.rows[0].value))
    assert seen[0] != seen[1], "the slider seems dead; `describe` can say which world it is"


@every_derivation
def test_the_still_picture_fits_its_page(name):
    data, metadata = derive(DERIVATIONS[name])._repr_mimebundle_()
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("L"), int)
    assert image.std() > 5
    edge = np.concatenate([image[:, :2].ravel(), image[:, -2:].ravel(), image[:2].ravel(), image[-2:].ravel()])
    assert edge.min() > 250, "something is cut off at the edge of the picture"
    again = derive(DERIVATIONS[name])._repr_mimebundle_()[0]
    assert data["text/plain"] == again["text/plain"] == metadata["image/png"]["alt"]
