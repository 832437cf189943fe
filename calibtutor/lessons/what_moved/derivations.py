"""The CKCE of another crowd, with a penalty and as it goes to 0; why endless predictions have no limit."""

import numpy as np

from ...teach.derive import Derivation, Step
from ...teach.expressions import Letters, along
from ..shared import ckce_atoms as kit
from . import endless


def _shifted(rng):
    """Four predictions with fixed label frequencies, two crowds, a penalty."""
    p, r = kit.spots(rng, 4), rng.dirichlet(np.ones(3), 4)
    return {"p": p, "r": r, "phi": np.linalg.cholesky(kit.kernel(p)), "P": rng.dirichlet(3 * np.ones(4)), "P2": rng.dirichlet(3 * np.ones(4)), "lam": kit.penalty(rng)}


def _moved(w):
    """p, φ(p) and δ under P, w = P'/P; the g(p) = Gᵀφ(p) as rows of R; μ_j and v_j of C under P."""
    R, (mu, v) = w["p"] - w["r"], np.linalg.eigh(w["phi"].T @ (w["P"][:, None] * w["phi"]))
    p, phi, ratio = (np.repeat(each, 3, axis=0) for each in (w["p"], w["phi"], w["P2"] / w["P"]))
    drawn = {"p": p, "phi": phi, "delta": p - np.tile(np.eye(3), (4, 1)), "w": ratio}
    known = {"lam": w["lam"], "I": np.eye(4), "G": np.linalg.solve(w["phi"], R), "R": R, "K": kit.kernel(w["p"]),
             "mu": mu, "v": v.T, "j": along("j", range(4))}
    return Letters({"o": ((w["P"][:, None] * w["r"]).ravel(), drawn)}, known, {"directions": 4})


not_constant = Derivation("CKCE when the inputs shift",
    "In a world of four predictions the CKCE with a penalty λ lies between two multiples of ‖g‖², where g(p) = E[δ | p]; here they meet as λ → 0.",
    Step("CKCE = norm2(inv(C + lam * I) @ S); C = E(outer(phi, phi)); S = E(outer(phi, delta))",
         "Four predictions with shares P(p), means taken exactly; φ = φ(p) are the features of k, δ = p − e_Y. This is what the estimate tends to if λ is kept."),
    Step("norm2(inv(C + lam * I) @ C @ G); E(delta, given=p) = G.T @ phi",
         "E[δ | p] = g(p) = Gᵀφ(p). With g in the RKHS, in coordinates G, S = E φ gᵀ = C G: the shares are in C."),
    Step("sum(mu[j]**2 * norm2(G.T @ v[j]) / (mu[j] + lam)**2 for j in directions); C @ v[j] = mu[j] * v[j]",
         "Directions v_j that P seldom visits have a small μ_j: they are shrunk, and P decides which."),
    Step("norm2(inv(C + lam * I) @ S); C = E(w * outer(phi, phi)); S = E(w * outer(phi, delta))",
         "The inputs shift to P' = w P; the predictions p and the truth P(Y | p) at each of them are the same.", printed="what holds without a penalty (eq. 6), carried over to λ > 0"),
    Step("norm2(G) = tr(R.T @ inv(K) @ R)",
         "Each factor μ_j/(μ_j + λ) is below 1. This norm ‖g‖² knows no P: it is the squared CMMD, eq. 6, with the g(p_a) as rows of R.", relation="<="),
    Step("(1 + lam / min(mu[j] for j in directions))**2 * CKCE",
         "No factor is below that of the smallest μ_j. Between the last two lines λ → 0 leaves no room: CKCE tends to ‖g‖², for every P. That needs every μ_j above 0: four predictions, not endless ones.", relation="<="),
    world=_shifted, letters=_moved, describe=lambda w: f"λ = {w['lam']:.3f}", write=1, tolerance=1e-10,
    slips=(
        ("norm2(inv(C + lam * I) @ G)", "One factor is missing: S is C G, and C holds how often each prediction occurs."),
        ("norm2(G)", "That is the limit as λ → 0: with a penalty (C + λI)⁻¹C is not the identity.")))


def _nested_inputs(rng):
    """Sixteen inputs x of the paper's world, those of smaller worlds first; a bandwidth."""
    x = endless.atoms(16, -1 + rng.uniform(0.005, 0.05))[[*range(0, 16, 4), *range(2, 16, 4), *range(1, 16, 2)]]
    gamma = rng.uniform(0.2, 0.3)
    return {"x": x, "gamma": gamma, "squares": endless.squares(*endless.exact_world(x, gamma))}


def _few(w, m):
    """Kernel matrix of the first m inputs, and their misses in both classes as rows: doubles are enough for eight."""
    K, miss = (np.array(each, dtype=float) for each in endless.exact_world(w["x"][:m], w["gamma"]))
    return K, np.column_stack([-miss, miss])


def _added_squares(w):
    """K and R of four and of eight inputs; L⁻¹R of sixteen, but for signs, computed in eighty digits."""
    (K_4, R_4), (K_8, R_8) = _few(w, 4), _few(w, 8)
    c = np.sqrt(np.array(w["squares"], dtype=float) / 2)[:, None] * [-1, 1]
    return Letters(known={"K_4": K_4, "R_4": R_4, "K_8": K_8, "R_8": R_8, "c": c}, sets={"inputs": 16})


no_limit = Derivation("From four predictions to endless ones",
    "In a world of m predictions the CKCE tends, as λ → 0, to a sum of m squares. Follow it as predictions are added.",
    Step("tr(R_4.T @ inv(K_4) @ R_4)",
         "As λ → 0 the CKCE of four inputs tends to this, whatever their shares, as above: the squared length of the shortest function through four misses. Row a of R_4 is the miss at p_a = σ(5 x_a), −g and g for the two classes, g(p) = σ(5x) − σ(x), a = 0, …, 3; K_4 holds k(p_a, p_b), kernel (8)."),
    Step("sum(norm2(c[a]) for a in inputs if a < 4)",
         "With K = LLᵀ, L triangular, the c_a are the rows of L⁻¹R: RᵀK⁻¹R is (L⁻¹R)ᵀL⁻¹R, a sum of squares."),
    Step("tr(R_8.T @ inv(K_8) @ R_8)",
         "Eight predictions, these four and four between. The curve and the kernel are the same; there are more predictions.", printed="§3: the limit as a property of the curve alone; the shortest function through four misses is not the one through eight"),
    Step("sum(norm2(c[a]) for a in inputs if a < 8)",
         "L is triangular, so the first four c_a stay, and each further prediction adds a square: what the function through the former ones misses there, divided by L_aa.", relation="<="),
    Step("sum(norm2(c[a]) for a in inputs if a < 16)",
         "No bound is in sight, and with endless predictions there is none. A function of kernel (8) extends smoothly to the whole complex plane, so that its values on an interval fix it everywhere. The miss is p − σ(logit(p)/5), and with it ((1 − p)/p)^(1/5), which comes back with another value from a turn round p = 0: no function of the space is the miss (C3b).", relation="<="),
    world=_nested_inputs, letters=_added_squares, describe=lambda w: f"γ = {w['gamma']:.2f}", tolerance=1e-8)
