"""The calibration-estimation risk and its estimators, literally: double loops, n × n and n² × n² matrices.

Nothing here shares code with the package. A kernel is a function of two rows (lists of numbers).
"""

import math
import sys

import numpy as np
import oracles


def as_rows(p):
    """Scores become rows of one number."""
    return [[float(v)] if np.ndim(v) == 0 else [float(x) for x in v] for v in p]


def residual_rows(y, p):
    """p − e_y, or p − y in a list of one for scores."""
    if np.ndim(p) == 1:
        return [[float(score) - float(label)] for label, score in zip(y, p, strict=True)]
    return [
        [float(v) - (1.0 if label == k else 0.0) for k, v in enumerate(row)] for label, row in zip(y, p, strict=True)
    ]


def inner(a, b):
    return math.fsum(x * z for x, z in zip(a, b, strict=True))


def squared_distance(a, b):
    return math.fsum((x - z) ** 2 for x, z in zip(a, b, strict=True))


def gaussian(gamma):
    return lambda a, b: math.exp(-gamma * squared_distance(a, b))


def exponential(bandwidth):
    return lambda a, b: math.exp(-math.sqrt(squared_distance(a, b)) / bandwidth)


def matrix(kernel, p, q):
    return np.array([[kernel(a, b) for b in as_rows(q)] for a in as_rows(p)])


def risk(h, y, p):
    """(n(n − 1))⁻¹ Σ_{i≠j} (⟨δ_i, δ_j⟩ − h_ij)² for the matrix h of an estimation function (eq. 20)."""
    delta, n = residual_rows(y, p), len(p)
    terms = [(inner(delta[i], delta[j]) - h[i][j]) ** 2 for i in range(n) for j in range(n) if i != j]
    return math.fsum(terms) / (n * (n - 1))


# --- the estimation functions as matrices (at × at) ---


def binning(y, p, at, *, n_bins=15, strategy="uniform"):
    """Products of gaps (eq. 23); a bin without training data has the overall gap."""
    ends = oracles.ends_of(list(p), n_bins, strategy)
    overall = oracles.mean([score - hit for hit, score in zip(y, p, strict=True)])
    gaps = [c - f if count else overall for count, c, f in oracles.bins(list(y), list(p), ends)]
    u = [next(gap for gap, end in zip(gaps, ends, strict=True) if score <= end) for score in at]
    return np.array([[a * b for b in u] for a in u])


def kde(y, p, at, bandwidth):
    """⟨p − r̂(p), q − r̂(q)⟩ (eq. 25)."""
    scalar = np.ndim(p) == 1
    table, where = (oracles.two_columns(p), oracles.two_columns(at)) if scalar else (p, at)
    ratio = oracles.kde_ratio(list(y), [list(r) for r in table], bandwidth, sys.float_info.min, at=where)
    u = [[v - float(r) for v, r in zip(row, each, strict=True)] for row, each in zip(where, ratio, strict=True)]
    u = [row[1:] for row in u] if scalar else u
    return np.array([[inner(a, b) for b in u] for a in u])


def kkr(y, p, at, kernel, regularization):
    """Eq. 28: the system of n² equations (K ⊗ K + λn² I) a = vec(ΔΔᵀ), then Σ_ij a_ij k(p, p_i) k(p_j, q)."""
    n, delta = len(p), residual_rows(y, p)
    K, k = matrix(kernel, p, p), matrix(kernel, at, p)
    target = np.array([inner(a, b) for a in delta for b in delta])
    a = np.linalg.solve(np.kron(K, K) + regularization * n**2 * np.eye(n**2), target)
    return (np.kron(k, k) @ a).reshape(len(at), len(at))


def ukkr(y, p, at, kernel, regularization):
    """Eq. 32: ⟨Δᵀ(K + λn I)⁻¹k(p), Δᵀ(K + λn I)⁻¹k(q)⟩."""
    n, delta = len(p), np.array(residual_rows(y, p))
    f = matrix(kernel, at, p) @ np.linalg.solve(matrix(kernel, p, p) + regularization * n * np.eye(n), delta)
    return f @ f.T


# --- data of two kinds ---


def scores(n=28, seed=0):
    """Labels and scores, some of them 0, 1 or equal."""
    rng = np.random.default_rng(seed)
    p = np.concatenate([rng.beta(2, 1, n - 6), [0.0, 1.0, 1.0, 0.5, 0.5, 0.5]])
    return (rng.random(n) < p**2).astype(int), p


def rows(n=28, seed=0):
    """Labels and predictions of three classes, some of them certain or equal."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([0.5, 1, 2], n)
    p[:2], p[5] = np.eye(3)[:2], p[4]
    return rng.integers(0, 3, n), p
