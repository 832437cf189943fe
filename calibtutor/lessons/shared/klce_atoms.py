"""What derivations of local calibration share: binary worlds with a feature, two kernels, and tiny data sets."""

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from ...data.worlds import FiniteWorld
from ...gram import ProductKernel
from ...kernels import rbf
from ...pair_sums import skce_of_labels
from .kce_atoms import coordinates, estimate_uq

__all__ = []  # for the derivations only

PROB_WIDTH, FEATURE_WIDTH = 0.3, 0.6
# The package's form of the two kernels; below are ours, so that a line in one can disagree with a line in the other.
PROB_KERNEL, FEATURE_KERNEL = rbf(width=PROB_WIDTH), rbf(width=FEATURE_WIDTH)


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


@dataclass(frozen=True)
class LocalWorld:
    """A binary population of finitely many kinds; each has a prediction p, a feature x and a P(Y = 1 | kind).

    Kinds may share (p, x): they differ in what the model saw and x does not tell.
    """

    base: FiniteWorld
    x: np.ndarray

    @classmethod
    def of(cls, weights, p, x, q):
        return cls(FiniteWorld(weights, np.column_stack([1 - p, p]), np.column_stack([1 - q, q])), x)

    @property
    def w(self):
        return self.base.weights

    @property
    def p(self):
        return self.base.predictions[:, 1]

    @property
    def q(self):
        """P(Y = 1 | kind)."""
        return self.base.conditionals[:, 1]

    def given(self, values, *keys):
        """E[values | keys] for each kind."""
        return self.base.given(np.column_stack(keys), values)

    @property
    def r(self):
        """P(Y = 1 | p, x)."""
        return self.given(self.q, self.p, self.x)

    @property
    def gap(self):
        """w (r(p, x) − p): the local error of each kind, with its mass."""
        return self.w * (self.r - self.p)

    @property
    def mu(self):
        """μ = E[(r − p) φ(p) ⊗ ψ(x)] as a matrix, in coordinates of the two kernels."""
        return coordinates(k_of(self.p)).T @ (self.gap[:, None] * coordinates(l_of(self.x)))

    def atoms(self, prob_kernel=k_of, feature_kernel=l_of):
        """Every z = (kind, y): its probability, and the matrix h(z, z') = k l δ δ' with δ = p − y."""
        delta = (self.p[:, None] - [0, 1]).ravel()
        kernel = np.repeat(np.repeat(prob_kernel(self.p) * feature_kernel(self.x), 2, axis=0), 2, axis=1)
        return (self.w[:, None] * self.base.conditionals).ravel(), kernel * np.outer(delta, delta)


def apart(rng, n, low, high):
    """n numbers from low to high, one in each n-th part: never so near that a kernel matrix is singular."""
    return low + (high - low) * rng.permutation(np.arange(n) + rng.uniform(0.2, 0.8, n)) / n


def local_world(rng):
    """Six kinds: two share (p, x), others p alone or x alone. Nothing about this model is calibrated."""
    p, x = apart(rng, 3, 0, 1)[[0, 0, 0, 1, 1, 2]], apart(rng, 3, 0, 2)[[0, 0, 1, 0, 2, 1]]
    return LocalWorld.of(rng.dirichlet(3 * np.ones(6)), p, x, rng.uniform(0.05, 0.95, 6))


def grid_world(rng):
    """Three predictions times three features, every pair once."""
    p, x = np.repeat(apart(rng, 3, 0, 1), 3), np.tile(apart(rng, 3, 0, 2), 3)
    return LocalWorld.of(rng.dirichlet(3 * np.ones(9)), p, x, rng.uniform(0.05, 0.95, 9))


def data_sets(world, n):
    """All data sets of n rows with their probabilities: `rows` are atoms, as `LocalWorld.atoms` counts them."""
    mass, kinds, labels = world.base.samples(n)
    return {"world": world, "n": n, "mass": mass, "kinds": kinds, "rows": 2 * kinds + labels}


def fixed_rows(rng, n, *, p=None):
    """n rows with given (p, x) of a locally calibrated model, and all 2ⁿ label vectors with their probabilities."""
    p = apart(rng, n, 0, 1) if p is None else p
    x = apart(rng, n, 0, 2)
    y = np.array(list(product([0, 1], repeat=n)))
    return {"p": p, "x": x, "y": y, "delta": p - y, "mass": chance(p, y), "K": k_of(p) * l_of(x)}


def chance(r, y):
    """Probability of each label vector (s, n) when the labels are independent with frequencies r."""
    return np.where(y == 1, r, 1 - r).prod(axis=1)


def eq4(kernel, delta):
    """Σ_{i≠j} K_ij δ_i δ_j/(n(n − 1)) for residual vectors (..., n)."""
    n, off = len(kernel), kernel - np.diag(np.diag(kernel))
    return np.einsum("...i,ij,...j->...", delta, off, delta) / (n * (n - 1))


def orders(n):
    """All n! orders of n rows, the identity first."""
    return np.array(list(permutations(range(n))))


# --- worlds of the null distributions and of the bounds ---


def three_fixed_rows(rng):
    """Three rows (p, x), and T for all label vectors."""
    w = fixed_rows(rng, 3)
    kernel, rows = ProductKernel(PROB_KERNEL, FEATURE_KERNEL, 1), np.column_stack([w["p"], w["x"]])
    return {**w, "T": skce_of_labels(kernel, rows, w["p"], w["y"].T)}


def two_strata(rng):
    """Four rows: two share one prediction, two another; features differ."""
    return fixed_rows(rng, 4, p=np.repeat(rng.permutation([rng.uniform(0.1, 0.4), rng.uniform(0.6, 0.9)]), 2))


def four_rows(rng):
    """Four rows and one observed label vector."""
    w = fixed_rows(rng, 4)
    return {**w, "seen": w["delta"][rng.choice(16, p=w["mass"])]}


def flat_kernel(rng):
    w = fixed_rows(rng, 6, p=rng.uniform(0.2, 0.8, 6))
    return {**w, "K": np.ones((6, 6))}


def always_wrong(rng):
    """p is 0 or 1 by a fair coin and Y = 1 − p; n = 2, k = l = 1; a level α."""
    world = LocalWorld.of(np.full(2, 0.5), np.array([0.0, 1.0]), np.zeros(2), np.array([1.0, 0.0]))
    sets, flat, alpha = data_sets(world, 2), lambda v: np.ones((len(v), len(v))), rng.uniform(0.38, 0.49)
    return {"mass": sets["mass"], "T": estimate_uq(world.atoms(flat, flat)[1], sets["rows"]), "labels": sets["rows"] % 2,
            "alpha": alpha}  # fmt: skip
