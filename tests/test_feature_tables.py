"""Tables of numbers, categories, truth values and gaps as features of the local test."""

import numpy as np
import pandas as pd
import pytest

from calibtutor import FeatureSpace, klce, klce_test, local_calibration_bias

RNG = np.random.default_rng(0)
N = 60
P = RNG.random(N)
Y = (RNG.random(N) < P).astype(int)
AGE, SEX, SITE = RNG.normal(50, 10, N), RNG.random(N) < 0.7, RNG.choice(list("abc"), N)
OPTIONS = {"n_resamples": 19, "rng": 0}


def same(first, second):
    np.testing.assert_allclose(first.null_distribution, second.null_distribution, atol=1e-12)
    assert first.statistic == pytest.approx(second.statistic, abs=1e-12) and first.pvalue == second.pvalue


def test_a_table_is_scaled_as_feature_space_does():
    table = pd.DataFrame({"age": AGE, "site": SITE, "sex": SEX})
    space = FeatureSpace().fit(table)
    rows = space.transform(table)
    same(klce_test(Y, P, table, **OPTIONS), klce_test(Y, P, rows, feature_kernel=space.kernel(rows), **OPTIONS))
    by_hand = local_calibration_bias(Y, P, rows, feature_kernel=space.kernel(rows))
    np.testing.assert_allclose(local_calibration_bias(Y, P, table).bias, by_hand.bias)
    at = local_calibration_bias(Y, P, table, at=(P[:5], table[:5]))
    np.testing.assert_allclose(at.bias, by_hand.bias[:5])
    assert klce(Y, P, table) == pytest.approx(klce(Y, P, rows, feature_kernel=space.kernel(rows)))


@pytest.mark.parametrize("dtype", [bool, int, float, "boolean", "Int64", "category", str])
def test_a_feature_of_two_values_just_works_whatever_its_type(dtype):
    as_array = klce_test(Y, P, SEX.astype(int), **OPTIONS)  # seven in ten are 1: the median distance is 0
    same(klce_test(Y, P, pd.DataFrame({"sex": pd.Series(SEX.astype(int)).astype(dtype)}), **OPTIONS), as_array)
    # Equal or not: the form is that of two groups.
    delta, near = (
        P - Y,
        np.exp(-0.5 * ((P[:, None] - P) / np.median(np.abs(P[:, None] - P)[np.triu_indices(N, 1)])) ** 2),
    )
    terms = near * (SEX[:, None] == SEX) * np.outer(delta, delta)
    assert as_array.statistic == pytest.approx((terms.sum() - np.trace(terms)) / (N * (N - 1)))


def test_what_is_missing_is_a_level_of_its_own():
    age, site = AGE.copy(), SITE.astype(object)
    age[::7], site[::5] = np.nan, None
    told = pd.DataFrame({
        "age": np.where(np.isnan(age), np.nanmean(age), age),
        "site": np.where(site == None, "missing", site),  # noqa: E711
        "gap": np.isnan(age),
    })  # fmt: skip
    # The scale is that of the values that are there.
    told["age"] = told["age"].mean() + (told["age"] - told["age"].mean()) * told["age"].std(ddof=0) / np.nanstd(age)
    found = klce_test(Y, P, pd.DataFrame({"age": age, "site": site}), **OPTIONS)
    space = FeatureSpace(missing="level").fit(pd.DataFrame({"age": age, "site": site}))
    rows = space.transform(pd.DataFrame({"age": age, "site": site}))
    assert rows.shape == (N, 3) and (rows[::7, 0] == 0).all() and (rows[:, 2] == np.isnan(age)).all()
    same(found, klce_test(Y, P, rows, feature_kernel=space.kernel(rows), **OPTIONS))
