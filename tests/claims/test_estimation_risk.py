"""Claims of the lesson estimation_risk."""

import numpy as np
import pytest
from claim import claim
from scipy.stats import spearmanr
from seeds import as_shown, mean_within, within
from worlds_of_calibration_risk import estimates, risk_on_pairs, selected

from calibtutor import (
    fit_binning,
    fit_kde,
    fit_kkr,
    fit_ukkr,
    rbf,
)
from calibtutor.data.datasets import digits_predictions
from calibtutor.data.worlds import temperature_simulation, wave_world
from calibtutor.lessons.estimation_risk import simulations as sims
from calibtutor.lessons.estimation_risk.games import FRESH, excess_and_distance
from calibtutor.lessons.estimation_risk.scenes import learn_from_pairs


def mean_of_pairs(values):
    """Mean of x_i x_j over i ≠ j."""
    n = len(values)
    return (values.sum() ** 2 - (values**2).sum()) / (n * (n - 1))


@claim(
    "06_estimation_risk",
    "But 20,880 pairs are only 145 predictions, so here their mean is two fifths above the .0182",
)
@claim(
    "06_estimation_risk",
    "on average over draws it misses that by half of it at $n$ = 1,000 and by a quarter at $n$ = 4,000",
    "(Over a cell $h^*$ averages to .0182; in the middle, which the picture names, it is .0192.)",
)
def test_means_converge_slowly(seeds):
    world, at = wave_world(1, 0.15), 0.25 + (np.arange(1000) + 0.5) / 8000
    star, middle = (0.15 * np.sin(2 * np.pi * at)).mean() ** 2, (0.15 * np.sin(2 * np.pi * 2.5 / 8)) ** 2
    assert (round(star, 4), round(middle, 4)) == (0.0182, 0.0192)

    def in_cell(n, seed):
        y, p = world.sample(n, seed)
        return (p - y)[(p * 8).astype(int) == 2]

    shown = in_cell(1000, as_shown(1))
    assert (len(shown), len(shown) * (len(shown) - 1)) == (145, 20_880)
    assert mean_of_pairs(shown) / star - 1 == pytest.approx(2 / 5, abs=0.02)
    for n, low, high in ((1000, 0.48, 0.57), (4000, 0.23, 0.28)):
        off = np.array([mean_of_pairs(in_cell(n, seed)) for seed in seeds(1500)]) / star - 1
        assert mean_within(np.abs(off), low, high) and mean_within(off, 0)


@claim("estimation_risk/exercises", "z = (.5 − y)(.5 − y') is ±.25 whatever the labels, and h* = 0:")
@claim("estimation_risk/exercises", "R(h*) = .25² = .0625")
def test_risk_of_a_fair_coin():
    z = [(0.5 - y) * (0.5 - other) for y in (0, 1) for other in (0, 1)]
    assert {abs(each) for each in z} == {0.25}
    assert np.mean(z) == 0
    assert np.mean(np.square(z)) == 0.0625


@claim("calibration_risk/exercises", "squared top-label error × 1000 is 1.55, .85, 1.10, .40 or .41")
@claim("calibration_risk/exercises", "Whether 1,079 digits are enough to see a difference is another question")
@claim("estimation_risk/scenes", "1,079 digits, top-label error on a fifth; bars: five folds")
@claim(
    "07_kernel_ridge",
    "For the neural network they disagree by a factor of four, and the risk cannot tell them apart, not even "
    "from h = 0",
)
@claim("06_estimation_risk", "On one split the largest answer for the neural network is almost four times the smallest")
def test_five_answers():
    found = estimates("neural network")
    assert [f"{1000 * each:.2f}" for each in found] == ["1.55", "0.85", "1.10", "0.40", "0.41"]
    assert max(found) / min(found) == pytest.approx(4, abs=0.3)
    assert not selected("neural network")["told_apart"].any()
    assert len(digits_predictions("neural network").y_true) == 1079


@pytest.mark.parametrize("draws", [pytest.param(100, marks=pytest.mark.slow)])
@claim(
    "06_estimation_risk",
    "in nearly all draws of $n$ = 1,000 it is nearer to the truth than three quarters of the 68 other settings",
)
@claim("06_estimation_risk", "a setting, 1 to 60 bins or a bandwidth, is a dot")
@claim(
    "06_estimation_risk",
    "Bins and kernels lie along one line (rank correlation above .8, here and in nearly all other draws)",
    "What scatters the dots is the noise of the 2,000 fresh labels, neighbours often together",
)
def test_the_setting_that_the_risk_chooses(draws, seeds):
    together, better, along = [], 0, 0
    for seed in (as_shown(1), *seeds(draws)):
        found = excess_and_distance(1000, seed)
        assert len(found) == 69 and FRESH == 2000
        better += (found[:, 1] > found[found[:, 0].argmin(), 1]).sum() >= 0.75 * 68
        risks, away = found.T
        along += spearmanr(risks, away)[0] > 0.8
        above = np.sign(risks - away)[:60]  # of the bins
        together.append((above[1:] == above[:-1]).mean())
    assert within(better, draws + 1, 0.95, 1) and within(along, draws + 1, 0.95, 1)
    assert mean_within(together, 0.65, 0.75)


@claim(
    "06_estimation_risk",
    "one risk varies by .0011 from data set to data set, the difference between $\\theta = 2$ and $\\theta = 1$ "
    "by .0003 about a mean of .0006",
)
def test_paired_risks_of_figure_one():
    risks, _ = sims.figure_one(500)
    one, two = (risks[:, list(sims.THETAS).index(theta)] for theta in (1.0, 2.0))
    assert round(one.std(ddof=1), 4) == 0.0011
    assert (round((two - one).mean(), 4), round((two - one).std(ddof=1), 4)) == (0.0006, 0.0003)
    assert (two > one).all()


@pytest.mark.slow
@claim(
    "06_estimation_risk",
    "in the world with one wave ($n$ = 1,000, five estimators) the order by distance of the surface and the order by "
    "error of the number disagree in about a third of the pairs",
)
@claim("calibration_risk/exercises", "of the numbers themselves nothing directly (section 4)")
def test_the_nearer_surface_may_report_the_worse_number(seeds):
    world, grid, turned = wave_world(1, 0.15), (np.arange(200) + 0.5) / 200, []
    truth, (i, j) = np.outer(*2 * [0.15 * np.sin(2 * np.pi * grid)]), np.triu_indices(5, 1)
    for seed in seeds(150):
        y, p = world.sample(1000, seed)
        fits = [fit_binning(y, p, n_bins=each)(grid) for each in (15, 30)] + [fit_kde(y, p)(grid)]
        for fit, penalty in ((fit_kkr, 1e-4), (fit_ukkr, 1e-3)):
            fits.append(fit(y, p, kernel=rbf(gamma=5.0), regularization=penalty)(grid))
        away = np.array([np.mean((h - truth) ** 2) for h in fits])
        off = np.array([abs(np.trace(h - truth)) for h in fits])
        turned.append(((away[i] - away[j]) * (off[i] - off[j]) < 0).mean())
    assert mean_within(turned, 0.32, 0.39)


@claim(
    "06_estimation_risk",
    "At $\\theta = .3$ the function $q_\\theta$ is $p$, so $h_\\theta = 0$, “no error”; further left the gaps "
    "$p - q_\\theta$ point the wrong way",
)
def test_no_error_is_on_the_curve(seeds):
    for seed in seeds(50):
        _, p, q = temperature_simulation(500, rng=seed)
        for theta, sign in ((0.15, -1), (0.3, 0), (0.6, 1), (1.0, 1)):
            power = p ** (10 * theta / 3)
            along = ((p - power / power.sum(axis=1, keepdims=True)) * (p - q)).sum()
            assert abs(along) < 1e-9 if sign == 0 else np.sign(along) == sign


@claim("estimation_risk/scenes", "15 bins")
def test_fifteen_bins_are_fifteen():
    assert selected("neural network").loc["15 bins", "setting"] == "15"


@claim("06_estimation_risk", "(of naive Bayes' confidences 21 % of the pairs are)")
def test_pairs_that_tie():
    c = digits_predictions("naive Bayes").y_prob.max(axis=1)
    _, count = np.unique(c, return_counts=True)
    assert round((count * (count - 1)).sum() / (len(c) * (len(c) - 1)), 2) == 0.21


@claim("estimation_risk/scenes", "mean product in each cell: purple −0.04, white 0, orange 0.04")
def test_colours_of_products():
    (image,) = [each for axes in learn_from_pairs().figure.axes for each in axes.images]
    assert image.get_clim() == (-0.04, 0.04)
    purple, white, orange = image.to_rgba(np.array([-0.04, 0.0, 0.04]))[:, :3]
    assert purple[2] > purple[0] > purple[1] and orange[0] > orange[1] > orange[2] and white.min() > 0.95


@claim("06_estimation_risk", "The two curves differ by a constant, the risk of the truth itself")
@claim("06_estimation_risk", "in 80 of the 100 the smallest of the 21 risks is the one at $\\theta = 1$")
def test_figure_one():
    risks, distances = sims.figure_one(500)
    assert risks.shape == (100, 21)
    one = list(sims.THETAS).index(1.0)
    assert (risks.argmin(axis=1) == one).sum() == 80
    assert np.abs(risks.mean(axis=0) - risks[:, one].mean() - distances).max() < 0.02 * distances.max()
    y, p, q = temperature_simulation(500, rng=as_shown(7))  # one of them by plain sums over pairs
    gap = p - q
    assert risks[7, one] == pytest.approx(risk_on_pairs(gap @ gap.T, p - np.eye(5)[y]), rel=1e-6)
