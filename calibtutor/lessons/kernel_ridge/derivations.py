"""Derivations: kernel ridge regression on pairs, and sums over pairs in linear time."""

import numpy as np

from ...door.predictions import residuals
from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared.ridge_rows import LAMBDA, features, small, solved, targets


def _objective(w, M):
    """Mean squared misfit of h = φᵀMφ over all pairs, plus λ‖M‖²."""
    phi = features(w)[0]
    return np.mean((targets(w) - phi @ M @ phi.T) ** 2) + LAMBDA * np.sum(M**2)


def _least_squares(w):
    """Minimise the objective over the 25 entries of M with a general least-squares solver."""
    phi, n = features(w)[0], 5
    system = np.vstack([np.kron(phi, phi) / n, np.sqrt(LAMBDA) * np.eye(n * n)])
    aim = np.concatenate([targets(w).ravel() / n, np.zeros(n * n)])
    return np.linalg.lstsq(system, aim, rcond=None)[0].reshape(n, n)


def _fitted(w):
    """The data's Φ and Δ, the eigenvalues μ_i and eigenvectors v_i of C, and the M that solves the equations."""
    phi, delta = features(w)[0], residuals(w["y"], w["p"])
    C, S = phi.T @ phi / 5, phi.T @ delta / 5
    mu, v = np.linalg.eigh(C)
    known = {"n": 5, "lam": LAMBDA, "Phi": phi, "Delta": delta, "C": C, "S": S, "mu": mu, "v": v.T}
    known |= {"M": solved(C, LAMBDA, S @ S.T), "i": along("i", range(5))}
    return Letters(known=known, sets={"features": 5})


kernel_ridge = Derivation("Ridge regression on pairs",
    "The regularised least-squares problem over all pairs has a closed form that needs one eigendecomposition.",
    Step(r"\min_M\ \frac{1}{n^2}\sum_{i, j}(z_{ij} - \varphi(p_i)^\top M \varphi(p_j))^2 + \lambda\,\|M\|^2",
         "The problem, solved by a general least-squares routine over all entries of M.",
         lambda w: _objective(w, _least_squares(w))),
    Step("J(M); J(a) = 1/n**2 * norm2(Delta @ Delta.T - Phi @ a @ Phi.T) + lam * norm2(a); C @ M @ C + lam * M = S @ S.T",
         "The equations for M, solved. ΔΔᵀ holds the products z_ij, and ΦMΦᵀ the values h(p_i, p_j)."),
    Step("J(A); A = sum(inner(v[i], S @ S.T @ v[j]) / ((mu[i] + lam) * (mu[j] + lam)) * outer(v[i], v[j]) for i in features for j in features)",
         "This is ukkr: λ is added to each eigenvalue before they are multiplied.", printed="a common slip"),
    Step("J(A); A = sum(inner(v[i], S @ S.T @ v[j]) / (mu[i]*mu[j] + lam) * outer(v[i], v[j]) for i in features for j in features); C @ v[i] = mu[i] * v[i]",
         "M = v_i v_jᵀ makes the left side (μ_i μ_j + λ) v_i v_jᵀ. So in these matrices the solution is a division, entry by entry (eq. 29, with features)."),
    world=small, letters=_fitted, tolerance=1e-9)


def _judged(w):
    """kkr as h(p, q) = φ(p)ᵀMφ(q), fitted on five rows, and four other rows to judge it on: U has their features."""
    root, phi = features(w)
    moment = root.T @ residuals(w["y"], w["p"]) / 5
    M = solved(root.T @ root / 5, LAMBDA, moment @ moment.T)
    known = {"n": 4, "Delta": residuals(w["y2"], w["p2"]), "U": phi(w["p2"]), "M": M}
    return Letters(known=known, sets={"rows": 4})


linear_time = Derivation("A sum over all pairs in linear time",
    "Because h is bilinear in few features, the sums over n² pairs are traces of small matrices (eqs. 30–31, generalised).",
    Step("1/(n*(n - 1)) * sum((z[i, j] - h[i, j])**2 for i in rows for j in rows if i != j); z = Delta @ Delta.T; h = U @ M @ U.T",
         "The double loop."),
    Step("1/(n*(n - 1)) * (norm2(z) - 2 * inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
         "Expand the square and take the diagonal off."),
    Step("1/(n*(n - 1)) * (norm2(Delta.T @ Delta) - 2 * inner(U.T @ Delta @ Delta.T @ U, M) + tr(M @ U.T @ U)**2 - sum((z[i, i] - h[i, i])**2 for i in rows))",
         "‖h‖² is the sum of the squares of all entries; the squared trace has products of diagonal entries only.", printed="a common slip"),
    Step("1/(n*(n - 1)) * (norm2(Delta.T @ Delta) - 2 * inner(U.T @ Delta @ Delta.T @ U, M) + tr(M @ U.T @ U @ M @ U.T @ U) - sum((z[i, i] - h[i, i])**2 for i in rows))",
         "tr(AB) = tr(BA): no n × n matrix is left, only small ones. This is `calibration_risk`."),
    world=small, letters=_judged, start=1, write=1, tolerance=1e-9,
    slips=(("1/(n*(n - 1)) * norm2(z - h)", "The pairs (i, i) are still in the sum."),
           ("1/(n*(n - 1)) * (norm2(z) - inner(z, h) + norm2(h) - sum((z[i, i] - h[i, i])**2 for i in rows))",
            "The cross term of a square comes twice: yours comes once.")))
