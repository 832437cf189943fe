"""The local error and the local bias equal double loops; every null is its definition, the exact one aggregated too."""

import math

import kce_oracles
import klce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from kce_oracles import assert_rank, assert_same
from klce_oracles import DATA
from labelled import PROPERTY, labelled
from sklearn.gaussian_process.kernels import ConstantKernel
from test_kce import KERNELS as OF_PREDICTIONS

from calibtutor import kce_witness, klce, klce_test, laplacian, local_calibration_bias, rbf
from calibtutor.errors.klce import NULLS
from calibtutor.kernels.features import MixedKernel

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
    of_witness = kce_witness(y, p, at=at[0])
    np.testing.assert_allclose(of_witness, np.repeat(kce_witness(y, p, at=p[:2]), 1000, axis=0), rtol=1e-9)
    assert kce_witness(y, p, at=np.empty((0, 3))).shape == (0, 3)


DRAWING = [null for null in NULLS if null != "bound"]
PAIR = {"prob_kernel": laplacian(0.4), "feature_kernel": rbf(gamma=0.5)}
OF_ROWS = risk_oracles.exponential(0.4), risk_oracles.gaussian(0.5)


@pytest.mark.parametrize("null", DRAWING)
@pytest.mark.parametrize("case", DATA)
def test_the_draws_are_the_definition_and_the_observed_value_is_ranked(case, null):
    y, p, x = DATA[case]()
    found = klce_test(y, p, x, **PAIR, null=null, n_resamples=40, rng=5)
    assert found.statistic == found.estimate == pytest.approx(literal.klce(*OF_ROWS, y, p, x), abs=1e-12)
    assert found.method == null and found.null_distribution.shape == (40,) and found.single_pvalues is None
    wanted = literal.null_values(null, *OF_ROWS, y, p, x, 40, 5)
    np.testing.assert_allclose(found.null_distribution, wanted, rtol=0, atol=1e-12)
    assert_rank(found)


@pytest.mark.parametrize("case", DATA)
def test_the_bound_is_the_closed_form(case):
    y, p, x = DATA[case]()
    y, top = np.zeros_like(y), 1 if p.ndim == 1 else 2  # always class 0: a large error
    estimate, k = literal.klce(*OF_ROWS, y, p, x), PAIR["prob_kernel"]
    cases = (k, None, 1, top), (k, 0.3, 1, 0.3), (ConstantKernel(3.0) * k, None, 3, 3 * top)
    for kernel, sup, scale, bound in cases:
        found = klce_test(y, p, x, **PAIR | {"prob_kernel": kernel}, null="bound", bound=sup)
        assert found.estimate == pytest.approx(scale * estimate, rel=1e-10) and found.method == "bound"
        wanted = kce_oracles.bound_unbiased(scale * estimate, len(y), bound)
        assert found.pvalue == pytest.approx(wanted, rel=1e-10) and 0 < found.pvalue < 1
    mixed = klce_test(y, p, x, prob_kernel=k, feature_kernel=MixedKernel(1.0, x.shape[1]), null="bound")
    assert mixed.pvalue == pytest.approx(kce_oracles.bound_unbiased(mixed.estimate, len(y), top), rel=1e-10)


def test_a_list_and_one_kernel_make_pairs():
    y, p, x = DATA["rows"]()
    probs, l = [laplacian(0.1), laplacian(0.4)], rbf(gamma=0.5)
    options = {"n_resamples": 60, "rng": 2}
    wanted = klce_test(y, p, x, prob_kernel=probs, feature_kernel=[l, l], **options)
    assert_same(klce_test(y, p, x, prob_kernel=iter(probs), feature_kernel=l, **options), wanted)
    assert_same(klce_test(y, p, x, prob_kernel=probs, feature_kernel=[l], **options), wanted)
    default = klce_test(y, p, x, prob_kernel=probs, **options)
    median = rbf(bandwidth=literal.median_distance(x))
    assert_same(default, klce_test(y, p, x, prob_kernel=probs, feature_kernel=median, **options), 1e-12)
