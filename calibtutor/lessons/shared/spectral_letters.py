"""Letters of derivations along eigendirections: S = ΦᵀΔ/n, C = ΦᵀΦ/n, C v_j = μ_j v_j, and s_j = v_jᵀS."""

import numpy as np

from ...errors.kce import skce
from ...teach.expressions import Letters, along
from .ckce_atoms import KERNEL, kernel_of


def spectral(s, **more):
    """Six rows: p_i, δ_i, features φ with K = ΦΦᵀ, eigenvalues μ_j and eigenvectors v_j of C = ΦᵀΦ/n, a penalty λ.

    `more` are further letters; with m, the number of other predictions, there is a set of them.
    """
    mu, v = np.linalg.eigh(s.C)
    features = lambda p: kernel_of(p[..., None, :], s.p) @ np.linalg.inv(s.phi).T
    known = {
        "n": s.n, "lam": s.lam, "p": s.p, "delta": s.delta, "k": kernel_of, "phi": features, "Phi": s.phi, "Delta": s.delta,
        "K": s.K, "I": np.eye(s.n), "mu": mu, "v": v.T, "j": along("j", range(s.n)),
        "SKCE_b": skce(s.y, s.p, kernel=KERNEL, estimator="biased")} | more
    return Letters(known=known, sets={"rows": s.n, "directions": s.n} | ({"tests": more["m"]} if "m" in more else {}))
