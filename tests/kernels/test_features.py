"""Tables become rows of numbers, the mixed kernel is its formula on them, and the local test takes them."""

import numpy as np
import pandas as pd
import pytest
from kce_oracles import assert_same
from scipy.spatial.distance import cdist

from calibtutor import FeatureSpace, klce, klce_test, local_calibration_bias, median_bandwidth, rbf
from calibtutor.kernels.features import MixedKernel

RNG = np.random.default_rng(0)
N = 60
P = RNG.random(N)
Y = (RNG.random(N) < P).astype(int)
AGE, SEX, SITE = RNG.normal(50, 10, N), RNG.random(N) < 0.7, RNG.choice(list("abc"), N)
OPTIONS = {"n_resamples": 19, "rng": 0}


def people(n=12, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "city": rng.choice(["Rome", "Oslo", "Lima"], n), "income": rng.lognormal(10, 1, n),
        "member": rng.random(n) < 0.5, "age": rng.integers(18, 90, n),
        "size": pd.Categorical(rng.choice(["small", "large"], n), categories=["small", "medium", "large"])})


@pytest.mark.parametrize("n_numbers", [0, 1, 2, 4])
def test_the_kernel_is_its_formula(n_numbers):
    X = np.hstack([RNG.normal(size=(9, n_numbers)), RNG.integers(0, 3, (9, 4 - n_numbers))])
    kernel = MixedKernel(0.8, n_numbers)
    numbers, codes = cdist(X[:, :n_numbers], X[:, :n_numbers]) if n_numbers else 0, X[:, n_numbers:]
    wanted = np.exp(-(numbers**2) / (2 * 0.8**2)) * (codes[:, None] == codes).all(axis=2)
    np.testing.assert_allclose(kernel(X), wanted, rtol=1e-12)
    np.testing.assert_allclose(kernel(X[:4], X[2:]), wanted[:4, 2:], rtol=1e-12)
    assert (kernel.diag(X) == np.diag(kernel(X))).all() and kernel.is_stationary()


def test_numbers_come_first_scaled_then_codes_in_order():
    table = people()
    space = FeatureSpace().fit(table)
    found = space.transform(table)
    assert space.numbers_ == ["income", "age"]
    assert space.levels_ == {name: sorted(set(table[name])) for name in ("city", "member", "size")}
    numbers = table[["income", "age"]].to_numpy(float)
    np.testing.assert_allclose(found[:, :2], (numbers - numbers.mean(axis=0)) / numbers.std(axis=0), rtol=1e-12)
    assert space.kernel(found) == MixedKernel(pytest.approx(median_bandwidth(found[:, :2])), 2)
    assert FeatureSpace().fit(table[["city", "size"]]).kernel(found[:, 2:]) == MixedKernel(1.0, 0)
    for column, (name, levels) in enumerate(space.levels_.items(), start=2):
        assert [levels[int(code)] for code in found[:, column]] == table[name].tolist()
    mixed_types = pd.DataFrame({"a": ["x", 1, 2.5, "x"]})
    assert FeatureSpace().fit(mixed_types).transform(mixed_types)[:, 0].tolist() == [2, 1, 0, 2]
    new = people(5, seed=1).assign(age=[200, 18, 18, 18, 18])  # new rows get the scale of the old ones
    found = space.transform(new)
    assert found[0, 1] == pytest.approx((200 - numbers[:, 1].mean()) / numbers[:, 1].std()) and found[0, 1] > 3
    shuffled = new[["size", "age", "city", "income", "member"]].assign(unknown=np.nan)  # by name; others are left out
    np.testing.assert_array_equal(space.transform(shuffled), found)


def test_a_constant_number_never_separates():
    table = pd.DataFrame({"a": [0.1] * 7, "b": [1e9] * 7, "c": np.arange(7.0), "d": [0] * 7, "e": 1e9 + np.arange(7)})
    found = FeatureSpace().fit(table).transform(table)
    np.testing.assert_allclose(found[:, [0, 1, 3]], 0, atol=1e-6)
    np.testing.assert_allclose(found[:, 4], found[:, 2], rtol=1e-6)


def test_a_table_is_scaled_as_feature_space_does():
    table = pd.DataFrame({"age": AGE, "site": SITE, "sex": SEX})
    space = FeatureSpace().fit(table)
    rows = space.transform(table)
    given = klce_test(Y, P, rows, feature_kernel=space.kernel(rows), **OPTIONS)
    assert_same(klce_test(Y, P, table, **OPTIONS), given, 1e-12)
    by_hand = local_calibration_bias(Y, P, rows, feature_kernel=space.kernel(rows))
    np.testing.assert_allclose(local_calibration_bias(Y, P, table).bias, by_hand.bias)
    at = local_calibration_bias(Y, P, table, at=(P[:5], table[:5]))
    np.testing.assert_allclose(at.bias, by_hand.bias[:5])
    assert klce(Y, P, table) == pytest.approx(klce(Y, P, rows, feature_kernel=space.kernel(rows)))


@pytest.mark.parametrize("dtype", [bool, int, "boolean", "Int64", "category", str])
def test_a_feature_of_two_values_just_works_whatever_its_type(dtype):
    as_array = klce_test(Y, P, SEX.astype(int), **OPTIONS)  # seven in ten are 1: the median distance is 0
    table = pd.DataFrame({"sex": pd.Series(SEX.astype(int)).astype(dtype)})
    assert_same(klce_test(Y, P, table, **OPTIONS), as_array, 1e-12)
    same = {"prob_kernel": rbf(bandwidth=median_bandwidth(P)), "feature_kernel": MixedKernel(1.0, 0)}  # equal or not
    assert_same(klce_test(Y, P, SEX.astype(int), **same, **OPTIONS), as_array, 1e-12)


def test_what_is_missing_is_a_level_of_its_own():
    age, site = AGE.copy(), SITE.astype(object)
    age[::7], site[::5] = np.nan, None
    table = pd.DataFrame({"age": age, "site": site})
    rows = FeatureSpace().fit(table).transform(table)
    gone = np.isnan(age)
    scaled = np.where(gone, 0, (age - np.nanmean(age)) / np.nanstd(age))  # of the values that are there
    codes = [["NoneType", "a", "b", "c"].index(each or "NoneType") for each in site]
    np.testing.assert_allclose(rows, np.column_stack([scaled, codes, gone]), rtol=1e-12)
