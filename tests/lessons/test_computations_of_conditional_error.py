"""What the pictures of 11, 12, 13, further/03 and further/04 compute in a faster way is what the package computes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import expit

from calibtutor import fit_ukkr, klce, rbf, skce
from calibtutor.data.datasets import brightened_digits, digits_predictions
from calibtutor.data.worlds import covariate_shift, shifted_inputs
from calibtutor.door.predictions import residuals, top_label
from calibtutor.errors.ckce import ckce, error_of_matrix
from calibtutor.errors.spectrum import spectrum_of_features
from calibtutor.estimates.binning import expected_calibration_error
from calibtutor.kernels import linear_plus_gaussian, low_rank, median_bandwidth
from calibtutor.lessons.conditional_error import simulations as sims_11
from calibtutor.lessons.one_operator import scenes
from calibtutor.lessons.one_operator import simulations as sims
from calibtutor.lessons.one_operator.exercises import dial
from calibtutor.lessons.random_features import simulations as sims_f03
from calibtutor.lessons.shared import ckce_on_digits as on_digits
from calibtutor.lessons.shared import spectra_of_digits as spectra
from calibtutor.lessons.shared.spectra_of_digits import CAST, KERNEL, answers, rows, weights
from calibtutor.lessons.spectrum_proofs import scenes as proofs
from calibtutor.lessons.spectrum_proofs.exercises import without_noise
from calibtutor.lessons.what_moved import scenes as scenes_12
from calibtutor.lessons.what_moved import simulations as sims_12
from calibtutor.reproductions import shift as paper


def some(model, n=150):
    each = digits_predictions(model)
    return each.y_true[:n], each.y_prob[:n]


@pytest.mark.parametrize("model", ["random forest", "naive Bayes"])
def test_weighted_errors_of_vectors_are_the_rooms_if_weights_are_equal(model):
    y, p = some(model)
    hit, confidence = top_label(y, p)
    bins = np.eye(10)[np.maximum(np.ceil(confidence * 10) - 1, 0).astype(int)]
    phi, delta = low_rank(on_digits.KERNEL, p, tol=1e-10).features, residuals(y, p)
    data = phi, delta, bins, confidence - hit
    ece, joint, conditional = sims_12.three_root_errors(*data, np.ones(len(y)), on_digits.PENALTY)
    K, n = p @ p.T + np.exp(-(cdist(p, p) ** 2) / 2), len(y)
    h, W = K * (delta @ delta.T), np.linalg.inv(K + on_digits.PENALTY * n * np.eye(n))
    assert ece == pytest.approx(expected_calibration_error(y, p, n_bins=10), abs=1e-12)
    assert joint**2 == pytest.approx((h.sum() - np.trace(h)) / (n * (n - 1)), rel=1e-6)
    assert conditional**2 == pytest.approx(np.trace(W @ delta @ delta.T @ W @ K), rel=1e-6)


@pytest.mark.parametrize(("penalty", "width"), [(0.01, 0.1), (0.3, 0.02)])
def test_weights_are_those_of_ridge_regression(penalty, width):
    hit, confidence = sims_11.forest()
    n, at = len(hit), np.array([0.4, 0.93])
    kernel = linear_plus_gaussian(width)
    W = np.linalg.inv(kernel(confidence[:, None]) + penalty * n * np.eye(n))
    found = sims_11.weights(at, penalty, width)
    np.testing.assert_allclose(found, W @ kernel(confidence[:, None], at[:, None]), atol=1e-9)
    # The gap that is drawn is the regression whose squared norm is the CKCE.
    alpha = W @ (confidence - hit)
    np.testing.assert_allclose((confidence - hit) @ found, kernel(at[:, None], confidence[:, None]) @ alpha, atol=1e-9)
    value = ckce(hit, confidence, kernel=kernel, regularization=penalty)
    assert alpha @ kernel(confidence[:, None]) @ alpha == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize("name", sims_11.FEATURES)
@pytest.mark.parametrize("miss", sims_11.MISSES)
def test_what_is_found_is_the_regression_of_eq_7(name, miss):
    rows, g = np.column_stack([1 - sims_11.SCORES, sims_11.SCORES]), sims_11.MISSES[miss]
    delta, K, penalty = np.column_stack([-g, g]), sims_11.FEATURES[name](rows), 0.03
    found, norm = sims_11.fitted(name, miss, penalty)
    fit = K @ np.linalg.solve(K + penalty * len(K) * np.eye(len(K)), delta)
    np.testing.assert_allclose(found, fit[:, 1], atol=1e-9)
    assert norm == pytest.approx(error_of_matrix(K, delta, penalty), rel=1e-9)
    truth = sims_11.SCORES - g
    assert truth.min() >= 0 and truth.max() <= 1, "a miss must leave probabilities"


@pytest.mark.parametrize(("bandwidth", "here", "distance"), [
    (paper.MEDIAN, 0.5, 0.5), (paper.MEDIAN, 0.0, 1.0), ("0.1", 1.0, 0.0)])
def test_the_ckce_under_shift_is_the_rooms(bandwidth, here, distance, monkeypatch):
    monkeypatch.setattr(sims_12, "SHIFT_SETS", 3)
    draw = lambda alpha: covariate_shift(alpha, 3 * sims_12.SHIFT_N, np.random.default_rng(6))
    parts = [slice(k * sims_12.SHIFT_N, (k + 1) * sims_12.SHIFT_N) for k in range(3)]
    y, rows = draw(here)
    for penalty in (0.178, 0.01):
        wanted = []
        for part in parts:
            width = median_bandwidth(draw(distance)[1][part]) if bandwidth == paper.MEDIAN else float(bandwidth)
            wanted.append(ckce(y[part], rows[part], kernel=linear_plus_gaussian(width), regularization=penalty))
        sims_12._drawn.cache_clear()
        found = sims_12._of_draws.__wrapped__(here, distance, bandwidth)[sims_12.SHIFT_PENALTIES.index(penalty)]
        assert found == pytest.approx(np.mean(wanted), rel=1e-4)
    sims_12._drawn.cache_clear()


@pytest.mark.parametrize(("alpha", "bandwidth"), [(0.0, 0.1), (1.0, 0.05), (0.5, 0.5)])
def test_without_noise_it_is_the_mean_over_equally_likely_inputs(alpha, bandwidth):
    x = shifted_inputs(alpha, (np.arange(1500) + 0.5) / 1500)
    p, miss = expit(5 * x), expit(5 * x) - expit(x)
    K, delta = linear_plus_gaussian(bandwidth)(np.column_stack([1 - p, p])), np.column_stack([-miss, miss])
    found = sims_12._of_endless.__wrapped__(alpha, 0.0, str(bandwidth))
    for penalty, rel in ((0.178, 2e-3), (0.01, 0.02)):
        wanted = error_of_matrix(K, delta, penalty)
        assert found[sims_12.SHIFT_PENALTIES.index(penalty)] == pytest.approx(wanted, rel=rel)


def test_the_curve_over_shifts_is_even_and_made_of_its_parts():
    values = sims_12.ckce_over_shift.__wrapped__(paper.MEDIAN, sims_12.CROWDS[0], sims_12.LABELS[1])
    np.testing.assert_array_equal(values, values[:, ::-1])
    for k, alpha in ((8, 0.0), (12, 0.5), (16, 1.0)):
        np.testing.assert_allclose(values[:, k], sims_12._of_endless(alpha, alpha, paper.MEDIAN))
    still = sims_12.ckce_over_shift.__wrapped__(paper.MEDIAN, sims_12.CROWDS[1], sims_12.LABELS[1])
    np.testing.assert_allclose(still[:, 16], sims_12._of_endless(0.0, 1.0, paper.MEDIAN))
    flat = sims_12.ckce_over_shift("0.1", sims_12.CROWDS[1], sims_12.LABELS[0])
    assert np.ptp(flat, axis=1).max() == 0


def test_the_picture_of_the_shift_draws_the_stored_curves():
    mean, error = paper.curves(0.1)
    picture = scenes_12.shift().set(bandwidth="0.1")
    drawn = [line.get_ydata() for line in picture.artists["lines"]]
    for values, wanted in zip(drawn, (mean["ECE"], mean["JKCE"] ** 0.5, mean["CKCE"] ** 0.5), strict=True):
        np.testing.assert_allclose(values, wanted / wanted.max())
    # the band: what a standard deviation of the square is for its root, by the size of the step
    spread = scenes_12.on_the_root_scale(np.array([[1.0], [4.0]]), np.array([[0.5], [0.4]]))
    np.testing.assert_allclose(np.ravel(spread), [1, 2, 0.5, 0.1])
    root, step = mean["CKCE"] ** 0.5, error["CKCE"] * paper.TRIALS**0.5 / (2 * mean["CKCE"] ** 0.5)
    x, y = picture.artists["band"].get_paths()[0].vertices.T
    for alpha, *ends in zip(paper.ALPHAS, (root - step) / root.max(), (root + step) / root.max(), strict=True):
        np.testing.assert_allclose([y[np.isclose(x, alpha)].min(), y[np.isclose(x, alpha)].max()], ends)


def test_random_features_are_those_of_the_room():
    y, p = some("logistic regression", sims_f03.DRAWN_N)
    _, delta, _ = sims_f03.some_digits("logistic regression")
    options = dict(kernel=on_digits.KERNEL, regularization=on_digits.PENALTY)
    assert sims_f03.exact_norm("logistic regression") == pytest.approx(ckce(y, p, **options), rel=1e-9)
    np.testing.assert_allclose(delta, residuals(y, p))
    _, value = sims_f03.with_waves(p, delta, 20, 3, on_digits.PENALTY)
    drawn = ckce(y, p, method="fourier", n_frequencies=20, rng=np.random.default_rng([3, 20]), **options)
    assert value == pytest.approx(drawn, rel=1e-8)


@pytest.mark.parametrize("rule", [paper.MEDIAN, "0.1"])
def test_three_kernels_are_those_of_the_endless_world_and_of_the_reproduction(rule):
    values = sims_f03.over_shift(rule, 1)
    np.testing.assert_array_equal(values, values[:, ::-1])
    for k, alpha in ((12, 0.0), (18, 0.5), (24, 1.0)):
        of_12 = sims_12._of_endless(alpha, alpha, rule)[-1]  # by quadrature, λ to three digits
        assert values[0, k] == pytest.approx(of_12, rel=0.01)
    x = shifted_inputs(0.5, (np.arange(400) + 0.5) / 400)
    f, truth = 1 / (1 + np.exp(-5 * x)), 1 / (1 + np.exp(-x))
    p, delta = np.column_stack([1 - f, f]), np.column_stack([truth - f, f - truth])
    spectra = paper.spectra(p, delta, median_bandwidth(p) if rule == paper.MEDIAN else 0.1)
    for factor in sims_f03.OF_THE_SUM.values():
        wanted = [each.norm(0, 1, times * 1000**-0.25) for each, times in zip(spectra, (factor, 1, 1), strict=True)]
        np.testing.assert_allclose(sims_f03.over_shift(rule, factor)[:, 18], wanted, rtol=1e-8)


def test_the_kernels_error_is_a_root_mean_square_between_different_rows():
    p, delta, K = sims_f03.some_digits("logistic regression")
    approximated, _ = sims_f03.with_waves(p, delta, 5, 1, on_digits.PENALTY)
    np.testing.assert_allclose(np.diag(approximated), np.diag(K), atol=1e-12)
    off = ~np.eye(len(K), dtype=bool)
    assert sims_f03.kernel_error(approximated, K) == pytest.approx(np.sqrt(((approximated - K)[off] ** 2).mean()))


def test_the_diagram_of_a_light_is_that_of_its_confidences():
    each = brightened_digits("logistic regression", -50)
    hit, confidence = top_label(each.y_true, each.y_prob)
    said, happened, count = scenes_12.in_bins(-50)
    inside = (confidence > 0.5) & (confidence <= 0.6)
    wanted = confidence[inside].mean(), hit[inside].mean(), inside.sum()
    assert (said[5], happened[5], count[5]) == pytest.approx(wanted)
    clean, dark = (scenes_12.errors_in_light(change)[0][2] for change in (0, -50))
    assert dark > 3 * clean  # the paper: largely unaffected


NB, RF = "naive Bayes", "random forest"


@pytest.mark.parametrize("model", [sims.FIRST, *sims.OTHERS])
def test_the_five_errors_are_the_rooms(model):
    hit, confidence, ink = answers(model)
    found = sims.five_errors(model)
    assert found[0] == pytest.approx(skce(hit, confidence, kernel=KERNEL), abs=1e-9)
    local = {"prob_kernel": KERNEL, "feature_kernel": rbf(bandwidth=0.5)}
    assert found[1] == pytest.approx(klce(hit, confidence, ink / ink.std(), **local), abs=1e-9)
    regression = fit_ukkr(hit, confidence, kernel=KERNEL, regularization=0.001)
    assert found[2] == pytest.approx(regression.diagonal(confidence).mean(), rel=1e-5)
    for value, level in zip(found[3:], (0.001, 0.1), strict=True):
        assert value == pytest.approx(ckce(hit, confidence, kernel=KERNEL, regularization=level), rel=1e-5)


@pytest.mark.parametrize("model", CAST)
def test_the_spectrum_is_the_rooms(model):
    mu, energy, own = spectra.spectrum_of_rows(*rows(model))
    found = spectra.spectrum_of(model)
    for mine, theirs in ((mu, found.eigenvalues), (energy, found.energy), (own, found.own)):
        np.testing.assert_allclose(mine[:6], theirs[:6], rtol=1e-4, atol=1e-9)
    for t, (a, b) in enumerate([(0, 0), (0.5, 1), (0, 1)]):  # SKCE, ukkr, CKCE
        theirs = spectrum_of_features(*rows(model)).weights(a, b, 0.3)
        np.testing.assert_allclose(weights(mu, t, 0.3), theirs, rtol=1e-6)
    for t in (0.4, 1, 2):  # one power of the eigenvalue
        np.testing.assert_allclose(weights(np.array([0.9, 0.1, 0.01]), t, 0), np.array([0.9, 0.1, 0.01]) ** -t)


def test_exercises_agree_with_the_room():
    rng = np.random.default_rng(1)
    bins, delta = np.eye(4)[rng.integers(0, 4, 50)], rng.uniform(-1, 1, 50)
    found = spectrum_of_features(bins, delta)
    assert dial(bins, delta, 0, 0, 0.1) == pytest.approx(((bins.T @ delta / 50) ** 2).sum())
    assert dial(bins, delta, 0.3, 0.8, 0.1) == pytest.approx(found.norm(0.3, 0.8, 0.1))
    clean = without_noise(found.weights(0.3, 0.8, 0.1), found.energy, found.own, 50)
    assert clean == pytest.approx(found.norm(0.3, 0.8, 0.1, unbiased=True))


# What the scenes say; what the prose and the guesses say is in tests/claims.
def test_the_scenes_say_what_was_computed():
    assert "SKCE: 16, KLCE²: 16, CCE² λ = 0.001: 19" in scenes.four_formulas().finding.sentence
    shown = scenes.dial().set(position=1.0, level=0.01)
    assert "Naive Bayes looks" in shown.finding.headline and "t = 0.70 and t = 1.57" in shown.finding.sentence
    assert "Logistic regression looks" in shown.set(position=2.0).finding.headline
    assert "do not change places" in shown.set(other=RF).finding.sentence
    blocks = scenes.your_bins().set(bins=100).artists["blocks"].get_paths()
    assert max(block.vertices[:, 1].max() for block in blocks) == pytest.approx(0.924, abs=0.001)  # none is cut
    for numbers in scenes.spectrum().set(model="neural network", level=10.0).artists["numbers"]:
        assert all(each.xy[0] < 1.2 for each in numbers)  # also where noise is twice the error
    assert proofs.energy_and_noise().finding.headline == "Noise is 81% of the CKCE"
    shares = [scenes.whose_arrows().set(level=level).finding.headline for level in (0.01, 10.0)]
    assert shares == [f"Above 0.99: 73% of the SKCE, {share} of the CKCE" for share in ("−2.5%", "73%")]
