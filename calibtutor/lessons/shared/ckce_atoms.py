"""What the derivations of 11, 12, 13 and further/03 share: the kernel of eq. 8, samples with features, Gaussian integrals."""

from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np

from ...kernels import linear_plus_gaussian

BANDWIDTH = 0.5
# The package's form of `kernel_of`, so that a line in one can disagree with a line in the other.
KERNEL = linear_plus_gaussian(BANDWIDTH)
# Far enough from one another for the kernel matrix to be inverted without loss.
SPOTS = np.array([[8, 1, 1], [1, 8, 1], [1, 1, 8], [4.5, 4.5, 1], [4.5, 1, 4.5], [1, 4.5, 4.5]]) / 10


def kernel_of(p, q):
    """⟨p, q⟩ + exp(−‖p − q‖²/2γ²), eq. 8, of rows that broadcast against one another."""
    return (p * q).sum(axis=-1) + np.exp(-((p - q) ** 2).sum(axis=-1) / (2 * BANDWIDTH**2))


def kernel(p):
    """The matrix of it, for all pairs of rows."""
    return kernel_of(p[:, None], p)


def spots(rng, n):
    """n of six predictions that lie well apart, each moved a little."""
    return 0.9 * rng.permutation(SPOTS)[:n] + 0.1 * rng.dirichlet(np.ones(3), n)


def one_hot(y):
    return np.eye(3)[y]


def sample(y, p, lam, phi, K):
    """n labelled predictions, a penalty λ, features Φ (a row each) with ΦΦᵀ = K; residuals δ, S = ΦᵀΔ/n, C = ΦᵀΦ/n."""
    n, delta = len(y), p - one_hot(y)
    return SimpleNamespace(y=y, p=p, lam=lam, phi=phi, K=K, n=n, delta=delta, S=phi.T @ delta / n, C=phi.T @ phi / n)


def drawn_labels(w):
    """All label vectors Z ~ p of a sample, and their probabilities."""
    z = np.array(list(product(range(3), repeat=w.n)))
    return w.p[np.arange(w.n), z].prod(axis=1), z


def six_rows(rng):
    """Six rows with the kernel of eq. 8, whose features are the rows of a Cholesky factor of K."""
    p = spots(rng, 6)
    return sample(rng.integers(0, 3, 6), p, penalty(rng), np.linalg.cholesky(kernel(p)), kernel(p))


def fourier_rows(rng):
    """Nine rows with five features: the prediction and one pair of random Fourier features, as in §3.3."""
    p, frequency = rng.dirichlet(np.ones(3), 9), rng.normal(size=3) / BANDWIDTH
    phi = np.column_stack([p, np.cos(p @ frequency), np.sin(p @ frequency)])
    return sample(rng.integers(0, 3, 9), p, penalty(rng), phi, phi @ phi.T)


def penalty(rng):
    """λ between .01 and 1."""
    return 10 ** rng.uniform(-2, 0)


def lambda_is(w):
    return f"λ = {w.lam:.3f}"


@cache
def normal_grid(dimension, nodes):
    """Points (m, dimension) and weights (m,) that integrate smooth functions of a standard normal vector."""
    x, weight = np.polynomial.hermite_e.hermegauss(nodes)
    weight = weight / weight.sum()
    points = np.stack(np.meshgrid(*[x] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    weights = np.prod(np.meshgrid(*[weight] * dimension, indexing="ij"), axis=0).ravel()
    return points, weights
