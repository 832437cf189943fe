"""CORP by its definition: isotonic regression from the min-max formula, scores as plain sums; ten data sets for a peer.

benchmarks/reliability_against_peers.py draws the same sets and asks model-diagnostics anew.
"""

import math

import numpy as np
from ten_sets import ten_with_generators

__all__ = ["PEER", "decomposition", "min_max", "right_result", "ten_sets"]

# model_diagnostics.scoring.decompose (1.5.0), SquaredError and LogLoss: miscalibration, discrimination, uncertainty.
PEER = (
    ((0.02329143, 0.13428571, 0.24888889), (0.09275065, 0.36872175, 0.69092331)),
    ((0.02043568, 0.09363042, 0.24937500), (0.10449467, 0.21581578, 0.69189666)),
    ((0.01711314, 0.02580937, 0.09629802), (0.07261222, 0.10171049, 0.34221102)),
    ((0.00037945, 0.08371107, 0.25000000), (0.00125263, 0.19430234, 0.69314718)),
    ((0.01902166, 0.02139652, 0.05459180), (0.09726848, 0.10841301, 0.22128921)),
    ((0.03926046, 0.17226430, 0.24417498), (0.11775073, 0.46693645, 0.68145147)),
    ((0.02118446, 0.02143263, 0.21390000), (0.06470675, 0.05902533, 0.61910066)),
    ((0.00347951, 0.10634941, 0.24999100), (0.01492674, 0.25959314, 0.69312918)),
    ((0.00184016, 0.01702722, 0.13761163), (0.00693573, 0.06376529, 0.44747333)),
    ((0.01988183, 0.02469848, 0.24998556), (0.07864320, 0.05197899, 0.69311830)),
)


def min_max(y, p, weights=None):
    """r̂ at each distinct prediction, rising: max over a ≤ i of min over b ≥ i of the mean label from a to b."""
    w = [1.0] * len(y) if weights is None else list(weights)
    said = sorted(set(p))
    came = [math.fsum(u * v for u, v, q in zip(w, y, p, strict=True) if q == each) for each in said]
    mass = [math.fsum(u for u, q in zip(w, p, strict=True) if q == each) for each in said]

    def mean(a, b):
        return math.fsum(came[a : b + 1]) / math.fsum(mass[a : b + 1])

    k = range(len(said))
    return dict(zip(said, (max(min(mean(a, b) for b in k[i:]) for a in k[: i + 1]) for i in k), strict=True))


def decomposition(y, p, weights=None, scoring="brier"):
    """Score, MCB, DSC, UNC."""
    w = [1.0] * len(y) if weights is None else list(weights)
    fit = min_max(y, p, weights)
    overall = math.fsum(u * v for u, v in zip(w, y, strict=True)) / math.fsum(w)

    def one(q, v):
        if scoring == "brier":
            return (q - v) ** 2
        return -math.log(q if v else 1 - q) if (q if v else 1 - q) > 0 else math.inf

    def mean_score(said):
        return math.fsum(u * one(q, v) for u, q, v in zip(w, said, y, strict=True)) / math.fsum(w)

    score, best, unc = mean_score(p), mean_score([fit[q] for q in p]), mean_score([overall] * len(y))
    return score, score - best, unc - best, unc


def right_result(found, y, p, weights=None, scoring="brier"):
    """Whether a result is the definition's, rows of weight 0 left out."""
    w = np.ones(len(y)) if weights is None else np.asarray(weights)
    y, p, w = (np.asarray(each)[w > 0] for each in (y, p, w))
    lists = y.tolist(), p.tolist(), w.tolist()
    numbers = found.score, found.miscalibration, found.discrimination, found.uncertainty
    np.testing.assert_allclose(numbers, decomposition(*lists, scoring), rtol=0, atol=1e-12)
    assert (np.diff(found.frequency) > 0).all() and np.isclose(found.count.sum(), w.sum())
    blocks = list(zip(found.low, found.high, found.confidence, found.frequency, strict=True))
    for q, r in min_max(*lists).items():
        assert [abs(each[3] - r) < 1e-12 for each in blocks if each[0] <= q <= each[1]] == [True]
    for low, high, *means in blocks:
        inside = (low <= p) & (p <= high)
        wanted = [np.average(values[inside], weights=w[inside]) for values in (p, y)]
        np.testing.assert_allclose(means, wanted, rtol=0, atol=1e-12)


def ten_sets():
    """(y, p, weights or None) of ten data sets."""
    for number, (y, p, rng) in enumerate(ten_with_generators(29)):
        yield y, p, rng.random(len(y)) if number % 3 == 2 else None
