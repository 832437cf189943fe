"""Computations behind the scenes of notebook 04: done once and kept, or stored (`..shared.stored`)."""

from functools import lru_cache, partial
from itertools import product

import numpy as np

from ...data.worlds import CurveWorld, mixed_widmann_model
from ...kce import kce_test, kernel_grid
from ...kernels import laplacian, rbf
from ...predictions import residuals
from ...resampling import draw_labels, draw_pairs, of_form, pair_terms, rank_pvalues, t_pvalue
from ...simplex import cell_of, errors_of_labels, errors_of_pairs
from ..shared.stored import stored
from .spoiling import first_alarms  # noqa: F401  is stored with the others

__all__ = []  # computations, not scenes

SIZES = [20, 50, 100, 200]
STRENGTHS = [0.0, 0.25, 0.5, 0.75, 1.0]
FULL = {"M2": 0.5, "M3": 1.0}  # M2 still draws half of its labels from the predictions
REPEATS = 200
BOUND_CLASSES = [2, 3, 5, 10, 30]
BANDWIDTH = 0.8  # near the median distance between predictions from Dir(.1, …, .1) with ten classes


@lru_cache
def estimates(n, towards):
    """{strength: (biased, unbiased, linear), each (REPEATS,)}: SKCE estimates of the poster's data, ten classes."""
    found, first, second = np.empty((len(STRENGTHS), 3, REPEATS)), np.arange(0, n - 1, 2), np.arange(1, n, 2)
    for seed in range(REPEATS):
        drawn = [mixed_widmann_model(s * FULL[towards], n, towards=towards, rng=seed) for s in STRENGTHS]
        p = drawn[0][1]  # the predictions of a seed do not depend on the strength
        K, delta = laplacian(BANDWIDTH)(p), np.array([p - np.eye(10)[y] for y, _ in drawn])
        form, own = (delta * (K @ delta)).sum(axis=(1, 2)), (delta**2).sum(axis=(1, 2))  # k(p, p) = 1
        pairs = (delta[:, first] * delta[:, second]).sum(axis=2) @ K[first, second] / len(second)
        found[:, :, seed] = np.transpose([of_form(form, own, n, "biased"), of_form(form, own, n, "unbiased"), pairs])
    return dict(zip(STRENGTHS, found, strict=True))


@stored(FULL, BOUND_CLASSES)
def true_skce(towards, n_classes):
    """SKCE of M2 or M3 (below, it grows with the square): noiseless residuals of 2,000 predictions, pairs i ≠ j."""
    p = mixed_widmann_model(0, 2000, n_classes=n_classes, rng=10**6)[1]
    gap = p - (np.eye(n_classes)[0] if towards == "M2" else 1 / n_classes)
    h = laplacian(BANDWIDTH)(p) * (gap @ gap.T)
    return FULL[towards] ** 2 * float((h.sum() - np.trace(h)) / (2000 * 1999))


# --- the race of p-values ---

RACE = ("C on an ECE", "D_b", "A_uq", "A_l", "exact", "aggregated")
RACE_STRENGTHS = [0.0, 0.15, 0.3]
RACE_SETS = 81
RACE_SIZE, RACE_CLASSES, RACE_DRAWS = 100, 3, 99


@stored(RACE_STRENGTHS)
def race(strength):
    """p-values of the tests `RACE` on RACE_SETS data sets, shape (len(RACE), RACE_SETS)."""
    rows = [_race_once(strength, number) for number in range(RACE_SETS)]
    return np.array(rows).T


def _race_once(strength, number):
    rng = np.random.default_rng([4, number])
    y, p = mixed_widmann_model(strength, RACE_SIZE, n_classes=RACE_CLASSES, rng=rng)
    kernels = kernel_grid(p, factors=(0.25, 1, 4))
    test = partial(kce_test, y, p, kernel=kernels[1], n_resamples=RACE_DRAWS, rng=rng)
    every = kce_test(y, p, kernel=kernels, n_resamples=RACE_DRAWS, rng=rng)
    return [
        _ece_pvalues(y, p, 10, RACE_DRAWS, rng)[0],
        test(method="bound-biased").pvalue,
        test(method="asymptotic").pvalue,
        t_pvalue(pair_terms(kernels[1], p, residuals(y, p)))[1],  # rows are independent: nothing need be shuffled
        every.single_pvalues[1],
        every.pvalue,
    ]


def _ece_pvalues(y, p, n_steps, n_draws, rng):
    """p-values of the canonical binned error: consistency resampling, then labels redrawn."""
    cell = cell_of(p, n_steps)
    of_labels = errors_of_labels(cell, p, np.column_stack([y, draw_labels(p, n_draws, rng)]))
    of_pairs = errors_of_pairs(cell, p, *draw_pairs(p, n_draws, rng))
    return rank_pvalues(np.concatenate([of_labels[:1], of_pairs]))[0], rank_pvalues(of_labels)[0]


# --- what is redrawn ---

REDRAW_SIZES = [50, 100, 200]
REDRAW_CELLS = [2, 5, 10]
REDRAW_SETS = 100
REDRAW_CLASSES = 5


@stored(REDRAW_SIZES, REDRAW_CELLS)
def redrawn(n, n_steps):
    """p-values of a binned error under calibration, (2, REDRAW_SETS): C, then labels only."""
    pvalues = []
    for number in range(REDRAW_SETS):
        rng = np.random.default_rng([5, number])
        y, p = mixed_widmann_model(0, n, n_classes=REDRAW_CLASSES, rng=rng)
        pvalues.append(_ece_pvalues(y, p, n_steps, 99, rng))
    return np.array(pvalues).T


# --- counting ---


def enumerate_labels(p, bandwidth):
    """All label vectors of predictions p (n, d): (labels (m, n), probabilities (m,), SKCE_uq (m,))."""
    n, n_classes = p.shape
    labels = np.array(list(product(range(n_classes), repeat=n)))
    mass = p[np.arange(n), labels].prod(axis=1)
    delta = p - np.eye(n_classes)[labels]  # (m, n, d)
    h = rbf(bandwidth=bandwidth)(p) * np.einsum("mik,mjk->mij", delta, delta)
    form, own = h.sum(axis=(1, 2)), np.trace(h, axis1=1, axis2=2)
    return labels, mass, of_form(form, own, n, "unbiased")


# --- power along the bandwidth ---

FACTORS = (0.05, 0.125, 0.25, 0.5, 1, 2, 4)
GAPS = {"everywhere too low": 0, "one wave": 1, "three waves": 3}
POWER_SIZES = [100, 200]
POWER_SETS = 100


def gap_world(name):
    """Uniform scores whose frequencies miss by .08 everywhere, or in waves."""
    waves = GAPS[name]
    if waves == 0:
        return CurveWorld(lambda p: np.clip(p - 0.08, 0, 1))
    return CurveWorld(lambda p: np.clip(p + 0.15 * np.sin(2 * np.pi * waves * p), 0, 1))


@stored(GAPS, POWER_SIZES)
def power(name, n):
    """Share of data sets rejected at .05: (one a bandwidth, aggregated, smallest p-value without correction)."""
    single, aggregated = [], []
    for number in range(POWER_SETS):
        rng = np.random.default_rng([6, number])
        y, p = gap_world(name).sample(n, rng)
        found = kce_test(y, p, kernel=kernel_grid(p, factors=FACTORS, family=_gaussian), n_resamples=99, rng=rng)
        single.append(found.single_pvalues)
        aggregated.append(found.pvalue)
    rejected = np.array(single) <= 0.05 + 1e-12
    return rejected.mean(axis=0), float((np.array(aggregated) <= 0.05 + 1e-12).mean())


def _gaussian(bandwidth):
    return rbf(bandwidth=bandwidth)
