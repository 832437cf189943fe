"""Heart disease: the rows of Table 2, what their kernel compares, and the zeros of cholesterol.

The power of both kernels is computed in claims/test_heart.py.
"""

import numpy as np
import pytest

from calibtutor.data.downloads import available
from calibtutor.kernels import rbf
from calibtutor.klce import klce_test
from calibtutor.reproductions import heart as study

needs_data = pytest.mark.skipif(not available("heart.csv"), reason="heart.csv: no copy; see python -m calibtutor data")


def test_reach_of_kernels_with_known_neighbours():
    p, X = np.full(4, 0.5), np.array([[0.0], [0.0], [50.0], [100.0]])
    share, size = study.kernel_reach(p, X, prob_kernel=rbf(width=0.1), feature_kernel=rbf(gamma=25))
    assert share == pytest.approx(1 / 6) and size == pytest.approx([2, 2, 1, 1])


@needs_data
def test_heart_rows_of_table_2():
    X_train, y_train, X_test, y_test, patients = study.heart_split()
    assert X_train.shape == (734, 15) and X_test.shape == (184, 15)
    p = study.objectives(X_train, y_train, X_test)["XE"]
    raw = np.column_stack([patients["Age"], patients["Sex"] == "F"]).astype(float)
    row = study.scores(y_test, p, raw, gamma=25, rng=0)
    assert row["Brier"] == pytest.approx(study.HEART_PUBLISHED["XE"][0], abs=5e-4)
    assert row["KLCE² as printed"] == pytest.approx(study.HEART_PUBLISHED["XE"][2], abs=2e-4)
    kernels = {"prob_kernel": rbf(width=0.1), "feature_kernel": rbf(gamma=25)}
    theirs = klce_test(y_test, p, raw, **kernels, null="centred-permutation", n_resamples=1999, rng=0)
    assert theirs.pvalue == pytest.approx(study.HEART_PUBLISHED["XE"][3], abs=0.03)
    assert row["exact p"] == klce_test(y_test, p, raw, **kernels, n_resamples=999, rng=0).pvalue


@needs_data
def test_the_sign_of_cholesterol_turns():
    found = study.heart_cholesterol()
    first, second = found["0 is a number"], found["0 is missing"]
    assert first["weight per 100 mg/dl"] < -0.4 and second["weight per 100 mg/dl"] > 0
    assert second["weight of “not measured”"] == pytest.approx(2.1, abs=0.05)
    assert abs(first["Brier"] - second["Brier"]) < 5e-4
