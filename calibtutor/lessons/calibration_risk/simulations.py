"""What the scenes of notebook 03 compute, done once and kept where a slider would wait."""

from functools import lru_cache

import numpy as np
from scipy import special

from ...data.datasets import digits_predictions
from ...data.worlds import random_world, temperature_simulation, wave_world
from ...kce import kce_test
from ...kernels import as_rows, rbf
from ...predictions import residuals, top_label
from ...risk import calibration_risk, kernel_ridge, no_error, risk_of_features
from ...selection import select_estimator
from ...spectrum import calibration_spectrum
from ..shared.stored import stored

__all__ = []  # computations, not scenes


def one_wave(n=1000):
    """n labels and scores of a model that misses by a wave of height .15."""
    return wave_world(1, 0.15).sample(n, 1)


def products_of_residuals(y, p, p_cell=2, other_cell=2, cells=8):
    """⟨δ, δ'⟩ of all pairs of predictions, one from each of two cells; none is paired with itself."""
    delta, cell = p - y, (p * cells).astype(int)
    products = np.outer(delta[cell == p_cell], delta[cell == other_cell])
    return products[~np.eye(len(products), dtype=bool)] if p_cell == other_cell else products


def mean_products(y, p, cells=8):
    """The mean of such products for every two cells, from sums over single predictions."""
    delta, cell = p - y, (p * cells).astype(int)
    count, total, squares = (np.bincount(cell, values) for values in (None, delta, delta**2))
    means = np.outer(total / count, total / count)
    np.fill_diagonal(means, (total**2 - squares) / (count * (count - 1)))  # without a prediction's pair with itself
    return means


def true_product(p, other):
    """h*(p, p') = (p − r(p)) (p' − r(p')), known in this world of one wave."""
    world = wave_world(1, 0.15)
    return (p - world.curve(p)) * (other - world.curve(other))


STEPS = range(-10, 11)
THETAS = 2.0 ** (np.array(STEPS) / 2)
REPEATS = 100
MODELS = ["random forest", "logistic regression", "neural network", "naive Bayes"]
CANDIDATES = ["h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"]
COLUMNS = ["worse_by", "worse_by_spread", "estimate"]
SPLITS, FOLDS = 20, 5


@lru_cache
def figure_one(n=500):
    """Risks (data set, θ) in the simulation of Gruber & Bach §5.1, and the mean squared distance to h* for each θ.

    h_θ(p, p') = ⟨p − q_θ(p), p' − q_θ(p')⟩ with q_θ(p) ∝ p^{10θ/3}: at θ = 1 it undoes the temperature .3.
    """
    risks, distances = np.empty((2, REPEATS, len(STEPS)))
    for seed in range(REPEATS):
        y, p, q = temperature_simulation(n, rng=seed)
        delta, log_p = residuals(y, p), np.log(np.maximum(p, np.finfo(float).tiny))
        for t, step in enumerate(STEPS):
            theta = 2 ** (step / 2)
            u = p - special.softmax(10 * theta / 3 * log_p, axis=1)
            # Both are means over pairs, of (⟨δ, δ'⟩ − ⟨u, u'⟩)² and of (h* − ⟨u, u'⟩)² with h* = ⟨p − q, p' − q'⟩.
            risks[seed, t] = risk_of_features(u, np.eye(5), delta)
            distances[seed, t] = risk_of_features(u, np.eye(5), p - q)
    return risks, np.maximum(distances, 0).mean(axis=0)  # rounding may fall below 0


DATA_SETS = 2000  # with and without the diagonal


@lru_cache
def risks_of_no_error(n=5):
    """The estimated risk of h = 0 in 2,000 data sets, over the pairs i ≠ j and over all pairs, (i, i) too."""
    world, found = random_world(3, n_kinds=5), []
    for seed in range(DATA_SETS):
        y, p = world.sample(n, seed)
        delta = p - np.eye(3)[y]
        losses = (delta @ delta.T) ** 2  # (⟨δ, δ'⟩ − 0)² of each pair
        found.append(((losses.sum() - np.trace(losses)) / (n * (n - 1)), losses.mean()))
    return np.array(found).T


def true_risk_of_no_error():
    """E⟨δ, δ'⟩² over two independent draws of this world, an exact sum."""
    return random_world(3, n_kinds=5).pair_expectation(lambda p, e, q, g: ((p - e) * (q - g)).sum(axis=-1) ** 2)


GAMMAS = [0.5, 1.0, 5.0, 20.0, 100.0]
SURFACE_SIZES = [200, 1000, 5000]
CELLS = 60
GRID = (np.arange(CELLS) + 0.5) / CELLS


@lru_cache
def _ridge(n, gamma):
    """A kernel's spectrum on n predictions, its features v on a grid and on fresh data, and the fresh residuals."""
    world, grid = wave_world(1, 0.15), (np.arange(CELLS) + 0.5) / CELLS
    spectrum = calibration_spectrum(*world.sample(n, 1), kernel=rbf(gamma=gamma))
    y, p = world.sample(2000, 2)
    return spectrum, spectrum.eigenfunctions(grid), spectrum.eigenfunctions(p), (p - y)[:, None]


def surfaces(n=1000, penalty=1e-4, gamma=5.0):
    """What `fit_kkr` and `fit_ukkr` give, h(p, p') = v(p)ᵀ M v(p') on a grid, and its risk on fresh data.

    All penalties share v, and only M depends on them: so a slider need not wait.
    """
    spectrum, on_grid, on_fresh, delta = _ridge(n, gamma)
    fitted = {}
    for name in ("kkr", "ukkr"):
        M = spectrum.core(name, penalty)
        fitted[name] = on_grid @ M @ on_grid.T, risk_of_features(on_fresh, M, delta)
    return fitted


@lru_cache
def ridge_path(model="logistic regression"):
    """The kernel's eigenvalues on two thirds of a model's confidences, and risks along λ on the last third."""
    digits = digits_predictions(model)
    hit, confidence = top_label(digits.y_true, digits.y_prob)
    order = np.random.default_rng(0).permutation(len(hit))
    train, rest = np.split(order, [2 * len(hit) // 3])
    spectrum, powers, risks = calibration_spectrum(hit[train], confidence[train]), np.arange(-14, 3), {}
    for name in ("kkr", "ukkr"):
        path = [kernel_ridge(spectrum, name, 10.0**power) for power in powers]
        risks[name] = np.array([calibration_risk(h, hit[rest], confidence[rest]) for h in path])
    return spectrum.eigenvalues, powers, risks


@lru_cache
def selection(model="neural network"):
    """Five estimators and h = 0, tuned by their validation risk in five folds; a fifth of the digits is put aside."""
    digits = digits_predictions(model)
    return select_estimator(digits.y_true, digits.y_prob, notion="top-label", rng=0)


def what_they_report(selected):
    """The squared error that each reports on the fifth put aside, its spread over the folds, and what is told apart.

    Told apart: its risk exceeds the smallest one by more than twice the spread of the difference.
    """
    table = selected.table.loc[["h = 0", "15 bins", "binning", "kde", "kkr", "ukkr"]]
    # h = 0 reports no error.
    error, spread = (table[each].astype(float).fillna(0) for each in ("estimate", "estimate_spread"))
    return error, spread, table["told_apart"].astype(bool)


SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]


@lru_cache
def fitted_to_misplaced(share_misaligned=1.0, world=5, order=1):
    """Smallest validation risk, and the squared error then reported, when some labels sit on other rows (errata G1).

    As in the authors' code 300 predictions are fitted, and 200 with the right labels choose λ.
    """
    y, p, _ = temperature_simulation(500, rng=world)
    labels, rng = y[:300].copy(), np.random.default_rng(order)
    moved = rng.permutation(300)[: int(share_misaligned * 300)]
    labels[moved] = labels[rng.permutation(moved)]
    spectrum = calibration_spectrum(labels, p[:300])
    v, delta = spectrum.eigenfunctions(p[300:]), residuals(y[300:], p[300:])
    found = {"h = 0": (calibration_risk(no_error(), y[300:], p[300:]), 0.0)}
    for name, penalties in (
        ("kkr", 10.0 ** np.arange(8, -10, -1) * 300**-0.5),
        ("ukkr", 10.0 ** np.arange(4, -5, -0.5) * 300**-0.25),
    ):
        cores = [spectrum.core(name, penalty) for penalty in penalties]  # the M of h(p, p') = v(p)ᵀ M v(p')
        risks = [risk_of_features(v, M, delta) for M in cores]
        best = cores[int(np.argmin(risks))]
        found[name] = min(risks), float(((v @ best) * v).sum(axis=1).mean())  # the mean of h(p, p)
    return found


def misaligned(world=5, order=1):
    """For each share of misplaced labels what is found; the true squared error; the risk of the truth itself."""
    y, p, q = temperature_simulation(500, rng=world)
    found = {share: fitted_to_misplaced(share, world, order) for share in SHARES}
    star = risk_of_features((p - q)[300:], np.eye(5), residuals(y[300:], p[300:]))
    return found | {"truth": float(((p - q) ** 2).sum(axis=1).mean()), "h*": star}


@stored(MODELS)
def twenty_splits(model):
    """The pipeline on SPLITS splits of a model's predictions, and the exact test's p-value of all of them.

    Arrays (SPLITS, candidates): mean validation risk above the smallest of the split, the spread of that over the
    folds, and the estimate (0 for h = 0, which says so).
    """
    each = digits_predictions(model)
    tables = [select_estimator(each.y_true, each.y_prob, rng=seed).table.loc[CANDIDATES] for seed in range(SPLITS)]
    columns = [np.array([table[name].astype(float).fillna(0) for table in tables]) for name in COLUMNS]
    return *columns, float(kce_test(*top_label(each.y_true, each.y_prob), rng=0).pvalue)


def parts_of(n, seed):
    """A split as `select_estimator` makes it: the folds, as rows; a fifth of the data is put aside."""
    order = np.random.default_rng(seed).permutation(n)
    return np.array_split(order[: n - n // 5], FOLDS)


@stored(MODELS)
def ridge_on_splits(model):
    """Validation risks (SPLITS, FOLDS) of h = 0 and of ukkr at its best λ, for the top label of a model's predictions."""
    each = digits_predictions(model)
    hit, confidence = top_label(each.y_true, each.y_prob)
    delta, penalties = as_rows(confidence - hit), 10.0 ** np.arange(-1, -10, -1)
    risks = np.empty((SPLITS, FOLDS, len(penalties) + 1))
    for seed in range(SPLITS):
        parts = parts_of(len(hit), seed)
        for fold, held_out in enumerate(parts):
            train = np.concatenate(parts[:fold] + parts[fold + 1 :])
            found = calibration_spectrum(hit[train], confidence[train], unbiased=False)
            v = found.eigenfunctions(confidence[held_out])
            for k, c in enumerate(penalties):
                u = v @ found.regression(c * len(train) ** -0.25)
                risks[seed, fold, k] = risk_of_features(u, np.eye(1), delta[held_out])
            risks[seed, fold, -1] = risk_of_features(np.zeros((len(held_out), 1)), np.eye(1), delta[held_out])
    best = risks[..., :-1].mean(axis=1).argmin(axis=1)
    return risks[..., -1], np.take_along_axis(risks, best[:, None, None], axis=2)[..., 0]
