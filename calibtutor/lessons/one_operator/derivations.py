"""The derivation of the CKCE along the eigendirections of C."""

from ...teach.derive import Derivation, Step
from ..shared.ckce_atoms import lambda_is, six_rows
from ..shared.spectral_letters import spectral

ckce_spectral = Derivation("CKCE along the eigendirections",
    "CKCE weighs ‖s_j‖² by a falling function of μ_j: an error along a direction v_j weighs more if v_jᵀφ(p) has a small mean square.",
    Step("norm2(inv(C + lam * I) @ S); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "Eq. 9: the squared length of the ridge regression G, with features as rows of Φ and n = 6 residuals δ = p − e_y in Δ."),
    Step("sum(norm2(s[j]) / (mu[j] + lam)**2 for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
         "Along v_j the inverse divides the part s_j by μ_j + λ, and the norm squares it."),
    Step("sum(norm2(c[j]) / (mu[j] + lam)**2 for j in directions); c[j] = 1/n * sum(inner(v[j], phi(p[i])) / sqrt(mu[j]) * delta[i] for i in rows)",
         "s_j = √μ_j c_j, so that each square brings a μ_j.", printed="a common slip: μ_j lost on the way from s_j to c_j"),
    Step("sum(mu[j] * norm2(c[j]) / (mu[j] + lam)**2 for j in directions); c[j] = 1/n * sum(inner(v[j], phi(p[i])) / sqrt(mu[j]) * delta[i] for i in rows)",
         "c_j is the mean of δ weighted by v_jᵀφ(p)/√μ_j, a function whose mean square is 1 on the sample. Rare directions win down to μ_j = λ; below, they fade."),
    world=six_rows, letters=spectral, describe=lambda_is, write=1, tolerance=1e-10,
    slips=(
        ("sum(norm2(s[j]) / (mu[j] + lam) for j in directions)",
         "The inverse is used once, and a squared norm uses it twice: that is ⟨S, (C + λI)⁻¹S⟩."),
        ("sum(norm2(s[j]) / (mu[j]**2 + lam) for j in directions)", "The square comes too early: λ is added to the eigenvalue first."),
        ("sum(norm2(s[j]) / mu[j]**2 for j in directions)", "The penalty λ is missing."),
        ("sum(norm2(s[j]) for j in directions)", "That is SKCE: the inverse is missing."),
        ("sum(mu[j] * norm2(s[j]) / (mu[j] + lam)**2 for j in directions)",
         "That is CCE²: its √C brings the factor μ_j, and CKCE has none.")))
