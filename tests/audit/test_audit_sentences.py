"""Every sentence of page one comes from a rule, and each rule is tried at its borders."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import calibtutor as ct
from calibtutor.audit import sentences
from calibtutor.audit.questions import Panel
from calibtutor.audit.sentences import (
    detected_sentence,
    for_whom_sentence,
    how_large_sentence,
    limits_of,
    short,
    shown,
)

SIZES = np.geomspace(0.01, 0.2, 9)


def missed(middle=0.05, sizes=SIZES):
    """Found with about one half at `middle`; a slope needs half as much."""
    rise = lambda size, at: ndtr(-1.645 + 1.645 * size / at)
    rows = [(error, size, rise(size, at)) for error, at in (("shift", middle), ("slope", middle / 2)) for size in sizes]
    return pd.DataFrame(rows, columns=["error", "size", "found"])


def size(rms, intercept=(0.1, -0.1, 0.3), slope=(0.8, 0.6, 1.0)):
    rows = [("intercept", *intercept, ""), ("slope", *slope, ""), ("RMS error", *rms, "")]
    return pd.DataFrame(rows, columns=["quantity", "estimate", "low", "high", "note"])


def groups(*rows):
    names = ["column", "level", "gap", "slope", "slope_low", "slope_high", "p_adjusted", "tested"]
    table = pd.DataFrame(rows, columns=names)
    return table.assign(said=0.5, gap_low=table["gap"] - 0.01, gap_high=table["gap"] + 0.01)


# --- numbers ---


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


def asked(smallest=0.3, name="site = 3", overall=0.9, n=26):
    rows = [("intercept and slope", overall), (name, smallest), *((f"class {k}", 0.95) for k in range(n - 2))]
    return pd.DataFrame(rows[:n] if n > 1 else rows[1:2], columns=["question", "p_adjusted"])


def test_what_was_found_is_said_with_its_p():
    said = "Miscalibration found: the smallest p is .003 (site = 3), adjusted for 26 questions."
    assert detected_sentence(asked(0.003, overall=0.02), 0.05, missed()) == said
    assert detected_sentence(asked(0.003, n=1), 0.05, missed()).endswith("p is .003, adjusted for one question.")
    equal = detected_sentence(asked(0.003, overall=0.003), 0.05, missed())
    assert equal == "Miscalibration found: the smallest p is .003, adjusted for 26 questions."


def test_where_all_rows_together_show_nothing_it_says_so():
    said = detected_sentence(asked(0.003), 0.05, missed())
    assert said.endswith(" In all rows taken together nothing was found (p .9).")


def test_a_doubt_comes_first():
    said = detected_sentence(asked(0.003), 0.05, missed(), doubts=["is this P(Y = 0)?", "only 0 and 1"])
    assert said.startswith("Is the input right? is this P(Y = 0)? Is the input right? only 0 and 1. Miscalibration")


def test_nothing_found_says_what_would_have_been_and_what_not():
    said = detected_sentence(asked(), 0.05, missed())
    assert said == (
        "No miscalibration found (26 questions, smallest adjusted p .3). This audit would have found an RMS error of "
        ".076 (if it says too much, in four of five such data sets); it would usually have missed .024."
    )
    turned = missed().assign(error=lambda t: t["error"].map({"shift": "slope", "slope": "shift"}))
    assert "(if it is over-confident, in four of five" in detected_sentence(asked(), 0.05, turned)
    assert "an RMS error in the top label of .076" in detected_sentence(asked(), 0.05, missed(), two=False)


def test_without_a_size_that_is_usually_missed_none_is_named():
    said = detected_sentence(asked(), 0.05, missed(sizes=SIZES[SIZES > 0.04]))
    assert said.endswith("an RMS error of .076 (if it says too much, in four of five such data sets).")


def test_where_nothing_can_be_found_it_says_so():
    few = detected_sentence(asked(), 0.05, missed(middle=5.0))
    assert few == (
        "No miscalibration found (26 questions, smallest adjusted p .3). Data as few as these cannot say much: even an "
        "RMS error of .20 could be missed."
    )
    none = detected_sentence(asked(1.0, n=1), 0.05, missed().iloc[:0])
    assert "could not be worked out: all predictions are certain" in none


# --- how large? ---


def test_size_beside_the_tolerance():
    between = how_large_sentence(size((0.06, 0.03, 0.09)), 0.05, 0.05)
    assert between == (
        "On the logit scale intercept .10 [-.10, .30] and slope .80 [.60, 1.00]; RMS error between bins .060 "
        "[.030, .090] (95 % intervals): which may be more or less than the tolerance of .05."
    )
    assert how_large_sentence(size((0.06, 0.051, 0.09)), 0.05, 0.1).endswith(
        "(90 % intervals): more than the tolerance of .05."
    )


def test_within_tolerance_only_if_the_upper_end_is_below_it():
    assert ": within the tolerance of .05" in how_large_sentence(size((0.02, 0.0, 0.0499)), 0.05, 0.05)
    for high in (0.05, 0.0501, np.nan):
        assert "within" not in how_large_sentence(size((0.02, 0.0, high)), 0.05, 0.05)


def test_a_side_is_named_where_the_interval_holds_no_other():
    said = lambda **lines: how_large_sentence(size((0.06, 0.03, 0.09), **lines), 0.05, 0.05)
    assert "intercept -.20 [-.30, -.10] (says too much) and slope .80 [.60, .95] (over-confident);" in said(
        intercept=(-0.2, -0.3, -0.1), slope=(0.8, 0.6, 0.95)
    )
    assert "[.10, .30] (says too little) and slope 1.20 [1.10, 1.30] (under-confident);" in said(
        intercept=(0.2, 0.1, 0.3), slope=(1.2, 1.1, 1.3)
    )
    assert "(says" not in said() and "confident" not in said()
    wrong = size((0.06, 0.03, 0.09), slope=(0.8, 0.6, 0.95))
    assert "confident" not in how_large_sentence(wrong, 0.05, 0.05, line_found=False)
    assert how_large_sentence(wrong, 0.05, 0.05, two=False).startswith("Of the top label: on the logit scale")


def test_what_has_no_interval_is_not_said():
    nothing = (np.nan, np.nan, np.nan)
    assert how_large_sentence(size(nothing, nothing, nothing), 0.05, 0.05) == (
        "How large it is cannot be told: fewer than 20 hits or fewer than 20 misses."
    )
    said = how_large_sentence(size((0.06, 0.03, 0.09), slope=nothing), 0.05, 0.05)
    assert said.startswith("On the logit scale intercept .10 [-.10, .30]; RMS error between")


# --- for whom? ---


def test_groups_are_named_with_what_is_wrong_the_surest_first():
    table = groups(
        ("site", "3", 0.15, 1.0, 0.8, 1.2, 0.004, True),
        ("sex", "f", -0.002, 0.5, 0.3, 0.7, 0.001, True),
        ("sex", "m", 0.2, 1.0, 0.8, 1.2, 0.051, True),
        ("site", "4", 0.3, np.nan, np.nan, np.nan, np.nan, False),
    )
    assert for_whom_sentence(table, None, 0.05) == (
        "Found in 2 of 3 groups, the surest first: sex = f (slope .50, p .001), site = 3 (says .50, happened .35, p "
        ".004). The others are not cleared by that."
    )
    one = for_whom_sentence(table[table["level"] != "f"], None, 0.05)
    assert one.startswith("Found in 1 of 2 groups, namely site = 3 (says")
    both = table.assign(gap=[0.15, -0.02, 0.2, 0.3], gap_low=-0.03, gap_high=-0.01)
    assert "sex = f (says .50, happened .52, slope .50, p .001)" in for_whom_sentence(both, None, 0.05)
    equal = for_whom_sentence(table.assign(p_adjusted=0.001), None, 0.05)
    assert equal.startswith("Found in 3 of 3 groups, p .001 each: sex = m (says .50, happened .30), site")
    assert [equal.index(name) for name in ("sex = m", "site = 3", "sex = f")] == sorted(
        equal.index(name) for name in ("sex = m", "site = 3", "sex = f")
    )  # of equal p the largest gap first
    time = table.drop(columns=["column", "level"]).assign(period=list("abcd"))
    assert "time b (slope .50" in for_whom_sentence(None, time, 0.05)


def test_of_many_groups_five_are_named():
    table = groups(*((("site", str(k), 0.1, 1.0, 0.8, 1.2, 0.001 * (k + 1), True)) for k in range(7)))
    said = for_whom_sentence(table, None, 0.05)
    assert said.count("site = ") == 5 and "site = 0 " in said and said.endswith(", and 2 more.")


def test_no_group_found_given_or_large_enough():
    quiet = groups(("sex", "f", 0.1, 1.0, 0.8, 1.2, 0.3, True), ("sex", "m", 0.1, 1.0, 0.8, 1.2, 0.3, True))
    assert for_whom_sentence(quiet, None, 0.05) == (
        "Nothing found in any of the groups tested (2); small ones hide much."
    )
    time = quiet.assign(period=["1", "2"])
    assert for_whom_sentence(None, time, 0.05).startswith("Nothing found in any of the periods tested (2);")
    assert "groups and periods tested (4)" in for_whom_sentence(quiet, time, 0.05)
    assert for_whom_sentence(None, None, 0.05) == "For whom was not asked: no groups were given (pass groups=)."
    small = groups(("sex", "f", 0.1, np.nan, np.nan, np.nan, np.nan, False))
    assert for_whom_sentence(small, None, 0.05) == "For whom cannot be told: no group has 50 rows."


# --- limits ---


def limits(design="holdout", weights=None, cluster=None, tables=None, d=2):
    n = 60
    p = np.full(n, 0.5) if d == 2 else np.full((n, d), 1 / d)
    rows = Panel(np.zeros(n, dtype=int), p, np.ones(n) if weights is None else weights, cluster, list(range(d)))
    return " ".join(limits_of(rows, design, {} if tables is None else tables, 199, 0.05))


def test_limits_follow_from_what_was_given():
    plain = limits()
    assert "independent given the predictions: pass cluster=" in plain and "no p can be below .005" in plain
    assert "averaged away" in plain and "rows drawn like these" in plain and "features" in plain
    for word in ("cross-validation", "weights", "uniform number", "want of 50", "another rule"):
        assert word not in plain
    assert "hold the labels of other rows, and no p-value is exact" in limits(design="cv")
    assert "independent given predictions and weights" in limits(weights=np.arange(1, 61.0))
    clusters = np.arange(60) // 2
    assert "one uniform number" in limits(cluster=clusters) and "pass cluster=" not in limits(cluster=clusters)
    assert "equal by another rule" in limits(cluster=clusters, d=3) and "another rule" not in limits(cluster=clusters)
    p = np.r_[0.0, 1, 1e-7, np.full(57, 0.5)]
    ends = limits_of(Panel(np.zeros(60, dtype=int), p, np.ones(60), None, [0, 1]), "cv", {}, 9, 0.05)
    assert "3 of 60 predictions are nearer than .000001 to 0 or 1" in " ".join(ends) and "nearer than" not in plain
    line = {"size": size((0.06, 0.03, 0.09), slope=(0.8, 0.6, 0.95)), "questions": asked()}
    assert "The interval of the slope is about that number alone" in limits(tables=line)
    assert "that number alone" not in limits(tables=line | {"questions": asked(overall=0.01)})
    equal = pd.DataFrame({"what": ["local"], "why": [""]})
    assert "given the features could not be asked" in limits(tables={"not_run": equal}) and "could not" not in plain
    few = pd.DataFrame({"column": "site", "level": list("abc"), "tested": [True, False, False]})
    one = pd.DataFrame({"period": ["2024", "2025"], "tested": [True, False]})
    said = limits(tables={"groups": few, "time": one, "local": None})
    assert "Not tested, for want of 50 rows: site = b, site = c, time 2025." in said and "given features" not in said


# --- what no sentence says ---


def test_no_rule_can_say_is_calibrated():
    source = open(sentences.__file__, encoding="utf-8").read().partition('"""\n')[2]
    said = re.findall(r'"([^"\n]+)"', source)
    assert len(said) > 20
    for each in said:
        assert "is calibrated" not in each and "well calibrated" not in each and "well-calibrated" not in each
    assert not [each for each in said if re.search(r"\bcalibrated\b", each)]


def test_every_rule_is_on_page_one_of_an_audit():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    found = ct.audit(rng.random(300) < p, p, groups=rng.choice(["a", "b"], 300), n_resamples=99, rng=0)
    tables = found.tables
    assert found.conclusions == [
        detected_sentence(tables["questions"], 0.05, tables["missed"]),
        how_large_sentence(tables["size"], 0.05, 0.05, line_found=False),
        for_whom_sentence(tables["groups"], None, 0.05),
    ]
    assert not found.detected and found.conclusions[0].startswith("No miscalibration found (4 questions, ")
