"""Sentences of page one come from rules, tried at their borders; of rare events no number reads 0 or 1 but what is."""

import re
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn, panel
from drawn import texts
from scipy.special import ndtr

import calibtutor as ct
from calibtutor.audit import report, sentences
from calibtutor.audit.sections import Evidence
from calibtutor.audit.sentences import numbers, short, shown

SIZES = np.geomspace(0.01, 0.2, 9)
NOTHING = (np.nan, np.nan, np.nan)
EXACT = re.compile(r"(?<![\d.])([01]?\.0+|1\.0+)(?!\d|e)")  # a number that reads 0 or 1, with places


def missed(middle=0.05, sizes=SIZES):
    """Found with about one half at `middle`; a slope needs half as much."""
    rise = lambda size, at: ndtr(-1.645 + 1.645 * size / at)
    rows = [(error, size, rise(size, at)) for error, at in (("shift", middle), ("slope", middle / 2)) for size in sizes]
    return pd.DataFrame(rows, columns=["error", "size", "found"])


def asked(smallest=0.3, name="site = 3", overall=0.9, n=26):
    """Questions of which `name` has the smallest adjusted p; p alone is a tenth of it."""
    rows = [("intercept and slope", overall), (name, smallest), *((f"class {k}", 0.95) for k in range(n - 2))]
    table = pd.DataFrame(rows[:n] if n > 1 else rows[1:2], columns=["question", "p_adjusted"])
    return table.assign(p=table["p_adjusted"] / 10)


def detected(smallest=0.3, *, table=None, two=True, doubts=(), **more):
    table = missed() if table is None else table
    return sentences.detected_sentence(asked(smallest, **more), 0.05, table, two, doubts)


def size(rms=(0.06, 0.03, 0.09), slope=(0.8, 0.6, 1.0), happened=(0.5, 0.45, 0.55)):
    gap = 0.5 - np.array(happened)[[0, 2, 1]]
    rows = [("said", 0.5, np.nan, np.nan), ("happened", *happened), ("gap", *gap), ("slope", *slope),
            ("RMS error", *rms)]
    return pd.DataFrame(rows, columns=["quantity", "estimate", "low", "high"]).assign(note="")


def how_large(p=0.9, level=0.05, two=True, smallest=0.01, **sizes):
    """The sentence where the adjusted p of intercept and slope is this, and of another question `smallest`."""
    return sentences.how_large_sentence(size(**sizes), 0.05, level, two=two, questions=asked(smallest, overall=p))


def parts(*rows):
    """Groups (or regions): name, gap, slope and its ends, adjusted p; a p of NaN is not tested."""
    table = pd.DataFrame(rows, columns=["name", "gap", "slope", "slope_low", "slope_high", "p_adjusted"])
    named = table["name"].str.split("=", expand=True).set_axis(["column", "level"], axis=1)
    return table.join(named).assign(said=0.5, gap_low=table["gap"] - 0.01, gap_high=table["gap"] + 0.01,
                                    tested=table["p_adjusted"].notna(), rule=table["name"])


def for_whom(groups=None, regions=None, level=0.05):
    tables = {"groups": groups, "regions": regions}
    return sentences.for_whom_sentence({name: each for name, each in tables.items() if each is not None}, level)


FLAT, STEEP = (1.0, 0.8, 1.2), (0.5, 0.3, 0.7)
GROUPS = parts(("site=3", 0.15, *FLAT, 0.004), ("sex=f", -0.002, *STEEP, 0.001), ("sex=m", 0.2, *FLAT, 0.051),
               ("site=4", 0.3, *NOTHING, np.nan))
REGIONS = parts(("age <= 50", 0.1, *NOTHING, 0.01), ("age > 50", -0.2, *NOTHING, 0.01), ("x > 1", 0.3, *NOTHING, 0.05))
LOW = {"slope": (0.8, 0.6, 0.95), "happened": (0.4, 0.3, 0.49)}
HIGH = {"slope": (1.2, 1.1, 1.3), "happened": (0.6, 0.51, 0.7)}


def page_detected():
    """Sentences, what each says, and what it does not say."""
    found = "Miscalibration found: p .0003 (site = 3), .003 adjusted for 26 questions."
    alone = " In all rows taken together nothing was found (p .9)."
    turned = missed().replace({"shift": "slope", "slope": "shift"})
    overall = "reliability curve", "RMS error", "canonical", "top label"
    yield detected(0.003, overall=0.02), found, "taken together"
    yield detected(0.003, doubts=["is this P?", "only 0"]), f"is this P? Is the input right? only 0. {found}", "~"
    yield detected(0.003), found + alone, "Is the input"
    for name in overall:
        yield detected(0.003, name=name), f"({name})", "taken together"
    yield detected(0.003, name="intercept and slope", n=1), "found: p .0003 (intercept and slope).", "adjusted"
    yield detected(0.05), "Miscalibration found: p .005 (site = 3), .05 adjusted", "No mis"
    yield detected(0.0501), "No miscalibration found: p .00501 (site = 3), .0501 adjusted", "taken together"
    would = ("An RMS error of .076 (if it says too much) would have been found in four of five such data sets; "
             "one of .024 would usually have been missed.")
    yield detected(), f".3 adjusted for 26 questions. {would}", "top label"
    yield detected(two=False), "An RMS error in the top label of .076", "~"
    yield detected(table=turned), "(if it is too extreme) would", "too much"
    yield detected(table=missed(sizes=SIZES[SIZES > 0.04])), "would have been found", "missed"
    yield detected(table=missed(middle=5.0)), "cannot say much: even an RMS error of .20 could be missed.", "been found"
    flat = missed(middle=5.0).assign(size=np.r_[SIZES, SIZES + 0.3], found=np.repeat([0.1, 0.9], len(SIZES)))
    yield detected(table=flat), "cannot say much: even an RMS error of .20 could be missed.", ".50"
    yield detected(1.0, n=1, table=missed().iloc[:0]), "all predictions are certain", "RMS"


def page_how_large():
    wide, more, few = "more or less than the tolerance", ": more than the tol", {"rms": NOTHING, "slope": NOTHING}
    plain = ("Said .50 on average, happened .50, gap .000 [-.050, .050]; slope of the logits .80 [.60, 1.00]; RMS "
             "error between bins .060 [.030, .090] (95 % intervals): which may be more or less than")
    yield how_large(), plain, "confident"
    yield how_large(two=False), "Of the top label: said .50 on average", "~"
    yield how_large(rms=(0.06, 0.0501, 0.09), level=0.1), f"(90 % intervals){more}erance of .05.", "~"
    yield how_large(rms=(0.06, 0.05, 0.09)), wide, "~"
    nothing = f"{more}erance of .05 by its own interval, though among all questions nothing was found."
    for sizes in ({"rms": (0.06, 0.0501, 0.09)}, {"happened": (0.3, 0.2, 0.449)}):
        yield how_large(smallest=0.0501, **sizes), nothing, "~"
        yield how_large(smallest=0.05, **sizes), f"{more}erance of .05.", "nothing was found"
    yield how_large(smallest=0.9, happened=(0.3, 0.2, 0.4), **few), "it is more than the tolerance of .05 by its", "~"
    yield how_large(rms=(0.02, 0, 0.0499)), ": within the tolerance of .05", "~"
    yield how_large(rms=(0.02, 0, 0.05)), wide, "~"
    yield how_large(happened=(0.3, 0.2, 0.449)), more, "~"  # a mean that is off by more says so, too
    yield how_large(happened=(0.6, 0.551, 0.7)), more, "~"
    yield how_large(happened=(0.4, 0.3, 0.4501)), wide, "~"
    yield how_large(happened=(0.6, 0.5499, 0.7)), wide, "~"
    yield how_large(0.05, **LOW), "(says too much); slope of the logits .80 [.60, .95] (too extreme);", "little"
    yield how_large(0.05, **HIGH), "little); slope of the logits 1.20 [1.10, 1.30] (not extreme enough);", "much"
    yield how_large(0.05, happened=(0.4, 0.3, 0.5)), "happened .40, gap .10 [.000, .20]; slope of the", "(says"
    yield how_large(0.051, **LOW), "happened .40, gap .10 [.010, .20]; slope of the logits .80 [.60, .95];", "(says"
    yield how_large(**few), "; too few hits or misses leave the RMS error between bins open.", "slope"
    yield how_large(happened=(0.3, 0.2, 0.4), **few), "open, but on average alone it is more than the tolerance", "~"
    yield how_large(happened=(0.5, np.nan, np.nan)), "happened .50, gap .000; slope", "~"


def page_for_whom():
    small, quiet, nan = GROUPS[3:], GROUPS.assign(p_adjusted=0.3), np.nan
    two = ("Found in 2 of 3 groups, the clearest first: sex = f (slope .50, p .001), site = 3 (says .50, happened .35, "
           "gap .15 [.14, .16], p .004). The others are not cleared by that.")
    many = parts(*((f"site={k}", 0.1, *FLAT, 0.001 * (k + 1)) for k in range(7)))
    yield for_whom(GROUPS), two, "sex = m"
    below = "sex = f (says .50, happened .50, gap -.002 [-.020, -.001]"
    yield for_whom(GROUPS.assign(gap_low=-0.02, gap_high=-0.001)), below, "slope"
    open_ends = GROUPS.assign(gap_low=nan, gap_high=nan, slope=nan)
    yield for_whom(open_ends), "(says .50, happened .35, gap .15, p .004)", "slope"
    equal = GROUPS[:3].assign(p_adjusted=0.001)  # what is furthest off in units of its interval first
    yield for_whom(equal), "first: sex = m (", "cleared"
    steep = equal.assign(slope_low=[0.8, 0.49, 0.8], slope_high=[1.2, 0.51, 1.2])
    yield for_whom(steep), "first: sex = f (slope", "cleared"
    yield for_whom(GROUPS.assign(p_adjusted=[0.05, 0.9, 0.9, nan])), "in 1 of 3 groups, namely site = 3 (", "first"
    yield for_whom(many), "site = 2 (says .50, happened .40, gap .10 [.090, .11], p .003), and 4 more.", "site = 3"
    yield for_whom(quiet), "Nothing found by group (tested: 3); small ones hide much.", "Found in"
    yield for_whom(), "For whom was not asked: no groups were given.", "~"
    yield for_whom(small), "For whom cannot be told: no group has 50 rows.", "~"
    region = " Found where age > 50: says .50, happened .70, gap -.20 [-.21, -.19], p .01 (tested on other rows)."
    for groups in (None, small, quiet, GROUPS):
        yield for_whom(groups, REGIONS, 0.01), region, "x > 1"
    yield for_whom(GROUPS, REGIONS, 0.009), "sex = f", "where"
    classes = pd.DataFrame({"class": ["7", "3"], "said": 0.6, "gap": [0.3, 0.1], "p_adjusted": [0.01, 0.06]})
    top = " Where it is the top label, 1 of 2 classes, first 7 (says .60, happened .30)."
    yield sentences.for_whom_sentence({"classes": classes}, 0.05), top, "~"
    yield sentences.for_whom_sentence({"classes": classes}, 0.009), "For whom was not asked", "top label"


def page_divided():
    table = pd.DataFrame({"map": ["as it is", "TemperatureScaling, T = 0.612"]})
    for name, *three in (("RMS_error", 0.12, 0.1, 0.14), ("ECE", 0.1, 0, 1), ("log_loss", 0.5, 0, 1),
                         ("log_loss_change", -4, -6, -2)):
        table[[name, f"{name}_low", f"{name}_high"]] = np.outer([1, 0.5], three)
    yield sentences.divided_sentence(table, 0.1), (
        "Logits divided by T = .612 (learnt on half of the rows), on the other half: RMS error .12 [.10, .14] → .060 "
        "[.050, .070]; ECE .10 → .050 (.000 to .50 by chance alone); log loss .50 → .25, a change of -2.00 "
        "[-3.00, -1.00] (90 % intervals)."), "~"
    yield sentences.divided_sentence(table.assign(log_loss_change=np.nan), 0.05), "by chance alone) (95", "log loss"
    end = table.assign(map=["as it is", "TemperatureScaling, T = 100"])
    yield sentences.divided_sentence(end, 0.05), "No temperature helps: the best T lies at an end of its range", "→"
    platt = table.iloc[[1]].assign(map="PlattScaling", log_loss_change_high=-3.5, RMS_error=0.01)
    more = pd.concat([table, platt])
    yield sentences.divided_sentence(more, 0.05), " PlattScaling does more: RMS error .010 [.050, .070].", "~"
    for none in (None, table[:1], table.assign(RMS_error=np.nan)):
        yield sentences.divided_sentence(none, 0.05), "", "T"


@pytest.mark.parametrize("page", [page_detected, page_how_large, page_for_whom, page_divided])
def test_page_one_says_what_the_tables_hold_and_no_more(page):
    for sentence, says, says_not in page():
        assert says in sentence and says_not not in sentence


def test_numbers_have_two_or_three_places_and_no_zero_before_the_point():
    rng = np.random.default_rng(0)
    for _ in range(500):
        middle, reach = rng.uniform(0.2, 0.8), rng.uniform(0.02, 0.1)
        values = middle, middle - reach, middle + reach
        assert numbers(*values) == [f"{each:.2f}"[1:] for each in values]
        assert numbers(*values, places=3) == [f"{each:.3f}" for each in values]
    assert numbers(0.003, -0.0124, 0.0181, places=3) == ["0.003", "-0.012", "0.018"]
    assert numbers(0.00023, 0.000075, 0.0000369, 0.000113) == [".00023", ".000075", ".000037", ".00011"]
    assert numbers(0.4391, 0.4382, 0.4402) == [".439", ".438", ".440"] and numbers(0.0, 0.0, 0.02)[0] == ".000"
    values = (0.0634, 0.158, -0.158, 1.026, -0.0001, 0, np.nan, None, 0.0996, np.inf)
    assert " ".join(map(shown, values)) == ".063 .16 -.16 1.03 -.00010 .000 unknown unknown .10 unknown"
    assert " ".join(map(short, (0.001, 0.05, 1.0, 0.12345))) == ".001 .05 1 .123"


def test_outcomes_called_impossible_are_named_three_at_most():
    two = [(7, "ill", 4e-9), (100, "ill", 6e-7)]
    few = sentences.surprises_sentence(two, 0.051, 0.05)
    assert few.endswith("(label ill, probability 6e-07); without such rows nothing is found (adjusted p .051).")
    many = sentences.surprises_sentence([*two, *((k, "well", 1e-5) for k in range(200, 203))], 0.05, 0.05)
    assert "row 200 (label well, probability 1e-05), and 2 more; it is found without such rows, too (adj" in many


def limits(design="holdout", weights=None, cluster=None, features=None, p=(0.5,) * 60, p_adjusted=0.9, **tables):
    rows = panel(np.zeros(60), np.array(p), weights, cluster)
    tables = {"size": size(), "questions": asked(overall=p_adjusted)} | tables
    return set(sentences.limits_of(Evidence(rows, n_resamples=199, features=features), design, tables))


@pytest.mark.parametrize(("given", "says"), [
    ({"design": "cv"}, "no p-value is exact"), ({"cluster": np.arange(60) // 2}, "one uniform number"),
    ({"p": np.full((60, 3), 1 / 3)}, "the top label"), ({"groups": GROUPS}, "for want of 50 rows: 1 of 4 groups."),
    ({"p": np.r_[0.0, 1, 1e-7, np.full(57, 0.5)]}, "3 of 60 predictions are nearer than .000001 to 0 or 1"),
    ({"size": size(slope=LOW["slope"])}, "The interval of “slope” is about that number alone")])
def test_each_limit_follows_from_what_was_given(given, says):
    plain, more = limits(), limits(**given)
    assert len(plain) == 5 and any("no p can be below .005" in each for each in plain)
    (said,) = (each for each in more - plain if says in each)
    assert limits(size=size(**LOW), p_adjusted=0.01) == plain  # the family found it
    assert ("cluster" in given) == any("name what they belong to" in each for each in plain - more)


def test_page_one_is_these_sentences():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    found = ct.audit(rng.random(300) < p, p, groups=rng.choice(["a", "b"], 300), n_resamples=99, rng=0)
    tables = found.tables
    assert not found.detected and found.conclusions == [
        sentences.detected_sentence(tables["questions"], 0.05, tables["missed"]),
        sentences.how_large_sentence(tables["size"], 0.05, 0.05, questions=tables["questions"]),
        sentences.for_whom_sentence(tables, 0.05), sentences.divided_sentence(tables["repair"], 0.05)]


def test_numbers_that_differ_are_told_apart_and_none_reads_0_or_1_but_what_is():
    rng = np.random.default_rng(0)
    for _ in range(4000):
        near, scale = rng.integers(2), 10.0 ** rng.uniform(-9, 0)
        values = np.abs(near - scale * 10.0 ** rng.uniform(-3, 0, 3))
        values[rng.random(3) < 0.1] = near
        for places in (None, 3, 4):
            texts = numbers(*values, places=places)
            read = np.array([float(each) for each in texts])
            off = np.minimum(values, 1 - values)
            assert ((read == 0) == (values == 0)).all() and ((read == 1) == (values == 1)).all(), (values, texts)
            assert texts[1] != texts[2] or np.isclose(values[1], values[2], rtol=1e-9, atol=0), (values, texts)
            if off.max() < 0.009 * 10.0 ** (3 - (places or 3)):  # all near 0, or all near 1: two digits
                assert (np.abs(read - values) <= 0.051 * off + 1e-12).all(), (values, texts)
            assert (np.abs(read - values) <= 0.0051).all()


WORLDS = {  # prevalence, factor of what is said, rows, what else
    "over": (1e-3, 3, 30_000, "groups"),
    "under": (1e-3, 1 / 3, 30_000, "weights"),
    "rarer": (1e-4, 3, 60_000, "features"),
    "rarest": (1e-5, 1, 30_000, "cluster"),
    "three": (1e-4, 1, 9000, "groups"),
    "nearly sure": (1e-3, 3, 30_000, "groups")}


@lru_cache
def rare(world):
    prevalence, factor, n, more = WORLDS[world]
    rng = np.random.default_rng(1)
    p = prevalence * np.exp(rng.normal(0, 1, n) - 0.5)
    y = drawn(rng, p / factor)
    if world == "three":
        sides = rng.beta(2, 2, n)
        p = np.column_stack([(1 - p) * sides, (1 - p) * (1 - sides), p])
        y = drawn(rng, p)
    if world == "nearly sure":
        y, p = 1 - y, 1 - p
    given = {"groups": rng.choice(["a", "b"], n), "weights": rng.choice([1.0, 2], n), "cluster": np.arange(n) // 4,
             "features": pd.DataFrame({"x": rng.normal(size=n)})}
    return ct.audit(y, p, rng=0, n_resamples=99, **{more: given[more]})


@pytest.mark.parametrize("world", [pytest.param(name, marks=[pytest.mark.slow] * (name == "rarer")) for name in WORLDS])
def test_no_number_of_a_report_reads_0_or_1_but_what_is(world):
    found = rare(world)
    for name, table in found.tables.items():
        exact = set(pd.Series(table.to_numpy().ravel()).map(lambda each: each if each in (0, 1) else None).dropna())
        for heading, cells, numeric in report.columns_of(table):
            for text in EXACT.findall(" ".join(cells)) if numeric else ():
                assert float(text) in exact, (name, heading, cells)
    rows, size = found.tables["size"].set_index("quantity"), " ".join(found.conclusions)
    for text in EXACT.findall(size):
        assert float(text) in rows[["estimate", "low", "high"]].to_numpy(), size
    said, happened = re.search(r"said ([\d.]+) on average, happened ([\d.]+)", size, re.I).groups()
    assert float(said) == pytest.approx(rows["estimate"]["said"], rel=0.05)
    assert float(happened) == pytest.approx(rows["estimate"]["happened"], rel=0.05)


@pytest.mark.parametrize(("world", "crowded"), [("over", True), ("nearly sure", True), ("three", False)])
def test_the_curve_of_scores_in_one_bin_has_bins_of_equal_mass_and_logit_axes(world, crowded):
    found = rare(world)
    table, figure = found.tables["curve"], found.figures["curve"]
    assert (len(table) == 15 and np.ptp(table["n"]) <= 1) == crowded
    assert ("ECE, 15 bins of equal mass" in set(found.tables["size"]["quantity"])) == crowded
    x = figure.axes[0].collections[-1].get_offsets()[:, 0]
    assert np.ptp(x) > 0.4 and (any("it never happened in" in each for each in texts(figure))) == (world == "over")
    gap = found.figures["groups"].axes[0]
    assert np.ptp(found.tables["groups"][["gap_low", "gap_high"]].to_numpy()) > 0.2 * np.ptp(gap.get_xlim())
