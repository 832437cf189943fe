"""The derivation of notebook 08: what the biased estimate of the SKCE averages to."""

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ..shared import kce_atoms as kit
from ..shared.letters import tiny


def _three_rows(rng):
    """Two kinds, three classes: 216 data sets of three rows."""
    return kit.tiny(random_world(rng, n_kinds=2, shared=False), 3)


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
        Step("SKCE",
             "h(Z, Z) is a squared length, and the SKCE is that of the mean: a mean square is at least the square of the mean. So SKCE_b is biased upwards for every model, calibrated or not.", relation=">="),
    ),
)  # fmt: skip
