"""The tests of calibration give the same answer whatever way they are run, and aggregate alike."""

from functools import partial

import kce_oracles as literal
import numpy as np
import pytest
from kce_oracles import assert_same
from kce_oracles import rows as kce_rows
from klce_oracles import DATA
from sklearn.gaussian_process.kernels import ConstantKernel

from calibtutor import kce_test, klce_test, laplacian, rbf
from calibtutor.errors.kce import METHODS
from calibtutor.errors.klce import NULLS
from calibtutor.estimates.simplex import simplex_calibration_error

PAIR = {"prob_kernel": laplacian(0.4), "feature_kernel": rbf(gamma=0.5)}
SEVERAL = {"prob_kernel": [laplacian(0.1), rbf(gamma=0.5)], "feature_kernel": rbf(gamma=0.5)}
RUNS = {**{f"kce, {method}": {"method": method, "kernel": laplacian(0.4)} for method in METHODS},
        **{f"klce, {null}": {"null": null} | PAIR for null in NULLS},
        "klce, aggregated": SEVERAL}
DRAWING = [name for name in RUNS if not any(word in name for word in ("bound", "linear"))]


def run(name, data, **options):
    """The test of this name, on labels, predictions and features."""
    test, data = (kce_test, data[:2]) if name.startswith("kce") else (klce_test, data)
    return test(*data, **RUNS[name] | {"n_resamples": 50} | options)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("case", ["rows", "scores"])
def test_the_same_seed_gives_the_same_result(case, name):
    data = DATA[case](40)
    one = run(name, data, rng=3)
    assert_same(run(name, data, rng=np.random.default_rng(3)), one)
    assert_same(run(name, [each.tolist() for each in data], rng=3), one)
    single = run(name, (data[0], *(each.astype(np.float32) for each in data[1:])), rng=3)
    assert single.estimate == pytest.approx(one.estimate, abs=1e-5)
    if name in DRAWING:
        others = run(name, data, rng=4), run(name, data), run(name, data)
        assert len({each.null_distribution.tobytes() for each in (one, *others)}) == 4


def test_the_number_of_processes_changes_nothing():
    options = {"statistic": simplex_calibration_error, "n_resamples": 25, "rng": 3}
    one, other = (kce_test(*kce_rows(30), n_jobs=jobs, **options) for jobs in (1, 2))
    assert_same(other, one)


OF_PREDICTIONS = [laplacian(0.1), laplacian(0.4), rbf(gamma=2.0)]
OF_FEATURES = [rbf(gamma=5.0), rbf(gamma=0.5), ConstantKernel()]


def aggregate(name, data, chosen, **options):
    """The test with the kernels of these numbers, or with the one of this number alone."""
    first, second = ([each[k] for k in chosen] if isinstance(chosen, list) else each[chosen]
                     for each in (OF_PREDICTIONS, OF_FEATURES))
    if name == "kce":
        return kce_test(*data[:2], kernel=first, **options)
    return klce_test(*data, prob_kernel=first, feature_kernel=second, **options)


@pytest.mark.parametrize("case", DATA)
@pytest.mark.parametrize("name", ["kce", "klce"])
def test_the_aggregate_uses_the_same_labels_for_every_kernel(name, case):
    data = DATA[case]()
    test = partial(aggregate, name, data, n_resamples=99, rng=2)
    every, alone = test([0, 1, 2]), [test(k) for k in range(3)]
    assert every.single_pvalues.tolist() == [one.pvalue for one in alone]
    np.testing.assert_allclose(every.estimate, [one.statistic for one in alone], rtol=0, atol=1e-15)
    assert every.statistic == min(one.pvalue for one in alone) and every.method == "labels, aggregated"
    values = np.array([[one.statistic, *one.null_distribution] for one in alone])
    smallest, pvalue, _ = literal.aggregated(values.round(11).tolist())  # equal up to rounding is equal
    assert every.null_distribution.tolist() == smallest[1:]
    assert every.pvalue == pytest.approx(pvalue, abs=1e-12) and pvalue >= every.statistic
    assert test([1, 2, 0]).pvalue == every.pvalue
    for k, one in enumerate(alone):
        assert test([k]).pvalue == pytest.approx(one.pvalue, abs=1e-12)
