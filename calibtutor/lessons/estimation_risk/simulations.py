"""Products of residuals, the simulation of Gruber & Bach, and real predictions judged by their risk."""

from functools import lru_cache

import numpy as np
from scipy import special

from ...data.datasets import digits_predictions
from ...data.worlds import temperature_simulation, wave_world
from ...door.predictions import residuals
from ...estimates.risk import EstimationFunction, calibration_risk, fit_binning, fit_kde, risk_of_features
from ...estimates.selection import select_estimator


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


SIZES = [200, 500, 1000]
BINS = range(1, 61)
BANDWIDTHS = [0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0]
FRESH = 2000


@lru_cache
def excess_and_distance(n, seed=1):
    """Risk above that of the truth, and squared distance to it, of every setting: an array (settings, 2)."""
    world, grid = wave_world(1, 0.15), (np.arange(100) + 0.5) / 100
    (y, p), (fresh_y, fresh_p) = world.sample(n, seed), world.sample(FRESH, 1000 + seed)
    fits = [fit_binning(y, p, n_bins=each) for each in BINS]
    fits += [fit_kde(y, p, bandwidth=each) for each in BANDWIDTHS]
    star = EstimationFunction("h*", lambda p: (p - world.curve(p))[:, None], np.eye(1))
    floor = calibration_risk(star, fresh_y, fresh_p)
    excess = [calibration_risk(h, fresh_y, fresh_p) - floor for h in fits]
    return np.array([excess, [np.mean((h(grid) - star(grid)) ** 2) for h in fits]]).T


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
