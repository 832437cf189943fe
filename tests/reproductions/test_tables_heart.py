"""Heart disease: the rows of Table 2, what their kernel compares, and the zeros of cholesterol."""

import numpy as np
import pytest

from calibtutor.data.downloads import available
from calibtutor.features import FeatureSpace
from calibtutor.kernels import rbf
from calibtutor.klce import klce_test
from calibtutor.lessons.case_studies.scenes import neighbours_explorer
from calibtutor.reproductions import heart as study

needs_data = pytest.mark.skipif(not available("heart.csv"), reason="heart.csv: no copy; see python -m calibtutor data")


def test_reach_of_kernels_with_known_neighbours():
    p, X = np.full(4, 0.5), np.array([[0.0], [0.0], [50.0], [100.0]])
    share, size = study.kernel_reach(p, X, prob_kernel=rbf(width=0.1), feature_kernel=rbf(gamma=25))
    assert share == pytest.approx(1 / 6) and size == pytest.approx([2, 2, 1, 1])


def test_a_constant_input_changes_no_objective():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    wider = np.column_stack([X, np.full(80, 0.1)])
    with_it, without = study.objectives(wider[:60], y[:60], wider[60:]), study.objectives(X[:60], y[:60], X[60:])
    for name, predictions in without.items():
        np.testing.assert_allclose(with_it[name], predictions, atol=1e-6, err_msg=name)


@needs_data
def test_heart_rows_of_table_2():
    X_train, y_train, X_test, y_test, patients = study.heart_split()
    assert X_train.shape == (734, 15) and X_test.shape == (184, 15)
    p = study.objectives(X_train, y_train, X_test)["XE"]
    raw = np.column_stack([patients["Age"], patients["Sex"] == "F"]).astype(float)
    row = study.scores(y_test, p, raw, gamma=25, rng=0)
    assert row["Brier"] == pytest.approx(study.HEART_PUBLISHED["XE"][0], abs=5e-4)
    assert row["KLCE² as printed"] == pytest.approx(study.HEART_PUBLISHED["XE"][2], abs=2e-4)
    assert row["ECE"] < 0.6 * row["ECE, unweighted"]
    kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=25)}
    theirs = klce_test(y_test, p, raw, **kernels, null="centred-permutation", n_resamples=1999, rng=0)
    assert theirs.pvalue == pytest.approx(study.HEART_PUBLISHED["XE"][3], abs=0.03)
    share, size = study.kernel_reach(p, raw, **kernels)
    assert round(100 * share, 1) == 0.9 and np.median(size) < 2


@needs_data
def test_scaled_features_see_what_years_do_not():
    X_train, y_train, X_test, _, patients = study.heart_split()
    p = study.objectives(X_train, y_train, X_test)["XE"]
    space = FeatureSpace().fit(patients)
    Z = space.transform(patients)
    raw = np.column_stack([patients["Age"], patients["Sex"] == "F"]).astype(float)
    tests = {
        "raw": study.exact_verdict(p, raw, feature_kernel=rbf(gamma=25), rng=0),
        "scaled": study.exact_verdict(p, Z, feature_kernel=space.kernel(Z), rng=0),
    }
    women = (patients["Sex"] == "F").to_numpy()
    worse = np.where(women, p / (p + np.exp(-2.5) * (1 - p)), p)  # log odds + 2.5
    draws = np.random.default_rng(0).random((200, len(p)))
    power, size = (
        {name: np.mean([test((u < truth).astype(int)) for u in draws]) for name, test in tests.items()}
        for truth in (worse, p)
    )
    assert power["raw"] < 0.25 and power["scaled"] > 0.35
    assert max(size.values()) < 0.1  # above .05 by three standard errors of 200 data sets


@needs_data
def test_the_sign_of_cholesterol_turns():
    found = study.heart_cholesterol()
    first, second = found["0 is a number"], found["0 is missing"]
    assert first["weight per 100 mg/dl"] < -0.4 and second["weight per 100 mg/dl"] > 0
    assert second["weight of “not measured”"] > 1.5
    assert abs(first["Brier"] - second["Brier"]) < 5e-4


@needs_data
def test_the_picture_answers():
    assert "0.9% of pairs" in neighbours_explorer().headline
