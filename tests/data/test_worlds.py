"""Known truths are what enumeration, integration and large samples say they are."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import chi2, kstest, truncnorm

from calibtutor.data import worlds
from calibtutor.data.worlds import clustered, group_shift, hidden_feature

N = 20_000


def assert_frequencies(y, frequency, groups):
    """In each group labels happen as often as they should: χ² over groups, and no group 4.5 standard errors off."""
    scores = []
    for group in np.unique(groups):
        inside = groups == group
        variance = (frequency[inside] * (1 - frequency[inside])).sum()
        scores.append((y[inside] - frequency[inside]).sum() / math.sqrt(variance))
    assert np.abs(scores).max() < 4.5 and chi2.sf(np.square(scores).sum(), len(scores)) > 1e-4


def tenths(values):
    """Group numbers by ranks; equal values stay together."""
    return np.searchsorted(np.quantile(values, np.linspace(0.1, 0.9, 9)), values)


@st.composite
def finite_worlds(draw):
    """Worlds whose kinds share predictions, confidences and single entries."""
    d, m = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    row = st.lists(st.integers(0, 3), min_size=d, max_size=d).filter(any).map(lambda w: [v / sum(w) for v in w])
    weights = draw(st.lists(st.integers(1, 5), min_size=m, max_size=m))
    rows = [draw(st.lists(row, min_size=m, max_size=m)) for _ in range(2)]
    return worlds.FiniteWorld([w / sum(weights) for w in weights], *rows)


@PROPERTY
@given(finite_worlds())
def test_expectations_are_sums_over_kinds_and_labels(world):
    found = world.expectation(lambda p, e: (p**2 * e).sum(axis=-1) + p[..., 0] * e[..., -1])
    p, q = world.predictions, world.conditionals
    assert found == pytest.approx(world.weights @ ((q * p**2).sum(axis=1) + q[:, -1] * p[:, 0]), abs=1e-12)
    np.testing.assert_allclose(world.marginal, world.weights @ q, atol=1e-12)


@PROPERTY
@given(finite_worlds())
def test_what_is_given_is_an_average_over_kinds_that_look_alike(world):
    p, q = world.predictions, world.conditionals
    confidence = p.max(axis=1, keepdims=True)
    for key in (p, p[:, :1], confidence, np.column_stack([confidence, p.argmax(axis=1)])):
        sums = pd.DataFrame(np.column_stack([world.weights, world.weights[:, None] * q]))
        sums = sums.groupby(list(key.round(9).T)).transform("sum").to_numpy()
        np.testing.assert_allclose(world.given(key, q), sums[:, 1:] / sums[:, :1], atol=1e-12)
    np.testing.assert_array_equal(world.frequencies, world.given(p, q))


def test_predictions_that_differ_by_rounding_are_one():
    p = [[0.1 + 0.2, 0.7], [0.3, 0.7]]
    assert p[0] != p[1]
    world = worlds.FiniteWorld([0.25, 0.75], p, [[1, 0], [0, 1]])
    np.testing.assert_allclose(world.frequencies, [[0.25, 0.75]] * 2, atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_all_samples_together_are_the_world(seed):
    world, n = worlds.random_world(seed, n_kinds=2, n_classes=2, shared=seed == 0), 3
    mass, kind, label = world.samples(n)
    assert mass.shape == (4**n,) and kind.shape == label.shape == (4**n, n)
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    p, e = world.predictions[kind], np.eye(2)[label]
    brier = lambda p, e: ((p - e) ** 2).sum(axis=-1)
    assert mass @ brier(p, e).mean(axis=1) == pytest.approx(world.expectation(brier), abs=1e-12)
    assert mass @ brier(p, e).prod(axis=1) == pytest.approx(world.expectation(brier) ** n, abs=1e-12)  # independent


def test_samples_are_drawn_with_their_probabilities():
    world, n = worlds.random_world(1, n_kinds=3, shared=False), 60_000
    y, p = world.sample(n, rng=0)
    for w, row, law in zip(world.weights, world.predictions, world.conditionals, strict=True):
        for k, q in enumerate(law):
            share = ((p == row).all(axis=1) & (y == k)).mean()
            assert abs(share - w * q) < 4 * math.sqrt(w * q * (1 - w * q) / n)


def test_random_worlds():
    world = worlds.random_world(3, n_kinds=5, n_classes=4)
    assert world.predictions.shape == world.conditionals.shape == (5, 4)
    assert (world.predictions[0] == world.predictions[1]).all()
    one, other, *_ = worlds.random_world(3, shared=False).predictions
    assert not (one == other).any()


@pytest.mark.parametrize("world", [worlds.CurveWorld(lambda p: 0.7 * p, np.sqrt), worlds.wave_world(3, 0.1)])
def test_errors_of_curves_are_integrals(world):
    gap = lambda u: abs(world.quantile(u) - world.curve(world.quantile(u)))
    pieces = [quad(gap, a / 60, (a + 1) / 60, epsabs=1e-12)[0] for a in range(60)]
    assert world.calibration_error() == pytest.approx(math.fsum(pieces), abs=2e-7)
    assert worlds.wave_world(10).calibration_error() == pytest.approx(2 * 0.04 / math.pi, abs=1e-6)


def test_curves_are_sampled_with_their_frequencies():
    world = worlds.wave_world(1, 0.15)
    y, p = world.sample(40_000, rng=0)
    assert set(np.unique(y)) == {0, 1} and kstest(p, "uniform").pvalue > 1e-4
    assert_frequencies(y, world.curve(p), tenths(p))


def surprise(y, p, truth):
    """Largest standardised mean of (e_y − truth) times a function of the prediction: small if the truth is right."""
    gap, scores = np.eye(p.shape[1])[y] - truth, []
    for weight in (np.ones_like(p), p, p > 0.9, p**2):
        terms = gap * weight
        spread = terms.std(axis=0)
        scores += (np.abs(terms.mean(axis=0)) / np.where(spread > 0, spread, 1) * np.sqrt(len(y))).tolist()
    return max(scores)


@pytest.mark.parametrize("strength", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("towards", ["M2", "M3"])
def test_labels_of_a_mixture(towards, strength):
    y, p = worlds.mixed_widmann_model(strength, 50_000, towards=towards, n_classes=4, rng=0)
    other = np.array([1, 0, 0, 0]) if towards == "M2" else np.full(4, 0.25)
    truth = lambda s: (1 - s) * p + s * other
    assert surprise(y, p, truth(strength)) < 4.5
    for wrong in (strength - 0.1, strength + 0.1):
        if 0 <= wrong <= 1:
            assert surprise(y, p, truth(wrong)) > 10  # so that the line above can fail


def test_the_posters_models_are_mixtures():
    for name, strength, towards in (("M1", 0, "M2"), ("M2", 0.5, "M2"), ("M3", 1, "M3")):
        y, p = worlds.widmann_model(name, 40_000, rng=0)
        same, q = worlds.mixed_widmann_model(strength, 40_000, towards=towards, rng=0)
        assert p.shape == (40_000, 10) and (y == same).all() and (p == q).all()
    # Dir(.1, …, .1): mean .1, variance .1·.9/(10·.1 + 1).
    assert (np.abs(p.mean(axis=0) - 0.1) < 4 * np.sqrt(0.045 / 40_000)).all()
    assert p.var(axis=0).mean() == pytest.approx(0.045, rel=0.02)


@pytest.mark.parametrize("name", ["heteroscedastic", "near-deterministic"])
def test_calibrated_models_are_calibrated(name):
    y, p = worlds.calibrated_model(name, 200_000, n_classes=3, rng=0)
    assert surprise(y, p, p) < 4.5
    assert surprise(y, p, 0.97 * p + 0.01) > 10  # so that the line above can fail
    assert np.abs(p.mean(axis=0) - 1 / 3).max() < 0.01  # no class is favoured
    if name == "heteroscedastic":  # one prediction in five is in the crowd
        crowd = np.abs(p - 1 / 3).max(axis=1) < 0.01
        assert abs(crowd.mean() - 0.2) < 4.5 * np.sqrt(0.16 / len(p)) and p[~crowd].max(axis=1).min() > 0.7 - 1e-12
    else:  # hardly any label surprises: ½ · .02 · E(1 − the corner's share) = .0067
        assert p.max(axis=1).min() >= 0.98 and 0.005 < (y != p.argmax(axis=1)).mean() < 0.009


def test_the_temperature_simulation_has_the_published_figures():
    # Gruber & Bach §5.1, recomputed over 100 seeds: accuracy .9058, CCE₂² .06316.
    n = 60_000
    y, p, q = worlds.temperature_simulation(n, rng=0)
    square = ((p - q) ** 2).sum(axis=1)
    hits = q.argmax(axis=1) == y
    assert abs(hits.mean() - 0.906) < 4 * math.sqrt(0.906 * 0.094 / n)
    assert abs(square.mean() - 0.0632) < 4 * square.std() / math.sqrt(n) + 5e-5
    inside = q.min(axis=1) > 1e-200
    power = q[inside] ** 0.3
    np.testing.assert_allclose(p[inside], power / power.sum(axis=1, keepdims=True), rtol=1e-9)
    # Dir(.04 × 5): mean .2, variance .2·.8/(5·.04 + 1).
    assert (np.abs(q.mean(axis=0) - 0.2) < 4 * np.sqrt(0.16 / 1.2 / n)).all()
    assert q.var(axis=0).mean() == pytest.approx(0.16 / 1.2, rel=0.02)
    assert surprise(y, q, q) < 4.5


@pytest.mark.parametrize("draw", [
    partial(worlds.widmann_model, "M2", 20), partial(worlds.calibrated_model, "heteroscedastic", 20),
    partial(worlds.covariate_shift, 1, 20), partial(worlds.temperature_simulation, 20), partial(hidden_feature, 20, 2),
    partial(worlds.random_world(0).sample, 20), partial(worlds.wave_world(2).sample, 20)])
def test_same_seed_same_data(draw):
    text = lambda rng: b"".join(array.tobytes() for array in draw(rng=rng))
    assert text(7) == text(np.random.default_rng(7)) != text(8)
    assert text(None) != text(None)


@pytest.mark.parametrize("alpha", [-1, -0.25, 0.75])
def test_the_inputs_are_truncated_normal_and_the_labels_follow_them(alpha):
    y, p = worlds.covariate_shift(alpha, 20_000, rng=0)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    x = np.log(p[:, 1] / p[:, 0]) / 5
    assert kstest(x, truncnorm((-1 - alpha) / 0.25, (1 - alpha) / 0.25, alpha, 0.25).cdf).pvalue > 0.01
    assert_frequencies(y, expit(x), tenths(x))


CROWDS = [(0.2, 0.5, (0.02, 0.98)), (0.8, 0.03, (0.5,)), (0.5, 0.1, (0.2, 0.4, 0.9))]


@pytest.mark.parametrize(("share", "crowd", "isolated"), CROWDS)
def test_a_crowd_and_isolated_points_are_locally_calibrated(share, crowd, isolated):
    y, p, X = clustered(share, N, 3, crowd=crowd, isolated=isolated)
    inside = X[:, 0] == 0
    assert inside.mean() == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / N))
    assert (p[inside] == crowd).all() and set(p[~inside].tolist()) == set(isolated)
    for value in isolated:
        half = 1 / len(isolated)
        assert (p[~inside] == value).mean() == pytest.approx(half, abs=4.5 * math.sqrt(half / (~inside).sum()))
    assert kstest(X[~inside, 0], "uniform", (-1e4, 2e4)).pvalue > 1e-4
    assert_frequencies(y, p, 10 * tenths(X[:, 0]) + tenths(p) // 2)


def test_everyone_or_no_one_in_the_crowd():
    assert (clustered(1, 100, 0)[2] == 0).all() and (clustered(0, 100, 0)[2] != 0).all()
    y, p, _ = clustered(0.5, 1000, 0, crowd=0, isolated=(1,))
    assert (y == p).all() and 0 < y.mean() < 1


def test_a_model_without_the_last_feature_is_wrong_both_along_and_across():
    y, p, X = hidden_feature(N, 3, 4)
    frequency = expit(X.sum(axis=1))
    assert_frequencies(y, frequency, tenths(X[:, 2]))
    assert_frequencies(y, frequency, tenths(p))
    np.testing.assert_allclose(p, expit(X[:, :2].sum(axis=1)), rtol=1e-13)
    assert all(kstest(column, "norm").pvalue > 1e-4 for column in X.T)
    assert np.abs(np.corrcoef(X.T) - np.eye(3)).max() < 4.5 / math.sqrt(N)
    # Errata K24: not calibrated on the features it sees either, P(Y = 1 | s) = E sigmoid(s + N(0, 1)).
    high = np.abs(X[:, :2].sum(axis=1) - 2) < 0.2
    assert (y[high] - p[high]).mean() == pytest.approx(0.845 - 0.881, abs=4.5 * 0.36 / math.sqrt(high.sum()))


@pytest.mark.parametrize("amount", [0, 0.1, 0.25])
def test_a_shift_of_two_groups_cancels_in_every_prediction(amount):
    y, p, X = group_shift(amount, N, 7)
    assert_frequencies(y, p, tenths(p))  # calibrated
    assert_frequencies(y, p, tenths(X[:, 1]))
    for side, sign in ((X[:, 0] > 0, 1), (X[:, 0] <= 0, -1)):
        assert_frequencies(y[side], np.clip(p[side] + sign * amount, 1e-12, 1 - 1e-12), tenths(p[side]))
    assert kstest(p, "uniform", (0.25, 0.5)).pvalue > 1e-4
    for column in X.T:
        assert kstest(column, "uniform", (-1, 2)).pvalue > 1e-4
        assert abs(np.corrcoef(column, p)[0, 1]) < 4.5 / math.sqrt(N)
