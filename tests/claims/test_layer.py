"""Every number that the course says is printed nearby, or a claim quotes it; the claims quote what is said."""

import re

import pytest
from claim import claim, quotations
from sentences import Sentence, is_printed, numbers, places, said, unsupported

# What needs no support, and why.
EXEMPT = {
    r"\*\*Minutes:\*\* [^*]*|\(\d+ min(?:, optional)?\)|\| \d+ \|(?: ✓? ?\|)?$": "minutes are counted",
    r"\(\d\) ": "numbers of a list within a sentence",
    r"\bCIFAR-10\b": "a name",
    r"^(?:about )?\d+ %$": "a choice of a guess; what is right is said, and claimed, in its answer",
    r"\[[01]\d · [^\]]*\]": "names of notebooks",
}


QUOTED = quotations()


@pytest.mark.parametrize("where", sorted(places()))
def test_every_number_is_printed_or_claimed(where):
    found = unsupported(where, QUOTED.get(where, []), EXEMPT)
    assert not found, "\n".join(["print it nearby, or claim it (CONTRIBUTING.md):", *map(str, found)])


def test_claims_quote_what_is_said():
    lost = {where: [w for w in words if w not in said(where)] for where, words in QUOTED.items()}
    assert {where: words for where, words in lost.items() if words} == {}


def test_every_exemption_is_used():
    texts = [sentence.text for sentences in places().values() for sentence in sentences]
    assert [pattern for pattern in EXEMPT if not any(re.search(pattern, text) for text in texts)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is .713 sure, 1,079 digits, 5 % and 10 % wrong.", [".713", "1,079", "5 %", "10 %"]),
        ("Notebook 05, section 2, eq. 12, figures 3 and 4, Guo et al. (2017), errata G17.", []),
        ("$x_1 = 3$, `rng=3` and [two](02_two.ipynb)", []),
        ("From 0 to 1, and −.05 or 7 · 10⁻⁵ or 1e-07.", ["−.05", "7 · 10⁻⁵", "1e-07"]),
        ("2.5 or (3) at the end of 12.", ["2.5", "3", "12"]),
    ],
)
def test_numbers_of_a_sentence(text, found):
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("number", "printed", "same"),
    [(".71", 0.7134, True), (".71", 0.716, False), ("71 %", 0.7134, True), ("71 %", 0.72, False),
     ("−.05", -0.0502, True), ("1,079", 1079, True), ("1,079", 1078, False), ("7 · 10⁻⁵", 7.2e-5, True)],
)  # fmt: skip
def test_a_number_is_printed_if_it_rounds_to_it(number, printed, same, monkeypatch):
    monkeypatch.setattr("sentences.printed", lambda where, place: [abs(printed)])
    assert is_printed(number, "anywhere", 0) == same


def test_the_layer_names_a_changed_number_and_a_lost_quotation(monkeypatch):
    text = "The forest is right in 812 of 813 cases, and says .123."
    monkeypatch.setattr("sentences.places", lambda: {"start/scenes": [Sentence("start/scenes", 7, text)]})
    (complaint,) = unsupported("start/scenes", [], EXEMPT)
    assert "812, 813, .123" in complaint and "start/scenes 7" in complaint
    assert unsupported("start/scenes", ["right in 812 of 813 cases", "says .123"]) == []
    assert unsupported("start/scenes", ["right in 812 of 813 cases"]) != []

    @claim("start/scenes", "right in 811 of 813 cases")
    def supported():
        raise AssertionError("not reached")

    with pytest.raises(pytest.fail.Exception, match="does not say any more: right in 811"):
        supported()
