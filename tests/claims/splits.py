"""The course's classifiers on other splits of the digits: what is seen there too is no luck of the course's own."""

import functools
from pathlib import Path

import binned
import numpy as np
import sklearn
from joblib import Memory
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from calibtutor.data.datasets import HOLES, MODELS, Predictions

# Training is most of what these tests do: each model is trained once, for all processes and for the next run.
stored = Memory(Path(__file__).parents[2] / ".pytest_cache" / "trained", verbose=0).cache


@stored
def _predictions(model, pixels, labels, unseen, version):
    return model.fit(pixels, labels).predict_proba(unseen)


def trained(model, pixels, labels, unseen):
    """What the course's classifier of this name, trained on these pixels, says of unseen ones."""
    return np.minimum(_predictions(MODELS[model](), pixels, labels, unseen, sklearn.__version__), 1)


def split_of(seed):
    """Pixels and labels of the digits as `digits_split` cuts them, with another seed: train, test, y_train, y_test."""
    pixels, labels = load_digits(return_X_y=True)
    return train_test_split(pixels / 16, labels, test_size=0.6, stratify=labels, random_state=seed)


@functools.cache
def another_split(model, seed, noise=0.0):
    """As `digits_predictions`, with another seed for the split and the noise; the models' own seeds stay."""
    train, test, y_train, y_test = split_of(seed)
    rng = np.random.default_rng(seed)
    noisy_train, noisy_test = (x + noise * rng.standard_normal(x.shape) for x in (train, test))
    return Predictions(model, y_test, trained(model, noisy_train, y_train, noisy_test), test.mean(axis=1))


def holes(digits):
    """Three classes, the number of holes, from the ten: labels and probabilities."""
    y_prob = np.stack([digits.y_prob[:, HOLES == k].sum(axis=1) for k in range(3)], axis=1)
    return HOLES[digits.y_true], y_prob / y_prob.sum(axis=1, keepdims=True)


def hit_and_confidence(y_true, y_prob):
    return y_prob.argmax(axis=1) == y_true, y_prob.max(axis=1)


def ece(y_true, y_prob, n_bins=15):
    """The ECE of the top label in equal-width bins, written apart from the package."""
    hit, confidence = hit_and_confidence(y_true, y_prob)
    return binned.ece(confidence, hit, n_bins)
