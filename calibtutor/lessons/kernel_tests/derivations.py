"""Derivations of notebook 08: what the three estimates of the SKCE average to."""

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ..shared import kce_atoms as kit
from ..shared.letters import tiny


def _three_rows(rng):
    """Two kinds, three classes: 216 data sets of three rows."""
    return kit.tiny(random_world(rng, n_kinds=2, shared=False), 3)


estimators = Derivation(
    title="Why two of the estimators are unbiased",
    claim="Pairs of different rows are pairs of independent draws, so SKCE_uq and SKCE_ul average to the SKCE.",
    world=_three_rows,
    letters=tiny,
    steps=(
        Step("E(1/(n*(n - 1)) * sum(h_data[i, j] for i in rows for j in rows if i != j))",
             "The mean of SKCE_uq: n = 3, two predictions, three classes, each of the 216 data sets times its probability."),
        Step("1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i != j)",
             "The mean of a sum is the sum of the means, although the pairs share rows and are dependent."),
        Step("1/(n*(n - 1)) * sum(E(h_data[i, j]) for i in rows for j in rows if i < j)",
             "h is symmetric, so each pair of rows need be counted only once.", printed="a common slip: half of the terms, divided by all"),
        Step("SKCE = E(h(Z, Z'))",
             "For i ≠ j the rows are two independent copies of Z = (p, Y)."),
        Step("E(1/floor(n/2) * sum(h_data[2*i, 2*i + 1] for i in pairs))",
             "SKCE_ul: rows 0 and 1, rows 2 and 3, … are such pairs too: the same mean from fewer pairs. (n = 3 has one.)"),
    ),
)  # fmt: skip
biased = Derivation(
    title="What SKCE_b averages to",
    claim="The mean of the biased estimate over data sets, at every n.",
    world=_three_rows,
    letters=tiny,
    write=1,
    slips=(
        ("1/n**2 * (E(h(Z, Z)) + n*(n - 1) * E(h(Z, Z')))",
         "a row meets itself n times, once for each row"),
        ("1/n**2 * (n * E(h(Z, Z)) + n**2 * E(h(Z, Z')))",
         "the n pairs i = j are counted twice: n(n − 1) are left"),
        ("E(h(Z, Z'))",
         "that forgets the diagonal, where a row meets itself"),
    ),
    steps=(
        Step("E(1/n**2 * sum(h_data[i, j] for i in rows for j in rows))",
             "The mean of SKCE_b: n = 3, all 216 data sets."),
        Step("1/n**2 * (n * E(h(Z, Z)) + n*(n - 1) * SKCE); SKCE = E(h(Z, Z'))",
             "On the diagonal a row meets itself, n times; off the diagonal it meets an independent one, n(n − 1) times."),
        Step("SKCE + 1/n * E(h(Z, Z))",
             "n of the n² pairs lie on the diagonal: a share 1/n, and the others average to the SKCE.", printed="a common slip: the other pairs are fewer than n²"),
        Step("SKCE + 1/n * (E(h(Z, Z)) - SKCE)",
             "Write n(n − 1)/n² as 1 − 1/n."),
        Step("SKCE + 1/n * E(norm2(x - E(x)))",
             "h(Z, Z) = ‖x‖² and SKCE = ‖E x‖² for x = φ(p) ⊗ δ: the bracket is the variance of x."),
        Step("SKCE",
             "A variance is not negative, so SKCE_b is biased upwards for every model, calibrated or not.", relation=">="),
    ),
)  # fmt: skip
