"""Simulations of the lesson kernel_tests."""

from functools import lru_cache, partial
from itertools import product

import numpy as np

from ...data.worlds import CurveWorld, mixed_widmann_model, wave_world
from ...kce import kce_test, kernel_grid
from ...kernels import rbf
from ...pair_sums import pair_terms
from ...predictions import residuals
from ...pvalues import rank_pvalues, t_pvalue
from ...reproductions.widmann import TotalVariationLaplacian
from ...resampling import draw_labels, draw_pairs
from ...simplex import cell_of, errors_of_labels, errors_of_pairs
from ..shared.simulations import BANDWIDTH, FULL, rejections
from ..shared.stored import stored

SIZES = [20, 50, 100, 200]
STRENGTHS = [0.0, 0.25, 0.5, 0.75, 1.0]
REPEATS = 200


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
