"""What claims on the spectrum use: the digits' models on the course's split, seed 0, and on others."""

from functools import lru_cache

import numpy as np
import pytest
from seeds import within
from splits import another_split, hit_and_confidence

from calibtutor import low_rank
from calibtutor.errors.spectrum import spectrum_of_features
from calibtutor.lessons.shared.spectra_of_digits import KERNEL

NB, LR, RF, NN = "naive Bayes", "logistic regression", "random forest", "neural network"
# Quick: what holds on the course's split. Slow: it does on other splits, where every model is trained again.
anywhere = pytest.mark.parametrize("elsewhere", [False, pytest.param(True, marks=pytest.mark.slow)])


def on_most(holds, elsewhere, seeds, n=20):
    """Whether so many of 20 other splits support “on most other splits”: fewer than 11 do not."""
    return within(sum(holds(seed) for seed in seeds(n)), n, 0.85, 1, refuses=0.5) if elsewhere else holds(0)


def path(t, level):
    """(a, b, λ) at position t of the dial: SKCE at 0, ukkr's CCE² at 1, CKCE at 2."""
    return float(np.interp(t, [0, 1, 2], [0, 0.5, 0])), float(min(t, 1)), level


@lru_cache
def answers(model, seed=0):
    each = another_split(model, seed)
    return hit_and_confidence(each.y_true, each.y_prob)


@lru_cache
def rows(model, seed=0):
    """Features and residuals."""
    hit, confidence = answers(model, seed)
    return low_rank(KERNEL, confidence[:, None], tol=1e-12).features, confidence - hit


@lru_cache
def spectrum(model, seed=0):
    return spectrum_of_features(*rows(model, seed))


def error(model, t, level, seed=0):
    return spectrum(model, seed).norm(*path(t, level))


def noise_shares(model, level, seed=0):
    """Share of the noise in SKCE, CCE² and CKCE."""
    found = spectrum(model, seed)
    return np.array([found.weights(*path(t, level)) @ found.own / error(model, t, level, seed) for t in (0, 1, 2)])
