"""Five predictions to fit a ridge regression on and four others: their kernel, products of residuals, features."""

import numpy as np

from ...door.predictions import residuals
from ...kernels import rbf

LAMBDA, GAMMA = 0.01, 20.0


def small(rng):
    """Five predictions for training, four others to look at."""
    return {"y": rng.integers(0, 3, 5), "p": rng.dirichlet(np.ones(3), 5),
            "y2": rng.integers(0, 3, 4), "p2": rng.dirichlet(np.ones(3), 4)}


def gram(w):
    return rbf(gamma=GAMMA)(w["p"])


def targets(w):
    delta = residuals(w["y"], w["p"])
    return delta @ delta.T


def solved(matrix, penalty, target):
    """X with matrix X matrix + penalty X = target, for a symmetric matrix."""
    system = np.kron(matrix, matrix) + penalty * np.eye(target.size)
    return np.linalg.solve(system, target.ravel()).reshape(target.shape)


def features(w):
    """Φ with ΦΦᵀ = K, and the features of other predictions in the span of these."""
    root = np.linalg.cholesky(gram(w))
    return root, lambda q: near(w)(q) @ np.linalg.inv(root).T


def near(w):
    """q ↦ the vector of k(p_i, q)."""
    return lambda q: np.exp(-GAMMA * ((q[..., None, :] - w["p"]) ** 2).sum(axis=-1))
