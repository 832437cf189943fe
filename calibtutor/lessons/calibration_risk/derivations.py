"""Derivations of notebook 03: the risk, its minimiser, its unbiased estimate, and the estimators it judges."""

import numpy as np
from scipy.special import gammaln

from ...data.worlds import random_world
from ...kernels import rbf
from ...predictions import residuals
from ...risk import fit_kde
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared.kce_atoms import ten_rows
from ..shared.letters import population


def _two_laws(rng):
    """Two predictions and the laws of their labels."""
    return {name: rng.dirichlet(np.ones(3)) for name in ("p", "p2", "law", "law2")}


def _two_labels(w):
    """p and p' with the labels' laws r and r': e_Y and e_Y' are drawn from them."""
    first, second = ((w[law], {name: np.eye(3)}) for law, name in (("law", "e_Y"), ("law2", "e_Yʹ")))
    return Letters({"Y": first, "V": second}, {"p": w["p"], "pʹ": w["p2"], "r": w["law"], "rʹ": w["law2"]})


minimiser = Derivation(
    title="What the loss is smallest for",
    claim="For two fixed predictions, whose labels Y and Y' have the laws r and r', the best single number is ⟨p − r, p' − r'⟩ "
    "(eq. 15, where these laws are P_Y and P_V).",
    world=_two_laws,
    letters=_two_labels,
    steps=(
        Step("(L(-1) - L(1)) / (2 * (L(-1) - 2*L(0) + L(1))); L(c) = E((inner(p - e_Y, p' - e_Y') - c)**2)",
             "The mean loss L(c) is a parabola: its bottom, from its values at −1, 0 and 1."),
        Step("E(inner(p - e_Y, p' - e_Y'))",
             "A squared loss is smallest at the mean."),
        Step("inner(p, p') - inner(r, r')",
             "The inner product of differences is no difference of inner products.", printed="a common slip"),
        Step("inner(p - r, p' - r')",
             "Y and Y' are independent, so both means go inside the product, which is linear in each factor."),
    ),
)  # fmt: skip


def _world_and_h(rng):
    """A finite world and some bilinear h(p, q) = pᵀMq + b."""
    m = rng.normal(size=(3, 3))
    return {"world": random_world(rng, n_kinds=5), "m": m + m.T, "b": rng.normal()}


def _bilinear(w):
    return population(w["world"], h=lambda p, q: ((p @ w["m"]) * q).sum(axis=-1) + w["b"])


excess_risk = Derivation(
    title="Excess risk is a distance",
    claim="The risk ranks functions by their squared distance to the truth.",
    world=_world_and_h,
    letters=_bilinear,
    start=3,
    write=1,
    slips=(
        ("E((z - h_star)**2) - E((h_star - h(p, p'))**2)",
         "both squares are added, whatever the sign between z − h* and h* − h"),
    ),
    steps=(
        Step("E((z - h(p, p'))**2); z = inner(delta, delta')",
             "The risk, over two independent draws."),
        Step("E((z - h_star)**2) + 2 * E((z - h_star) * (h_star - h(p, p'))) + E((h_star - h(p, p'))**2); h_star = inner(p - r, p' - r')",
             "Add and subtract h*, and expand."),
        Step("Var(z) + E((h_star - h(p, p'))**2)",
             "Given p and p' the mean of z is h*, so the middle term is 0. But Var(z) is about one mean of all pairs, and h* varies.", printed="a common slip"),
        Step("E((z - h_star)**2) + E((h_star - h(p, p'))**2)",
             "Given p and p' the mean of z is h*, so the middle term is 0. The first term is R(h*)."),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _tiny(rng):
    """Two kinds, two classes: 64 data sets of three rows, and a bilinear h."""
    m = rng.normal(size=(2, 2))
    return {"world": random_world(rng, n_kinds=2, n_classes=2, shared=False), "m": m + m.T, "b": rng.normal()}


def _three_rows(w):
    """A population, and all its data sets of three rows."""
    letters = _bilinear(w)
    mass, kinds, labels = w["world"].samples(3)
    p = w["world"].predictions[kinds]
    letters.draws["D"] = mass, {"p_data": p, "delta_data": p - np.eye(2)[labels]}
    return Letters(letters.draws, letters.known | {"n": 3}, {"rows": 3})


unbiased = Derivation(
    title="Why the diagonal is left out",
    claim="For an h that was not fitted on these data the mean over pairs i ≠ j is unbiased for the risk (eq. 20); with the "
    "diagonal it is not.",
    world=_tiny,
    letters=_three_rows,
    steps=(
        Step("E((inner(delta, delta') - h(p, p'))**2)",
             "The risk in a world of two kinds and two classes."),
        Step("E(1/n**2 * sum((inner(delta_data[i], delta_data[j]) - h(p_data[i], p_data[j]))**2 for i in rows for j in rows))",
             "All pairs: on the diagonal a prediction meets its own label, ⟨δ_i, δ_i⟩, which is no independent pair.", printed="a tempting mean"),
        Step("E(1/(n*(n - 1)) * sum((inner(delta_data[i], delta_data[j]) - h(p_data[i], p_data[j]))**2 for i in rows for j in rows if i != j))",
             "Every data set of three rows times its probability: each pair i ≠ j is a fair draw, for a fixed h."),
    ),
    tolerance=1e-11,
)  # fmt: skip


def _dirichlet(q, p):
    """The density at q of a Dirichlet law with parameters p/.1 + 1."""
    a = p / 0.1 + 1
    return np.exp(gammaln(a.sum(axis=-1)) - gammaln(a).sum(axis=-1) + ((a - 1) * np.log(q)).sum(axis=-1))


def _rows(w):
    return Letters(known={"n": 10, "p": w["p"], "y": w["y"], "e": np.eye(3), "k": _dirichlet}, sets={"rows": 10})


kde_is_a_mean = Derivation(
    title="The kernel density ratio as a function of pairs",
    claim="The squared kernel estimate as printed is the mean of h_kde(p, p) over the data (eq. 26).",
    world=ten_rows,
    letters=_rows,
    start=11,
    steps=(
        Step("1/n * sum(norm2(p[i] - r_hat(p[i])) for i in rows); r_hat(q) = sum(k(q, p[j]) * e[y[j]] for j in rows) / sum(k(q, p[j]) for j in rows)",
             "Eq. 11 as printed, bandwidth .1: a mean of the labels' unit vectors, weighted by the kernel."),
        Step("1/n * sum(inner(v(p[i]), v(p[i])) for i in rows); v(q) = sum(k(q, p[j]) * (p[j] - e[y[j]]) for j in rows) / sum(k(q, p[j]) for j in rows)",
             "A weighted mean of residuals has the mean of the p_j near p in the place of p.", printed="a common slip"),
        Step("1/n * sum(inner(u(p[i]), u(p[i])) for i in rows); u(q) = q - r_hat(q)",
             "Name the difference u."),
        Step(r"\frac{1}{n}\sum_i h_{kde}(p_i,\, p_i)", "h_kde(p, p') = ⟨u(p), u(p')⟩ on the diagonal. (The authors of this estimator leave point i out of its own estimate: errata G9.)",
             lambda w: fit_kde(w["y"], w["p"], bandwidth=0.1).diagonal(w["p"]).mean()),
    ),
)  # fmt: skip


LAMBDA, GAMMA = 0.01, 20.0


def _small(rng):
    """Five predictions for training, four others to look at."""
    return {
        "y": rng.integers(0, 3, 5), "p": rng.dirichlet(np.ones(3), 5),
        "y2": rng.integers(0, 3, 4), "p2": rng.dirichlet(np.ones(3), 4),
    }  # fmt: skip


def _gram(w):
    return rbf(gamma=GAMMA)(w["p"])


def _targets(w):
    delta = residuals(w["y"], w["p"])
    return delta @ delta.T


def _objective(w, a):
    """Mean squared misfit of h = Σ a_ij k(·, p_i) k(p_j, ·) over all pairs, plus λ‖h‖² (eq. 27, corrected)."""
    k = _gram(w)
    return np.mean((_targets(w) - k @ a @ k) ** 2) + LAMBDA * np.sum(a * (k @ a @ k))


def _least_squares(w):
    """Minimise the objective over the 25 coefficients with a general least-squares solver."""
    k, n = _gram(w), 5
    design = np.kron(k, k)
    root = np.linalg.cholesky(np.kron(k, k)).T  # ‖root a‖² = aᵀ(K ⊗ K)a
    system = np.vstack([design / n, np.sqrt(LAMBDA) * root])
    aim = np.concatenate([_targets(w).ravel() / n, np.zeros(n * n)])
    return np.linalg.lstsq(system, aim, rcond=None)[0].reshape(n, n)


def _solved(matrix, penalty, target):
    """X with matrix X matrix + penalty X = target, for a symmetric matrix."""
    n = len(matrix)
    system = np.kron(matrix, matrix) + penalty * np.eye(n * n)
    return np.linalg.solve(system, target.ravel()).reshape(n, n)


def _ridge(w):
    """The data's K and Δ, eigenvalues l_i and eigenvectors q_i of K, and the coefficients α of eq. 28."""
    l, q = np.linalg.eigh(_gram(w))
    alpha = _solved(_gram(w), LAMBDA * 25, _targets(w))
    known = {"n": 5, "lam": LAMBDA, "K": _gram(w), "Delta": residuals(w["y"], w["p"]), "alpha": alpha, "l": l, "q": q.T}
    return Letters(known=known | {"I": np.eye(25), "i": along("i", range(5))}, sets={"rows": 5})


kernel_ridge = Derivation(
    title="Kronecker kernel ridge regression",
    claim="The regularised least-squares problem over all pairs has a closed form that needs one eigendecomposition.",
    world=_small,
    letters=_ridge,
    steps=(
        Step(r"\min_h\ \frac{1}{n^2}\sum_{i, j}(\langle\delta_i, \delta_j\rangle - h(p_i, p_j))^2 + \lambda\,\|h\|^2",
             "Eq. 27 with h(p_i, p_j), solved by a general least-squares routine over all n² coefficients.",
             lambda w: _objective(w, _least_squares(w))),
        Step("J(alpha); J(a) = 1/n**2 * norm2(Delta @ Delta.T - K @ a @ K) + lam * inner(a, K @ a @ K); (kron(K, K) + lam * n**2 * I) @ vec(alpha) = vec(Delta @ Delta.T)",
             "Eq. 28: the n² linear equations for the n² coefficients, solved. ΔΔᵀ holds the products z_ij, and KαK the values h(p_i, p_j)."),
        Step("J(beta); beta = sum(inner(q[i], Delta @ Delta.T @ q[j]) / ((l[i] + sqrt(lam)*n) * (l[j] + sqrt(lam)*n)) * outer(q[i], q[j]) for i in rows for j in rows)",
             "This adds λn² to a product of eigenvalues, and two cross terms with it.", printed="a common slip: λ shared between the factors"),
        Step("J(beta); beta = sum(inner(q[i], Delta @ Delta.T @ q[j]) / (l[i]*l[j] + lam*n**2) * outer(q[i], q[j]) for i in rows for j in rows); K @ q[i] = l[i] * q[i]",
             "Eq. 29: with orthonormal eigenvectors q_i and eigenvalues l_i of K it is a division entry by entry."),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _features(w):
    """Φ with ΦΦᵀ = K, and the features of other predictions in the span of these."""
    root = np.linalg.cholesky(_gram(w))
    return root, lambda q: _near(w)(q) @ np.linalg.inv(root).T


def _near(w):
    """q ↦ the vector of k(p_i, q)."""
    return lambda q: np.exp(-GAMMA * ((q[..., None, :] - w["p"]) ** 2).sum(axis=-1))


def _looked_at(w):
    """Data to fit on, and any two of four other predictions q and t."""
    root, phi = _features(w)
    known = {"n": 5, "lam": LAMBDA, "K": _gram(w), "Delta": residuals(w["y"], w["p"]), "Phi": root, "I": np.eye(5)}
    return Letters(known=known | {"k": _near(w), "phi": phi, "q": along("q", w["p2"]), "t": along("t", w["p2"])})


plug_in = Derivation(
    title="Two steps: regress, then multiply",
    claim="ukkr is the ridge regression of the residual on the prediction, put into the inner product (eq. 32).",
    world=_small,
    letters=_looked_at,
    steps=(
        Step("inner(g_hat(q), g_hat(t)); g_hat(s) = Delta.T @ inv(K + lam * n * I) @ k(s)",
             "Ridge regression of δ on p, at any two other predictions q and t; the vector k(s) holds k(p_i, s) for all data."),
        Step("phi(q).T @ inv(C + lam * n * I) @ S @ S.T @ inv(C + lam * n * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "C is a mean over the data already: n comes in twice.", printed="a common slip"),
        Step("phi(q).T @ inv(C + lam * I) @ S @ S.T @ inv(C + lam * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "The same with features: Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ, C = ΦᵀΦ/n and S = ΦᵀΔ/n. This is what the package computes."),
    ),
    tolerance=1e-8,
)  # fmt: skip


def _without_penalty(w):
    delta = residuals(w["y"], w["p"])
    known = {"n": 5, "K": _gram(w), "Delta": delta, "delta": delta, "A": _solved(_gram(w), 0.0, _targets(w))}
    return Letters(known=known | {"I": np.eye(5), "i": along("i", range(5)), "j": along("j", range(5))})


two_ridges = Derivation(
    title="When the two ridge regressions agree",
    claim="At λ = 0, with K invertible, kkr and ukkr both reproduce ⟨δ_i, δ_j⟩ at the data; with a penalty neither does.",
    world=_small,
    letters=_without_penalty,
    steps=(
        Step("(K @ A @ K)[i, j]; kron(K, K) @ vec(A) = vec(Delta @ Delta.T)",
             "kkr at λ = 0, at all pairs of training predictions."),
        Step("(K @ B @ B.T @ K)[i, j]; B = inv(K) @ Delta",
             "ukkr at λ = 0: without a penalty both interpolate. (The paper does not say that K must be invertible: errata G28.)"),
        Step("(K @ B @ B.T @ K)[i, j]; B = inv(K + 0.01 * n * I) @ Delta",
             "ukkr at λ = .01: a penalty shrinks, the fit no longer passes through its targets.", printed="“they agree”, carried over to a penalty above 0"),
        Step("inner(delta[i], delta[j])",
             "The targets themselves."),
    ),
    tolerance=1e-9,
)  # fmt: skip


def _judged(w):
    """kkr as h(p, q) = φ(p)ᵀMφ(q), fitted on five rows, and four other rows to judge it on: U has their features."""
    root, phi = _features(w)
    moment = root.T @ residuals(w["y"], w["p"]) / 5
    M = _solved(root.T @ root / 5, LAMBDA, moment @ moment.T)
    known = {"n": 4, "Delta": residuals(w["y2"], w["p2"]), "U": phi(w["p2"]), "M": M}
    return Letters(known=known, sets={"rows": 4})


linear_time = Derivation(
    title="A sum over all pairs in linear time",
    claim="Because h is bilinear in few features, the sums over n² pairs are traces of small matrices (eqs. 30–31, generalised).",
    world=_small,
    letters=_judged,
    start=1,
    steps=(
        Step("1/(n*(n - 1)) * sum((z[i, j] - h[i, j])**2 for i in rows for j in rows if i != j); z = Delta @ Delta.T; h = U @ M @ U.T",
             "The double loop."),
        Step("1/(n*(n - 1)) * (norm2(z) - 2 * inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
             "Expand the square and take the diagonal off."),
        Step("1/(n*(n - 1)) * (norm2(Delta.T @ Delta) - 2 * inner(U.T @ Delta @ Delta.T @ U, M) + tr(M @ U.T @ U)**2 - sum((z[i, i] - h[i, i])**2 for i in rows))",
             "‖h‖² is the sum of the squares of all entries; the squared trace has products of diagonal entries only.", printed="a common slip"),
        Step("1/(n*(n - 1)) * (norm2(Delta.T @ Delta) - 2 * inner(U.T @ Delta @ Delta.T @ U, M) + tr(M @ U.T @ U @ M @ U.T @ U) - sum((z[i, i] - h[i, i])**2 for i in rows))",
             "tr(AB) = tr(BA): every n × n matrix becomes d × d or r × r. This is `calibration_risk`."),
    ),
    tolerance=1e-9,
)  # fmt: skip
