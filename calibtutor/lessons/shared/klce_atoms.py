"""What derivations of local calibration share: binary worlds with a feature, and two kernels."""

import numpy as np

from ...data.worlds import FiniteWorld

PROB_WIDTH, FEATURE_WIDTH = 0.3, 0.6


def prob_kernel(p, q):
    """The kernel on predictions, number by number."""
    return np.exp(-((p - q) ** 2) / PROB_WIDTH**2)


def feature_kernel(x, y):
    """The kernel on features, number by number."""
    return np.exp(-((x - y) ** 2) / FEATURE_WIDTH**2)


def k_of(p):
    """The matrix of the kernel on predictions."""
    return prob_kernel(p[:, None], p)


def l_of(x):
    """The matrix of the kernel on features."""
    return feature_kernel(x[:, None], x)


class LocalWorld:
    """A binary population of finitely many kinds; each has a prediction p, a feature x and q = P(Y = 1 | kind).

    Kinds may share (p, x): they differ in what the model saw and x does not tell.
    """

    def __init__(self, weights, p, x, q):
        self.base = FiniteWorld(weights, np.column_stack([1 - p, p]), np.column_stack([1 - q, q]))
        self.w, self.p, self.x, self.q = weights, p, x, q
        self.r = self.given(q, p, x)  # P(Y = 1 | p, x)
        self.gap = weights * (self.r - p)  # the local error of each kind, with its mass

    def given(self, values, *keys):
        """E[values | keys] for each kind."""
        return self.base.given(np.column_stack(keys), values)

    def atoms(self):
        """Every z = (kind, y): its probability, and the matrix h(z, z') = k l δ δ' with δ = p − y."""
        delta = (self.p[:, None] - [0, 1]).ravel()
        kernel = np.repeat(np.repeat(k_of(self.p) * l_of(self.x), 2, axis=0), 2, axis=1)
        return (self.w[:, None] * self.base.conditionals).ravel(), kernel * np.outer(delta, delta)


def apart(rng, n, low, high):
    """n numbers from low to high, one in each n-th part: never so near that a kernel matrix is singular."""
    return low + (high - low) * rng.permutation(np.arange(n) + rng.uniform(0.2, 0.8, n)) / n


def local_world(rng):
    """Six kinds: two share (p, x), others p alone or x alone. Nothing about this model is calibrated."""
    p, x = apart(rng, 3, 0, 1)[[0, 0, 0, 1, 1, 2]], apart(rng, 3, 0, 2)[[0, 0, 1, 0, 2, 1]]
    return LocalWorld(rng.dirichlet(3 * np.ones(6)), p, x, rng.uniform(0.05, 0.95, 6))
