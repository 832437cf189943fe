"""smECE against its definition, against the peer's values, and against what theory promises of it."""

import math
import time
import tracemalloc

import numpy as np
import pytest
from oracles import MP
from smooth_oracles import RELPLOT, dense_error, distance_to_calibration, ten_sets

from calibtutor import expected_calibration_error, smooth_calibration_error
from calibtutor.smooth import LEAST


def reflected(t, score, width, images=9):
    """A Gaussian around a score with its mirror images at 0 and 1, which are those at 2m ± score."""
    at = [sign * score + 2 * m for m in range(-images, images + 1) for sign in (1, -1)]
    return sum(math.exp(-0.5 * ((t - a) / width) ** 2) for a in at) / (width * math.sqrt(2 * math.pi))


def by_images(y, p, width, weights=None):
    """∫ |Σ w (y − p) k(t, p)| dt as a sum over images and a quadrature between the zeros that a fine grid shows."""
    w = [1 / len(y)] * len(y) if weights is None else [each / sum(weights) for each in weights]

    def g(t):
        return sum(a * (b - c) * reflected(t, c, width) for a, b, c in zip(w, y, p, strict=True))

    grid = [j / 400 for j in range(401)]
    values = [g(t) for t in grid]
    cuts = [0.0, *p, 1.0]  # where g is steep
    for a, b, left, right in zip(grid, grid[1:], values, values[1:], strict=False):
        if left * right < 0:
            for _ in range(50):
                middle = (a + b) / 2
                a, b = (middle, b) if g(middle) * left > 0 else (a, middle)
            cuts.append(a)
    pieces = zip(sorted(cuts), sorted(cuts)[1:], strict=False)
    return float(sum(abs(MP.quad(lambda t: g(float(t)), [a, b], maxdegree=4)) for a, b in pieces if a < b))


def drawn(seed, n, bend=1.0):
    rng = np.random.default_rng([5, seed])
    p = rng.random(n)
    r = p**bend / (p**bend + (1 - p) ** bend)
    return (rng.random(n) < r).astype(int), p


@pytest.mark.parametrize(("seed", "n", "width"), [(0, 3, 0.3), (1, 8, 0.1), (2, 6, 0.04), (3, 5, 1.2)])
def test_it_is_its_definition(seed, n, width):
    y, p = drawn(seed, n)
    p[:2] = 0, 1  # the ends, whose images lie on them
    weights = np.random.default_rng(seed).random(n)
    for w in (None, weights):
        found = smooth_calibration_error(y, p, bandwidth=width, weights=w)
        assert found == pytest.approx(by_images(y.tolist(), p.tolist(), width, w), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_default_is_its_own_bandwidth(seed):
    y, p = drawn(seed, (20, 300, 4000)[seed % 3], bend=1 + seed % 2)
    found = smooth_calibration_error(y, p)
    assert found > LEAST
    assert smooth_calibration_error(y, p, bandwidth=found) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_it_falls_with_the_bandwidth_between_two_means(seed):
    y, p = drawn(seed, 200, bend=2)
    errors = [smooth_calibration_error(y, p, bandwidth=width) for width in np.geomspace(1e-4, 3, 25)]
    assert (np.diff(errors) <= 1e-8).all() and errors[0] > errors[-1]
    assert errors[0] == pytest.approx(np.abs(y - p).mean(), rel=0.05)  # nobody has a neighbour
    assert errors[-1] == pytest.approx(abs((y - p).mean()), abs=1e-6)  # all are neighbours
    assert abs((y - p).mean()) <= smooth_calibration_error(y, p) <= np.abs(y - p).mean()


def test_of_calibrated_scores_it_goes_to_zero():
    sizes = 100, 1000, 10_000, 100_000
    means = [np.mean([smooth_calibration_error(*drawn(seed, n)) for seed in range(4)]) for n in sizes]
    assert (np.diff(means) < 0).all() and means[-1] < 0.01 < 0.05 < means[0]  # and not at once: noise counts
    assert smooth_calibration_error(*drawn(0, 100_000, bend=2)) > 0.05


def test_where_all_residuals_have_one_sign_it_is_their_mean_and_the_ece():
    p = np.linspace(0.1, 0.9, 50)
    y = np.zeros(50, int)
    for width in (None, 0.001, 0.2):
        found = smooth_calibration_error(y, p, bandwidth=width)
        assert found == pytest.approx(p.mean()) == pytest.approx(expected_calibration_error(y, p))


# --- the distance to calibration ---


@pytest.mark.parametrize("seed", range(8))
def test_it_is_near_the_distance_to_calibration(seed):
    y, p = drawn(seed, 60, bend=(1, 3)[seed % 2])
    p = (p.round(1), p, np.clip(p, 0.45, 0.55), p**3)[seed // 2]
    distance, coarse = distance_to_calibration(y, p)
    found = smooth_calibration_error(y, p)
    assert (distance - coarse) / 2 <= found <= 2 * np.sqrt(distance)
    assert distance > 0.001 and found < 0.9


def test_a_nudge_that_makes_the_ece_jump():
    y = np.arange(1000) % 2
    nudged = 0.5 + 0.001 * np.where(y == 1, 1, -1)
    assert expected_calibration_error(y, np.full(1000, 0.5), n_bins=10) == 0
    assert expected_calibration_error(y, nudged, n_bins=10) == pytest.approx(0.499)
    assert 0.0009 < distance_to_calibration(y, nudged, 1001)[0] <= 0.001
    assert smooth_calibration_error(y, np.full(1000, 0.5)) < 1e-4
    assert smooth_calibration_error(y, nudged) <= 2 * np.sqrt(0.001)


# --- the peer, and size ---


def test_it_agrees_with_the_authors_package():
    sets = list(ten_sets())
    assert len(RELPLOT) == len(sets) == 10
    for (y, p), (own, at_width) in zip(sets, RELPLOT, strict=True):
        assert smooth_calibration_error(y, p) == pytest.approx(own, abs=0.001)
        assert smooth_calibration_error(y, p, bandwidth=0.05) == pytest.approx(at_width, abs=0.002)


def test_a_score_at_an_end_counts_as_any_other():
    """relplot 1.0.3 says .06796 (benchmarks/reliability_against_peers.py): half of the scores are 0, a fifth happen."""
    p = np.repeat([0.0, 0.5], 500)
    y = np.concatenate([np.tile([1, 0, 0, 0, 0], 100), np.tile([0, 1], 250)])
    assert smooth_calibration_error(y, p) == pytest.approx(0.1) == dense_error(y, p, 0.1)
    inside = np.where(p == 0, 1e-6, p)
    assert smooth_calibration_error(y, inside) == pytest.approx(0.1, abs=1e-5)


def test_a_hundred_thousand_scores_are_quick_and_small():
    y, p = drawn(0, 100_000)
    smooth_calibration_error(y[:100], p[:100])  # imports
    start = time.perf_counter()
    smooth_calibration_error(y, p)
    assert time.perf_counter() - start < 5  # .1 s where nothing else runs
    tracemalloc.start()
    smooth_calibration_error(y, p)
    assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    tracemalloc.stop()


# --- input ---


def test_weights_count_rows():
    y, p = drawn(2, 40)
    times = np.random.default_rng(0).integers(0, 4, 40)
    repeated = smooth_calibration_error(np.repeat(y, times), np.repeat(p, times))
    assert smooth_calibration_error(y, p, weights=times) == pytest.approx(repeated)
    assert smooth_calibration_error(y, p, weights=3 * times) == pytest.approx(repeated)
    assert smooth_calibration_error(y, p) != pytest.approx(repeated)


def test_residuals_that_cancel_at_one_score_are_no_error_and_take_no_time():
    smooth_calibration_error([0, 1], [0.2, 0.6])  # imports
    start = time.perf_counter()
    assert smooth_calibration_error(np.arange(1000) % 2, np.full(1000, 0.5)) < 1e-12
    assert time.perf_counter() - start < 0.5  # 2 s if it were looked for down to the least bandwidth


@pytest.mark.parametrize("scores", [[0.0, 1.0, 1.0], [5e-324, 1 - 1e-16, 1.0]])
def test_without_residuals_there_is_no_error(scores):
    assert smooth_calibration_error([0, 1, 1], scores) < 1e-15


def test_tiny_errors_end_at_the_least_bandwidth():
    n = 200
    p = np.linspace(0, 2e-6, n)
    assert smooth_calibration_error(np.zeros(n, int), p) == pytest.approx(p.mean())
