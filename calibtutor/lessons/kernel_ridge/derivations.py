"""Derivations: kernel ridge regression on pairs, ukkr in two forms, and sums over pairs in linear time."""

import numpy as np

from ...kernels import rbf
from ...predictions import residuals
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along

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
    """The data's K and Δ, eigenvalues nμ_i and eigenvectors q_i of K, and the coefficients α of eq. 28."""
    eigenvalues, q = np.linalg.eigh(_gram(w))
    alpha = _solved(_gram(w), LAMBDA * 25, _targets(w))
    known = {"n": 5, "lam": LAMBDA, "K": _gram(w), "Delta": residuals(w["y"], w["p"]), "alpha": alpha}
    known |= {"mu": eigenvalues / 5, "q": q.T}
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
        Step("J(beta); beta = sum(inner(q[i], Delta @ Delta.T @ q[j]) / ((n*mu[i] + sqrt(lam)*n) * (n*mu[j] + sqrt(lam)*n)) * outer(q[i], q[j]) for i in rows for j in rows)",
             "This adds λn² to a product of eigenvalues, and two cross terms with it.", printed="a common slip: λ shared between the factors"),
        Step("J(beta); beta = sum(inner(q[i], Delta @ Delta.T @ q[j]) / (n*mu[i]*n*mu[j] + lam*n**2) * outer(q[i], q[j]) for i in rows for j in rows); K @ q[i] = n*mu[i] * q[i]",
             "Eq. 29: with orthonormal eigenvectors q_i and eigenvalues nμ_i of K it is a division entry by entry."),
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
        Step("inner(g_hat(q), g_hat(t)); g_hat(x) = Delta.T @ inv(K + lam * n * I) @ k(x)",
             "Ridge regression of δ on p, at any two other predictions q and t; the vector k(x) holds k(p_i, x) for all data."),
        Step("phi(q).T @ inv(C + lam * n * I) @ S @ S.T @ inv(C + lam * n * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "C is a mean over the data already: n comes in twice.", printed="a common slip"),
        Step("phi(q).T @ inv(C + lam * I) @ S @ S.T @ inv(C + lam * I) @ phi(t); C = 1/n * Phi.T @ Phi; S = 1/n * Phi.T @ Delta",
             "The same with features: Φᵀ(ΦΦᵀ + λnI)⁻¹ = (ΦᵀΦ + λnI)⁻¹Φᵀ, C = ΦᵀΦ/n and S = ΦᵀΔ/n. This is what the package computes."),
    ),
    tolerance=1e-8,
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
    write=1,
    slips=(
        ("1/(n*(n - 1)) * norm2(z - h)", "the pairs (i, i) are still in it"),
        ("1/(n*(n - 1)) * (norm2(z) - inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
         "the cross term of a square comes twice"),
    ),
    steps=(
        Step("1/(n*(n - 1)) * sum((z[i, j] - h[i, j])**2 for i in rows for j in rows if i != j); z = Delta @ Delta.T; h = U @ M @ U.T",
             "The double loop."),
        Step("1/(n*(n - 1)) * (norm2(z) - 2 * inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
             "Expand the square and take the diagonal off."),
        Step("1/(n*(n - 1)) * (norm2(Delta.T @ Delta) - 2 * inner(U.T @ Delta @ Delta.T @ U, M) + tr(M @ U.T @ U)**2 - sum((z[i, i] - h[i, i])**2 for i in rows))",
             "‖h‖² is the sum of the squares of all entries; the squared trace has products of diagonal entries only.", printed="a common slip"),
        Step("1/(n*(n - 1)) * (norm2(Delta.T @ Delta) - 2 * inner(U.T @ Delta @ Delta.T @ U, M) + tr(M @ U.T @ U @ M @ U.T @ U) - sum((z[i, i] - h[i, i])**2 for i in rows))",
             "tr(AB) = tr(BA): no n × n matrix is left, only small ones. This is `calibration_risk`."),
    ),
    tolerance=1e-9,
)  # fmt: skip
