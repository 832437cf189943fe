"""The CKCE: one regression of residuals, and eq. 7 with the kernel that compares labels by 1 or 0."""

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared import ckce_atoms as kit


def _regressions(w):
    """Features and residuals as rows of Φ and Δ; e_Y of the observed labels and of all drawn ones."""
    mass, z = kit.drawn_labels(w)
    known = {"n": w.n, "lam": w.lam, "Phi": w.phi, "Delta": w.delta, "I": np.eye(5), "I_n": np.eye(w.n), "A": np.eye(5, 3),
             "e_Y": kit.one_hot(w.y)}
    return Letters({"Z": (mass, {"e_Z": kit.one_hot(z)})}, known)


ridge_is_cmo = Derivation("One regression, of residuals",
    "Eq. 4 estimates the mean label given p, of observed labels Y and of labels Z drawn from p. The difference of the two is one ridge regression, of the residual δ = p − e_Y on features φ(p).",
    Step("E_Z(G_Z) - G_Y; G_Y = 1/n * inv(C + lam * I) @ Phi.T @ e_Y; G_Z = 1/n * inv(C + lam * I) @ Phi.T @ e_Z; C = 1/n * Phi.T @ Phi",
         "n = 9 rows, five features φ(p_i), the rows of Φ. G_Y is the ridge regression of the observed labels, whose unit vectors are the rows of e_Y, and G_Z that of labels Z_i drawn from p_i: its mean, over all 3⁹ label vectors Z, each with its probability."),
    Step("A - G_Y; Phi @ A = E_Z(e_Z); G_Y = 1/n * inv(C + lam * I) @ Phi.T @ e_Y; C = 1/n * Phi.T @ Phi",
         "φ(p) begins with p itself, and A picks it out, Aᵀφ(p) = p: the mean of e_Z given p, without any regression. But a penalty shrinks both.", printed="a tempting thought: the mean of e_Z given p is known, so only Y is regressed"),
    Step("inv(C + lam * I) @ S; C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
         "Ridge regression is linear in its target. As e_Z has the mean p, the mean of G_Z is the regression of p; minus G_Y it is that of δ = p − e_Y, whose rows are in Δ."),
    world=kit.fourier_rows, letters=_regressions, describe=kit.lambda_is, tolerance=1e-10)


def _labelled(w):
    known = {"n": w.n, "lam": w.lam, "K": w.K, "I": np.eye(w.n), "Phi": w.phi, "Delta": w.delta, "p": w.p, "y": w.y}
    return Letters(known=known | {"k": kit.kernel_of}, sets={"rows": w.n})


kronecker_labels = Derivation("With labels that are equal or not, only residuals are left",
    "For the label kernel l(y, y') = 1[y = y'] the four terms of eq. 7 are ΔΔᵀ, where Δ holds the residuals δ = p − e_y as rows.",
    Step("sum((W @ K @ W)[i, j] * (inner(p[i], p[j]) + ind(y[i] == y[j]) - p[i][y[j]] - p[j][y[i]]) for i in rows for j in rows); W = inv(K + lam * n * I)",
         "Eq. 7 with K_ij = k(p_i, p_j), n = 6. Two labels drawn from p_i and p_j agree with probability ⟨p_i, p_j⟩, one from p_i and y_j with p_i[y_j]. So the bracket is: Z with Z', plus Y with Y', minus Z with Y', minus Z' with Y."),
    Step("tr(W @ Delta @ Delta.T @ W @ K)",
         "1[y = y'] = ⟨e_y, e_y'⟩ and p[y] = ⟨p, e_y⟩: the bracket is an entry of ΔΔᵀ. The double sum is then a trace."),
    Step("1/n * sum(norm2(g_hat(p[i])) for i in rows); g_hat(q) = sum((W @ Delta)[j] * k(q, p[j]) for j in rows)",
         "The mean square of the same fitted residuals. That is the diagonal of ukkr's h, another norm.", printed="a mix-up of two norms of one regression"),
    Step("tr(alpha.T @ K @ alpha) = norm2(Phi.T @ alpha); alpha = W @ Delta",
         "Class by class: αᵀKα is the squared norm of ĝ = Σ_j α_j k(·, p_j) in the RKHS H of k; the rows of Φ are features φ(p_j), in which ĝ is Φᵀα. CKCE is how long the regression of δ on p is."),
    world=kit.six_rows, letters=_labelled, describe=kit.lambda_is, write=1, tolerance=1e-10,
    slips=(
        ("tr(Delta @ Delta.T @ W @ K)", "One W is missing: line 1 has one on each side of K."),
        ("tr(W @ Delta @ Delta.T @ W)", "The kernel is missing: K compares the rows."),
        ("1/n * norm2(K @ W @ Delta)", "That is the mean square of the fitted residuals. The squared norm of the fit is another one: K stands in it once.")))
