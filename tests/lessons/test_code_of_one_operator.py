"""What notebook 07 shows is what the rooms compute, and its prose says what its pictures show."""

import numpy as np
import pytest

from calibtutor import ckce, fit_ukkr, klce, skce
from calibtutor.lessons.one_operator import scenes
from calibtutor.lessons.one_operator import simulations as sims
from calibtutor.lessons.one_operator.exercises import SWAP, dial, three_binned, without_noise
from calibtutor.spectrum import NAMED_POINTS, calibration_spectrum, spectrum_of_features

NB, RF = "naive Bayes", "random forest"


@pytest.mark.parametrize("model", sims.CAST)
def test_the_four_errors_are_the_rooms(model):
    hit, confidence, ink, said = sims.answers(model)
    found = sims.four_errors(model, "ink", 0.01)
    kernel = sims.KERNEL
    regression = fit_ukkr(hit, confidence, kernel=kernel, regularization=0.01)
    assert found[0] == pytest.approx(skce(hit, confidence, kernel=kernel), abs=1e-9)
    local = {"prob_kernel": kernel, "feature_kernel": sims.rbf(bandwidth=0.5)}
    assert found[1] == pytest.approx(klce(hit, confidence, ink / ink.std(), **local), abs=1e-9)
    assert found[2] == pytest.approx(regression.diagonal(confidence).mean(), rel=1e-6)
    assert found[3] == pytest.approx(ckce(hit, confidence, kernel=kernel, regularization=0.01), rel=1e-6)
    # By the digit said, l is 1 or 0: KLCE² adds up the errors of ten small data sets.
    alike = said[:, None] == said
    pairs = kernel(confidence[:, None]) * alike * np.outer(confidence - hit, confidence - hit)
    n = len(hit)
    by_digit = (pairs.sum() - np.trace(pairs)) / (n * (n - 1))
    assert sims.local_error(model, "digit said") == pytest.approx(by_digit, abs=1e-9)


def test_klce_is_a_point_of_the_family_too():
    hit, confidence, _, _ = sims.answers(NB)
    values, kernel = sims.feature_rows(NB, "digit said")
    found = calibration_spectrum(hit, confidence, values, kernel=sims.KERNEL, feature_kernel=kernel, tol=1e-9)
    assert found.norm(0, 0, 0, unbiased=True) == pytest.approx(sims.local_error(NB, "digit said"), abs=1e-8)


def test_the_dial_passes_through_the_named_errors():
    assert [sims.path(t, 0.3)[:2] for t in (0, 1, 2)] == list(NAMED_POINTS.values())
    found = spectrum_of_features(np.random.default_rng(0).normal(size=(20, 3)), np.linspace(-1, 1, 20))
    for t in (0, 0.4, 1, 1.7, 2):  # without λ it is one power of the eigenvalue
        np.testing.assert_allclose(found.weights(*sims.path(t, 0)), found.eigenvalues**-t, rtol=1e-10)
    for k, t in ((0, 0), (20, 1), (40, 2)):
        assert sims.POSITIONS[k] == t
        assert sims.along(NB, 0.01)[k] == pytest.approx(sims.spectrum_of(NB).norm(*sims.path(t, 0.01)))


@pytest.mark.parametrize("other", scenes.OTHERS)
@pytest.mark.parametrize("level", sims.LEVELS)
def test_models_swap_where_the_curve_crosses(other, level):
    (curve,) = sims.lead(NB, other, (level,))
    turns = np.flatnonzero(np.diff(np.sign(curve)))
    found = sims.swaps(NB, other, level)
    assert len(found) == len(turns)
    for t, k in zip(found, turns, strict=True):
        assert sims.POSITIONS[k] <= t <= sims.POSITIONS[k + 1]
        one, two = (sims.spectrum_of(name).norm(*sims.path(t, level)) for name in (NB, other))
        assert one == pytest.approx(two, rel=1e-9)


def test_a_shift_changes_frequencies_and_nothing_else():
    _, confidence, _, _ = sims.answers(NB)
    for shift in (-1.0, 0.25, 1.0):
        weight = sims.tilt(confidence, shift)
        assert weight.mean() == pytest.approx(1)
        assert len(np.unique(weight)) == len(np.unique(confidence)), "equal confidences have equal weights"
        assert (np.diff(weight[confidence.argsort()]) * shift >= 0).all()
    spread = np.arange(5.0)
    assert sims.tilt(spread, 1.0)[-1] / sims.tilt(spread, 1.0)[0] == pytest.approx(9)
    np.testing.assert_allclose(sims.tilted_along(RF, 0.0, 0.01), sims.along(RF, 0.01), rtol=1e-6)


def test_weighted_rows_are_repeated_rows():
    """SKCE and CKCE of the shifted model, from the kernel matrix and weights alone."""
    hit, confidence, _, _ = sims.answers(RF)
    weight, n = sims.tilt(confidence, -1.0), len(hit)
    K, delta = sims.KERNEL(confidence[:, None]), confidence - hit
    found = sims.tilted(RF, -1.0)
    assert found.norm(0, 0, 0) == pytest.approx((weight * delta) @ K @ (weight * delta) / n**2, abs=1e-9)
    # Ridge regression that minimises Σ w_i (δ_i − g(p_i))² / n + λ‖g‖².
    alpha = np.linalg.solve(weight[:, None] * K + 0.01 * n * np.eye(n), weight * delta)
    assert found.norm(0, 1, 0.01) == pytest.approx(alpha @ K @ alpha, rel=1e-6)


def test_exercises_agree_with_the_room():
    rng = np.random.default_rng(1)
    bins, delta = np.eye(4)[rng.integers(0, 4, 50)], rng.uniform(-1, 1, 50)
    found = spectrum_of_features(bins, delta)
    mass = bins.mean(axis=0)
    three = three_binned(mass, bins.T @ delta / 50 / mass)
    np.testing.assert_allclose([found.norm(*sims.path(t, 0)) for t in (0, 1, 2)], three, rtol=1e-10)
    assert dial(bins, delta, 0, 0, 0.1) == pytest.approx(three[0])
    assert dial(bins, delta, 0.3, 0.8, 0.1) == pytest.approx(found.norm(0.3, 0.8, 0.1))
    clean = without_noise(found.weights(0.3, 0.8, 0.1), found.energy, found.own, 50)
    assert clean == pytest.approx(found.norm(0.3, 0.8, 0.1, unbiased=True))


def test_the_models_of_the_exercise_swap():
    ckce_of = lambda energy, mu, level: energy / (mu + level) ** 2
    assert ckce_of(0.04, 0.5, SWAP) == pytest.approx(ckce_of(0.01, 0.05, SWAP))
    assert ckce_of(0.04, 0.5, SWAP / 2) < ckce_of(0.01, 0.05, SWAP / 2)


# --- what the scenes say; what the prose and the guesses say is in tests/claims ---


def test_the_scenes_say_what_was_computed():
    said = scenes.four_formulas().sentence
    assert "CKCE 1.1736 (place 4)" in said and "3 ways" in said
    shown = scenes.dial().set(position=1.0, level=0.01)
    assert "Naive Bayes looks" in shown.headline and "t = 0.70 and t = 1.57" in shown.sentence
    assert "Logistic regression looks" in shown.set(position=2.0).headline
    assert "do not change places" in shown.set(other=RF).sentence
    assert "The same data" in scenes.two_ends().set(shift=0.0).headline
