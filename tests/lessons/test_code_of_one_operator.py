"""What the lessons one_operator and spectrum_proofs show is what the rooms compute, and they say what is shown."""

import numpy as np
import pytest

from calibtutor import ckce, fit_ukkr, klce, rbf, skce
from calibtutor.lessons.one_operator import scenes
from calibtutor.lessons.one_operator import simulations as sims
from calibtutor.lessons.one_operator.exercises import dial
from calibtutor.lessons.shared.spectra_of_digits import (
    CAST,
    KERNEL,
    answers,
    rows,
    spectrum_of,
    spectrum_of_rows,
    weights,
)
from calibtutor.lessons.spectrum_proofs import scenes as proofs
from calibtutor.lessons.spectrum_proofs.exercises import without_noise
from calibtutor.spectrum import spectrum_of_features

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
    mu, energy, own = spectrum_of_rows(*rows(model))
    found = spectrum_of(model)
    for mine, theirs in ((mu, found.eigenvalues), (energy, found.energy), (own, found.own)):
        np.testing.assert_allclose(mine[:6], theirs[:6], rtol=1e-4, atol=1e-9)
    for t, (a, b) in enumerate([(0, 0), (0.5, 1), (0, 1)]):  # SKCE, ukkr, CKCE
        theirs = spectrum_of_features(*rows(model)).weights(a, b, 0.3)
        np.testing.assert_allclose(weights(mu, t, 0.3), theirs, rtol=1e-6)


def test_the_dial_is_one_power_of_the_eigenvalue_without_a_penalty():
    mu = np.array([0.9, 0.1, 0.01])
    for t in (0, 0.4, 1, 1.7, 2):
        np.testing.assert_allclose(weights(mu, t, 0), mu**-t, rtol=1e-10)


def test_exercises_agree_with_the_room():
    rng = np.random.default_rng(1)
    bins, delta = np.eye(4)[rng.integers(0, 4, 50)], rng.uniform(-1, 1, 50)
    found = spectrum_of_features(bins, delta)
    assert dial(bins, delta, 0, 0, 0.1) == pytest.approx(((bins.T @ delta / 50) ** 2).sum())
    assert dial(bins, delta, 0.3, 0.8, 0.1) == pytest.approx(found.norm(0.3, 0.8, 0.1))
    clean = without_noise(found.weights(0.3, 0.8, 0.1), found.energy, found.own, 50)
    assert clean == pytest.approx(found.norm(0.3, 0.8, 0.1, unbiased=True))


# --- what the scenes say; what the prose and the guesses say is in tests/claims ---


def test_the_scenes_say_what_was_computed():
    assert "SKCE: 16, KLCE²: 16, CCE² λ = 0.001: 19" in scenes.four_formulas().sentence
    shown = scenes.dial().set(position=1.0, level=0.01)
    assert "Naive Bayes looks" in shown.headline and "t = 0.70 and t = 1.57" in shown.sentence
    assert "Logistic regression looks" in shown.set(position=2.0).headline
    assert "do not change places" in shown.set(other=RF).sentence
    blocks = scenes.your_bins().set(bins=100).artists["blocks"].get_paths()
    assert max(block.vertices[:, 1].max() for block in blocks) == pytest.approx(0.924, abs=0.001)  # none is cut
    for numbers in scenes.spectrum().set(model="neural network", level=10.0).artists["numbers"]:
        assert all(each.xy[0] < 1.2 for each in numbers)  # also where noise is twice the error
    assert proofs.energy_and_noise().headline == "Noise is 81% of the CKCE"
    shares = [scenes.whose_arrows().set(level=level).headline for level in (0.01, 10.0)]
    assert shares == [f"Above 0.99: 73% of the SKCE, {share} of the CKCE" for share in ("−2.5%", "73%")]
