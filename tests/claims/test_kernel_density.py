"""Claims of the lesson kernel_density."""

from itertools import product

import numpy as np
import pytest
from binned import top
from claim import claim
from scipy.integrate import quad
from scipy.stats import beta
from seeds import mean_within

from calibtutor import kde_calibration_error
from calibtutor.data.datasets import digits_predictions
from calibtutor.data.worlds import CurveWorld, wave_world
from calibtutor.estimates.kde import BANDWIDTHS, log_likelihood
from calibtutor.lessons.kernel_density.kernel import dirichlet_log_kernel
from calibtutor.lessons.kernel_density.simulations import beta_kernel, errors_by_bandwidth


def likeliest(scores, extra=0.0):
    """The bandwidth with the largest leave-one-out likelihood, with an extra −log h for each score if `extra` is 1."""
    return BANDWIDTHS[np.argmax(log_likelihood(scores) - extra * len(scores) * np.log(BANDWIDTHS))]


@claim("05_kernel_density", "The estimate tends to the mean of $(p_i - \\bar y)^2$, the spread of the predictions "
       "around $\\bar y$, however good the model is.", "kernel_density/exercises",
       "Every estimate is ½, the share of events, and each prediction is .3 away from it:",
       ".3² = .09, for a model that has no error.",
       "In a bin the mean confidence is .7, the share of hits .6, and the estimated variance of that share .004.",
       "(.7 − .6)² − .004 = .006")
def test_flat_limit(seeds):
    assert (0.7 - 0.6) ** 2 - 0.004 == pytest.approx(0.006)
    for seed in seeds(20):
        y, p = wave_world(1, 0.15 * (seed % 2)).sample(200, seed)
        assert kde_calibration_error(y, p, bandwidth=1e6) == pytest.approx(np.mean((p - y.mean()) ** 2), rel=0.05)
    p = np.tile([0.2, 0.8], 5000)
    assert kde_calibration_error(seeds.rng(16).random(10_000) < p, p, bandwidth=1e6) == pytest.approx(0.09, abs=1e-3)


@claim("05_kernel_density", "Rows that are drawn twice add noise, and noise counts as error.",
       "With its own label in, a very narrow kernel reports the Brier score itself.", "The estimate is its label, 0 or "
       "1, and the noise of that label counts as error: about as much as the Brier score", "kernel_density/exercises",
       "Calibrated, 400 predictions", "and a very narrow kernel, γ = 10⁻⁷.",
       "It is as noisy as the label that was left out.")
def test_noise_counts_as_error(seeds):
    world = CurveWorld(lambda p: p, lambda u: 0.5 + 0.5 * (2 * u - 1) * np.abs(2 * u - 1) ** 0.2)
    found, as_shown_first = [], []
    for seed in seeds(40):
        y, p = world.sample(400, seed)
        found.append([kde_calibration_error(y, p, bandwidth=1e-11, leave_one_out=out) for out in (False, True)])
        assert found[-1][0] == pytest.approx(np.mean((p - y) ** 2), rel=0.04)  # but for pairs that are as near
        as_shown_first.append(kde_calibration_error(y, p, bandwidth=1e-7) / np.mean((p - y) ** 2))
    own, other = np.transpose(found)
    assert mean_within(as_shown_first, 0.94, 1, refuses=(0.85, 1.1))
    assert mean_within(other / own, 0.98, 1.03, refuses=(0.9, 1.1))
    world, more = wave_world(1, 0.0), []
    for seed in seeds(60):
        (y, p), rng = world.sample(300, seed), np.random.default_rng(seed)
        rows = [rng.integers(0, 300, 300) for _ in range(10)]
        again = np.mean([kde_calibration_error(y[each], p[each], bandwidth=0.01) for each in rows])
        more.append(again / kde_calibration_error(y, p, bandwidth=0.01))
    assert mean_within(more, 1.9, 2.6, refuses=1)


@claim("05_kernel_density",
       "The authors' released code subtracts a further $\\log \\gamma$ for each prediction, and the choice falls to "
       "the smallest again.", "200 trees vote, so the forest's confidences are multiples of 1/200, many of them equal.",
       "no two confidences are equal, and the density is smooth.",
       "At the bandwidth that a common rule chooses, the neural network's error is .0073; at others it is less than a "
       "tenth of that.", "In the opening picture the network's changed more than tenfold.",
       "of the random forest's 1,079 digits 256 are then alone in their cell.",
       "kernel_density/exercises", "a share of its 200 trees' votes", "Beside .0073, the estimated squared error is …")
def test_cells_of_ten_classes_and_traps_of_likelihood():
    cells = np.ceil(np.round(10 * digits_predictions("random forest").y_prob, 9)).clip(1)
    count = np.unique(cells, axis=0, return_counts=True)[1]
    assert (count.sum(), (count == 1).sum()) == (1079, 256)
    _, confidence = top("random forest")
    assert np.abs(200 * confidence - np.round(200 * confidence)).max() < 1e-9
    assert len(np.unique(confidence)) < 200
    assert likeliest(confidence) == BANDWIDTHS[0] == pytest.approx(1e-5)
    assert (len(BANDWIDTHS), BANDWIDTHS[-1]) == (20, 1)
    _, distinct = top("logistic regression")
    assert len(np.unique(distinct)) == len(distinct) and likeliest(distinct) > 1e-3
    assert likeliest(distinct, extra=1) == BANDWIDTHS[0]
    hit, confidence = top("neural network")
    found = [kde_calibration_error(hit.astype(int), confidence, bandwidth=each) for each in BANDWIDTHS]
    assert errors_by_bandwidth("neural network", BANDWIDTHS, 1)[:, 0] == pytest.approx(found)
    chosen = found[int(np.flatnonzero(BANDWIDTHS == likeliest(confidence))[0])]
    assert round(chosen, 4) == 0.0073 and sum(each < chosen / 10 for each in found) >= 2


@claim("05_kernel_density", "Choose *logistic regression*: at all but the narrowest bandwidths it is above the grey.",
       "On this split so is *naive Bayes*. But its error varies tenfold",
       "nearly all of the network's curve is the bandwidth's work")
def test_errors_beside_redrawn_labels():
    models = "neural network", "logistic regression", "naive Bayes"
    network, logistic, bayes = (errors_by_bandwidth(model, BANDWIDTHS) for model in models)
    assert (network[:, 0] > 0.6 * network[:, 1:].mean(axis=1)).all()
    assert (network[:, 0] <= network[:, 1:].max(axis=1)).all()
    assert (logistic[2:, 0] > logistic[2:, 1:].max(axis=1)).all()
    assert (bayes[1:, 0] > bayes[1:, 1:].max(axis=1)).all() and 10 < bayes[:, 0].max() / bayes[:, 0].min() < 13


@claim("05_kernel_density", "choose $a$ and $b$ so that the top is at the prediction $p_j$",
       "highest at .9 and 0 at both ends.",
       "kernel_density/exercises", "Its top is there, because a Beta(a, b) has it at (a − 1)/(a + b − 2).",
       "kernel_density/scenes", "with p and centre swapped,")
def test_the_top_of_the_kernel_and_the_mass_of_the_swapped_one():
    """That it is this Beta density: tests/estimates/test_kde.py."""
    grid = (np.arange(20_000) + 0.5) / 20_000
    for c in (0.3, 0.9):
        a, b = c / 0.1 + 1, (1 - c) / 0.1 + 1
        kernel = np.exp(dirichlet_log_kernel(grid, [c], 0.1)[:, 0])
        assert grid[kernel.argmax()] == pytest.approx(c, abs=1e-4) and (a - 1) / (a + b - 2) == pytest.approx(c)
    assert max(kernel[[0, -1]]) < 1e-3 * kernel.max()
    for c, h in product((0.05, 0.1, 0.5, 0.95), (0.01, 0.1, 1.0)):
        exact = quad(lambda p, c=c, h=h: beta.pdf(c, p / h + 1, (1 - p) / h + 1), 0, 1, points=[c], limit=200)[0]
        assert beta_kernel(c, h, np.linspace(0, 1, 1001))[2] == pytest.approx(exact, abs=1e-4)
