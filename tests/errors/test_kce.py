"""The estimators and the witness equal double loops."""

import math

import kce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from hypothesis import assume, given
from hypothesis import strategies as st
from kce_oracles import square_matrix as square
from labelled import PROPERTY, labelled

from calibtutor import kce_witness, kernel_grid, laplacian, linear_plus_gaussian, rbf, skce

KERNELS = {"laplacian": (laplacian(0.4), risk_oracles.exponential(0.4)),
           "gaussian": (rbf(gamma=3.0), risk_oracles.gaussian(3.0)),
           "narrow gaussian": (rbf(gamma=1e6), risk_oracles.gaussian(1e6)),
           "linear plus gaussian": (linear_plus_gaussian(0.5), literal.linear_and_gaussian(0.5)),
           "a function": (square, literal.square)}
NAMES = st.sampled_from(list(KERNELS))


@PROPERTY
@given(labelled(), NAMES)
def test_estimators_are_double_loops(yp, name):
    (y, p), (kernel, formula) = yp, KERNELS[name]
    for estimator, definition in literal.ESTIMATORS.items():
        found = skce(y, p, kernel=kernel, estimator=estimator)
        assert isinstance(found, float)
        assert found == pytest.approx(definition(formula, y, p), rel=0, abs=1e-10)
        if literal.median_distance(p) > 1e-3:  # the default is the poster's kernel
            default = skce(y, p, estimator=estimator)
            assert default == pytest.approx(definition(literal.poster_kernel(p), y, p), abs=1e-10)
    assert skce(y, p, kernel=kernel) == skce(y, p, kernel=kernel, estimator="unbiased")


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


def test_a_model_without_error_has_no_witness():
    assert (kce_witness([0, 1, 1], [0.0, 1.0, 1.0], kernel=square) == 0).all()
    found = kce_witness([0, 1, 2], np.eye(3), at=np.full((4, 3), 1 / 3), kernel=square)
    assert found.shape == (4, 3) and (found == 0).all()


def test_a_grid_of_kernels_is_a_range_of_bandwidths():  # the default's: test_bad_input.py
    p = np.random.default_rng(0).random(20)
    (wide,) = kernel_grid(p, family=lambda b: rbf(width=b), factors=[3])
    wanted = np.exp(-((p[:, None] - p) ** 2) / (3 * literal.median_distance(p.tolist())) ** 2)
    np.testing.assert_allclose(wide(p[:, None]), wanted, rtol=1e-10)
