"""smECE against its definition, against the peer's values, and on what has no error."""

import time
import tracemalloc

import numpy as np
import pytest
from smooth_oracles import RELPLOT, dense_error, ten_sets

from calibtutor import smooth_calibration_error
from calibtutor.smooth import LEAST


def drawn(seed, n, bend=1.0):
    rng = np.random.default_rng([5, seed])
    p = rng.random(n)
    r = p**bend / (p**bend + (1 - p) ** bend)
    return (rng.random(n) < r).astype(int), p


@pytest.mark.parametrize(("seed", "n", "width"), [(0, 3, 0.3), (1, 8, 0.1), (2, 6, 0.04), (3, 5, 1.2)])
def test_it_is_its_definition(seed, n, width):
    y, p = drawn(seed, n)
    p[:2] = 0, 1  # the ends, whose images lie on them
    for weights in (None, np.random.default_rng(seed).random(n)):
        found = smooth_calibration_error(y, p, bandwidth=width, weights=weights)
        assert found == pytest.approx(dense_error(y, p, width, weights), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_default_is_its_own_bandwidth(seed):
    y, p = drawn(seed, (20, 300, 4000)[seed % 3], bend=1 + seed % 2)
    for weights in (None, np.random.default_rng(seed).random(len(p))):
        found = smooth_calibration_error(y, p, weights=weights)
        assert found > LEAST
        assert smooth_calibration_error(y, p, bandwidth=found, weights=weights) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_it_falls_with_the_bandwidth_between_two_means(seed):
    y, p = drawn(seed, 200, bend=2)
    errors = [smooth_calibration_error(y, p, bandwidth=width) for width in np.geomspace(1e-4, 3, 25)]
    assert (np.diff(errors) <= 1e-8).all() and errors[0] > errors[-1]
    assert errors[0] == pytest.approx(np.abs(y - p).mean(), rel=0.05)  # nobody has a neighbour
    assert errors[-1] == pytest.approx(abs((y - p).mean()), abs=1e-6)  # all are neighbours


def test_it_agrees_with_the_authors_package():
    for (y, p), (own, at_width) in zip(ten_sets(), RELPLOT, strict=True):
        assert smooth_calibration_error(y, p) == pytest.approx(own, abs=0.001)
        assert smooth_calibration_error(y, p, bandwidth=0.05) == pytest.approx(at_width, abs=0.002)


def test_a_hundred_thousand_scores_and_residuals_that_cancel_are_quick_and_small():
    many, cancel = drawn(0, 100_000), (np.arange(1000) % 2, np.full(1000, 0.5))
    smooth_calibration_error([0, 1], [0.2, 0.6])  # imports
    for data, seconds in ((many, 5), (cancel, 0.5)):  # 2 s if a bandwidth were looked for down to the least
        start = time.perf_counter()
        found = smooth_calibration_error(*data)
        assert time.perf_counter() - start < seconds
    assert found < 1e-12
    tracemalloc.start()
    smooth_calibration_error(*many)
    assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    tracemalloc.stop()


def test_without_residuals_there_is_no_error_and_tiny_ones_end_at_the_least_bandwidth():
    for scores in ([0.0, 1.0, 1.0], [5e-324, 1 - 1e-16, 1.0]):
        assert smooth_calibration_error([0, 1, 1], scores) < 1e-15
    p = np.linspace(0, 2e-6, 200)
    assert smooth_calibration_error(np.zeros(200, int), p) == pytest.approx(p.mean())


def test_a_score_at_an_end_counts_as_any_other():
    """relplot 1.0.3 says .06796 (benchmarks/reliability_against_peers.py): half of the scores are 0, a fifth happen."""
    p = np.repeat([0.0, 0.5], 500)
    y = np.concatenate([np.tile([1, 0, 0, 0, 0], 100), np.tile([0, 1], 250)])
    assert smooth_calibration_error(y, p) == pytest.approx(0.1) == dense_error(y, p, 0.1)
