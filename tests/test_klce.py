"""The local error and the local bias equal double loops."""

import math

import klce_oracles as literal
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY, labelled
from sklearn.gaussian_process.kernels import ConstantKernel
from test_kce import KERNELS as OF_PREDICTIONS

from calibtutor import klce, local_calibration_bias, rbf

KERNELS = OF_PREDICTIONS | {"constant": (ConstantKernel(), literal.constant)}
NAMES = st.sampled_from(list(KERNELS))


@st.composite
def data(draw):
    """Labels, predictions and features, of which some are equal."""
    (y, p), m = draw(labelled(max_rows=11)), draw(st.integers(0, 3))
    number = st.one_of(st.integers(-2, 2).map(float), st.floats(-2, 2).map(lambda v: round(v, 6)))
    row = number if m == 0 else st.lists(number, min_size=m, max_size=m)
    return y, p, draw(st.lists(row, min_size=len(y), max_size=len(y)))


def pair(prob, feature):
    """The two kernels of the package, and the two functions of rows."""
    (k, k_of), (l, l_of) = KERNELS[prob], KERNELS[feature]
    return {"prob_kernel": k, "feature_kernel": l}, (k_of, l_of)


@PROPERTY
@given(data(), NAMES, NAMES)
def test_eq_4_is_a_double_loop(yxp, prob, feature):
    (y, p, x), (kernels, formulas) = yxp, pair(prob, feature)
    found = klce(y, p, x, **kernels)
    assert isinstance(found, float)
    assert found == pytest.approx(literal.klce(*formulas, y, p, x), rel=1e-12, abs=1e-10)
    if min(literal.median_distance(rows) for rows in (p, x)) > 1e-3:  # by default Gaussians with the median distance
        assert klce(y, p, x) == pytest.approx(literal.default_klce(y, p, x), abs=1e-10)


POSITIVE = [name for name in KERNELS if name != "linear plus gaussian"]  # of features, which may be negative


@PROPERTY
@given(data(), st.sampled_from(POSITIVE), st.sampled_from(POSITIVE), st.integers(0, 4))
def test_the_bias_its_error_and_its_size_are_loops(ypx, prob, feature, n_queries):
    (y, p, x), (kernels, formulas) = ypx, pair(prob, feature)
    found = local_calibration_bias(y, p, x, **kernels)
    literal.same_bias(found, literal.local_bias(*formulas, y, p, x, p, x))
    rng = np.random.default_rng(n_queries)
    at = rng.random((n_queries, *np.shape(p)[1:])), rng.normal(size=(n_queries, *np.shape(x)[1:]))
    found = local_calibration_bias(y, p, x, at=at, **kernels)
    if n_queries:
        wanted = literal.local_bias(*formulas, y, p, x, at[0].tolist(), at[1].tolist())
        literal.same_bias(found, wanted)
    assert found.bias.shape == found.standard_error.shape == (n_queries, *np.shape(p)[1:])
    assert found.effective_size.shape == (n_queries,)


def test_where_no_row_is_near_there_is_no_answer():
    y, p, x = [0, 1, 1], [0.2, 0.4, 0.9], [0.0, 0.0, 5.0]
    at = ([0.3, 0.9, 0.5], [0.0, 5.0, 1e3])
    found = local_calibration_bias(y, p, x, at=at, prob_kernel=ConstantKernel(), feature_kernel=rbf(gamma=100.0))
    np.testing.assert_allclose(found.bias, [0.2, 0.1, np.nan], rtol=0, atol=1e-14)  # (−.2 + .6)/2, .1
    np.testing.assert_allclose(found.standard_error, [math.sqrt(0.4) / 2, 0.3, np.nan], rtol=0, atol=1e-14)  # .16 + .24
    np.testing.assert_allclose(found.effective_size, [2, 1, 0], rtol=1e-12)


def test_many_queries_are_answered_in_parts():
    rng = np.random.default_rng(0)
    y, p, x = rng.integers(0, 3, 3000), rng.dirichlet([0.3, 0.6, 1], 3000), rng.uniform(-1, 1, (3000, 2))
    at = np.repeat(p[:2], 1000, axis=0), np.repeat(x[:2], 1000, axis=0)  # more than fits in one part
    found, few = (local_calibration_bias(y, p, x, at=each) for each in (at, (p[:2], x[:2])))
    for name in ("bias", "standard_error", "effective_size"):
        np.testing.assert_allclose(getattr(found, name), np.repeat(getattr(few, name), 1000, axis=0), rtol=1e-9)
