"""Computations behind the scenes of notebook 06: done once and kept, or stored (`..shared.stored`)."""

from functools import lru_cache

import numpy as np
from sklearn.gaussian_process.kernels import DotProduct
from threadpoolctl import threadpool_limits

from ...binning import expected_calibration_error
from ...ckce import ckce, error_of_matrix, jkce
from ...data.datasets import brightened_digits, digits_predictions
from ...data.worlds import covariate_shift, shifted_inputs
from ...kernels import fourier_features, linear_plus_gaussian, low_rank, median_bandwidth, rbf
from ...predictions import residuals, top_label
from ...reproductions import shift as paper
from ...spectrum import spectrum_of_features
from ..shared.refits import SPLITS, trained_again
from ..shared.stored import stored
from .endless import ckce_of, directions, papers_world

__all__ = []  # computations, not scenes

CAST = ("random forest", "logistic regression", "neural network", "naive Bayes")
# Two models must be compared with one kernel and one λ (errata C3). The medians of the cast are 1.0 to 1.4; λ is the
# paper's n^(−1/4) for all 1,079 images, and stays when only some of them are looked at.
KERNEL = linear_plus_gaussian(1.0)
PENALTY = 1079**-0.25


def three_errors(y, p):
    """Top-label ECE with 10 bins, JKCE, and CKCE at PENALTY, of vector predictions."""
    return (
        expected_calibration_error(y, p, n_bins=10),
        jkce(y, p, kernel=KERNEL),
        ckce(y, p, kernel=KERNEL, regularization=PENALTY),
    )


# --- which order comes back on other splits? ---


@stored(("logistic regression", "naive Bayes"), SPLITS)
def on_another_split(model, split):
    """`crowd.root_errors` of a model trained and tested on another split: ECE, √SKCE, then √CKCE for each λ there."""
    from . import crowd  # which imports this file

    again = trained_again(model, split)
    hit, confidence, features = crowd.with_features(again.y_true, again.y_prob)
    errors = [crowd.root_errors(features.features, hit, confidence, np.ones((1, len(hit))), penalty)[0]
              for penalty in [*crowd.LADDER, *crowd.LARGE]]  # fmt: skip
    return np.concatenate([errors[0][:2], [each[2] for each in errors]])


@lru_cache
def comes_back(first, second):
    """For each of these errors, on how many of the other splits the first model has the smaller one."""
    one, two = (np.array([on_another_split(model, split) for split in SPLITS]) for model in (first, second))
    return (one < two).sum(axis=0)


# --- prediction by weights ---

WEIGHED = 400  # images: enough for a curve, and few enough to see each
PENALTIES = [0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
WIDTHS = [0.02, 0.05, 0.1, 0.2, 0.5]


@lru_cache
def forest():
    """Hits and confidences of the random forest on the first images, both (n,)."""
    each = digits_predictions("random forest")
    hit, confidence = top_label(each.y_true, each.y_prob)
    return hit[:WEIGHED], confidence[:WEIGHED]


@lru_cache
def _eigenvectors(width):
    _, confidence = forest()
    return np.linalg.eigh(linear_plus_gaussian(width)(confidence[:, None]))


def weights(at, penalty, width):
    """Columns w = (K + λnI)⁻¹ k(·, q) for each q of `at`, shape (n, m)."""
    _, confidence = forest()
    mu, V = _eigenvectors(width)
    near = linear_plus_gaussian(width)(confidence[:, None], np.asarray(at, dtype=float)[:, None])
    return V @ ((V.T @ near) / (mu + penalty * len(mu))[:, None])


# --- what a kernel can represent ---

SCORES = 0.2 + 0.6 * (np.arange(200) + 0.5) / 200  # equally likely; with each miss below P(Y = 1 | p) is in [0, 1]
MISSES = {
    "constant": 0.15 + 0 * SCORES,
    "straight line": 0.5 * (SCORES - 0.5),
    "S-shape": 0.15 * np.tanh((SCORES - 0.5) / 0.08),
    "two waves": 0.15 * np.sin(4 * np.pi * (SCORES - 0.2) / 0.6),
}
LADDER = [1e-6, 1e-5, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
FEATURES = {
    "linear": DotProduct(sigma_0=0, sigma_0_bounds="fixed"),
    "Gaussian": rbf(bandwidth=0.2),
    "linear + Gaussian": linear_plus_gaussian(0.2),
}


@lru_cache
def _directions(name):
    mu, V = np.linalg.eigh(FEATURES[name](np.column_stack([1 - SCORES, SCORES])) / len(SCORES))
    return np.maximum(mu, 0), V


def fitted(name, miss, penalty):
    """Ridge regression of a miss on the prediction, over the whole population: g_λ (200,), and its squared norm.

    There are no labels, so no noise: what is lost is lost to the kernel and the penalty. The residual of the vector
    (1 − p, p) is (−g, g), hence the 2.
    """
    return found_by(*_directions(name), MISSES[miss], penalty)


def found_by(mu, V, miss, penalty):
    """Ridge regression of a miss, with eigenvalues μ and eigenvectors V of K/n: what it finds, and the CKCE."""
    seen = V.T @ miss
    norm = 2 * (mu * (seen / (mu + penalty)) ** 2).sum() / len(miss)
    return V @ (mu / (mu + penalty) * seen), float(norm)


# --- the world shifts ---

SHIFTS = np.arange(-8, 9) / 8
SHIFT_N, SHIFT_SETS = paper.N, 200
SHIFT_PENALTIES = [0.001, 0.01, 0.03, 0.1, 0.178]  # the last is the paper's n^(−1/4)
SHIFT_KERNELS = {"linear + Gaussian": "CKCE", "linear": "CKCE, linear", "Gaussian": "CKCE, Gaussian"}
RULES = {str(each): each for each in paper.BANDWIDTHS}
CROWDS, LABELS = ("moves", "stays at α = 0"), ("drawn", "none: no noise")
CELLS, INPUTS = np.linspace(0, 1, 31), 4000


def calibration_curve(p):
    """P(Y = 1 | p) in the paper's world, wherever the inputs are: σ(logit(p)/5)."""
    odds = (p / (1 - p)) ** (1 / 5)
    return odds / (1 + odds)


def predictions_after(alpha, rows=4000):
    """Predictions σ(5x) of inputs X ~ N(α, ¼²) that are cut off at ±1, at equally likely places."""
    x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
    return 1 / (1 + np.exp(-5 * x))


@lru_cache
def median_after(alpha, rows=1000):
    """Median distance of the predictions (1 − p, p), p = σ(5x), of inputs X ~ N(α, ¼²) at equally likely places."""
    x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
    p = 1 / (1 + np.exp(-5 * x))
    return median_bandwidth(np.column_stack([1 - p, p]))


@lru_cache
def _drawn(distance):
    # The same generator for every shift: the curves differ by less noise.
    y, rows = covariate_shift(distance, SHIFT_SETS * SHIFT_N, np.random.default_rng(6))
    rows = np.split(rows, SHIFT_SETS)
    return np.split(y, SHIFT_SETS), rows, [median_bandwidth(each) for each in rows]


@lru_cache
def _of_draws(here, distance, rule):
    """Mean CKCE of data sets with inputs around `here`; a median, as a bandwidth, is that of data around `distance`."""
    y, rows, _ = _drawn(here)
    widths, found = _drawn(distance)[2] if rule == paper.MEDIAN else [RULES[rule]] * SHIFT_SETS, []
    for labels, p, width in zip(y, rows, widths, strict=True):
        features = low_rank(linear_plus_gaussian(width), p, tol=1e-11).features
        spectrum = spectrum_of_features(features, residuals(labels, p))
        found.append([spectrum.norm(0, 1, penalty) for penalty in SHIFT_PENALTIES])
    return np.mean(found, axis=0)


@lru_cache
def _of_endless(here, distance, rule):
    """The same for endless data: exact means, no noise of labels."""
    found = directions(*papers_world(alpha=here), median_after(distance) if rule == paper.MEDIAN else RULES[rule])
    return np.array([ckce_of(*found, penalty) for penalty in SHIFT_PENALTIES])


@stored(RULES, CROWDS, LABELS)
def ckce_over_shift(rule, crowd, labels):
    """CKCE at each of SHIFTS (columns) and SHIFT_PENALTIES (rows): with labels drawn the mean over SHIFT_SETS data sets.

    The crowd may stay at α = 0 while the bandwidth goes on as if it had moved. At −α the world is the mirror image of
    that at α, and all errors have the same law: one side is enough.
    """
    make = _of_draws if labels == "drawn" else _of_endless
    at = [(distance if crowd == "moves" else 0.0, distance if rule == paper.MEDIAN else 0.0) for distance in SHIFTS[8:]]
    side = [make(*each, rule) for each in at]
    return np.array([*side[:0:-1], *side]).T


# --- random features ---

DRAWN_N, DRAWS = 200, 12
COUNTS = [5, 10, 20, 50, 100, 200, 500]
DRAWN_MODELS = ["random forest", "logistic regression"]


@lru_cache
def some_digits(model):
    each = digits_predictions(model)
    y, p = each.y_true[:DRAWN_N], each.y_prob[:DRAWN_N]
    return p, residuals(y, p), KERNEL(p)


def exact_norm(model):
    """CKCE of the first 200 digits by the kernel itself."""
    _, delta, K = some_digits(model)
    return error_of_matrix(K, delta, PENALTY)


def with_waves(p, delta, frequencies, draw, penalty):
    """Kernel (8), γ = 1, from p and random waves; and the CKCE that it gives."""
    waves = fourier_features(p, bandwidth=1.0, n_frequencies=frequencies, rng=[draw, frequencies])
    K = p @ p.T + waves @ waves.T
    return K, error_of_matrix(K, delta, penalty)


def approximate(model, count, draw):
    """One draw of random features: (kernel matrix, CKCE)."""
    p, delta, _ = some_digits(model)
    return with_waves(p, delta, count, draw, PENALTY)


@lru_cache
def feature_errors(model):
    """What each draw gives: {(count, draw): (entries of k that are shown, error of the kernel, CKCE)}."""
    _, _, K = some_digits(model)
    found = {}
    with threadpool_limits(limits=1):  # matrices this small are multiplied faster without threads
        for count in COUNTS:
            for draw in range(1, DRAWS + 1):
                approximated, value = approximate(model, count, draw)
                found[count, draw] = approximated[shown_entries()], kernel_error(approximated, K), value
    return found


def kernel_error(approximated, K):
    """Root mean square over pairs i ≠ j; on the diagonal Fourier features are exact, as cos² + sin² = 1."""
    n = len(K)
    return np.sqrt(((approximated - K) ** 2).sum() / (n * (n - 1)))


@lru_cache
def shown_entries():
    """Rows and columns of the pairs that are drawn as dots."""
    rows, columns = np.random.default_rng(0).integers(0, DRAWN_N, (2, 300))
    return rows[rows != columns], columns[rows != columns]


# --- darker digits ---

CHANGES = list(range(-50, 51, 10))  # of the brightness, per cent
LIT_N = 1079


@lru_cache
def montage(change):
    """Eight test images at a brightness, in four rows with a grey frame, as one picture (37, 19)."""
    images = brightened_digits("naive Bayes", change).images[:8]  # the model does not matter
    framed = np.pad(images.reshape(4, 2, 8, 8), ((0, 0), (0, 0), (1, 0), (1, 0)), constant_values=0.45)
    picture = framed.transpose(0, 2, 1, 3).reshape(36, 18)
    return np.pad(picture, ((0, 1), (0, 1)), constant_values=0.45)


def three_root_errors(phi, delta, bins, miss, weights, penalty):
    """ECE, √JKCE and √CKCE if row i counts weights[i] times: features φ, residuals δ, the bins' one-hot rows."""
    w = weights / weights.sum()
    S, C = phi.T @ (w[:, None] * delta), phi.T @ (w[:, None] * phi)
    own = w**2 @ ((phi**2).sum(axis=1) * (delta**2).sum(axis=1))
    joint = max(((S**2).sum() - own) / (1 - w @ w), 0)
    conditional = (np.linalg.solve(C + penalty * np.eye(len(C)), S) ** 2).sum()
    return np.abs(bins.T @ (w * miss)).sum(), np.sqrt(joint), np.sqrt(conditional)


LIT_MODELS = ("random forest", "logistic regression", "naive Bayes")
LIT_RESAMPLES = 40


@stored(LIT_MODELS, CHANGES)
def lit_errors(model, change):
    """`three_root_errors` of all images in a light and the share that is right; and their bootstrap standard errors."""
    digits, rng = brightened_digits(model, change), np.random.default_rng(0)
    y, p = digits.y_true, digits.y_prob
    hit, confidence = top_label(y, p)
    phi, n = low_rank(linear_plus_gaussian(1.0), p, tol=1e-4).features, len(y)
    bins = np.eye(10)[np.maximum(np.ceil(confidence * 10) - 1, 0).astype(int)]
    counts = [np.ones(n)] + [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(LIT_RESAMPLES)]
    found = np.array([
        [*three_root_errors(phi, residuals(y, p), bins, confidence - hit, each, PENALTY), each @ hit / n]
        for each in counts
    ])  # fmt: skip
    return found[0], found[1:].std(axis=0, ddof=1)


# --- the table of models ---

TABLED = ("neural network", "logistic regression", "random forest", "naive Bayes", "decision tree")


@stored(TABLED)
def ckce_spread(model):
    """Bootstrap standard error of a model's CKCE with the table's settings: KERNEL, the paper's λ."""
    each, rng = digits_predictions(model), np.random.default_rng(0)
    y, p = each.y_true, each.y_prob
    phi = low_rank(KERNEL, p, tol=1e-4).features
    delta, n, found = residuals(y, p), len(y), []
    for _ in range(LIT_RESAMPLES):
        w = np.bincount(rng.integers(0, n, n), minlength=n)[:, None] / n
        C, S = phi.T @ (w * phi), phi.T @ (w * delta)
        found.append((np.linalg.solve(C + PENALTY * np.eye(len(C)), S) ** 2).sum())
    return float(np.std(found, ddof=1))
