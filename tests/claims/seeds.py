"""Where claims take their seeds from, and how far chance may carry what they count.

One base makes all seeds; another is given from outside, and every claim must hold for it too:

    CALIBTUTOR_SEED=12345 python -m pytest tests/claims -m "slow or not slow"

What a claim counts over its own draws is compared by `within` (shares) or `mean_within` (means). Each lets a true
statement fail once in a million, so that a layer of some hundreds of comparisons raises a false alarm less than once in
a thousand bases. A draw that the course itself shows is drawn again with `as_shown`.
"""

import os

import numpy as np
from scipy.stats import binom, t

__all__ = ["RISK", "Seeds", "as_shown", "mean_within", "seeds", "within"]

RISK = 1e-6  # that one comparison fails by chance where the statement is true


class Seeds:
    """Seeds of a base: `seeds(20)` are twenty ints, always the same first ones; `seeds.rng(4, k)` is a Generator."""

    def __init__(self, base):
        self.base = base
        # Far from the small numbers that lessons use, and bases next to each other share nothing.
        self.first = int(np.random.SeedSequence(base).generate_state(1)[0] >> 1)

    def __call__(self, n):
        return range(self.first, self.first + n)

    def rng(self, *key):
        return np.random.default_rng([self.first, *key])


seeds = Seeds(int(os.environ.get("CALIBTUTOR_SEED", "0")))


def as_shown(seed):
    """The seed of a draw that the course shows: the claim is about this one draw, and says so."""
    return seed


def within(hits, n, low, high=None):
    """Whether `hits` of n independent cases may come from a chance between low and high (default: low)."""
    high = low if high is None else high
    assert 0 <= hits <= n and hits == round(hits), "count hits, not their share"
    return bool(binom.cdf(hits, n, low) >= RISK / 2 and binom.sf(hits - 1, n, high) >= RISK / 2)


def mean_within(values, low, high=None):
    """Whether independent values may have a mean between low and high (default: low), by Student's t."""
    values, high = np.asarray(values, float), low if high is None else high
    reach = t.isf(RISK / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return bool(low - reach <= values.mean() <= high + reach)
