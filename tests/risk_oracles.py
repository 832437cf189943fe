"""The calibration-estimation risk and its estimators, literally: n × n and n² × n² matrices.

Nothing here shares code with the package. A kernel is a function of two rows.
"""

import sys

import numpy as np
import oracles
from oracles import as_rows, residual_rows


def squared_distance(a, b):
    return np.sum((a - b) ** 2)


def gaussian(gamma):
    return lambda a, b: np.exp(-gamma * squared_distance(a, b))


def exponential(bandwidth):
    return lambda a, b: np.exp(-np.sqrt(squared_distance(a, b)) / bandwidth)


def matrix(kernel, p, q):
    return np.array([[kernel(a, b) for b in as_rows(q)] for a in as_rows(p)])


def off_diagonal(terms):
    """Mean over i ≠ j."""
    n = len(terms)
    return (np.sum(terms) - np.trace(terms)) / (n * (n - 1))


def risk(h, y, p):
    """(n(n − 1))⁻¹ Σ_{i≠j} (⟨δ_i, δ_j⟩ − h_ij)² for the matrix h of an estimation function (eq. 20)."""
    delta = residual_rows(y, p)
    return off_diagonal((delta @ delta.T - h) ** 2)


# --- a learned map: of a function learn(y, p, at) -> g(at) ---


def recalibration(y, p, at, learn):
    """⟨p − g(p), q − g(q)⟩, pair by pair."""
    miss = [a - g for a, g in zip(as_rows(at), as_rows(learn(y, p, at)), strict=True)]
    return np.array([[sum(u * v for u, v in zip(one, other, strict=True)) for other in miss] for one in miss])


def variational(y, p, learn, folds, rng):
    """Mean of ‖p − Y‖² − ‖g(p) − Y‖² with g learned on the other folds of the shuffled rows."""
    parts, gains = np.array_split(np.random.default_rng(rng).permutation(len(y)), folds), []
    for held_out in parts:
        rest = sorted(set(range(len(y))) - set(held_out))
        before, after = residual_rows(y, p), as_rows(learn(y[rest], p[rest], p[held_out]))
        for row, g in zip(held_out, after, strict=True):
            gains.append(sum(before[row] ** 2) - sum((g - as_rows(p)[row] + before[row]) ** 2))
    return np.mean(gains)


def halfway(y, p, at):
    """Half of the way to the frequencies of the classes."""
    frequency = np.mean(y) if np.ndim(p) == 1 else np.mean(np.eye(p.shape[1])[y], axis=0)
    return (np.array(at) + frequency) / 2


def nearest(y, p, at):
    """The label of the row whose logs are nearest."""
    logs, asked = (np.log(np.maximum(oracles.two_columns(each), sys.float_info.epsilon)) for each in (p, at))
    label = [y[min(range(len(logs)), key=lambda j: squared_distance(logs[j], each))] for each in asked]
    return np.array(label, float) if np.ndim(p) == 1 else np.eye(p.shape[1])[label]


# --- the estimation functions as matrices (at × at) ---


def binning(y, p, at, *, n_bins=15, strategy="uniform"):
    """Products of gaps (eq. 23); a bin without training data has the overall gap."""
    ends, overall = oracles.ends_of(list(p), n_bins, strategy), np.mean(p) - np.mean(y)
    gaps = [c - f if count else overall for count, c, f in oracles.bins(list(y), list(p), ends)]
    u = [next(gap for gap, end in zip(gaps, ends, strict=True) if score <= end) for score in at]
    return np.outer(u, u)


def kde(y, p, at, bandwidth):
    """⟨p − r̂(p), q − r̂(q)⟩ (eq. 25)."""
    u = as_rows(np.array(at) - oracles.kde_ratio(list(y), p, bandwidth, sys.float_info.min, at=at))
    return u @ u.T


def kkr(y, p, at, kernel, regularization):
    """Eq. 28: the system of n² equations (K ⊗ K + λn² I) a = vec(ΔΔᵀ), then Σ_ij a_ij k(p, p_i) k(p_j, q)."""
    n, delta = len(p), residual_rows(y, p)
    K, k = matrix(kernel, p, p), matrix(kernel, at, p)
    a = np.linalg.solve(np.kron(K, K) + regularization * n**2 * np.eye(n**2), (delta @ delta.T).ravel())
    return (np.kron(k, k) @ a).reshape(len(at), len(at))


def ukkr(y, p, at, kernel, regularization):
    """Eq. 32: ⟨Δᵀ(K + λn I)⁻¹k(p), Δᵀ(K + λn I)⁻¹k(q)⟩."""
    shifted = matrix(kernel, p, p) + regularization * len(p) * np.eye(len(p))
    f = matrix(kernel, at, p) @ np.linalg.solve(shifted, residual_rows(y, p))
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
