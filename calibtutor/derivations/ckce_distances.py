"""Derivations of notebook 06, third part: which distance is which, and what depends on the marginal of predictions."""

import numpy as np

from ..derive import Derivation, Step
from ..kce import skce
from ..worlds import random_world
from .ckce_atoms import KERNEL, kernel, kernel_of, one_hot, penalty, spots, squared

__all__ = ["cmmd", "jkce_is_skce", "marginal_bound", "not_constant", "squared_mmd_no_metric"]


def _two_kinds(rng):
    """A world of two predictions, its atoms (p, y), and all 216 data sets of three rows."""
    world = random_world(rng, n_kinds=2, shared=False)
    mass, kinds, labels = world.samples(3)
    return {"world": world, "mass": mass, "p": world.predictions[kinds], "y": labels}


def _atoms_mmd(w):
    """E κ + E κ − 2 E κ over pairs of atoms (kind, label), with κ = 1[y = y'] k(p, p')."""
    world = w["world"]
    kappa = np.kron(kernel(world.predictions), np.eye(3))
    real, drawn = ((world.weights[:, None] * laws).ravel() for laws in (world.conditionals, world.predictions))
    return real @ kappa @ real + drawn @ kappa @ drawn - 2 * real @ kappa @ drawn


def _over_data_sets(w, own):
    """Mean over data sets of the mean of k_ij⟨δ_i, δ_j⟩, with or without the pairs i = j."""
    delta = w["p"] - one_hot(w["y"])
    h = kernel_of(w["p"][:, :, None], w["p"][:, None]) * np.einsum("sik,sjk->sij", delta, delta)
    return w["mass"] @ (h.mean(axis=(1, 2)) if own else (h.sum(axis=(1, 2)) - np.trace(h, axis1=1, axis2=2)) / 6)


jkce_is_skce = Derivation(
    title="The distance between joint laws is the SKCE",
    claim="With κ = 1[y = y'] k(p, p') the joint kernel calibration error (eq. 11) is SKCE = E k(p, p')⟨δ, δ'⟩, and SKCE_uq estimates it without bias.",
    world=_two_kinds,
    steps=(
        Step(r"\|\mu_{Yp} - \mu_{Zp}\|^2,\quad \mu_{Yp} = \mathbb{E}\,[\,\psi(Y) \otimes \varphi(p)\,]", "Eq. 11. Y is the real label, Z one drawn from the prediction p; ψ(y) = e_y, and φ are the features of k. A world of two predictions, in coordinates.",
             lambda w: squared(np.linalg.cholesky(kernel(w["world"].predictions)).T
                               @ (w["world"].weights[:, None] * (w["world"].conditionals - w["world"].predictions)))),
        Step(r"\mathbb{E}\,\kappa(Yp,\, Y'p') + \mathbb{E}\,\kappa(Zp,\, Z'p') - 2\,\mathbb{E}\,\kappa(Yp,\, Z'p')", "Eq. 3, the squared MMD, for the two joint laws; a prime marks an independent draw.", _atoms_mmd),
        Step(r"\mathrm{SKCE} = \mathbb{E}\;k(p, p')\,\langle\delta,\, \delta'\rangle,\quad \delta = p - e_Y", "Given p, the mean of e_Z is p. So the four means of indicators are the expanded product of p − e_Y and p' − e_Y'.",
             lambda w: w["world"].pair_expectation(lambda p, e, q, g: kernel_of(p, q) * ((p - e) * (q - g)).sum(axis=-1))),
        Step(r"\mathbb{E}\,\frac{1}{n^2}\sum_{i, j} k_{ij}\,\langle\delta_i,\, \delta_j\rangle", "Where i = j a label meets itself. All 216 data sets of n = 3 rows, each with its probability.",
             lambda w: _over_data_sets(w, own=True), printed="SKCE_b, never negative, taken for an unbiased estimate"),
        Step(r"\mathbb{E}\;\mathrm{mean}_{i \neq j}\ k_{ij}\,\langle\delta_i,\, \delta_j\rangle", "Without them each pair is a fair pair of independent draws. This is the JKCE that the paper reports: negative values can occur.",
             lambda w: _over_data_sets(w, own=False)),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _three_laws(rng):
    """Four predictions, two marginals over them, and three families of label frequencies."""
    p, laws = spots(rng, 6), rng.dirichlet(np.ones(3), (3, 4))
    return {"p": p, "phi": np.linalg.cholesky(kernel(p[:4])), "P": rng.dirichlet(3 * np.ones(4)), "P2": rng.dirichlet(3 * np.ones(4)), "laws": laws}  # fmt: skip


def _operator(w, a, marginal):
    """C_{Y|p} = C_{Yp} C_{pp}⁻¹ under a marginal, for family a of label laws."""
    weighted = w[marginal][:, None] * w["phi"]
    return w["laws"][a].T @ weighted @ np.linalg.inv(w["phi"].T @ weighted)


def _between(w, a, b, marginal="P"):
    return np.linalg.norm(_operator(w, a, marginal) - _operator(w, b, marginal))


def _shortest(w):
    """Least-norm functions Σ_b β_b k(·, z_b), z the four predictions and two more, through given values."""
    phi = np.linalg.cholesky(kernel(w["p"]))[:4]
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
             lambda w: np.sqrt(np.trace(_difference(w).T @ np.linalg.solve(kernel(w["p"][:4]), _difference(w))))),
        Step(r"\min\,\{\,\|g\|_H :\ g(p_a) = r_Y(p_a) - r_Z(p_a)\,\}", "By search among sums of k(·, z), z at these four and two more predictions: the shortest function through these values. So CMMD = ‖r_Y − r_Z‖.", _shortest),
        Step(r"\|C_{Y|p} - C_{V|p}\|_{HS} + \|C_{V|p} - C_{Z|p}\|_{HS}", "A third label V: no detour is shorter. A norm keeps the triangle inequality.",
             lambda w: _between(w, 0, 2) + _between(w, 2, 1), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip


# Labels in an order, such as 1, 2, 3 stars: a kernel under which neighbours are alike.
ORDERED = np.exp(-np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2)


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
             lambda w: skce(w["y"], np.full((60, M), 1 / M), kernel=KERNEL)),
        Step(r"(1 + \frac{1}{m})\ \mathrm{mean}_{i \neq j}\,(1[y_i = y_j] - \frac{1}{m})", "k(p, p) = ‖p‖² + 1 = 1/m + 1, and ⟨p, p⟩ = ⟨p, e_y⟩ = 1/m.", lambda w: (1 + 1 / M) * _off_diagonal_agreement(w)),
        Step(r"(1 + \frac{1}{m})\,(\,\sum_c \frac{n_c(n_c - 1)}{n(n - 1)} - \frac{1}{m}\,)", "n_c rows have label c: that many ordered pairs agree. Equal n_c on all of the 50,000 validation rows would make it −.00002.", lambda w: (1 + 1 / M) * (_counts(w) - 1 / M)),
        Step(r"-0.002", "No choice of rows can give this: see the next line.", lambda w: -0.002, printed="Table 1, model “Marginal”, JKCE (errata C1)"),
        Step(r"-(1 + \frac{1}{m})\,\frac{1}{m}", "No count is negative. The least value is that of rows with 60 different labels: −.001001.", lambda w: -(1 + 1 / M) / M, relation=">="),
    ),
)  # fmt: skip


def _shifted(rng):
    """Four predictions with fixed label frequencies, two marginals, a penalty."""
    p, r = spots(rng, 4), rng.dirichlet(np.ones(3), 4)
    return {"p": p, "r": r, "phi": np.linalg.cholesky(kernel(p)), "P": rng.dirichlet(3 * np.ones(4)), "P2": rng.dirichlet(3 * np.ones(4)), "lam": penalty(rng)}  # fmt: skip


def _ckce(w, marginal="P"):
    """‖(C + λ)⁻¹S‖² with S summed over predictions and labels."""
    weight, phi = w[marginal], w["phi"]
    S = sum(weight[a] * w["r"][a, c] * np.outer(phi[a], w["p"][a] - np.eye(3)[c]) for a in range(4) for c in range(3))
    return squared(np.linalg.solve(_second_moment(w, marginal) + w["lam"] * np.eye(4), S))


def _second_moment(w, marginal="P"):
    return w["phi"].T @ (w[marginal][:, None] * w["phi"])


def _coefficients(w):
    """B with g(p) = Bᵀφ(p)."""
    return np.linalg.solve(w["phi"], w["p"] - w["r"])


def _shrunk(w):
    mu, directions = np.linalg.eigh(_second_moment(w))
    return ((mu / (mu + w["lam"])) ** 2) @ ((directions.T @ _coefficients(w)) ** 2).sum(axis=1)


not_constant = Derivation(
    title="CKCE does move when the inputs shift",
    claim="With a penalty λ > 0 the CKCE depends on how often each p occurs, though g(p) = E[δ | p] stays. As λ → 0 it tends to ‖g‖², which does not.",
    world=_shifted,
    describe=lambda w: f"λ = {w['lam']:.3f}",
    steps=(
        Step(r"\mathrm{CKCE}_{\lambda}(P) = \|(C + \lambda I)^{-1} S\|^2,\quad C = \mathbb{E}\,\varphi\varphi^T,\ S = \mathbb{E}\,\varphi\,\delta^T",
             "Four predictions with marginal P(p), means taken exactly; φ = φ(p) are the features of k, δ = p − e_Y. This is what the estimate tends to if λ is kept.", _ckce),
        Step(r"\|(C + \lambda I)^{-1} C B\|^2,\quad g(p) = B^T\varphi(p)", "E[δ | p] = g(p). With g in the RKHS, in coordinates B, S = E φ gᵀ = C B: the marginal is in C.",
             lambda w: squared(np.linalg.solve(_second_moment(w) + w["lam"] * np.eye(4), _second_moment(w) @ _coefficients(w)))),
        Step(r"\sum_j \mu_j^2\,\|b_j\|^2 \,/\, (\mu_j + \lambda)^2", "C v_j = μ_j v_j and b_j = Bᵀv_j. Directions that P seldom visits have a small μ_j: they are shrunk, and P decides which.", _shrunk),
        Step(r"\mathrm{CKCE}_{\lambda}(P')", "The inputs shift to P'; the predictions p and the truth P(Y | p) at each of them are the same.",
             lambda w: _ckce(w, "P2"), printed="§3: “the CKCE is not impacted by the marginal distribution” (errata C3)"),
        Step(r"\|g\|_H^2 = \|B\|^2", "Each factor μ_j/(μ_j + λ) is below 1. This norm knows no P: it is the squared CMMD, eq. 6.",
             lambda w: np.trace((w["p"] - w["r"]).T @ np.linalg.solve(kernel(w["p"]), w["p"] - w["r"])), relation="<="),
        Step(r"(1 + \lambda / \mu_{min})^2\ \mathrm{CKCE}_{\lambda}(P)", "No factor is below that of the smallest μ_j. Between the last two lines λ → 0 leaves no room: CKCE tends to ‖g‖², for every P.",
             lambda w: (1 + w["lam"] / np.linalg.eigvalsh(_second_moment(w))[0]) ** 2 * _ckce(w), relation="<="),
    ),
    tolerance=1e-10,
)  # fmt: skip
