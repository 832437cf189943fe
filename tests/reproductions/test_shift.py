"""The covariate-shift curves are the public functions'; what moves them is computed in claims/test_what_moved.py."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from calibtutor import linear_plus_gaussian, median_bandwidth, rbf
from calibtutor.data.worlds import covariate_shift, shifted_inputs
from calibtutor.errors.ckce import ckce, jkce
from calibtutor.estimates.simplex import simplex_calibration_error
from calibtutor.reproductions import shift
from calibtutor.reproductions.shift import ALPHAS, BANDWIDTHS, MEDIAN, METRICS


def endless(bandwidth, rows=400):
    """What the metrics estimate but the ECE: residuals without the noise of labels, inputs equally likely."""
    table = {}
    for alpha in ALPHAS:
        x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
        f, truth = expit(5 * x), expit(x)
        y_prob, delta = np.column_stack([1 - f, f]), np.column_stack([truth - f, f - truth])
        gamma = median_bandwidth(y_prob) if bandwidth == MEDIAN else bandwidth
        eight, linear, gaussian = shift.spectra(y_prob, delta, gamma)
        papers = [each.norm(0, 1, 1000**-0.25) for each in (eight, linear, gaussian)]
        table[alpha] = *papers, eight.norm(0, 1, 1e-3), eight.norm(0, 0, 0)
    return pd.DataFrame(table, index=METRICS[:5]).T


@pytest.mark.parametrize(("k", "bandwidth"), [(0, MEDIAN), (7, 0.1), (12, MEDIAN), (24, 0.25)])
def test_one_data_set_holds_what_the_public_functions_return(k, bandwidth):
    y, p = covariate_shift(ALPHAS[k], 300, np.random.default_rng([3, k, 5]))
    gamma = median_bandwidth(p) if bandwidth == MEDIAN else bandwidth
    eight, gaussian = linear_plus_gaussian(gamma), rbf(bandwidth=gamma)
    wanted = [ckce(y, p, kernel=eight), ckce(y, p, kernel=lambda X, Y=None: X @ (X if Y is None else Y).T),
              ckce(y, p, kernel=gaussian), ckce(y, p, kernel=eight, regularization=1e-3), jkce(y, p, kernel=eight),
              2 * simplex_calibration_error(y, p, n_steps=10)]
    found = shift.one_data_set((bandwidth, k), 5, seed=3, n=300)
    np.testing.assert_allclose(found, wanted, rtol=1e-8)
    if bandwidth == MEDIAN:
        assert found[0] == pytest.approx(ckce(y, p), rel=1e-8)


def test_with_another_bandwidth_the_data_are_the_same():
    free = [shift.one_data_set((each, 3), 4, n=50)[[1, 5]] for each in (MEDIAN, 0.1)]
    np.testing.assert_array_equal(*free)  # what has no bandwidth stays


@pytest.mark.parametrize("statement", [shift.variation, shift.change])
def test_statements_about_curves_and_their_errors(statement):
    rng = np.random.default_rng(0)
    mean, se = rng.uniform(0.5, 1.5, 25), rng.uniform(0.001, 0.003, 25)
    wanted = np.std(mean) / np.mean(mean) if statement is shift.variation else mean[12] / np.mean(mean[[0, 24]]) - 1
    found, error = statement(mean, se)
    assert found == pytest.approx(wanted, rel=1e-12) and statement(mean) == (found, 0)
    drawn = [statement(each)[0] for each in rng.normal(mean, se, (4000, 25))]
    assert error == pytest.approx(np.std(drawn), rel=0.06)


def test_the_summary_is_that_of_the_values(monkeypatch):
    monkeypatch.setattr(shift, "BANDWIDTHS", (MEDIAN, 0.3))
    rng = np.random.default_rng(0)
    results = {(each, k): rng.uniform(1, 2, (45, len(METRICS))) for each in (MEDIAN, 0.3) for k in range(25)}
    found = shift.summarise(results)
    assert json.loads(json.dumps(found)) == found and found["data_sets"] == 45
    for rule in found["rules"]:
        for k in range(25):
            values = results[rule["bandwidth"], k]
            np.testing.assert_allclose(rule["mean"][k], values.mean(axis=0))
            np.testing.assert_allclose(rule["sd"][k], values.std(axis=0, ddof=1))
            np.testing.assert_allclose(rule["first"][k], values[0])


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_the_curves_are_those_of_endless_data_and_noise(bandwidth):
    (mean, se), limit = shift.curves(bandwidth), endless(bandwidth)
    # Unbiased; a median moves with the data, a little.
    joint = limit["JKCE"]
    assert (np.abs(mean["JKCE"] - joint) < 4 * se["JKCE"] + 0.005 * joint).all()
    for metric in METRICS[:4]:
        assert (mean[metric] > limit[metric] - 4 * se[metric]).all()  # noise adds
    assert (mean["CKCE, λ = .001"] > 1.05 * limit["CKCE, λ = .001"]).all()
