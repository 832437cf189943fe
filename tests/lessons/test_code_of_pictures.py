"""What lessons 02 and 03 compute fast, all data sets or penalties at once, is what the public functions give."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from calibtutor import calibration_risk, expected_calibration_error, fit_kkr, fit_ukkr, rbf
from calibtutor.data.worlds import wave_world
from calibtutor.lessons.bins import simulations as sims_02
from calibtutor.lessons.bounds.full_size import full_size_errors
from calibtutor.lessons.estimation_risk import simulations as sims_06
from calibtutor.lessons.kernel_ridge import simulations as sims_07

FITS = {"kkr": fit_kkr, "ukkr": fit_ukkr}


def labels_of(n, wave_height, data_set):
    scores, hits = sims_02.running_hits(n, wave_height)
    return np.diff(hits[data_set]).astype(int), scores


@pytest.mark.parametrize(("n", "n_bins"), [(50, 7), (50, 49), (200, 15), (1000, 30)])
def test_errors_of_a_perfect_model(n, n_bins):
    errors, predicted = sims_02.errors_of_perfect_model(n, n_bins)
    for data_set in (0, 7, 399):
        wanted = expected_calibration_error(*labels_of(n, 0.0, data_set), n_bins=n_bins)
        assert errors[data_set] == pytest.approx(wanted, abs=1e-12)
    assert len(errors) == 400 and abs(predicted - errors.mean()) < 0.1 * predicted  # a formula for nearly normal gaps


def test_what_bins_find_of_a_wave():
    found = sims_02.found_by_bins(200, 12, 0.1)
    for data_set in (0, 7, 399):
        y, p = labels_of(200, 0.1, data_set)
        wanted = expected_calibration_error(y, p, n_bins=12)
        assert found[data_set] == pytest.approx(wanted, abs=1e-12)


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
