"""A derivation finds its own wrong lines, and the stepper never shows numbers of another world."""

import numpy as np
import pytest
from bs4 import BeautifulSoup

from calibtutor.plots import KEPT, MISS
from calibtutor.teach.derive import Derivation, Step, sign, six_digits, with_subscripts
from calibtutor.teach.expressions import Letters
from calibtutor.teach.stepper import derive


def squares(**changes):
    """(a + b)² three ways, a false line, and a bound; `changes` replace the value of a line by its number."""
    values = {
        "1": lambda w: (w["a"] + w["b"]) ** 2, "2": lambda w: w["a"] ** 2 + 2 * w["a"] * w["b"] + w["b"] ** 2,
        "3": lambda w: w["a"] ** 2 + w["b"] ** 2, "4": lambda w: w["a"] ** 2 + w["b"] ** 2 + 2 * w["b"] * w["a"],
        "5": lambda w: 2 * (w["a"] ** 2 + w["b"] ** 2)} | {name.strip("_"): value for name, value in changes.items()}
    latex = ["(a + b)^2", "a^2 + 2ab + b^2", "a^2 + b^2", "a^2 + b^2 + 2ba", "2\\,(a^2 + b^2)"]
    steps = [Step(text, f"reason {number} < {number + 1}.", values[str(number)],
                  relation="<=" if number == 5 else "=", printed="a slip, as printed" if number == 3 else None)
             for number, text in enumerate(latex, 1)]
    return Derivation("Squares", "A square of a sum.", *steps, world=lambda rng: {"a": rng.random(), "b": rng.random()})


def test_lines_are_evaluated_in_the_world_of_the_seed():
    lines = squares().evaluate(3)
    rng = np.random.default_rng(3)
    a, b = rng.random(), rng.random()
    wanted = [(a + b) ** 2, (a + b) ** 2, a**2 + b**2, (a + b) ** 2, 2 * (a**2 + b**2)]
    np.testing.assert_allclose([line.value for line in lines], wanted, rtol=1e-14)
    assert [line.holds for line in lines] == [None, True, False, True, True]


@pytest.mark.parametrize(("number", "holds"), [
    ("1", [None, False, False, True, True]), ("2", [None, False, False, False, True]),
    ("4", [None, True, False, False, True])])
@pytest.mark.parametrize("by", [1e-6, -1e-9])
def test_a_line_that_is_slightly_off_is_found(number, holds, by):
    right = squares().steps[int(number) - 1].value
    assert [line.holds for line in squares(**{f"_{number}": lambda w: right(w) + by}).evaluate(0)] == holds


def test_a_letter_is_known_from_the_line_that_defines_it():
    steps = Step("u; u = y + 1", ""), Step("v - 2; v = u + 1", "", printed="a slip"), Step("w / 2; w = 2 * u", "")
    chain = Derivation("t", "c", *steps, world=lambda rng: rng.random(), letters=lambda w: Letters(known={"y": w}))
    assert ["".join(chain.letters_at(place).names()) for place in (-1, 0, 1, 2)] == ["y", "yu", "yu", "yuw"]


def test_a_false_line_may_agree_and_is_no_truth_for_the_next():
    assert squares(_3=lambda w: (w["a"] + w["b"]) ** 2).evaluate(0)[2].holds
    assert squares(_4=lambda w: w["a"] ** 2 + w["b"] ** 2).evaluate(0)[3].holds is False


def holds(before, after, relation="=", **options):
    """Whether a line of one value stands so to one of another."""
    steps = (Step("x", "", lambda w: before), Step("y", "", lambda w: after, relation=relation))
    return Derivation("t", "c", *steps, world=lambda rng: None, **options).evaluate(0)[1].holds


@pytest.mark.parametrize(("relation", "after", "wanted"), [
    ("<=", 1.0 + 1e-3, True), (">=", 1.0 - 1e-3, True), (">=", 1.0 + 1e-3, False), ("<=", 1.0 - 1e-6, False),
    ("<=", 1.0 - 1e-14, True), (">=", 1.0, True), ("=", 1.0 + 1e-13, True), ("=", 1.0 + 1e-11, False)])
def test_relations(relation, after, wanted):
    assert holds(1.0, after, relation) is wanted
    with pytest.raises(ValueError, match="relation: expected one of =, <=, >=, got '<'"):
        holds(1.0, after, "<")


@pytest.mark.parametrize("relation", ["=", "<=", ">="])
def test_a_value_for_each_case_stands_to_as_many_values_or_to_one(relation):
    one, two, three = np.array(1.0), np.ones(2), np.ones(3)
    assert holds(two, one, relation) and holds(two, two + [0, 1e-13], relation)
    assert not holds(two, three, relation) and not holds(two, two + [0.1, -0.1], relation)


def shown_texts(stepper):
    return [row.value for row in stepper.rows]


def answered(derivation):
    """A stepper whose reader has chosen everywhere, at its last line."""
    stepper = derive(derivation)
    for place in [*(choice[0] for choice in derivation.choices()), None]:
        while not stepper.next.disabled:
            stepper.next.click()
        if place is not None:
            stepper.buttons[place].click()
    return stepper


def number(value):
    return f"{float(value):.6f}"


def test_next_and_back_show_one_line_more_or_less():
    stepper = answered(squares())
    values = [line.value for line in squares().displayed(0)]
    for shown in (5, 4, 3, 2, 1):
        assert stepper.shown == shown and (stepper.back.disabled, stepper.next.disabled) == (shown == 1, shown == 5)
        for k, text in enumerate(shown_texts(stepper)):
            assert (number(values[k]) in text) == ("reason" in text) == (k < shown)
        stepper.back.click()
    assert stepper.shown == 1


def test_a_wrong_line_is_marked_and_a_slip_that_agrees_by_accident_is_said_so():
    texts = shown_texts(answered(squares(_2=lambda w: 0.0, _3=lambda w: 0.0)))
    assert "✗ disagrees with the line before" in texts[1] and MISS in texts[1]
    assert "these numbers happen to agree" in texts[2] + texts[3]


@pytest.mark.parametrize("k", [2, 3])
def test_of_a_false_line_and_its_neighbour_only_formulas_show_until_the_reader_chose(k):
    derivation = squares()
    assert derivation.choices() == [(2, 3)]
    stepper, lines = derive(derivation), derivation.displayed()
    assert {lines[2].step.printed, lines[3].step.printed} == {None, "a slip, as printed"}
    while stepper.shown < 4:
        assert stepper.buttons[2].disabled and stepper.buttons[3].disabled
        stepper.next.click()
    for text, line in zip(shown_texts(stepper)[2:4], lines[2:4], strict=True):
        assert line.step.latex in text and number(line.value) not in text and "reason" not in text
        assert not any(mark in text for mark in "✓✗")
    stepper.buttons[k].click()
    right = lines[k].step.printed is None
    said = f"✓ Line {k + 1} holds:" if right else f"✗ Line {k + 1} is false, and line {6 - k} holds:"
    assert said in stepper.replies[2, 3].value and (KEPT if right else MISS) in stepper.replies[2, 3].value
    for text, line in zip(shown_texts(stepper)[2:4], lines[2:4], strict=True):
        assert number(line.value) in text and "reason" in text and ("✗" if line.step.printed else "✓") in text
    assert stepper.questions[2, 3].layout.display == "none" and not stepper.unanswered  # asked once
    said = stepper.replies[2, 3].value
    stepper.buttons[5 - k].click()
    assert stepper.replies[2, 3].value == said


@pytest.mark.parametrize(("false", "choices"), [
    ([], []), ([1], [(1, 2)]), ([3], [(2, 3)]), ([1, 2], [(1, 2, 3)]), ([1, 4], [(1, 2), (4, 5)])])
def test_choices_hold_one_true_line_each(false, choices):
    steps = tuple(Step(f"x_{k}", ".", lambda w, k=k: float(k in false), printed="no" if k in false else None)
                  for k in range(4 if 4 not in false else 6))
    found = Derivation("t", "c.", *steps, world=lambda rng: None)
    assert found.choices() == choices
    assert sorted(line.step.latex for line in found.displayed()) == [step.latex for step in steps]


def test_an_exception_in_a_line_is_shown_without_numbers_of_another_world_and_passes():
    def value(w):
        if w["a"] < 0.5:
            raise ZeroDivisionError("no <such> world")
        return (w["a"] + w["b"]) ** 2

    stepper = derive(squares(_2=value))
    stepper.next.click()
    stale = number(squares().evaluate(0)[1].value)
    assert stale in shown_texts(stepper)[1]
    stepper.world.value = next(seed for seed in range(20) if np.random.default_rng(seed).random() < 0.5)
    said = "".join(shown_texts(stepper))
    assert 'role="alert"' in shown_texts(stepper)[0] and stale not in said
    assert "ZeroDivisionError" in said and "no &lt;such&gt; world" in said
    stepper.world.value = 0
    assert "alert" not in "".join(shown_texts(stepper)) and stale in shown_texts(stepper)[1]


def test_a_still_folds_the_answer_away():
    moved = derive(squares())
    moved.next.click()
    moved.world.value = 5
    data, _ = moved._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "4 lines" in data["text/plain"] and "1 false and refuted" in data["text/plain"]
    page = BeautifulSoup(data["text/html"], "html.parser")
    folds = page("details", recursive=False)
    (folded,) = (each.extract() for each in folds if "holds" in each.summary.get_text())
    lines = squares().displayed()
    for k, line in enumerate(lines):
        asked = k in (2, 3)
        for text, holds in ((page.get_text(), not asked), (folded.get_text(), asked)):
            assert (line.step.reason in text) == holds and (six_digits(line.value) in text or not holds)
        assert f"${sign(line)}{line.step.latex}$" in page.get_text()
    assert folded.summary.get_text() == "Only one of lines 3 and 4 holds. Which? Show the answer"
    assert "✗ a slip, as printed: these numbers refute it" in folded.get_text() and "✗" not in page.get_text()


def test_words_show_subscripts_and_leave_names_in_code_alone():
    text = "⟨e_Y, p_ij⟩, h̄_i and Z_m² < SKCE_uq, but skce(y_true, y_prob) costs $2"
    assert with_subscripts(text) == ("⟨e<sub>Y</sub>, p<sub>ij</sub>⟩, h̄<sub>i</sub> and Z<sub>m</sub>² &lt; "
                                     "SKCE<sub>uq</sub>, but skce(y_true, y_prob) costs $2")
