"""Computations behind the scenes of notebook 03, done once and kept."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...data.worlds import temperature_simulation, wave_world
from ...kernels import as_rows, rbf
from ...predictions import residuals, top_label
from ...risk import calibration_risk, no_error, risk_of_features
from ...spectrum import calibration_spectrum

__all__ = []  # computations, not scenes

THETAS = 2.0 ** np.round(np.arange(-5, 5.01, 0.5), 1)
REPEATS = 100
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
