"""Claims of the lesson kernel_density."""

from itertools import product

import numpy as np
import pytest
from claim import claim
from scipy.integrate import quad
from scipy.stats import beta
from seeds import as_shown, mean_within, within
from worlds_of_binning_and_kde import binned, ece, top

from calibtutor import (
    conditional_frequency,
    expected_calibration_error,
    kde_calibration_error,
)
from calibtutor.data.datasets import digits_predictions, hole_predictions
from calibtutor.data.worlds import CurveWorld, wave_world
from calibtutor.kde import BANDWIDTHS, dirichlet_log_kernel, log_likelihood
from calibtutor.lessons.kernel_density.simulations import beta_kernel, scores_of


def likeliest(scores, extra=0.0):
    """The bandwidth with the largest leave-one-out likelihood, with an extra −log h for each score if `extra` is 1."""
    return BANDWIDTHS[np.argmax(log_likelihood(scores) - extra * len(scores) * np.log(BANDWIDTHS))]


@claim(
    "05_kernel_density",
    "with ten, each probability cut into tenths, 256 of the forest's 1,079 digits are alone in their cell",
)
def test_cells_of_ten_classes():
    cells = np.ceil(np.round(10 * digits_predictions("random forest").y_prob, 9)).clip(1)
    count = np.unique(cells, axis=0, return_counts=True)[1]
    assert (count.sum(), (count == 1).sum()) == (1079, 256)


@claim("kernel_density/scenes", "with p and centre swapped,")
def test_mass_of_the_swapped_kernel():
    grid = np.linspace(0, 1, 1001)
    for c, h in product((0.05, 0.1, 0.35, 0.5, 0.95), (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)):
        exact = quad(lambda p, c=c, h=h: beta.pdf(c, p / h + 1, (1 - p) / h + 1), 0, 1, points=[c], limit=200)[0]
        assert beta_kernel(c, h, grid)[2] == pytest.approx(exact, abs=1e-4)
    assert round(beta_kernel(0.1, 0.1, grid)[2], 3) == 0.932
    assert round(beta_kernel(0.05, 0.05, grid)[2], 3) == 0.883
    assert beta_kernel(0.0, 0.1, grid)[2] == beta_kernel(1.0, 0.1, grid)[2] == 0


@claim("05_kernel_density", "the estimate tends to the mean of $(p_i - \\bar y)^2$, whatever the truth")
@claim("05_kernel_density", "(leaving one out, with the mean $\\bar y_{-i}$ of the other labels for $\\bar y$)")
def test_flat_limit(seeds):
    for seed in seeds(20):
        y, p = wave_world(1, 0.15 * (seed % 2)).sample(200, seed)
        flat = [kde_calibration_error(y, p, bandwidth=1e6, leave_one_out=out) for out in (False, True)]
        others = (y.sum() - y) / 199
        limits = np.mean((p - y.mean()) ** 2), np.mean((p - others) ** 2)
        assert flat == pytest.approx(limits, rel=1e-4)
        assert abs(limits[0] - limits[1]) > 3e-4 * limits[0], "one limit would do for the other"


@claim("05_kernel_density", "one's own or a neighbour's, and its noise costs about as much")
def test_a_neighbour_costs_as_much(seeds):
    world = CurveWorld(lambda p: p, lambda u: 0.5 + 0.5 * (2 * u - 1) * np.abs(2 * u - 1) ** 0.2)
    found = []
    for seed in seeds(60):
        y, p = world.sample(400, seed)
        found.append([kde_calibration_error(y, p, bandwidth=1e-11, leave_one_out=out) for out in (False, True)])
        assert found[-1][0] == pytest.approx(np.mean((p - y) ** 2), rel=0.04)  # but for pairs that are as near
    own, other = np.transpose(found)
    assert mean_within(other / own, 0.97, 1.06)


@claim(
    "05_kernel_density",
    "The bandwidth falls to one of the three smallest offered, for logistic regression to the smallest",
)
@pytest.mark.parametrize("draws", [15, pytest.param(100, marks=pytest.mark.slow)])
def test_extra_term(draws, seeds):
    small = sum(likeliest(seeds.rng(13, k).random(600), extra=1) in BANDWIDTHS[:3] for k in range(draws))
    assert within(small, draws, 0.97, 1)
    assert likeliest(scores_of("uniform scores"), extra=1) in BANDWIDTHS[:3]
    assert likeliest(scores_of("Beta(5, 2)"), extra=1) in BANDWIDTHS[:3]
    assert likeliest(top("logistic regression")[1], extra=1) == BANDWIDTHS[0]


@claim("05_kernel_density", "its 200 trees vote, so its confidences are multiples of 1/200, many of them equal")
@claim(
    "05_kernel_density",
    "here the rule takes the smallest bandwidth offered",
    "For the network (not in the picture) it takes a bandwidth near $10^{-4}$, and the estimated squared error is many "
    "times that with $\\gamma = .01$",
)
def test_traps_of_likelihood():
    _, confidence = top("random forest")
    assert np.abs(200 * confidence - np.round(200 * confidence)).max() < 1e-9
    assert len(np.unique(confidence)) < 200
    assert likeliest(confidence) == BANDWIDTHS[0]
    hit, confidence = top("neural network")
    h = likeliest(confidence)
    assert 5e-5 < h < 2e-4
    chosen, wide = (kde_calibration_error(hit.astype(int), confidence, bandwidth=each) for each in (h, 0.01))
    assert chosen > 5 * wide


@claim(
    "05_kernel_density",
    "We chose a draw where the two disagree.",
    "With these settings they do in 34 to 40 % of draws: bins are closer on the diagonal, as a surface hardly ever.",
    "how the error depends on $p$ | 1,000 | a kernel",
)
@claim("binning_and_kde/games", "a dot a draw of 1,000 predictions with one large wave; 15 bins, γ = 0.02")
@claim("binning_and_kde/games", "Bins are closer in … of … on the diagonal, in … as a surface", "draw 10 more")
@pytest.mark.parametrize("draws", [400, pytest.param(2000, marks=pytest.mark.slow)])
def test_bins_against_kernel(draws, seeds):
    cells = (np.arange(80) + 0.5) / 80
    truth = -0.15 * np.sin(2 * np.pi * cells)
    for seed in (as_shown(3), *seeds(20)):  # by other code than the scene's
        y, p = wave_world(1, 0.15).sample(1000, seed)
        _, said, came = binned(p, y, 15)
        by_bins = (said - came)[np.ceil(cells * 15).astype(int) - 1]
        gaps = by_bins, cells - conditional_frequency(y, p, at=cells, bandwidth=0.02)
        closer = []
        for loss in (
            lambda gap: abs(np.mean(gap**2) - np.mean(truth**2)),
            lambda gap: np.sum((np.outer(gap, gap) - np.outer(truth, truth)) ** 2),
        ):
            bins, kernel = map(loss, gaps)
            closer.append(bins < kernel)
        assert [ratio < 1 for ratio in games.two_ratios(seed)] == closer
    diagonal, surface = (np.array([games.two_ratios(seed) for seed in seeds(draws)]) < 1).T
    assert np.less(games.two_ratios(as_shown(3)), 1).tolist() == [True, False]
    assert within((diagonal & ~surface).sum(), draws, 0.34, 0.4) and within(surface.sum(), draws, 0, 0.01)


@claim("05_kernel_density", "the .126 of logistic regression on its first 100 digits")
@claim("03_chance", "Logistic regression has an ECE of .126 on these 100 digits with 15 bins *and* with 40")
@claim(
    "03_chance",
    "With 15, about one calibrated data set in a hundred shows as much; with 40, about one in three does",
)
def test_the_same_ece(seeds):
    hit, confidence = top("logistic regression", 100)
    redrawn = (seeds.rng(15).random((20_000, 100)) < confidence).astype(float)
    for bins, low, high in ((15, 0.005, 0.015), (40, 0.3, 0.38)):
        observed = ece(confidence, hit, bins)
        assert round(observed, 3) == 0.126
        assert within((ece(confidence, redrawn, bins) >= observed - 1e-12).sum(), 20_000, low, high)


@claim("05_kernel_density", "In most draws they are within .001 of each other down to $10^{-3}$.")
@claim(
    "05_kernel_density",
    "The extra $-\\log \\gamma$ chooses $10^{-5}$ in more than half of all draws and hardly ever more than $10^{-4}$.",
    "There both report .01 to .04 in most draws, for a model that has no error at all.",
)
@pytest.mark.parametrize("draws", [pytest.param(100, marks=pytest.mark.slow)])
def test_own_label_or_not(draws, seeds):
    near, reports, chosen, few = [], [], [], BANDWIDTHS[:8]
    for seed in seeds(draws):
        rng = np.random.default_rng(seed)
        p = rng.beta(5, 2, 1000)
        y = (rng.random(1000) < p).astype(int)
        chosen.append(few[np.argmax(log_likelihood(p, few) - 1000 * np.log(few))])
        if len(near) < 30:
            found = {
                h: [kde_calibration_error(y, p, bandwidth=h, leave_one_out=out) for out in (False, True)]
                for h in (1e-1, 1e-2, 1e-3, chosen[-1])
            }
            reports.append(0.0095 < min(found[chosen[-1]]) < max(found[chosen[-1]]) < 0.04)
            near.append(max(abs(np.subtract(*found[h])) for h in (1e-1, 1e-2, 1e-3)) < 0.001)
    assert within(np.isclose(chosen, 1e-5).sum(), draws, 0.55, 0.75)
    assert within(np.greater(chosen, 1e-4).sum(), draws, 0, 0.03)
    assert within(sum(near), len(near), 0.85, 1) and within(sum(reports), len(reports), 0.85, 1)


@claim("05_kernel_density", "so no error has been found.")
def test_the_negative_number_is_that_of_15_bins():
    each = digits_predictions("neural network")
    for strategy in ("uniform", "quantile"):
        assert expected_calibration_error(each.y_true, each.y_prob, strategy=strategy, norm=2, debias=True) < 0


@claim("kernel_density/scenes", "class 2")
def test_three_classes_have_a_class_2():
    assert hole_predictions("random forest", noise=0.35).y_prob.shape[1] == 3


@claim("05_kernel_density", "The factor in front makes them integrate to 1")
@claim("05_kernel_density", "so that the top is at the data point $p_j$")
@claim("kernel_density/exercises", "Its top is at c, because a Beta(a, b) has it at (a − 1)/(a + b − 2).")
def test_the_kernel_is_the_density_that_is_written():
    from math import gamma as factorial

    grid, (c, bandwidth) = (np.arange(20_000) + 0.5) / 20_000, (0.3, 0.1)
    a, b = c / bandwidth + 1, (1 - c) / bandwidth + 1
    density = factorial(a + b) / (factorial(a) * factorial(b)) * grid ** (a - 1) * (1 - grid) ** (b - 1)
    assert density.mean() == pytest.approx(1, abs=1e-6)
    assert grid[density.argmax()] == pytest.approx(c, abs=1e-4)
    assert (a - 1) / (a + b - 2) == pytest.approx(c)
    assert np.allclose(np.exp(dirichlet_log_kernel(grid, [c], bandwidth)[:, 0]), density, rtol=1e-9)
