"""What can be redone of Vashistha & Farahi's tables and figures on COMPAS, housing and heart disease."""

import numpy as np
import pandas as pd
import pytest

from calibtutor.errors.klce import klce_test
from calibtutor.estimates.binning import expected_calibration_error
from calibtutor.kernels import rbf
from calibtutor.reproductions import compas, heart, housing


def toy(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.001, 0.999, n)
    return (rng.random(n) < p).astype(int), p, np.column_stack([rng.uniform(4, 5.7, n), rng.integers(0, 2, n)])


def test_few_features_give_the_double_sums_and_the_p_value():
    y, p, X = toy()
    found, pvalue = heart.local_test(y, p, X, gamma=25, n_resamples=99, rng=3)
    K, e = rbf(width=0.1)(p[:, None]) * rbf(gamma=25)(X), y - p
    total = e @ (K - np.diag(K.diagonal())) @ e
    assert found.printed == pytest.approx(total / (399 / 400 * K.sum()), rel=1e-6)
    assert found.equation_4 == pytest.approx(total / (400 * 399), rel=1e-6)
    assert found.mean_kernel == pytest.approx(K.mean(), rel=1e-6)
    kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=25)}
    assert pvalue == klce_test(y, p, X, **kernels, n_resamples=99, rng=3).pvalue
    row = heart.scores(y, p, X, gamma=25, n_resamples=99, rng=3)
    assert (row["equation 4"], row["exact p"]) == (found.equation_4, pvalue)


def test_one_error_of_the_authors_counts_bins_not_rows_and_one_mixes_two_binnings():
    y, p = np.array([0] * 8 + [1, 0]), np.array([0.1] * 8 + [0.95, 0.95])
    assert heart.scores(y, p, p[:, None], gamma=1, n_resamples=0)["ECE, unweighted"] == pytest.approx((0.1 + 0.45) / 2)
    y, p, _ = toy(4000)
    assert housing.histogram_ece(y, p) == pytest.approx(expected_calibration_error(y, p, n_bins=10), abs=1e-3)
    squeezed = 0.05 + 0.9 * p**2  # its bins are no longer tenths
    assert abs(housing.histogram_ece(y, squeezed) - expected_calibration_error(y, squeezed, n_bins=10)) > 1e-4
    assert np.isnan(housing.histogram_ece(y, p / 2))


def test_the_reach_of_a_kernel_with_known_neighbours():
    share, size = heart.kernel_reach(rbf(gamma=25)(np.array([[0.0], [0.0], [50.0], [100.0]])))
    assert share == pytest.approx(1 / 6) and size == pytest.approx([2, 2, 1, 1])


# The published files.
def test_figure_4_to_every_printed_digit():
    split = compas.compas_split()
    found = compas.figure_4(split)
    for name, numbers in compas.PUBLISHED.items():
        assert tuple(found.loc[name].iloc[:4].round(3)) == numbers, name
    assert found.loc["none", "equation 4"] == pytest.approx(0.002084, abs=1e-6)  # 15 times less than printed
    assert len(compas.compas_split(without_late=True).y_test) == 2114


def test_no_column_that_names_a_person_is_read(monkeypatch):  # in `load_compas`: tests/data/test_tables.py
    seen, read = [], pd.read_csv
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: seen.extend(k.get("usecols", [])) or read(*a, **k))
    compas.outcomes_by_month()
    assert seen and not {"name", "first", "last", "dob", "id", "c_case_number", "r_case_number"} & set(seen)


def test_bias_by_age_is_a_weighted_mean():
    split = compas.compas_split()
    found = compas.bias_by_age(split, split.p_test, [33], years=4)
    assert list(found) == ["African-American women", "African-American men", "other women", "other men"]
    inside = (split.X_test[:, 1] == 0) & (split.X_test[:, 2] == 1)
    w = np.exp(-((10 * split.X_test[inside, 0] - 33) ** 2) / (2 * 4**2))
    bias, wanted = found["African-American men"], w @ (split.y_test - split.p_test)[inside] / w.sum()
    assert (bias.bias[0], bias.effective_size[0]) == pytest.approx((wanted, w.sum() ** 2 / (w @ w)))


def test_the_constant_of_table_1_to_every_digit():
    train, test = housing._split()
    y, X = test["OWNER"].to_numpy(), test[housing.AUDITED].to_numpy(float)
    found, _ = heart.local_test(y, np.full(len(y), train["OWNER"].mean()), X, gamma=0.5, n_resamples=0)
    assert found.printed == pytest.approx(housing.TABLE_1["constant"][0], abs=1e-10)
    assert found.equation_4 == pytest.approx(0.002259, abs=1e-6)


def test_figures_1_and_2():
    means = housing.age_of_owners(range(3)).groupby("model").mean()
    assert means["age"].to_numpy() == pytest.approx([53.2, 56.1], abs=0.15)
    assert means["accuracy"].to_numpy() == pytest.approx([0.721, 0.705], abs=0.004)
    assert means["Brier"].to_numpy() == pytest.approx([0.1845, 0.199], abs=0.0015)
    found = housing.ownership_gap([0]).set_index("model")
    assert found.loc["forest", "ECE, authors"] == pytest.approx(0.038, abs=0.003)
    assert found.loc["forest", "gap"] == pytest.approx(-0.195, abs=0.02)
    assert found.loc["LR without BLACK", "gap"] == pytest.approx(-0.131, abs=0.01)


@pytest.mark.slow
def test_stored_rows_come_back():
    predictions, test = housing.predictions_of_table_2()
    name = "XE + MMD"
    again = housing.on_tables({name: predictions[name]}, test, kernels={name: (0.1, 25)}, n_resamples=99).loc[name]
    stored = housing.stored_tables()["table 2"].loc[name]
    numbers = stored.index.drop("exact p")
    assert again[numbers].to_numpy(float) == pytest.approx(stored[numbers].to_numpy(float), rel=1e-3)
    assert stored["exact p"] < 0.01 and again["exact p"] <= 0.05  # with fewer draws
