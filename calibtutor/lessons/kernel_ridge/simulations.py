"""Ridge regressions in the world with one wave, a kernel's eigenvalues, misplaced labels, and twenty splits of the digits."""

from functools import lru_cache

import numpy as np

from ...data.datasets import digits_predictions
from ...data.worlds import temperature_simulation, wave_world
from ...door.predictions import residuals, top_label
from ...errors.kce import kce_test
from ...errors.spectrum import calibration_spectrum
from ...estimates.risk import risk_of_features
from ...estimates.selection import select_estimator
from ...kernels import low_rank, rbf
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


TRAINED, TOLERANCE = 719, 1e-12


@lru_cache
def eigenvalues(model):
    """Of K/n on two thirds of a model's confidences: as many as carry the kernel."""
    confidence = digits_predictions(model).y_prob.max(axis=1)
    some = np.random.default_rng(0).permutation(confidence)[:TRAINED]
    return np.linalg.svd(low_rank(rbf(gamma=1), some, tol=TOLERANCE).features, compute_uv=False) ** 2 / TRAINED


SHARES, REPLAYS = [0.0, 0.25, 0.5, 0.75, 1.0], [5, 6, 7]
FITTED, JUDGED = 300, 200  # and the penalties: as in the authors' code
PENALTIES = 10.0 ** np.arange(4, -5, -0.5) * FITTED**-0.25


def replay(share, world, order=1):
    """ukkr fitted when a share of the labels sits on other rows (errata G1), and judged on JUDGED others with the right ones.

    The misses that it sees there, for each of PENALTIES, the residuals there, and the true misses.
    """
    y, p, q = temperature_simulation(FITTED + JUDGED, rng=world)
    labels, rng = y[:FITTED].copy(), np.random.default_rng(order)
    moved = rng.permutation(FITTED)[: int(share * FITTED)]
    labels[moved] = labels[rng.permutation(moved)]
    spectrum = calibration_spectrum(labels, p[:FITTED])
    v = spectrum.eigenfunctions(p[FITTED:])
    return [v @ spectrum.regression(each) for each in PENALTIES], residuals(y, p)[FITTED:], (p - q)[FITTED:]


@lru_cache
def misaligned(world=5):
    """For each share, and for the truth: how far its smallest risk is below that of h = 0, as a share, and what it reports."""
    found = {}
    for share in SHARES:
        misses, delta, true = replay(share, world)
        risk = lambda u, delta=delta: risk_of_features(u, np.eye(5), delta)  # of h = ⟨u(p), u(p')⟩
        for name, u in ((share, min(misses, key=risk)), ("truth", true)):
            found[name] = 1 - risk(u) / risk(0 * u), float((u**2).sum(axis=1).mean())
    return found


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
