"""Every sentence of page one comes from a rule, and each rule is tried at its borders."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import calibtutor as ct
from calibtutor.audit import sentences
from calibtutor.audit.questions import Panel
from calibtutor.audit.sections import Evidence
from calibtutor.audit.sentences import (
    detected_sentence,
    for_whom_sentence,
    how_large_sentence,
    limits_of,
    short,
    shown,
    surprises_sentence,
)

SIZES = np.geomspace(0.01, 0.2, 9)


def missed(middle=0.05, sizes=SIZES):
    """Found with about one half at `middle`; a slope needs half as much."""
    rise = lambda size, at: ndtr(-1.645 + 1.645 * size / at)
    rows = [(error, size, rise(size, at)) for error, at in (("shift", middle), ("slope", middle / 2)) for size in sizes]
    return pd.DataFrame(rows, columns=["error", "size", "found"])


NOTHING = (np.nan, np.nan, np.nan)


def size(rms=(0.06, 0.03, 0.09), slope=(0.8, 0.6, 1.0), happened=(0.5, 0.45, 0.55)):
    rows = [("said", 0.5, np.nan, np.nan), ("happened", *happened), ("slope", *slope),
            ("RMS error", *rms)]  # fmt: skip
    return pd.DataFrame(rows, columns=["quantity", "estimate", "low", "high"]).assign(note="")


def groups(*rows):
    names = ["column", "level", "gap", "slope", "slope_low", "slope_high", "p_adjusted", "tested"]
    table = pd.DataFrame(rows, columns=names)
    return {"groups": table.assign(said=0.5, gap_low=table["gap"] - 0.01, gap_high=table["gap"] + 0.01)}


def asked(smallest=0.3, name="site = 3", overall=0.9, n=26):
    """Questions of which `name` has the smallest adjusted p; p alone is a tenth of it."""
    rows = [("intercept and slope", overall), (name, smallest), *((f"class {k}", 0.95) for k in range(n - 2))]
    table = pd.DataFrame(rows[:n] if n > 1 else rows[1:2], columns=["question", "p_adjusted"])
    return table.assign(p=table["p_adjusted"] / 10)


def how_large(p_adjusted=0.9, tolerance=0.05, level=0.05, two=True, **sizes):
    """The sentence where the smallest adjusted p, that of intercept and slope, is this."""
    return how_large_sentence(size(**sizes), tolerance, level, two=two, questions=asked(overall=p_adjusted))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0634, ".063"), (0.158, ".16"), (-0.158, "-.16"), (1.026, "1.03"), (-0.0001, ".000"), (0, ".000")]
    + [(np.nan, "unknown"), (None, "unknown"), (0.0996, ".10"), (np.inf, "unknown")],
)
def test_sizes_are_said_with_two_or_three_places(value, said):
    assert shown(value) == said


@pytest.mark.parametrize(("value", "said"), [(0.001, ".001"), (0.05, ".05"), (1.0, "1"), (0.12345, ".123")])
def test_short_numbers_have_no_more_digits_than_needed(value, said):
    assert short(value) == said


# --- detected? ---


def test_what_was_found_is_said_with_both_p_and_its_question():
    alone = " In all rows taken together nothing was found (p .9)."
    said = "Miscalibration found: p .0003 (site = 3), .003 adjusted for 26 questions."
    assert detected_sentence(asked(0.003, overall=0.02), 0.05, missed()) == said
    assert detected_sentence(asked(0.003), 0.05, missed()) == said + alone
    at_the_level = detected_sentence(asked(0.05), 0.05, missed())
    assert at_the_level.startswith("Miscalibration found: p .005 (site = 3), .05 adjusted")
    assert detected_sentence(asked(0.0501), 0.05, missed()).startswith("No miscalibration found: p .00501 (site = 3)")
    for question in ("reliability curve", "RMS error", "canonical", "top label", "intercept and slope"):
        assert "taken together" not in detected_sentence(asked(0.003, question), 0.05, missed())
    tied = asked(0.003, overall=0.003).assign(p=lambda table: [0.002, 0.001, *table["p"][2:]])
    assert "p .001 (site = 3), .003 adjusted" in detected_sentence(tied, 0.05, missed())  # the smaller p alone first
    doubted = detected_sentence(asked(0.003), 0.05, missed(), doubts=["is this P(Y = 0)?", "only 0 and 1"])
    assert doubted == f"Is the input right? is this P(Y = 0)? Is the input right? only 0 and 1. {said}{alone}"
    one = detected_sentence(asked(0.003, "intercept and slope", n=1), 0.05, missed())
    assert one == "Miscalibration found: p .0003 (intercept and slope)."


def test_nothing_found_says_what_would_have_been_and_what_not():
    said = detected_sentence(asked(), 0.05, missed())
    assert said == (
        "No miscalibration found: p .03 (site = 3), .3 adjusted for 26 questions. This audit would have found an RMS "
        "error of .076 (if it says too much, in four of five such data sets); it would usually have missed .024."
    )
    turned = missed().assign(error=lambda t: t["error"].map({"shift": "slope", "slope": "shift"}))
    assert "(if it is over-confident, in four of five" in detected_sentence(asked(), 0.05, turned)
    assert "in the top label of .076" in detected_sentence(asked(), 0.05, missed(), two=False)
    assert "missed" not in detected_sentence(asked(), 0.05, missed(sizes=SIZES[SIZES > 0.04]))


def test_where_nothing_can_be_found_it_says_so():
    few = detected_sentence(asked(), 0.05, missed(middle=5.0))
    assert few.endswith("Data as few as these cannot say much: even an RMS error of .20 could be missed.")
    assert "all predictions are certain" in detected_sentence(asked(1.0, n=1), 0.05, missed().iloc[:0])


def test_outcomes_called_impossible_are_named_three_at_most():
    two = [(7, "ill", 4e-9), (100, "ill", 6e-7)]
    named = " It had called all but impossible what happened in row 7 (label ill, probability 4e-09), row 100 "
    assert surprises_sentence(two, 0.051, 0.05) == (
        f"{named}(label ill, probability 6e-07); without such rows nothing is found (adjusted p .051)."
    )
    assert surprises_sentence(two, 0.05, 0.05).endswith("; it is found without such rows, too (adjusted p .05).")
    many = surprises_sentence([*two, *((k, "well", 1e-5) for k in range(200, 203))], 1.0, 0.05)
    assert many.count("row ") == 3 and "row 200 (label well, probability 1e-05), and 2 more; without" in many


# --- how large? ---


def test_size_beside_the_tolerance():
    assert how_large() == (
        "Said .50 on average, happened .50 [.45, .55]; slope of the logits .80 [.60, 1.00]; RMS error between bins "
        ".060 [.030, .090] (95 % intervals): which may be more or less than the tolerance of .05."
    )
    assert how_large(rms=(0.06, 0.051, 0.09), level=0.1).endswith("(90 % intervals): more than the tolerance of .05.")
    for high, within in ((0.0499, True), (0.05, False), (0.0501, False)):
        assert (": within the tolerance of .05" in how_large(rms=(0.02, 0.0, high))) == within
    for low, more in ((0.05, False), (0.0501, True)):
        assert (": more than the tolerance" in how_large(rms=(0.06, low, 0.09))) == more
    for happened in ((0.3, 0.2, 0.449), (0.6, 0.551, 0.7)):  # a mean that is off by more says so, too
        assert ": more than the tolerance" in how_large(happened=happened)
    assert ": which may be" in how_large(happened=(0.4, 0.3, 0.4501)) + how_large(happened=(0.6, 0.5499, 0.7))


def test_a_side_is_named_where_the_interval_holds_no_other_and_it_was_found():
    low = {"slope": (0.8, 0.6, 0.95), "happened": (0.4, 0.3, 0.49)}
    high = {"slope": (1.2, 1.1, 1.3), "happened": (0.6, 0.51, 0.7)}
    borders = {"slope": (0.8, 0.6, 1.0), "happened": (0.4, 0.3, 0.5)}
    said = how_large(0.05, **low)
    assert "happened .40 [.30, .49] (says too much); slope of the logits .80 [.60, .95] (over-confident);" in said
    said = how_large(0.05, **high)
    assert "[.51, .70] (says too little); slope of the logits 1.20 [1.10, 1.30] (under-confident);" in said
    for quiet in (how_large(0.05, **borders), how_large(0.051, **low), how_large(0.05)):
        assert "(says" not in quiet and "confident" not in quiet
    by_group = how_large_sentence(size(**low), 0.05, 0.05, questions=asked(0.01))  # of mean and slope nothing was found
    assert "(says too much)" not in by_group and "(over-confident)" not in by_group
    assert how_large(two=False).startswith("Of the top label: said .50 on average")


def test_what_has_no_interval_is_said_without():
    few = {"rms": NOTHING, "slope": NOTHING}
    wanted = "; fewer than 20 hits or misses leave the RMS error between bins open"
    assert how_large(**few) == f"Said .50 on average, happened .50 [.45, .55]{wanted}."
    sure = how_large(0.001, happened=(0.3, 0.2, 0.4), **few)
    assert sure == (f"Said .50 on average, happened .30 [.20, .40] (says too much){wanted}, but on average alone it is "
                    "more than the tolerance of .05.")  # fmt: skip
    assert "happened .50;" in how_large(0.001, happened=(0.5, np.nan, np.nan), **few)
    assert "[.45, .55]; RMS error between" in how_large(slope=NOTHING)


# --- for whom? ---


def test_groups_are_named_with_what_is_wrong_the_surest_first():
    tables = groups(
        ("site", "3", 0.15, 1.0, 0.8, 1.2, 0.004, True),
        ("sex", "f", -0.002, 0.5, 0.3, 0.7, 0.001, True),
        ("sex", "m", 0.2, 1.0, 0.8, 1.2, 0.051, True),
        ("site", "4", 0.3, np.nan, np.nan, np.nan, np.nan, False),
    )
    assert for_whom_sentence(tables, 0.05) == (
        "Found in 2 of 3 groups, the surest first: sex = f (slope .50, p .001), site = 3 (says .50, happened .35 [.34, "
        ".36], p .004). The others are not cleared by that."
    )
    table = tables["groups"]
    both = table.assign(gap=[0.15, -0.02, 0.2, 0.3], gap_low=-0.03, gap_high=-0.01)
    said = for_whom_sentence({"groups": both}, 0.05)
    assert "sex = f (says .50, happened .52 [.51, .53], p .001)" in said
    wide = for_whom_sentence({"groups": table.assign(gap_low=np.nan, gap_high=np.nan, slope=np.nan)}, 0.05)
    assert "site = 3 (says .50, happened .35, p .004)" in wide
    equal = for_whom_sentence({"groups": table.assign(p_adjusted=0.001)}, 0.05)  # of equal p the largest gap first
    assert re.findall(r"\w+ = \w", equal) == ["sex = m", "site = 3", "sex = f"] and equal.count("p .001") == 3
    one = for_whom_sentence({"groups": table.assign(p_adjusted=[0.05, 0.9, 0.9, np.nan])}, 0.05)
    assert one.startswith("Found in 1 of 3 groups, namely site = 3 (says")
    every = for_whom_sentence({"groups": table[:2]}, 0.05)
    assert "Found in 2 of 2 groups" in every and "cleared" not in every


def test_of_many_groups_three_are_named():
    tables = groups(*((("site", str(k), 0.1, 1.0, 0.8, 1.2, 0.001 * (k + 1), True)) for k in range(7)))
    said = for_whom_sentence(tables, 0.05)
    assert said.count("site = ") == 3 and "site = 0 " in said and said.endswith(", and 4 more.")


def test_no_group_found_given_or_large_enough():
    quiet = groups(("sex", "f", 0.1, 1.0, 0.8, 1.2, 0.3, True), ("sex", "m", 0.1, 1.0, 0.8, 1.2, 0.3, True))
    assert for_whom_sentence(quiet, 0.05) == "Nothing found in any of the 2 groups tested; small ones hide much."
    assert for_whom_sentence({}, 0.05) == "For whom was not asked: no groups were given."
    small = groups(("sex", "f", 0.1, np.nan, np.nan, np.nan, np.nan, False))
    assert for_whom_sentence(small, 0.05) == "For whom cannot be told: no group has 50 rows."


def test_the_surest_region_is_named_whatever_is_said_of_groups():
    table = pd.DataFrame({"rule": ["age <= 50", "age > 50", "said > 0.5"], "said": 0.6, "gap": [0.1, -0.2, 0.3],
                          "p_adjusted": [0.01, 0.01, 0.05]})  # fmt: skip
    table = table.assign(gap_low=table["gap"] - 0.02, gap_high=table["gap"] + 0.02, slope=np.nan, slope_low=np.nan,
                         slope_high=np.nan)  # fmt: skip
    wanted = " Found where age > 50: says .60, happened .80 [.78, .82], p .01 (tested on other rows)."
    quiet = groups(("sex", "f", 0.1, 1.0, 0.8, 1.2, 0.3, True))
    for other in ({}, quiet, groups(("sex", "f", 0.1, 1.0, 0.8, 1.2, 0.001, True))):
        for level in (0.05, 0.01):
            assert for_whom_sentence(other | {"regions": table}, level) == for_whom_sentence(other, level) + wanted
        assert for_whom_sentence(other | {"regions": table}, 0.009) == for_whom_sentence(other, 0.009)


# --- limits ---


def limits(design="holdout", weights=None, cluster=None, tables=None, p=None, features=None):
    n = 60
    p = np.full(n, 0.5) if p is None else p
    d = 2 if p.ndim == 1 else p.shape[1]
    rows = Panel(np.zeros(n, dtype=int), p, np.ones(n) if weights is None else weights, cluster, list(range(d)))
    tables = {"size": size(), "questions": asked()} | (tables or {})
    return limits_of(Evidence(rows, n_resamples=199, features=features), design, tables)


def test_each_limit_follows_from_what_was_given():
    plain, clusters, three = limits(), np.arange(60) // 2, np.full((60, 3), 1 / 3)
    parts = pd.DataFrame({"column": ["site", "site", "time"], "level": list("abc"), "tested": [True, False, False]})
    slope = {"size": size(slope=(0.8, 0.6, 0.95))}
    assert len(plain) == 5 and any("no p can be below .005" in each for each in plain)
    for given, says in (
        ({"design": "cv"}, "no p-value is exact"),
        ({"weights": np.arange(1, 61.0)}, "independent given predictions and weights"),
        ({"cluster": clusters}, "one uniform number"),
        ({"p": three}, "those of the top label"),
        ({"p": np.r_[0.0, 1, 1e-7, np.full(57, 0.5)]}, "3 of 60 predictions are nearer than .000001 to 0 or 1"),
        ({"features": clusters}, "could not be asked"),
        ({"tables": slope}, "The interval of “slope” is about that number alone"),
        ({"tables": {"groups": parts}}, "for want of 50 rows: 2 of 3 groups."),
    ):
        more = set(limits(**given)) - set(plain)
        assert any(says in each for each in more) and len(more) <= 3, says
    assert set(limits(cluster=clusters)) - set(plain) and set(plain) - set(limits(cluster=clusters))
    found = limits(tables=slope | {"questions": asked(overall=0.01)})
    assert found == plain  # the family found it


# --- what no sentence says ---


def test_no_rule_can_say_is_calibrated():
    source = open(sentences.__file__, encoding="utf-8").read().partition('"""\n')[2]
    said = re.findall(r'"([^"\n]+)"', source)
    assert len(said) > 20 and not [each for each in said if re.search(r"\bcalibrated\b", each)]


def test_every_rule_is_on_page_one_of_an_audit():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    found = ct.audit(rng.random(300) < p, p, groups=rng.choice(["a", "b"], 300), n_resamples=99, rng=0)
    tables = found.tables
    assert found.conclusions == [
        detected_sentence(tables["questions"], 0.05, tables["missed"]),
        how_large_sentence(tables["size"], 0.05, 0.05, questions=tables["questions"]),
        for_whom_sentence(tables, 0.05),
    ]
    assert not found.detected and found.conclusions[0].startswith("No miscalibration found: p ")
