"""The best bets of four classes in a world of which the truth is known."""

import numpy as np

from ...kernels import rbf


def best_opponents(world, bandwidth):
    """(what each earns, the bet that earns it) for sup over b in F of E⟨p − r, b(p)⟩ and four classes F.

    The classes are the unit balls of: constant vectors; linear maps p ↦ Ap with the Frobenius norm; the RKHS of exp(−‖p
    − p'‖²/2γ²)·I with γ = `bandwidth`; and functions with |b_k| <= 1 everywhere (Widmann et al., CE[F, g]). A bet maps
    (m, 3) points to the maximiser there up to scale, less its mean over classes (which earns nothing).
    """
    p, w = world.predictions, world.weights[:, None]
    error = p - world.frequencies
    mean, moment, kernel = (w * error).sum(axis=0), (w * error).T @ p, rbf(bandwidth=bandwidth)
    best = {
        "constants": lambda at: np.broadcast_to(mean, at.shape),
        "linear": lambda at: at @ moment.T,
        "RKHS ball": lambda at: kernel(at, p) @ (w * error),
        "bounded": lambda at: np.sign(np.where(np.abs(error) < 1e-12, 0, error)),  # given at the predictions
    }
    centred = {name: lambda at, f=f: f(at) - f(at).mean(axis=1, keepdims=True) for name, f in best.items()}
    return best_payoffs(world.weights, p, world.frequencies, bandwidth), centred


def best_payoffs(weights, p, r, bandwidth):
    """What the best bet of four classes earns on average, from weights (m,), predictions and frequencies (m, d)."""
    gap = weights[:, None] * (p - r)
    K = rbf(bandwidth=bandwidth)(p)  # K[a, c] = exp(-|p_a - p_c|² / 2γ²)
    return {
        "constants": np.sqrt((gap.sum(axis=0) ** 2).sum()),  # bet along the overall miss
        "linear": np.sqrt(((gap.T @ p) ** 2).sum()),  # b(p) = Ap, along the matrix of moments
        "RKHS ball": np.sqrt(max(0.0, (gap * (K @ gap)).sum())),  # over all pairs of predictions
        "bounded": np.abs(gap).sum(),  # +1 or -1, at each prediction and for each class
    }
