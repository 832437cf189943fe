"""What the derivations of notebook 04 share: a kernel, its feature map, and the atoms z = (p, y) of a finite world."""

from dataclasses import dataclass

import numpy as np

from ..worlds import FiniteWorld

__all__ = ["BANDWIDTH", "BOUND", "Atoms", "coordinates", "data_sets", "inner", "laplace", "pairwise"]

BANDWIDTH = 0.5
BOUND = 2.0  # sup |h|: the kernel is at most 1, and |⟨δ, δ'⟩| ≤ ‖δ‖‖δ'‖ ≤ 2


def inner(u, v):
    return (u * v).sum(axis=-1)


def laplace(p, q):
    """The poster's kernel exp(−‖p − q‖/ν); its unit matrix is left to ⟨δ, δ'⟩."""
    return np.exp(-np.sqrt(inner(p - q, p - q)) / BANDWIDTH)


def pairwise(function, p, q=None):
    """The matrix function(p_a, q_b)."""
    return function(p[:, None], (p if q is None else q)[None])


def coordinates(gram):
    """Rows φ_a with ⟨φ_a, φ_b⟩ = gram[a, b]: the feature map, in coordinates; equal points may occur."""
    values, vectors = np.linalg.eigh(gram)
    return vectors * np.sqrt(np.maximum(values, 0))  # a zero eigenvalue may come out as −1e−17


@dataclass(frozen=True)
class Atoms:
    """Every z = (p, y): its probability, x(z) = φ(p) ⊗ δ as a row, and the matrix h(z, z') = k(p, p')⟨δ, δ'⟩.

    `x` and `h` are made from the kernel in two ways, so that a line in one and a line in the other can disagree.
    """

    mass: np.ndarray
    x: np.ndarray
    h: np.ndarray

    @classmethod
    def of(cls, world):
        m, d = world.predictions.shape
        p, e = np.repeat(world.predictions, d, axis=0), np.tile(np.eye(d), (m, 1))
        phi = coordinates(pairwise(laplace, p))
        x = (phi[:, :, None] * (p - e)[:, None, :]).reshape(m * d, -1)
        h = pairwise(laplace, p) * pairwise(inner, p - e)
        return cls((world.weights[:, None] * world.conditionals).ravel(), x, h)


def data_sets(world: FiniteWorld, n):
    """Every data set of n rows: probabilities (s,), and which atom each row is (s, n)."""
    mass, kinds, labels = world.samples(n)
    return mass, kinds * world.n_classes + labels
