#!/usr/bin/env python3
"""Many classes, many rows: seconds and memory beside their bars, and beside a peer or a plain way, in one run.

    python tests/benchmarks/many.py [--quick] [--runs 3] [name ...]

Each run is a fresh process: it draws or loads data and warms up on 600 rows of three classes; then the clock starts.
"MB" is the peak of the process, "above" what the call added to it. Ratios are of processor seconds, which say more
beside other work. --quick: a tenth of the rows and of 1,000 classes, once, without bars. Names: of the table, or
"redraws" (how the time of one grows).
"""

import argparse
import resource
import sys
import time
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from tables import alone, print_table

import calibtutor as ct
from calibtutor.data.networks import network_predictions, next_words
from calibtutor.data.worlds import tempered_model, wave_world


def simulated(n, d=1, dtype=float, step=1):
    """Predictions that are too sure; for d = 1 two classes with a wave. Drawn in parts, which set no mark in memory."""
    n, d = n // step, d if d < 1000 else d // step
    y, p = np.empty(n, dtype=np.int64), np.empty((n, d) if d > 1 else n, dtype)
    world = wave_world(1).sample if d == 1 else partial(tempered_model, n_classes=d, temperature=1.6)
    for rows in (slice(k, min(k + 500, n)) for k in range(0, n, 500)):
        y[rows], p[rows] = world(rows.stop - rows.start, rng=np.random.default_rng([rows.start, d]))
    return {"y": y, "p": p}


def cifar100(step):
    """What the wide ResNet says."""
    said = network_predictions("Wide ResNet-32", data="CIFAR-100")
    return {"y": said.y_true[::step], "p": said.y_prob[::step]}


def words(step):
    """What a language model says of its eight likeliest tokens and of all others, in passages."""
    said = next_words()
    p = np.exp(said.top[::step].astype(float))
    p = np.column_stack([p, np.maximum(1 - p.sum(axis=1), 0)])
    y = np.minimum(said.rank[::step], 8).astype(np.int64)
    return {"y": y, "p": p / p.sum(axis=1, keepdims=True), "cluster": said.passage[::step]}


def scikit_learn(y, p):
    """Temperature of predictions that are there, by its public way: a frozen classifier says them."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    class Said(ClassifierMixin, BaseEstimator):
        classes_ = np.arange(p.shape[1])
        fit = predict = __sklearn_is_fitted__ = lambda self, *_: self

        def predict_proba(self, X):
            return X

    options = {"method": "temperature", "cv": [(np.arange(len(p)),) * 2]}
    found = CalibratedClassifierCV(FrozenEstimator(Said()), **options).fit(p, y)
    return 1 / float(found.calibrated_classifiers_[0].calibrators[0].beta_)


def whole_arrays(y, p):
    """ECE by whole arrays."""
    return float(np.abs(np.bincount(np.clip(np.ceil(p * 15).astype(np.int64) - 1, 0, 14), p - y)).sum() / len(y))


EXACT, AUDIT = partial(ct.kce_test, notion="canonical", rng=0), partial(ct.audit, rng=0)
FEW, TEN, THOUSAND = (partial(simulated, *a) for a in ((10_000, 10), (10**6, 10), (50_000, 1000, np.float32)))
MANY = partial(simulated, 10**7)
ROWS = {  # data, ours, bars (s, MB), and what stands beside
    "exact": (cifar100, EXACT, {"s": 20, "MB": 1024}, {}),
    "exact-both": (cifar100, partial(ct.kce_test, rng=0), {"s": 20, "MB": 1024}, {}),
    "landmarks": (THOUSAND, EXACT, {"s": 20}, {}),
    "landmarks-million": (TEN, partial(EXACT, n_jobs=2), {"s": 120, "MB": 500}, {}),
    "temperature": (THOUSAND, lambda y, p: ct.TemperatureScaling().fit(y, p).temperature, {"s": 1.5, "above": 250},
                    {"scikit-learn": scikit_learn}),
    "audit-1000": (THOUSAND, AUDIT, {"s": 20, "MB": 900}, {}),
    "audit-2": (partial(simulated, 10**6), AUDIT, {"s": 12, "MB": 400}, {}),
    "audit-10": (TEN, AUDIT, {"s": 30}, {}),
    "audit-clusters": (words, AUDIT, {"s": 6}, {}),
    "diagram": (MANY, partial(ct.reliability_diagram, rng=0), {"s": 3}, {}),
    "ECE": (MANY, ct.expected_calibration_error, {"s": 1, "above": 100}, {"whole arrays": whole_arrays}),
    "selection": (FEW, partial(ct.select_estimator, notion="canonical", rng=0), {"s": 30}, {})}


def peak():
    """The most that this process has held, MB of kB, on Linux; a new one begins with what its parent held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(name, way, step):
    """What a way takes, what it found, and the data's shape and MB."""
    data, run, *_ = ROWS[name]
    run, data, (y, p) = ROWS[name][3].get(way, run), data(step=step), tempered_model(600, 3, rng=0)
    small = {"y": y, "p": p, "cluster": np.arange(600) // 5} if data["p"].ndim == 2 else {"y": y == 0, "p": p[:, 0]}
    for given in (small, data):
        held, start, used = peak(), time.perf_counter(), time.process_time()
        found = run(given["y"], given["p"], **{key: given[key] for key in data if key == "cluster"})
        spent, used = time.perf_counter() - start, time.process_time() - used
    found, times = found if isinstance(found, tuple) else (found, 1)
    took = {"s": spent * times, "CPU s": used * times, "MB": peak(), "above": peak() - held}
    size = sum(rows.nbytes for rows in data.values()) / 2**20
    return took | {"way": way, "found": repr(found).split("\n")[0][:60]}, f"{data['p'].shape}, {size:.0f} MB"


def table(name, step, runs):
    """Print a row: one line a way, the first is ours."""
    _, _, bars, beside = ROWS[name]
    ran, (data, *_) = zip(*(alone(measured, name, way, step) for way in ["ours", *beside] * runs), strict=True)
    took = pd.DataFrame(ran).groupby("way", sort=False)
    found, took = took["found"].first(), took.median(numeric_only=True)
    held = [f"{bar:g} {of}: {'holds' if took[of].iloc[0] <= bar else 'does not'}" for of, bar in bars.items()]
    took = took.assign(ratio=took["CPU s"] / took["CPU s"].iloc[0], found=found).round(2).reset_index()
    print_table(f"{name}, {data}, medians of {runs}. {', '.join(held) * (step == 1)}", [*took], took.to_numpy())


def redraws(step, runs):
    """How the time of an exact test's redraw grows with rows and classes: what more of them take longer than 100."""
    rows = []
    for n, (d, more) in product((2500 // step, 5000 // step, 10_000 // step), ((10, 400), (100, 1000), (1000, 8000))):
        y, p = tempered_model(n, d, temperature=1.6, rng=0)
        kernel, spent = ct.laplacian(ct.median_bandwidth(p)), []
        for count in (100, 100 + more) * runs:
            start = time.process_time()
            ct.kce_test(y, p, kernel=kernel, n_resamples=count, rng=0)
            spent.append(time.process_time() - start)
        few, many = np.median(np.reshape(spent, (runs, 2)), axis=0)
        rows.append([n, d, round(1000 * (many - few) / more, 2)])
    powers = [np.polyfit(*np.log([[n, ms] for n, d, ms in rows if d == each]).T, 1)[0] for each in (10, 100, 1000)]
    title = "A redraw, processor time; it grows with n like n^{:.2f} at d = 10, n^{:.2f} at 100, n^{:.2f} at 1,000"
    print_table(title.format(*powers), ["rows", "classes", "ms"], rows)


def main(names=(), quick=False, runs=3):
    """Print a table for each row, and then what else was asked for."""
    step, runs, known = 10 if quick else 1, 1 if quick else runs, [*ROWS, "redraws"]
    if unknown := set(names := names or known) - set(known):
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}")
    for name in filter(names.__contains__, ROWS):
        table(name, step, runs)
    if "redraws" in names:
        redraws(step, runs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    main(**vars(parser.parse_args()))
