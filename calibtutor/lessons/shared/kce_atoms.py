"""What derivations of kernel errors share: a kernel, the atoms z = (p, y) of a world, estimates on its data sets."""

import numpy as np

from ...data.worlds import FiniteWorld
from ...kernels import laplacian

BANDWIDTH = 0.5
KERNEL = laplacian(BANDWIDTH)  # the package's form of `laplace`
BOUND = 2.0  # sup |h|: the kernel is at most 1, and |⟨δ, δ'⟩| ≤ ‖δ‖‖δ'‖ ≤ 2


def laplace(p, q):
    """The poster's kernel exp(−‖p − q‖/γ); its unit matrix is left to ⟨δ, δ'⟩."""
    return np.exp(-np.linalg.norm(p - q, axis=-1) / BANDWIDTH)


class Atoms:
    """Every z = (p, y) of a world: its p, e_Y, δ and probability, and the matrix h(z, z') = k(p, p')⟨δ, δ'⟩."""

    def __init__(self, world):
        m, d = world.predictions.shape
        self.p, self.e_Y = np.repeat(world.predictions, d, axis=0), np.tile(np.eye(d), (m, 1))
        self.delta = self.p - self.e_Y
        self.mass = (world.weights[:, None] * world.conditionals).ravel()
        self.h = laplace(self.p[:, None], self.p) * (self.delta[:, None] * self.delta).sum(axis=-1)


# Estimates on many data sets at once: `h` is the matrix over atoms, `rows` (s, n) says which atom each row is.


def table(h, rows):
    """h_ij of every data set, (s, n, n)."""
    return h[rows[:, :, None], rows[:, None, :]]


def estimate_b(h, rows):
    return table(h, rows).mean(axis=(1, 2))


def estimate_uq(h, rows):
    n = rows.shape[1]
    return (table(h, rows).sum(axis=(1, 2)) - h[rows, rows].sum(axis=1)) / (n * (n - 1))


def estimate_ul(h, rows):
    half = 2 * (rows.shape[1] // 2)
    return h[rows[:, 0:half:2], rows[:, 1:half:2]].mean(axis=1)


def tiny(world, n):
    """The atoms of a world and all its data sets of n rows with their probabilities, made once for all lines."""
    mass, kinds, labels = world.samples(n)
    return {"atoms": Atoms(world), "n": n, "mass": mass, "rows": kinds * world.n_classes + labels}


def calibrated(rng, n):
    """A calibrated binary model with two predictions, and all its data sets of n rows."""
    a = rng.uniform(0.2, 0.8, 2)  # so that tails are rare, not invisible
    first = rng.uniform(0.2, 0.8)
    p = np.column_stack([1 - a, a])
    return tiny(FiniteWorld([first, 1 - first], p, p), n)
