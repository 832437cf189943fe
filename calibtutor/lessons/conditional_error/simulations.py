"""Models on other splits, and regressions of a known miss."""

from functools import lru_cache

import numpy as np
from sklearn.gaussian_process.kernels import DotProduct

from ...kernels import linear_plus_gaussian, rbf
from ..shared.ckce_on_digits import with_features
from ..shared.refits import SPLITS, trained_again
from ..shared.stored import stored
from .regressions import LAMBDAS, regression

PAIR = ("logistic regression", "naive Bayes")


@stored(PAIR, SPLITS)
def on_another_split(model, split):
    """√CKCE at each of LAMBDAS of a model trained and tested on another split."""
    again = trained_again(model, split)
    hit, confidence, features = with_features(again.y_true, again.y_prob)
    return np.array([np.linalg.norm(regression(features.features, confidence - hit, each)) for each in LAMBDAS])


@lru_cache
def on_other_splits():
    """√CKCE of logistic regression over that of naive Bayes: a row a split, a column a λ."""
    logistic, bayes = (np.array([on_another_split(model, split) for split in SPLITS]) for model in PAIR)
    return logistic / bayes


PENALTIES = [0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
WIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5]
SCORES = 0.2 + 0.6 * (np.arange(200) + 0.5) / 200  # equally likely; with each miss below P(Y = 1 | p) is in [0, 1]
MISSES = {
    "constant": 0.15 + 0 * SCORES,
    "S-shape": 0.15 * np.tanh((SCORES - 0.5) / 0.08),
    "two waves": 0.15 * np.sin(4 * np.pi * (SCORES - 0.2) / 0.6),
}
LADDER = [1e-6, 1e-5, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
FEATURES = {
    "linear": DotProduct(sigma_0=0, sigma_0_bounds="fixed"),
    "Gaussian": rbf(bandwidth=0.2),
    "linear + Gaussian": linear_plus_gaussian(0.2),
}


@lru_cache
def _directions(name):
    mu, V = np.linalg.eigh(FEATURES[name](np.column_stack([1 - SCORES, SCORES])) / len(SCORES))
    return np.maximum(mu, 0), V


def fitted(name, miss, penalty):
    """Ridge regression of a miss on the prediction, over the whole population: g_λ (200,), and its squared norm.

    There are no labels, so no noise: what is lost is lost to the kernel and the penalty. The residual of the vector
    (1 − p, p) is (−g, g), hence the 2.
    """
    return found_by(*_directions(name), MISSES[miss], penalty)


def found_by(mu, V, miss, penalty):
    """Ridge regression of a miss, with eigenvalues μ and eigenvectors V of K/n: what it finds, and the CKCE."""
    seen = V.T @ miss
    norm = 2 * (mu * (seen / (mu + penalty)) ** 2).sum() / len(miss)
    return V @ (mu / (mu + penalty) * seen), float(norm)
