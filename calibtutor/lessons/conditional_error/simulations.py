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
from ..shared.stored import stored

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
SHIFT_N, SHIFT_SETS = 1000, 20
SHIFT_PENALTIES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.178]  # the last is the paper's n^(−1/4)
SHIFT_KERNELS = {
    "linear + Gaussian": lambda width: linear_plus_gaussian(width),
    "linear": lambda width: FEATURES["linear"],
    "Gaussian": lambda width: rbf(bandwidth=width),
    "linear + Gaussian, bandwidth 0.25": lambda width: linear_plus_gaussian(0.25),
}  # width: the median distance of the data, the paper's choice
CELLS, INPUTS = np.linspace(0, 1, 31), 4000


def calibration_curve(p):
    """P(Y = 1 | p) in the paper's world, wherever the inputs are: σ(logit(p)/5)."""
    odds = (p / (1 - p)) ** (1 / 5)
    return odds / (1 + odds)


@lru_cache
def _drawn(distance):
    # The same generator for every shift: the traces differ by less noise.
    return covariate_shift(distance, SHIFT_SETS * SHIFT_N, np.random.default_rng(6))


@lru_cache
def shifted(distance, kernel):
    """Errors of SHIFT_SETS data sets: ECE and JKCE (sets,), CKCE (penalties, sets).

    At −α the world is the mirror image of that at α, and all errors have the same law: one side is enough.
    """
    y, rows = _drawn(distance)
    phi = low_rank(SHIFT_KERNELS[kernel](median_bandwidth(rows)), rows, tol=1e-11).features
    delta, ece, joint, conditional = residuals(y, rows), [], [], []
    for part in np.split(np.arange(len(y)), SHIFT_SETS):
        spectrum = spectrum_of_features(phi[part], delta[part])
        ece.append(expected_calibration_error(y[part], rows[part, 1], n_bins=10))
        joint.append(spectrum.norm(0, 0, 0, unbiased=True))
        conditional.append([spectrum.norm(0, 1, penalty) for penalty in SHIFT_PENALTIES])
    return np.array(ece), np.array(joint), np.array(conditional).T


def predictions_after(alpha, rows=4000):
    """Predictions σ(5x) of inputs X ~ N(α, ¼²) that are cut off at ±1, at equally likely places."""
    x = shifted_inputs(alpha, (np.arange(rows) + 0.5) / rows)
    return 1 / (1 + np.exp(-5 * x))


@stored(SHIFT_PENALTIES, SHIFT_KERNELS)
def traces(penalty, kernel):
    """Means over data sets of (ECE, JKCE, CKCE) and their standard deviations, both (3, shifts)."""
    row = SHIFT_PENALTIES.index(penalty)
    found = []
    for shift in SHIFTS:
        ece, joint, conditional = shifted(abs(shift), kernel)
        found.append([ece, joint, conditional[row]])
    found = np.array(found)
    return found.mean(axis=2).T, found.std(axis=2, ddof=1).T


# --- the paper's world: one data set an α ---

SINGLE_DRAWS = 20


@stored(range(1, SINGLE_DRAWS + 1))
def one_data_set_each(draw):
    """CKCE of one data set at each α, as in the paper's Figure 2: (25,)."""
    return np.array([paper.one_data_set(name, draw)[0] for name in paper.NAMES])


def bend(values):
    """Coefficient b of a parabola a + bα² through a CKCE at each α, in its standard errors."""
    X = np.column_stack([np.ones(len(values)), paper.ALPHAS**2])
    coefficients = np.linalg.lstsq(X, values, rcond=None)[0]
    variance = ((values - X @ coefficients) ** 2).sum() / (len(values) - 2)
    return coefficients[1] / np.sqrt(variance * np.linalg.inv(X.T @ X)[1, 1])


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
    """Bootstrap standard error of a model's CKCE with the table's settings: its own median bandwidth, the paper's λ."""
    each, rng = digits_predictions(model), np.random.default_rng(0)
    y, p = each.y_true, each.y_prob
    phi = low_rank(linear_plus_gaussian(median_bandwidth(p)), p, tol=1e-4).features
    delta, n, found = residuals(y, p), len(y), []
    for _ in range(LIT_RESAMPLES):
        w = np.bincount(rng.integers(0, n, n), minlength=n)[:, None] / n
        C, S = phi.T @ (w * phi), phi.T @ (w * delta)
        found.append((np.linalg.solve(C + PENALTY * np.eye(len(C)), S) ** 2).sum())
    return float(np.std(found, ddof=1))
