"""A line that a reader writes is judged by what it is in twenty worlds, and the page goes on when it holds."""

import numpy as np
import pytest

from calibtutor.teach.derive import Derivation, Step
from calibtutor.teach.expressions import Letters
from calibtutor.teach.stepper import derive, play
from calibtutor.teach.write import judge


def letters(world):
    p, y = np.repeat(world["p"], 2), np.tile([0.0, 1.0], 3)
    mass = np.repeat(world["w"], 2) * np.where(y == 1, np.repeat(world["r"], 2), 1 - np.repeat(world["r"], 2))
    return Letters({"z": (mass, {"p": p, "Y": y, "r": np.repeat(world["r"], 2)})})


def world(rng):
    return {"w": rng.dirichlet(np.ones(3)), "p": rng.random(3), "r": rng.random(3)}


LINES = (Step("E((p - Y)**2)", "Where we start."),
         Step("E((p - r)**2) + E((r - Y)**2)", "The mean of Y is r."),
         Step("E((p - r)**2)", "Y is noise.", printed="a common shortcut"),
         Step("E((p - r)**2) + E(r * (1 - r))", "The variance of Y."),
         Step("E(abs(p - Y))", "0 or 1.", relation="<="))
SLIP = ("E((p - r)**2) - E((r - Y)**2)", "The second part has the wrong sign.")


def squares(*steps, write=1, slips=(SLIP,)):
    return Derivation("Squares", "The error of p has two parts.", *steps, world=world, letters=letters, write=write,
                      describe=lambda w: f"p = {w['p'][0]:.2f}", slips=slips)


SQUARES, BOUND = squares(*LINES), squares(*LINES, write=4)

ANSWERS = {
    "E((p - r)**2) + E((r - Y)**2)": "step", "E((Y - r)^2 + (r - p)^2)": "step",
    "E((r - Y)**2) + E((p - r)**2)": "step",
    "E((p - Y)**2)": "standstill", "2 * E((p - Y)**2) - E((Y - p)**2)": "standstill",
    "E(p**2 - 2*p*Y + Y**2)": "way", "E(p**2) - 2*E(p*Y) + E(Y)": "form",
    "E((p - r)**2) + E(r * (1 - r))": "ahead", "E((p - r)**2) + E(r) - E(r**2)": "form",
    "E((p - r)**2) + E(Var(Y, given=p))": "step", "E(p**2) - 2*E(p*r) + E(Y)": "form",
    "<= E(abs(p - Y))": "ahead", "= E((r - Y)**2) + E((p - r)**2)": "step",
    "E((p - r)**2)": "slip", "E((p - r)**2) - E((r - Y)**2)": "slip",
    "-E((p - Y)**2)": "false", "E((p - Y)**2) / 2": "false", "E((p - Y)**2) + 1": "false", "E(p - Y)**2": "false",
    "E((p - Y)**2, given=p)": "false", "E((p - q)**2)": "unreadable", "E((p - Y)**2": "unreadable",
    "(p-r)(p-r)": "unreadable"}


@pytest.mark.parametrize("text", ANSWERS)
def test_a_line_is_judged_by_what_it_is(text):
    judged = judge(SQUARES, text)
    assert judged.kind == ANSWERS[text], judged
    assert judged.good == (judged.kind in ("step", "ahead", "way", "form")) and judged.words
    assert bool(judged.latex) == (judged.kind != "unreadable")


@pytest.mark.parametrize(("text", "said"), [
    ("E((p - Y)**2) / 2", "0.5 times the line before in every world"), ("-E((p - Y)**2)", "-1 times the line before"),
    ("E((p - r)**2)", "This is a common shortcut. Y is noise. In world"),
    ("E((p - r)**2) - E((r - Y)**2)", "The second part has the wrong sign. In world"),
    ("E((p - r)**2) + E(r * (1 - r))", "True: that is a line further"),
    ("<= E(abs(p - Y))", "True: that is where the derivation ends. Line 2, now shown, leads there."),
    ("E(p**2 - 2*p*Y + Y**2)", "True, and another way: it is a line above, multiplied out. The notes: “The mean of"),
    ("p - Y", "a row of 6 numbers. Of what has a value for each outcome take the mean"),
    ("E((p - Y)**2)", "no step: it has the terms of a line above"), ("E(p)", "your line is "), ("2p",
    "Write \\* between factors")])
def test_what_is_said_helps(text, said):
    assert said.replace("\\", "") in judge(SQUARES, text).words


def value_in(text, seed):
    return float(Step(text, "").formula.value(letters(world(np.random.default_rng(seed)))))


def test_of_a_false_line_the_world_is_named_in_which_it_is_furthest_off():
    words = judge(SQUARES, "E(p)").words
    mine, true = ([value_in(text, seed) for seed in range(20)] for text in ("E(p)", "E((p - Y)**2)"))
    seed = np.argmax(np.abs(np.divide(mine, true) - 1))
    assert int(words.split("world ")[1].split()[0]) == seed
    assert f"your line is {mine[seed]:.6f}, the line before {true[seed]:.6f}" in words


def test_what_is_no_longer_equal_or_agrees_in_one_world_only_is_false_and_slips_may_have_no_value_in_some():
    assert judge(SQUARES, repr(float(SQUARES.evaluate(0)[0].value))).kind == "false"
    chain = squares(*LINES, Step("1", "At most.", relation="<="), write=5)
    assert judge(chain, "E((p - Y)**2)").kind == "false" and judge(chain, "E(abs(p - Y))").kind == "standstill"
    odd = squares(*LINES, slips=(("sqrt(p - 0.5)", "never"), SLIP))
    assert judge(odd, "E(p)").kind == "false" and judge(odd, "E((p - r)**2) - E((r - Y)**2)").kind == "slip"


@pytest.mark.parametrize(("text", "kind"), [
    ("E(abs(p - Y))", "step"), ("≤ E(abs(Y - p))", "step"), ("E(abs(p - Y)) + 1", "standstill"), ("1", "standstill"),
    ("E(p)", "false"), ("E(sqrt(abs(p - Y)))", "standstill"), ("1.5 * E((p - Y)**2)", "bound"),
    ("E((p - Y)**2)", "standstill"), ("0", "false")])
def test_a_bound_may_be_another_one(text, kind):
    assert judge(BOUND, text).kind == kind


def shown(stepper):
    return [row.value for row in stepper.rows]


def test_the_line_stays_hidden_until_it_is_written():
    stepper = derive(SQUARES)
    line = LINES[1].latex
    assert stepper.gap.layout.display == "none"
    for _ in range(9):
        stepper.next.click()
    assert stepper.shown == 2 and stepper.next.disabled and stepper.gap.layout.display is None
    assert line not in "".join(shown(stepper)) and "yours" in shown(stepper)[1]
    stepper.gap.field.value = "E(p)"
    assert "✗" in stepper.gap.reply.value and r"\mathbb{E}\,p" in stepper.gap.reply.value and stepper.shown == 2
    stepper.world.value = 5
    assert line not in "".join(shown(stepper))
    stepper.gap.field.value = "E((r - Y)^2) + E((p - r)^2)"
    assert "✓" in stepper.gap.reply.value and line in shown(stepper)[1] and stepper.gap.field.disabled
    for last in (4, 5):  # Next waits for a choice, too: the line behind it would answer it
        for _ in range(9):
            stepper.next.click()
        assert stepper.shown == last and stepper.next.disabled
        stepper.buttons[2, 3].click()
    assert ">Line 3 holds: compare" in stepper.replies[2, 3].value


def test_an_empty_field_is_asked_for_no_line_that_is_shown():
    stepper = derive(SQUARES)
    stepper.next.click()
    stepper.gap.check.click()
    stepper.gap.show.click()
    assert stepper.gap.reply.value == ""


def test_the_same_in_another_form_is_true_and_does_not_give_the_line_away():
    stepper = derive(SQUARES)
    stepper.next.click()
    stepper.gap.check.click()
    assert "Type the line" in stepper.gap.reply.value
    stepper.gap.field.value = "E((p - r)^2) + E(r) - E(r^2)"
    assert "✓" in stepper.gap.reply.value and f"press “{stepper.gap.show.description}”" in stepper.gap.reply.value
    assert LINES[1].latex not in "".join(shown(stepper)) and not stepper.gap.field.disabled
    stepper.gap.show.click()
    assert LINES[1].latex in shown(stepper)[1] and not stepper.next.disabled
    assert "The code" in shown(stepper)[0] and "E((p - Y)**2)</pre>" in shown(stepper)[0]


@pytest.mark.parametrize(("text", "kind"), [
    ("E((r - p)^2) - 2*E((r - p)*(r - Y)) + E((Y - r)^2)", "step"),
    ("E((r - Y)^2) + E(2*(p - r)*(r - Y)) + E((p - r)^2)", "step"),
    ("E((p - r)**2) - 2 * E((p - r) * (r - Y)) + E((r - Y)**2)", "chance"),
    ("E((p - r)^2) + E((p - r)*(r - Y)) + E((r - Y)^2)", "chance"),
    ("E((Y - p)^2)", "standstill"), ("E((p - Y)*(p - Y))", "standstill"), ("E((p - r)^2) + E((r - Y)^2)", "ahead")])
def test_of_an_expansion_the_factor_of_a_term_that_is_0_matters(text, kind):
    first, last, *_ = LINES
    expanded = Step("E((p - r)**2) + 2 * E((p - r) * (r - Y)) + E((r - Y)**2)", "Expand.")
    assert judge(squares(first, expanded, last, slips=()), text).kind == kind


def test_any_formula_can_be_tried():
    field = play(SQUARES)
    value = f"{float(SQUARES.evaluate(0)[0].value):.6f}"
    assert r"\mathbb{E}\,(p - Y)^2" in field.shown.value and value in field.shown.value
    field.field.value = "P(Y == 1)"
    field.world.value = 7
    assert f"{value_in('P(Y == 1)', 7):.6f}" in field.shown.value and field.about.value.startswith("p = ")
    field.field.value = "E(Y == 1)"
    assert f"E((p - Y)**2)</code> is <code>{value_in('E((p - Y)**2)', 7):.6f}" in field.shown.value
    field.field.value = "E(p^2) - 2*E(p*Y) + E(Y)"
    assert "✓ the same as <code>E((p - Y)**2)" in field.shown.value
    field.field.value = "P(Y = 1"
    assert "brackets" in field.shown.value
    assert "P(Y == 1)" in play(SQUARES, "P(Y == 1)").still()[0]["text/html"]
