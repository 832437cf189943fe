"""What the scenes of notebook 05 compute in a faster way is what the rooms compute."""

import numpy as np
import pytest

from calibtutor.kernels import rbf
from calibtutor.klce import klce, klce_test, local_calibration_bias
from calibtutor.lessons.for_whom import planting as planting_09
from calibtutor.lessons.for_whom import simulations as sims_09
from calibtutor.lessons.map_and_repair import simulations as sims_10
from calibtutor.lessons.shared import worn as of_worn
from calibtutor.recalibration import PlattScaling


def test_the_map_on_a_grid_is_the_rooms():
    rng = np.random.default_rng(0)
    hit, confidence, wear = rng.integers(0, 2, 60), rng.uniform(0.3, 1, 60), rng.uniform(0, 0.5, 60)
    up, across = np.array([0.4, 0.9]), np.array([0.1, 0.2, 0.45])
    miss, standard_error, mass = sims_10.miss_map(hit, confidence, wear, up, across, 0.1, 0.08)
    queries = np.array([(u, a) for u in up for a in across])
    k, l = rbf(bandwidth=0.1), rbf(bandwidth=0.08)
    found = local_calibration_bias(
        hit, confidence, wear, at=(queries[:, 0], queries[:, 1]), prob_kernel=k, feature_kernel=l
    )
    np.testing.assert_allclose(-miss.ravel(), found.bias, rtol=1e-10)
    np.testing.assert_allclose(standard_error.ravel(), found.standard_error, rtol=1e-8)
    weights = k(queries[:, :1], confidence[:, None]) * l(queries[:, 1:], wear[:, None])
    np.testing.assert_allclose(mass.ravel(), weights.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("world", sims_09.HALF_WORLDS)
def test_the_table_of_widths_is_eq_4(world):
    y, p, x = sims_09.half_world(world)
    table = sims_09.half_tables(world)[0]
    one = lambda X, Y=None: np.ones((len(X), len(X if Y is None else Y)))
    for a, b in ((0.1, 0.3), (None, 0.05), (1.0, None)):
        kernels = [one if width is None else rbf(bandwidth=width) for width in (a, b)]
        expected = klce(y, p, x, prob_kernel=kernels[0], feature_kernel=kernels[1])
        assert abs(table[a, b] - expected) < 1e-9


def test_the_noise_of_the_table_is_that_of_redrawn_labels():
    world = sims_09.HALF_WORLDS[2]
    _, p, x = sims_09.half_world(world)
    K = rbf(bandwidth=0.1)(p[:, None]) * rbf(bandwidth=0.3)(x[:, None])
    rng = np.random.default_rng(0)
    delta = p[:, None] - (rng.random((len(p), 2000)) < p[:, None])
    values = (((K @ delta) * delta).sum(axis=0) - (delta**2).sum(axis=0)) / (len(p) * (len(p) - 1))
    assert abs(values.std() / sims_09.half_tables(world)[1][0.1, 0.3] - 1) < 0.1


def test_a_clean_half_knows_nothing_of_the_labels_it_tests():
    """Other labels there change no prediction there; cross-fitted, they change the other half's."""
    rng = np.random.default_rng(0)
    y, said, half = rng.integers(0, 2, 100), rng.random(100), rng.permutation(100) % 2
    other = np.where(half == 0, 1 - y, y)
    first, second = (of_worn.crossed(PlattScaling, labels, said, half) for labels in (y, other))
    np.testing.assert_array_equal(first[half == 0], second[half == 0])
    assert (first[half == 1] != second[half == 1]).all()


def test_a_planted_error_is_found_by_the_aggregated_test_of_the_rooms(monkeypatch):
    """`found` counts what `klce_test` rejects: one data set, all four pairs and their aggregated test."""
    monkeypatch.setattr(planting_09, "SETS", 1)
    monkeypatch.setattr(planting_09, "DRAWS", 999)
    for error, size in (("four corners", 0.25), ("left and right", 0.25), ("everywhere", 0.0)):
        rng = np.random.default_rng([9, 0])
        p, x = rng.uniform(0.25, 0.75, planting_09.ROWS), rng.uniform(-1, 1, planting_09.ROWS)
        y = (rng.random(planting_09.ROWS) < p - planting_09.miss(error, size, p, x)).astype(int)
        one = lambda X, Y=None: np.ones((len(X), len(X if Y is None else Y)))
        pairs = [[rbf(bandwidth=w) if w else one for w in widths] for widths in planting_09.KERNELS.values()]
        ks, ls = zip(*pairs, strict=True)
        test = klce_test(y, p, x, prob_kernel=ks, feature_kernel=ls, rng=0)
        pvalues = np.append(test.single_pvalues, test.pvalue)
        clear = np.abs(pvalues - 0.05) > 0.02
        assert clear.sum() >= 3
        np.testing.assert_array_equal((pvalues <= 0.05)[clear], planting_09.found.__wrapped__(error, size)[clear] == 1)


def test_sums_over_pairs_of_painted_errors_are_those_of_the_kernels():
    p, x, _ = planting_09.rows()
    factors, *_ = planting_09.thresholds()
    delta = p - planting_09.labels(planting_09.signs("one spot", [0] * 10, p, x), 0.2)[:5]
    for each, widths in zip(factors, planting_09.KERNELS.values(), strict=True):
        K = planting_09.together(p, x, widths)
        wanted = [d @ (K - np.diag(np.diag(K))) @ d for d in delta]
        assert np.abs(planting_09.all_pairs(each, delta.T) - wanted).max() < 1.5


def test_a_painted_column_hides_what_was_planted_there():
    p, x = np.array([0.3, 0.4, 0.55, 0.7, 0.7]), np.array([-0.95, -0.95, -0.95, -0.95, 0.95])
    paint = [1 + 1 * 1 + 2 * 3 + 0 * 9 + 1 * 27] + [0] * 9  # from below: too much, too little, right, too much
    assert planting_09.signs("everywhere", paint, p, x).tolist() == [1, -1, 0, 1, 1]
    y = planting_09.labels(np.ones(300, int), 0.25)
    assert (y <= planting_09.labels(np.zeros(300, int), 0.25)).all()  # who says too much sees fewer


def test_a_planted_error_has_the_size_that_is_said():
    p, x = np.meshgrid(np.linspace(0.26, 0.74, 41), np.linspace(-0.99, 0.99, 61))
    for error in planting_09.ERRORS:
        assert set(np.abs(planting_09.miss(error, 0.2, p, x)).ravel()) <= {0.0, 0.2}
    assert planting_09.miss("four corners", 0.2, 0.7, 0.5) == planting_09.miss("four corners", 0.2, 0.3, -0.5) == 0.2
    assert planting_09.miss("four corners", 0.2, 0.3, 0.5) == -0.2
