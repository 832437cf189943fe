"""Derivations of tests of the lesson map_and_repair."""

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared import klce_atoms as kit


def _orders_of_three(w):
    T = kit.eq4(w["K"], w["delta"][:, kit.orders(3)]).round(9)
    drawn = {"T": T, "Y_1": w["y"][:, 0], "Y_2": w["y"][:, 1], "Y_3": w["y"][:, 2]}
    return Letters({"y": (w["mass"], drawn)}, {"m": 6, "a": w["p"][0], "c": w["p"][2]}, {"orders": 6})


permutation_size = Derivation(
    title="The size of a permutation test",
    claim="Two doubtful rows together and one alone that is confident of no: how often the test at α = 1/3 rejects a true model.",
    world=kit.crowd_of_two,
    describe=lambda w: f"p = {w['p'][0]:.3f} twice at one place, {w['p'][2]:.3f} elsewhere",
    letters=_orders_of_three,
    steps=(
        Step("P(R <= 1/3); R = 1/m * count(T[b] >= T[0] for b in orders)",
             "Rows 1 and 2, the crowd, have a prediction a near ½, row 3 has c near 0; the kernel is 1 inside the crowd and 0 outside. T_b is eq. 4 with the residuals in order b, T_0 as observed; R is the p-value: the share of all m = 3! orders whose T is at least the observed one. All eight label vectors."),
        Step("P(Y_1 == Y_2) - P(Y_1 == Y_2 == Y_3 == 1)",
             "Only two of six orders leave the crowd its own large residuals. If these have equal signs, all other orders make T smaller (but for a surprise in row 3)."),
        Step("1/3",
             "The level that was asked for.", relation="<=", printed="what a valid p-value keeps: P(R ≤ α) ≤ α (errata S)"),
        Step("a**2 * (1 - c) + (1 - a)**2",
             "About ½, although the model is locally calibrated."),
    ),
)  # fmt: skip
