"""Every number that the course says is printed nearby, or a claim quotes it; the claims quote what is said, and refuse.

Every claim takes its seeds from one place. That each refuses what is planted in it: `python tests/faults.py "claim "`.
"""

import re
from pathlib import Path

import pytest
from claim import claims, quotations
from faults import CLAIMS
from sentences import places, said, unsupported

# What needs no support, and why.
EXEMPT = {
    r"\*\*Minutes:\*\* [^*]*|\(\d+ min(?:, optional)?\)|\| \d+ \|(?: ✓? ?\|)?$": "minutes are counted",
    r"\(\d\) ": "numbers of a list within a sentence",
    r"\b(?:CIFAR-100?|LeNet-5|(?:Wide )?ResNet-(?:110|32)|DenseNet-40)\b": "names",
    r"^(?:(?:about|all|at most|over|(?:far )?(?:fewer|less|more) than) )?[\d,]*\.?\d+(?: %)?$": "a choice of a guess; "
    "what is right is said, and claimed, in its answer",
    r"^.*\?$": "a question states nothing",
    r"\b1,079(?: test)? digits\b": "the course's test digits, counted once (test_start.py)",
    r"\b(?:level|[Rp] ≤) 0?\.05\b|\blevel 5 ?%": "the level of every test",
    r"± 2 (?:standard errors|s\.e\.)|\b2 standard errors": "what every grey, bar and band is",
    r"\[[01]\d · [^\]]*\]": "names of notebooks"}


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


def test_every_claim_has_a_fault_to_refuse_and_every_fault_its_place():
    assert sorted(re.sub(r"\[.*", "", test) for test, *_ in CLAIMS) == sorted(claims())  # one each
    lost = []
    for test, old, new in CLAIMS:
        path = Path(__file__).with_name(f"test_{test.split('::')[0]}.py")
        if path.read_text(encoding="utf-8").count(old) != 1 or old == new:
            lost.append((test, old))
    assert lost == []


FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem not in ("seeds", "test_layer"))
WRITTEN = r"\[?\d[\d, ]*\]?"  # a number, or a list that holds nothing else
# How code chooses a seed by itself: rng=0, default_rng([4, 1]), for seed in range(20).
OF_ITS_OWN = "|".join([
    rf"\b(?:rng|random_state|seed)={WRITTEN}[,)]", rf"(?:default_rng|SeedSequence|RandomState)\({WRITTEN}\)",
    r"\bfor [\w, ]*(?:seed|split)\w*[\w, ]* in [^:\n]*\brange\("])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_claim_chooses_its_seeds(path):
    called = re.sub(r"(?m)^ *def .*", "", path.read_text(encoding="utf-8"))  # there it is a default
    found = re.findall(OF_ITS_OWN, called)
    assert not found, f"{found}: take `seeds`, or `as_shown` for a draw of the course (see seeds.py)"
