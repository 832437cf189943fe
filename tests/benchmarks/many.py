#!/usr/bin/env python3
"""Many classes, many rows: seconds and memory beside their bars, and beside a peer or the old way, in one run.

    python tests/benchmarks/many.py [--quick] [--runs 3] [--beside COMMIT] [name ...]

Each run is a fresh process: it loads data that another has drawn and warms up on 600 rows of three classes, then the
clock starts. "peak" is the whole process, "above" what the call added. Ratios are of processor seconds, which beside
other work say more. --beside runs calibtutor of an older commit of this clone, too (1.0: e657695); what took it more
than a minute is not run again. --quick: a tenth of the rows, once, no bars. Names: those of the table, "redraws" (how
the time of one grows) and "workers" (of Dask; tests/requirements.txt).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
from tables import peak, print_table

import calibtutor as ct
from calibtutor.data.worlds import tempered_model, wave_world, widmann_model

ROOT, NETWORKS = Path(__file__).resolve().parents[2], Path(os.environ.get("CALIBTUTOR_DATA_DIR", ""), "networks")
SOME = 20  # redraws of 999 that the old way does; the others are as slow
GROWTH = {  # kernel: rows, classes, redraws
    "exact": ([2500, 5000, 10_000], [10, 100, 1000], 200),
    "256 landmarks": ([10_000, 30_000, 100_000], [10], 400),
}


def simulated(n, d=1, dtype=float, step=1):
    """Labels and predictions that are too sure; for d = 1 two classes with a wave. A part at a time, for memory."""
    world = wave_world(1).sample if d == 1 else partial(tempered_model, n_classes=d, temperature=1.6)
    parts = [world(min(5000, n // step - k), rng=np.random.default_rng([k, d])) for k in range(0, n // step, 5000)]
    return {"y": np.concatenate([y for y, _ in parts]), "p": np.concatenate([p.astype(dtype) for _, p in parts])}


def cifar100(step):
    """What the wide ResNet says."""
    file = np.load(NETWORKS / "cifar100.npz")
    p = np.exp(file["Wide ResNet-32|test"][::step].astype(float))
    return {"y": file["test_label"][::step].astype(np.int64), "p": p / p.sum(axis=1, keepdims=True)}


def words(step):
    """What a language model says of its eight likeliest tokens and of all others, in passages."""
    file = np.load(NETWORKS / "next_word.npz")
    p, y = np.exp(file["top_log_prob"][::step].astype(float)), np.minimum(file["rank_of_token"][::step], 8)
    p = np.column_stack([p, np.maximum(1 - p.sum(axis=1), 0)])
    return {"y": y.astype(np.int64), "p": p / p.sum(axis=1, keepdims=True), "cluster": file["passage"][::step]}


REAL = NETWORKS.is_dir()
DATA = {
    "CIFAR-100": cifar100 if REAL else partial(simulated, 10_000, 100),
    "next word": words if REAL else lambda step: simulated(36_720, 9, step=step) | {"cluster": np.arange(36_720 // step) % 144},
    "1000 classes": partial(simulated, 50_000, 1000, np.float32),
    "10 classes": partial(simulated, 10**6, 10),
    "few of 10 classes": partial(simulated, 10_000, 10),
    "2 classes": partial(simulated, 10**6),
    "many of 2 classes": partial(simulated, 10**7),
}


def d_columns(y, p):
    """Each redraw multiplies the kernel by d columns of residuals: what was done, and times how much all would take."""
    rng, begun = np.random.default_rng(0), time.process_time()
    kernel, start = ct.laplacian(ct.median_bandwidth(p))(p), time.process_time()
    for _ in range(SOME):
        delta = p - np.eye(p.shape[1])[(rng.random((len(p), 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)]
        ((kernel @ delta) * delta).sum()
    one = (time.process_time() - start) / SOME
    return f"{SOME} of 999 redraws", (start - begun + 999 * one) / (start - begun + SOME * one)


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

    everything = np.arange(len(p))
    options = {"method": "temperature", "cv": [(everything, everything)]}
    found = CalibratedClassifierCV(FrozenEstimator(Said()), **options).fit(p, y)
    return 1 / float(found.calibrated_classifiers_[0].calibrators[0].beta_)


def whole_arrays(y, p):
    """ECE by whole arrays."""
    return np.abs(np.bincount(np.clip(np.ceil(p * 15).astype(np.int64) - 1, 0, 14), p - y)).sum() / len(y)


def exact(y, p, **options):
    return ct.kce_test(y, p, rng=0, **options).pvalue


def audit(y, p, cluster=None):
    return ct.audit(y, p, cluster=cluster, rng=0).pvalue


Row = namedtuple("Row", "data ours seconds peak above beside", defaults=(None, None, {}))
ROWS = {
    "exact": Row("CIFAR-100", partial(exact, notion="canonical"), 20, 1024, beside={"d columns": d_columns}),
    "exact, both notions": Row("CIFAR-100", exact, 20, 1024),
    "landmarks": Row("1000 classes", partial(exact, notion="canonical"), 20),
    "landmarks, 10⁶": Row("10 classes", partial(exact, notion="canonical", n_jobs=2), 120, 500),
    "temperature": Row("1000 classes", lambda y, p: ct.TemperatureScaling().fit(y, p).temperature, 1.5, above=250,
                       beside={"scikit-learn": scikit_learn}),
    "audit, 1000 classes": Row("1000 classes", audit, 20, 900),
    "audit, 2 classes": Row("2 classes", audit, 12, 400),
    "audit, 10 classes": Row("10 classes", audit, 30),
    "audit, clusters": Row("next word", audit, 6),
    "diagram": Row("many of 2 classes", lambda y, p: len(ct.reliability_diagram(y, p, rng=0).axes), 3),
    "ECE": Row("many of 2 classes", ct.expected_calibration_error, 1, above=100, beside={"whole arrays": whole_arrays}),
    "selection": Row("few of 10 classes", lambda y, p: ct.select_estimator(y, p, notion="canonical", rng=0).estimate, 30),
}  # fmt: skip


def draw(data, folder, step):
    """Save data; their shape and MB."""
    arrays = DATA[data](step=step)
    for key, rows in arrays.items():
        np.save(Path(folder, key), rows)
    return " × ".join(f"{size:,}" for size in arrays["p"].shape), sum(rows.nbytes for rows in arrays.values()) / 2**20


def measure(name, way, folder):
    """Seconds, those of the processor, MB at the peak and above what was held, what was found."""
    run = ROWS[name].beside.get(way, ROWS[name].ours)
    data = {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}
    y, p = tempered_model(600, 3, rng=0)
    small = {"y": y, "p": p, "cluster": np.arange(600) // 5} if data["p"].ndim == 2 else {"y": y == 0, "p": p[:, 0]}
    run(**{key: small[key] for key in data})
    held, start, used = peak(), time.perf_counter(), time.process_time()
    found = run(**data)
    spent, used = time.perf_counter() - start, time.process_time() - used
    found, times = found if isinstance(found, tuple) else (f"{found:.4g}", 1)
    return spent * times, used * times, peak(), peak() - held, found


def alone(root, function, *given):
    """What `draw` or `measure` returns in a process of its own, with calibtutor of this folder."""
    command = [sys.executable, __file__, "--alone", json.dumps([function, *given])]
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(root)}, stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


def redraws(step, runs):
    """How the time of a redraw grows: what all of them take longer than a quarter, by rows and classes."""
    for name, (sizes, classes, draws) in GROWTH.items():
        rows = []
        for n, d in ((n // step, d) for d in classes for n in sizes):
            y, p = tempered_model(n, d, temperature=1.6, rng=0)
            kernel, spent = ct.laplacian(ct.median_bandwidth(p)), []
            kernel = kernel if name == "exact" else ct.landmarks(kernel, p, rank=256, rng=0)
            for count in (draws // 4, draws) * runs:
                start = time.process_time()
                ct.kce_test(y, p, kernel=kernel, n_resamples=count, rng=0)
                spent.append(time.process_time() - start)
            less, more = np.median(np.reshape(spent, (runs, 2)), axis=0)
            rows.append([n, d, 1000 * (more - less) / (draws - draws // 4)])
        n, d, ms = np.array(rows).T
        of_n, of_d, _ = np.linalg.lstsq(np.column_stack([np.log(n), np.log(d), n**0]), np.log(ms))[0]
        title = f"A redraw, {name}: processor time grows like n^{of_n:.2f}" + f" d^{of_d:.2f}" * (len(classes) > 1)
        print_table(title, ["rows", "classes", "ms"], rows)


def workers(step, runs):
    """The test of parts that are drawn where they are summed: this process's threads, and Dask's workers."""
    from distributed import Client, LocalCluster
    from joblib import parallel_config

    kernel = ct.landmarks(ct.laplacian(0.5), widmann_model("M2", 2000, rng=0)[1], rank=256, rng=0)
    parts, rows, draws = [partial(widmann_model, "M2", 40_000 // step, rng=seed) for seed in range(16)], [], []
    for number in (0, 1, 2):
        with ExitStack() as stack:
            if number:
                cluster = LocalCluster(n_workers=number, threads_per_worker=1, dashboard_address=":0")
                stack.enter_context(Client(stack.enter_context(cluster)))
            stack.enter_context(parallel_config("dask" if number else "threading", n_jobs=max(number, 1)))
            ct.kce_test_parts(parts, kernel=kernel, n_resamples=9, rng=0)
            for _ in range(runs):
                held, start = peak(), time.perf_counter()
                found = ct.kce_test_parts(parts, kernel=kernel, rng=0).null_distribution
                draws.append(found.tobytes())
                rows.append([number or "here", time.perf_counter() - start, peak() - held, draws[-1] == draws[0]])
    print_table("kce_test_parts, 16 parts", ["workers", "s", "MB more here", "same bits"], rows)


def lines(name, folder, step, runs, old):
    """The table's lines for a row, one a way."""
    row, place, way_of = ROWS[name], Path(folder, ROWS[name].data), {}
    if not place.exists():
        place.mkdir()
        (place / "about").write_text(json.dumps(alone(ROOT, "draw", row.data, str(place), step)))
    shape, size = json.loads((place / "about").read_text())
    ways = {"ours": ROOT, **dict.fromkeys(row.beside, ROOT), **old}
    found = {way: [] for way in ways}
    for way, root in [*ways.items()] * runs:
        if way == "ours" or not found[way] or found[way][-1][0] < 60:
            found[way].append(alone(root, "measure", name, way, str(place)))
    for way, ran in found.items():
        *values, most, above = np.median([each[:4] for each in ran], axis=0)
        ratio = values[1] / np.median([each[1] for each in found["ours"]])
        bars = [""] * 3 if step > 1 or way != "ours" else [
            "" if bar is None else f"{bar:g} {'holds' if value <= bar else 'does not'}"
            for value, bar in zip((values[0], most, above), row[2:5], strict=True)
        ]  # fmt: skip
        shown = [f"{values[0]:.2f}", f"{values[1]:.2f}", f"{ratio:.2f}", f"{most:.0f}", f"{above:.0f}"]
        yield [name, shape, f"{size:.0f}", way, len(ran), *shown, *bars, ran[0][4]]


def main(chosen):
    """Print the table, and then what else was asked for."""
    step, runs, found = (10, 1, []) if chosen.quick else (1, chosen.runs, [])
    others = {"redraws": redraws, "workers": workers}
    if unknown := set(chosen.names) - {*ROWS, *others}:
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join([*ROWS, *others])}")
    with tempfile.TemporaryDirectory() as folder:
        old = {chosen.beside: folder} if chosen.beside else {}
        for ref in old:
            subprocess.run(f"git archive {ref} calibtutor | tar -x -C {folder}", shell=True, cwd=ROOT, check=True)
        for name in ROWS:
            if name in (chosen.names or ROWS):
                found += lines(name, folder, step, runs, old)
                print(*found[-1 - len(old)], sep="  ", file=sys.stderr)
    header = "row,data,MB,way,runs,s,CPU s,× ours,peak MB,above MB,s at most,peak at most,above at most,found".split(",")
    if found:
        print_table(f"Medians; {'networks, the others' if REAL else 'all'} simulated", header, found)
    for name, show in others.items():
        if name in (chosen.names or others):
            show(step, runs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--beside", metavar="COMMIT")
    parser.add_argument("--alone", type=json.loads, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        print(json.dumps(globals()[chosen.alone[0]](*chosen.alone[1:])))
    else:
        main(chosen)
