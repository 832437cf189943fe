"""The file of next words by passages, its temperatures, and a world in which positions of a passage depend."""

from functools import lru_cache
from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, logit, stdtrit

from ...data.networks import KINDS, next_words
from ..shared.stored import stored

ALL = "all six kinds"
REPAIRS = ["as it is", "one T for all kinds", "a T for each kind", "odds divided"]
KNOWN, NUMBERS, SETS = [0.0, 0.5, 1.0], [4, 8, 12, 16, 20, 24], 1000


@lru_cache
def passages(which=ALL):
    """A row a passage, 255 positions: what is said of the likeliest token, whether it came, and more of the file."""
    words = next_words()
    rows = slice(None) if which == ALL else words.kind[::255] == KINDS.index(which)
    cut = lambda values: values.reshape(144, 255, *values.shape[1:])[rows].astype(float)
    return SimpleNamespace(said=np.exp(cut(words.top)[..., 0]), hit=cut(words.rank == 0), rank=cut(words.rank),
                           top=cut(words.top), entropy=cut(words.entropy), surprise=-cut(words.log_prob))


def gap(kind, repair="as it is"):
    """Said − happened of the likeliest token: a mean a passage."""
    return (repaired(kind, repair) - passages(kind).hit).mean(axis=1)


def interval(means):
    """Mean over passages, and how far its 95 % interval reaches: Student's t over passages."""
    n = len(means)
    return np.mean(means, axis=0), stdtrit(n - 1, 0.975) * np.std(means, axis=0, ddof=1) / np.sqrt(n)


def what_ranks_say(top, rank, together):
    """A row a passage: said − happened of candidates 1 to 8, or of the first 1 to 8 together, and of all behind them."""
    said, came = np.exp(top), rank[..., None] == np.arange(8)
    beyond = 1 - said.sum(axis=-1) - (rank >= 8)
    miss = (said - came).cumsum(axis=-1) if together else said - came
    return np.column_stack([miss.mean(axis=1), beyond.mean(axis=1)])


def in_blocks(values, edges):
    """A row a passage: means of the positions from edge to edge."""
    return np.column_stack([values[:, a:b].mean(axis=1) for a, b in zip(edges, edges[1:], strict=False)])


@lru_cache
def in_ten_parts(kind, repair="as it is"):
    """Ten equal parts by what is said: means said, after a repair too, shares that came, their 95 % ends, if passages are
    resampled, and reach, if positions were independent.
    """
    its, (rows, n) = passages(kind), passages(kind).said.shape
    part = its.said.ravel().argsort(kind="stable").argsort().reshape(rows, n) * 10 // its.said.size
    place = (part + 10 * np.arange(rows)[:, None]).ravel()
    count, said, new, hits = (np.bincount(place, np.ravel(each), 10 * rows).reshape(rows, 10)
                              for each in (np.ones((rows, n)), its.said, repaired(kind, repair), its.hit))
    drawn = np.random.default_rng(0).multinomial(rows, np.full(rows, 1 / rows), 1000)  # how often each passage
    ends = np.quantile((drawn @ hits) / (drawn @ count), [0.025, 0.975], axis=0)
    said, new, share = (each.sum(axis=0) / count.sum(axis=0) for each in (said, new, hits))
    return said, new, share, ends, 1.96 * np.sqrt(share * (1 - share) / count.sum(axis=0))


def log_total(top, entropy, T):
    """log Σ p^(1/T) over all tokens, T near 1: beyond the eight by their sum, their entropy and 5, the variance of log p."""
    p = np.exp(top)
    rest = np.maximum(1 - p.sum(axis=-1), 1e-9)
    inside = np.clip((entropy + (p * top).sum(axis=-1)) / rest + np.log(rest), 0, np.log(49_144))
    beyond = inside + (np.log(rest) - inside) / T + 2.5 * (1 / T - 1) ** 2
    return np.log(np.exp(top / T).sum(axis=-1) + np.exp(beyond))


def temperature(top, entropy, surprise):
    """The T with the smallest log loss of what came."""
    loss = lambda T: np.mean(surprise / T + log_total(top, entropy, T))
    return minimize_scalar(loss, bounds=(0.5, 2), method="bounded").x


@lru_cache
def repaired(kind, repair):
    """What is said after a repair that the other half of the passages taught: of every two neighbours the other one."""
    its, every = passages(kind), passages(ALL if repair == "one T for all kinds" else kind)
    said, odds = its.said.copy(), logit(np.minimum(its.said, 1 - 1e-7))  # float32 rounds some p to 1
    for half in (0, 1):
        learn, here = slice(1 - half, None, 2), slice(half, None, 2)
        if repair == "odds divided":
            miss = lambda a, rows=learn: np.mean(expit(odds[rows] - a) - its.hit[rows])
            said[here] = expit(odds[here] - brentq(miss, -3, 3))
        elif repair != "as it is":
            T = temperature(every.top[learn], every.entropy[learn], every.surprise[learn])
            said[here] = np.exp(its.top[here, :, 0] / T - log_total(its.top[here], its.entropy[here], T))
    return said


def dependent(known, number, rng):
    """What a calibrated model says, and what comes, at 255 positions of passages, shape (number, 255); and how often it
    comes in the long run. The log-odds of a passage share a number, of whose variance the model knows a part.
    """
    shared = 0.5 * rng.normal(size=(2, number, 1)) * np.sqrt([[[known]], [[1 - known]]])
    place = -0.5 + 1.2 * rng.normal(size=(number, 255)) + shared[0]
    at, weight = np.polynomial.hermite_e.hermegauss(9)
    mean = lambda z, sd: sum(w * expit(z + sd * a) for a, w in zip(at, weight / weight.sum(), strict=True))
    hit = (rng.random(place.shape) < expit(place + shared[1])).astype(float)
    return mean(place, 0.5 * np.sqrt(1 - known)), hit, mean(-0.5, np.hypot(1.2, 0.5))


@stored(KNOWN, [4, 24])
def coverage(known, number):
    """In `SETS` data sets, a row for how often it comes and one for said − happened: how many 95 % intervals by positions,
    and how many by passages, hold the truth; and the mean design effect.
    """
    rng, found = np.random.default_rng([int(100 * known), number]), []
    for _ in range(SETS):
        said, hit, truth = dependent(known, number, rng)
        for values, right in ((hit, truth), (said - hit, 0)):
            mean, reach = interval(values.mean(axis=1))
            error = values.std() / np.sqrt(values.size)
            found.append([abs(mean - right) <= 1.96 * error, abs(mean - right) <= reach,
                          (reach / stdtrit(number - 1, 0.975) / error) ** 2])
    return np.mean(np.reshape(found, (SETS, 2, 3)), axis=0)


def verdicts(gaps, number, draws=2000):
    """How often the 95 % interval of so many passages, drawn from these with repetition, lies above 0."""
    mean, reach = interval(np.random.default_rng(number).choice(gaps, (number, draws)))
    return np.mean(mean > reach)
