"""Claims of the lesson bins_and_bets."""

import warnings

import numpy as np
import pytest
from binned import ece
from claim import claim
from seeds import mean_within, within

from calibtutor import fit_recalibration, rbf, residuals, variational_error
from calibtutor.estimates.risk import risk_of_features
from calibtutor.lessons.bins_and_bets import simulations as sims


@claim("further/05_bins_and_bets",
       "Two worlds, 20 data sets of 500 each; kkr and ukkr with the best of six penalties beside two maps,",
       "In the first world the map of one number is nearest to the truth in all 20 data sets: it is the right kind.",
       "In the second it reports about three quarters of the error, and yet it is mostly further from the truth than "
       "“no error”", "and of a map of the wrong kind it is far too small")
def test_a_map_of_the_right_kind_and_one_of_the_wrong_kind():
    """In the table's data sets."""
    first, second = map(sims.maps_judged, sims.WORLDS)
    assert len(first) == 20 and (first[:, 0].argmin(axis=1) == [*sims.RIDGES, *sims.MAPS].index("temperature")).all()
    assert abs(second[:, 1, 2].mean() - 0.75) < 0.04 and (second[:, 0, 2] > 1).sum() >= 15
    assert second[:, 2, 2].max() < 0.5 < second[:, 2, 3].min() and (second[:, 0, [0, 1, 3]] < 0.5).all()


@pytest.mark.slow
@claim("further/05_bins_and_bets",
       "In the second it reports about three quarters of the error, and yet it is mostly further from the truth than "
       "“no error”", "So it is too small on average, and of a map of the wrong kind it is far too small")
def test_maps_on_other_data(seeds, draws=40):
    right, wrong, reported, saved = 0, 0, [], []
    for seed in seeds(draws):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of labels with next to no probability
            for world in sims.WORLDS.values():
                (y, p, miss), (other_y, other, away) = world(seed), world(seed + 10**6)
                one, delta = np.eye(p.shape[1]), residuals(other_y, other)
                h = [fit_recalibration(y, p, recalibrator=each) for each in sims.MAPS.values()]
                temperature, isotonic = (risk_of_features(each.features(other), one, delta) for each in h)
                nothing = risk_of_features(0 * away, one, delta)
                if p.shape[1] == 5:
                    right += temperature < min(isotonic, nothing)
                else:
                    wrong += temperature > nothing
                    true = (miss**2).sum(axis=1).mean()
                    reported.append(h[0].diagonal(other).mean() / true)
                    saved.append(variational_error(y, p, recalibrator=sims.MAPS["temperature"], rng=seed) / true)
    assert within(right, draws, 0.97, 1, refuses=0.75) and within(wrong, draws, 0.75, 0.95, refuses=0.4)
    assert mean_within(reported, 0.73, 0.8, refuses=(0.6, 0.95)) and mean_within(saved, 0.19, 0.27, refuses=(0, 0.5))


@claim("further/05_bins_and_bets", "one half each time gets less than a third of what the truth expects. More events "
       "make both smaller, not the ratio.")
def test_the_ece_rewards_whoever_says_less(seeds):
    for n in sims.EVENTS:
        shown = sims.expects(n)
        assert 0.25 < shown[0, 0] / shown[-1, 0] < 1 / 3 and shown[:, 1] == pytest.approx(1)
    r, p = sims.said(100, 1)
    y = (seeds.rng(1).random((4000, 100)) < r).astype(float)
    assert (p == 0.5).all() and mean_within(ece(p, y, 10) / ece(r, y, 10).mean(), 0.29, 0.325, refuses=(0.2, 0.4))
    two = [sims.two_bin_error(y, each) for each in (p, r, 0.8 * r + 0.1)]
    assert mean_within(two[0] / two[1].mean(), 0.97, 1.03, refuses=(0.8, 1.2)) and two[2].mean() > two[1].mean()


@claim("further/05_bins_and_bets", "most from who says one half, who then expects less than 0.")
def test_the_unbiased_error_is_not_truthful(seeds):
    r, half = sims.said(100, 1)
    y, found = (seeds.rng(3).random((1000, 100)) < r).astype(float), []
    for p in (half, r):
        K = rbf(bandwidth=0.3)(p[:, None]) - np.eye(100)
        found.append(((p - y) @ K * (p - y)).sum(axis=1) / (100 * 99))
    assert mean_within(found[0], -0.001, -0.0006, refuses=0) and mean_within(found[1], 0, refuses=-0.0008)


@claim("further/05_bins_and_bets", "Two predictions share a bin in a share $1 - |p_i - p_j|$ of the cuts.",
       "07_kernel_ridge",
       "any recalibration map is an estimation function ([further 05](further/05_bins_and_bets.ipynb), section 4)")
def test_the_two_bin_error_is_the_mean_over_cuts(seeds):
    rng = seeds.rng(2)
    p, y, cuts = rng.random(20), rng.integers(0, 2, 20), (np.arange(20_000) + 0.5) / 20_000
    below = (p - y) @ (p[:, None] < cuts)
    mean = (below**2 + ((p - y).sum() - below) ** 2).mean() / 20**2
    assert sims.two_bin_error(y, p) == pytest.approx(mean, rel=1e-3)
