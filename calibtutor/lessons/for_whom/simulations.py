"""What the pictures of notebook 09 compute: groups by noise, a town of owners, three worlds and their pairs of kernels."""

from functools import lru_cache

import numpy as np

from ...data.worlds import group_shift
from ...kernels import rbf

GROUPS = [1, 2, 4, 8, 16, 32, 64, 128]


def by_noise(noise, groups):
    """Which group each image is in: equally many in each, group 0 the cleanest."""
    return noise.argsort().argsort() * groups // len(noise)


def chance_of(p, group):
    """Standard deviation of a right model's miss in each group: √Σ p (1 − p)/n."""
    return np.sqrt(np.bincount(group, p * (1 - p))) / np.bincount(group)


def rms_miss(miss, by_chance):
    """Root of the mean squared miss of the groups, less what chance adds to it; 0 if that is more."""
    return np.sqrt(max(np.mean(miss**2 - by_chance**2), 0))


@lru_cache
def town():
    """Ages, their shares, and the share of each age that owns a home; three arrays (121,)."""
    age = np.linspace(20, 80, 121)
    share = np.exp(-(((age - 48) / 16) ** 2) / 2)
    return age, share / share.sum(), 0.2 + 0.6 / (1 + np.exp(-(age - 45) / 9))


def said_at_each_age(tilt, depends_on):
    """What the model says of each age, on average; over all ages it is right on average, whatever the tilt."""
    age, share, owning = town()
    return owning + 0.4 * tilt * (share @ age - age) / 30 if depends_on == "age" else owning


def mean_age_of_owners(p):
    """Σ age · p / Σ p, where p is the share of each age that owns, or what a model says it is."""
    age, share, _ = town()
    return share @ (age * p) / (share @ p)


HALF_N = 1000
HALF_WORLDS = ["wrong left and right", "wrong everywhere", "right"]
PROB_WIDTHS, FEATURE_WIDTHS = [0.02, 0.05, 0.1, 0.3, 1.0], [0.05, 0.1, 0.3, 1.0, 3.0]


@lru_cache
def half_world(world):
    """HALF_N data (y, p, x): frequencies miss p by ± .2 left and right of x = 0, by .15 everywhere, or not at all."""
    rng = np.random.default_rng(3)
    y, p, X = group_shift(0.2 if world == HALF_WORLDS[0] else 0, HALF_N, rng)
    if world == HALF_WORLDS[1]:
        y = (rng.random(HALF_N) < p + 0.15).astype(int)
    return y, p, X[:, 0]


def planted_miss(world, x):
    """p − r at feature x, the same at every prediction."""
    return {HALF_WORLDS[0]: -0.2 * np.sign(x), HALF_WORLDS[1]: np.full_like(x, -0.15)}.get(world, np.zeros_like(x))


@lru_cache
def half_tables(world):
    """Eq. 4 for every width of k and of l (None: the kernel is 1), and its standard deviation over calibrated labels.

    Two dicts {(width_p, width_x): value}. Residuals of different rows are then uncorrelated, so the variance is
    2 Σ_{i≠j} (k l)²_ij v_i v_j, v = p (1 − p).
    """
    y, p, x = half_world(world)
    pairs, spread = (np.outer(each, each) for each in (p - y, p * (1 - p)))
    np.fill_diagonal(pairs, 0)
    np.fill_diagonal(spread, 0)
    ks, ls = ({None: np.ones_like(pairs)} | {width: rbf(bandwidth=width)(values[:, None]) for width in widths}
              for values, widths in ((p, PROB_WIDTHS), (x, FEATURE_WIDTHS)))
    squares = {b: l * l for b, l in ls.items()}
    values, noise, n = {}, {}, HALF_N * (HALF_N - 1)
    for a, k in ks.items():
        weighted, spread_there = k * pairs, k * k * spread
        for b, l in ls.items():
            values[a, b] = float(np.vdot(weighted, l) / n)
            noise[a, b] = float(np.sqrt(2 * np.vdot(spread_there, squares[b])) / n)
    return values, noise
