"""What the pictures of kernel estimates compute: kernels, errors at each bandwidth, likelihoods."""

import numpy as np
from scipy import stats

from ...data.datasets import digits_predictions
from ...data.worlds import CurveWorld
from ...door.predictions import top_label
from ...estimates.kde import conditional_frequency, log_likelihood
from .kernel import dirichlet_log_kernel


def errors_by_bandwidth(model, bandwidths, repeats=20):
    """Squared errors (bandwidths, 1 + repeats): of the model's hits, then of hits redrawn from its confidences."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true, digits.y_prob)
    redrawn = np.random.default_rng(0).random((repeats, len(hit))) < confidence
    labels, found = np.vstack([hit, redrawn]), []
    for bandwidth in bandwidths:
        log_kernel = dirichlet_log_kernel(confidence, confidence, bandwidth)
        np.fill_diagonal(log_kernel, -np.inf)  # no label in its own estimate
        weights = np.exp(log_kernel - log_kernel.max(axis=1, keepdims=True))
        frequency = labels @ weights.T / weights.sum(axis=1)
        found.append(((confidence - frequency) ** 2).mean(axis=1))
    return np.array(found)


def beta_kernel(centre, bandwidth, at):
    """The kernel k(p; centre) at points p from 0 to 1; the same with p and centre swapped; the swapped one's mass."""
    kernel = stats.beta.pdf(at, centre / bandwidth + 1, (1 - centre) / bandwidth + 1)
    swapped = stats.beta.pdf(centre, at / bandwidth + 1, (1 - at) / bandwidth + 1)
    between = (at[1:] + at[:-1]) / 2
    return kernel, swapped, stats.beta.pdf(centre, between / bandwidth + 1, (1 - between) / bandwidth + 1) @ np.diff(at)


def calibrated_scores(n=400):
    """Labels and scores of a calibrated model, r(p) = p; a few more scores are near ½ than at the ends."""
    world = CurveWorld(lambda p: p, lambda u: 0.5 + 0.5 * (2 * u - 1) * np.abs(2 * u - 1) ** 0.2)
    y_true, y_prob = world.sample(n, 1)
    order = np.argsort(y_prob)
    return y_true[order], y_prob[order]


def kernel_estimate(y_true, y_prob, bandwidth, leave_one_out=True):
    """The frequency near each prediction p, Σ_j k(p; p_j) y_j / Σ_j k(p; p_j), and the mean squared miss."""
    frequency = conditional_frequency(y_true, y_prob, bandwidth=bandwidth, leave_one_out=leave_one_out)
    return frequency, ((y_prob - frequency) ** 2).sum() / len(y_prob)


def scores_of(model):
    """Confidences of a model on the digits."""
    return digits_predictions(model).y_prob.max(axis=1)


def mean_log_likelihoods(scores, bandwidths):
    """For each bandwidth the mean over i of log (mean over j ≠ i of k(p_i; p_j)): no score helps to predict itself."""
    return log_likelihood(scores, bandwidths) / len(scores)


def likeliest(values, bandwidths, published_extra_term=False):
    """What the rule makes largest, and what it chooses; the released code also subtracts log(bandwidth)."""
    if published_extra_term:
        values = values - np.log(bandwidths)
    return values, bandwidths[np.argmax(values)]


def kernel_density(scores, bandwidth, at):
    """The density of the scores that a bandwidth draws: the mean of the kernels around them."""
    return np.exp(dirichlet_log_kernel(at, scores, bandwidth)).mean(axis=1)
