"""Maps of the prediction: each equals its definition, does what its name promises, and says when it cannot."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from refusals import refuses
from scipy.optimize import isotonic_regression, minimize, minimize_scalar
from scipy.special import betaln, expit, logit, softmax
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import calibtutor as ct
from calibtutor.chance.resampling import draw_labels
from calibtutor.data.worlds import tempered_model

LINEAR = [ct.BetaCalibration(), ct.VectorScaling(), ct.DirichletCalibration()]
MAPS = [ct.PlattScaling(), ct.TemperatureScaling(), ct.IsotonicCalibration(), ct.BBQ(), *LINEAR]
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


@PROPERTY
@given(labelled_scores(min_size=5, distinct=3))
def test_platt_is_the_optimum_for_his_targets(data):
    """The log loss is convex in slope and intercept: where its gradient is 0, it is smallest."""
    y, s = data
    inside, hits = np.clip(s, 0.01, 0.99), y.sum()
    if np.ptp(inside) < 1e-6:
        return
    found, x = ct.PlattScaling(clip=0.01).fit(y, s), logit(inside)
    target = np.where(y == 1, (hits + 1) / (hits + 2), 1 / (len(y) - hits + 2))
    error = expit(found.slope * x + found.intercept) - target
    assert abs(error.sum()) < 1e-7 and abs(error @ (x - x.mean())) < 1e-7 * x.std()
    x = np.linspace(0.02, 0.98, 9)
    np.testing.assert_allclose(found.predict_proba(x), expit(found.slope * logit(x) + found.intercept), atol=1e-12)


def test_platt_stays_finite_where_scores_separate_the_labels():
    y, s = np.array([0, 0, 0, 1, 1]), np.array([0.0, 0.1, 0.2, 0.8, 1.0])
    found = ct.PlattScaling(clip=0.01).fit(y, s)
    assert 0 < found.slope < 100
    one_class = ct.PlattScaling(clip=0.01).fit(np.ones(5, int), s)
    assert one_class.slope == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(one_class.predict_proba(s), 6 / 7, atol=1e-6)  # Platt's target


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
        found = [ct.TemperatureScaling().fit(y, each).temperature for each in (p, p[:, 1])[: 2 if d == 2 else 1]]
    best = minimize_scalar(lambda t: log_loss(y, p, np.exp(t)), bounds=np.log([0.01, 100]), method="bounded").fun
    assert max(log_loss(y, p, t) for t in found) <= best + 1e-9


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
def test_temperature_of_labels_that_occur_exactly_as_often_as_the_truth_says(temperature):
    truth = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3]])
    p = truth**temperature / (truth**temperature).sum(axis=1, keepdims=True)
    found = ct.TemperatureScaling().fit(np.tile(range(3), 3), np.repeat(p, 3, axis=0), truth.ravel())
    assert found.temperature == pytest.approx(temperature, rel=1e-10)
    np.testing.assert_allclose(found.predict_proba(p), truth, rtol=1e-9)


def test_zeros_are_raised_to_the_clip_and_none_is_advised_where_the_log_loss_is_smaller_without():
    y, p = np.repeat([0, 1], [20, 20]), np.repeat([0.2, 0.9], [20, 20])
    low, p[-1] = p.copy(), 0.0  # one label is given 0
    low[-1] = 0.01
    soft, hard = ct.TemperatureScaling(clip=0.01).fit(y, p), ct.TemperatureScaling(clip=EPSILON).fit(y, p)
    assert soft.temperature < 1 < 3 < hard.temperature
    assert soft.temperature == pytest.approx(ct.TemperatureScaling(clip=0.01).fit(y, low).temperature, rel=0.01)
    assert hard.predict_proba([0.0])[0] == pytest.approx(1 / (1 + EPSILON ** (-1 / hard.temperature)), rel=1e-9)
    X, X_new, y, y_new = train_test_split(*load_digits(return_X_y=True), random_state=0)
    p = GaussianNB().fit(X, y).predict_proba(X_new)  # 53 of 450 labels below .0002; T = 2.12 with that clip
    assert ct.TemperatureScaling().fit(y_new, p).temperature == pytest.approx(7.53, abs=0.01)


@pytest.mark.parametrize(("y", "p", "end"), [  # always right, always wrong
    ([0, 1, 1, 2], [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.0, 0.0, 1.0]], 0.01),
    ([1, 0, 0, 1], [[0.9, 0.1], [0.2, 0.8], [0.1, 0.9], [0.7, 0.3]], 100.0)])
def test_a_temperature_at_the_end_of_the_range_is_announced(y, p, end):
    with pytest.warns(UserWarning, match=f"at or beyond {end:g}") as caught:
        assert ct.TemperatureScaling().fit(y, p).temperature == pytest.approx(end)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("d", "n"), [(2, 2000), (3, 2000), (10, 2000), (100, 2000), (1000, 800)])
def test_a_right_temperature_is_not_doubted_and_a_clip_is_advised_where_it_helps(d, n):
    z = 3 * np.random.default_rng(d).standard_normal((n, d))
    y = draw_labels(softmax(z / 1.5, axis=1), 1, rng=0)[:, 0].astype(int)
    assert ct.TemperatureScaling().fit(y, softmax(z, axis=1)).temperature == pytest.approx(1.5, rel=0.15)  # not doubted

    y, p = tempered_model(2 * n, d, rng=d)
    p = np.random.default_rng(0).multinomial(20, p) / 20  # shares of 20 trees: some labels are given 0
    half, rest = slice(n), slice(n, None)
    with pytest.warns(UserWarning, match=r"labels were given .*, with clip=([\d.e-]+) it is") as caught:
        told = ct.TemperatureScaling().fit(y[half], p[half])
    assert caught[0].filename == __file__ and len(caught) == 1
    assert told.temperature == ct.TemperatureScaling(clip=EPSILON).fit(y[half], p[half]).temperature  # told, and silent
    clip = float(re.search(r"clip=([\d.e-]+) it is", str(caught[0].message)).group(1))
    taken = ct.TemperatureScaling(clip=clip).fit(y[half], p[half])
    losses = [-np.log(each.predict_proba(p[rest]))[np.arange(n), y[rest]].mean() for each in (taken, told)]
    assert losses[0] < losses[1] and 1 < taken.temperature < 1.6 < told.temperature


def beta_loss(y, s, a, b, c):
    """Mean log loss against Platt's targets of the formula as it is printed."""
    target = np.where(y == 1, (y.sum() + 1) / (y.sum() + 2), 1 / ((1 - y).sum() + 2))
    q = 1 / (1 + np.exp(-(a * np.log(s) - b * np.log(1 - s) + c)))
    return -np.mean(target * np.log(q) + (1 - target) * np.log(1 - q))


@PROPERTY
@given(labelled_scores(min_size=8, distinct=4), st.booleans())
def test_beta_is_the_optimum_with_slopes_that_do_not_fall(data, falls):
    y, s = data[0], np.clip(data[1], 0.01, 0.99)
    if np.ptp(s) < 0.05:
        return
    if falls:
        y = (s < np.median(s)).astype(int)
    found = ct.BetaCalibration(clip=0.01).fit(y, s)
    assert found.a >= 0 and found.b >= 0
    start, bounds = [1, 1, 0], [(0, None), (0, None), (None, None)]
    best = minimize(lambda x: beta_loss(y, s, *x), start, bounds=bounds, method="SLSQP", options={"ftol": 1e-13}).fun
    reached = beta_loss(y, s, found.a, found.b, found.c)
    assert reached <= best + 1e-6 and (not falls or found.a * found.b == 0)
    assert beta_loss(y, s, found.a + 0.1, found.b, found.c) >= reached - 1e-9  # and it is one
    wanted = expit(found.a * np.log(s) - found.b * np.log(1 - s) + found.c)
    np.testing.assert_allclose(found.predict_proba(s), wanted, rtol=1e-9)


@pytest.mark.parametrize("place", ["near 0", "near 1", "near one half"])
@pytest.mark.parametrize("n", [200, 2000])
def test_beta_reaches_its_optimum_where_the_two_logarithms_hardly_differ_or_hardly_vary(place, n):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        small = 10 ** rng.uniform(-7, -1, n)
        s = {"near 0": small, "near 1": 1 - small, "near one half": rng.uniform(0.48, 0.52, n)}[place]
        y = (rng.random(n) < expit(rng.uniform(0, 2) * np.log(s) - rng.uniform(0, 2) * np.log1p(-s))).astype(int)
        found = ct.BetaCalibration().fit(y, s)
        u = np.column_stack([np.log(s), -np.log1p(-s)])
        target = np.where(y == 1, (y.sum() + 1) / (y.sum() + 2), 1 / ((1 - y).sum() + 2))
        slope = (expit(u @ [found.a, found.b] + found.c) - target) @ (u - u.mean(axis=0)) / u.std(axis=0) / n
        held = np.array([found.a, found.b]) == 0
        hold = 2e-8 * (np.array([found.a, found.b]) - 1) / u.std(axis=0)  # of what keeps a and b finite
        assert (np.abs(slope + hold)[~held] < 1e-5).all() and ((slope + hold)[held] > -1e-5).all()


def odir_loss(y, p, W, b, strength):
    """Kull et al. (2019), entry by entry."""
    d = len(b)
    q = softmax([[sum(W[i, j] * np.log(row[j]) for j in range(d)) + b[i] for i in range(d)] for row in p], axis=1)
    off = sum(W[i, j] ** 2 for i in range(d) for j in range(d) if i != j) / (d * (d - 1))
    return -np.mean([np.log(q[i, k]) for i, k in enumerate(y)]) + strength * (off + sum(b**2) / d)


@pytest.mark.parametrize("d", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("strength", [0.01, 1.0, None], ids=["Dirichlet .01", "Dirichlet 1", "vector"])
def test_vector_and_dirichlet_are_the_optimum(d, strength):
    rng = np.random.default_rng(d)
    p, y = rng.dirichlet(np.ones(d), 40), rng.integers(0, d, 40)
    y[:25] = p[:25].argmax(axis=1)
    found = (ct.DirichletCalibration(strength) if strength else ct.VectorScaling()).fit(y, p)
    w, b = found.weights, found.intercepts

    def loss(theta):
        W = theta[:-d].reshape(d, d) if strength else np.diag(theta[:d])
        return odir_loss(y, p, W, theta[-d:], strength or 0)

    here = np.concatenate([w.ravel(), b])
    first = np.concatenate([(np.eye(d) if strength else np.ones(d)).ravel(), np.zeros(d)])
    assert abs(loss(here) - minimize(loss, first, method="BFGS").fun) < 1e-6
    assert loss(here) < min(loss(first), loss(1.2 * here), loss(0.8 * here)) - 1e-5
    W = w if strength else np.diag(w)
    assert abs(b.mean()) < 1e-6
    np.testing.assert_allclose(found.predict_proba(p), softmax(np.log(p) @ W.T + b, axis=1), atol=1e-12)
    one = found.predict_proba(p[:, 1]) if d == 2 else None
    assert one is None or np.abs(one - found.predict_proba(p)[:, 1]).max() < 1e-9


def test_a_stronger_penalty_leaves_less_beside_the_diagonal_and_classes_may_be_renamed():
    y, p = three()
    fitted = [ct.DirichletCalibration(each).fit(y, p) for each in (1e-3, 1, 1e4)]
    off = [np.abs(each.weights[~np.eye(3, dtype=bool)]).max() for each in fitted]
    assert off[0] > off[1] > 100 * off[2] > 0
    for method in (ct.VectorScaling(), ct.DirichletCalibration()):
        turn = [2, 0, 1]
        turned = clone(method).fit(np.argsort(turn)[y], p[:, turn]).predict_proba(p[:, turn])
        np.testing.assert_allclose(turned, clone(method).fit(y, p).predict_proba(p)[:, turn], atol=1e-6)


@pytest.mark.parametrize("method", LINEAR, ids=repr)
def test_what_the_labels_do_not_decide_stays_finite(method):
    rows = not isinstance(method, ct.BetaCalibration)
    p = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    y = p[:, :2].argmax(axis=1)  # always right, a class that never occurs
    y, p = (y, p) if rows else (y, expit(p[:, 1] - p[:, 0]))
    p[:3] = [0, 0, 1] if rows else 0
    found = method.fit(y, p.astype(np.float32))
    assert all(np.isfinite(getattr(found, name)).all() for name in found._learned)
    assert np.isfinite(found.predict_proba(p)).all()
    if rows:
        assert found.predict_proba(p)[3:, 2].mean() < 0.02


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 20))
def test_isotonic_is_pooled_and_rising(seed, n, levels):
    rng = np.random.default_rng(seed)
    s, y = rng.integers(0, levels + 1, n) / levels, rng.integers(0, 2, n)
    found = ct.IsotonicCalibration().fit(y, s)
    seen, place, count = np.unique(s, return_inverse=True, return_counts=True)
    wanted = isotonic_regression(np.bincount(place, y) / count, weights=count).x
    np.testing.assert_allclose(found.predict_proba(seen), wanted, atol=1e-12)
    x = np.sort(rng.random(50))
    assert found.predict_proba([0.0, 1.0]).tolist() == pytest.approx([wanted[0], wanted[-1]])  # clipped outside
    np.testing.assert_allclose(np.interp(x, found.thresholds, found.frequencies), found.predict_proba(x), atol=1e-12)


def bbq(y, s, at, strength=2.0):
    """The definition: every binning, its marginal likelihood, its posterior means; then the average."""
    n, ordered = len(y), sorted(s)
    fewest, most = max(1, math.floor(n ** (1 / 3) / 10)), math.ceil(min(10 * n ** (1 / 3), n / 5))
    binnings = set()
    for n_bins in range(fewest, most + 1):  # a bin ends at the smallest score with at least m n / B at or below it
        ends = (math.ceil(m * n / n_bins - 1e-9) - 1 for m in range(1, n_bins + 1))
        binnings.add(tuple(sorted({ordered[end] for end in ends})))
    scores, predictions = [], []
    for tops in binnings:
        inner = [(top + min(v for v in s if v > top)) / 2 for top in tops[:-1]]
        place, edges, prior = np.searchsorted(inner, s), np.array([0, *inner, 1]), strength / len(tops)
        hits, misses = (np.bincount(place, each, len(tops)) for each in (y, 1 - y))
        a = prior * np.clip((edges[1:] + edges[:-1]) / 2, 0.005, 0.995)
        scores.append((betaln(hits + a, misses + prior - a) - betaln(a, prior - a)).sum())
        predictions.append(((hits + a) / (hits + misses + prior))[np.searchsorted(inner, at)])
    return softmax(scores) @ np.array(predictions)


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 60), st.sampled_from([3, 10, 10**6]), st.sampled_from([0.5, 2.0, 20.0]),
       st.sampled_from([1.0, 1e-3]))  # fmt: skip  # all scores near 0: midpoints below .005
def test_bbq_is_its_definition(seed, n, levels, strength, highest):
    rng = np.random.default_rng(seed)
    s, y = highest * rng.integers(0, levels + 1, n) / levels, rng.integers(0, 2, n)
    at = np.concatenate([s, rng.random(20), [0, 1, 5e-324]])
    found = ct.BBQ(prior_strength=strength).fit(y, s)
    np.testing.assert_allclose(found.predict_proba(at), bbq(y, s, at, strength), rtol=1e-9)
    assert found.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("rows", [False, True], ids=["scores", "rows"])
@pytest.mark.parametrize("method", [m for m in MAPS if not isinstance(m, ct.BBQ)], ids=repr)
def test_weights_are_rows_repeated(method, rows):
    method = clone(method) if isinstance(method, ct.IsotonicCalibration) else clone(method).set_params(clip=0.01)
    y, p = three(80) if rows else squared_world(80)
    times = np.random.default_rng(1).integers(0, 4, 80)
    weighted = clone(method).fit(y, p, times)
    repeated = clone(method).fit(np.repeat(y, times), np.repeat(p, times, axis=0))
    new = (three(50, seed=2) if rows else squared_world(50, seed=2))[1]
    np.testing.assert_allclose(weighted.predict_proba(new), repeated.predict_proba(new), atol=1e-7)
    plain = clone(method).fit(y, p).predict_proba(new)
    assert np.abs(plain - weighted.predict_proba(new)).max() > 1e-3  # they matter
    np.testing.assert_allclose(clone(method).fit(y, p, np.ones(80)).predict_proba(new), plain, atol=1e-7)


@pytest.mark.parametrize("method", [ct.PlattScaling(), ct.IsotonicCalibration(), ct.BetaCalibration()], ids=repr)
def test_one_map_a_class_against_the_rest_and_two_columns_are_their_second(method):
    y, p = three()
    new = three(seed=1)[1]
    found = method.fit(y, p)
    maps = [clone(method).fit((y == k).astype(int), p[:, k]).predict_proba(new[:, k]) for k in range(3)]
    np.testing.assert_allclose(found.predict_proba(new), (maps / sum(maps)).T)
    assert len(found.maps) == 3 and all(len(getattr(found, name)) == 3 for name in found._learned)
    y, p = squared_world(60)
    both, wanted = np.column_stack([1 - p, p]), clone(method).fit(y, p).predict_proba(p)
    np.testing.assert_array_equal(found.fit(y, both).predict_proba(both), np.column_stack([1 - wanted, wanted]))
    np.testing.assert_array_equal(found.predict_proba(p), wanted)
    assert found.maps is None  # nothing of the three is left
    seen = [[0.5, 0.45, 0.05], [0.05, 0.5, 0.45], [0.45, 0.05, 0.5]]  # always right: .45 never happens
    found = ct.IsotonicCalibration().fit([0, 1, 2], seen)  # a row that every map sends to 0 is uniform
    assert found.predict_proba([[0.5, 0.3, 0.2], [0.4, 0.35, 0.25]]).tolist() == [[1, 0, 0], [1 / 3] * 3]


@pytest.mark.parametrize("method", MAPS, ids=repr)
def test_bad_input_is_named(method):
    method, takes_weights = clone(method), not isinstance(method, ct.BBQ)
    with pytest.raises(NotFittedError):
        method.predict_proba([0.5])
    with refuses("sample_weight", 1 if takes_weights else None):
        method.fit([0, 1], [0.1, 0.2], [1, -1])
    method.fit(*squared_world(60))
    with refuses("y_prob", 1):
        method.predict_proba([0.1, 1.5])
    if not isinstance(method, ct.TemperatureScaling):
        with refuses("y_prob"):
            method.predict_proba([[0.2, 0.3, 0.5]])
