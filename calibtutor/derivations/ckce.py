"""Derivations of notebook 06, first part: conditional mean operators, their distance, and two ways to compute it."""

from itertools import product

import numpy as np

from ..derive import Derivation, Step
from .ckce_atoms import fourier_rows, lambda_is, one_hot, six_rows, squared

__all__ = ["hilbert_schmidt", "kronecker_labels", "push_through", "ridge_is_cmo", "trace_formula"]


def _matrix_and_bases(rng):
    """A 3 × 4 matrix, an orthonormal basis (columns of U) and four unit vectors that are none (columns of B)."""
    b = rng.normal(size=(4, 4))
    return {"A": rng.normal(size=(3, 4)), "U": np.linalg.qr(rng.normal(size=(4, 4)))[0], "B": b / np.linalg.norm(b, axis=0)}  # fmt: skip


def _lengths(matrix):
    """Sum over columns of their squared lengths."""
    return (np.linalg.norm(matrix, axis=0) ** 2).sum()


hilbert_schmidt = Derivation(
    title="How far apart two operators are",
    claim="The squared Hilbert–Schmidt norm adds up ‖A u_j‖² over an orthonormal basis u_j. Which basis does not matter: it is the trace of AᵀA.",
    world=_matrix_and_bases,
    steps=(
        Step(r"\|A\|_{HS}^2 = \sum_j \|A\,e_j\|^2", "A stands for the difference of two operators, here a 3 × 4 matrix. e_j are the four coordinate directions: what A makes of each, squared and added.",
             lambda w: _lengths(w["A"])),
        Step(r"\sum_j \|A\,u_j\|^2", "Another orthonormal basis u_1, …, u_4, turned at random: rows of A keep their length under a rotation.",
             lambda w: _lengths(w["A"] @ w["U"])),
        Step(r"\sum_j \|A\,b_j\|^2", "Four unit vectors b_j that are not orthogonal: some directions are counted twice.",
             lambda w: _lengths(w["A"] @ w["B"]), printed="a common slip: any unit vectors will do"),
        Step(r"\mathrm{Tr}(A^T A)", "‖A u_j‖² = ⟨u_j, AᵀA u_j⟩, and these are the diagonal entries of AᵀA in that basis.",
             lambda w: np.trace(w["A"].T @ w["A"])),
        Step(r"\sum_m \sigma_m^2", "σ_m are the singular values of A: AᵀA has the eigenvalues σ_m², and a trace is the sum of eigenvalues.",
             lambda w: (np.linalg.svd(w["A"], compute_uv=False) ** 2).sum()),
        Step(r"\max_{\|u\| = 1}\ \|A\,u\|^2 = \sigma_1^2", "The operator norm looks at the worst direction only, so it is never larger.",
             lambda w: np.linalg.norm(w["A"], 2) ** 2, relation=">="),
    ),
)  # fmt: skip


def _fit(w, target):
    """argmin_B (1/n)Σ‖target_i − Bᵀφ_i‖² + λ‖B‖², by a general least-squares routine."""
    system = np.vstack([w.phi / np.sqrt(w.n), np.sqrt(w.lam) * np.eye(w.phi.shape[1])])
    return np.linalg.lstsq(system, np.vstack([target / np.sqrt(w.n), np.zeros((w.phi.shape[1], 3))]), rcond=None)[0]


ridge_is_cmo = Derivation(
    title="A conditional mean operator is a ridge regression",
    claim="The difference of the two operators of eq. 4 is, transposed, the ridge regression of the residual δ = p − e_Y on features φ(p).",
    world=fourier_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{argmin}_B\ \frac{1}{n}\sum_i \|\delta_i - B^T \varphi(p_i)\|^2 + \lambda\,\|B\|_{HS}^2",
             "n = 9 rows, five features, a penalty λ: the entries of B by a general least-squares routine.", lambda w: _fit(w, w.delta)),
        Step(r"(C + \lambda I)^{-1} S,\quad C = \frac{1}{n}\Phi^T\Phi,\ S = \frac{1}{n}\Phi^T\Delta",
             "Φ and Δ hold φ(p_i) and δ_i as rows. The gradient −2S + 2(C + λI)B is zero.", lambda w: w.ridge),
        Step(r"\Phi^T (K + \lambda I)^{-1} \Delta,\quad K = \Phi\Phi^T", "The 1/n is inside C, so it must come back with λ.",
             lambda w: w.phi.T @ np.linalg.solve(w.K + w.lam * np.eye(w.n), w.delta), printed="a common slip: λ in place of λn"),
        Step(r"\Phi^T (K + \lambda n I)^{-1} \Delta", "The same through the n × n kernel matrix K: the form of eq. 4.", lambda w: w.phi.T @ w.W @ w.delta),
        Step(r"(\hat{C}_{Z|p} - \hat{C}_{Y|p})^T", "Two regressions instead of one: of the predicted p_i, the mean of a label Z drawn from p_i, and of the observed e_y. Ridge regression is linear in its target.",
             lambda w: _fit(w, w.p) - _fit(w, one_hot(w.y))),
    ),
    tolerance=1e-10,
)  # fmt: skip


# Labels in an order, such as 1, 2, 3 stars: neighbours are alike. ψ(j) is row j of a root of the matrix.
ORDERED = np.exp(-np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2)
PSI = np.linalg.cholesky(ORDERED)


def _operator(w, targets):
    """Σ targets ⊗ weights: the matrix T W Φ for rows `targets` (n, ·)."""
    return targets.T @ w.W @ w.phi


def _gap(w):
    """D = Ψ_Y − M_Z, a column for each row of the data."""
    return (PSI[w.y] - w.p @ PSI).T


def _eq7(w, labels):
    """Tr(W[MᵀM + L − MᵀΨ − ΨᵀM]WK) from the label kernel's values alone."""
    crossed = w.p @ labels[:, w.y]
    return np.trace(w.W @ (w.p @ labels @ w.p.T + labels[np.ix_(w.y, w.y)] - crossed - crossed.T) @ w.W @ w.K)


def _with_drawn_labels(w):
    """E_Z ‖Ĉ_Y − Ĉ_Z‖² over all 3⁶ label vectors Z."""
    z = np.array(list(product(range(3), repeat=w.n)))
    mass = w.p[np.arange(w.n), z].prod(axis=1)
    return mass @ ((np.swapaxes(PSI[w.y] - PSI[z], 1, 2) @ w.W @ w.phi) ** 2).sum(axis=(1, 2))


trace_formula = Derivation(
    title="From operators to kernel matrices",
    claim="The squared distance of two estimated conditional mean operators Ĉ (eq. 4), of observed labels Y and of labels Z drawn from the predictions p, is a trace of n × n matrices (eq. 7).",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\|\hat{C}_{Y|p} - \hat{C}_{Z|p}\|_{HS}^2,\quad \hat{C}_{Y|p} = \Psi_Y W \Phi^*,\ \hat{C}_{Z|p} = M_Z W \Phi^*",
             "W = (K + λnI)⁻¹, K_ij = k(p_i, p_j). Columns: φ(p_i) in Φ, the observed label's ψ(y_i) in Ψ_Y, the predicted mean Σ_j p_i[j] ψ(j) in M_Z. The star transposes; n = 6.",
             lambda w: squared(_operator(w, PSI[w.y]) - _operator(w, w.p @ PSI))),
        Step(r"\mathrm{Tr}(\Phi W D^* D\, W \Phi^*),\quad D = \Psi_Y - M_Z", "‖A‖² = Tr(A*A), and W is symmetric.",
             lambda w: np.trace(w.phi.T @ w.W @ _gap(w).T @ _gap(w) @ w.W @ w.phi)),
        Step(r"\mathrm{Tr}(W D^* D\, W)", "This measures the weights, not the functions that they make: Φ*Φ is not the identity.",
             lambda w: np.trace(w.W @ _gap(w).T @ _gap(w) @ w.W), printed="a common slip: K left out"),
        Step(r"\mathrm{Tr}(W D^* D\, W K)", "A trace does not mind which factor comes first, so Φ moves to the end, where Φ*Φ = K.",
             lambda w: np.trace(w.W @ _gap(w).T @ _gap(w) @ w.W @ w.K)),
        Step(r"\mathrm{Tr}(W[\,M_Z^* M_Z + L_{YY} - M_Z^*\Psi_Y - \Psi_Y^* M_Z\,]WK)", "Eq. 7. All entries are values of the label kernel l(j, j') = ⟨ψ(j), ψ(j')⟩, here exp(−|j − j'|/2), averaged over p_i where M_Z stands.",
             lambda w: _eq7(w, ORDERED)),
        Step(r"\mathbb{E}_Z\,\|\hat{C}_{Y|p} - \Psi_Z W \Phi^*\|_{HS}^2", "Drawn labels Z_i ~ p_i in place of their means (all 3⁶ vectors): noise is added on the diagonal. This is why the paper uses M_Z.",
             _with_drawn_labels, relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _brackets(w):
    """⟨p_i, p_j⟩ + 1[y_i = y_j] − p_i[y_j] − p_j[y_i]."""
    crossed = w.p[:, w.y]
    return w.p @ w.p.T + (w.y[:, None] == w.y) - crossed - crossed.T


kronecker_labels = Derivation(
    title="With the Kronecker kernel only residuals are left",
    claim="For the label kernel l(y, y') = 1[y = y'] the four terms of eq. 7 are ΔΔᵀ, where Δ holds the residuals δ = p − e_y as rows.",
    world=six_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{Tr}(W[\,M_Z^* M_Z + L_{YY} - M_Z^*\Psi_Y - \Psi_Y^* M_Z\,]WK)", "Eq. 7 with W = (K + λnI)⁻¹, K_ij = k(p_i, p_j). L_YY compares observed labels, M_Z*M_Z predicted ones, the others one with the other; n = 6.",
             lambda w: _eq7(w, np.eye(3))),
        Step(r"\sum_{ij}\,(W K W)_{ij}\,(\langle p_i, p_j\rangle + 1[y_i = y_j] - p_i[y_j] - p_j[y_i])", "Two labels drawn from p_i and p_j agree with probability ⟨p_i, p_j⟩; one from p_i is y_j with probability p_i[y_j].",
             lambda w: ((w.W @ w.K @ w.W) * _brackets(w)).sum()),
        Step(r"\mathrm{Tr}(W \Delta\Delta^T W K)", "1[y = y'] = ⟨e_y, e_y'⟩ and p[y] = ⟨p, e_y⟩: the bracket is ⟨δ_i, δ_j⟩.",
             lambda w: np.trace(w.W @ w.delta @ w.delta.T @ w.W @ w.K)),
        Step(r"\frac{1}{n}\sum_i \|\hat{g}(p_i)\|^2,\quad \hat{g} = \sum_j (W\Delta)_j\,k(\cdot,\, p_j)", "The mean square of the same fitted residuals. That is the diagonal of ukkr's h, another norm.",
             lambda w: squared(w.K @ w.W @ w.delta) / w.n, printed="a mix-up of two norms of one regression"),
        Step(r"\sum_c \|\hat{g}_c\|_H^2,\quad \hat{g}_c = \sum_j (W\Delta)_{jc}\,k(\cdot,\, p_j)", "Class by class: αᵀKα is the squared norm of Σ_j α_j k(·, p_j) in the RKHS H of k. CKCE is how long the regression of δ on p is.",
             lambda w: squared(w.phi.T @ np.linalg.solve(w.K + w.lam * w.n * np.eye(w.n), w.delta))),
    ),
    tolerance=1e-10,
)  # fmt: skip


push_through = Derivation(
    title="Eq. 7 is eq. 9",
    claim="With r features an n × n inverse can be exchanged for an r × r one, exactly: Φᵀ(ΦΦᵀ + cI)⁻¹ = (ΦᵀΦ + cI)⁻¹Φᵀ.",
    world=fourier_rows,
    describe=lambda_is,
    steps=(
        Step(r"\mathrm{Tr}(W \Delta\Delta^T W K),\quad W = (K + \lambda n I)^{-1}", "Eq. 7 with the Kronecker kernel. n = 9 rows, each with r = 5 features, so K = ΦΦᵀ; Δ holds the residuals p − e_y, and λ is the penalty.",
             lambda w: np.trace(w.W @ w.delta @ w.delta.T @ w.W @ w.K)),
        Step(r"\|\Phi^T (\Phi\Phi^T + \lambda n I)^{-1} \Delta\|^2", "Φ moves to the front of the trace: Tr(AᵀA) with A = ΦᵀWΔ. The inverse is 9 × 9.",
             lambda w: squared(w.phi.T @ np.linalg.solve(w.phi @ w.phi.T + w.lam * w.n * np.eye(w.n), w.delta))),
        Step(r"\|(\Phi^T\Phi + \lambda n I)^{-1} \Phi^T \Delta\|^2", "(ΦᵀΦ + cI)Φᵀ = Φᵀ(ΦΦᵀ + cI); multiply by both inverses. Now the inverse is 5 × 5: this is eq. 9.",
             lambda w: squared(np.linalg.solve(w.phi.T @ w.phi + w.lam * w.n * np.eye(5), w.phi.T @ w.delta))),
        Step(r"\|(C + \lambda n I)^{-1} S\|^2,\quad C = \frac{1}{n}\Phi^T\Phi,\ S = \frac{1}{n}\Phi^T\Delta", "C and S are means already: n would be counted twice.",
             lambda w: squared(np.linalg.solve(w.C + w.lam * w.n * np.eye(5), w.S)), printed="a common slip: λn with means"),
        Step(r"\|(C + \lambda I)^{-1} S\|^2", "Divide both factors by n. C and S can be summed row by row: O(n r²) time, and no n × n matrix anywhere.",
             lambda w: squared(w.ridge)),
    ),
    tolerance=1e-10,
)  # fmt: skip
