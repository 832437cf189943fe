"""Tables become rows of numbers, and the mixed kernel is its formula on them."""

import math

import klce_oracles
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from calibtutor import FeatureSpace
from calibtutor.features import MixedKernel


def people(n=12, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", "Lima"], n),
            "income": rng.lognormal(10, 1, n),
            "member": rng.random(n) < 0.5,
            "age": rng.integers(18, 90, n),
            "size": pd.Categorical(rng.choice(["small", "large"], n), categories=["small", "medium", "large"]),
        }
    )


def mixed(bandwidth, n_numbers, leak):
    """exp(−‖u − u'‖²/(2σ²)) times 1 or leak for each category, of two rows."""

    def of(a, b):
        squares = math.fsum((s - t) ** 2 for s, t in zip(a[:n_numbers], b[:n_numbers], strict=True))
        apart = sum(s != t for s, t in zip(a[n_numbers:], b[n_numbers:], strict=True))
        return math.exp(-squares / (2 * bandwidth**2)) * leak**apart

    return of


# --- the kernel ---


@pytest.mark.parametrize("leak", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_numbers", [0, 1, 2, 4])
def test_the_kernel_is_its_formula(n_numbers, leak):
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(9, n_numbers)), rng.integers(0, 3, (9, 4 - n_numbers))])
    kernel, formula = MixedKernel(0.8, n_numbers, leak), mixed(0.8, n_numbers, leak)
    wanted = np.array([[formula(a, b) for b in X.tolist()] for a in X.tolist()])
    np.testing.assert_allclose(kernel(X), wanted, rtol=1e-12)
    np.testing.assert_allclose(kernel(X[:4], X[2:]), wanted[:4, 2:], rtol=1e-12)
    assert (kernel.diag(X) == np.diag(kernel(X))).all() and kernel.is_stationary()
    assert kernel(X).max() == 1  # what the bound of `klce_test` relies on
    assert np.linalg.eigvalsh(kernel(X)).min() > -1e-12


# --- the space ---


def test_numbers_come_first_scaled_then_codes_in_order():
    table = people()
    space = FeatureSpace().fit(table)
    found = space.transform(table)
    assert space.numbers_ == ["income", "age"]
    assert space.levels_ == {
        "city": sorted(set(table.city)), "member": [False, True], "size": sorted(set(table["size"])),
    }  # fmt: skip
    numbers = table[["income", "age"]].to_numpy(float)
    np.testing.assert_allclose(found[:, :2], (numbers - numbers.mean(axis=0)) / numbers.std(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found[:, :2].std(axis=0), 1, rtol=1e-12)
    for column, (name, levels) in enumerate(space.levels_.items(), start=2):
        assert [levels[int(code)] for code in found[:, column]] == table[name].tolist()
    assert (FeatureSpace().fit_transform(table) == found).all()


def test_new_rows_get_the_scale_of_the_old_ones():
    space = FeatureSpace().fit(people())
    new = people(5, seed=1).assign(age=[200, 18, 18, 18, 18])
    found = space.transform(new)
    assert found[0, 1] == pytest.approx((200 - space.centre_[1]) / space.scale_[1]) and found[0, 1] > 3
    np.testing.assert_array_equal(space.transform(new[::-1])[::-1], found)
    shuffled = new[["size", "age", "city", "income", "member"]].assign(unknown=np.nan)  # by name; others are left out
    np.testing.assert_array_equal(space.transform(shuffled), found)


def test_categories_can_be_named_and_numbers_can_be_names():
    table = pd.DataFrame({"zip": [10115, 20095, 10115], "age": [20.0, 30.0, 40.0]})
    named = FeatureSpace(["zip"]).fit(table)
    assert named.numbers_ == ["age"] and named.levels_ == {"zip": [10115, 20095]}
    assert named.transform(table)[:, 1].tolist() == [0, 1, 0]
    assert FeatureSpace().fit(table).numbers_ == ["zip", "age"]
    assert FeatureSpace([]).fit(table).levels_ == {}
    mixed_types = FeatureSpace().fit_transform(pd.DataFrame({"a": ["x", 1, 2.5, "x"]}))
    assert len(np.unique(mixed_types)) == 3 and mixed_types[0] == mixed_types[3]


def test_a_constant_number_never_separates():
    table = pd.DataFrame({"a": [0.1] * 7, "b": [1e9] * 7, "c": np.arange(7.0), "d": [0] * 7, "e": 1e9 + np.arange(7)})
    found = FeatureSpace().fit_transform(table)
    np.testing.assert_allclose(found[:, [0, 1, 3]], 0, atol=1e-6)
    np.testing.assert_allclose(found[:, 4], found[:, 2], rtol=1e-6)


def test_its_kernel_has_the_median_of_the_numbers():
    table = people()
    space = FeatureSpace(leak=0.2).fit(table)
    X = space.transform(table)
    kernel = space.kernel(X)
    assert kernel.bandwidth == pytest.approx(klce_oracles.median_distance(X[:, :2].tolist()))
    assert (kernel.n_numbers, kernel.leak) == (2, 0.2)
    assert space.kernel(X.tolist()) == kernel and space.kernel(X, bandwidth=0.5).bandwidth == 0.5
    names = FeatureSpace().fit(table[["city", "size"]])
    assert names.kernel(names.transform(table)) == MixedKernel(1.0, 0)


def test_it_is_an_estimator():
    space = FeatureSpace(["b"], leak=0.1)
    assert clone(space).get_params() == {"categories": ["b"], "leak": 0.1, "missing": "refuse"}
    for call in (space.transform, space.kernel):
        with pytest.raises(NotFittedError):
            call(people())
