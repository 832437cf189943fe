"""Derivations: the CKCE along the eigendirections of C, and the penalty at which two models change places."""

import numpy as np
from scipy.optimize import brentq

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared.ckce_atoms import lambda_is, six_rows, squared
from ..shared.spectral_letters import spectral

ckce_spectral = Derivation(
    title="CKCE along the eigendirections",
    claim="CKCE weighs ‖s_j‖² by a falling function of μ_j: an error along a direction in which predictions have a small mean square weighs more.",
    world=six_rows,
    describe=lambda_is,
    letters=spectral,
    write=1,
    slips=(
        ("sum(norm2(s[j]) / (mu[j] + lam) for j in directions)",
         "the inverse is used once: that is ⟨S, (C + λI)⁻¹S⟩, half-way between SKCE and CKCE"),
        ("sum(norm2(s[j]) / (mu[j]**2 + lam) for j in directions)",
         "λ is added to the eigenvalue before the square"),
        ("sum(norm2(s[j]) / mu[j]**2 for j in directions)",
         "the penalty λ is missing"),
        ("sum(norm2(s[j]) for j in directions)",
         "that is SKCE: the inverse is missing"),
    ),
    steps=(
        Step("norm2(inv(C + lam * I) @ S); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "Eq. 9: the squared length of the ridge regression G, with features as rows of Φ and n = 6 residuals δ = p − e_y in Δ."),
        Step("sum(norm2(s[j]) / (mu[j] + lam)**2 for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
             "In the basis v_j the inverse divides row j of S by μ_j + λ, and the norm squares it."),
        Step("sum(norm2(c[j]) / (mu[j] + lam)**2 for j in directions); c[j] = 1/n * sum(inner(v[j], phi(p[i])) / sqrt(mu[j]) * delta[i] for i in rows)",
             "s_j = √μ_j c_j, so that each square brings a μ_j.", printed="a common slip: μ_j lost on the way from s_j to c_j"),
        Step("sum(mu[j] * norm2(c[j]) / (mu[j] + lam)**2 for j in directions); c[j] = 1/n * sum(inner(v[j], phi(p[i])) / sqrt(mu[j]) * delta[i] for i in rows)",
             "c_j is the mean of δ weighted by v_jᵀφ(p)/√μ_j, a function whose mean square is 1 on the sample. Rare directions win down to μ_j = λ; below, they fade."),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _two_models(rng):
    """Two directions with μ_1 > μ_2; model A errs along the first, model B along the second by less."""
    mu = np.array([rng.uniform(0.3, 0.6), rng.uniform(0.02, 0.1)])
    alpha = rng.uniform(0.1, 0.3)
    ratio = rng.uniform(1.2 * np.sqrt(mu[1] / mu[0]), 0.9)  # √β/√α: both lines that tell where they swap are above 0
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    return {"mu": mu, "alpha": alpha, "beta": ratio**2 * alpha, "C": turn * mu @ turn.T, "turn": turn}


def _swap_by_search(w):
    """The λ at which both models have the same CKCE, with matrices."""
    a, b = np.sqrt(w["alpha"]) * w["turn"][:, 0], np.sqrt(w["beta"]) * w["turn"][:, 1]
    ckce_of = lambda s, lam: squared(np.linalg.solve(w["C"] + lam * np.eye(2), s))
    return brentq(lambda lam: np.log(ckce_of(a, lam) / ckce_of(b, lam)), 0, 1e4, xtol=1e-14, rtol=1e-14)


def swapped(w):
    """C, S of both models, and the λ* that the search finds."""
    s = np.sqrt(w["alpha"]) * w["turn"][:, :1], np.sqrt(w["beta"]) * w["turn"][:, 1:]
    known = {"C": w["C"], "S_A": s[0], "S_B": s[1], "I": np.eye(2), "lam_star": _swap_by_search(w)}
    return Letters(known=known | {"alpha": w["alpha"], "beta": w["beta"], "mu_1": w["mu"][0], "mu_2": w["mu"][1]})


ranking_flips = Derivation(
    title="When two models change places",
    claim="Model A errs along the direction with the larger eigenvalue, B less, and along the other: SKCE_b prefers B, CKCE at a small λ may prefer A.",
    world=_two_models,
    describe=lambda w: f"μ = {w['mu'][0]:.2f} and {w['mu'][1]:.2f}, α = {w['alpha']:.2f}, β = {w['beta']:.3f}",
    letters=swapped,
    steps=(
        Step("lam_star; norm2(inv(C + lam_star * I) @ S_A) = norm2(inv(C + lam_star * I) @ S_B)",
             "C has eigenvalues μ_1 > μ_2. S_A has length √α along the first eigenvector, S_B the smaller √β along the second. Where their CKCEs meet, by search."),
        Step("lam_star; sqrt(alpha) * (mu_2 + lam_star) = sqrt(beta) * (mu_1 + lam_star)",
             "One direction each, so α/(μ_1 + λ)² = β/(μ_2 + λ)². Take roots: an equation that is linear in λ."),
        Step("(beta * mu_1 - alpha * mu_2) / (alpha - beta)",
             "Roots not taken: right for the half-way member ⟨S, (C + λI)⁻¹S⟩, which divides once.", printed="a common slip: the inverse used once"),
        Step("(sqrt(beta) * mu_1 - sqrt(alpha) * mu_2) / (sqrt(alpha) - sqrt(beta))",
             "Below λ* B has the larger CKCE, above it A, as for SKCE_b. If λ* is negative, B is ahead at every λ."),
    ),
    tolerance=1e-9,
)  # fmt: skip
