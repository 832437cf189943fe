"""Two classes, bets between −1 and 1, the noise of a bin, two ridge regressions, whom a measure rewards."""

from itertools import product

import numpy as np

from ...data.worlds import random_world
from ...door.predictions import residuals
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared.label_vectors import bin_of_labels, label_vectors
from ..shared.letters import population
from ..shared.ridge_rows import LAMBDA, features, gram, near, small, solved, targets

factor_two = Derivation("Two classes, one number",
    "For two classes the canonical squared error, from the probability of the second class alone.",
    Step("E(norm2(p - r))", "Canonical: p = (1 − p₁, p₁) and r = (1 − r₁, r₁)."),
    Step("E((p[1] - r[1])**2)",
         "One number says it all, but both entries of the vector are wrong by it.", printed="the reading that Gruber & Bach's text suggests (errata G21)"),
    Step("2 * E((p[1] - r[1])**2)", "(1 − p₁) − (1 − r₁) = −(p₁ − r₁): both entries err by the same amount."),
    world=lambda rng: random_world(rng, n_kinds=5, n_classes=2), letters=population)


def _best_corner(w):
    """Every vector of signs is tried as b(p) at every prediction p."""
    corners = np.array(list(product([-1.0, 1.0], repeat=w.n_classes)))
    gap = w.weights[:, None] * (w.frequencies - w.predictions)  # of each prediction, with its mass
    return (gap @ corners.T).max(axis=1).sum()


bounded_opponent = Derivation("What a bounded opponent earns",
    "Over all bets with |bₖ(p)| ≤ 1 the largest payoff is a canonical error.",
    Step(r"\sup_{|b_k| \leq 1}\ \mathbb{E}\,\langle p - r,\, b(p)\rangle",
         "Brute force: at every prediction all 2ᵈ corners of the cube are tried.", _best_corner),
    Step("E(inner(p - r, (p - r) / norm(p - r)))",
         "Along the miss is best under ‖b(p)‖₂ ≤ 1, a smaller class: it earns E‖p − r‖₂.", printed="a common mix-up of the two norms"),
    Step("E(inner(p - r, sign(p - r)))",
         "Each prediction and class pays by itself, most at the sign of its miss: E‖p − r‖₁, the canonical error with norm 1."),
    world=lambda rng: random_world(rng, n_kinds=6), letters=population)


debiasing = Derivation("Taking the noise away again",
    "acc_m(1 − acc_m)/(n_m − 1) is an unbiased estimate of Var(acc_m) when all labels of the bin have one frequency r.",
    Step("E((conf_m - acc_m)**2 - acc_m*(1 - acc_m)/(n_m - 1)); acc_m = mean(y[i] for i in rows)",
         "The debiased square of Kumar et al. (2019), averaged over all label vectors."),
    Step("E((conf_m - acc_m)**2) - r*(1 - r)/n_m",
         "E[acc_m(1 − acc_m)] = r(1 − r)(n_m − 1)/n_m: a sample varies a little less around its own mean than around r."),
    Step("E((conf_m - acc_m)**2 - acc_m*(1 - acc_m)/n_m)",
         "With n_m in place of n_m − 1 some noise stays.", printed="a common slip"),
    Step("(conf_m - r)**2",
         "E (conf_m − acc_m)² is (conf_m − r)² plus the variance of acc_m, r(1 − r)/n_m, as in notebook 02: on average the noise is gone. (A result may be negative.)"),
    world=lambda rng: {"c": rng.random(5), "r": np.full(5, rng.random())},
    letters=lambda w: bin_of_labels(w, r=w["r"][0]), start=1, write=1,
    slips=(
        ("E((conf_m - acc_m)**2) - r*(1 - r)", "That is the variance of one label: a mean of n_m labels varies less."),
        ("E((conf_m - acc_m)**2) - r*(1 - r)/(n_m - 1)",
         "The n_m − 1 goes: on average acc_m(1 − acc_m) is less than r(1 − r)."),
        ("E((conf_m - acc_m)**2)", "The mean of what is taken off is missing.")))


def _looked_at(w):
    """Data to fit on, and any two of four other predictions q and t."""
    root, phi = features(w)
    known = {"n": 5, "lam": LAMBDA, "K": gram(w), "Delta": residuals(w["y"], w["p"]), "Phi": root, "I": np.eye(5)}
    return Letters(known=known | {"k": near(w), "phi": phi, "q": along("q", w["p2"]), "t": along("t", w["p2"])})


plug_in = Derivation("Two steps: regress, then multiply",
    "ukkr is the ridge regression of the residual on the prediction, put into the inner product (eq. 32).",
    Step("inner(g_hat(q), g_hat(t)); g_hat(x) = Delta.T @ inv(K + lam * n * I) @ k(x)",
         "Ridge regression of δ on p, at any two other predictions q and t; the vector k(x) holds k(p_i, x) for all data."),
    Step("phi(q).T @ inv(C + lam * n * I) @ S @ S.T @ inv(C + lam * n * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "C is a mean over the data already: n comes in twice.", printed="a common slip"),
    Step("phi(q).T @ inv(C + lam * I) @ S @ S.T @ inv(C + lam * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "The same with features: Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ, C = ΦᵀΦ/n and S = ΦᵀΔ/n. This is what the package computes."),
    world=small, letters=_looked_at, tolerance=1e-8)


def _without_penalty(w):
    delta = residuals(w["y"], w["p"])
    known = {"n": 5, "K": gram(w), "Delta": delta, "delta": delta, "A": solved(gram(w), 0.0, targets(w))}
    return Letters(known=known | {"I": np.eye(5), "i": along("i", range(5)), "j": along("j", range(5))})


two_ridges = Derivation("When the two ridge regressions agree",
    "At λ = 0, with K invertible, kkr and ukkr both reproduce ⟨δ_i, δ_j⟩ at the data; with a penalty neither does.",
    Step("(K @ A @ K)[i, j]; kron(K, K) @ vec(A) = vec(Delta @ Delta.T)",
         "kkr at λ = 0, at all pairs of training predictions."),
    Step("(K @ B @ B.T @ K)[i, j]; B = inv(K) @ Delta",
         "ukkr at λ = 0: without a penalty both interpolate. (The paper does not say that K must be invertible: errata G28.)"),
    Step("(K @ B @ B.T @ K)[i, j]; B = inv(K + 0.01 * n * I) @ Delta",
         "ukkr at λ = .01: a penalty shrinks, the fit no longer passes through its targets.", printed="“they agree”, carried over to a penalty above 0"),
    Step("inner(delta[i], delta[j])", "The targets themselves."),
    world=small, letters=_without_penalty, tolerance=1e-9)


truthful = Derivation("Nobody expects less than who says the truth",
    "The two-bin error of five events, on average over their labels: p is what is said, r the truth, and K has ones on its diagonal.",
    Step("E(1/n**2 * sum(K[i, j]*(p[i] - y[i])*(p[j] - y[j]) for i in rows for j in rows))",
         "K_ij = 1 − |p_i − p_j| is the share of cuts that leave the two predictions in one bin."),
    Step("1/n**2 * sum(K[i, j]*(p[i] - r[i])*(p[j] - r[j]) for i in rows for j in rows) + 1/n**2 * sum(r[i]*(1 - r[i]) for i in rows)",
         "Labels are independent: the mean of a product is the product of means, but for i = j, where the variance of a label is added, K_ii being 1."),
    Step("1/n**2 * sum(K[i, j]*(p[i] - r[i])*(p[j] - r[j]) for i in rows for j in rows) + 1/n**2 * sum(p[i]*(1 - p[i]) for i in rows)",
         "That would reward who says 0 or 1.", printed="a common slip: the variance of what is said"),
    Step("1/n**2 * sum(r[i]*(1 - r[i]) for i in rows)",
         "The first sum is never negative, since K is the kernel matrix of a kernel, and it is 0 for p = r. The noise that is left is the same whatever is said.", relation=">="),
    world=lambda rng: {"p": rng.random(5), "r": rng.random(5)}, start=1, write=1,
    letters=lambda w: Letters({"s": label_vectors(w["r"])}, w | {"n": 5, "K": 1 - np.abs(w["p"][:, None] - w["p"])},
                              {"rows": 5}),
    slips=(
        ("1/n**2 * sum(K[i, j]*(p[i] - r[i])*(p[j] - r[j]) for i in rows for j in rows)",
         "The variance of the labels is missing: in the pairs i = j a label meets itself."),
        ("1/n**2 * sum(K[i, j]*(p[i] - r[i])*(p[j] - r[j]) for i in rows for j in rows) + 1/n * sum(r[i]*(1 - r[i]) for i in rows)",
         "The second sum is too large: its n pairs i = j are divided by n², too.")))
