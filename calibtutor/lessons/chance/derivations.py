"""Why R is exact."""

from itertools import product

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, formula


def _fixed_predictions(rng):
    """Three binary predictions, two of them equal; every triple (labels, two redraws) of label vectors.

    `statistic` (512, 3) holds the ECE of the observed labels first, then of B = 2 redraws: equal predictions share a bin.
    """
    p = rng.uniform(0.05, 0.95, 2)[[0, 0, 1]]
    y = np.array(list(product([0, 1], repeat=3)))
    chance = np.where(y == 1, p, 1 - p).prod(axis=1)
    values = (abs((p - y)[:, :2].sum(axis=1)) + abs((p - y)[:, 2])) / 3
    triples = np.array(list(product(range(8), repeat=3)))
    return {"mass": chance[triples].prod(axis=1), "statistic": values[triples], "p": p, "j": rng.integers(1, 3)}


def _ranked(w):
    """T_0 of the observed labels, T_1 and T_2 of redrawn ones, and j of the level α = j/(B + 1)."""
    observed = {"s": (w["mass"], {"T": w["statistic"].round(9)})}
    letters = Letters(observed, {"B": 2, "j": w["j"]}, {"sets": 3, "redraws": [1, 2]})
    return formula("alpha; alpha = j/(B + 1)").define(letters)


exact_pvalue = Derivation("Why redrawn labels give an exact p-value",
    "How often a calibrated model gets R ≤ α, at every n and B and with every statistic.",
    Step("P(R <= j/(B + 1)); R = 1/(B + 1) * (1 + sum(ind(T[b] >= T[0]) for b in redraws))",
         "Three fixed predictions, two of them equal. T_0 is the ECE of the observed labels, with one bin for the two and one for the third; "
         "T_1, …, T_B are those of redrawn labels: the sum is over b = 1, …, B. The level is α = j/(B + 1). Here B = 2, all 8³ outcomes, "
         "and j is 1 or 2."),
    Step("P(N[0] < j); N[b] = count(T[a] >= T[b] for a in sets)",
         "The observed data set is at least as large as itself: with “<” it would not count itself.", printed="a common slip"),
    Step("P(N[0] <= j); N[b] = count(T[a] >= T[b] for a in sets)",
         "(B + 1) R is N_0: how many of T_0, T_1, …, T_B are at least T_0, itself included (a = 0, …, B)."),
    Step("1/(B + 1) * sum(P(N[b] <= j) for b in sets)",
         "Exchangeability: given the predictions, observed and redrawn labels are drawn in the same way. From here on b = 0, …, B."),
    Step("1/(B + 1) * E(count(N[b] <= j for b in sets))", "A sum of probabilities is the mean of a count."),
    Step("j/(B + 1)",
         "Without ties the N_b are 1, 2, …, B + 1, and just j of them are at most j. Ties only make some N_b larger.", relation="<="),
    world=_fixed_predictions, letters=_ranked, start=18, write=5,
    describe=lambda w: f"forecasts {w['p'][0]:.2f}, {w['p'][1]:.2f}, {w['p'][2]:.2f}; level {w['j']}/3",
    ask="N_b says at which place T_b stands. How many of the N_b can be at most j? First think of values without ties, then with them.",
    slips=(("1/(B + 1)", "That is right for j = 1 only: j of the B + 1 places are at most j."),
           ("(j - 1)/(B + 1)", "One place is missing: places begin with 1, so j of them are at most j."),
           ("j/(B + 2)", "One value too many: T_0, …, T_B are B + 1 values.")))
