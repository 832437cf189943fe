"""The estimators equal double loops, have the expectations that are claimed, and the witness attains the error."""

import math

import kce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from hypothesis import assume, given
from hypothesis import strategies as st
from kce_oracles import square_matrix as square
from labelled import PROPERTY, labelled
from refusals import refuses
from scipy.spatial.distance import cdist

from calibtutor import kce_witness, kernel_grid, laplacian, linear_plus_gaussian, rbf, skce
from calibtutor.data.worlds import FiniteWorld, random_world
from calibtutor.kce import ESTIMATORS

KERNELS = {
    "laplacian": (laplacian(0.4), risk_oracles.exponential(0.4)),
    "gaussian": (rbf(gamma=3.0), risk_oracles.gaussian(3.0)),
    "narrow gaussian": (rbf(gamma=1e6), risk_oracles.gaussian(1e6)),
    "linear plus gaussian": (linear_plus_gaussian(0.5), literal.linear_and_gaussian(0.5)),
    "a function": (square, literal.square),
}
NAMES = st.sampled_from(list(KERNELS))


# --- estimators against double loops ---


@PROPERTY
@given(labelled(), NAMES)
def test_estimators_are_double_loops(yp, name):
    (y, p), (kernel, formula) = yp, KERNELS[name]
    for estimator, definition in literal.ESTIMATORS.items():
        found = skce(y, p, kernel=kernel, estimator=estimator)
        assert isinstance(found, float)
        assert found == pytest.approx(definition(formula, y, p), rel=0, abs=1e-10)
    assert skce(y, p, kernel=kernel) == skce(y, p, kernel=kernel, estimator="unbiased")


@PROPERTY
@given(labelled())
def test_the_default_is_the_posters_kernel(yp):
    y, p = yp
    assume(literal.median_distance(p) > 1e-3)
    for estimator, definition in literal.ESTIMATORS.items():
        assert skce(y, p, estimator=estimator) == pytest.approx(definition(literal.poster_kernel(p), y, p), abs=1e-10)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_features_and_tiles_of_many_rows_agree_with_the_whole_matrix(estimator):
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet([0.3, 1, 1], 901), rng.integers(0, 3, 901)
    delta = p - np.eye(3)[y]
    for kernel, K in ((rbf(gamma=2.0), np.exp(-2 * cdist(p, p, "sqeuclidean"))),
                      (laplacian(0.2), np.exp(-cdist(p, p) / 0.2))):  # fmt: skip
        h = K * (delta @ delta.T)
        wanted = {"biased": h.mean(), "unbiased": (h.sum() - np.trace(h)) / (901 * 900),
                  "linear": np.mean(np.diag(h, 1)[:900:2])}[estimator]  # fmt: skip
        assert skce(y, p, kernel=kernel, estimator=estimator) == pytest.approx(wanted, rel=0, abs=1e-11)


# --- what is estimated ---


def truth(world, formula):
    """Σ_ab w_a w_b k(p_a, p_b)⟨p_a − q_a, p_b − q_b⟩, kind by kind."""
    gap, p = (world.predictions - world.conditionals).tolist(), world.predictions.tolist()
    m = range(len(p))
    return math.fsum(world.weights[a] * world.weights[b] * formula(p[a], p[b]) * risk_oracles.inner(gap[a], gap[b])
                     for a in m for b in m)  # fmt: skip


@pytest.mark.parametrize(("n_classes", "n_kinds", "n"), [(2, 3, 3), (2, 2, 4), (3, 2, 3), (3, 2, 2), (2, 2, 5)])
@pytest.mark.parametrize("name", KERNELS)
def test_expectations_over_every_data_set(name, n_classes, n_kinds, n):
    kernel, formula = KERNELS[name]
    world = random_world(n_classes, n_kinds=n_kinds, n_classes=n_classes, shared=False)
    mass, kinds, labels = world.samples(n)
    value = {e: [skce(y, world.predictions[a], kernel=kernel, estimator=e) for a, y in zip(kinds, labels, strict=True)]
             for e in ESTIMATORS}  # fmt: skip
    true = truth(world, formula)

    def h(p, e, q, f):
        entries = np.array([[formula(a, b) for b in q[0].tolist()] for a in p[:, 0].tolist()])
        return entries * ((p - e) * (q - f)).sum(axis=-1)

    def own(p, e):
        k = np.array([[formula(a, a) for a in row] for row in p.tolist()])
        return k * ((p - e) ** 2).sum(axis=-1)

    assert world.pair_expectation(h) == pytest.approx(true, rel=1e-10)
    assert mass @ value["unbiased"] == pytest.approx(true, rel=1e-10)
    assert mass @ value["linear"] == pytest.approx(true, rel=1e-10)
    # n of the n² terms of SKCE_b are pairs of a row with itself.
    expected = (n - 1) / n * true + world.expectation(own) / n
    assert mass @ value["biased"] == pytest.approx(expected, rel=1e-10)
    assert expected > 1.02 * true > 0
    assert np.std(value["unbiased"]) > 0.1 * true  # no single data set knows it


def test_eq_2_of_the_poster_as_printed_sees_no_error():
    # Errata P1: k(g(X), g(X)) in place of k(g(X), g(X′)) factorises, and a mean-calibrated model gets 0.
    world = FiniteWorld([0.5, 0.5], [[0.2, 0.8], [0.8, 0.2]], [[0.5, 0.5], [0.5, 0.5]])
    narrow = risk_oracles.exponential(1e-3)
    printed = world.pair_expectation(lambda p, e, q, f: np.ones(p.shape[:-1]) * ((p - e) * (q - f)).sum(axis=-1))
    assert printed == pytest.approx(0, abs=1e-15)
    assert truth(world, narrow) == pytest.approx(2 * 0.045)  # two columns; the errata count one
    y, p = world.sample(4000, 0)
    assert skce(y, p, kernel=laplacian(1e-3)) == pytest.approx(0.09, abs=0.015)
    assert skce(y, p[:, 1], kernel=laplacian(1e-3)) == pytest.approx(0.045, abs=0.0075)


# --- the witness ---


@PROPERTY
@given(labelled(), NAMES)
def test_the_witness_is_its_formula(yp, name):
    (y, p), (kernel, formula) = yp, KERNELS[name]
    error = math.sqrt(max(literal.biased(formula, y, p), 0))
    assume(error == 0 or error > 1e-5)  # else the norm is a rounding error
    at = [0.0, 0.3, 1.0] if np.ndim(p) == 1 else (np.eye(len(p[0])) * 0.7 + 0.3 / len(p[0])).tolist()
    for where in (p, at):
        found = kce_witness(y, p, at=where, kernel=kernel)
        assert found.shape == np.shape(where)
        wanted = np.reshape(literal.witness(formula, y, p, where), found.shape)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)
    # A product of a matrix with itself may round otherwise than one of two equal matrices.
    np.testing.assert_allclose(kce_witness(y, p, kernel=kernel), kce_witness(y, p, at=p, kernel=kernel), rtol=1e-12)


@pytest.mark.parametrize("scalar", [True, False])
@pytest.mark.parametrize("name", KERNELS)
def test_no_function_of_the_unit_ball_sees_more_than_the_witness(name, scalar):
    kernel, formula = KERNELS[name]
    rng = np.random.default_rng(0)
    p = rng.random(25) if scalar else rng.dirichlet([1, 1, 1], 25)
    y = rng.integers(0, 2 if scalar else 3, 25)
    delta, K = np.array(risk_oracles.residual_rows(y, p)), risk_oracles.matrix(formula, p, p)
    attained = np.sqrt(skce(y, p, kernel=kernel, estimator="biased"))

    def seen(values):
        """n⁻¹ Σ_i ⟨e_y − p, f(p)⟩."""
        return -(delta * np.reshape(values, delta.shape)).sum() / 25

    values = kce_witness(y, p, kernel=kernel).reshape(delta.shape)
    weights = -delta / np.sqrt(np.einsum("ia,ij,ja", delta, K, delta))  # f = Σ_i k(·, p_i) weights_i
    np.testing.assert_allclose(values, K @ weights, rtol=0, atol=1e-12)
    assert np.einsum("ia,ij,ja", weights, K, weights) == pytest.approx(1, rel=1e-12)
    assert seen(values) == pytest.approx(attained, rel=1e-12)
    best = 0
    for spread in (0, 0.1, 10):  # near the witness and far from it
        for _ in range(200):
            a = spread * rng.standard_normal(delta.shape) * np.abs(weights).max() + weights * (spread < 1)
            best = max(best, seen(K @ a) / np.sqrt(np.einsum("ia,ij,ja", a, K, a)))
            assert best <= attained * (1 + 1e-12)
    assert best > 0.9 * attained


def test_a_model_without_error_has_no_witness():
    assert (kce_witness([0, 1, 1], [0.0, 1.0, 1.0], kernel=square) == 0).all()
    found = kce_witness([0, 1, 2], np.eye(3), at=np.full((4, 3), 1 / 3), kernel=square)
    assert found.shape == (4, 3) and (found == 0).all()


def test_the_witness_of_many_points_is_made_in_parts():
    y, p = random_world(0).sample(3000, 0)
    at = np.repeat(random_world(1).predictions[:2], 1000, axis=0)  # more than fits in one part
    found = kce_witness(y, p, at=at, kernel=square)
    np.testing.assert_allclose(found[::1000], kce_witness(y, p, at=at[::1000], kernel=square), rtol=0, atol=1e-13)
    assert (np.ptp(found.reshape(2, 1000, 3), axis=1) < 1e-13).all()
    assert kce_witness(y, p, at=np.empty((0, 3)), kernel=square).shape == (0, 3)


# --- grid of kernels and bad options ---


def test_a_grid_of_kernels_is_a_range_of_bandwidths():
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 20)
    median = literal.median_distance(p.tolist())
    kernels = kernel_grid(p)
    assert len(kernels) == 7
    for kernel, factor in zip(kernels, (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8), strict=True):
        np.testing.assert_allclose(kernel(p), np.exp(-cdist(p, p) / (factor * median)), rtol=1e-10)
    (wide,) = kernel_grid(p[:, 0], family=lambda b: rbf(width=b), factors=[3])
    wanted = np.exp(-(cdist(p[:, :1], p[:, :1]) ** 2) / (3 * literal.median_distance(p[:, 0].tolist())) ** 2)
    np.testing.assert_allclose(wide(p[:, :1]), wanted, rtol=1e-10)
    with refuses("bandwidth", expected="a positive finite number"):
        kernel_grid(p, factors=[1, -1])
