"""Derivations: the smallest of several p-values, ranked among redrawn data sets, is exact; copies of a row spread further."""

from itertools import product
from types import SimpleNamespace

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along

__all__ = ["copies", "smallest_is_exact"]

ROWS, SETS, LEVEL = 3, 4, 0.5  # the observed data set and three redrawn ones: all 8⁴ cases are summed


def _all_cases(rng):
    """Every observed and redrawn label vector of a calibrated model with three rows, two questions, and the chances."""
    p, x = rng.uniform(0.2, 0.8, ROWS), rng.uniform(0.5, 2, ROWS) * [1, -1, 1]
    labels = np.array(list(product([0, 1], repeat=ROWS)))
    chance = np.where(labels, p, 1 - p).prod(axis=1)
    statistics = np.abs(np.array([(p - labels).sum(axis=1), (p - labels) @ x])).round(12)
    cases = np.array(list(product(range(len(labels)), repeat=SETS)))
    return SimpleNamespace(p=p, chance=chance[cases].prod(axis=1), statistics=statistics[:, cases].swapaxes(0, 1))


def _letters(w):
    """T[j, b], the statistic of question j on data set b, in all cases; b is 0 for the observed one, or 1 to B."""
    known = {"B": SETS - 1, "alpha": LEVEL, "b": along("b", range(SETS))}
    return Letters({"case": (w.chance, {"T": w.statistics})}, known, {"sets": SETS, "questions": 2})


smallest_is_exact = Derivation(
    title="The smallest p-value, ranked",
    claim="If the model is calibrated, the smallest p-value of all questions, ranked among those of redrawn data sets, is at most α with probability at most α.",
    world=_all_cases,
    describe=lambda w: f"a calibrated model says {', '.join(f'{each:.2f}' for each in w.p)} of three rows",
    letters=_letters,
    write=3,
    slips=(
        ("E(count(A[b] <= alpha for b in sets))",
         "a mean of B + 1 probabilities is divided by B + 1"),
        ("1/B * E(count(A[b] <= alpha for b in sets))",
         "with the observed one there are B + 1 data sets"),
        ("P(A[b] < alpha)",
         "a rank may be α itself: ≤"),
    ),
    steps=(
        Step("P(A[0] <= alpha); A[b] = 1/(B + 1) * count(m[c] <= m[b] for c in sets); m[b] = min(R[j, b] for j in questions); "
             "R[j, b] = 1/(B + 1) * count(T[j, c] >= T[j, b] for c in sets)",
             "A_b is the rank of m_b, the smallest R of data set b: A_0 is the smallest adjusted p-value. Here B = 3, α = 1/2, two questions, and all cases are summed."),
        Step("P(m[0] <= alpha)",
             "Each R is exact, and m_0 is one of them.", printed="a common slip: the smallest was chosen after looking"),
        Step("P(A[b] <= alpha)",
             "If the model is calibrated, observed and redrawn labels have the same distribution given the predictions, and all are treated alike: they can change places, so this holds for every b."),
        Step("E(1/(B + 1) * count(A[b] <= alpha for b in sets))",
             "The mean of B + 1 equal probabilities is the expected share of data sets with a rank at most α."),
        Step("alpha",
             "Of B + 1 data sets at most α(B + 1) can have a rank at most α, whatever the questions are and however they depend on one another; ties only raise ranks.", relation="<="),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _patient(rng):
    return {"p": rng.uniform(0.05, 0.95), "c": int(rng.integers(2, 10))}


def _one_label(w):
    """One label Y of a calibrated prediction p, which stands in c rows."""
    return Letters({"label": ([1 - w["p"], w["p"]], {"Y": [0, 1]})}, {"p": w["p"], "c": w["c"]}, {"visits": w["c"]})


copies = Derivation(
    title="Copies of a row",
    claim="The variance of the sum of c equal misses is c² times that of one, not c times.",
    world=_patient,
    describe=lambda w: f"p = {w['p']:.2f}, c = {w['c']} visits",
    letters=_one_label,
    steps=(
        Step("Var(sum(p - Y for v in visits))",
             "The c visits v of one patient have the same prediction p and the same label Y. The model is calibrated: Y is 1 with probability p."),
        Step("c * p * (1 - p)",
             "A variance p(1 − p) for each row: so labels are redrawn if nobody says which rows belong together.", printed="as if the rows were independent"),
        Step("Var(c * (p - Y))",
             "The misses are equal, so their sum is c times one of them."),
        Step("c**2 * p * (1 - p)",
             "A factor leaves a variance squared, and Y, 1 with probability p, has variance p(1 − p)."),
    ),
)  # fmt: skip
