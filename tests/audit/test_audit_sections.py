"""The tables of an audit against the rest of the package, and what is refused or left out."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.metrics import log_loss

import calibtutor as ct
from calibtutor.audit.inputs import groups_of, panel_of, periods_of
from calibtutor.audit.regions import _in_words, regions
from calibtutor.audit.sections import Evidence, halves, repair
from calibtutor.data.worlds import widmann_model

N = 800


def data(seed=0):
    """Two classes, over-confident where sex is f."""
    rng = np.random.default_rng(seed)
    p, age = rng.uniform(0.05, 0.95, N), rng.uniform(20, 80, N)
    sex = rng.choice(["f", "m"], N)
    truth = np.where(sex == "f", 0.5 + 0.2 * (p - 0.5), p)
    return rng.random(N) < truth, p, pd.DataFrame({"age": age, "sex": sex})


Y, P, TABLE = data()


def quick(y_true, y_prob, **options):
    return ct.audit(y_true, y_prob, **{"n_resamples": 19, "rng": 0} | options)


def numbers(audit, *names):
    return np.concatenate([audit.tables[name].select_dtypes("number").to_numpy(float).ravel() for name in names])


@pytest.fixture(scope="module")
def found():
    site = np.where(np.arange(N) < 30, "small", np.where(np.arange(N) < 400, "A", "B"))
    return quick(
        Y, P, features=TABLE, groups={"sex": TABLE["sex"], "site": site}, time=np.arange(N), n_resamples=199, rng=1
    )


def test_tables_stand_in_the_order_of_the_report_and_the_verdict_is_the_smallest_adjusted_p(found):
    names = "data size curve corp groups regions bias repair others questions missed settings not_run"
    assert list(found.tables) == names.split()
    questions = found.tables["questions"]
    assert found.detected and found.pvalue == questions["p_adjusted"].min() == 1 / 200
    assert (questions["p_adjusted"] >= questions["p"]).all() and (questions["p"] >= 1 / 200).all()
    named = ["intercept and slope", "reliability curve", "RMS error", "canonical", "given the features", "sex = f",
             "sex = m", "site = A", "site = B", "time = 0 to 99"]  # fmt: skip
    assert list(questions["question"])[:10] == named and len(questions) == 17  # eight periods
    rows = found.tables["groups"].set_index("level")
    assert rows["p_adjusted"]["f"] == 1 / 200 and rows["p_adjusted"]["m"] > 0.05
    assert "Found in 7 of 12 groups, the surest first: " in found.conclusions[2]


def test_sizes_are_those_of_the_package(found):
    size = found.tables["size"].set_index("quantity")
    assert size["estimate"]["ECE, 15 bins"] == pytest.approx(ct.expected_calibration_error(Y, P))
    assert size["estimate"]["Brier score"] == pytest.approx(ct.brier_score(Y, P))
    assert size["estimate"]["log loss"] == pytest.approx(log_loss(Y, P))
    assert size["estimate"][["said", "happened"]].tolist() == pytest.approx([P.mean(), Y.mean()])
    assert size["low"]["happened"] < Y.mean() < size["high"]["happened"]
    assert (size["low"] < size["high"])[1:].all() and size["high"]["slope"] < 1
    _, low, high = ct.audit(Y, P, n_resamples=999, rng=0).tables["size"].set_index("quantity").loc["ECE, 15 bins"][:3]
    errors = ct.resampled_errors(P, n_resamples=2000, rng=1)
    assert np.mean((low <= errors) & (errors <= high)) == pytest.approx(0.95, abs=0.02)


def test_curve_is_that_of_the_package(found):
    curve, shown = ct.reliability_curve(Y, P), found.tables["curve"]
    full = curve.count > 0
    assert (shown["n"] == curve.count[full]).all()
    assert shown["said"].to_numpy() == pytest.approx(curve.confidence[full])
    assert shown["happened"].to_numpy() == pytest.approx(curve.frequency[full])
    # Among four questions the band is a little wider than the simultaneous one of the package, among 17 more.
    alone, (low, high) = quick(Y, P, n_resamples=999), ct.consistency_band(P, level=0.95, simultaneous=True, rng=0)
    band = alone.tables["curve"]["band_high"] - alone.tables["curve"]["band_low"]
    wide = (band / (high - low)[full]).to_numpy()
    assert (wide > 0.99).all() and (wide < 1.2).all() and (band < shown["band_high"] - shown["band_low"]).all()


def test_groups_have_their_gap_and_small_ones_are_not_tested(found):
    rows = found.tables["groups"].set_index(["column", "level"])
    inside = (TABLE["sex"] == "f").to_numpy()
    assert rows["gap"]["sex", "f"] == pytest.approx((P - Y)[inside].mean()) and rows["n"]["sex", "f"] == inside.sum()
    assert rows["slope_high"]["sex", "f"] < 1 < rows["slope_high"]["sex", "m"]
    small = rows.loc["site", "small"]
    assert small["n"] == 30 and not small["tested"] and np.isfinite(small["gap"])
    assert pd.isna(small[["p", "p_adjusted", "slope"]]).all() and small["gap_low"] < small["gap"] < small["gap_high"]
    assert rows.loc["time", "n"].tolist() == [100] * 8 and rows.loc["time"].index[0] == "0 to 99"


def test_bias_is_the_gap_by_level_of_each_feature(found):
    bias = found.tables["bias"].set_index(["feature", "level"])
    assert len(bias.loc["age"]) == 4 and bias.loc["sex"].index.tolist() == ["f", "m"]
    inside = (TABLE["sex"] == "f").to_numpy()
    assert bias["gap"]["sex", "f"] == pytest.approx((P - Y)[inside].mean())
    assert bias["said"]["sex", "f"] == pytest.approx(P[inside].mean()) and (bias["gap_low"] < bias["gap_high"]).all()
    many = quick(Y, P, features=pd.DataFrame({"id": np.arange(N).astype(str), "age": TABLE["age"]}))
    assert set(many.tables["bias"]["feature"]) == {"age"} and "bias by id" in set(many.tables["not_run"]["what"])


def test_regions_are_learnt_on_one_half_and_tested_on_the_other(found):
    regions = found.tables["regions"]
    assert regions["rule"].is_unique and regions["n"].sum() <= N / 2 and (regions["n"] >= 50).all()
    y = np.random.default_rng(5).random(N) < np.where(TABLE["sex"] == "f", P - 0.2, P)
    panel, half = panel_of(y, P)[0], (np.arange(0, 400), np.arange(400, 800))
    spoiled = panel.y_true.copy()
    spoiled[400:] = 0
    once, again = (regions_of(each, TABLE, half, 49) for each in (panel, panel_of(spoiled, panel.said)[0]))
    assert "sex is " in " ".join(once["rule"]) and once["p_adjusted"].min() <= 0.05
    assert list(once["rule"]) == list(again["rule"]) and not np.allclose(once["gap"], again["gap"])


def regions_of(panel, features, half, n_resamples, rng=0):
    rng, found = {"regions": np.random.default_rng(rng)}, {"intercept and slope": (0.001, 0.001)}
    return regions(
        Evidence(panel, n_resamples=n_resamples, features=features, halves=half, rng=rng, answers=found)
    ).table


def test_a_region_is_what_its_rule_says():
    rng = np.random.default_rng(0)
    p, wear, kind = rng.random(3000), rng.random(3000), rng.choice(["a", "b"], 3000)
    y = rng.random(3000) < np.clip(p - 0.6 * (wear > 0.7217), 0, 1)
    panel, features = panel_of(y, p)[0], pd.DataFrame({"wear": wear, "kind": kind})
    first, second = np.arange(1500), np.arange(1500, 3000)
    table = regions_of(panel, features, (first, second), 19)
    features["said"] = p
    for rule, n in zip(table["rule"], table["n"], strict=True):
        as_code = re.sub(r"kind is (not )?(\w)", lambda found: f"kind {'!=' if found[1] else '=='} '{found[2]}'", rule)
        assert features.iloc[second].eval(as_code).sum() == n
        conditions = rule.split(" and ")
        assert len({re.search("wear|said|kind", each)[0] for each in conditions}) == len(conditions)
    way = ((0, 1.0, True), (1, 0.5, False), (0, 9.0, False), (0, 2.5, True), (0, 7.0, False))
    assert _in_words(way, [("a", None), ("b", "x")]) == "2.5 < a <= 7 and b is not x"
    assert table["n"].sum() == 1500 and any("wear <= 0.7" in rule for rule in table["rule"])
    assert all(len(number) < 6 for number in re.findall(r"[\d.]+", " ".join(table["rule"])))


def test_regions_are_asked_only_if_something_was_found_before():
    """So either fires where the family does, and no more often."""
    half, panel = (np.arange(400), np.arange(400, N)), panel_of(Y, P)[0]
    for adjusted, asked in ((0.05, True), (0.0501, False)):
        answers, rng = {"canonical": (0.001, adjusted), "RMS error": (0.5, 0.9)}, {"regions": np.random.default_rng(0)}
        section = regions(Evidence(panel, n_resamples=99, features=TABLE, halves=half, rng=rng, answers=answers))
        assert (section.table is not None) == asked == (section.not_run == [])
    assert section.not_run == [("regions", "nothing was found before, and only then are they asked")]
    rng = np.random.default_rng(5)
    quiet = quick(rng.random(N) < P, P, features=TABLE, n_resamples=99)
    assert not quiet.detected and "regions" not in quiet.tables and "Found where" not in quiet.summary()


def test_regions_of_a_calibrated_model_are_found_at_the_level():
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p, X = rng.random(400), rng.normal(size=(400, 2))
        panel = panel_of(rng.random(400) < p, p)[0]
        table = regions_of(panel, X, (np.arange(200), np.arange(200, 400)), 99, rng)
        found += table["p_adjusted"].min() <= 0.05
    assert found <= 6  # binomial, 40 at .05: more in 1.4 %


def test_an_infinite_log_loss_is_told():
    panel = panel_of(Y, np.where(P < 0.3, 0, P))[0]
    half = halves(panel, np.random.default_rng(0))
    section = repair(Evidence(panel, halves=half))
    assert np.isfinite(section.table["brier_high"]).all() and not np.isfinite(section.table["log_loss"]).any()
    assert set(dict(section.not_run)) == {f"log loss of {each.split(',')[0]}" for each in section.table["map"]}
    size = quick(Y, np.where(P < 0.3, 0, P)).tables["size"].set_index("quantity")
    assert np.isinf(size["estimate"]["log loss"]) and np.isnan(size["high"]["log loss"])


def test_repair_is_the_change_on_the_other_half():
    panel = panel_of(Y, P)[0]
    half = halves(panel, np.random.default_rng(0))
    assert len(np.intersect1d(*half)) == 0 and sum(map(len, half)) == N
    section = repair(Evidence(panel, halves=half))
    assert [what for what, _ in section.not_run] == ["log loss of IsotonicCalibration"] and section.notes == []
    row, isotonic = (section.table.set_index("map").loc[name] for name in ("PlattScaling", "IsotonicCalibration"))
    mapped = ct.PlattScaling().fit(Y[half[0]].astype(int), P[half[0]]).predict_proba(P[half[1]])
    change = ct.brier_score(Y[half[1]], mapped) - ct.brier_score(Y[half[1]], P[half[1]])
    assert row["brier"] == pytest.approx(change) and row["brier_low"] < change < row["brier_high"]
    assert np.isfinite(isotonic["brier_high"]) and np.isnan(isotonic["log_loss_low"])


# --- data ---


def told(audit):
    table = audit.tables["data"]
    return dict(zip(table["what"], table["value"], strict=True)), " ".join(table["note"])


def test_what_came_in_is_told():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 300).round(2)
    y = np.where(p[:, 1] > 0.5, "b", "a")
    audit = quick(y, p, classes=["a", "b", "c"])
    what, notes = told(audit)
    assert (
        what["rows"] == 300
        and what["classes"] == 3
        and what["rows of class c"] == 0
        and "no row has the label 'c'" in notes
    )
    assert what["rows divided by their sum"] > 0 and "missed 1 by 0.01" in notes
    assert {"class a", "class b", "class c", "top label", "canonical"} < set(audit.tables["questions"]["question"])
    p = rng.random(300)
    y = rng.random(300) < p
    what, notes = told(quick(y, 1 - p))
    assert what["area under the ROC curve"] < 0.5 and "doubt" in what
    assert "TemperatureScaling: " in notes  # the best temperature lies at an end


# --- many classes, clusters, weights ---


def test_a_file_put_together_wrongly_is_doubted():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(4, 0.3), 400)
    y = (rng.random(400)[:, None] > p.cumsum(axis=1)).sum(axis=1)

    def doubts(y, p):
        table = quick(y, p).tables["data"]
        return table["note"][table["what"] == "doubt"].tolist()

    assert doubts(y, p) == []
    for says, *given in (("softmax applied twice?", y, softmax(p, axis=1)),
                         ("are these the model's answers?", p.argmax(axis=1), p),
                         ("are rows or columns in another order?", rng.permutation(y), p)):  # fmt: skip
        assert sum(says in each for each in doubts(*given)) == 1


def test_classes_that_are_rare_are_seen():
    """Most probabilities of a class are nearly 0: at their median distance a kernel would see each other row alone."""
    rng, found = np.random.default_rng(0), []
    for _ in range(5):
        logits = 6 * np.eye(5)[rng.integers(5, size=800)] * rng.random((800, 1)) + rng.normal(size=(800, 5))
        right, p = softmax(logits, axis=1), softmax(2.5 * logits, axis=1)
        y = (rng.random(800)[:, None] > right.cumsum(axis=1)).sum(axis=1)
        asked = quick(y, p, n_resamples=199, rng=0).tables["questions"].set_index("question")["p"]
        found += [asked[f"class {k}"] <= 0.05 for k in range(5)]
    assert np.mean(found) >= 0.9


def test_many_classes():
    y, p = widmann_model("M3", 600, rng=0)
    audit = quick(y, p, n_resamples=99, rng=0)
    assert audit.detected and len(audit.tables["questions"]) == 15
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(60, 0.1), 500)
    y = np.array([rng.choice(60, p=row) for row in p])
    audit = quick(y, p, n_resamples=99, rng=0)
    assert not audit.detected and "each class" in set(audit.tables["not_run"]["what"])
    asked = ["intercept and slope", "reliability curve", "RMS error", "canonical", "top label"]
    assert list(audit.tables["questions"]["question"]) == asked
    assert [each.split(",")[0] for each in audit.tables["repair"]["map"]] == ["TemperatureScaling"]
    assert len(audit.tables["data"]) < 40


def test_clusters_are_kept_together_and_rows_may_come_in_any_order():
    cluster, order = np.arange(N) % 100, np.random.default_rng(5).permutation(N)
    panel = panel_of(Y, P, cluster=cluster)[0]
    first, second = halves(panel, np.random.default_rng(0))
    assert not set(panel.cluster[first]) & set(panel.cluster[second])
    group = np.where(cluster < 19, "few", "many")
    one = quick(Y, P, cluster=cluster, groups=group)
    other = quick(Y[order], P[order], cluster=cluster[order], groups=group[order])
    sizes = [each.tables["size"][:3][["estimate", "low", "high"]].to_numpy() for each in (one, other)]
    assert np.allclose(*sizes, equal_nan=True) and told(one)[0]["clusters"] == 100
    few = one.tables["groups"].set_index("level")
    assert few["tested"].all() and np.isnan(few["gap_low"]["few"]) and np.isfinite(few["gap_low"]["many"])
    assert few["gap"].tolist() == pytest.approx(other.tables["groups"]["gap"].tolist())


def test_a_weight_of_zero_is_the_row_left_out_and_their_unit_makes_no_difference():
    zero, w = np.where(np.arange(N) < 600, 1.0, 0.0), np.random.default_rng(0).random(N) + 0.1
    one = quick(Y, P, weights=zero, groups=TABLE["sex"], n_resamples=99)
    other = quick(Y[:600], P[:600], groups=TABLE["sex"][:600], n_resamples=99)
    once, small = (quick(Y, P, weights=k * w, groups=TABLE["sex"]) for k in (1, 1e-200))
    for left, right in ((one, other), (once, small)):
        left, right = (numbers(each, "size", "groups", "curve", "questions", "repair") for each in (left, right))
        assert np.allclose(left, right, equal_nan=True, atol=1e-6)


# --- as a result ---


def test_a_seed_that_was_drawn_gives_the_same_audit(found):
    once = ct.audit(Y, P, n_resamples=49)
    again = ct.audit(Y, P, n_resamples=49, rng=once.settings["seed"])
    assert json.dumps(once.to_dict()) == json.dumps(again.to_dict())
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["tables"]["groups"][0]["column"] == "sex"


def test_its_text_is_page_one(found):
    said = found.summary()
    assert all(sentence in " ".join(said.split()) for sentence in found.conclusions + found.limits)
    assert max(map(len, said.splitlines())) <= 120 and str(found) == said and "\n" not in repr(found)


# --- refused, or not run ---


@pytest.mark.parametrize(
    ("options", "argument", "row"),
    [
        ({"design": "training"}, "design", None),
        ({"level": 1}, "level", None),
        ({"tolerance": 0}, "tolerance", None),
        ({"tolerance": 1}, "tolerance", None),
        ({"n_resamples": 18}, "n_resamples", None),
        ({"n_resamples": 98, "level": 0.01}, "n_resamples", None),
        ({"weights": np.r_[1.0, 1e12, np.ones(N - 2)]}, "weights", 1),
        ({"groups": "sex"}, "groups", None),
        ({"features": {"age": np.zeros(N)}}, "features", None),
        ({"features": np.r_[0.5, np.inf, np.arange(N - 2)]}, "features", 1),
        ({"groups": {"a": ["b = c"] * N, "a = b": ["c"] * N}}, "groups", None),
        ({"groups": {"id": np.arange(N).astype(str)}}, "groups['id']", None),
        ({"groups": {"two": np.zeros((N, 2))}}, "groups['two']", None),
        *(({"rng": seed}, "rng", None) for seed in ("0", -1, 0.5)),
        ({"cluster": np.arange(N) % 29}, "cluster", None),
        ({"time": [2.0, None, *range(N - 2)]}, "time", 1),
        ({"time": ["2024-01-31", "31/01/2024", *map(str, range(3000, 3798))]}, "time", 1),
    ],
)
def test_bad_options_are_refused_by_argument_and_row(options, argument, row):
    with pytest.raises(ct.InputError) as refused:
        quick(Y, P, **options)
    assert (refused.value.argument, refused.value.row) == (argument, row)


@pytest.mark.parametrize("name", ["groups", "features", "time", "weights", "cluster"])
def test_columns_of_another_length_or_order_are_refused(name):
    for y_true, y_prob, values in ((Y, P, np.arange(9.0)), (Y, pd.Series(P), TABLE["age"][::-1]),
                                   (pd.Series(Y), P, TABLE["age"][::-1])):  # fmt: skip
        with pytest.raises(ct.InputError) as refused:
            quick(y_true, y_prob, **{name: values})
        assert name in refused.value.argument


def test_sections_that_few_rows_do_not_allow_are_named():
    audit = quick([0, 1] * 30, [0.2, 0.7] * 30)
    not_run = {"groups", "regions", "bias by feature", "repair"}
    assert set(audit.tables["not_run"]["what"]) == not_run and not not_run & set(audit.tables)


def test_what_was_certain_and_did_not_happen_is_found_in_every_group():
    """The variance of such a sum is 0: nothing is divided by it, and nothing is left out."""
    for said in ((P > 0.5) * 1.0, np.where(P > 0.5, 1.0, 1e-9)):
        found = quick(Y, said, groups=TABLE["sex"])
        assert (found.tables["groups"]["p"] == 0.05).all()
    right = quick(Y, Y * 1.0, groups=TABLE["sex"])
    assert (right.tables["questions"]["p"] == 1).all() and "nearer than" in right.summary()
    shifted = (np.arange(N) % 3, np.eye(3)[(np.arange(N) + 1) % 3])
    found = quick(*shifted, groups=TABLE["sex"])
    assert (found.tables["groups"]["p"] == 0.05).all() and (found.tables["groups"]["gap"] == 1).all()
    assert found.conclusions[0].startswith("Is the input right?") and "in another order" in found.conclusions[0]


@pytest.mark.parametrize("n", [2, 3])
def test_few_rows_are_told_to_say_little(n):
    found = quick(Y[:n], P[:n], groups=TABLE["sex"][:n], features=TABLE[:n])
    assert not found.detected and "cannot say much" in found.conclusions[0]
    assert "leave the RMS error between bins open" in found.conclusions[1] and "cannot be told" in found.conclusions[2]


def test_two_columns_and_a_vector_are_the_same_and_the_index_may_repeat():
    options = {"n_resamples": 19, "rng": 0}
    one = quick(Y, P, groups=TABLE["sex"], features=TABLE, **options)
    index = np.zeros(N, dtype=int)
    other = quick(pd.Series(Y, index=index), pd.DataFrame({0: 1 - P, 1: P}, index=index),
                     groups=TABLE["sex"].set_axis(index), features=TABLE.set_axis(index), **options)  # fmt: skip
    assert one.summary() == other.summary()
    assert quick(Y, P[:, None], **options).pvalue == quick(Y, P, **options).pvalue


def test_where_predictions_are_all_equal_it_says_what_was_not_asked():
    found = quick(Y, np.full(N, 0.5), features=TABLE)
    not_run = found.tables["not_run"].set_index("what")["why"]
    assert (
        "predictions are equal" in not_run["canonical"]
        and "pairs of predictions are equal" in not_run["given the features"]
    )
    assert "repair by TemperatureScaling" in not_run
    assert any("could not be asked" in limit for limit in found.limits)


# --- groups and periods ---


def levels_of(groups):
    n = len(groups)
    return groups_of(groups, None, np.zeros(n), np.arange(n), panel_of(np.zeros(n), np.full(n, 0.5))[0])


def test_columns_of_many_numbers_are_cut_and_missing_is_a_level():
    age = pd.Series(np.arange(100.0))
    age[3] = np.nan
    levels = levels_of(pd.DataFrame({"age": age, "sex": ["f", None] * 50}))
    assert list(levels["sex"]) == ["f", "missing"] and levels["sex"]["missing"].sum() == 50
    assert list(levels["age"])[-1] == "missing" and len(levels["age"]) == 5
    assert sum(rows.sum() for rows in levels["age"].values()) == 100
    assert list(levels_of(np.array([10, 2] * 50))["group"]) == ["2", "10"]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (np.linspace(0.0012, 0.5, 200), ["0.0012 to 0.124", "0.1265 to 0.2493", "0.2519 to 0.3747", "0.3772 to 0.5"]),
        (np.linspace(1e4, 89_765.4321, 200), ["10000 to 29641", "30042 to 49682", "50083 to 69724", "70125 to 89765"]),
        (np.arange(20, 60).repeat(5), ["20 to 29", "30 to 39", "40 to 49", "50 to 59"]),  # whole numbers as they are
        (np.r_[np.zeros(150), np.linspace(0.5, 2, 150)], ["0", "0.5 to 1.245", "1.255 to 2"]),
    ],
)
def test_cut_numbers_have_few_digits_and_parts_of_about_as_many_rows(values, levels):
    found = levels_of(values)["group"]
    assert list(found) == levels and np.sum(list(found.values()), axis=0).tolist() == [1] * len(values)
    for name, rows in found.items():
        low, high = (*map(float, name.split(" to ")),) * (1 if " to " in name else 2)
        assert (low, high) == pytest.approx((values[rows].min(), values[rows].max()), rel=1e-3)
    if len(found) == 4:
        assert max(abs(rows.sum() - len(values) / 4) for rows in found.values()) <= len(values) / 40 + 1


def test_groups_of_a_table_that_is_not_of_pandas():
    class Table:  # as that of polars: iterating it gives columns, not names
        columns = ["sex"]

        def __getitem__(self, name):
            return np.array(["f", "m"] * 50)

        def __iter__(self):
            yield self["sex"]

    assert list(
        groups_of(Table(), None, np.zeros(100), np.arange(100), panel_of(np.zeros(100), np.full(100, 0.5))[0])["sex"]
    ) == ["f", "m"]


def test_different_values_are_different_levels():
    y_prob, order = np.zeros(400), np.arange(400)
    seconds = 1.7e9 + np.arange(400.0)
    assert len(periods_of(seconds, y_prob, order)) == 8
    assert list(levels_of(np.array([1, "1"] * 200, dtype=object))["group"]) == ["1", "'1'"]
    close = levels_of(seconds[np.arange(400) % 3])["group"]
    assert [rows.sum() for rows in close.values()] == [134, 133, 133]


def test_periods_are_in_the_order_of_time():
    y_prob, order = np.zeros(400), np.arange(400)
    days = pd.Series(pd.date_range("2024-01-01", periods=400))[::-1].reset_index(drop=True)
    periods = periods_of(days, y_prob, order)
    assert list(periods)[0].startswith("2024-01-01 to 2024-02") and len(periods) == 8
    assert list(periods_of(days.astype(str), y_prob, order)) == list(periods)
    summer = days.dt.tz_localize("Europe/Paris").map(pd.Timestamp.isoformat)  # +01:00, from April on +02:00
    assert [name[:10] for name in periods_of(summer, y_prob, order)] == [
        str((pd.Timestamp(name[:10]) - pd.Timedelta("1D")).date()) for name in periods
    ]
    assert list(periods_of(np.array([2021, 2019] * 200), y_prob, order)) == ["2019", "2021"]
