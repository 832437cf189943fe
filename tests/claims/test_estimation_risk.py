"""Claims of the lesson estimation_risk."""

import numpy as np
import pytest
from claim import claim
from of_digits import estimates, risk_on_pairs, selected
from scipy.stats import spearmanr
from seeds import as_shown, mean_within, within

from calibtutor import fit_binning, fit_kde
from calibtutor.data.worlds import temperature_simulation, wave_world
from calibtutor.lessons.estimation_risk import simulations as sims


@claim("06_estimation_risk", "For naive Bayes it rules out “no error”, and two of the five, on this split",
       "On one split the largest answer for the neural network is almost four times the smallest",
       "For the neural network the risk cannot tell the five answers apart, not even from $h = 0$")
def test_five_answers():
    found, table = estimates("neural network"), selected("neural network")
    assert 3.5 < max(found) / min(found) < 4
    assert not table["told_apart"].any()
    apart = selected("naive Bayes")["told_apart"]
    assert sorted(apart.index[apart]) == ["15 bins", "h = 0", "kde"]


@claim("06_estimation_risk", "and it is still off: the 20,880 pairs come from only 145 predictions",
       "estimation_risk/exercises", "z = (.5 − y)(.5 − y') is ±.25 whatever the labels, and h* = 0:",
       "the risk is .25² = .0625", "Two predictions have the residuals .3 and −.5.", ".3 · (−.5) = −.15.",
       "Two predictions are both near .31, in the framed cell, and the truth there is h* = .019",
       "A residual p − Y is near .31 or near −.69, so a product is near .10, −.21 or .48")
def test_three_heaps_of_products():
    assert {(0.5 - y) * (0.5 - other) for y in (0, 1) for other in (0, 1)} == {0.25, -0.25} and 0.3 * -0.5 == -0.15
    y, p = sims.one_wave(1000)
    cell, middle = p[(p * 8).astype(int) == 2], 2.5 / 8
    assert round((0.15 * np.sin(2 * np.pi * middle)) ** 2, 3) == 0.019 and np.abs(cell - 0.31).max() < 0.07
    heaps, products = np.array([0.31**2, -0.31 * 0.69, 0.69**2]), sims.products_of_residuals(y, p)
    assert heaps.round(2).tolist() == [0.1, -0.21, 0.48] and len(products) == 20_880 == 145 * 144
    away = np.abs(products[:, None] - heaps)
    assert away.min(axis=1).max() < 0.1 and set(away.argmin(axis=1)) == {0, 1, 2}
    assert np.abs(products - 0.019).min() > 0.04  # none is near the truth
    assert abs(products.mean() / 0.019 - 1) > 0.1


@claim("06_estimation_risk", "Move $\\theta$: the two differ by a constant",
       "Each risk varies more than the two differ, but most of the noise is that of $z^2$")
def test_figure_one():
    risks, distances = sims.figure_one(500)
    one, two = (list(sims.THETAS).index(theta) for theta in (1.0, 2.0))
    assert np.abs(risks.mean(axis=0) - risks[:, one].mean() - distances).max() < 0.02 * distances.max()
    more = risks[:, two] - risks[:, one]
    assert risks[:, one].std(ddof=1) > 1.5 * more.mean() and more.std(ddof=1) < risks[:, one].std(ddof=1) / 3
    y, p, q = temperature_simulation(500, rng=as_shown(7))  # one of them by plain sums over pairs
    assert risks[7, one] == pytest.approx(risk_on_pairs((p - q) @ (p - q).T, p - np.eye(5)[y]), rel=1e-6)


@claim("06_estimation_risk", "pairs $i \\ne j$ of data that did not choose it estimate it without bias")
def test_the_risk_on_data_that_did_not_fit(seeds):
    world, grid, fresh, own = wave_world(1, 0.15), (np.arange(100) + 0.5) / 100, [], []
    for seed in seeds(100):
        train, other = world.sample(200, seed), world.sample(200, 1000 + seed)
        h = fit_binning(*train, n_bins=30)
        true = np.mean((h(grid) - np.outer(grid - world.curve(grid), grid - world.curve(grid))) ** 2)
        for (y, p), excess in ((train, own), (other, fresh)):  # above the risk of the truth, on the same data
            star = np.outer(p - world.curve(p), p - world.curve(p))
            excess.append(risk_on_pairs(h(p), p - y) - risk_on_pairs(star, p - y) - true)
    assert mean_within(fresh, 0, refuses=np.mean(own)) and mean_within(own, -0.0045, -0.0037, refuses=0)


@pytest.mark.slow
@claim("06_estimation_risk",
       "in nearly all draws of $n$ = 1,000 it is nearer to the truth than three quarters of the other marks",
       "Bins and kernels lie along one line",
       "so most marks lie on one side of it together: below it at $n$ = 1,000, above it at 500")
def test_the_setting_that_the_risk_chooses(seeds):
    better, along = 0, 0
    for seed in (as_shown(1), *seeds(79)):
        found = sims.excess_and_distance(1000, seed)
        if seed == as_shown(1):
            assert (found[:, 0] < found[:, 1]).mean() > 0.8
            assert (np.diff(sims.excess_and_distance(500, seed)) < 0).mean() > 0.8
        better += (found[:, 1] > found[found[:, 0].argmin(), 1]).sum() >= 0.75 * 68
        along += spearmanr(*found.T)[0] > 0.8
    assert within(better, 80, 0.97, 1, refuses=0.875) and within(along, 80, 0.98, 1, refuses=0.875)


@pytest.mark.slow
@claim("06_estimation_risk", "Compare any two marks of the picture, at $n$ = 1,000: in one of nine comparisons, on "
       "average over draws, the nearer function reports the worse number.",
       "And in nine draws of ten the nearest of all does not report the best one.")
def test_the_nearer_surface_may_report_the_worse_number(seeds, draws=200):
    """Of the picture's 69 settings."""
    world, grid, (i, j) = wave_world(1, 0.15), (np.arange(100) + 0.5) / 100, np.triu_indices(69, 1)
    truth, turned, best = np.outer(*2 * [0.15 * np.sin(2 * np.pi * grid)]), [], 0
    for seed in seeds(draws):
        y, p = world.sample(1000, seed)
        fits = [fit_binning(y, p, n_bins=each)(grid) for each in sims.BINS]
        fits += [fit_kde(y, p, bandwidth=each)(grid) for each in sims.BANDWIDTHS]
        away = np.array([np.mean((h - truth) ** 2) for h in fits])
        off = np.array([abs(np.trace(h - truth)) for h in fits])
        turned.append(((away[i] - away[j]) * (off[i] - off[j]) < 0).mean())
        best += away.argmin() == off.argmin()
    assert len(fits) == 69 and mean_within(turned, 0.1, 0.125, refuses=(0.05, 0.2))
    assert within(best, draws, 0.07, 0.12, refuses=(0, 0.25))
