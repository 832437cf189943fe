"""Likely answers to lines that a reader writes: right ones in another form, and wrong ones that have no name."""

import json
import re
from pathlib import Path

import pytest
from notebook_rules import sessions_first

from calibtutor.lessons import discover
from calibtutor.teach.assignment import LESSON
from calibtutor.teach.notebooks import NOTEBOOKS
from calibtutor.teach.write import judge

DERIVATIONS = {name: each for name, each in discover("derivations").items() if each.write is not None}
# Of each line an answer that is right, in another form, and others that are wrong and have no name.
ANSWERS = json.loads(Path(__file__).with_name("written_lines.json").read_text(encoding="utf-8"))


def test_each_session_has_a_line_that_is_the_readers():
    assert {*DERIVATIONS} == {*ANSWERS}
    lessons = {name.split(".")[0] for name in DERIVATIONS}
    sessions = {LESSON.search(path.read_text(encoding="utf-8"))[1] for path in NOTEBOOKS.glob("*.ipynb")}
    assert sessions <= lessons, sessions - lessons


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_a_right_answer_is_taken_in_another_form_and_wrong_ones_are_not(name):
    assert [text for text in ANSWERS[name] if judge(DERIVATIONS[name], text).good] == ANSWERS[name][:1]


@pytest.mark.parametrize("name", sessions_first(DERIVATIONS))
def test_the_line_is_in_no_choice_and_every_named_slip_is_false(name):
    derivation = DERIVATIONS[name]
    asked = {derivation.order()[k] for choice in derivation.choices() for k in choice}
    assert derivation.write not in asked and derivation.write > 0
    named = [text for text, _ in derivation.slips] + [step.text for step in derivation.steps if step.printed]
    assert len(named) >= 2
    judged = {text: judge(derivation, text) for text in named}
    assert [text for text, _ in derivation.slips if judged[text].kind != "slip"] == []
    assert judge(derivation, derivation.steps[derivation.write].text.split(";")[0].split(" = ")[-1]).kind == "step"
    for text in (text for text, each in judged.items() if each.kind == "slip"):
        words = judged[text].words.split(" In world ")[0]
        assert re.fullmatch(r"[A-Z]\w* [^.].*[^.?:][.?]", words), words
        if words.startswith("This is"):  # a noun or an adjective, from what is printed: no clause, and so no slip
            assert text not in dict(derivation.slips) and re.match("This is (an? |what |true |Gruber & Bach)", words)


@pytest.mark.parametrize(("name", "text", "kind"), [
    ("start.one_forecast", "E(p^2 - 2*p*Y + Y^2)", "way"), ("start.one_forecast", "E(p^2)-2*p*E(Y)+E(Y^2)", "ahead"),
    ("start.one_forecast", "p^2 - 2*p*r + r", "ahead"), ("start.one_forecast", "(p - r)^2 + Var(Y)", "ahead"),
    ("start.one_forecast", "P(Y == 1)*(p - 1)^2 + P(Y == 0)*p^2", "step"), ("chance.exact_pvalue", "≤ alpha", "step"),
    ("bets_and_kernels.no_frequencies", "E(k(p,p')*inner(p - e_Y, p' - e_Y'))", "ahead"),
    ("bets_and_kernels.no_frequencies", "E(k(p,p')*inner(p - E(e_Y, given=p), p' - E(e_Y', given=p')))", "step"),
    ("kernel_tests.biased", ">= SKCE", "ahead"), ("kernel_tests.biased", "SKCE", "slip")])
def test_a_true_step_is_taken_and_placed(name, text, kind):
    assert judge(DERIVATIONS[name], text).kind == kind


@pytest.mark.parametrize(("name", "text", "said"), [
    ("bets_and_kernels.no_frequencies", "E(p - e_Y, given=p)", "It equals a part of the next line"),
    ("bets_and_kernels.no_frequencies", "E(p, given=r)", "take the mean"),
    ("kernel_tests.biased", "E(h[0, 0])", "h( … ); entries are of h_data[ … ]")])
def test_what_is_missing_is_named(name, text, said):
    assert said in judge(DERIVATIONS[name], text).words


def test_a_strict_sign_is_named():
    assert judge(DERIVATIONS["chance.exact_pvalue"], "< j/(B + 1)").words.startswith("Write <=")
