"""Errors to plant, or to paint; and how often four pairs of kernels, and one bet at a place, find each."""

from functools import lru_cache

import numpy as np

from ...chance.pvalues import aggregated_pvalue
from ...kernels import rbf
from ..shared.stored import stored

ERRORS = ["everywhere", "left and right", "ten stripes", "four corners", "one spot"]
SIZES = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
# Bandwidths of k, in p, and of l, in x; None: the kernel is 1.
KERNELS = {"l = 1": (0.1, None), "k = 1": (None, 0.1), "both, wide": (0.2, 0.5), "both, narrow": (0.05, 0.1)}
SETS, ROWS, DRAWS, LEVEL = 200, 300, 99, 0.05

COLUMNS, CELLS = 10, 4  # what is painted: columns of x, each of so many cells of p
WHOLE = 9.0  # stands for a reach of everything: the kernel is 1
REACHES = {"p": [0.05, 0.075, 0.1, 0.15, 0.2, WHOLE], "x": [0.1, 0.15, 0.2, 0.3, 0.5, 0.7, WHOLE]}
LEVELS = np.array([*(-each for each in SIZES[:0:-1]), *SIZES])  # all misses that a row can have
TYPICAL = 45  # the data set of `found` on whose rows, of the first 60, errors are found most nearly as often as on all
BEYOND = 1.96  # standard deviations, at LEVEL
REDRAWN, FAINT = 4000, 0.01  # label sets; eigenvalues that are left out, as a share of the largest


def miss(error, size, p, x):
    """What the planted error adds to what is said, at prediction p and feature x: the frequency is p − miss."""
    signs = {"everywhere": np.ones(np.broadcast(p, x).shape),
             "left and right": np.sign(x) * (p > 0),
             "ten stripes": np.sign(np.sin(5 * np.pi * x)) * (p > 0),
             "four corners": np.sign(x) * np.sign(p - 0.5),
             "one spot": (np.abs(p - 0.5) < 0.125) & (np.abs(x - 0.4) < 0.35)}
    return size * signs[error]


def together(p, x, widths):
    """The matrix k(p_i, p_j) l(x_i, x_j) with Gaussian kernels of these bandwidths; None is the kernel 1."""
    K = np.ones((len(p), len(p)))
    for rows, width in zip((p, x), widths, strict=True):
        K *= 1 if width is None else rbf(bandwidth=width)(rows[:, None])
    return K


@stored(ERRORS, SIZES)
def found(error, size):
    """Share of data sets that the exact test rejects, a kernel each, and the aggregated test over all of them."""
    rejected = []
    for number in range(SETS):
        rng = np.random.default_rng([9, number])
        p, x = rng.uniform(0.25, 0.75, ROWS), rng.uniform(-1, 1, ROWS)
        y = rng.random(ROWS) < p - miss(error, size, p, x)
        delta = p[:, None] - np.column_stack([y, rng.random((ROWS, DRAWS)) < p[:, None]])  # observed, then redrawn
        matrices = [together(p, x, widths) for widths in KERNELS.values()]
        values = np.array([((K @ delta) * delta).sum(axis=0) - (delta**2).sum(axis=0) for K in matrices])
        _, aggregated, single = aggregated_pvalue(values)
        rejected.append(np.append(single, aggregated) <= LEVEL + 1e-12)
    return np.mean(rejected, axis=0)


def signs(error, columns, p, x):
    """Side of the miss, −1, 0 or 1, at predictions and features: the planted error's, but of a painted column the paint's.

    A column is 0, as planted, or 1 + Σ 3^cell d: of its cells, from below, d = 0 says right, 1 too much, 2 too little.
    """
    sides = np.sign(miss(error, 1.0, p, x))
    paint = np.asarray(columns)[np.clip((x + 1) / 2 * COLUMNS, 0, COLUMNS - 1).astype(int)]
    cell = np.clip((p - 0.25) / 0.5 * CELLS, 0, CELLS - 1).astype(int)
    painted = np.array([0, 1, -1])[np.maximum(paint - 1, 0) // 3**cell % 3]
    return np.where(paint == 0, sides, painted).astype(int)


@lru_cache
def rows():
    """ROWS predictions and features, the same in SETS data sets; for each label, the number of LEVELS below which it is 1."""
    rng = np.random.default_rng([9, TYPICAL])
    p, x = rng.uniform(0.25, 0.75, ROWS).round(3), 2 * rng.uniform(-0.5, 0.5, ROWS).round(3)
    return p, x, ((p - rng.random((SETS, ROWS)))[..., None] > LEVELS).sum(axis=2)


def labels(sides, size):
    """Labels (SETS, ROWS) of the data sets in which the rows miss by `size` to these sides."""
    return len(SIZES) - 1 + sides * SIZES.index(size) < rows()[2]


def weights(values, place, reach):
    """A Gaussian kernel between values and a place; 1 everywhere if its reach is the whole."""
    return np.ones(len(values)) if reach == WHOLE else rbf(bandwidth=reach)(values[:, None], [[place]])[:, 0]


def bet_finds(y, p, bet):
    """Share of data sets, a row of y each, in which a bet on every row pays more, or less, than chance explains."""
    payoff = (p - y) @ bet
    chance = np.sqrt((p * (1 - p)) @ bet**2)  # standard deviation in a right model
    return (np.abs(payoff) > BEYOND * chance).mean()


def all_pairs(factors, delta):
    """Σ_{i≠j} δ_i M_ij δ_j of each column of delta, where M is the factors times their transpose."""
    return ((factors.T @ delta) ** 2).sum(axis=0) - (factors**2).sum(axis=1) @ delta**2


@lru_cache
def thresholds():
    """Of each pair of kernels on `rows`: factors of its matrix, and what redrawn labels exceed at LEVEL, alone and of all."""
    p, x, _ = rows()
    delta = p[:, None] - (np.random.default_rng(9).random((ROWS, REDRAWN)) < p[:, None])
    factors, values = [], []
    for widths in KERNELS.values():
        strength, vectors = np.linalg.eigh(together(p, x, widths))
        kept = strength > FAINT * strength[-1]
        factors.append((vectors[:, kept] * np.sqrt(strength[kept])).round(3))
        values.append(all_pairs(factors[-1], delta))
    above = REDRAWN - np.argsort(np.argsort(values, axis=1), axis=1)  # 1: the largest
    least = np.quantile(above.min(axis=0), LEVEL) / REDRAWN  # the level of each, if the best of them is taken
    alone, of_all = (np.quantile(values, 1 - each, axis=1).round(6) for each in (LEVEL, least))
    return factors, alone, of_all


def found_in(y):
    """As `found`, of painted errors: shares of the data sets of `rows`, whose redrawn labels are drawn once for all."""
    factors, alone, of_all = thresholds()
    values = np.array([all_pairs(each, (rows()[0] - y).T) for each in factors])
    single, together_ = values > alone[:, None], values > of_all[:, None]
    return np.append(single.mean(axis=1), together_.any(axis=0).mean())
