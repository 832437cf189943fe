"""What the code of pictures on tests (03, 04, 08, further/01) computes at once is what the public functions give."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from calibtutor import (
    brier_score,
    expected_calibration_error,
    kce_test,
    simplex_calibration_error,
    skce,
)
from calibtutor.data.worlds import mixed_widmann_model
from calibtutor.lessons.bets_and_kernels import scenes as scenes_04
from calibtutor.lessons.bounds import simulations as sims_f01
from calibtutor.lessons.chance import scenes as scenes_03
from calibtutor.lessons.chance import simulations as sims_03
from calibtutor.lessons.kernel_tests import simulations as sims_08
from calibtutor.lessons.shared.posters_models import BANDWIDTH
from calibtutor.pvalues import rank_pvalues
from calibtutor.reproductions.widmann import TotalVariationLaplacian
from calibtutor.resampling import draw_pairs


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
