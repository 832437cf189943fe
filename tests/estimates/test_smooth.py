"""SmECE against its definition and the authors' package, and on what has no error."""

import numpy as np
import pytest

from calibtutor import smooth_calibration_error


def drawn(seed, n, bend=1.0):
    rng = np.random.default_rng([5, seed])
    p = rng.random(n)
    r = p**bend / (p**bend + (1 - p) ** bend)
    return (rng.random(n) < r).astype(int), p


def dense_error(y, p, width, points=4000, images=3):
    """∫ |mean (y − p) k(t, p)| dt from the middles of equal pieces, the Gaussians mirrored at both ends."""
    t = ((np.arange(points) + 0.5) / points)[:, None]
    p, kind = np.unique(p, return_inverse=True)
    residual = np.bincount(kind, y - p[kind]) / len(y)
    places = [sign * p + 2 * m for m in range(-images, images + 1) for sign in (1, -1)]
    k = sum(np.exp(-0.5 * ((t - each) / width) ** 2) for each in places)
    return np.abs(k @ residual).mean() / (width * np.sqrt(2 * np.pi))


def right_error(found, y, p):
    """Whether this is a value that is its own bandwidth."""
    assert isinstance(found, float) and 0 <= found <= 1
    if found > 0.002:
        np.testing.assert_allclose(found, dense_error(np.asarray(y), np.asarray(p), found), rtol=0, atol=3e-4)


@pytest.mark.parametrize(("seed", "n", "bend"), [(0, 8, 1), (1, 40, 2), (2, 300, 2), (3, 1000, 1), (4, 1000, 0.4)])
def test_it_is_its_own_bandwidth(seed, n, bend):
    y, p = drawn(seed, n, bend)
    p[:2] = 0, 1  # the ends, whose images lie on them
    right_error(smooth_calibration_error(y, p), y, p)


def test_without_residuals_there_is_none_and_classes_are_reduced_to_the_top_label():
    assert smooth_calibration_error([0, 1, 1], [0.0, 1.0, 1.0]) < 1e-12
    assert smooth_calibration_error(np.arange(1000) % 2, np.full(1000, 0.5)) < 1e-12  # they cancel
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.4, 0.35, 0.25]])
    assert smooth_calibration_error([0, 1, 2], p) == smooth_calibration_error([1, 0, 0], [0.7, 0.6, 0.4])


def test_it_agrees_with_the_authors_package_but_where_a_score_is_0_or_1():
    y, p = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    assert smooth_calibration_error(y, p) == pytest.approx(0.17451, abs=0.001)  # smECE(p, y) of relplot 1.0.3
    y = [1, 0, 0, 0, 0] * 100 + [0, 1] * 250  # half of the scores are 0, a fifth happen: relplot says .06796
    assert smooth_calibration_error(y, np.repeat([0.0, 0.5], 500)) == pytest.approx(0.1, abs=2e-4)
