"""The paper's world without noise, of a few inputs or endless ones, and its CKCE as λ falls, in doubles and in 80 digits."""

from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from ...kernels import linear_plus_gaussian

GAMMA = 0.25
ATOMS = [4, 8, 16, 32]
ENDLESS = "endless"
WORLDS = [*map(str, ATOMS), ENDLESS]
PENALTIES = 10.0 ** -np.arange(0.0, 12.5, 0.5)
NODES = 150  # Gauss–Legendre: twice as many change no digit that is shown
DIGITS = 80


def atoms(m, start=-0.98):
    """m inputs between −1 and 1; those of 4 are among those of 8, and so on."""
    return start + 2 * np.arange(m) / m


def papers_world(m=None, alpha=0.0):
    """Predictions, weights and misses p − P(Y = 1 | p) where X ~ N(α, ¼²) on ±1: m inputs, or all of them."""
    if m is None:
        x, w = np.polynomial.legendre.leggauss(NODES)
    else:
        x, w = atoms(m), np.ones(m)
    w = w * norm.pdf(x, alpha, 0.25)
    return expit(5 * x), w / w.sum(), expit(5 * x) - expit(x)


def directions(p, weights, miss, bandwidth):
    """Eigenvalues μ_j of C with kernel (8), and the energy of S in each eigendirection, from exact means."""
    rows, root = np.column_stack([1 - p, p]), np.sqrt(weights)
    mu, V = np.linalg.eigh(root[:, None] * linear_plus_gaussian(bandwidth)(rows) * root)
    mu = np.maximum(mu, 0)
    return mu, 2 * mu * (V.T @ (root * miss)) ** 2  # 2: the residual is (−g, g)


def ckce_of(mu, energy, penalty):
    """Σ_j energy_j / (μ_j + λ)²: what the CKCE tends to as data of this world are added and λ is kept."""
    return float((energy / (mu + penalty) ** 2).sum())


@lru_cache
def spectrum_of(world):
    return directions(*papers_world(None if world == ENDLESS else int(world)), GAMMA)


def exact_world(x, bandwidth, digits=DIGITS):
    """Kernel matrix (8) and misses of inputs x in so many decimal digits."""
    with localcontext() as context:
        context.prec = digits
        x, gamma = [Decimal(float(each)) for each in x], Decimal(float(bandwidth))
        p = [1 / (1 + (-5 * each).exp()) for each in x]
        miss = [a - 1 / (1 + (-each).exp()) for a, each in zip(p, x, strict=True)]
        K = [[a * b + (1 - a) * (1 - b) + (-((a - b) ** 2) / gamma**2).exp() for b in p] for a in p]
    return K, miss


def squares(K, miss, digits=DIGITS):
    """c_a² with Lc = miss, LLᵀ = K: what each further prediction adds to the squared norm of the shortest function.

    Twice each, as the residual is (−g, g); a list of Decimals.
    """
    with localcontext() as context:
        context.prec = digits
        rows, c = [], []
        for a, row in enumerate(K):
            new = []
            for b in range(a):
                new.append((row[b] - sum(s * t for s, t in zip(new, rows[b], strict=False))) / rows[b][b])
            new.append((row[a] - sum(s * s for s in new)).sqrt())
            c.append((miss[a] - sum(s * t for s, t in zip(new, c, strict=False))) / new[a])
            rows.append(new)
        return [2 * each * each for each in c]


@lru_cache
def limit(m, bandwidth=GAMMA):
    """lim CKCE_λ as λ → 0 in the world of m inputs: the squared norm of the shortest function through the m misses."""
    return float(sum(squares(*exact_world(atoms(m), bandwidth))))
