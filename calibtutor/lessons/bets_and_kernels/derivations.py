"""Derivations of the lesson bets_and_kernels."""

import numpy as np
from scipy.linalg import eigh

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ..shared import kce_atoms as kit
from ..shared.kce_atoms import weighted_gap
from ..shared.letters import features, population


def _rbf(p, q):
    """A Gaussian kernel of bandwidth 1/2."""
    return np.exp(-2 * ((p - q) ** 2).sum(axis=-1))


def _searched_payoff(w):
    """Largest squared payoff over b = Σ_a k(·, p_a) β_a, as a generalised Rayleigh quotient of payoff² and ‖b‖².

    The payoff is ⟨K g, β⟩ and the norm β'Kβ, K the Gram matrix and g the weighted gaps, class by class; in the
    eigenbasis of K the ratio is a sum of squares over the eigenvalues.
    """
    gram = _rbf(w.predictions[:, None], w.predictions[None])
    values, vectors = np.linalg.eigh(gram)
    keep = values > 1e-12 * values.max()  # two kinds share a prediction, so K is singular
    payoff = (vectors.T @ gram @ weighted_gap(w))[keep]
    return (payoff**2 / values[keep, None]).sum()


supremum = Derivation(
    title="An opponent in the unit ball of an RKHS",
    claim="The square of the largest payoff over bets b with ‖b‖ ≤ 1 is a mean over pairs, with labels in place of r.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=lambda w: population(w, k=_rbf),
    steps=(
        Step(r"(\,\sup_{\|b\| \leq 1}\ \mathbb{E}\langle r - p,\, b(p)\rangle\,)^2",
             "The best payoff squared, computed as the largest ratio of payoff² to ‖b‖² over all bets Σₐ k(·, pₐ) βₐ.",
             _searched_payoff),
        Step("E(inner(r - p, s(p) / N))**2; s(q) = E(k(q, p) * (r - p)); N = sqrt(E(inner(r - p, s(p))))",
             "Reproducing property: the payoff is the inner product of b with s. At b = s/N, where N is ‖s‖, it is largest (Cauchy–Schwarz)."),
        Step("E(k(p, p') * inner(r - p, r' - p'))",
             "‖s‖² written out; a prime marks an independent second draw."),
        Step("E(k(p, p) * inner(e_Y - p, e_Y' - p'))",
             "For this kernel k(p, p) = 1, so this is the squared length of the overall gap: what the best constant bet earns, squared.", printed="Widmann et al.'s poster, eq. 2, as printed (errata P1)"),
        Step("E(k(p, p') * inner(e_Y - p, e_Y' - p'))",
             "Given p and p', the means of the unit vectors are r and r': labels stand in for them, and r is gone."),
    ),
)  # fmt: skip


def _world_and_function(rng):
    """A finite world, and a function b = Σ_c k(·, z_c) β_c with ‖b‖ = 1 whose centres z_c are no predictions."""
    world = random_world(rng, n_kinds=5, shared=False)
    centres, beta = rng.dirichlet(np.ones(3), 4), rng.normal(size=(4, 3))
    beta /= np.sqrt((kit.pairwise(kit.laplace, centres) * (beta @ beta.T)).sum())
    return {"world": world, "centres": centres, "beta": beta}


def _searched(w):
    """The root of the largest payoff²/‖b‖² over all b = Σ_a k(·, p_a) β_a: a generalised eigenvalue problem."""
    gram = kit.pairwise(kit.laplace, w["world"].predictions)
    slope = (gram @ kit.weighted_gap(w["world"])).ravel()  # the payoff is ⟨slope, β⟩
    return np.sqrt(eigh(np.outer(slope, slope), np.kron(gram, np.eye(3)), eigvals_only=True)[-1])


def _bets(w):
    """A population, φ at its predictions and at the centres of b, and b with its coordinates B."""
    points = np.vstack([w["world"].predictions, w["centres"]])
    phi = features(kit.laplace, points)
    b = lambda p: kit.laplace(p[..., None, :], w["centres"]) @ w["beta"]
    return population(w["world"], phi=phi, b=b, B=phi(w["centres"]).T @ w["beta"])


supremum = Derivation(
    title="From a supremum to a norm",
    claim="The supremum over the unit ball of an RKHS is the norm of the mean embedding, and one function attains it.",
    world=_world_and_function,
    letters=_bets,
    steps=(
        Step("E(inner(r - p, b(p)))",
             "What one bet b with ‖b‖ = 1 earns: the mean product of the gap r − p with b(p). This b is a random one."),
        Step("inner(s, B); s = E(outer(phi(p), r - p))",
             "Reproducing property: ⟨v, b(p)⟩ is the inner product of b with φ(p) ⊗ v = k(·, p) v, and a mean goes inside an inner product. B is b in coordinates: b(p) = Bᵀφ(p)."),
        Step("norm(s)",
             "Cauchy–Schwarz: ⟨s, b⟩ ≤ ‖s‖‖b‖, and ‖b‖ = 1. The right-hand side no longer depends on b.", relation="<="),
        Step("E(inner(r - p, s.T @ phi(p)))",
             "The function s(p) = sᵀφ(p) itself is not in the unit ball, unless ‖s‖ happens to be 1: this is ‖s‖².", printed="the maximiser in Vashistha & Farahi's Prop. A.9, as printed (errata K29)"),
        Step("E(inner(r - p, s.T @ phi(p) / norm(s)))",
             "The witness s/‖s‖ is in the unit ball and attains the bound, so the bound is the supremum."),
        Step(r"\mathrm{KCE} = \sup_{\|b\| \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle",
             "The same by search: the largest ratio of E⟨r − p, b(p)⟩² to ‖b‖² over all functions Σ_a k(·, p_a) β_a.",
             _searched),
        Step("sqrt(E(k(p, p') * inner(r - p, r' - p')))",
             "‖s‖² = ⟨s, s⟩: a mean over two independent draws, since ⟨φ(p), φ(p')⟩ = k(p, p')."),
    ),
    tolerance=1e-10,
)  # fmt: skip
no_frequencies = Derivation(
    title="Why r need not be estimated",
    claim="Labels of two independent draws can stand in for the unknown frequencies r(p) and r(p').",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=population,
    write=1,
    slips=(
        ("E(k(p, p') * inner(E(delta, given=p), E(delta, given=p)))",
         "the second draw is lost: its residual has a prime"),
        ("E(k(p, p')) * inner(E(delta), E(delta'))",
         "k depends on the predictions: the mean of the product is not the product of the means"),
    ),
    steps=(
        Step("E(k(p, p') * inner(p - r, p' - r'))",
             "The SKCE with the frequencies r = P(Y | p), which nobody knows outside a finite world."),
        Step("E(k(p, p') * inner(E(delta, given=p), E(delta', given=p')))",
             "The mean of e_Y given p is r, so the gap p − r is the mean of the residual δ = p − e_Y given p."),
        Step("E(k(p, p) * inner(delta, delta))",
             "A label times itself: its noise is squared instead of averaged away. This is why a plug-in error is biased upwards.", printed="a tempting shortcut: one draw instead of two"),
        Step("E(k(p, p') * inner(delta, delta'))",
             "Tower rule: given p and p' the labels are independent, so a product of means is a mean of products. No r is left."),
    ),
)  # fmt: skip
