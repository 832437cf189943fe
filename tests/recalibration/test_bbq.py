"""BBQ equals its definition: every binning with its marginal likelihood."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import PROPERTY
from scipy.special import betaln, softmax

from calibtutor.recalibration import BBQ


def bbq(y, s, at, strength=2.0):
    """The definition: every binning, its marginal likelihood, its posterior means; then the average."""
    n, ordered = len(y), sorted(s)
    fewest, most = max(1, math.floor(n ** (1 / 3) / 10)), math.ceil(min(10 * n ** (1 / 3), n / 5))
    binnings = set()
    for n_bins in range(fewest, most + 1):  # a bin ends at the smallest score with at least m n / B at or below it
        ends = (math.ceil(m * n / n_bins - 1e-9) - 1 for m in range(1, n_bins + 1))
        binnings.add(tuple(sorted({ordered[end] for end in ends})))
    scores, predictions = [], []
    for tops in binnings:
        inner = [(top + min(v for v in s if v > top)) / 2 for top in tops[:-1]]
        place, edges, prior = np.searchsorted(inner, s), np.array([0, *inner, 1]), strength / len(tops)
        hits, misses = (np.bincount(place, each, len(tops)) for each in (y, 1 - y))
        a = prior * np.clip((edges[1:] + edges[:-1]) / 2, 0.005, 0.995)
        scores.append((betaln(hits + a, misses + prior - a) - betaln(a, prior - a)).sum())
        predictions.append(((hits + a) / (hits + misses + prior))[np.searchsorted(inner, at)])
    return softmax(scores) @ np.array(predictions)


@PROPERTY
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.sampled_from([3, 10, 10**6]),
    st.sampled_from([0.5, 2.0, 20.0]),
    st.sampled_from([1.0, 1e-3]),  # all scores near 0: midpoints below .005
)
def test_bbq_is_its_definition(seed, n, levels, strength, highest):
    rng = np.random.default_rng(seed)
    s, y = highest * rng.integers(0, levels + 1, n) / levels, rng.integers(0, 2, n)
    at = np.concatenate([s, rng.random(20), [0, 1, 5e-324]])
    found = BBQ(prior_strength=strength).fit(y, s)
    np.testing.assert_allclose(found.predict_proba(at), bbq(y, s, at, strength), rtol=1e-9)
    assert found.weights.sum() == pytest.approx(1)
