"""Mean and scatter of random features; the trace and the embedding behind the CKCE; its limit without a penalty."""

import numpy as np

from ...data.worlds import random_world
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters
from ..shared import ckce_atoms as kit
from ..shared.letters import features, population

# Labels in an order, such as 1, 2, 3 stars: neighbours are alike. ψ(j) is row j of a root of the matrix.
ORDERED = np.exp(-np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2)
PSI = np.linalg.cholesky(ORDERED)


def _operators(w):
    """Features of predictions and labels, and values of both kernels."""
    mass, z = kit.drawn_labels(w)
    known = {"n": w.n, "lam": w.lam, "I": np.eye(w.n), "Phi": w.phi, "K": w.K, "Psi_Y": PSI[w.y].T, "M_Z": (w.p @ PSI).T,
             "L_YY": ORDERED[np.ix_(w.y, w.y)], "L_ZZ": w.p @ ORDERED @ w.p.T, "L_ZY": w.p @ ORDERED[:, w.y]}
    return Letters({"Z": (mass, {"Psi_Z": np.swapaxes(PSI[z], 1, 2)})}, known)


trace_formula = Derivation("From operators to kernel matrices",
    "The squared distance of two estimated conditional mean operators Ĉ (eq. 4), of observed labels Y and of labels Z drawn from the predictions p, is a trace of n × n matrices (eq. 7).",
    Step("norm_HS(C_Y - C_Z)**2; C_Y = Psi_Y @ W @ Phi; C_Z = M_Z @ W @ Phi; W = inv(K + lam * n * I)",
         "Ĉ_Y|p and Ĉ_Z|p, here C_Y and C_Z, with K_ij = k(p_i, p_j). Rows: φ(p_i) in Φ. Columns: the observed label's ψ(y_i) in Ψ_Y, the predicted mean Σ_j p_i[j] ψ(j) in M_Z; n = 6."),
    Step("tr(Phi.T @ W @ D.T @ D @ W @ Phi); D = Psi_Y - M_Z", "‖A‖² = Tr(AᵀA), and W is symmetric."),
    Step("tr(W @ D.T @ D @ W)",
         "This measures the weights, not the functions that they make: ΦΦᵀ is not the identity.", printed="a common slip: K left out"),
    Step("tr(W @ D.T @ D @ W @ K)",
         "A trace does not mind which factor comes first, so Φᵀ moves to the end, where ΦΦᵀ = K."),
    Step("tr(W @ (L_ZZ + L_YY - L_ZY - L_ZY.T) @ W @ K); L_ZZ = M_Z.T @ M_Z; L_YY = Psi_Y.T @ Psi_Y; L_ZY = M_Z.T @ Psi_Y",
         "Eq. 7. All entries are values of the label kernel l(j, j') = ⟨ψ(j), ψ(j')⟩, here exp(−|j − j'|/2): L_YY holds l(y_i, y_j), L_ZY its mean over a label from p_i, L_ZZ that over two, from p_i and p_j."),
    Step("E_Z(norm_HS(C_Y - Psi_Z @ W @ Phi)**2)",
         "Drawn labels Z_i ~ p_i in place of their means (all 3⁶ vectors): noise is added on the diagonal. This is why the paper uses M_Z.", relation="<="),
    world=kit.six_rows, letters=_operators, describe=kit.lambda_is, tolerance=1e-10)


def _two_kinds(rng):
    """A world of two predictions, its atoms (p, y), and all 216 data sets of three rows."""
    world = random_world(rng, n_kinds=2, shared=False)
    mass, kinds, labels = world.samples(3)
    return {"world": world, "mass": mass, "p": world.predictions[kinds], "y": labels}


def _joint_laws(w):
    """(p, e_Y) of the population, (q, e_Z) with labels drawn from the predictions, and all data sets of three rows."""
    world = w["world"]
    letters = population(world, k=kit.kernel_of, phi=features(kit.kernel_of, world.predictions))
    q, e = letters.draws["o"][1]["p"], letters.draws["o"][1]["e_Y"]
    drawn = (world.weights[:, None] * world.predictions).ravel(), {"q": q, "e_Z": e}
    sets = w["mass"], {"p_data": w["p"], "delta_data": w["p"] - kit.one_hot(w["y"])}
    return Letters({**letters.draws, "m": drawn, "D": sets}, letters.known | {"n": 3}, {"rows": 3})


jkce_is_skce = Derivation("The distance between joint laws is the SKCE",
    "With κ = 1[y = y'] k(p, p') the joint kernel calibration error (eq. 11) is SKCE = E k(p, p')⟨δ, δ'⟩, and SKCE_uq estimates it without bias.",
    Step("norm2(E(outer(e_Y, phi(p))) - E(outer(e_Z, phi(q))))",
         "Eq. 11, the squared distance of the mean embeddings of two joint laws. Y is the real label; Z is one drawn from the prediction, which is then called q. ψ(y) = e_y, and φ are the features of k."),
    Step("E(k(p, p') * inner(e_Y, e_Y')) + E(k(q, q') * inner(e_Z, e_Z')) - 2 * E(k(p, q) * inner(e_Y, e_Z))",
         "Eq. 3, the squared MMD, for the two joint laws, with κ = k ⟨e, e'⟩; a prime marks an independent draw."),
    Step("SKCE = E(k(p, p') * inner(delta, delta'))",
         "Given p, the mean of e_Z is p. So the four means of indicators are the expanded product of p − e_Y and p' − e_Y'."),
    Step("E(1/n**2 * sum(k(p_data[i], p_data[j]) * inner(delta_data[i], delta_data[j]) for i in rows for j in rows))",
         "Where i = j a label meets itself. All 216 data sets of n = 3 rows, each with its probability.", printed="SKCE_b, never negative, taken for an unbiased estimate"),
    Step("E(mean(k(p_data[i], p_data[j]) * inner(delta_data[i], delta_data[j]) for i in rows for j in rows if i != j))",
         "Without them each pair is a fair pair of independent draws. This is the JKCE that the paper reports: negative values can occur."),
    world=_two_kinds, letters=_joint_laws, tolerance=1e-11)


def _three_laws(rng):
    """Four predictions, two marginals over them, and three families of label frequencies."""
    p, laws = kit.spots(rng, 6), rng.dirichlet(np.ones(3), (3, 4))
    return {"p": p, "phi": np.linalg.cholesky(kit.kernel(p[:4])), "P": rng.dirichlet(3 * np.ones(4)), "P2": rng.dirichlet(3 * np.ones(4)), "laws": laws}


def _shortest(w):
    """Least-norm functions Σ_b β_b k(·, z_b), z the four predictions and two more, through given values."""
    phi = np.linalg.cholesky(kit.kernel(w["p"]))[:4]
    return np.linalg.norm(np.linalg.lstsq(phi, w["laws"][0] - w["laws"][1], rcond=None)[0])


def _exact_operators(w):
    """φ(p) and the frequencies of three labels under P; w = P'/P; K and R of the four predictions."""
    drawn = {"phi": w["phi"], "w": w["P2"] / w["P"], "r_Y": w["laws"][0], "r_Z": w["laws"][1], "r_V": w["laws"][2]}
    return Letters({"o": (w["P"], drawn)}, {"R": w["laws"][0] - w["laws"][1], "K": kit.kernel(w["p"][:4])})


cmmd = Derivation("CMMD is a norm, and free of the marginal",
    "The distance of two exact conditional mean operators (eq. 5) is the norm in the RKHS H of k of r_Y − r_Z: here no P(p) enters.",
    Step("CMMD = norm_HS(C_Y - C_Z); C_Y = E(outer(r_Y, phi)) @ inv(C_pp); C_Z = E(outer(r_Z, phi)) @ inv(C_pp); C_pp = E(outer(phi, phi))",
         "Four predictions; C_Y is E e_Y ⊗ φ(p) times the inverse of C_pp under a marginal P(p), r_Y = P(Y | p). φ = φ(p) are the features of k, and no λ. Z is another label with other frequencies."),
    Step("norm_HS(E(w * outer(r_Y - r_Z, phi)) @ inv(E(w * outer(phi, phi))))",
         "The same under another marginal P'(p) = w P(p). The operator must map φ(p) to the frequencies at each prediction. How often p occurs does not matter."),
    Step("sqrt(E(norm2(r_Y - r_Z)))",
         "The root of eq. 10 with d the squared MMD. It averages over P(p), so it moves with it: another norm.", printed="the mean error, taken for the CMMD"),
    Step("sqrt(tr(R.T @ inv(K) @ R))", "Row a of R is r_Y(p_a) − r_Z(p_a), and K_ab = k(p_a, p_b) has no weights."),
    Step(r"\min\,\{\,\|g\|_H :\ g(p_a) = r_Y(p_a) - r_Z(p_a)\,\}", "By search among sums of k(·, z), z at these four and two more predictions: the shortest function through these values. So CMMD = ‖r_Y − r_Z‖.", _shortest),
    Step("norm_HS(C_Y - C_V) + norm_HS(C_V - C_Z); C_V = E(outer(r_V, phi)) @ inv(C_pp)",
         "A third label V: no detour is shorter. A norm keeps the triangle inequality.", relation="<="),
    world=_three_laws, letters=_exact_operators, tolerance=1e-10)


def _pair(rng):
    """Two predictions p and q, a bandwidth γ, and a number D of frequencies."""
    return {"p": rng.dirichlet(np.ones(3)), "q": rng.dirichlet(np.ones(3)), "gamma": rng.uniform(0.6, 0.9), "D": int(rng.integers(1, 4))}


def _frequencies(w):
    """p and q; a frequency w in R³, a normal number ξ and D of them, g_j: nodes and weights of quadratures."""
    three, one, many = kit.normal_grid(3, 24), kit.normal_grid(1, 40), kit.normal_grid(w["D"], 20)
    draws = {"f": (three[1], {"w": three[0] / w["gamma"]}), "x": (one[1], {"xi": one[0][:, 0]})}
    draws["d"] = many[1], {"g": many[0]}
    return Letters(draws, {name: w[name] for name in ("p", "q", "gamma", "D")}, {"frequencies": w["D"]})


fourier_mean = Derivation("Fourier features have the right mean",
    "The mean of ⟨φ̂(p), φ̂(q)⟩ over random frequencies w ~ N(0, γ⁻²I) is the kernel of eq. 8, for every number D of frequencies.",
    Step("inner(p, q) + E(cos(inner(w, p)) * cos(inner(w, q)) + sin(inner(w, p)) * sin(inner(w, q)))",
         "The mean of ⟨φ̂(p), φ̂(q)⟩: φ̂(p) is p followed by cos(w_jᵀp)/√D and sin(w_jᵀp)/√D, j = 1, …, D. All j have the same mean, so D cancels. The integral over w in R³, by quadrature."),
    Step("inner(p, q) + E(cos(inner(w, u))); u = p - q",
         "cos a cos b + sin a sin b = cos(a − b): only the difference of the two predictions is left."),
    Step("inner(p, q) + 2 * E(cos(inner(w, p)) * cos(inner(w, q)))",
         "2 cos a cos b = cos(a − b) + cos(a + b): a second kernel, of p + q, comes along.", printed="a common slip: cosines without sines"),
    Step("inner(p, q) + E(cos(xi * norm(u) / gamma))",
         "wᵀu is a sum of normal numbers: normal, with mean 0 and variance ‖u‖²/γ²; ξ is a standard normal number."),
    Step("inner(p, q) + exp(-norm2(p - q) / (2*gamma**2))",
         "The characteristic function of a normal number: E cos(tξ) = exp(−t²/2). This is the kernel of eq. 8."),
    world=_pair, letters=_frequencies, describe=lambda w: f"D = {w['D']}, γ = {w['gamma']:.2f}", tolerance=1e-10)
fourier_variance = Derivation("How much Fourier features scatter",
    "The variance of ⟨φ̂(p), φ̂(q)⟩ is (1 − ρ(u)²)²/(2D), where u = p − q and ρ(u) = exp(−‖u‖²/2γ²) is the Gaussian part of kernel (8): none for near predictions, at most 1/(2D) for far ones.",
    Step("Var(1/D * sum(cos(g[j] * norm(u) / gamma) for j in frequencies)); u = p - q",
         "Var ⟨φ̂(p), φ̂(q)⟩: pᵀq is not random, and each pair of features makes one cosine, cos w_jᵀu, where w_jᵀu is g_j‖u‖/γ with a standard normal g_j. The D of them are independent: an integral in D dimensions."),
    Step("1/D * (E(cos(xi * norm(u) / gamma)**2) - rho(u)**2); rho(t) = exp(-norm2(t) / (2*gamma**2))",
         "The variance of a mean of D independent numbers is 1/D of the variance of one. Its mean is ρ(u)."),
    Step("1/(2*D) * (1 + rho(2*u) - 2*rho(u)**2)",
         "2 cos² t = 1 + cos 2t, so the mean of the square is half of 1 + ρ(2u)."),
    Step("1/D * (1 + 1/2 * rho(2*u) - rho(u)**2)",
         "The variance of another map, √(2/D) cos(wᵀp + b) with a random phase b: right mean too, but scatter even at p = q.", printed="the two usual maps taken for one"),
    Step("1/(2*D) * (1 - rho(u)**2)**2", "ρ(2u) = ρ(u)⁴, because ‖2u‖² = 4‖u‖²: a complete square."),
    Step("1/(2*D)",
         "ρ(u) is between 0 and 1. The error of the kernel therefore falls like 1/√D: four times the features for half of it.", relation="<="),
    world=_pair, letters=_frequencies,
    describe=lambda w: f"D = {w['D']}, ρ(u) = {np.exp(-np.sum((w['p'] - w['q']) ** 2) / (2 * w['gamma'] ** 2)):.2f}",
    tolerance=1e-10)
