"""Derivations of tests of the lesson chance."""

from itertools import product

import numpy as np

from ...pair_sums import skce_of_labels
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import kce_atoms as kit


def _fixed_predictions(rng):
    """Three binary predictions, two of them equal; every triple (labels, two redraws) of label vectors.

    `statistic` (512, 3) holds SKCE_uq of the observed labels first, then of B = 2 redraws.
    """
    p = rng.uniform(0.05, 0.95, 2)[[0, 0, 1]]
    vectors = np.array(list(product([0, 1], repeat=3)))
    chance = np.where(vectors == 1, p, 1 - p).prod(axis=1)
    values = skce_of_labels(kit.KERNEL, p, p, vectors.T)
    triples = np.array(list(product(range(8), repeat=3)))
    return {"mass": chance[triples].prod(axis=1), "statistic": values[triples]}


def _ranked(w):
    """T_0 of the observed labels, T_1 and T_2 of redrawn ones, and j of the level j/(B + 1)."""
    known = {"B": 2, "j": along("level", [1, 2, 3])}
    return Letters({"s": (w["mass"], {"T": w["statistic"].round(9)})}, known, {"sets": 3, "redraws": [1, 2]})


exact_pvalue = Derivation(
    title="Why redrawn labels give an exact p-value",
    claim="For a calibrated model P(p ≤ α) ≤ α for p = (1 + #{T* ≥ T})/(B + 1), at every n and B, with every statistic.",
    world=_fixed_predictions,
    letters=_ranked,
    steps=(
        Step("P(p <= j/(B + 1)); p = 1/(B + 1) * (1 + sum(ind(T[b] >= T[0]) for b in redraws))",
             "Three fixed predictions, SKCE_uq of the observed labels is T_0, of redrawn ones T_1, …, T_B, B = 2: all 8³ outcomes. Three numbers, for j = 1, 2, 3."),
        Step("P(R[0] < j); R[b] = count(T[c] >= T[b] for c in sets)",
             "The observed data set is at least as large as itself: with “<” it would not count itself.", printed="a common slip"),
        Step("P(R[0] <= j); R[b] = count(T[c] >= T[b] for c in sets)",
             "(B + 1) p counts those of T_0, T_1, …, T_B that are at least T_0, itself included."),
        Step("1/(B + 1) * sum(P(R[b] <= j) for b in sets)",
             "Exchangeability: given the predictions, observed and redrawn labels all have the law Y_i ~ Cat(p_i)."),
        Step("1/(B + 1) * E(count(R[b] <= j for b in sets))",
             "A sum of probabilities is the mean of a count."),
        Step("j/(B + 1)",
             "Without ties the R_b are 1, 2, …, B + 1, and just j of them are at most j. Ties only make some R_b larger.", relation="<="),
    ),
)  # fmt: skip
plus_one = Derivation(
    title="Why the p-value has a + 1",
    claim="Without the + 1 a calibrated model gets p = 0 with positive probability, and no test may do that.",
    world=_fixed_predictions,
    letters=_ranked,
    steps=(
        Step("P(1/B * sum(ind(T[b] >= T[0]) for b in redraws) == 0)",
             "The share of redraws T_1, …, T_B that reach the observed T_0, taken for the p-value: how often it is 0. B = 2, all 8³ outcomes."),
        Step("P(T[0] > max(T[b] for b in redraws))",
             "No redraw reaches T: then T is larger than the largest of them."),
        Step("0",
             "A p-value must satisfy P(p ≤ α) ≤ α, also at α = 0.", relation="<=", printed="p = #{T* ≥ T}/B, as in CalibrationTests.jl (errata U5)"),
        Step("P(p <= 1/(B + 1)); p = 1/(B + 1) * (1 + sum(ind(T[b] >= T[0]) for b in redraws))",
             "With the + 1 the observed labels count as one of B + 1, and the same outcomes get p = 1/(B + 1)."),
        Step("1/(B + 1)",
             "Exchangeability: no one of B + 1 equally likely places is strictly largest more often than that.", relation="<="),
    ),
)  # fmt: skip
