"""The local error and the local bias equal double loops, estimate what they claim to, and are what they are called."""

import math

import klce_oracles as literal
import numpy as np
import pytest
import risk_oracles
from hypothesis import assume, given
from hypothesis import strategies as st
from kce_oracles import assert_same, square, square_matrix
from labelled import PROPERTY, labelled

from calibtutor import klce, klce_test, laplacian, local_calibration_bias, rbf, skce
from calibtutor.data.local_worlds import NULL_DESIGNS, constant_kernel, group_shift
from calibtutor.data.worlds import FiniteWorld
from calibtutor.gram import Gram, ProductKernel

KERNELS = {
    "laplacian": (laplacian(0.4), risk_oracles.exponential(0.4)),
    "gaussian": (rbf(gamma=3.0), risk_oracles.gaussian(3.0)),
    "narrow gaussian": (rbf(gamma=1e6), risk_oracles.gaussian(1e6)),
    "a function": (square_matrix, square),
    "constant": (constant_kernel, literal.constant),
}
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


def many(n=700, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, d, n), rng.dirichlet(np.linspace(0.3, 1, d), n), rng.uniform(-1, 1, (n, 2))


# --- eq. 4 ---


@PROPERTY
@given(data(), NAMES, NAMES)
def test_eq_4_is_a_double_loop(yxp, prob, feature):
    (y, p, x), (kernels, formulas) = yxp, pair(prob, feature)
    found = klce(y, p, x, **kernels)
    assert isinstance(found, float)
    wanted = literal.klce(*formulas, y, p, x)
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-10)


@PROPERTY
@given(data())
def test_the_defaults_are_gaussians_with_the_median_distance(ypx):
    y, p, x = ypx
    assume(min(literal.median_distance(rows) for rows in (p, x)) > 1e-3)
    assert klce(y, p, x) == pytest.approx(literal.default_klce(y, p, x), abs=1e-10)


@PROPERTY
@given(data(), NAMES)
def test_without_features_it_is_the_kernel_calibration_error(ypx, name):
    # Errata K21: "k = 1" is printed. That forgets the predictions, and asks for calibration given the features alone.
    (y, p, x), kernel = ypx, KERNELS[name][0]
    only_p = klce(y, p, x, prob_kernel=kernel, feature_kernel=constant_kernel)
    assert only_p == pytest.approx(skce(y, p, kernel=kernel), rel=1e-12, abs=1e-12)
    only_x = klce(y, p, x, prob_kernel=constant_kernel, feature_kernel=kernel)
    K = risk_oracles.matrix(KERNELS[name][1], x, x)
    assert only_x == pytest.approx(literal.of_residuals(K, risk_oracles.residual_rows(y, p)), rel=1e-12, abs=1e-10)


# Kinds: the prediction .2 or .8 and the feature 0 or 1; what happens, in three worlds.
PREDICTED, FEATURE = np.array([0.2, 0.8, 0.2, 0.8]), np.array([0.0, 0.0, 1.0, 1.0])
HAPPENS = {
    "a fair coin": np.full(4, 0.5),
    "calibrated, locally not": PREDICTED + [0.15, 0.1, -0.15, -0.1],
    "locally calibrated": PREDICTED,
}
TRUE = {  # KLCE² with narrow kernels: (k and l, k alone, l alone); Σ over cells of (weight × gap)²
    "a fair coin": (4 * 0.075**2, 2 * 0.15**2, 0.0),
    "calibrated, locally not": (2 * (0.0375**2 + 0.025**2), 0.0, 2 * 0.0625**2),
    "locally calibrated": (0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("world", HAPPENS)
def test_expectations_over_every_data_set(world):
    two = [np.column_stack([1 - v, v]) for v in (PREDICTED, HAPPENS[world])]
    mass, kinds, labels = FiniteWorld(np.full(4, 0.25), *two).samples(3)
    narrow = laplacian(1e-3)
    kernels = [(narrow, narrow), (narrow, constant_kernel), (constant_kernel, narrow)]
    for (k, l), true in zip(kernels, TRUE[world], strict=True):
        values = [klce(y, PREDICTED[a], FEATURE[a], prob_kernel=k, feature_kernel=l)
                  for a, y in zip(kinds, labels, strict=True)]  # fmt: skip
        assert mass @ values == pytest.approx(true, abs=1e-14) and np.std(values) > 0.01 and min(values) < -0.01
    if world == "a fair coin":  # the numbers of errata K21
        assert TRUE[world][1:] == (pytest.approx(0.045), 0)


# --- invariances ---


@pytest.mark.parametrize("case", literal.DATA)
def test_kinds_of_features(case):
    y, p, x = literal.DATA[case]()
    column = x[:, 0]
    assert klce(y, p, column, feature_kernel=rbf(gamma=1.0)) == klce(y, p, x[:, :1], feature_kernel=rbf(gamma=1.0))
    flags = klce(y, p, x > 0, feature_kernel=rbf(gamma=1.0))
    assert flags == klce(y, p, (x > 0).astype(int), feature_kernel=rbf(gamma=1.0))


# --- many rows ---

WIDE = {"prob_kernel": rbf(gamma=0.05), "feature_kernel": rbf(gamma=0.01)}
NARROW = {"prob_kernel": laplacian(0.3), "feature_kernel": rbf(gamma=20.0)}


@pytest.mark.parametrize("scalar", [True, False])
@pytest.mark.parametrize(("kernels", "low"), [(WIDE, True), (NARROW, False)], ids=["features", "tiles"])
def test_many_rows_agree_with_the_whole_matrix_to_the_certificate(kernels, low, scalar):
    y, p, x = many()
    p, delta = (p[:, 0], p[:, :1] - (y == 1)[:, None]) if scalar else (p, p - np.eye(3)[y])
    y = (y == 1).astype(int) if scalar else y
    rows = p.reshape(700, -1)
    k, l = kernels.values()
    operator = Gram(ProductKernel(k, l, rows.shape[1]), np.hstack([rows, x]))
    assert (operator.features is not None) == low and operator.left_out <= 1e-12
    K = k(rows) * l(x)
    h = K * (delta @ delta.T)
    # What is left out is positive semi-definite with this trace: it changes a form by at most trace × ‖δ‖².
    allowed = (operator.left_out * np.trace(K) * (delta**2).sum() + 1e-12 * np.abs(h).sum()) / (700 * 699)
    assert klce(y, p, x, **kernels) == pytest.approx((h.sum() - np.trace(h)) / (700 * 699), rel=0, abs=allowed)


def test_low_rank_and_tiles_give_the_same_tests(monkeypatch):
    y, p, x = many()
    nulls = ("labels", "residuals", "permutation", "centred-permutation", "signs")
    assert Gram(ProductKernel(*WIDE.values(), 3), np.hstack([p, x])).features.shape[1] < 175
    quick = [klce_test(y, p, x, **WIDE, null=null, n_resamples=20, rng=1) for null in nulls]
    monkeypatch.setattr(Gram, "_may_have_low_rank", lambda self: False)
    for null, one in zip(nulls, quick, strict=True):
        other = klce_test(y, p, x, **WIDE, null=null, n_resamples=20, rng=1)
        assert_same(other, one, 1e-11)
        assert np.ptp(one.null_distribution) > 1e-5


# --- the bias near a query ---

POSITIVE = ["laplacian", "gaussian", "narrow gaussian", "constant", "a function"]


@PROPERTY
@given(data(), st.sampled_from(POSITIVE), st.sampled_from(POSITIVE), st.integers(0, 4))
def test_the_bias_its_error_and_its_size_are_loops(ypx, prob, feature, n_queries):
    (y, p, x), (kernels, formulas) = ypx, pair(prob, feature)
    found = local_calibration_bias(y, p, x, **kernels)
    literal.same_bias(found, literal.local_bias(*formulas, y, p, x, p, x), np.ndim(p) == 1)
    rng = np.random.default_rng(n_queries)
    at = rng.random((n_queries, *np.shape(p)[1:])), rng.normal(size=(n_queries, *np.shape(x)[1:]))
    found = local_calibration_bias(y, p, x, at=at, **kernels)
    if n_queries:
        wanted = literal.local_bias(*formulas, y, p, x, at[0].tolist(), at[1].tolist())
        literal.same_bias(found, wanted, np.ndim(p) == 1)
    assert found.bias.shape == found.standard_error.shape == (n_queries, *np.shape(p)[1:])
    assert found.effective_size.shape == (n_queries,)


def test_where_no_row_is_near_there_is_no_answer():
    y, p, x = [0, 1, 1], [0.2, 0.4, 0.9], [0.0, 0.0, 5.0]
    at = ([0.3, 0.9, 0.5], [0.0, 5.0, 1e3])
    found = local_calibration_bias(y, p, x, at=at, prob_kernel=constant_kernel, feature_kernel=rbf(gamma=100.0))
    np.testing.assert_allclose(found.bias, [0.2, 0.1, np.nan], rtol=0, atol=1e-14)  # (−.2 + .6)/2, .1
    np.testing.assert_allclose(found.standard_error, [math.sqrt(0.4) / 2, 0.3, np.nan], rtol=0, atol=1e-14)  # .16 + .24
    np.testing.assert_allclose(found.effective_size, [2, 1, 0], rtol=1e-12)


CALIBRATED = {
    "middling": lambda rng: group_shift(0.0, 300, rng),
    "sure and unsure": lambda rng: NULL_DESIGNS["two features"].draw(300, rng),
}


@pytest.mark.parametrize("width", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("world", CALIBRATED)
def test_two_standard_errors_hold_the_bias_of_a_calibrated_model(world, width):
    kernels, inside = {name: rbf(bandwidth=width) for name in ("prob_kernel", "feature_kernel")}, []
    for seed in range(200):
        y, p, x = CALIBRATED[world](seed)
        found = local_calibration_bias(y, p, x, at=(p[::10], x[::10]), **kernels)
        inside.append((np.abs(found.bias) <= 2 * found.standard_error).mean())
    # Normal noise would give .954; that of one row at [.25, .75] is never beyond 2. Places of a data set go together.
    error = np.std(inside) / math.sqrt(200)
    assert np.mean(inside) + 2.6 * error >= 0.94
    assert width < 0.5 or np.mean(inside) - 2.6 * error <= 0.965


def test_many_queries_are_answered_in_parts():
    y, p, x = many(3000)
    at = np.repeat(p[:2], 1000, axis=0), np.repeat(x[:2], 1000, axis=0)  # more than fits in one part
    found = local_calibration_bias(y, p, x, at=at)
    few = local_calibration_bias(y, p, x, at=(p[:2], x[:2]))
    for name in ("bias", "standard_error", "effective_size"):
        several = getattr(found, name)
        np.testing.assert_allclose(several[::1000], getattr(few, name), rtol=1e-12)
        assert (np.ptp(several.reshape(2, 1000, -1), axis=1) < 1e-9).all()
