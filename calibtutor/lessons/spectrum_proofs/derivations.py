"""Derivations: SKCE without noise, ukkr, kkr and the whole family as sums over the eigendirections of C."""

import numpy as np

from ...estimates.risk import fit_kkr, fit_ukkr
from ...teach.derive import Derivation, Step
from ...teach.expressions import along
from ..shared.ckce_atoms import KERNEL, kernel_of, lambda_is, six_rows
from ..shared.ridge_rows import solved
from ..shared.spectral_letters import spectral

unbiased_spectral = Derivation("SKCE_uq: the same, less the noise",
    "The unbiased SKCE, which is also JKCE if labels are compared by 1 if equal and else 0, is a sum over the same directions, each less its noise.",
    Step("SKCE_uq = mean(k(p[i], p[j]) * inner(delta[i], delta[j]) for i in rows for j in rows if i != j)",
         "This is skce(y_true, y_prob): n = 6 rows with residuals δ = p − e_y, no row paired with itself."),
    Step("1/(n*(n - 1)) * (n**2 * norm2(S) - sum(k(p[i], p[i]) * norm2(delta[i]) for i in rows)); S = 1/n * Phi.T @ Delta",
         "S = ΦᵀΔ/n. All n² pairs make n²‖S‖²; the n pairs i = j are taken off."),
    Step("norm2(S) - 1/n**2 * sum(k(p[i], p[i]) * norm2(delta[i]) for i in rows)",
         "The pairs are gone from the sum but not from the count: n(n − 1) are left.", printed="a common slip: still divided by n²"),
    Step("norm2(S) - 1/n * tr(Sigma); Sigma = 1/(n - 1) * sum(outer(x[i] - x_bar, x[i] - x_bar) for i in rows); x_bar = vec(S); x[i] = vec(outer(phi(p[i]), delta[i]))",
         "S is the mean x̄ of the n vectors x_i = φ_i ⊗ δ_i, and Σ their sample covariance, with its n − 1. A squared mean is too large by the variance of the mean."),
    Step("sum(norm2(s[j]) - 1/n * V[j] for j in directions); C = 1/n * Phi.T @ Phi; C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S; V[j] = 1/(n - 1) * sum(norm2(inner(v[j], phi(p[i])) * delta[i] - s[j]) for i in rows)",
         "s_j is the mean of ⟨v_j, φ(p_i)⟩δ_i, for the eigenvectors v_j of C = ΦᵀΦ/n, and V_j their summed sample variance. Noise can win: the sum may be negative."),
    world=six_rows, letters=spectral, write=1, tolerance=1e-11,
    slips=(("1/(n*(n - 1)) * (norm2(S) - sum(k(p[i], p[i]) * norm2(delta[i]) for i in rows))",
            "The factor n² is missing: S is a mean, so all n² pairs make n²‖S‖²."),
           ("norm2(S)", "The pairs i = j are still in it.")))


def _train_and_test(rng):
    """A sample to fit on and five other predictions to look at."""
    return {"fit": six_rows(rng), "p2": rng.dirichlet(np.ones(3), 5)}


ukkr_spectral = Derivation("ukkr: the mean square of the same regression",
    "The mean of ukkr's h(p, p) over a test set, an estimate of CCE² (eq. 32 of Gruber & Bach), needs only small matrices too.",
    Step(r"\frac{1}{m}\sum_i h_{ukkr}(q_i,\, q_i)", "This is fit_ukkr(y_true, y_prob).diagonal(test).mean(): fitted on n = 6 rows, looked at on m = 5 other predictions q_i.",
         lambda w: fit_ukkr(w["fit"].y, w["fit"].p, kernel=KERNEL, regularization=w["fit"].lam).diagonal(w["p2"]).mean()),
    Step("1/m * sum(norm2(g_hat(q[i])) for i in tests); g_hat(t) = Delta.T @ inv(K + lam * n * I) @ k(t)",
         "Eq. 32: ĝ is the ridge regression of the residual δ on p; k(t) holds the kernel values of t with the six rows, K those of the rows with one another."),
    Step("norm2(C**(1/2) @ inv(C + lam * I) @ S); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "C = ΦᵀΦ/n and S = ΦᵀΔ/n belong to the training set: the mean of h over the data it was fitted on.", printed="its value in sample, taken for the one on test data"),
    Step("tr(B.T @ C_te @ B); B = inv(C + lam * I) @ S; C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta; C_te = 1/m * sum(outer(phi(q[i]), phi(q[i])) for i in tests)",
         "ĝ(p) = Bᵀφ(p), since Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ, and ‖Bᵀφ‖² = Tr(Bᵀ φ φᵀ B)."),
    Step("norm2(C_te**(1/2) @ inv(C + lam * I) @ S)",
         "The root of a symmetric matrix. CKCE is the same without C_te: how long ĝ is, not how large it is on average."),
    world=_train_and_test, describe=lambda w: lambda_is(w["fit"]), tolerance=1e-9,
    letters=lambda w: spectral(w["fit"], m=5, q=w["p2"], k=lambda t: kernel_of(t[..., None, :], w["fit"].p)))


one_family = Derivation("One family with three dials",
    "E(a, b, λ) = ‖Cᵃ(C + λI)⁻ᵇS‖² only re-weights eigendirections. SKCE_b is (0, 0), CKCE is (0, 1), ukkr's CCE² in sample is (½, 1).",
    Step("norm2(C**a @ (C + lam * I)**(-b) @ S); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "n = 6 rows: features φ(p_i) in Φ, residuals δ = p − e_y in Δ. A power of a symmetric matrix is the power of its eigenvalues; a and b lie anywhere from 0 to 1."),
    Step("sum(mu[j]**(2*a) * (mu[j] + lam)**(-2*b) * norm2(s[j]) for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
         "All these matrices have the eigenvectors v_j of C. The data enter through μ_j and ‖s_j‖², the choice of an error through the weights."),
    Step("1/n * tr(Delta.T @ f(1/n * K) @ Delta); f(t) = t**(2*a) @ (t + lam * I)**(-2*b)",
         "S = ΦᵀΔ/n brings two more Φ with it.", printed="a common slip: one power of K too few"),
    Step("1/n * tr(Delta.T @ f(1/n * K) @ Delta); f(t) = t**(2*a + 1) @ (t + lam * I)**(-2*b)",
         "For any power Φ(ΦᵀΦ)ᵐΦᵀ = (ΦΦᵀ)ᵐ⁺¹. So no features are needed, the kernel matrix K = ΦΦᵀ will do."),
    Step("sum(mu[j]**(2*a + 1) * (mu[j] + lam)**(-2*b) * norm2(c[j]) for j in directions); c[j] = 1/n * sum(inner(v[j], phi(p[i])) / sqrt(mu[j]) * delta[i] for i in rows)",
         "c_j = s_j/√μ_j is the mean of δ times a function of mean square 1 on the sample. At λ = 0 the weights are μ_j for SKCE_b, 1 for CCE² and 1/μ_j for CKCE."),
    world=lambda rng: {"fit": six_rows(rng), "a": rng.uniform(0, 1), "b": rng.uniform(0, 1)},
    letters=lambda w: spectral(w["fit"], a=w["a"], b=w["b"]),
    describe=lambda w: f"a = {w['a']:.2f}, b = {w['b']:.2f}, {lambda_is(w['fit'])}", tolerance=1e-10)


def paired(s, **more):
    """A sample, and the solutions A and M of the two systems."""
    A, M = solved(s.K, s.lam * s.n**2, s.delta @ s.delta.T), solved(s.C, s.lam, s.S @ s.S.T)
    return spectral(s, A=A, M=M, **more)


kkr_spectral = Derivation("kkr in the basis of C",
    "Kronecker kernel ridge regression (eqs. 28–29 of Gruber & Bach) divides SSᵀ, in the basis of C, entry by entry.",
    Step("h_kkr(q, t) = sum(k(q, p[i]) * A[i, j] * k(p[j], t) for i in rows for j in rows); kron(K, K) @ vec(A) + lam * n**2 * vec(A) = vec(Delta @ Delta.T)",
         "Eq. 28 at all pairs of five test predictions: ridge regression of the products ⟨δ_i, δ_j⟩ on pairs of rows, (K ⊗ K + λn²I) vec A = vec ΔΔᵀ. With n = 6 that is 36 equations."),
    Step("phi(q).T @ M @ phi(t); C @ M @ C + lam * M = S @ S.T; C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "The inverse changes sides once more, with K ⊗ K = (Φ ⊗ Φ)(Φ ⊗ Φ)ᵀ: the features of a pair are products, their C is C ⊗ C and their S is vec SSᵀ; C = ΦᵀΦ/n, S = ΦᵀΔ/n."),
    Step("sum(inner(v[i], phi(q)) * inner(s[i], s[j]) * inner(v[j], phi(t)) / ((mu[i] + lam) * (mu[j] + lam)) for i in directions for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
         "C = V diag(μ) Vᵀ. One penalty for each of two regressions: that is ukkr. kkr pays once for the pair.", printed="ukkr's matrix, taken for kkr's"),
    Step("sum(inner(v[i], phi(q)) * inner(s[i], s[j]) * inner(v[j], phi(t)) / (mu[i] * mu[j] + lam) for i in directions for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
         "In the basis v_j the equation reads μ_i M_ij μ_j + λ M_ij = ⟨s_i, s_j⟩, one entry at a time."),
    Step(r"\mathrm{fit\_kkr(y\_true,\ y\_prob)(q,\ t)}", "The package computes it so: one eigendecomposition serves every λ.",
         lambda w: fit_kkr(w["fit"].y, w["fit"].p, kernel=KERNEL, regularization=w["fit"].lam)(w["p2"])),
    world=_train_and_test, letters=lambda w: paired(w["fit"], q=along("q", w["p2"]), t=along("t", w["p2"])),
    describe=lambda w: lambda_is(w["fit"]), tolerance=1e-8)


kkr_in_sample = Derivation("On its own data kkr has a spectrum too",
    "The mean of kkr's h(p, p) over the rows it was fitted on is a weighted sum of ‖s_j‖², never negative.",
    Step("1/n * sum(h_kkr(p[i], p[i]) for i in rows); h_kkr(q, t) = sum(k(q, p[i]) * A[i, j] * k(p[j], t) for i in rows for j in rows); kron(K, K) @ vec(A) + lam * n**2 * vec(A) = vec(Delta @ Delta.T)",
         "This is fit_kkr(y_true, y_prob).diagonal(y_prob).mean(), with a penalty λ."),
    Step("tr(C @ M); C @ M @ C + lam * M = S @ S.T; C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "h(p, p) = φ(p)ᵀM φ(p), and C = ΦᵀΦ/n is the mean of φφᵀ; S = ΦᵀΔ/n."),
    Step("sum(mu[j] * norm2(s[j]) / (mu[j] + lam)**2 for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
         "The value of ukkr, ‖√C (C + λI)⁻¹S‖².", printed="ukkr's weights, taken for kkr's"),
    Step("sum(mu[j] * norm2(s[j]) / (mu[j]**2 + lam) for j in directions); C @ v[j] = mu[j] * v[j]; s[j] = v[j].T @ S",
         "C is diagonal in its own basis, so only the entries M_jj = ‖s_j‖²/(μ_j² + λ) meet it. In a single h(p, p) the entries off the diagonal count: it can be negative, even here (errata G22)."),
    Step("sum(norm2(s[j]) / mu[j] for j in directions)",
         "The limit λ → 0, where kkr and ukkr agree. A penalty only takes away.", relation="<="),
    world=six_rows, letters=paired, describe=lambda_is, tolerance=1e-8)
