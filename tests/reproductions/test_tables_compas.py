"""COMPAS: every printed digit of Figure 4, what it depends on, and what the case study says about the file."""

import numpy as np
import pandas as pd
import pytest

from calibtutor.binning import maximum_calibration_error
from calibtutor.kernels import rbf
from calibtutor.klce import klce
from calibtutor.lessons.case_studies.scenes import months, reliability_pair
from calibtutor.recalibration.posthoc import PlattScaling, TemperatureScaling
from calibtutor.reproductions import compas as study
from calibtutor.reproductions.heart import printed_statistic, unweighted_ece


def toy(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n), rng.random(n), rng.normal(size=(n, 2))


def test_the_printed_statistic_by_its_double_sum():
    y, p, X = toy()
    K = np.exp(-((p[:, None] - p) ** 2) / 0.3**2 - 0.7 * ((X[:, None] - X) ** 2).sum(axis=2))
    e, n = y - p, len(p)
    total = sum(e[i] * K[i, j] * e[j] for i in range(n) for j in range(n) if i != j)
    found = printed_statistic(y, p, X, gamma=0.7, prob_width=0.3)
    assert found.printed == pytest.approx(total / ((n - 1) / n * K.sum()), rel=1e-9)
    assert found.equation_4 == pytest.approx(total / (n * (n - 1)), rel=1e-9)
    kernels = {"prob_kernel": rbf(width=0.3), "feature_kernel": rbf(gamma=0.7)}
    assert found.equation_4 == pytest.approx(klce(y, p, X, **kernels), rel=1e-9)
    assert found.printed == pytest.approx(found.equation_4 / found.mean_kernel)


def test_the_unweighted_error_counts_bins_not_rows():
    y, p = np.array([0] * 8 + [1, 0]), np.array([0.1] * 8 + [0.95, 0.95])
    assert unweighted_ece(y, p) == pytest.approx((0.1 + 0.45) / 2)


def test_figure_4_to_every_printed_digit():
    split = study.compas_split()
    assert [len(split.y_held), len(split.y_test)] == [2381, 2453]
    found = study.figure_4(split)
    for name, numbers in study.PUBLISHED.items():
        assert tuple(found.loc[name].iloc[:4].round(3)) == numbers, name
    assert found.loc["none", "equation 4"] == pytest.approx(0.002084, abs=1e-6)  # 15 times less than printed


def test_which_variants_do_not_reproduce_the_figure():
    split = study.compas_split()
    y, p, q = split.y_held, split.p_held, split.p_test
    mce = lambda r: round(maximum_calibration_error(split.y_test, r, n_bins=20), 3)
    for method, name in ((PlattScaling("logit"), "Platt"), (PlattScaling("probability"), "Platt"),
                         (TemperatureScaling(clip=0.005), "temperature")):  # fmt: skip
        assert mce(method.fit(y, p).predict_proba(q)) != study.PUBLISHED[name][2]
    assert mce(study.library_bbq(y, p, q, same_cells=True)) == 0.026 != study.PUBLISHED["BBQ"][2]


def test_who_is_in_the_file():
    late, table = study.assessed_late(), study.outcomes_by_month()
    assert late.sum() == 998 and table["rows"].sum() == 7214
    assert (table["share"]["2014-05":] == 1).all() and table["share"][:"2014-03"].max() < 0.47
    assert len(study.compas_split(without_late=True).y_test) == 2114


def test_no_column_that_names_a_person_is_read(monkeypatch):
    seen, read = [], pd.read_csv
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: seen.append(k) or read(*a, **k))
    study.compas_split.cache_clear()
    study.compas_split()
    study.outcomes_by_month()
    columns = {c for k in seen if k.get("nrows") != 0 for c in k["usecols"]}
    assert columns and not columns & {"name", "first", "last", "dob", "id", "c_case_number", "r_case_number"}


def test_bias_by_age_is_a_weighted_mean():
    split = study.compas_split()
    found = study.bias_by_age(split, split.p_test, [33], years=4)
    assert list(found) == ["African-American women", "African-American men", "other women", "other men"]
    inside = (split.X_test[:, 1] == 0) & (split.X_test[:, 2] == 1)
    w = np.exp(-((10 * split.X_test[inside, 0] - 33) ** 2) / (2 * 4**2))
    e = (split.y_test - split.p_test)[inside]
    bias = found["African-American men"]
    wanted = w @ e / w.sum(), w.sum() ** 2 / (w @ w)
    assert (bias.bias[0], bias.effective_size[0]) == pytest.approx(wanted)


def test_pictures_answer_and_say_what_they_show():
    split = study.compas_split()
    assert "These are 8 months" in months(study.outcomes_by_month()).finding.sentence
    said = reliability_pair(split.y_test, split.p_test, split.y_test / 2 + 0.25, ["a", "b"]).finding.headline
    assert "14 of 20 before" in said
