"""Learned maps as estimators of the squared calibration error, beside bins and kernels, where the truth is known.

    python tests/benchmarks/variational.py [--seeds 10] [--store runs.csv]

A data set is cut into five folds. On each, every candidate is fitted to the other four; the mean risk on the folds
chooses its setting (grids of `select_estimator`; kernels of at most 300 features). Then, of the five fold models,

    excess      10⁶ times the mean of (h − h*)² over pairs of fresh predictions: risk minus that of the truth
    h(p, p)     its mean on the folds held out, minus the truth, over the truth
    reduction   of the squared loss by g(p) = p − u(p) on the folds held out (`variational_error`), likewise

each as mean ± standard deviation over the data sets. With h = 0 the excess is what there was to find. In the calibrated
world the truth is 0 and errors are 10³ times the estimate.

Where probmetrics is installed its own number stands below ours, of two classes halved (it reads them as rows). It needs
torch, and numba, without which it does not load; in an environment of its own:

    pip install -e . probmetrics==1.3.0 torch numba
"""

import sys
import time
import warnings
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tables import print_table

import calibtutor as ct
from calibtutor.data import worlds
from calibtutor.kernels import as_rows
from calibtutor.risk import risk_of_features
from calibtutor.selection import FITS, GRIDS, Fold

SIZES, FOLDS, FRESH, RANK = (300, 1000, 5000), 5, 2000, 300
MAPS = {
    "temperature": ct.TemperatureScaling(),
    "Platt": ct.PlattScaling(),
    "isotonic": ct.IsotonicCalibration(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),  # beta, matrix: with a penalty
}
PEERS = {"isotonic": "isotonic", "temp-scaling": "temperature", "logistic": "structured matrix"}


WAVE = worlds.wave_world(1, amplitude=0.1)
TOO_LITTLE = partial(worlds.mixed_widmann_model, 0.5, towards="M2")
WORLDS = {  # draws, and the misses at predictions where they draw no truth
    "one wave": (WAVE.sample, lambda p: p - WAVE.curve(p)),
    "5 classes, a temperature": (worlds.temperature_simulation, None),
    "10 classes, too little of one": (TOO_LITTLE, lambda p: (p - np.eye(10)[0]) / 2),
    "5 classes, calibrated": (partial(worlds.tempered_model, n_classes=5), np.zeros_like),
}


def drawn(world, n, rng):
    """Labels, predictions, and how far these miss."""
    draw, miss = WORLDS[world]
    y, p, *truth = draw(n, rng=rng)
    return y, p, p - truth[0] if truth else miss(p)


def candidates(scalar):
    """What fits to a fold, and its settings: those of `select_estimator`, and a map each."""
    kernels = ("h = 0", *["15 bins"] * scalar, "kde", "kkr", "ukkr")
    maps = {name: (FITS["recalibration"], [each]) for name, each in MAPS.items()}
    return {name: (FITS[name], GRIDS[name](scalar)) for name in kernels} | maps


def measured(fit_and_settings, y, p, parts, fresh, misses):
    """Excess, mean h(p, p) and loss reduction of the setting with the smallest risk."""
    (fit, settings), folds, risks, found = fit_and_settings, [], [], []
    for held_out in parts:
        rest, delta = np.setdiff1d(np.arange(len(y)), held_out), as_rows(ct.residuals(y[held_out], p[held_out]))
        folds.append(fold := Fold(y[rest], p[rest], p[held_out], delta, RANK))
        risks.append([ct.calibration_risk(fit(fold, each), y[held_out], fold.at) for each in settings])
    for fold in folds:
        h = fit(fold, settings[np.mean(risks, axis=0).argmin()])
        u, delta = h.features(fold.at), fold.delta
        square = ((u @ h.core) * u).sum(axis=1)
        reduction = np.nan if h.name == "kkr" else (2 * delta * u - u**2).sum(axis=1).mean()
        found.append((risk_of_features(h.features(fresh), h.core, misses), square.mean(), reduction))
    return np.mean(found, axis=0)


def peers(y, p):
    """(Name, number, seconds) of probmetrics, if it is there."""
    try:
        import torch
        from probmetrics.calibrators import get_calibrator
        from probmetrics.metrics import BrierLoss, CombinedMetrics, MetricsWithCalibration
        from probmetrics.splitters import CVSplitter
    except ModuleNotFoundError:
        return
    torch.set_num_threads(1)
    rows = torch.tensor(p if p.ndim == 2 else np.column_stack([1 - p, p]))
    for kind, name in PEERS.items():
        start = time.perf_counter()
        calibrator, loss = get_calibrator(kind, calibrate_with_mixture=True), CombinedMetrics([BrierLoss()])
        metric = MetricsWithCalibration(loss, calibrator, CVSplitter(FOLDS), cal_name="map", random_state=0)
        found = metric.compute_all_from_labels_probs(torch.tensor(y), rows)[f"calib-err_brier_map_cv-{FOLDS}"]
        yield f"probmetrics: {name}", float(found) / (2 if p.ndim == 1 else 1), time.perf_counter() - start


def run(seeds=10):
    """A row for each world, n, seed and candidate."""
    found, truths = [], {world: (as_rows(drawn(world, 10**6, 0)[2]) ** 2).sum(axis=1).mean() for world in WORLDS}
    for n, world, seed in product(SIZES, WORLDS, range(seeds)):
        rng = np.random.default_rng([n, seed])
        (y, p, _), (_, fresh, miss) = drawn(world, n, rng), drawn(world, FRESH, rng)
        parts = np.array_split(rng.permutation(n), FOLDS)
        for name, grid in candidates(p.ndim == 1).items():
            start = time.perf_counter()
            numbers = measured(grid, y, p, parts, fresh, as_rows(miss))
            found.append((world, n, seed, name, truths[world], *numbers, time.perf_counter() - start))
        for name, number_found, seconds in peers(y, p):
            found.append((world, n, seed, name, truths[world], np.nan, np.nan, number_found, seconds))
        print(f"{world}, n = {n:,}, seed {seed}", file=sys.stderr)
    return pd.DataFrame(found, columns=["world", "n", "seed", "by", "truth", "excess", "square", "reduction", "s"])


def _shown(values, digits):
    return "" if values.isna().any() else f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"


def main(seeds=10, store=None):
    """Print a table for each world and n."""
    warnings.simplefilter("ignore")  # of a temperature at an end, and probmetrics of scikit-learn
    found = run(seeds)
    if store:
        found.to_csv(store, index=False)
    for (world, n, truth), part in found.groupby(["world", "n", "truth"], sort=False):
        rows = []
        for name, each in part.groupby("by", sort=False):
            errors = [(each[column] - truth) / (truth or 1e-3) for column in ("square", "reduction")]
            shown = [_shown(value, 2) for error in errors for value in (error, error.abs())]
            rows.append([name, _shown(1e6 * each["excess"], 1), *shown, f"{each['s'].mean():.2f}"])
        header = ["by", "excess", "h(p, p) off", "|off|", "reduction off", "|off|", "s"]
        print_table(f"{world}, n = {n:,}, {seeds} data sets; squared error {truth:.5f}", header, rows)


if __name__ == "__main__":
    given = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    main(int(given.get("--seeds", 10)), given.get("--store"))
