"""Computations behind the scenes of notebook 03, done once and kept."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...data.worlds import temperature_simulation, wave_world
from ...kce import kce_test
from ...kernels import as_rows, rbf
from ...predictions import residuals, top_label
from ...risk import calibration_risk, no_error, risk_of_features
from ...selection import select_estimator
from ...spectrum import calibration_spectrum
from ..shared.stored import stored

__all__ = []  # computations, not scenes

THETAS = 2.0 ** np.round(np.arange(-5, 5.01, 0.5), 1)
REPEATS = 100
MODELS = ["random forest", "logistic regression", "neural network", "naive Bayes"]
CANDIDATES = ["h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"]
COLUMNS = ["worse_by", "worse_by_spread", "estimate"]
SPLITS, FOLDS = 20, 5
SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]


@lru_cache
def figure_one(n):
    """Risks (REPEATS, θ) in the simulation of Gruber & Bach §5.1, and the mean squared distance to h* for each θ.

    h_θ(p, p') = ⟨p − q_θ(p), p' − q_θ(p')⟩ with q_θ(p) ∝ p^{10θ/3}: at θ = 1 it undoes the temperature .3.
    """
    risks, distances = np.empty((REPEATS, len(THETAS))), np.zeros(len(THETAS))
    for seed in range(REPEATS):
        y, p, q = temperature_simulation(n, rng=seed)
        delta, true_gap = residuals(y, p), p - q
        star = true_gap.T @ true_gap
        log_p = np.log(np.maximum(p, np.finfo(float).tiny))
        for t, theta in enumerate(THETAS):
            weight = np.exp(10 * theta / 3 * (log_p - log_p.max(axis=1, keepdims=True)))
            u = p - weight / weight.sum(axis=1, keepdims=True)
            risks[seed, t] = risk_of_features(u, np.eye(5), delta)
            # Mean of (⟨u, u'⟩ − ⟨g, g'⟩)² over i ≠ j, by the same traces as the risk.
            own = ((u**2).sum(axis=1) - (true_gap**2).sum(axis=1)) ** 2
            pairs = ((u.T @ u) ** 2).sum() - 2 * ((u.T @ true_gap) ** 2).sum() + (star**2).sum() - own.sum()
            distances[t] += max(pairs, 0.0) / (n * (n - 1)) / REPEATS  # rounding may fall below 0
    return risks, distances


GAMMAS = [0.5, 1.0, 5.0, 20.0, 100.0]
SURFACE_SIZES = [200, 1000, 5000]
GRID = (np.arange(60) + 0.5) / 60


@lru_cache
def _ridge(n, gamma):
    """A fit's spectrum with its features on the grid and on fresh data: every λ then costs a small product."""
    world = wave_world(1, 0.15)
    found, (y, p) = calibration_spectrum(*world.sample(n, 1), kernel=rbf(gamma=gamma)), world.sample(2000, 2)
    return found, found.eigenfunctions(GRID), found.eigenfunctions(p), as_rows(p - y)


def surfaces(n, gamma, log10_regularization):
    """h*, and for kkr and ukkr their surface on [0, 1]² and their risk on fresh data, in a world with one wave."""
    found, on_grid, on_fresh, delta = _ridge(n, gamma)
    gap = GRID - wave_world(1, 0.15).curve(GRID)
    fitted = {}
    for name in ("kkr", "ukkr"):
        core = found.core(name, 10.0**log10_regularization)
        fitted[name] = on_grid @ core @ on_grid.T, risk_of_features(on_fresh, core, delta)
    return np.outer(gap, gap), fitted


@lru_cache
def ridge_path(model):
    """Kernel spectrum on two thirds of a model's confidences, and risks along λ on the last third."""
    each = digits_predictions(model)
    hit, confidence = top_label(each.y_true, each.y_prob)
    order = np.random.default_rng(0).permutation(len(hit))
    train, rest = order[: 2 * len(hit) // 3], order[2 * len(hit) // 3 :]
    found = calibration_spectrum(hit[train], confidence[train])
    u, delta = found.eigenfunctions(confidence[rest]), as_rows(confidence[rest] - hit[rest])
    powers = np.arange(-14, 3)
    risks = {
        name: np.array([risk_of_features(u, found.core(name, 10.0**power), delta) for power in powers])
        for name in ("kkr", "ukkr")
    }
    return found.eigenvalues, powers, risks


@lru_cache
def misaligned(world=5, order=1):
    """Best validation risk and estimate when a share of the training labels is shuffled (errata G1).

    A five-class world as in the authors' simulation: 300 predictions to fit, 200 correctly labelled ones whose
    risk chooses λ and is shown, as in their code.
    """
    y, p, q = temperature_simulation(500, rng=world)
    train, held_out = np.arange(300), np.arange(300, 500)
    found = {"truth": float(((p - q) ** 2).sum(axis=1).mean())}
    delta = residuals(y[held_out], p[held_out])
    for share in SHARES:
        rng = np.random.default_rng(order)
        labels = y[train].copy()
        moved = rng.permutation(len(train))[: int(share * len(train))]
        labels[moved] = labels[rng.permutation(moved)]
        spectrum = calibration_spectrum(labels, p[train])
        u = spectrum.eigenfunctions(p[held_out])
        found[share] = {"h = 0": (calibration_risk(no_error(), y[held_out], p[held_out]), 0.0)}
        for name, grid in (
            ("kkr", 10.0 ** np.arange(8, -10, -1) * len(train) ** -0.5),
            ("ukkr", 10.0 ** np.arange(4, -5, -0.5) * len(train) ** -0.25),
        ):
            risks = [risk_of_features(u, spectrum.core(name, c), delta) for c in grid]
            best = spectrum.core(name, grid[int(np.argmin(risks))])
            found[share][name] = min(risks), float(((u @ best) * u).sum(axis=1).mean())
    return found


@stored(MODELS)
def twenty_splits(model):
    """The pipeline on SPLITS splits of a model's predictions, and the exact test's p-value of all of them.

    Arrays (SPLITS, candidates): mean validation risk above the smallest of the split, the spread of that over the
    folds, and the estimate (0 for h = 0, which says so).
    """
    each = digits_predictions(model)
    tables = [select_estimator(each.y_true, each.y_prob, rng=seed).table.loc[CANDIDATES] for seed in range(SPLITS)]
    columns = [np.array([table[name].astype(float).fillna(0) for table in tables]) for name in COLUMNS]
    return *columns, float(kce_test(*top_label(each.y_true, each.y_prob), rng=0).pvalue)


def parts_of(n, seed):
    """A split as `select_estimator` makes it: the folds, as rows; a fifth of the data is put aside."""
    order = np.random.default_rng(seed).permutation(n)
    return np.array_split(order[: n - n // 5], FOLDS)


@stored(MODELS)
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
            found = calibration_spectrum(hit[train], confidence[train], unbiased=False)
            v = found.eigenfunctions(confidence[held_out])
            for k, c in enumerate(penalties):
                u = v @ found.regression(c * len(train) ** -0.25)
                risks[seed, fold, k] = risk_of_features(u, np.eye(1), delta[held_out])
            risks[seed, fold, -1] = risk_of_features(np.zeros((len(held_out), 1)), np.eye(1), delta[held_out])
    best = risks[..., :-1].mean(axis=1).argmin(axis=1)
    return risks[..., -1], np.take_along_axis(risks, best[:, None, None], axis=2)[..., 0]
