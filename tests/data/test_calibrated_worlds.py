"""The mixtures of the poster's models, and the models that are calibrated by construction, are what they say."""

import numpy as np
import pytest

from calibtutor.data.worlds import calibrated_model, mixed_widmann_model, widmann_model

NAMES = ("heteroscedastic", "near-deterministic")


def surprise(y, p, truth):
    """Largest standardised mean of (e_y − truth) times a function of the prediction: small if the truth is right."""
    gap, scores = np.eye(p.shape[1])[y] - truth, []
    for weight in (np.ones_like(p), p, p > 0.9, p**2):
        terms = gap * weight
        spread = terms.std(axis=0)
        scores += (np.abs(terms.mean(axis=0)) / np.where(spread > 0, spread, 1) * np.sqrt(len(y))).tolist()
    return max(scores)


# --- between calibrated and not ---


@pytest.mark.parametrize("n_classes", [2, 5, 10])
@pytest.mark.parametrize(
    ("towards", "strength", "name"), [("M2", 0, "M1"), ("M3", 0, "M1"), ("M2", 0.5, "M2"), ("M3", 1, "M3")]
)
def test_the_posters_models_lie_on_the_lines(towards, strength, name, n_classes):
    found = mixed_widmann_model(strength, 500, towards=towards, n_classes=n_classes, rng=3)
    wanted = widmann_model(name, 500, n_classes=n_classes, rng=3)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape and (one == other).all()


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("towards", ["M2", "M3"])
def test_labels_of_a_mixture(towards, strength):
    y, p = mixed_widmann_model(strength, 50_000, towards=towards, n_classes=4, rng=0)
    other = np.array([1, 0, 0, 0]) if towards == "M2" else np.full(4, 0.25)

    def truth(s):
        return (1 - s) * p + s * other

    assert y.shape == (50_000,) and p.shape == (50_000, 4) and set(y) <= set(range(4))
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert surprise(y, p, truth(strength)) < 4.5
    for wrong in (strength - 0.1, strength + 0.1):
        if 0 <= wrong <= 1:
            assert surprise(y, p, truth(wrong)) > 10  # so that the line above can fail


def test_predictions_do_not_depend_on_the_strength():
    one, other = (mixed_widmann_model(s, 50, rng=1)[1] for s in (0.1, 0.8))
    assert one.shape == (50, 10) and (one == other).all()
    labels = [mixed_widmann_model(s, 500, rng=1)[0] for s in (0.1, 0.8)]
    assert (labels[0] != labels[1]).any()


def test_bad_mixtures_are_named():
    with pytest.raises(ValueError, match=r"strength: expected a number in \[0, 1\], got 1.01"):
        mixed_widmann_model(1.01, 10)
    with pytest.raises(ValueError, match="towards: expected M2 or M3, got 'M1'"):
        mixed_widmann_model(0.5, 10, towards="M1")


# --- calibrated by construction ---


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("name", NAMES)
def test_calibrated_models_are_calibrated(name, n_classes):
    y, p = calibrated_model(name, 200_000, n_classes=n_classes, rng=0)
    assert y.shape == (200_000,) and p.shape == (200_000, n_classes) and p.min() >= 0
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert surprise(y, p, p) < 4.5
    assert surprise(y, p, 0.97 * p + 0.03 / n_classes) > 10  # so that the line above can fail
    assert np.abs(p.mean(axis=0) - 1 / n_classes).max() < 0.01  # no class is favoured


def test_one_prediction_in_five_is_in_the_crowd():
    y, p = calibrated_model("heteroscedastic", 100_000, rng=0)
    crowd = np.abs(p - 1 / 3).max(axis=1) < 0.01
    assert abs(crowd.mean() - 0.2) < 4.5 * np.sqrt(0.16 / 100_000)
    assert p[~crowd].max(axis=1).min() > 0.7 - 1e-12
    hit = y == p.argmax(axis=1)
    assert hit[crowd].mean() == pytest.approx(1 / 3, abs=0.02) and hit[~crowd].mean() > 0.85
    # A kernel sees the crowd as one point, and not the others.
    spread = [np.linalg.norm(p[group] - p[group][::-1], axis=1).mean() for group in (crowd, ~crowd)]
    assert spread[0] < 0.01 and spread[1] > 0.5


def test_hardly_any_label_surprises_where_all_is_nearly_certain():
    y, p = calibrated_model("near-deterministic", 100_000, rng=0)
    assert p.max(axis=1).min() >= 0.98
    surprises = (y != p.argmax(axis=1)).mean()
    assert 0.005 < surprises < 0.009  # ½ · .02 · E(1 − the corner's share) = .0067


@pytest.mark.parametrize("draw", [*(lambda rng, n=n: calibrated_model(n, 200, rng=rng) for n in NAMES),
                                  lambda rng: mixed_widmann_model(0.4, 200, rng=rng)])  # fmt: skip
def test_same_seed_same_data(draw):
    one, same, generator, other = draw(5), draw(5), draw(np.random.default_rng(5)), draw(6)
    for k in range(2):
        assert (one[k] == same[k]).all() and (one[k] == generator[k]).all() and (one[k] != other[k]).any()


@pytest.mark.parametrize("bad", ["M1", "Heteroscedastic", None])
def test_an_unknown_model_is_named(bad):
    with pytest.raises(ValueError, match="name: expected heteroscedastic or near-deterministic, got"):
        calibrated_model(bad, 10)
