"""Products of residuals, the simulation of Gruber & Bach, and real predictions judged by their risk."""

from functools import lru_cache

import numpy as np
from scipy import special

from ...data.datasets import digits_predictions
from ...data.worlds import temperature_simulation, wave_world
from ...kernels import as_rows
from ...predictions import residuals, top_label
from ...risk import risk_of_features
from ...selection import select_estimator
from ...spectrum import calibration_spectrum
from ..shared.splits_of_digits import CAST, FOLDS, SPLITS
from ..shared.stored import stored


def one_wave(n=1000):
    """n labels and scores of a model that misses by a wave of height .15."""
    return wave_world(1, 0.15).sample(n, 1)


def products_of_residuals(y, p, p_cell=2, other_cell=2, cells=8):
    """⟨δ, δ'⟩ of all pairs of predictions, one from each of two cells; none is paired with itself."""
    delta, cell = p - y, (p * cells).astype(int)
    products = np.outer(delta[cell == p_cell], delta[cell == other_cell])
    return products[~np.eye(len(products), dtype=bool)] if p_cell == other_cell else products


def mean_products(y, p, cells=8):
    """The mean of such products for every two cells, from sums over single predictions."""
    delta, cell = p - y, (p * cells).astype(int)
    count, total, squares = (np.bincount(cell, values) for values in (None, delta, delta**2))
    means = np.outer(total / count, total / count)
    np.fill_diagonal(means, (total**2 - squares) / (count * (count - 1)))  # without a prediction's pair with itself
    return means


STEPS = range(-10, 11)
THETAS = 2.0 ** (np.array(STEPS) / 2)
REPEATS = 100


@lru_cache
def figure_one(n=500):
    """Risks (data set, θ) in the simulation of Gruber & Bach §5.1, and the mean squared distance to h* for each θ.

    h_θ(p, p') = ⟨p − q_θ(p), p' − q_θ(p')⟩ with q_θ(p) ∝ p^{10θ/3}: at θ = 1 it undoes the temperature .3.
    """
    risks, distances = np.empty((2, REPEATS, len(STEPS)))
    for seed in range(REPEATS):
        y, p, q = temperature_simulation(n, rng=seed)
        delta, log_p = residuals(y, p), np.log(np.maximum(p, np.finfo(float).tiny))
        for t, step in enumerate(STEPS):
            theta = 2 ** (step / 2)
            u = p - special.softmax(10 * theta / 3 * log_p, axis=1)
            # Both are means over pairs, of (⟨δ, δ'⟩ − ⟨u, u'⟩)² and of (h* − ⟨u, u'⟩)² with h* = ⟨p − q, p' − q'⟩.
            risks[seed, t] = risk_of_features(u, np.eye(5), delta)
            distances[seed, t] = risk_of_features(u, np.eye(5), p - q)
    return risks, np.maximum(distances, 0).mean(axis=0)  # rounding may fall below 0


@lru_cache
def selection(model="neural network"):
    """Five estimators and h = 0, tuned by their validation risk in five folds; a fifth of the digits is put aside."""
    digits = digits_predictions(model)
    return select_estimator(digits.y_true, digits.y_prob, notion="top-label", rng=0)


def what_they_report(selected):
    """The squared error that each reports on the fifth put aside, its spread over the folds, and what is told apart.

    Told apart: its risk exceeds the smallest one by more than twice the spread of the difference.
    """
    table = selected.table.loc[["h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"]]
    # h = 0 reports no error.
    error, spread = (table[each].astype(float).fillna(0) for each in ("estimate", "estimate_spread"))
    return error, spread, table["told_apart"].astype(bool)


def parts_of(n, seed):
    """A split as `select_estimator` makes it: the folds, as rows; a fifth of the data is put aside."""
    order = np.random.default_rng(seed).permutation(n)
    return np.array_split(order[: n - n // 5], FOLDS)


@stored(CAST)
def ridge_on_splits(model):
    """Validation risks (SPLITS, FOLDS) of h = 0 and of ukkr at its best λ, for the top label of a model's predictions."""
    each = digits_predictions(model)
    hit, confidence = top_label(each.y_true, each.y_prob)
    delta, penalties = as_rows(confidence - hit), 10.0 ** np.arange(-1, -10, -1)
    risks = np.empty((SPLITS, FOLDS, len(penalties) + 1))
    for seed in range(SPLITS):
        parts = parts_of(len(hit), seed)
        for fold, held_out in enumerate(parts):
            train = np.concatenate(parts[:fold] + parts[fold + 1 :])
            found = calibration_spectrum(hit[train], confidence[train])
            v = found.eigenfunctions(confidence[held_out])
            for k, c in enumerate(penalties):
                u = v @ found.regression(c * len(train) ** -0.25)
                risks[seed, fold, k] = risk_of_features(u, np.eye(1), delta[held_out])
            risks[seed, fold, -1] = risk_of_features(np.zeros((len(held_out), 1)), np.eye(1), delta[held_out])
    best = risks[..., :-1].mean(axis=1).argmin(axis=1)
    return risks[..., -1], np.take_along_axis(risks, best[:, None, None], axis=2)[..., 0]
