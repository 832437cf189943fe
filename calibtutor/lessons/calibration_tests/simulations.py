"""Computations behind the scenes of notebook 04: done once and kept, or stored (`..shared.stored`).

Scenes show the source of these functions as the code of a picture.
"""

import bisect
from functools import lru_cache, partial
from itertools import product

import numpy as np

from ...data.worlds import CurveWorld, mixed_widmann_model, wave_world
from ...kce import kce_test, kernel_grid
from ...kernels import rbf
from ...pair_sums import pair_terms
from ...predictions import residuals
from ...pvalues import bound_pvalue, rank_pvalues, t_pvalue
from ...reproductions.widmann import TotalVariationLaplacian
from ...resampling import draw_labels, draw_pairs
from ...simplex import cell_of, errors_of_labels, errors_of_pairs
from ..shared.stored import stored
from .spoiling import first_alarms  # noqa: F401  is stored with the others

__all__ = []  # computations, not scenes

SIZES = [20, 50, 100, 200]
STRENGTHS = [0.0, 0.25, 0.5, 0.75, 1.0]
FULL = {"M2": 0.5, "M3": 1.0}  # M2 still draws half of its labels from the predictions
REPEATS = 200
BOUND_CLASSES = [2, 3, 5, 10, 30]
# The poster's kernel, exp(−‖p − q‖/γ) with the total variation; .9 is near the median of 250 of its predictions.
BANDWIDTH = 0.9


@lru_cache
def estimates(n, towards):
    """{strength: (biased, unbiased, linear), each (REPEATS,)}: SKCE estimates of the poster's data, ten classes."""
    found = {strength: np.empty((3, REPEATS)) for strength in STRENGTHS}
    corners = np.eye(10)
    for seed, strength in product(range(REPEATS), STRENGTHS):
        y, p = mixed_widmann_model(strength * FULL[towards], n, towards=towards, rng=seed)
        if strength == STRENGTHS[0]:  # the other strengths change labels only
            K = TotalVariationLaplacian(BANDWIDTH)(p)
        delta = p - corners[y]
        h = K * (delta @ delta.T)  # h_ij = k(p_i, p_j)⟨δ_i, δ_j⟩
        total, own, pairs = h.sum(), h.trace(), h.diagonal(1)[::2]  # the pairs: h_12, h_34, …
        found[strength][:, seed] = total / n**2, (total - own) / (n * (n - 1)), pairs.sum() / len(pairs)
    return found


@stored(FULL, BOUND_CLASSES)
def true_skce(towards, n_classes):
    """SKCE of M2 or M3 (below, it grows with the square): noiseless residuals of 5,000 predictions, pairs i ≠ j."""
    n = 5000
    p = mixed_widmann_model(0, n, n_classes=n_classes, rng=10**6)[1]
    gap = p - (np.eye(n_classes)[0] if towards == "M2" else 1 / n_classes)
    h = TotalVariationLaplacian(BANDWIDTH)(p) * (gap @ gap.T)
    return FULL[towards] ** 2 * float((h.sum() - np.trace(h)) / (n * (n - 1)))


def rejections(pvalues, alpha):
    """Which p-values reject at level alpha; those of ranks are multiples of 1/100, up to rounding."""
    return np.asarray(pvalues) <= alpha + 1e-12


# --- bounds ---


def expected_terms(strength, classes):
    """E h(Z, Z'), the SKCE, and E h(Z, Z), of data so far from M1 to M3."""
    true = strength**2 * true_skce("M3", classes)
    # E h(Z, Z) = E‖δ‖² = 1 − 2 E p_Y + E‖p‖², the last of Dirichlet(.1, …, .1)
    own = 1 - 2 * strength / classes + (2 * strength - 1) * 1.1 / (1 + 0.1 * classes)
    return true, own


def bounds(n, true, own):
    """Bounds on the p-value, where an estimate is what one expects: (biased, unbiased or linear)."""
    H, biased = 2, true + (own - true) / n  # |h| is at most H; of the n² terms, n are h(Z, Z)
    # exp(−½ max(0, √(n biased/H) − 1)²) and exp(−⌊n/2⌋ true²/(2H²))
    return bound_pvalue(biased, n, H, biased=True), bound_pvalue(true, n, H, biased=False)


def enough(which, true, own, alpha, most):
    """The least n, from 10 on, at which a bound is at most alpha; more than `most` if none is."""
    return 10 + bisect.bisect_left(range(10, most + 1), True, key=lambda n: bounds(n, true, own)[which] <= alpha)


# --- the race of p-values ---

RACE = ("C on an ECE", "D_b", "A_uq", "A_l", "exact", "aggregated")
RACE_STRENGTHS = [0.0, 0.15, 0.3]
RACE_SETS = 81
RACE_SIZE = 100


@stored(RACE_STRENGTHS)
def race(strength):
    """p-values of many data sets: C on an ECE, D_b, A_uq, A_l, exact, aggregated; shape (6, RACE_SETS)."""
    pvalues = []
    for number in range(RACE_SETS):
        rng = np.random.default_rng([4, number])
        y, p = mixed_widmann_model(strength, RACE_SIZE, n_classes=3, rng=rng)
        kernels = kernel_grid(p, factors=(0.25, 1, 4))  # times the median distance
        test = partial(kce_test, y, p, n_resamples=99, rng=rng)
        exact = test(kernel=kernels)  # labels redrawn: each kernel alone, and all
        C = pairs_redrawn(y, p, 10, rng)
        D_b, A_uq = (test(kernel=kernels[1], method=method) for method in ("bound-biased", "asymptotic"))
        _, A_l = t_pvalue(pair_terms(kernels[1], p, residuals(y, p)))  # t test of h_12, h_34, …
        pvalues.append([C, D_b.pvalue, A_uq.pvalue, A_l, exact.single_pvalues[1], exact.pvalue])
    return np.transpose(pvalues)


def pairs_redrawn(y, p, cells, rng):
    """p-value of the canonical binned error by consistency resampling (C); see `redrawn`."""
    draw_labels(p, 99, rng)  # unused: without them the stored results would need other random numbers
    cell = cell_of(p, cells)
    drawn = errors_of_pairs(cell, p, *draw_pairs(p, 99, rng))
    return rank_pvalues(np.append(errors_of_labels(cell, p, y[:, None]), drawn))[0]


# --- what is redrawn ---

REDRAW_SIZES = [50, 100, 200]
REDRAW_CELLS = [2, 5, 10]
REDRAW_SETS = 100
REDRAW_CLASSES = 5


@stored(REDRAW_SIZES, REDRAW_CELLS)
def redrawn(n, cells):
    """p-values of a binned error under calibration, (2, REDRAW_SETS): pairs redrawn (C), then labels only."""
    pvalues = []
    for number in range(REDRAW_SETS):
        rng = np.random.default_rng([5, number])
        y, p = mixed_widmann_model(0, n, n_classes=REDRAW_CLASSES, rng=rng)
        cell = cell_of(p, cells)
        observed = errors_of_labels(cell, p, y[:, None])
        labels = errors_of_labels(cell, p, draw_labels(p, 99, rng))  # the predictions stay
        pairs = errors_of_pairs(cell, p, *draw_pairs(p, 99, rng))  # predictions are drawn as well, then their labels
        pvalues.append([rank_pvalues(np.append(observed, drawn))[0] for drawn in (pairs, labels)])
    return np.transpose(pvalues)


# --- counting ---


THREE = [[0.7, 0.2, 0.1], [0.25, 0.6, 0.15], [0.3, 0.3, 0.4]]  # predictions


def every_label_vector(sharpness):
    """All label vectors of three predictions, in the order of their SKCE: (labels, probabilities, SKCE_uq)."""
    p = np.array(THREE) ** sharpness
    p /= p.sum(axis=1, keepdims=True)
    n, n_classes = p.shape
    labels = np.array(list(product(range(n_classes), repeat=n)))  # 27 of them
    mass = p[np.arange(n), labels].prod(axis=1)  # if the model is calibrated
    delta = p - np.eye(n_classes)[labels]
    h = rbf(bandwidth=0.5)(p) * (delta @ delta.transpose(0, 2, 1))  # h_ij of each label vector
    statistic = (h.sum(axis=(1, 2)) - np.trace(h, axis1=1, axis2=2)) / (n * (n - 1))
    order = np.lexsort((-mass, np.round(statistic, 12)))
    return labels[order], mass[order], statistic[order]


def exact_pvalues(mass, statistic):
    """p-value of each label vector: the probability of all with a statistic at least as large."""
    return np.array([mass[statistic >= each - 1e-12].sum() for each in statistic])


def chance_of_pvalues(mass, pvalue):
    """Levels that a p-value can have, and the chance that it is at most that: never more than the level."""
    levels = np.unique(np.round(pvalue, 12))
    return levels, np.array([mass[pvalue <= level + 1e-12].sum() for level in levels])


# --- power along the bandwidth ---

FACTORS = (0.05, 0.125, 0.25, 0.5, 1, 2, 4)
GAPS = {"everywhere too low": 0, "one wave": 1, "three waves": 3}
POWER_SIZES = [100, 200]
POWER_SETS = 100


@stored(GAPS, POWER_SIZES)
def power(gap, n):
    """Share of data sets rejected at .05, for each bandwidth and aggregated; frequencies miss by .08, or in waves."""
    single, aggregated = [], []
    world = wave_world(GAPS[gap], 0.15) if GAPS[gap] else CurveWorld(lambda p: np.clip(p - 0.08, 0, 1))
    for number in range(POWER_SETS):
        rng = np.random.default_rng([6, number])
        y, p = world.sample(n, rng)
        kernels = kernel_grid(p, factors=FACTORS, family=lambda bandwidth: rbf(bandwidth=bandwidth))
        found = kce_test(y, p, kernel=kernels, n_resamples=99, rng=rng)
        single.append(found.single_pvalues)
        aggregated.append(found.pvalue)
    return rejections(single, 0.05).mean(axis=0), float(rejections(aggregated, 0.05).mean())
