"""Estimation functions equal their matrices of size n² × n², and their risk the double loop."""

import pickle

import numpy as np
import pytest
import risk_oracles as literal
from kce_oracles import square, square_matrix
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from calibtutor import (
    IsotonicCalibration,
    TemperatureScaling,
    calibration_risk,
    fit_binning,
    fit_kde,
    fit_kkr,
    fit_recalibration,
    fit_ukkr,
    laplacian,
    rbf,
    variational_error,
)
from calibtutor.data.worlds import mixed_widmann_model, temperature_simulation, tempered_model, wave_world
from calibtutor.risk import no_error, risk_of_features

pytestmark = pytest.mark.filterwarnings("error")
DATA = {"scalar": literal.scores, "canonical": literal.rows}
FITS = {
    "binning": lambda y, p: fit_binning(y, p, n_bins=7),
    "kde": lambda y, p: fit_kde(y, p, bandwidth=0.05),
    "kkr": lambda y, p: fit_kkr(y, p, regularization=1e-4),
    "ukkr": lambda y, p: fit_ukkr(y, p, regularization=1e-3),
    "recalibration": lambda y, p: fit_recalibration(y, p, recalibrator=TemperatureScaling()),
}
CASES = [(name, kind) for name in FITS for kind in DATA if (name, kind) != ("binning", "canonical")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_risk_is_the_double_loop(name, kind):
    h = FITS[name](*DATA[kind]())
    for n in (35, 8):  # fewer than kernel ridge has features
        y, p = DATA[kind](n=n, seed=1)
        wanted = literal.risk(h(p), y, p)
        assert wanted > 1e-3
        assert calibration_risk(h, y, p) == pytest.approx(wanted, rel=1e-9)


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


# --- estimation functions against their definitions ---


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 4, 15, 200])
def test_binning(n_bins, strategy):
    (y, p), at = literal.scores(), np.array([0.0, 1e-9, 0.1, 0.25, 0.5, 0.93, 1.0])
    h = fit_binning(y, p, n_bins=n_bins, strategy=strategy)
    wanted = literal.binning(y, p, at, n_bins=n_bins, strategy=strategy)
    np.testing.assert_allclose(h(at), wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("bandwidth", [1e-4, 0.05, 1.0])
def test_kde(kind, bandwidth):
    (y, p), (_, at) = DATA[kind](14), DATA[kind](9, seed=1)
    h = fit_kde(y, p, bandwidth=bandwidth)
    np.testing.assert_allclose(h(at), literal.kde(y, p, at, bandwidth), rtol=0, atol=1e-10)


KERNELS = {
    "default": (None, literal.gaussian(1.0)),
    "narrow": (rbf(gamma=20.0), literal.gaussian(20.0)),
    "laplacian": (laplacian(0.5), literal.exponential(0.5)),
    "function": (square_matrix, square),
}  # fmt: skip


RIDGES = {  # with one: n² equations; with the other eq. 32, an entry off by the root of what was left out
    "kkr": (fit_kkr, literal.kkr, 1e-4, 1e-8),
    "ukkr": (fit_ukkr, literal.ukkr, 1e-3, 1e-7),
}


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


# --- learned maps ---


class Halfway(BaseEstimator):
    """A map of somebody else's, with nothing but what is asked for."""

    def fit(self, y_true, y_prob):
        self.middle_ = 2 * literal.halfway(y_true, y_prob, 0)
        return self

    def predict_proba(self, y_prob):
        return (y_prob + self.middle_) / 2


class Known(BaseEstimator):
    """The map that is given."""

    def __init__(self, truth):
        self.truth = truth

    def fit(self, y_true, y_prob):
        return self

    def predict_proba(self, y_prob):
        return self.truth(y_prob)


LEARNED = {"map": (Halfway(), literal.halfway), "classifier": (KNeighborsClassifier(1), literal.nearest)}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("name", LEARNED)
def test_a_learned_map_and_its_variational_error_are_the_double_loops(name, kind):
    (y, p), (_, at), (recalibrator, learn) = DATA[kind](), DATA[kind](9, seed=1), LEARNED[name]
    h = fit_recalibration(y, p, recalibrator=recalibrator)
    np.testing.assert_allclose(h(at), literal.recalibration(y, p, at, learn), rtol=0, atol=1e-13)
    assert not vars(recalibrator).keys() & {"middle_", "classes_"}  # a clone was fitted
    for folds in (2, 5, 14):
        wanted = literal.variational(y, p, learn, folds, 3)
        assert abs(wanted) > 1e-3
        found = variational_error(y, p, recalibrator=recalibrator, folds=folds, rng=3)
        assert found == pytest.approx(wanted, rel=1e-9)


def test_a_class_that_a_classifier_never_saw_has_probability_0():
    (y, p), (_, at) = literal.rows(40), literal.rows(9, seed=1)
    y, p = y[y != 1], p[y != 1]
    h = fit_recalibration(y, p, recalibrator=KNeighborsClassifier(1))
    np.testing.assert_allclose(h(at), literal.recalibration(y, p, at, literal.nearest), rtol=0, atol=1e-13)


def test_logistic_regression_has_the_identity_and_repairs_a_temperature():
    recalibrator = LogisticRegression(C=np.inf, max_iter=10_000)
    for temperature, least in ((1, 0), (2, 0.03)):
        y, p = tempered_model(20_000, 3, temperature=temperature, rng=1)
        h = fit_recalibration(y, p, recalibrator=recalibrator)
        truth = p ** (1 / temperature) / (p ** (1 / temperature)).sum(axis=1, keepdims=True)
        miss = ((p - truth) ** 2).sum(axis=1)
        assert h.diagonal(p).mean() == pytest.approx(miss.mean(), abs=1e-3) and miss.mean() >= least


def one_wave(n, seed):
    y, p = wave_world(1, amplitude=0.1).sample(n, seed)
    return y, p, wave_world(1, amplitude=0.1).curve


def ten_classes(n, seed):
    y, p = mixed_widmann_model(0.5, n, towards="M2", rng=seed)
    return y, p, lambda p: (p + np.eye(10)[0]) / 2


def calibrated(n, seed):
    y, p = tempered_model(n, 4, rng=seed)
    return y, p, lambda p: p


def near_zero(values, chance=4):
    return abs(np.mean(values)) <= chance * np.std(values) / len(values) ** 0.5 + 1e-15


@pytest.mark.parametrize(("world", "noisy"), [(one_wave, True), (ten_classes, False), (calibrated, True)])
def test_the_variational_error_falls_short_of_the_truth_by_what_the_map_has_not_learned(world, noisy):
    exact, lower, upper, gap = [], [], [], []
    for seed in range(30):
        (y, p, truth), (_, fresh, _) = world(250, [11, seed]), world(2000, [12, seed])
        h = fit_recalibration(y[:200], p[:200], recalibrator=IsotonicCalibration())
        miss = np.reshape(fresh - truth(fresh), (2000, -1))
        square = (miss**2).sum(axis=1).mean()
        known = fit_recalibration(y, p, recalibrator=Known(truth))
        assert known.diagonal(fresh).mean() == pytest.approx(square, rel=1e-12)
        exact.append(variational_error(y, p, recalibrator=Known(truth), rng=seed) - square)
        lower.append(variational_error(y, p, recalibrator=IsotonicCalibration(), rng=seed) - square)
        upper.append(h.diagonal(fresh).mean() - square)
        gap.append(((h.features(fresh) - miss) ** 2).sum(axis=1).mean())
    assert near_zero(exact)  # the truth as the map: no bias
    short = np.subtract(exact, lower)  # the same labels, so that much of the chance is gone
    assert near_zero(short - gap) and not near_zero(short)
    assert not noisy or np.mean(upper) > 0 and not near_zero(upper, 3)


def test_the_risk_ranks_maps_as_the_truth_does():
    maps = [Known(lambda p: p), IsotonicCalibration(), TemperatureScaling()]  # no error, rough, the right family
    for seed in range(10):
        (y, p, _), (labels, fresh, truth) = temperature_simulation(600, [13, seed]), temperature_simulation(4000, seed)
        functions = [fit_recalibration(y, p, recalibrator=each) for each in maps]
        risks = [calibration_risk(h, labels, fresh) for h in functions]
        excess = [risk_of_features(h.features(fresh), h.core, fresh - truth) for h in functions]
        assert risks == sorted(risks, reverse=True) and excess == sorted(excess, reverse=True)
        assert risks[0] == pytest.approx(calibration_risk(no_error(), labels, fresh), rel=1e-12)
        assert np.subtract(risks[0], risks) == pytest.approx(np.subtract(excess[0], excess), abs=5e-4)
