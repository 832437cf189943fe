"""Derivations: the best guess of a product is the truth, and excess risk is a squared distance to it."""

import numpy as np

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.letters import population

minimiser = Derivation("The best guess of a product",
    "Which number has the smallest mean squared distance to the product of two residuals. The predictions are fixed, and their labels "
    "have the probabilities r and r' (P_Y and P_V in eq. 15).",
    Step("(L(-1) - L(1)) / (2 * (L(-1) - 2*L(0) + L(1))); L(c) = E((inner(p - e_Y, p' - e_Y') - c)**2)",
         "L(c), the mean squared distance of the number c, is a parabola: its bottom, from its values at −1, 0 and 1."),
    Step("E(inner(p - e_Y, p' - e_Y'))", "A mean squared distance is smallest at the mean."),
    Step("inner(p, p') - inner(r, r')",
         "The inner product of differences is no difference of inner products.", printed="a common slip"),
    Step("inner(p - r, p' - r')",
         "Y and Y' are independent, so both means go inside the product, which is linear in each factor."),
    world=lambda rng: {name: rng.dirichlet(np.ones(3)) for name in ("p", "pʹ", "r", "rʹ")},
    letters=lambda w: Letters({"Y": (w["r"], {"e_Y": np.eye(3)}), "V": (w["rʹ"], {"e_Yʹ": np.eye(3)})}, w))


def _world_and_h(rng):
    """A finite world and some bilinear h(p, q) = pᵀMq + b."""
    m = rng.normal(size=(3, 3))
    return {"world": random_world(rng, n_kinds=5), "m": m + m.T, "b": rng.normal()}


excess_risk = Derivation("Excess risk is a distance",
    "The risk ranks functions by their squared distance to the truth.",
    Step("E((z - h(p, p'))**2); z = inner(delta, delta')", "The risk, over two independent draws."),
    Step("E((z - h_star)**2) + 2 * E((z - h_star) * (h_star - h(p, p'))) + E((h_star - h(p, p'))**2); h_star = inner(p - r, p' - r')",
         "Add and subtract h*, and expand."),
    Step("Var(z) + E((h_star - h(p, p'))**2)",
         "Given p and p' the mean of z is h*, so the middle term is 0. But Var(z) is about one mean of all pairs, and h* varies.", printed="a common slip"),
    Step("E((z - h_star)**2) + E((h_star - h(p, p'))**2)",
         "Given p and p' the mean of z is h*, so the middle term is 0. The first term is the risk of h*."),
    world=_world_and_h, start=3, write=1, tolerance=1e-11,
    letters=lambda w: population(w["world"], h=lambda p, q: ((p @ w["m"]) * q).sum(axis=-1) + w["b"]),
    slips=(("E((z - h_star)**2) - E((h_star - h(p, p'))**2)",
            "Both squares are added: z − h is the sum of z − h* and h* − h."),))
