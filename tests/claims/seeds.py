"""Where claims take their seeds from, how far chance may carry what they count, and what they must refuse.

One base makes all seeds; another is given from outside, and every claim must hold for it too:

    CALIBTUTOR_SEED=12345 python -m pytest tests/claims -m "slow or not slow"

What a claim counts over its own draws is compared by `within` (shares) or `mean_within` (means). Each prints what it
would accept (`-rP` shows it) and names what it `refuses`: the shares or means of which the neighbouring words would be
true. A range that would accept one of these has no power, and is an error, whatever was found.

A true statement falls once in 1 / RISK comparisons. A claim that falls is asked again on other seeds (claim.py), and is
false if it falls twice: of k comparisons in one claim, by chance in at most (k RISK)². Over all claims that is less
than once in a thousand bases. A draw that the course itself shows is drawn again with `as_shown`.
"""

import os

import numpy as np
from scipy.stats import binom, t

RISK = 5e-4  # that one comparison fails by chance where the statement is true


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
again = Seeds(seeds.first)  # for a claim that fell


def as_shown(seed):
    """The seed of a draw that the course shows: the claim is about this one draw, and says so."""
    return seed


def within(hits, n, low, high=None, *, refuses):
    """Whether `hits` of n independent cases may come from a chance between low and high (default: low)."""
    high = low if high is None else high
    assert 0 <= hits <= n and hits == round(hits), "count hits, not their share"
    least, most = int(binom.ppf(RISK / 2, n, low)), int(binom.isf(RISK / 2, n, high))
    _must_refuse(np.round(np.multiply(n, refuses)), least, most, f"{hits:.0f} of {n}")
    return least <= hits <= most


def mean_within(values, low, high=None, *, refuses):
    """Whether independent values may have a mean between low and high (default: low), by Student's t."""
    values, high = np.asarray(values, float), low if high is None else high
    if np.ptp(values) == 0:
        raise ValueError("no spread is no reach of 0: count these values, and compare by `within`")
    reach = t.isf(RISK / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    _must_refuse(refuses, low - reach, high + reach, f"{values.mean():.5g} of {len(values)}")
    return bool(low - reach <= values.mean() <= high + reach)


def _must_refuse(neighbours, least, most, found):
    neighbours = np.atleast_1d(neighbours)
    print(f"RANGE {found}: accepts {least:.5g} to {most:.5g}, refuses {neighbours.tolist()}")
    accepted = neighbours[(least <= neighbours) & (neighbours <= most)]
    if len(accepted):
        raise ValueError(f"{found}: {least:.5g} to {most:.5g} would accept {accepted}, too; take more draws")
