"""The tables of an audit against the rest of the package, and what is refused or left out."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from audit_tables import drawn, panel, quick
from scipy.special import softmax
from sklearn.metrics import log_loss

import calibtutor as ct
from calibtutor.audit.columns import groups_of, periods_of
from calibtutor.audit.inputs import panel_of
from calibtutor.audit.intervals import mean_interval, rms_error
from calibtutor.audit.regions import _in_words, regions
from calibtutor.audit.sections import Evidence, classes, halves, repair, sets

N = 800


def data():
    """Two classes, over-confident where sex is f."""
    rng = np.random.default_rng(0)
    p, age = rng.uniform(0.05, 0.95, N), rng.uniform(20, 80, N)
    sex = rng.choice(["f", "m"], N)
    truth = np.where(sex == "f", 0.5 + 0.2 * (p - 0.5), p)
    return rng.random(N) < truth, p, pd.DataFrame({"age": age, "sex": sex})


Y, P, TABLE = data()
SEX = TABLE["sex"]


def told(audit):
    table = audit.tables["data"]
    return dict(zip(table["what"], table["value"], strict=True)), " ".join(table["note"])


@pytest.fixture(scope="module")
def found():
    site = np.where(np.arange(N) < 30, "small", np.where(np.arange(N) < 400, "A", "B"))
    groups = {"sex": SEX, "site": site}
    return quick(Y, P, features=TABLE, groups=groups, time=np.arange(N), n_resamples=199, rng=1)


def test_tables_stand_in_the_order_of_the_report_and_the_verdict_is_the_smallest_adjusted_p(found):
    names = "data size curve groups regions bias repair others questions missed settings not_run"
    assert list(found.tables) == names.split()
    questions = found.tables["questions"]
    assert found.detected and found.pvalue == questions["p_adjusted"].min() == 1 / 200
    assert (questions["p_adjusted"] >= questions["p"]).all() and (questions["p"] >= 1 / 200).all()
    named = ["intercept and slope", "reliability curve", "RMS error", "canonical", "given the features", "sex = f",
             "sex = m", "site = A", "site = B", "time = 0 to 99"]
    assert list(questions["question"])[:10] == named and len(questions) == 17  # eight periods
    said = found.summary()
    assert all(sentence in " ".join(said.split()) for sentence in found.conclusions + found.limits)
    assert max(map(len, said.splitlines())) <= 120 and str(found) == said and "\n" not in repr(found)


def test_sizes_and_curve_are_those_of_the_package(found):
    size = found.tables["size"].set_index("quantity")
    assert size["estimate"]["ECE, 15 bins"] == pytest.approx(ct.expected_calibration_error(Y, P))
    assert size["estimate"]["Brier score"] == pytest.approx(ct.brier_score(Y, P))
    assert size["estimate"]["log loss"] == pytest.approx(log_loss(Y, P))
    assert size["estimate"][["said", "happened"]].tolist() == pytest.approx([P.mean(), Y.mean()])
    assert size["low"]["happened"] < Y.mean() < size["high"]["happened"]
    assert (size["low"] < size["high"])[1:].all() and size["high"]["slope"] < 1
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
    low, high = alone.tables["size"].set_index("quantity").loc["ECE, 15 bins", ["low", "high"]]
    errors = ct.resampled_errors(P, n_resamples=2000, rng=1)
    assert np.mean((low <= errors) & (errors <= high)) == pytest.approx(0.95, abs=0.02)


def test_groups_and_levels_of_features_have_their_gap_and_small_groups_are_not_tested(found):
    rows, inside = found.tables["groups"].set_index(["column", "level"]), (SEX == "f").to_numpy()
    assert rows["gap"]["sex", "f"] == pytest.approx((P - Y)[inside].mean()) and rows["n"]["sex", "f"] == inside.sum()
    assert rows["slope_high"]["sex", "f"] < 1 < rows["slope_high"]["sex", "m"]
    assert rows["p_adjusted"]["sex", "f"] == 1 / 200 and rows["p_adjusted"]["sex", "m"] > 0.05
    small = rows.loc["site", "small"]
    assert small["n"] == 30 and not small["tested"] and small["gap_low"] < small["gap"] < small["gap_high"]
    assert pd.isna(small[["p", "p_adjusted", "slope"]]).all()
    assert rows.loc["time", "n"].tolist() == [100] * 8 and rows.loc["time"].index[0] == "0 to 99"
    bias = found.tables["bias"].set_index(["feature", "level"])
    assert len(bias.loc["age"]) == 4 and bias.loc["sex"].index.tolist() == ["f", "m"]
    assert bias["said"]["sex", "f"] == pytest.approx(P[inside].mean()) and (bias["gap_low"] < bias["gap_high"]).all()
    many = quick(Y, P, features=pd.DataFrame({"id": np.arange(N).astype(str), "age": TABLE["age"]}))
    assert set(many.tables["bias"]["feature"]) == {"age"} and "bias by id" in set(many.tables["not_run"]["what"])


def regions_of(panel, features, n_resamples=49, rng=0, adjusted=0.001):
    half = np.arange(len(panel) // 2), np.arange(len(panel) // 2, len(panel))
    rng, answers = {"regions": np.random.default_rng(rng)}, {"canonical": (0.001, adjusted), "RMS error": (0.5, 0.9)}
    return regions(Evidence(panel, 0.05, n_resamples, features, halves=half, rng=rng, answers=answers))


def test_regions_are_learnt_on_one_half_tested_on_the_other_and_asked_only_if_something_was_found(found):
    table = found.tables["regions"]
    assert table["rule"].is_unique and table["n"].sum() <= N / 2 and (table["n"] >= 50).all()
    y = np.random.default_rng(5).random(N) < np.where(SEX == "f", P - 0.2, P)
    spoiled = np.where(np.arange(N) < 400, y, 0)
    once, again = (regions_of(panel_of(each, P)[0], TABLE).table for each in (y, spoiled))
    assert "sex is " in " ".join(once["rule"]) and once["p_adjusted"].min() <= 0.05
    assert list(once["rule"]) == list(again["rule"]) and not np.allclose(once["gap"], again["gap"])
    for adjusted, asked in ((0.05, True), (0.0501, False)):  # so either fires where the family does
        section = regions_of(panel_of(y, P)[0], TABLE, adjusted=adjusted)
        assert (section.table is not None) == asked == (section.not_run == [])
    rng, false = np.random.default_rng(0), 0
    for _ in range(20):
        p = rng.random(400)
        table = regions_of(panel_of(drawn(rng, p), p)[0], rng.normal(size=(400, 2)), 39, rng).table
        false += table["p_adjusted"].min() <= 0.05
    assert false <= 4  # binomial, 20 at .05: more in .3 %


def test_a_region_is_what_its_rule_says():
    rng = np.random.default_rng(0)
    p, wear, kind = rng.random(3000), rng.random(3000), rng.choice(["a", "b"], 3000)
    y = rng.random(3000) < np.clip(p - 0.6 * (wear > 0.7217), 0, 1)
    features = pd.DataFrame({"wear": wear, "kind": kind})
    table = regions_of(panel_of(y, p)[0], features, 19).table
    for rule, n in zip(table["rule"], table["n"], strict=True):
        as_code = re.sub(r"kind is (not )?(\w)", lambda found: f"kind {'!=' if found[1] else '=='} '{found[2]}'", rule)
        assert features.iloc[1500:].eval(as_code).sum() == n
    assert table["n"].sum() == 1500 and any("wear <= 0.7" in rule for rule in table["rule"])
    assert all(len(number) < 6 for number in re.findall(r"[\d.]+", " ".join(table["rule"])))
    way = ((0, 1.0, True), (1, 0.5, False), (0, 9.0, False), (0, 2.5, True), (0, 7.0, False))
    assert _in_words(way, [("a", None), ("b", "x")]) == "2.5 < a <= 7 and b is not x"


def test_a_repair_is_judged_on_the_other_half_and_an_infinite_loss_is_told():
    panel = panel_of(Y, P)[0]
    learn, judge = half = halves(panel, np.random.default_rng(0))
    assert len(np.intersect1d(*half)) == 0 and len(learn) + len(judge) == N
    section = repair(Evidence(panel, halves=half))
    assert [what for what, _ in section.not_run] == ["change of log loss by IsotonicCalibration"]
    assert section.notes == []
    rows, y, p, w = section.table.to_dict("records"), Y[judge].astype(int), P[judge], np.ones(len(judge))
    for row, maker in zip(rows, (None, ct.TemperatureScaling(), ct.PlattScaling()), strict=False):
        mapped = maker.fit(Y[learn].astype(int), P[learn]).predict_proba(p) if maker else p
        assert row["ECE"] == pytest.approx(ct.expected_calibration_error(y, mapped))
        chance = np.quantile(ct.resampled_errors(mapped, n_resamples=2000, rng=0), [0.025, 0.975])
        assert (row["ECE_low"], row["ECE_high"]) == pytest.approx(chance, abs=0.003)
        assert not maker or row["Brier_change"] == pytest.approx(ct.brier_score(y, mapped) - ct.brier_score(y, p))
        interval = lambda name, row=row: [row[f"{name}{end}"] for end in ("", "_low", "_high")]
        assert interval("RMS_error") == pytest.approx(rms_error(y, mapped, w)[0])
        loss, before = (-np.log(np.where(y, each, 1 - each)) for each in (mapped, p))
        assert interval("log_loss") == pytest.approx(mean_interval(loss, w))
        assert not maker or interval("log_loss_change") == pytest.approx(mean_interval(loss - before, w))
    assert np.isfinite(rows[3]["Brier_change_high"]) and np.isnan(rows[3]["log_loss_change_low"])
    size = quick(Y, np.where(P < 0.3, 0, P)).tables["size"].set_index("quantity")
    assert np.isinf(size["estimate"]["log loss"]) and np.isnan(size["high"]["log loss"])


@pytest.mark.parametrize(("factor", "found"), [(1.0, (0, 5)), (1.4, (12, 40))])
def test_of_a_hundred_calibrated_classes_one_is_found_in_five_of_a_hundred_data_sets_at_most(factor, found):
    """And intervals of all classes at once, and of each set of the top k, hold what they say too much."""
    rng, false, missed, raw, shrunk, outside = np.random.default_rng(0), 0, 0, 0.0, 0.0, np.zeros(5)
    for _ in range(40):
        z = 2.2 * rng.normal(size=(2000, 100))
        truth, p = softmax(z, axis=1), softmax(factor * z, axis=1)
        evidence, top = Evidence(panel(drawn(rng, truth), p)), p.argmax(axis=1)
        table, rows = classes(evidence).table, sets(evidence).table
        true = np.array([(p - truth)[top == int(k), int(k)].mean() for k in table["class"]])
        false += (table["p_adjusted"] <= 0.05).any()
        assert ((table["p_adjusted"] <= 0.05) == (table["gap_low"] > 0) | (table["gap_high"] < 0)).all()
        missed += not np.array_equal(np.clip(true, table["gap_low"], table["gap_high"]), true)
        raw, shrunk = raw + ((table["gap"] - true) ** 2).mean(), shrunk + ((table["shrunk"] - true) ** 2).mean()
        beyond = np.take_along_axis(p - truth, np.argsort(-p), axis=1).cumsum(axis=1).mean(axis=0)[rows["k"] - 1]
        outside += (rows["gap_low"] > beyond) | (rows["gap_high"] < beyond)
    assert found[0] <= false <= found[1] and missed <= 5 and shrunk < raw / 4  # binomial, 40 at .05: more in 1.4 %
    assert (outside <= 7).all()


def test_a_class_is_asked_where_it_is_the_top_label_and_sets_hold_the_most_probable():
    p = np.random.default_rng(1).dirichlet(np.full(30, 0.3), 900).round(1) + 0.01  # many are equal
    rows = panel(drawn(np.random.default_rng(2), p), p / p.sum(axis=1, keepdims=True))
    table, order = classes(Evidence(rows)).table, np.argsort(-p, axis=1, kind="stable")
    count = np.bincount(order[:, 0], minlength=30)
    assert set(table["class"]) == set(np.flatnonzero(count >= 20).astype(str)) and len(table) < 30
    assert (table["n"] == count[table["class"].astype(int)]).all() and (table["shrunk"].abs().diff()[1:] <= 1e-12).all()
    for k, _, happened, *_ in sets(Evidence(rows)).table.itertuples(index=False):
        assert happened == pytest.approx((order[:, :k] == rows.y_true[:, None]).any(axis=1).mean())
    table = classes(Evidence(replace(rows, cluster=np.arange(900) // 3))).table
    assert table[["gap_low", "p_adjusted"]].isna().to_numpy().all() and table["shrunk"].notna().all()
    few, two = Evidence(panel(Y, np.column_stack([P / 2, P / 2, 1 - P]))), Evidence(panel(Y, P))
    assert classes(few).table is classes(two).table is sets(two).table is None and list(sets(few).table["k"]) == [1, 2]


def test_what_came_in_is_told():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 300).round(2)
    audit = quick(np.where(p[:, 1] > 0.5, "b", "a"), p, classes=["a", "b", "c"])
    what, notes = told(audit)
    assert what["rows"] == 300 and what["classes"] == 3 and what["rows of class c"] == 0
    assert what["rows divided by their sum"] > 0 and "missed 1 by 0.01" in notes
    assert {"class a", "class b", "class c", "top label", "canonical"} < set(audit.tables["questions"]["question"])
    p = rng.random(300)
    what, notes = told(quick(drawn(rng, p), 1 - p))
    assert what["area under the ROC curve"] < 0.5 and "doubt" in what
    assert "TemperatureScaling: " in notes  # the best temperature lies at an end


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


def test_other_ways_to_say_the_same_give_the_same_audit():
    """A weight of 0 is a row left out, weights have no unit, two columns are a vector, an index may repeat; a seed."""
    zero, w = np.where(np.arange(N) < 600, 1.0, 0.0), np.random.default_rng(0).random(N) + 0.1
    index = np.zeros(N, dtype=int)
    two, once = pd.DataFrame({0: 1 - P, 1: P}, index=index), quick(Y, P, rng=None)
    for one, other in ((quick(Y, P, weights=zero, groups=SEX), quick(Y[:600], P[:600], groups=SEX[:600])),
                       (quick(Y, P, weights=w, groups=SEX), quick(Y, P, weights=1e-200 * w, groups=SEX)),
                       (quick(Y, P, groups=SEX), quick(pd.Series(Y, index=index), two, groups=SEX.set_axis(index))),
                       (once, quick(Y, P[:, None], rng=once.settings["seed"]))):
        for name in one.tables.keys() & {"size", "groups", "curve", "questions", "repair", "missed"}:
            tables = (each.tables[name].select_dtypes("number").to_numpy(float) for each in (one, other))
            assert np.allclose(*tables, equal_nan=True, atol=1e-6), name


@pytest.mark.parametrize(("options", "argument", "row"), [
    ({"design": "training"}, "design", None), ({"tolerance": 0}, "tolerance", None), ({"logits": P}, "logits", None),
    ({"dependence": "none"}, "dependence", None),
    ({"n_resamples": 98, "level": 0.01}, "n_resamples", None), ({"cluster": np.arange(N) % 29}, "cluster", None),
    ({"weights": np.r_[1.0, 1e12, np.ones(N - 2)]}, "weights", 1),
    ({"features": np.r_[0.5, np.inf, np.arange(N - 2)]}, "features", 1),
    ({"groups": {"a": ["b = c"] * N, "a = b": ["c"] * N}}, "groups", None),
    ({"groups": {"id": np.arange(N).astype(str)}}, "groups['id']", None),
    *(({name: np.arange(9.0)}, f"{name} and y_prob", None) for name in ("groups", "features", "time")),
    ({"time": np.r_[0.0, -np.inf, np.arange(N - 2)]}, "time", 1),
    ({"time": ["2024-01-31", "31/01/2024", *map(str, range(3000, 3798))]}, "time", 1)])
def test_bad_options_are_refused_by_argument_and_row(options, argument, row):
    with pytest.raises(ct.InputError) as refused:
        quick(Y, P, **options)
    assert (refused.value.argument, refused.value.row) == (argument, row)


def test_what_was_certain_and_did_not_happen_is_found_in_every_group():
    """The variance of such a sum is 0: nothing is divided by it, and nothing is left out."""
    shifted = np.arange(N) % 3, np.eye(3)[(np.arange(N) + 1) % 3]
    for given in ((Y, (P > 0.5) * 1.0), (Y, np.where(P > 0.5, 1.0, 1e-9)), shifted):
        assert (quick(*given, groups=SEX).tables["groups"]["p"] == 0.05).all()
    right = quick(Y, Y * 1.0, groups=SEX)
    assert (right.tables["questions"]["p"] == 1).all() and "nearer than" in right.summary()


def test_what_few_rows_or_equal_predictions_do_not_allow_is_told():
    for n in (2, 3):
        few = quick(Y[:n], P[:n], groups=SEX[:n], features=TABLE[:n])
        assert not few.detected and "cannot say much" in few.conclusions[0]
        assert "leave the RMS error between bins open" in few.conclusions[1] and "cannot be told" in few.conclusions[2]
    few = quick([0, 1] * 30, [0.2, 0.7] * 30)
    assert set(few.tables["not_run"]["what"]) == {"groups", "regions", "bias by feature", "repair"}
    equal = quick(Y, np.full(N, 0.5), features=TABLE)
    not_run = equal.tables["not_run"].set_index("what")["why"]
    assert "predictions are equal" in not_run["canonical"] and "repair by TemperatureScaling" in not_run
    assert "pairs of predictions are equal" in not_run["given the features"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("values", "levels"), [
    (np.linspace(0.0012, 0.5, 200), ["0.0012 to 0.124", "0.1265 to 0.2493", "0.2519 to 0.3747", "0.3772 to 0.5"]),
    (np.arange(20, 60).repeat(5), ["20 to 29", "30 to 39", "40 to 49", "50 to 59"]),  # whole numbers as they are
    (np.r_[np.zeros(150), np.linspace(0.5, 2, 150)], ["0", "0.5 to 1.245", "1.255 to 2"]),
    (np.r_[np.arange(99.0), np.nan], ["0 to 24", "25 to 49", "50 to 73", "74 to 98", "missing"]),
    (np.r_[np.arange(99.0), np.inf], ["0 to 24", "25 to 49", "50 to 74", "75 to inf"]),
    ([10, 2, None] * 50, ["2", "10", "missing"]), (np.array([1, "1"] * 200, dtype=object), ["1", "'1'"]),
    (1.7e9 + np.arange(400) % 3, ["1700000000", "1700000001", "1700000002"])])
def test_levels_have_few_digits_and_hold_their_rows(values, levels):
    n, groups = len(values), pd.Series(values, name="x")
    found = groups_of(groups, None, np.zeros(n), np.arange(n), panel_of(np.zeros(n), np.full(n, 0.5))[0])["x"]
    assert list(found) == levels and np.sum(list(found.values()), axis=0).tolist() == [1] * len(values)
    for name, rows in found.items():
        if " to " in name:
            low, high = map(float, name.split(" to "))
            assert (low, high) == pytest.approx((values[rows].min(), values[rows].max()), rel=1e-3)


def test_periods_are_in_the_order_of_time():
    order = np.arange(400)
    days = pd.Series(pd.date_range("2024-01-01", periods=400))[::-1].reset_index(drop=True)
    periods = periods_of(days, order)
    assert list(periods)[0].startswith("2024-01-01 to 2024-02") and len(periods) == 8
    assert list(periods_of(days.astype(str), order)) == list(periods)
    assert list(periods_of(np.array([2021, 2019] * 200), order)) == ["2019", "2021"]
    assert len(periods_of(1.7e9 + order, order)) == 8
