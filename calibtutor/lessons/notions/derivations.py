"""Derivations of notebook 01: Murphy's decomposition, weaker notions, and errors as suprema."""

from itertools import product

import numpy as np

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ..shared.kce_atoms import weighted_gap
from ..shared.letters import population

murphy = Derivation(
    title="Murphy's decomposition",
    claim="Brier score = calibration error − sharpness + chance.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=population,
    write=2,
    slips=(
        ("E(norm2(p - r)) - E(norm2(r - e_Y))",
         "the two parts are added: they are squares of legs of a right angle"),
        ("norm2(E(p - r)) + E(norm2(r - e_Y))",
         "the mean is taken before the square"),
        ("E(norm2(p - r))",
         "something is paid even if p = r, and it is missing"),
        ("E(norm2(p - r)) + E(norm2(r - r_bar))",
         "the label is e_Y; r̄ is the mean of all labels"),
    ),
    steps=(
        Step("E(norm2(p - e_Y))", "The Brier score of the predictions p = f(X); a label counts as its unit vector."),
        Step("E(norm2(p - r)) + 2 * E(inner(p - r, r - e_Y)) + E(norm2(r - e_Y))",
             "Add and subtract r = r(p) = P(Y | f(X) = p), and expand the square."),
        Step("E(norm2(p - r)) + E(norm2(r - e_Y))", "Given p, the mean of the label's unit vector is r, and p − r is fixed: look at the middle term."),
        Step("E(norm2(p - r)) - E(norm2(r - r_bar)) + norm2(r_bar)",
             "The last term has lost its “1 −”: this line is off by 1 − 2‖r̄‖².",
             printed="Gruber & Bach, eq. 5, as printed (errata G17)"),
        Step("E(norm2(p - r)) - E(norm2(r - r_bar)) + 1 - norm2(r_bar)",
             "E‖r − e_Y‖² = 1 − E‖r‖², for e_Y has length 1 and mean r; and E‖r‖² = E‖r − r̄‖² + ‖r̄‖² (Pythagoras). Chance is 1 − ‖r̄‖²."),
    ),
)  # fmt: skip


factor_two = Derivation(
    title="Two classes, one number",
    claim="For two classes the canonical squared error, from the probability of the second class alone.",
    world=lambda rng: random_world(rng, n_kinds=5, n_classes=2),
    letters=population,
    steps=(
        Step("E(norm2(p - r))",
             "Canonical: p = (1 − p₁, p₁) and r = (1 − r₁, r₁)."),
        Step("E((p[1] - r[1])**2)",
             "One number says it all, but both entries of the vector are wrong by it.", printed="the reading that Gruber & Bach's text suggests (errata G21)"),
        Step("2 * E((p[1] - r[1])**2)",
             "(1 − p₁) − (1 − r₁) = −(p₁ − r₁): both entries err by the same amount."),
    ),
)  # fmt: skip


def _world_with_shared_confidence(rng):
    """Permuted predictions share their largest entry, so that conditioning on it alone forgets something."""
    world = random_world(rng, n_kinds=6)
    predictions = world.predictions.copy()
    predictions[2], predictions[3] = predictions[0][[1, 2, 0]], predictions[4][[2, 0, 1]]
    return type(world)(world.weights, predictions, world.conditionals)


weaker_notion = Derivation(
    title="Why top-label calibration is weaker",
    claim="The squared error of the top label is at most the canonical one.",
    world=_world_with_shared_confidence,
    letters=population,
    start=2,
    write=3,
    slips=(
        ("E(p[k_star] - r[k_star])**2",
         "the mean over the predictions is taken before the square"),
    ),
    steps=(
        Step("E((c - P(Y == k_star, given=c))**2); c = max(p[k] for k in classes); k_star = argmax(p[k] for k in classes)",
             "Top label: confidence c = max pₖ at k* = argmax pₖ, conditioned on the number c alone."),
        Step("E((p[k_star] - r[k_star])**2)",
             "c is p at k*, but P(Y = k* | c) is not r at k*: predictions that share a confidence may have different r.", printed="a common slip"),
        Step("E(E(p[k_star] - r[k_star], given=c)**2)",
             "Tower rule: P(Y = k* | c) is the mean of r at k* over all predictions with that confidence. The square of a mean "
             "is at most the mean of the squares (Jensen), the other line."),
        Step("E(norm2(p - r))",
             "Jensen, and then one squared entry is at most the squared length of the vector: the canonical error.", relation="<="),
    ),
)  # fmt: skip


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


def _best_corner(w):
    """Every vector of signs is tried as b(p) at every prediction p, which several kinds may share."""
    corners = np.array(list(product([-1.0, 1.0], repeat=w.n_classes)))
    groups = {}
    for p, gap in zip(w.predictions.round(12), weighted_gap(w), strict=True):
        groups[tuple(p)] = groups.get(tuple(p), 0) + gap
    return sum((corners @ gap).max() for gap in groups.values())


bounded_opponent = Derivation(
    title="What a bounded opponent earns",
    claim="Over all bets with |bₖ(p)| ≤ 1 the largest payoff is a canonical error.",
    world=lambda rng: random_world(rng, n_kinds=6),
    letters=population,
    steps=(
        Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle r - p,\, b(p)\rangle",
             "Brute force: at every prediction all 2^d corners of the cube are tried.", _best_corner),
        Step("E(inner(r - p, (r - p) / norm(r - p)))",
             "Along the gap is best under ‖b(p)‖₂ ≤ 1, a smaller class: it earns E‖r − p‖₂.", printed="a common mix-up of the two norms"),
        Step("E(inner(r - p, sign(r - p)))",
             "Each prediction and class pays by itself, most at the sign of its gap: E‖r − p‖₁, the canonical error with norm 1."),
    ),
)  # fmt: skip
