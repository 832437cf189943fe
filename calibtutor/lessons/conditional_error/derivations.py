"""Derivations of notebook 06, first part: conditional mean operators, their distance, and two ways to compute it."""

from itertools import product

import numpy as np

from ...data.worlds import random_world
from ...kce import skce
from ...teach.derive import Derivation, Step
from ..shared import ckce_atoms as kit
from . import endless


def _matrix_and_bases(rng):
    """A 3 × 4 matrix, an orthonormal basis (columns of U) and four unit vectors that are none (columns of T)."""
    b = rng.normal(size=(4, 4))
    return {"A": rng.normal(size=(3, 4)), "U": np.linalg.qr(rng.normal(size=(4, 4)))[0], "T": b / np.linalg.norm(b, axis=0)}  # fmt: skip


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
        Step(r"\sum_j \|A\,t_j\|^2", "Four unit vectors t_j that are not orthogonal: some directions are counted twice.",
             lambda w: _lengths(w["A"] @ w["T"]), printed="a common slip: any unit vectors will do"),
        Step(r"\mathrm{Tr}(A^T A)", "‖A u_j‖² = ⟨u_j, AᵀA u_j⟩, and these are the diagonal entries of AᵀA in that basis.",
             lambda w: np.trace(w["A"].T @ w["A"])),
        Step(r"\sum_m \sigma_m^2", "σ_m are the singular values of A: AᵀA has the eigenvalues σ_m², and a trace is the sum of eigenvalues.",
             lambda w: (np.linalg.svd(w["A"], compute_uv=False) ** 2).sum()),
        Step(r"\max_{\|u\| = 1}\ \|A\,u\|^2 = \sigma_1^2", "The operator norm looks at the worst direction only, so it is never larger.",
             lambda w: np.linalg.norm(w["A"], 2) ** 2, relation=">="),
    ),
)  # fmt: skip


def _fit(w, target):
    """argmin_G (1/n)Σ‖target_i − Gᵀφ_i‖² + λ‖G‖², by a general least-squares routine."""
    system = np.vstack([w.phi / np.sqrt(w.n), np.sqrt(w.lam) * np.eye(w.phi.shape[1])])
    return np.linalg.lstsq(system, np.vstack([target / np.sqrt(w.n), np.zeros((w.phi.shape[1], 3))]), rcond=None)[0]


def _mean_label(w):
    """E e_Z over all label vectors Z ~ p."""
    z = np.array(list(product(range(3), repeat=w.n)))
    mass = w.p[np.arange(w.n), z].prod(axis=1)
    return np.array([np.bincount(labels, mass, 3) for labels in z.T])


ridge_is_cmo = Derivation(
    title="One regression, of residuals",
    claim="Eq. 4 estimates the mean label given p, of observed labels Y and of labels Z drawn from p. The difference of the two is one ridge regression, of the residual δ = p − e_Y on features φ(p).",
    world=kit.fourier_rows,
    describe=kit.lambda_is,
    steps=(
        Step(r"\mathrm{argmin}_G\ \frac{1}{n}\sum_i \|\delta_i - G^T \varphi(p_i)\|^2 + \lambda\,\|G\|^2",
             "n = 9 rows, five features φ(p_i), a penalty λ; ‖G‖² is the sum of squares of all entries of the 5 × 3 matrix G. By a general least-squares routine.", lambda w: _fit(w, w.delta)),
        Step(r"(C + \lambda I)^{-1} S,\quad C = \frac{1}{n}\Phi^T\Phi,\ S = \frac{1}{n}\Phi^T\Delta",
             "Φ and Δ hold φ(p_i) and δ_i as rows. The gradient −2S + 2(C + λI)G is zero.", lambda w: w.ridge),
        Step(r"\Phi^T (K + \lambda n I)^{-1} \Delta,\quad K = \Phi\Phi^T", "The same through the n × n kernel matrix K: the form of eq. 4. Let Ĝ_Y be this regression of e_Y instead of δ, and Ĝ_Z that of e_Z, with labels Z_i drawn from p_i.", lambda w: w.phi.T @ w.W @ w.delta),
        Step(r"A - \hat{G}_Y,\quad A^T \varphi(p) = p", "φ(p) begins with p itself, and A picks it out: the mean of e_Z given p, without any regression. But a penalty shrinks both.",
             lambda w: np.eye(5, 3) - _fit(w, kit.one_hot(w.y)), printed="a tempting thought: the mean of e_Z given p is known, so only Y is regressed"),
        Step(r"\mathbb{E}_Z\,[\hat{G}_Z] - \hat{G}_Y", "Ridge regression is linear in its target. As e_Z has the mean p, the mean of Ĝ_Z is the regression of p; minus Ĝ_Y it is that of p − e_Y. Computed from all 3⁹ label vectors Z, each with its probability.",
             lambda w: _fit(w, _mean_label(w)) - _fit(w, kit.one_hot(w.y))),
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
    world=kit.six_rows,
    describe=kit.lambda_is,
    steps=(
        Step(r"\|\hat{C}_{Y|p} - \hat{C}_{Z|p}\|_{HS}^2,\quad \hat{C}_{Y|p} = \Psi_Y W \Phi,\ \hat{C}_{Z|p} = M_Z W \Phi",
             "W = (K + λnI)⁻¹, K_ij = k(p_i, p_j). Rows: φ(p_i) in Φ. Columns: the observed label's ψ(y_i) in Ψ_Y, the predicted mean Σ_j p_i[j] ψ(j) in M_Z. The star transposes; n = 6.",
             lambda w: kit.squared(_operator(w, PSI[w.y]) - _operator(w, w.p @ PSI))),
        Step(r"\mathrm{Tr}(\Phi^* W D^* D\, W \Phi),\quad D = \Psi_Y - M_Z", "‖A‖² = Tr(A*A), and W is symmetric.",
             lambda w: np.trace(w.phi.T @ w.W @ _gap(w).T @ _gap(w) @ w.W @ w.phi)),
        Step(r"\mathrm{Tr}(W D^* D\, W)", "This measures the weights, not the functions that they make: ΦΦ* is not the identity.",
             lambda w: np.trace(w.W @ _gap(w).T @ _gap(w) @ w.W), printed="a common slip: K left out"),
        Step(r"\mathrm{Tr}(W D^* D\, W K)", "A trace does not mind which factor comes first, so Φ* moves to the end, where ΦΦ* = K.",
             lambda w: np.trace(w.W @ _gap(w).T @ _gap(w) @ w.W @ w.K)),
        Step(r"\mathrm{Tr}(W[\,M_Z^* M_Z + L_{YY} - M_Z^*\Psi_Y - \Psi_Y^* M_Z\,]WK)", "Eq. 7. All entries are values of the label kernel l(j, j') = ⟨ψ(j), ψ(j')⟩, here exp(−|j − j'|/2), averaged over p_i where M_Z stands.",
             lambda w: _eq7(w, ORDERED)),
        Step(r"\mathbb{E}_Z\,\|\hat{C}_{Y|p} - \Psi_Z W \Phi\|_{HS}^2", "Drawn labels Z_i ~ p_i in place of their means (all 3⁶ vectors): noise is added on the diagonal. This is why the paper uses M_Z.",
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
    world=kit.six_rows,
    describe=kit.lambda_is,
    steps=(
        Step(r"\sum_{ij}\,(W K W)_{ij}\,(\langle p_i, p_j\rangle + 1[y_i = y_j] - p_i[y_j] - p_j[y_i])", "Eq. 7 with W = (K + λnI)⁻¹, K_ij = k(p_i, p_j), n = 6. Two labels drawn from p_i and p_j agree with probability ⟨p_i, p_j⟩, one from p_i and y_j with p_i[y_j]: how alike Z and Z, Y and Y, Z and Y are.",
             lambda w: ((w.W @ w.K @ w.W) * _brackets(w)).sum()),
        Step(r"\mathrm{Tr}(W \Delta\Delta^T W K)", "1[y = y'] = ⟨e_y, e_y'⟩ and p[y] = ⟨p, e_y⟩: the bracket is ⟨δ_i, δ_j⟩.",
             lambda w: np.trace(w.W @ w.delta @ w.delta.T @ w.W @ w.K)),
        Step(r"\frac{1}{n}\sum_i \|\hat{g}(p_i)\|^2,\quad \hat{g} = \sum_j (W\Delta)_j\,k(\cdot,\, p_j)", "The mean square of the same fitted residuals. That is the diagonal of ukkr's h, another norm.",
             lambda w: kit.squared(w.K @ w.W @ w.delta) / w.n, printed="a mix-up of two norms of one regression"),
        Step(r"\sum_c \|\hat{g}_c\|_H^2,\quad \hat{g}_c = \sum_j (W\Delta)_{jc}\,k(\cdot,\, p_j)", "Class by class: αᵀKα is the squared norm of Σ_j α_j k(·, p_j) in the RKHS H of k. CKCE is how long the regression of δ on p is.",
             lambda w: kit.squared(w.phi.T @ np.linalg.solve(w.K + w.lam * w.n * np.eye(w.n), w.delta))),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _two_kinds(rng):
    """A world of two predictions, its atoms (p, y), and all 216 data sets of three rows."""
    world = random_world(rng, n_kinds=2, shared=False)
    mass, kinds, labels = world.samples(3)
    return {"world": world, "mass": mass, "p": world.predictions[kinds], "y": labels}


def _atoms_mmd(w):
    """E κ + E κ − 2 E κ over pairs of atoms (kind, label), with κ = 1[y = y'] k(p, p')."""
    world = w["world"]
    kappa = np.kron(kit.kernel(world.predictions), np.eye(3))
    real, drawn = ((world.weights[:, None] * laws).ravel() for laws in (world.conditionals, world.predictions))
    return real @ kappa @ real + drawn @ kappa @ drawn - 2 * real @ kappa @ drawn


def _over_data_sets(w, own):
    """Mean over data sets of the mean of k_ij⟨δ_i, δ_j⟩, with or without the pairs i = j."""
    delta = w["p"] - kit.one_hot(w["y"])
    h = kit.kernel_of(w["p"][:, :, None], w["p"][:, None]) * np.einsum("sik,sjk->sij", delta, delta)
    return w["mass"] @ (h.mean(axis=(1, 2)) if own else (h.sum(axis=(1, 2)) - np.trace(h, axis1=1, axis2=2)) / 6)


jkce_is_skce = Derivation(
    title="The distance between joint laws is the SKCE",
    claim="With κ = 1[y = y'] k(p, p') the joint kernel calibration error (eq. 11) is SKCE = E k(p, p')⟨δ, δ'⟩, and SKCE_uq estimates it without bias.",
    world=_two_kinds,
    steps=(
        Step(r"\|\mu_{Yp} - \mu_{Zp}\|^2,\quad \mu_{Yp} = \mathbb{E}\,[\,\psi(Y) \otimes \varphi(p)\,]", "Eq. 11. Y is the real label, Z one drawn from the prediction p; ψ(y) = e_y, and φ are the features of k. A world of two predictions, in coordinates.",
             lambda w: kit.squared(np.linalg.cholesky(kit.kernel(w["world"].predictions)).T
                               @ (w["world"].weights[:, None] * (w["world"].conditionals - w["world"].predictions)))),
        Step(r"\mathbb{E}\,\kappa(Yp,\, Y'p') + \mathbb{E}\,\kappa(Zp,\, Z'p') - 2\,\mathbb{E}\,\kappa(Yp,\, Z'p')", "Eq. 3, the squared MMD, for the two joint laws; a prime marks an independent draw.", _atoms_mmd),
        Step(r"\mathrm{SKCE} = \mathbb{E}\;k(p, p')\,\langle\delta,\, \delta'\rangle,\quad \delta = p - e_Y", "Given p, the mean of e_Z is p. So the four means of indicators are the expanded product of p − e_Y and p' − e_Y'.",
             lambda w: w["world"].pair_expectation(lambda p, e, q, g: kit.kernel_of(p, q) * ((p - e) * (q - g)).sum(axis=-1))),
        Step(r"\mathbb{E}\,\frac{1}{n^2}\sum_{i, j} k_{ij}\,\langle\delta_i,\, \delta_j\rangle", "Where i = j a label meets itself. All 216 data sets of n = 3 rows, each with its probability.",
             lambda w: _over_data_sets(w, own=True), printed="SKCE_b, never negative, taken for an unbiased estimate"),
        Step(r"\mathbb{E}\;\mathrm{mean}_{i \neq j}\ k_{ij}\,\langle\delta_i,\, \delta_j\rangle", "Without them each pair is a fair pair of independent draws. This is the JKCE that the paper reports: negative values can occur.",
             lambda w: _over_data_sets(w, own=False)),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _three_laws(rng):
    """Four predictions, two marginals over them, and three families of label frequencies."""
    p, laws = kit.spots(rng, 6), rng.dirichlet(np.ones(3), (3, 4))
    return {"p": p, "phi": np.linalg.cholesky(kit.kernel(p[:4])), "P": rng.dirichlet(3 * np.ones(4)), "P2": rng.dirichlet(3 * np.ones(4)), "laws": laws}  # fmt: skip


def _label_operator(w, a, marginal):
    """C_{Y|p} = C_{Yp} C_{pp}⁻¹ under a marginal, for family a of label laws."""
    weighted = w[marginal][:, None] * w["phi"]
    return w["laws"][a].T @ weighted @ np.linalg.inv(w["phi"].T @ weighted)


def _between(w, a, b, marginal="P"):
    return np.linalg.norm(_label_operator(w, a, marginal) - _label_operator(w, b, marginal))


def _shortest(w):
    """Least-norm functions Σ_b β_b k(·, z_b), z the four predictions and two more, through given values."""
    phi = np.linalg.cholesky(kit.kernel(w["p"]))[:4]
    return np.linalg.norm(np.linalg.lstsq(phi, w["laws"][0] - w["laws"][1], rcond=None)[0])


def _difference(w):
    return w["laws"][0] - w["laws"][1]


cmmd = Derivation(
    title="CMMD is a norm, and free of the marginal",
    claim="The distance of two exact conditional mean operators (eq. 5) is the norm in the RKHS H of k of r_Y − r_Z: here no P(p) enters.",
    world=_three_laws,
    steps=(
        Step(r"\mathrm{CMMD} = \|C_{Y|p} - C_{Z|p}\|_{HS},\quad C_{Y|p} = C_{Yp}\,C_{pp}^{-1}", "Four predictions; C_Yp = E e_Y ⊗ φ(p) and C_pp = E φ(p) ⊗ φ(p) under a marginal P(p). φ are the features of k, and no λ. Z is another label with other frequencies.",
             lambda w: _between(w, 0, 1)),
        Step(r"\|C_{Y|p} - C_{Z|p}\|_{HS}\ \mathrm{under\ another}\ P'(p)", "The operator must map φ(p) to the frequencies r_Y(p) = P(Y | p) at each prediction. How often p occurs does not matter.",
             lambda w: _between(w, 0, 1, "P2")),
        Step(r"(\,\mathbb{E}\,\|r_Y(p) - r_Z(p)\|^2\,)^{1/2}", "The root of eq. 10 with d the squared MMD. It averages over P(p), so it moves with it: another norm.",
             lambda w: np.sqrt(w["P"] @ (_difference(w) ** 2).sum(axis=1)), printed="the mean error, taken for the CMMD"),
        Step(r"\mathrm{Tr}(R^T K^{-1} R)^{1/2}", "Row a of R is r_Y(p_a) − r_Z(p_a), and K_ab = k(p_a, p_b) has no weights.",
             lambda w: np.sqrt(np.trace(_difference(w).T @ np.linalg.solve(kit.kernel(w["p"][:4]), _difference(w))))),
        Step(r"\min\,\{\,\|g\|_H :\ g(p_a) = r_Y(p_a) - r_Z(p_a)\,\}", "By search among sums of k(·, z), z at these four and two more predictions: the shortest function through these values. So CMMD = ‖r_Y − r_Z‖.", _shortest),
        Step(r"\|C_{Y|p} - C_{V|p}\|_{HS} + \|C_{V|p} - C_{Z|p}\|_{HS}", "A third label V: no detour is shorter. A norm keeps the triangle inequality.",
             lambda w: _between(w, 0, 2) + _between(w, 2, 1), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip


# Labels in an order, such as 1, 2, 3 stars: a kernel under which neighbours are alike.
def _mixture(rng):
    """Two label laws P and R, a mixture Q = (1 − t)P + tR of them, and another law S."""
    P, R, S = rng.dirichlet(np.ones(3), 3)
    t = rng.uniform(0.2, 0.8)
    return {"P": P, "R": R, "S": S, "Q": (1 - t) * P + t * R}


def _mmd(w, a, b):
    """‖μ_a − μ_b‖ in coordinates of l."""
    return np.linalg.norm((w[a] - w[b]) @ np.linalg.cholesky(ORDERED))


def _eq3(w):
    return w["P"] @ ORDERED @ w["P"] + w["R"] @ ORDERED @ w["R"] - 2 * w["P"] @ ORDERED @ w["R"]


squared_mmd_no_metric = Derivation(
    title="The squared MMD is no metric",
    claim="MMD² breaks the triangle inequality whenever the third law is a mixture of the two. MMD itself keeps it, so eq. 10 needs the root.",
    world=_mixture,
    steps=(
        Step(r"\mathrm{MMD}^2(P, R) = \mathbb{E}\,l(U, U') + \mathbb{E}\,l(V, V') - 2\,\mathbb{E}\,l(U, V)", "Eq. 3 for two label laws P and R: U, U' are drawn from P and V, V' from R; label kernel l(j, j') = exp(−|j − j'|/2).", _eq3),
        Step(r"\|\mu_P - \mu_R\|^2", "The squared distance of the mean embeddings μ_P = E ψ(U), ψ being the features of l.", lambda w: _mmd(w, "P", "R") ** 2),
        Step(r"\mathrm{MMD}^2(P, Q) + \mathrm{MMD}^2(Q, R)", "Q = (1 − t)P + tR lies between: the two parts are t² and (1 − t)² of the whole, and t² + (1 − t)² < 1.",
             lambda w: _mmd(w, "P", "Q") ** 2 + _mmd(w, "Q", "R") ** 2, relation="<=",
             printed="the triangle inequality, for §4.2: “Let d be a metric … choosing d to be the squared MMD” (errata C5)"),
        Step(r"(\,\mathrm{MMD}(P, Q) + \mathrm{MMD}(Q, R)\,)^2", "Without the squares the parts are t and 1 − t of the whole: a straight way through Q is no detour.",
             lambda w: (_mmd(w, "P", "Q") + _mmd(w, "Q", "R")) ** 2),
        Step(r"(\,\mathrm{MMD}(P, S) + \mathrm{MMD}(S, R)\,)^2", "Through any other law S it is one: MMD is a distance.", lambda w: (_mmd(w, "P", "S") + _mmd(w, "S", "R")) ** 2, relation="<="),
    ),
)  # fmt: skip


M = 1000  # classes, as in ImageNet


def _uniform_model(rng):
    """A sample's labels, from some of 1,000 classes; every prediction is uniform."""
    return {"y": rng.integers(0, rng.integers(20, 200), 60)}


def _counts(w):
    """Σ_c n_c(n_c − 1)/(n(n − 1))."""
    n, count = len(w["y"]), np.bincount(w["y"])
    return (count * (count - 1)).sum() / (n * (n - 1))


def _off_diagonal_agreement(w):
    """mean_{i≠j} (1[y_i = y_j] − 1/m)."""
    same = (w["y"][:, None] == w["y"]) - 1 / M
    return same[~np.eye(len(same), dtype=bool)].mean()


marginal_bound = Derivation(
    title="How negative the JKCE of a constant model can be",
    claim="A model that says 1/m for each of m = 1,000 classes has an unbiased JKCE of at least −.001001, whichever rows are used.",
    world=_uniform_model,
    describe=lambda w: f"60 rows from {len(np.unique(w['y']))} classes",
    steps=(
        Step(r"\mathrm{JKCE} = \mathrm{mean}_{i \neq j}\ k(p_i, p_j)\,\langle\delta_i,\, \delta_j\rangle,\quad p_i = (\frac{1}{m}, \ldots, \frac{1}{m})", "n = 60 rows with labels y_i from some of the classes; δ = p − e_y, and k is eq. 8. All p_i are equal, so its bandwidth plays no part.",
             lambda w: skce(w["y"], np.full((60, M), 1 / M), kernel=kit.KERNEL)),
        Step(r"(1 + \frac{1}{m})\ \mathrm{mean}_{i \neq j}\,(1[y_i = y_j] - \frac{1}{m})", "k(p, p) = ‖p‖² + 1 = 1/m + 1, and ⟨p, p⟩ = ⟨p, e_y⟩ = 1/m.", lambda w: (1 + 1 / M) * _off_diagonal_agreement(w)),
        Step(r"(1 + \frac{1}{m})\,(\,\sum_c \frac{n_c(n_c - 1)}{n(n - 1)} - \frac{1}{m}\,)", "n_c rows have label c: that many ordered pairs agree. Equal n_c on all of the 50,000 validation rows would make it −.00002.", lambda w: (1 + 1 / M) * (_counts(w) - 1 / M)),
        Step(r"-0.002", "No choice of rows can give this: see the next line.", lambda w: -0.002, printed="Table 1, model “Marginal”, JKCE (errata C1)"),
        Step(r"-(1 + \frac{1}{m})\,\frac{1}{m}", "No count is negative. The least value is that of rows with 60 different labels: −.001001.", lambda w: -(1 + 1 / M) / M, relation=">="),
    ),
)  # fmt: skip


def _shifted(rng):
    """Four predictions with fixed label frequencies, two marginals, a penalty."""
    p, r = kit.spots(rng, 4), rng.dirichlet(np.ones(3), 4)
    return {"p": p, "r": r, "phi": np.linalg.cholesky(kit.kernel(p)), "P": rng.dirichlet(3 * np.ones(4)), "P2": rng.dirichlet(3 * np.ones(4)), "lam": kit.penalty(rng)}  # fmt: skip


def _ckce(w, marginal="P"):
    """‖(C + λ)⁻¹S‖² with S summed over predictions and labels."""
    weight, phi = w[marginal], w["phi"]
    S = sum(weight[a] * w["r"][a, c] * np.outer(phi[a], w["p"][a] - np.eye(3)[c]) for a in range(4) for c in range(3))
    return kit.squared(np.linalg.solve(_second_moment(w, marginal) + w["lam"] * np.eye(4), S))


def _second_moment(w, marginal="P"):
    return w["phi"].T @ (w[marginal][:, None] * w["phi"])


def _coefficients(w):
    """G with g(p) = Gᵀφ(p)."""
    return np.linalg.solve(w["phi"], w["p"] - w["r"])


def _shrunk(w):
    mu, directions = np.linalg.eigh(_second_moment(w))
    return ((mu / (mu + w["lam"])) ** 2) @ ((directions.T @ _coefficients(w)) ** 2).sum(axis=1)


not_constant = Derivation(
    title="CKCE when the inputs shift",
    claim="In a world of four predictions the CKCE with a penalty λ lies between two multiples of ‖g‖², where g(p) = E[δ | p]; here they meet as λ → 0.",
    world=_shifted,
    describe=lambda w: f"λ = {w['lam']:.3f}",
    steps=(
        Step(r"\mathrm{CKCE}_{\lambda}(P) = \|(C + \lambda I)^{-1} S\|^2,\quad C = \mathbb{E}\,\varphi\varphi^T,\ S = \mathbb{E}\,\varphi\,\delta^T",
             "Four predictions with marginal P(p), means taken exactly; φ = φ(p) are the features of k, δ = p − e_Y. This is what the estimate tends to if λ is kept.", _ckce),
        Step(r"\|(C + \lambda I)^{-1} C G\|^2,\quad g(p) = G^T\varphi(p)", "E[δ | p] = g(p). With g in the RKHS, in coordinates G, S = E φ gᵀ = C G: the marginal is in C.",
             lambda w: kit.squared(np.linalg.solve(_second_moment(w) + w["lam"] * np.eye(4), _second_moment(w) @ _coefficients(w)))),
        Step(r"\sum_j \mu_j^2\,\|g_j\|^2 \,/\, (\mu_j + \lambda)^2", "C v_j = μ_j v_j and g_j = Gᵀv_j. Directions that P seldom visits have a small μ_j: they are shrunk, and P decides which.", _shrunk),
        Step(r"\mathrm{CKCE}_{\lambda}(P')", "The inputs shift to P'; the predictions p and the truth P(Y | p) at each of them are the same.",
             lambda w: _ckce(w, "P2"), printed="§3: “the CKCE is not impacted by the marginal distribution” (errata C3)"),
        Step(r"\|g\|_H^2 = \|G\|^2", "Each factor μ_j/(μ_j + λ) is below 1. This norm knows no P: it is the squared CMMD, eq. 6.",
             lambda w: np.trace((w["p"] - w["r"]).T @ np.linalg.solve(kit.kernel(w["p"]), w["p"] - w["r"])), relation="<="),
        Step(r"(1 + \lambda / \mu_{min})^2\ \mathrm{CKCE}_{\lambda}(P)", "No factor is below that of the smallest μ_j. Between the last two lines λ → 0 leaves no room: CKCE tends to ‖g‖², for every P. That needs μ_min > 0: four predictions, not endless ones.",
             lambda w: (1 + w["lam"] / np.linalg.eigvalsh(_second_moment(w))[0]) ** 2 * _ckce(w), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _nested_inputs(rng):
    """Sixteen inputs x of the paper's world, those of smaller worlds first; two marginals on four; a bandwidth."""
    every, order = endless.atoms(16, -1 + rng.uniform(0.005, 0.05)), []
    for step in (4, 2, 1):
        order += [k for k in range(0, 16, step) if k not in order]
    gamma, (P, P2) = rng.uniform(0.2, 0.3), rng.dirichlet(3 * np.ones(4), 2)
    squares = endless.squares(*endless.exact_world(every[order], gamma))
    return {"x": every[order], "gamma": gamma, "P": P, "P2": P2, "squares": squares}


def _four(w):
    """Kernel matrix and misses of four inputs, in doubles: enough for four."""
    K, miss = endless.exact_world(w["x"][:4], w["gamma"])
    return np.array(K, dtype=float), np.array(miss, dtype=float)


def _at_small_penalty(w, marginal, penalty=1e-13):
    """CKCE of four inputs by its definition, ‖(C + λ)⁻¹S‖²."""
    K, miss = _four(w)
    phi = np.linalg.cholesky(K)
    C, S = phi.T @ (w[marginal][:, None] * phi), phi.T @ (w[marginal] * miss)
    return 2 * kit.squared(np.linalg.solve(C + penalty * np.eye(4), S))


def _added_up(w, m):
    """c_1² + … + c_m², computed in eighty digits."""
    return float(sum(w["squares"][:m]))


no_limit = Derivation(
    title="From four predictions to endless ones",
    claim="In a world of m predictions the CKCE tends, as λ → 0, to a sum of m squares. Follow it as predictions are added.",
    world=_nested_inputs,
    describe=lambda w: f"γ = {w['gamma']:.2f}",
    steps=(
        Step(r"\lim_{\lambda \to 0}\ \|(C + \lambda I)^{-1} S\|^2,\quad C = \mathbb{E}\,\varphi\varphi^T,\ S = \mathbb{E}\,\varphi\,g^T",
             "The paper's world: predictions p = σ(5x), miss g(p) = σ(5x) − σ(x), kernel (8), whose features are φ. Four inputs with weights P; means taken exactly, λ = 10⁻¹³.",
             lambda w: _at_small_penalty(w, "P")),
        Step(r"\lim_{\lambda \to 0}\ \|(C' + \lambda I)^{-1} S'\|^2", "Other weights P' of the same four inputs: as λ → 0 the marginal drops out.",
             lambda w: _at_small_penalty(w, "P2")),
        Step(r"\mathrm{Tr}(R^T K^{-1} R) = \sum_{a=1}^{4} c_a^2", "Row a of R is the miss at p_a, K_ab = k(p_a, p_b). With K = LLᵀ and c = L⁻¹R this is a sum of squares: the squared length of the shortest function through four misses.",
             lambda w: _added_up(w, 4)),
        Step(r"\mathrm{Tr}(R^T K^{-1} R)\ \ \mathrm{with\ eight\ predictions,\ these\ four\ and\ four\ between}", "The curve and the kernel are the same; there are more predictions.",
             lambda w: _added_up(w, 8), printed="§3: the limit as a property of the curve alone; the shortest function through four misses is not the one through eight"),
        Step(r"\sum_{a=1}^{8} c_a^2", "L is triangular, so the first four c_a stay, and each further prediction adds a square: what the function through the former ones misses there, divided by L_aa.",
             lambda w: _added_up(w, 8), relation="<="),
        Step(r"\sum_{a=1}^{16} c_a^2", "No bound is in sight, and endless predictions have none: they accumulate somewhere, so only one analytic function runs through their misses, g(p) = p − σ(logit(p)/5). The functions of kernel (8) extend to the whole complex plane; on a turn round p = 0 ((1 − p)/p)^(1/5) in g takes another value (C3b).",
             lambda w: _added_up(w, 16), relation="<="),
    ),
    tolerance=1e-8,
)  # fmt: skip


def _pair(rng):
    """Two predictions p and q, a bandwidth γ, and a number D of frequencies."""
    return {"p": rng.dirichlet(np.ones(3)), "q": rng.dirichlet(np.ones(3)), "gamma": rng.uniform(0.6, 0.9), "D": int(rng.integers(1, 4))}  # fmt: skip


def _distance(w):
    """‖p − q‖/γ."""
    return np.linalg.norm(w["p"] - w["q"]) / w["gamma"]


def _kernel(w, times=1):
    """ρ(u) at `times` the difference: exp(−‖times (p − q)‖²/2γ²)."""
    return np.exp(-((times * (w["p"] - w["q"])) ** 2).sum() / (2 * w["gamma"] ** 2))


def _over_frequencies(w, value):
    """⟨p, q⟩ + E value(wᵀp, wᵀq) over w ~ N(0, γ⁻²I) in three dimensions."""
    points, mass = kit.normal_grid(3, 24)
    return w["p"] @ w["q"] + mass @ value(points @ w["p"] / w["gamma"], points @ w["q"] / w["gamma"])


def _along(w, value):
    """E value(wᵀu) for u = p − q, through one normal number g: wᵀu has the law of g‖u‖/γ."""
    g, mass = kit.normal_grid(1, 40)
    return mass @ value(g[:, 0] * _distance(w))


fourier_mean = Derivation(
    title="Fourier features have the right mean",
    claim="The mean of ⟨φ̂(p), φ̂(q)⟩ over random frequencies w ~ N(0, γ⁻²I) is the kernel of eq. 8, for every number D of frequencies.",
    world=_pair,
    describe=lambda w: f"D = {w['D']}, γ = {w['gamma']:.2f}",
    steps=(
        Step(r"\mathbb{E}\,\langle\hat{\varphi}(p), \hat{\varphi}(q)\rangle = p^T q + \mathbb{E}[\cos w^T p\,\cos w^T q + \sin w^T p\,\sin w^T q]",
             "φ̂(p) is p followed by cos(w_jᵀp)/√D and sin(w_jᵀp)/√D, j = 1, …, D. All j have the same mean, so D cancels. The integral over w in R³, by quadrature.",
             lambda w: _over_frequencies(w, lambda a, b: np.cos(a) * np.cos(b) + np.sin(a) * np.sin(b))),
        Step(r"p^T q + \mathbb{E}\,\cos w^T u,\quad u = p - q", "cos a cos b + sin a sin b = cos(a − b): only the difference of the two predictions is left.",
             lambda w: _over_frequencies(w, lambda a, b: np.cos(a - b))),
        Step(r"p^T q + 2\,\mathbb{E}\,\cos w^T p\,\cos w^T q", "2 cos a cos b = cos(a − b) + cos(a + b): a second kernel, of p + q, comes along.",
             lambda w: _over_frequencies(w, lambda a, b: 2 * np.cos(a) * np.cos(b)), printed="a common slip: cosines without sines"),
        Step(r"p^T q + \mathbb{E}\,\cos(\xi\,\|u\| / \gamma),\quad \xi \sim N(0, 1)", "wᵀu is a sum of normal numbers: normal, with mean 0 and variance ‖u‖²/γ².",
             lambda w: w["p"] @ w["q"] + _along(w, np.cos)),
        Step(r"p^T q + \exp(-\|p - q\|^2 / (2\gamma^2))", "The characteristic function of a normal number: E cos(tξ) = exp(−t²/2). This is the kernel of eq. 8.",
             lambda w: w["p"] @ w["q"] + _kernel(w)),
    ),
    tolerance=1e-10,
)  # fmt: skip


def _mean_of_cosines(w):
    """Var of (1/D)Σ_j cos(w_jᵀu) over D independent frequencies, as a D-dimensional integral."""
    g, mass = kit.normal_grid(w["D"], 40)
    value = np.cos(g * _distance(w)).mean(axis=1)
    return mass @ value**2 - (mass @ value) ** 2


def _with_phases(w):
    """Var of the mean over D of 2 cos(wᵀp + b) cos(wᵀq + b), the phase b uniform on the circle."""
    plane = np.linalg.qr(np.column_stack([w["p"], w["q"]]))[1]  # p and q in a basis of their plane
    points, mass = kit.normal_grid(2, 40)
    a, b = (points @ plane / w["gamma"]).T
    phase = np.arange(8)[:, None] * np.pi / 4  # eight phases integrate products of four cosines exactly
    value = 2 * np.cos(a + phase) * np.cos(b + phase)
    return ((value**2).mean(axis=0) @ mass - (value.mean(axis=0) @ mass) ** 2) / w["D"]


fourier_variance = Derivation(
    title="How much Fourier features scatter",
    claim="The variance of ⟨φ̂(p), φ̂(q)⟩ is (1 − ρ(u)²)²/(2D), where u = p − q and ρ(u) = exp(−‖u‖²/2γ²) is the Gaussian part of kernel (8): none for near predictions, at most 1/(2D) for far ones.",
    world=_pair,
    describe=lambda w: f"D = {w['D']}, ρ(u) = {_kernel(w):.2f}",
    steps=(
        Step(r"\mathrm{Var}\,\langle\hat{\varphi}(p), \hat{\varphi}(q)\rangle = \mathrm{Var}\ \frac{1}{D}\sum_j \cos w_j^T u,\quad u = p - q",
             "pᵀq is not random, and each pair of features makes one cosine. The D frequencies w_j ~ N(0, γ⁻²I) are independent: an integral in D dimensions.",
             _mean_of_cosines),
        Step(r"\frac{1}{D}\,(\,\mathbb{E}\,\cos^2 w^T u - \rho(u)^2)", "The variance of a mean of D independent numbers is 1/D of the variance of one. Its mean is ρ(u).",
             lambda w: (_along(w, lambda t: np.cos(t) ** 2) - _kernel(w) ** 2) / w["D"]),
        Step(r"\frac{1}{2D}\,(1 + \rho(2u) - 2\,\rho(u)^2)", "2 cos² t = 1 + cos 2t, so the mean of the square is half of 1 + ρ(2u).",
             lambda w: (1 + _kernel(w, 2) - 2 * _kernel(w) ** 2) / (2 * w["D"])),
        Step(r"\frac{1}{D}\,(1 + \frac{1}{2}\,\rho(2u) - \rho(u)^2)", "The variance of another map, √(2/D) cos(wᵀp + b) with a random phase b: right mean too, but scatter even at p = q.",
             _with_phases, printed="the two usual maps taken for one"),
        Step(r"\frac{1}{2D}\,(1 - \rho(u)^2)^2", "ρ(2u) = ρ(u)⁴, because ‖2u‖² = 4‖u‖²: a complete square.", lambda w: (1 - _kernel(w) ** 2) ** 2 / (2 * w["D"])),
        Step(r"\frac{1}{2D}", "ρ(u) is between 0 and 1. The error of the kernel therefore falls like 1/√D: four times the features for half of it.",
             lambda w: 1 / (2 * w["D"]), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip
