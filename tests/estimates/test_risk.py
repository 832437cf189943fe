"""Estimation functions equal their matrices of size n² × n², and their risk the double loop."""

import pickle

import numpy as np
import pytest
import risk_oracles as literal
from kce_oracles import square, square_matrix
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier

import calibtutor as ct

pytestmark = pytest.mark.filterwarnings("error")
DATA = {"scalar": literal.scores, "canonical": literal.rows}
FITS = {"binning": lambda y, p: ct.fit_binning(y, p, n_bins=7),
        "kde": lambda y, p: ct.fit_kde(y, p, bandwidth=0.05),
        "kkr": lambda y, p: ct.fit_kkr(y, p, regularization=1e-4),
        "ukkr": lambda y, p: ct.fit_ukkr(y, p, regularization=1e-3),
        "recalibration": lambda y, p: ct.fit_recalibration(y, p, recalibrator=ct.TemperatureScaling())}
CASES = [(name, kind) for name in FITS for kind in DATA if (name, kind) != ("binning", "canonical")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_risk_is_the_double_loop(name, kind):
    h = FITS[name](*DATA[kind]())
    for n in (35, 8):  # fewer than kernel ridge has features
        y, p = DATA[kind](n=n, seed=1)
        wanted = literal.risk(h(p), y, p)
        assert wanted > 1e-3
        assert ct.calibration_risk(h, y, p) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_function_is_symmetric_knows_its_diagonal_and_survives_pickling(name, kind):
    h, (_, p) = FITS[name](*DATA[kind]()), DATA[kind](n=9, seed=1)
    table = h(p)
    assert h.name == name and table.shape == (9, 9)
    np.testing.assert_allclose(table, table.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(h.diagonal(p), np.diag(table), rtol=0, atol=1e-14)
    np.testing.assert_allclose(h(p[:4], p[2:]), table[:4, 2:], rtol=0, atol=1e-13)
    again = pickle.loads(pickle.dumps(h))
    assert (again(p) == table).all() and again.parameters == h.parameters
    assert h == h != again and len({h, again}) == 2  # results are compared by identity


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 4, 15, 200])
def test_binning(n_bins, strategy):
    (y, p), at = literal.scores(), np.array([0.0, 1e-9, 0.1, 0.25, 0.5, 0.93, 1.0])
    h = ct.fit_binning(y, p, n_bins=n_bins, strategy=strategy)
    wanted = literal.binning(y, p, at, n_bins=n_bins, strategy=strategy)
    np.testing.assert_allclose(h(at), wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("bandwidth", [1e-4, 0.05, 1.0])
def test_kde(kind, bandwidth):
    (y, p), (_, at) = DATA[kind](14), DATA[kind](9, seed=1)
    h = ct.fit_kde(y, p, bandwidth=bandwidth)
    np.testing.assert_allclose(h(at), literal.kde(y, p, at, bandwidth), rtol=0, atol=1e-10)


KERNELS = {"default": (None, literal.gaussian(1.0)), "narrow": (ct.rbf(gamma=20.0), literal.gaussian(20.0)),
           "laplacian": (ct.laplacian(0.5), literal.exponential(0.5)), "function": (square_matrix, square)}


RIDGES = {  # with one: n² equations; with the other eq. 32, an entry off by the root of what was left out
    "kkr": (ct.fit_kkr, literal.kkr, 1e-4, 1e-8),
    "ukkr": (ct.fit_ukkr, literal.ukkr, 1e-3, 1e-7)}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("regularization", [None, 1e-2, 10.0])
@pytest.mark.parametrize("name", RIDGES)
def test_kernel_ridge_regression_is_its_definition(name, regularization, kernel, kind):
    (y, p), (_, at), (fit, definition, least, tolerance) = DATA[kind](20), DATA[kind](9, seed=1), RIDGES[name]
    (kernel, formula), regularization = KERNELS[kernel], regularization or least
    h = fit(y, p, kernel=kernel, regularization=regularization)
    np.testing.assert_allclose(h(at), definition(y, p, at, formula, regularization), rtol=0, atol=tolerance)
    assert h.left_out <= 1e-12 and h.parameters == {"regularization": regularization}


class Halfway(BaseEstimator):
    """A map of somebody else's, with nothing but what is asked for."""

    def fit(self, y_true, y_prob):
        self.middle_ = 2 * literal.halfway(y_true, y_prob, 0)
        return self

    def predict_proba(self, y_prob):
        return (y_prob + self.middle_) / 2


LEARNED = {"map": (Halfway(), literal.halfway), "classifier": (KNeighborsClassifier(1), literal.nearest)}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("name", LEARNED)
def test_a_learned_map_and_its_variational_error_are_the_double_loops(name, kind):
    (y, p), (_, at), (recalibrator, learn) = DATA[kind](), DATA[kind](9, seed=1), LEARNED[name]
    h = ct.fit_recalibration(y, p, recalibrator=recalibrator)
    np.testing.assert_allclose(h(at), literal.recalibration(y, p, at, learn), rtol=0, atol=1e-13)
    assert not vars(recalibrator).keys() & {"middle_", "classes_"}  # a clone was fitted
    for folds in (2, 5, 14):
        wanted = literal.variational(y, p, learn, folds, 3)
        assert abs(wanted) > 1e-3
        found = ct.variational_error(y, p, recalibrator=recalibrator, folds=folds, rng=3)
        assert found == pytest.approx(wanted, rel=1e-9)


def test_a_class_that_a_classifier_never_saw_has_probability_0():
    (y, p), (_, at) = literal.rows(40), literal.rows(9, seed=1)
    y, p = y[y != 1], p[y != 1]
    h = ct.fit_recalibration(y, p, recalibrator=KNeighborsClassifier(1))
    np.testing.assert_allclose(h(at), literal.recalibration(y, p, at, literal.nearest), rtol=0, atol=1e-13)
