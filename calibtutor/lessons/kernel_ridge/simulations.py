"""Ridge regressions in the world with one wave, along λ, on misplaced labels, and on twenty splits of the digits."""

from functools import lru_cache

import numpy as np
import pandas as pd

from ...data.datasets import digits_predictions
from ...data.worlds import temperature_simulation, wave_world
from ...kce import kce_test
from ...kernels import rbf
from ...predictions import residuals, top_label
from ...risk import calibration_risk, kernel_ridge, no_error, risk_of_features
from ...selection import select_estimator
from ...spectrum import calibration_spectrum
from ..shared.splits_of_digits import CAST, NAMES, SPLITS
from ..shared.stored import stored

CANDIDATES = list(NAMES)
COLUMNS = ["worse_by", "worse_by_spread", "estimate"]
BANDWIDTHS = [1.0, 0.71, 0.32, 0.16, 0.07]
SURFACE_SIZES = [200, 1000, 5000]
CELLS = 60
GRID = (np.arange(CELLS) + 0.5) / CELLS


@lru_cache
def _ridge(n, bandwidth):
    """A kernel's spectrum on n predictions, its features v on a grid and on fresh data, and the fresh residuals."""
    world, grid = wave_world(1, 0.15), (np.arange(CELLS) + 0.5) / CELLS
    spectrum = calibration_spectrum(*world.sample(n, 1), kernel=rbf(bandwidth=bandwidth))
    y, p = world.sample(2000, 2)
    return spectrum, spectrum.eigenfunctions(grid), spectrum.eigenfunctions(p), (p - y)[:, None]


def surfaces(n=1000, penalty=1e-4, bandwidth=0.32):
    """What `fit_kkr` and `fit_ukkr` give, h(p, p') = v(p)ᵀ M v(p') on a grid, and its risk on fresh data.

    All penalties share v, and only M depends on them: so a slider need not wait.
    """
    spectrum, on_grid, on_fresh, delta = _ridge(n, bandwidth)
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


@stored(CAST, ["canonical", "top-label"])
def one_split(model, notion):
    """`select_estimator` on one split: the estimates of its candidates, which are told apart, 100 √risk of the best."""
    each = digits_predictions(model)
    found = select_estimator(each.y_true, each.y_prob, notion=notion, rng=0)
    estimates = found.table["estimate"].astype(float).fillna(0)  # h = 0 says 0
    return (
        estimates.to_numpy(),
        found.table["told_apart"].to_numpy(float),
        float(found.table.loc[found.best, "root_risk"]),
    )


def both_notions():
    """What `one_split` finds, as a table: the estimates, with a star if told apart, and 100 √risk of the best."""
    rows = {}
    for model, notion in one_split.combinations:
        estimates, apart, root_risk = one_split(model, notion)
        said = [f"{value:.5f}" + "*" * int(star) for value, star in zip(estimates, apart, strict=True)]
        # Bins are for numbers, so not for ten probabilities.
        names = [name for name in CANDIDATES if notion == "top-label" or "bin" not in name]
        rows[model, notion] = dict(zip(names, said, strict=True)) | {"100 √risk": f"{root_risk:.2f}"}
    return pd.DataFrame(rows).T[["h = 0", "kde", "kkr", "ukkr", "15 bins", "binning", "100 √risk"]].fillna("")


@stored(CAST)
def twenty_splits(model):
    """The pipeline on SPLITS splits of a model's predictions, and the exact test's p-value of all of them.

    Arrays (SPLITS, candidates): mean validation risk above the smallest of the split, the spread of that over the
    folds, and the estimate (0 for h = 0, which says so).
    """
    each = digits_predictions(model)
    tables = [select_estimator(each.y_true, each.y_prob, rng=seed).table.loc[CANDIDATES] for seed in range(SPLITS)]
    columns = [np.array([table[name].astype(float).fillna(0) for table in tables]) for name in COLUMNS]
    return *columns, float(kce_test(*top_label(each.y_true, each.y_prob), rng=0).pvalue)
