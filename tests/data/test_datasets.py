"""Datasets: the digits cast is what the course says it is, and its objects cannot be spoiled."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from calibtutor.data import datasets
from calibtutor.data.datasets import Predictions, brightened_digits, digits_cast, digits_predictions

NAMES = ["random forest", "logistic regression", "neural network", "naive Bayes", "decision tree"]


def accuracy(p):
    return np.mean(p.y_prob.argmax(axis=1) == p.y_true)


@pytest.mark.slow
def test_what_is_stored_is_what_training_gives():
    anew = datasets.trained_anew()
    with np.load(datasets.STORED) as content:
        assert set(content) == set(anew)
        for key, y_prob in anew.items():
            # Another processor sums in another order, which the network's training carries on.
            np.testing.assert_allclose(content[key], y_prob, atol=1e-6, rtol=0, err_msg=key)
    np.testing.assert_array_equal(digits_predictions("random forest").y_prob, anew["random forest, 0.0"])
    assert not np.allclose(digits_predictions("neural network", noise=0.1).y_prob, anew["neural network, 0.0"])


@pytest.mark.parametrize("noise", [0.0, 0.35])
def test_predictions_are_distributions_in_read_only_arrays(noise):
    for p in digits_cast(noise).values():
        assert p.y_true.shape == (1079,) and p.y_true.dtype == np.int64
        assert p.y_prob.shape == (1079, 10) and p.y_prob.dtype == np.float64
        assert p.ink.shape == (1079,) and p.images.shape == (1079, 8, 8)
        assert p.y_prob.min() >= 0 and p.y_prob.max() <= 1
        np.testing.assert_allclose(p.y_prob.sum(axis=1), 1, atol=1e-9, rtol=0)
        for array in (p.y_true, p.y_prob, p.ink, p.images):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    y_prob = np.array([[0.5, 0.5], [0.2, 0.8]])
    mine = Predictions("mine", np.array([0, 1]), y_prob)
    y_prob[0] = 0  # the caller's is not locked
    assert mine.y_prob[0, 0] == 0.5


def test_test_set_is_the_documented_split():
    pixels, labels = load_digits(return_X_y=True)
    train, test, _, y_test = train_test_split(pixels / 16, labels, test_size=0.6, stratify=labels, random_state=0)
    assert len(train) == 718
    p = digits_predictions("decision tree")
    np.testing.assert_array_equal(p.y_true, y_test)
    np.testing.assert_array_equal(p.images.reshape(1079, 64), test)
    np.testing.assert_allclose(p.ink, test.mean(axis=1), rtol=1e-12)


def test_noise_makes_every_model_worse_and_leaves_ink_and_labels_alone():
    for model in NAMES:
        clean, noisy = digits_predictions(model), digits_predictions(model, noise=0.35)
        assert accuracy(noisy) < accuracy(clean) - 0.05
        np.testing.assert_array_equal(noisy.y_true, clean.y_true)
        np.testing.assert_array_equal(noisy.ink, clean.ink)
        assert np.std(noisy.images - clean.images) == pytest.approx(0.35, rel=0.02)


@pytest.mark.filterwarnings("error")
def test_the_cast_trains_silently_and_its_numbers_do_not_depend_on_the_threads_of_the_session():
    seen = []
    for threads in (1, 2):
        datasets._trained.cache_clear()
        datasets.digits_split.cache_clear()
        with threadpool_limits(limits=threads):
            seen.append({p.name: p.y_prob.tobytes() for p in digits_cast().values()})
    assert seen[0] == seen[1] and list(seen[0]) == list(digits_cast()) == NAMES
    assert digits_predictions() is digits_predictions("naive Bayes", noise=0), "trained once"


def test_a_worn_scanner_adds_each_image_its_own_noise():
    worn, wear = datasets.worn_digits("naive Bayes")
    clean = digits_predictions("naive Bayes")
    assert wear.shape == (1079,) and 0 <= wear.min() and wear.max() <= 0.5 and abs(wear.mean() - 0.25) < 0.02
    np.testing.assert_array_equal(worn.y_true, clean.y_true)
    np.testing.assert_array_equal(worn.ink, clean.ink)
    seen = (worn.images - clean.images).reshape(1079, -1).std(axis=1)
    # The standard deviation of 64 draws is itself off by 1 / sqrt(128), about 9 %, hence not a correlation of 1.
    assert np.corrcoef(seen, wear)[0, 1] > 0.98 and abs((seen / wear).mean() - 1) < 0.02
    assert not wear.flags.writeable


def test_another_light_changes_the_pixels_and_not_the_model(model="naive Bayes"):
    cast, black = digits_predictions(model), brightened_digits(model, -100)
    np.testing.assert_array_equal(brightened_digits(model).y_prob, cast.y_prob)
    assert (np.ptp(black.y_prob, axis=0) == 0).all() and (black.images == 0).all()
    more = brightened_digits(model, 50)
    np.testing.assert_array_equal(more.y_true, cast.y_true)
    np.testing.assert_allclose(more.images, np.minimum(1.5 * cast.images, 1))
    np.testing.assert_allclose(more.ink, more.images.mean(axis=(1, 2)))
    assert not np.array_equal(more.y_prob, cast.y_prob)
