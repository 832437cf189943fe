"""What lessons compute fast, all data sets or penalties at once, is what the public functions give."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from calibtutor import brier_score, calibration_risk, expected_calibration_error, fit_kkr, fit_ukkr, kce_test, rbf, skce
from calibtutor.chance.pvalues import rank_pvalues
from calibtutor.data.worlds import mixed_widmann_model, wave_world
from calibtutor.errors.klce import klce, klce_test, local_calibration_bias
from calibtutor.estimates.simplex import simplex_calibration_error
from calibtutor.lessons.bets_and_kernels import scenes as scenes_04
from calibtutor.lessons.bins import simulations as sims_02
from calibtutor.lessons.bounds import simulations as sims_f01
from calibtutor.lessons.bounds.full_size import full_size_errors
from calibtutor.lessons.chance import scenes as scenes_03
from calibtutor.lessons.chance import simulations as sims_03
from calibtutor.lessons.estimation_risk import simulations as sims_06
from calibtutor.lessons.for_whom import planting as planting_09
from calibtutor.lessons.for_whom import simulations as sims_09
from calibtutor.lessons.kernel_ridge import simulations as sims_07
from calibtutor.lessons.kernel_tests import simulations as sims_08
from calibtutor.lessons.map_and_repair import simulations as sims_10
from calibtutor.lessons.shared import worn as of_worn
from calibtutor.lessons.shared.posters_models import BANDWIDTH
from calibtutor.recalibration import PlattScaling
from calibtutor.reproductions.widmann import TotalVariationLaplacian, draw_pairs

FITS = {"kkr": fit_kkr, "ukkr": fit_ukkr}


def labels_of(n, wave_height, data_set):
    scores, hits = sims_02.running_hits(n, wave_height)
    return np.diff(hits[data_set]).astype(int), scores


@pytest.mark.parametrize(("n", "n_bins"), [(50, 7), (50, 49), (200, 15), (1000, 30)])
def test_errors_of_a_perfect_model_and_of_a_wave(n, n_bins):
    (errors, predicted), of_wave = sims_02.errors_of_perfect_model(n, n_bins), sims_02.found_by_bins(n, n_bins, 0.1)
    for found, height in ((errors, 0.0), (of_wave, 0.1)):
        for data_set in (0, 7, 399):
            wanted = expected_calibration_error(*labels_of(n, height, data_set), n_bins=n_bins)
            assert found[data_set] == pytest.approx(wanted, abs=1e-12)
    assert len(errors) == 400 and abs(predicted - errors.mean()) < 0.1 * predicted  # a formula for nearly normal gaps


@pytest.mark.parametrize(("waves", "n_bins"), [(1, 1), (10, 10), (10, 20), (7, 3)])
def test_true_and_binned_error(waves, n_bins):
    world = wave_world(waves)
    true, seen, each = sims_02.true_and_binned_error(waves, n_bins)
    assert true == pytest.approx(world.calibration_error()) and len(each) == n_bins
    ends = np.arange(n_bins + 1) / n_bins
    gaps = [quad(lambda c: c - world.curve(c), *pair, limit=200)[0] for pair in zip(ends, ends[1:], strict=False)]
    assert seen == pytest.approx(np.abs(gaps).sum(), abs=2e-5)  # a bin's end falls between two of the 40,000 scores


def test_means_of_products_are_means_of_products():
    y, p = sims_06.one_wave(200)
    means = sims_06.mean_products(y, p, cells=3)
    for a in range(3):
        for b in range(3):
            assert means[a, b] == pytest.approx(sims_06.products_of_residuals(y, p, a, b, cells=3).mean(), abs=1e-12)


@pytest.mark.parametrize("name", FITS)
def test_surfaces_are_those_of_the_public_fits(name):
    fresh = wave_world(1, 0.15).sample(2000, 2)
    for penalty in (1e-6, 0.1):
        h = FITS[name](*sims_06.one_wave(200), kernel=rbf(bandwidth=0.32), regularization=penalty)
        surface, found = sims_07.surfaces(200, penalty, 0.32)[name]
        np.testing.assert_allclose(surface, h(sims_07.GRID), atol=1e-9)
        assert found == pytest.approx(calibration_risk(h, *fresh), abs=1e-9)


def test_grey_is_what_chance_does_to_an_exact_test():
    picture = full_size_errors()
    for alpha in (0.05, 0.2):
        (box,) = picture.set(alpha=alpha).artists["band"].get_paths()
        ends = np.array(binom.interval(0.95, 10_000, alpha))
        np.testing.assert_allclose(np.unique(box.vertices[:, 0]), ends / 10_000)
    assert not picture.set(model="M3").artists["band"].get_paths()


def test_estimates_are_the_public_ones():
    found, kernel = sims_08.estimates(20), TotalVariationLaplacian(BANDWIDTH)
    for strength, seed in product(sims_08.STRENGTHS, (0, 7, 199)):
        y, p = mixed_widmann_model(strength, 20, rng=seed)
        wanted = [skce(y, p, kernel=kernel, estimator=each) for each in ("biased", "unbiased", "linear")]
        np.testing.assert_allclose(found[strength][:, seed], wanted, atol=1e-12)


@pytest.mark.parametrize(("n", "cells"), [(50, 2), (100, 5)])
def test_what_is_redrawn_is_what_the_public_tests_redraw(n, cells):
    error = partial(simplex_calibration_error, n_steps=cells)
    for number in (0, 1, 99):
        rng = np.random.default_rng([5, number])
        y, p = mixed_widmann_model(0, n, n_classes=5, rng=rng)
        labels = kce_test(y, p, statistic=error, n_resamples=99, rng=rng).pvalue
        chosen, drawn = draw_pairs(p, 99, rng)
        drawn = [error(each, p[rows]) for rows, each in zip(chosen.T, drawn.T, strict=True)]
        pairs = rank_pvalues(np.array([error(y, p), *drawn]))[0]
        np.testing.assert_allclose(sims_03.redrawn(n, cells)[:, number], [pairs, labels], atol=1e-8)


def of_each_class(y, p):
    return np.mean([expected_calibration_error(y == k, p[:, k], n_bins=2) for k in range(3)])


@pytest.mark.parametrize(("name", "public"), [("class-wise ECE", of_each_class), ("Brier score", brier_score)])
def test_all_label_vectors_are_counted(name, public):
    p = np.array(sims_03.THREE)
    labels, mass, statistic = sims_03.every_label_vector(sims_03.STATISTICS[name])
    assert sorted(map(tuple, labels)) == list(product(range(3), repeat=3)) and (np.diff(statistic) > -1e-12).all()
    np.testing.assert_allclose(statistic, [public(y, p) for y in labels], atol=1e-12)
    np.testing.assert_allclose(mass, [p[[0, 1, 2], y].prod() for y in labels])
    levels, reached = sims_03.chance_of_pvalues(mass, sims_03.exact_pvalues(mass, statistic))
    np.testing.assert_allclose(reached, levels)  # exact: a p-value it can have, it has with that chance


def test_the_best_bet_earns_the_most():
    for waves, bandwidth in ((1, 0.1), (6, 0.5)):
        _, miss, bet, earned = scenes_04.best_function(bandwidth, waves)
        K = scenes_04.kernel_matrix(bandwidth)
        assert (miss * bet).mean() == earned == pytest.approx(np.sqrt(miss @ K @ miss) / 400)


def test_a_collision_is_as_far_off_as_its_sum_says():
    for animals, humans in product(range(14), range(4)):
        mass, shares, observed, extreme, pvalue = scenes_03.as_far_off(animals, humans)
        assert observed == pytest.approx(((np.array([0.8, 0, 0.2]) - shares) ** 2).sum()) and shares[1] == humans / 20
        wanted = [2 * (k / 20 - 0.2) ** 2 >= observed - 1e-12 for k in range(21)]
        assert list(extreme) == wanted and pvalue == pytest.approx(mass[wanted].sum())


def test_the_least_n_at_which_a_bound_is_low_enough():
    true, own = sims_f01.expected_terms(1.0)
    for which, alpha in product((0, 1), (0.01, 0.05, 0.2)):
        n = sims_f01.enough(which, true, own, alpha, 10**6)
        assert sims_f01.bounds(n, true, own)[which] <= alpha < sims_f01.bounds(n - 1, true, own)[which]
    assert sims_f01.enough(1, true, own, 0.05, 100) == 101  # none up to there


def test_the_coins_of_a_redraw_have_the_error_that_its_brick_shows():
    for model, n in product(scenes_03.CAST, (100, 300)):
        observed, drawn, above, _ = scenes_03.redrawn_errors(model, n)
        confidence, hits = scenes_03.redrawn_hits(model, n)
        errors = [expected_calibration_error(hits[k].astype(int), confidence) for k in (0, 1, 99, -1)]
        assert errors == pytest.approx([*drawn[[0, 1, 99]], observed])
        assert (scenes_03.cells_of(model, n) > np.log10(observed)).sum() == above  # no cell holds both kinds


def test_the_map_on_a_grid_is_the_rooms():
    rng = np.random.default_rng(0)
    hit, confidence, wear = rng.integers(0, 2, 60), rng.uniform(0.3, 1, 60), rng.uniform(0, 0.5, 60)
    up, across = np.array([0.4, 0.9]), np.array([0.1, 0.2, 0.45])
    miss, standard_error, mass = sims_10.miss_map(hit, confidence, wear, up, across, 0.1, 0.08)
    queries = np.array([(u, a) for u in up for a in across])
    k, l = rbf(bandwidth=0.1), rbf(bandwidth=0.08)
    options = {"at": (queries[:, 0], queries[:, 1]), "prob_kernel": k, "feature_kernel": l}
    found = local_calibration_bias(hit, confidence, wear, **options)
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


def test_a_planted_error_has_the_size_that_is_said_and_a_painted_column_hides_it():
    p, x = np.meshgrid(np.linspace(0.26, 0.74, 41), np.linspace(-0.99, 0.99, 61))
    for error in planting_09.ERRORS:
        assert set(np.abs(planting_09.miss(error, 0.2, p, x)).ravel()) <= {0.0, 0.2}
    assert planting_09.miss("four corners", 0.2, 0.7, 0.5) == planting_09.miss("four corners", 0.2, 0.3, -0.5) == 0.2
    assert planting_09.miss("four corners", 0.2, 0.3, 0.5) == -0.2
    p, x = np.array([0.3, 0.4, 0.55, 0.7, 0.7]), np.array([-0.95, -0.95, -0.95, -0.95, 0.95])
    paint = [1 + 1 * 1 + 2 * 3 + 0 * 9 + 1 * 27] + [0] * 9  # from below: too much, too little, right, too much
    assert planting_09.signs("everywhere", paint, p, x).tolist() == [1, -1, 0, 1, 1]
    y = planting_09.labels(np.ones(300, int), 0.25)
    assert (y <= planting_09.labels(np.zeros(300, int), 0.25)).all()  # who says too much sees fewer
