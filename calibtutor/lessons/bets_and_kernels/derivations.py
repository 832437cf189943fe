"""The best bet of length 1, and why no frequency is needed to know what it earns."""

import numpy as np

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.letters import features, population


def _rbf(p, q):
    """A Gaussian kernel of bandwidth 1/5, of numbers."""
    return np.exp(-((np.asarray(p) - q) ** 2) / 0.08)


def _world_and_bet(rng):
    """Five predictions, their frequencies, and a bet b = Σ_c β_c k(·, z_c) of length 1 whose centres are others."""
    points = rng.permutation(np.arange(9) + rng.random(9) / 2) / 9  # never so near that a matrix is singular
    p, centres = points[:5], points[5:]
    beta = rng.normal(size=4)
    beta /= np.sqrt(beta @ _rbf(centres[:, None], centres) @ beta)
    return {"weights": rng.dirichlet(3 * np.ones(5)), "p": p, "r": rng.random(5), "centres": centres, "beta": beta}


def _bets(w):
    """The draw o of a prediction; φ at the predictions and at the centres of b; b, and v, its coordinates."""
    phi = features(_rbf, np.concatenate([w["p"], w["centres"]]))
    b = lambda p: _rbf(np.asarray(p)[..., None], w["centres"]) @ w["beta"]
    return Letters({"o": (w["weights"], {"p": w["p"], "r": w["r"]})},
                   {"k": _rbf, "phi": phi, "b": b, "v": w["beta"] @ phi(w["centres"])})


supremum = Derivation("The best bet of length 1",
    "Among all bets b with ‖b‖ ≤ 1, s/‖s‖ earns most, and the square of what it earns is a mean over pairs.",
    Step("E((p - r) * b(p))", "What one bet of length 1 earns on average. This b is a random one."),
    Step("inner(s, v); s = E((p - r) * phi(p))",
         "b(p) is the inner product of φ(p) with v, the bet as a vector; and a mean goes inside an inner product."),
    Step("norm(s)",
         "Cauchy–Schwarz: ⟨s, v⟩ ≤ ‖s‖ ‖v‖, and ‖v‖ = 1. The right-hand side no longer depends on b.", relation="<="),
    Step("E((p - r) * inner(s, phi(p)))",
         "The bet s itself is not of length 1, unless ‖s‖ happens to be 1: it earns ‖s‖².", printed="the maximiser in Vashistha & Farahi's Prop. A.9, as printed (errata K29)"),
    Step("E((p - r) * inner(s, phi(p)) / norm(s))",
         "The bet s/‖s‖ is of length 1 and earns all of ‖s‖: no bet earns more."),
    Step("sqrt(E(k(p, p') * (p - r) * (p' - r')))",
         "‖s‖² = ⟨s, s⟩ is a mean over two independent draws, since ⟨φ(p), φ(p')⟩ = k(p, p')."),
    world=_world_and_bet, letters=_bets, tolerance=1e-10)

no_frequencies = Derivation("Why r need not be estimated",
    "In the SKCE labels can stand in for the unknown frequencies r(p) and r(p').",
    Step("E(k(p, p') * inner(p - r, p' - r'))",
         "The SKCE with the frequencies r = P(Y | p), which nobody knows outside a finite world."),
    Step("E(k(p, p') * inner(E(delta, given=p), E(delta', given=p')))",
         "The mean of e_Y given p is r, so the gap p − r is the mean of the residual δ = p − e_Y given p."),
    Step("E(k(p, p) * inner(delta, delta))",
         "A label times itself: its noise is squared instead of averaged away. So an error with labels in place of frequencies comes out too large.", printed="a tempting shortcut: one draw instead of two"),
    Step("E(k(p, p') * inner(delta, delta'))",
         "Tower rule: given p and p' the labels are independent, so a product of means is a mean of products. No r is left."),
    world=lambda rng: random_world(rng, n_kinds=6), letters=population, write=1,
    ask="Write the whole line again, without r and r'. Which means, given p and given p', can stand in their place?",
    slips=(("E(k(p, p') * inner(E(delta, given=p), E(delta, given=p)))",
            "The second draw is lost: its residual has a prime."),
           ("E(k(p, p') * inner(E(delta, given=p), E(delta', given=p)))",
            "The mean of δ' is one given p'. Given p alone it averages over all second predictions."),
           ("E(k(p, p')) * inner(E(delta), E(delta'))",
            "The mean of a product is not the product of the means: k depends on the predictions, too."),
           ("E(k(p, p') * inner(p - r, p' - r))", "The second draw has its own frequencies: r'.")))
