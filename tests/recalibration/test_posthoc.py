"""Maps of the prediction: each equals its definition, does what its name promises, and says when it cannot."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from refusals import refuses
from scipy.optimize import isotonic_regression, minimize_scalar
from scipy.special import expit, logit, softmax
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from calibtutor.data.worlds import tempered_model
from calibtutor.recalibration import BBQ, IsotonicCalibration, PlattScaling, TemperatureScaling
from calibtutor.resampling import draw_labels

MAPS = [PlattScaling(), TemperatureScaling(), IsotonicCalibration(), BBQ()]
EPSILON = 2.0**-52
pytestmark = pytest.mark.filterwarnings("error")


def squared_world(n=400, seed=0):
    """Scores s whose frequency is s²: over-confident everywhere."""
    rng = np.random.default_rng(seed)
    s = rng.random(n)
    return (rng.random(n) < s**2).astype(int), s


def three(n=300, seed=0):
    """Three classes, over-confident predictions."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), n)
    return np.array([rng.choice(3, p=row) for row in p]), p**2 / (p**2).sum(axis=1, keepdims=True)


@st.composite
def labelled_scores(draw, min_size=2, max_size=30, distinct=1):
    score = st.one_of(st.integers(0, 8).map(lambda k: k / 8), st.floats(0, 1))
    scores = draw(st.lists(score, min_size=min_size, max_size=max_size).filter(lambda s: len(set(s)) >= distinct))
    return np.array(draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores)))), np.array(scores)


# --- Platt ---


@PROPERTY
@given(labelled_scores(min_size=5, distinct=3))
def test_platt_is_the_optimum_for_his_targets(data):
    """The log loss is convex in slope and intercept: where its gradient is 0, it is smallest."""
    y, s = data
    inside, hits = np.clip(s, 0.01, 0.99), y.sum()
    if np.ptp(inside) < 1e-6:
        return
    found, x = PlattScaling(clip=0.01).fit(y, s), logit(inside)
    target = np.where(y == 1, (hits + 1) / (hits + 2), 1 / (len(y) - hits + 2))
    error = expit(found.slope * x + found.intercept) - target
    assert abs(error.sum()) < 1e-7 and abs(error @ (x - x.mean())) < 1e-7 * x.std()
    x = np.linspace(0.02, 0.98, 9)
    np.testing.assert_allclose(found.predict_proba(x), expit(found.slope * logit(x) + found.intercept), atol=1e-12)


def test_platt_stays_finite_where_scores_separate_the_labels():
    y, s = np.array([0, 0, 0, 1, 1]), np.array([0.0, 0.1, 0.2, 0.8, 1.0])
    found = PlattScaling(clip=0.01).fit(y, s)
    assert 0 < found.slope < 100
    one_class = PlattScaling(clip=0.01).fit(np.ones(5, int), s)
    assert one_class.slope == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(one_class.predict_proba(s), 6 / 7, atol=1e-6)  # Platt's target


# --- temperature ---


def log_loss(y, p, temperature):
    """Mean of log Σ_k p_k^{1/T} − log p_y^{1/T}."""
    logs = np.log(np.maximum(p, EPSILON)) / temperature
    return np.mean(np.logaddexp.reduce(logs, axis=1) - logs[np.arange(len(y)), y])


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0.2, 4))
def test_temperature_is_the_best(seed, d, sharpness):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(d, 1 / sharpness), 25)
    p[rng.random(p.shape) < 0.05] = 0  # some zeros
    p = (p + 1e-30) / (p + 1e-30).sum(axis=1, keepdims=True)
    y = rng.integers(0, d, 25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the end of the range is met now and then
        found = [TemperatureScaling().fit(y, each).temperature for each in (p, p[:, 1])[: 2 if d == 2 else 1]]
    best = minimize_scalar(lambda t: log_loss(y, p, np.exp(t)), bounds=np.log([0.01, 100]), method="bounded").fun
    assert max(log_loss(y, p, t) for t in found) <= best + 1e-9


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
def test_temperature_of_labels_that_occur_exactly_as_often_as_the_truth_says(temperature):
    truth = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3]])
    p = truth**temperature / (truth**temperature).sum(axis=1, keepdims=True)
    found = TemperatureScaling().fit(np.tile(range(3), 3), np.repeat(p, 3, axis=0), truth.ravel())
    assert found.temperature == pytest.approx(temperature, rel=1e-6)
    np.testing.assert_allclose(found.predict_proba(p), truth, rtol=1e-6)


def test_zeros_are_raised_to_the_clip():
    y, p = np.repeat([0, 1], [20, 20]), np.repeat([0.2, 0.9], [20, 20])
    low, p[-1] = p.copy(), 0.0  # one label is given 0
    low[-1] = 0.01
    soft, hard = TemperatureScaling(clip=0.01).fit(y, p), TemperatureScaling(clip=EPSILON).fit(y, p)
    assert soft.temperature < 1 < 3 < hard.temperature
    assert soft.temperature == pytest.approx(TemperatureScaling(clip=0.01).fit(y, low).temperature, rel=0.01)
    assert hard.predict_proba([0.0])[0] == pytest.approx(1 / (1 + EPSILON ** (-1 / hard.temperature)), rel=1e-9)


@pytest.mark.parametrize(
    ("y", "p", "end"),
    [
        ([0, 1, 1, 2], [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.0, 0.0, 1.0]], 0.01),  # always right
        ([1, 0, 0, 1], [[0.9, 0.1], [0.2, 0.8], [0.1, 0.9], [0.7, 0.3]], 100.0),  # always wrong
    ],
)
def test_a_temperature_at_the_end_of_the_range_is_announced(y, p, end):
    with pytest.warns(UserWarning, match=f"at or beyond {end:g}") as caught:
        assert TemperatureScaling().fit(y, p).temperature == pytest.approx(end)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("d", [2, 3, 10, 100, 1000])
def test_a_right_temperature_is_not_doubted_and_a_clip_is_advised_where_it_helps(d):
    z = 3 * np.random.default_rng(d).standard_normal((2000, d))
    y = draw_labels(softmax(z / 1.5, axis=1), 1, rng=0)[:, 0].astype(int)
    assert TemperatureScaling().fit(y, softmax(z, axis=1)).temperature == pytest.approx(1.5, rel=0.15)  # and no warning

    y, p = tempered_model(4000, d, rng=d)
    p = np.random.default_rng(0).multinomial(20, p) / 20  # shares of 20 trees: some labels are given 0
    half, rest = slice(2000), slice(2000, None)
    with pytest.warns(UserWarning, match=r"labels were given .*, with clip=([\d.e-]+) it is") as caught:
        told = TemperatureScaling().fit(y[half], p[half])
    assert caught[0].filename == __file__ and len(caught) == 1
    assert told.temperature == TemperatureScaling(clip=EPSILON).fit(y[half], p[half]).temperature  # told, and silent
    clip = float(re.search(r"clip=([\d.e-]+) it is", str(caught[0].message)).group(1))
    taken = TemperatureScaling(clip=clip).fit(y[half], p[half])
    losses = [-np.log(each.predict_proba(p[rest]))[np.arange(2000), y[rest]].mean() for each in (taken, told)]
    assert losses[0] < losses[1] and 1 < taken.temperature < 1.6 < told.temperature


def test_no_clip_is_advised_where_the_log_loss_is_smaller_without():
    X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), random_state=0)
    p = GaussianNB().fit(X, y).predict_proba(X_new)  # 53 of 450 labels below .0002; T = 2.12 with that clip
    assert TemperatureScaling().fit(y_new, p).temperature == pytest.approx(7.53, abs=0.01)


# --- isotonic ---


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 20))
def test_isotonic_is_pooled_and_rising(seed, n, levels):
    rng = np.random.default_rng(seed)
    s, y = rng.integers(0, levels + 1, n) / levels, rng.integers(0, 2, n)
    found = IsotonicCalibration().fit(y, s)
    seen, place, count = np.unique(s, return_inverse=True, return_counts=True)
    wanted = isotonic_regression(np.bincount(place, y) / count, weights=count).x
    np.testing.assert_allclose(found.predict_proba(seen), wanted, atol=1e-12)
    x = np.sort(rng.random(50))
    assert found.predict_proba([0.0, 1.0]).tolist() == pytest.approx([wanted[0], wanted[-1]])  # clipped outside
    np.testing.assert_allclose(np.interp(x, found.thresholds, found.frequencies), found.predict_proba(x), atol=1e-12)


# --- all maps ---


@pytest.mark.parametrize("rows", [False, True], ids=["scores", "rows"])
@pytest.mark.parametrize("method", [m for m in MAPS if not isinstance(m, BBQ)], ids=repr)
def test_weights_are_rows_repeated(method, rows):
    method = TemperatureScaling(clip=0.01) if isinstance(method, TemperatureScaling) else method
    y, p = three(80) if rows else squared_world(80)
    times = np.random.default_rng(1).integers(0, 4, 80)
    weighted = clone(method).fit(y, p, times)
    repeated = clone(method).fit(np.repeat(y, times), np.repeat(p, times, axis=0))
    new = (three(50, seed=2) if rows else squared_world(50, seed=2))[1]
    np.testing.assert_allclose(weighted.predict_proba(new), repeated.predict_proba(new), atol=1e-7)
    plain = clone(method).fit(y, p).predict_proba(new)
    assert np.abs(plain - weighted.predict_proba(new)).max() > 1e-3  # they matter
    np.testing.assert_allclose(clone(method).fit(y, p, np.ones(80)).predict_proba(new), plain, atol=1e-7)


@pytest.mark.parametrize("method", [PlattScaling(), IsotonicCalibration()], ids=repr)
def test_one_map_a_class_against_the_rest(method):
    y, p = three()
    new = three(seed=1)[1]
    found = method.fit(y, p)
    maps = [clone(method).fit((y == k).astype(int), p[:, k]).predict_proba(new[:, k]) for k in range(3)]
    np.testing.assert_allclose(found.predict_proba(new), (maps / sum(maps)).T)
    assert len(found.maps) == 3 and all(len(getattr(found, name)) == 3 for name in found._learned)
    found.fit(*squared_world())  # nothing of it is left
    assert found.maps is None and found.predict_proba([0.2, 0.4]).shape == (2,)


@pytest.mark.parametrize("method", [PlattScaling(), IsotonicCalibration()], ids=repr)
def test_two_columns_are_their_second(method):
    y, s = squared_world(60)
    both = np.column_stack([1 - s, s])
    wanted = clone(method).fit(y, s).predict_proba(s)
    np.testing.assert_array_equal(method.fit(y, both).predict_proba(both), np.column_stack([1 - wanted, wanted]))
    np.testing.assert_array_equal(method.predict_proba(s), wanted)


def test_a_row_that_every_map_sends_to_zero_is_uniform():
    seen = [[0.5, 0.45, 0.05], [0.05, 0.5, 0.45], [0.45, 0.05, 0.5]]  # always right: .45 never happens
    found = IsotonicCalibration().fit([0, 1, 2], seen)
    assert found.predict_proba([[0.5, 0.3, 0.2], [0.4, 0.35, 0.25]]).tolist() == [[1, 0, 0], [1 / 3] * 3]


@pytest.mark.parametrize("method", MAPS, ids=repr)
def test_bad_input_is_named(method):
    method, takes_weights = clone(method), not isinstance(method, BBQ)
    with pytest.raises(NotFittedError):
        method.predict_proba([0.5])
    with refuses("sample_weight", 1 if takes_weights else None):
        method.fit([0, 1], [0.1, 0.2], [1, -1])
    method.fit(*squared_world(60))
    with refuses("y_prob", 1):
        method.predict_proba([0.1, 1.5])
    if not isinstance(method, TemperatureScaling):
        with refuses("y_prob"):
            method.predict_proba([[0.2, 0.3, 0.5]])
