"""Computations on real predictions, all of them cheap: which images an error sees, and what another crowd does to it.

Everything here is about the largest probability, as a reliability diagram is: confidences, and whether they were right.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...data.datasets import digits_predictions
from ...kernels import LowRank, linear_plus_gaussian, low_rank
from ...predictions import residuals, top_label
from ...spectrum import spectrum_of_features
from .simulations import KERNEL, PENALTY

__all__ = []  # computations, not scenes

NEAR = linear_plus_gaussian(0.1)  # kernel (8) on confidences, with a bandwidth as wide as a bin
LADDER = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, PENALTY, 1.0]
LARGE = [10.0, 100.0]
RESAMPLES = 200
FROM, TO = 0.9, 0.99  # "nearly sure"


class Confidences(NamedTuple):
    """A model's confidences and hits, both (n,), and features of the confidences."""

    hit: np.ndarray
    confidence: np.ndarray
    features: LowRank


def with_features(y_true, y_prob):
    hit, confidence = top_label(y_true, y_prob)
    return Confidences(hit, confidence, low_rank(NEAR, confidence, tol=1e-10))


@lru_cache
def confidences(model):
    each = digits_predictions(model)
    return with_features(each.y_true, each.y_prob)


def nearly_sure(confidence):
    """Which images have a confidence from .9 to .99."""
    return (confidence >= FROM) & (confidence < TO)


def regression(phi, miss, penalty):
    """Coefficients G, (r,), of the ridge regression of the miss on features φ, (n, r): ĝ = φG, and ‖G‖² is the CKCE."""
    C, S = phi.T @ phi / len(phi), phi.T @ miss / len(phi)
    return np.linalg.solve(C + penalty * np.eye(len(C)), S)


def root_errors(phi, hit, confidence, weights, penalty):
    """ECE with 10 bins, √SKCE and √CKCE if image i counts weights[i] times, for each row of weights, (m, n).

    The SKCE is the unbiased one, set to 0 where it is negative.
    """
    w, miss, r = weights / weights.sum(axis=1, keepdims=True), confidence - hit, phi.shape[1]
    bins = np.eye(10)[np.maximum(np.ceil(confidence * 10) - 1, 0).astype(int)]
    ece = np.abs(w @ (bins * miss[:, None])).sum(axis=1)
    S, C = w @ (phi * miss[:, None]), (w @ products(phi)).reshape(-1, r, r)
    own = w**2 @ ((phi**2).sum(axis=1) * miss**2)  # what images make with themselves
    skce = ((S**2).sum(axis=1) - own) / (1 - (w**2).sum(axis=1))
    G = np.linalg.solve(C + penalty * np.eye(r), S[:, :, None])[:, :, 0]
    return np.stack([ece, np.sqrt(np.maximum(skce, 0)), np.sqrt((G**2).sum(axis=1))], axis=1)


def products(phi):
    """φ_a φ_b of every row, (n, r²)."""
    return (phi[:, :, None] * phi[:, None]).reshape(len(phi), -1)


@lru_cache
def redrawn(n):
    """How often each of n rows is in each of RESAMPLES bootstraps; row 0: in the data themselves."""
    rng = np.random.default_rng(0)
    counts = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(RESAMPLES)]
    return np.array([np.ones(n), *counts])


@lru_cache
def roots(model, penalty):
    """`root_errors` of a model's data, (3,)."""
    hit, confidence, features = confidences(model)
    return root_errors(features.features, hit, confidence, np.ones((1, len(hit))), penalty)[0]


# --- reweight the crowd ---

EDGES = [0.7, 0.9, 0.99]
GROUPS = ["below .7", ".7 to .9", ".9 to .99", "above .99"]
TIMES = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]


def group_of(confidence):
    """The number of each confidence's group, an edge belonging to the group above it."""
    return np.searchsorted(EDGES, confidence, side="right")


def crowd(confidence, times):
    """A weight for each image, chosen by its confidence alone, so that P(Y | p) stays: times[g] in group g, mean 1."""
    weights = np.asarray(times)[group_of(confidence)]
    return weights / weights.mean()


def ratios(phi, hit, confidence, weights, penalty, counts):
    """Errors with these weights, relative to those without, in the data (row 0) and in bootstraps: (m, 3)."""
    after = root_errors(phi, hit, confidence, counts * weights, penalty)
    before = root_errors(phi, hit, confidence, counts, penalty)
    return np.divide(after, before, out=np.ones_like(after), where=before > 0)


@lru_cache(maxsize=256)
def moved(model, times, penalty):
    """`ratios` of a model for weights of the four groups: (1 + RESAMPLES, 3)."""
    hit, confidence, features = confidences(model)
    weights = crowd(confidence, times)
    return ratios(features.features, hit, confidence, weights, penalty, redrawn(len(hit)))


# --- what an error can see ---

SHOWN = 24  # eigenvalues in the picture


@lru_cache
def seen_by(model):
    """Spectra of a model's vector residuals: of kernel (8), γ = 1, and of ⟨p, q⟩ + 1, whose features are p and 1."""
    each = digits_predictions(model)
    delta = residuals(each.y_true, each.y_prob)
    phi = low_rank(KERNEL, each.y_prob, tol=1e-6).features
    linear = np.column_stack([each.y_prob, np.ones(len(delta))])
    return spectrum_of_features(phi, delta), spectrum_of_features(linear, delta)


def parts_of_ckce(spectrum, linear, penalty):
    """CKCE; the share of it from the ten largest eigenvalues; the CKCE that the kernel ⟨p, q⟩ + 1 gives."""
    parts = spectrum.contributions(0, 1, penalty)
    return parts.sum(), parts[:10].sum() / parts.sum(), linear.norm(0, 1, penalty)
