"""The kernel calibration error and its tests, beside the definition as a loop, on the same data in the same run."""

import math
import time
from functools import partial

import numpy as np
from risk import exponent, measure
from tables import print_table
from threadpoolctl import threadpool_info

from calibtutor import kce_test, skce, top_label
from calibtutor.data.worlds import widmann_model
from calibtutor.gram import Gram
from calibtutor.kernels import laplacian, median_bandwidth, rbf
from calibtutor.resampling import draw_labels

LOOP_SIZES = [200, 400, 800]  # a loop in plain Python: seconds for the largest
DRAWS, SEED = 999, 0
TWIN_ROWS = 40_000  # a slow twin makes TWIN_ROWS/n draws and is scaled up, unless --long
TEST_SIZES = [500, 1_000, 2_000]
GAUSSIAN, EXPONENTIAL = "RBF", "Laplacian"
# title: (kernel, whether classes are reduced to the top label, sizes, sizes with --long)
CASES = {
    "RBF, top label": (GAUSSIAN, True, [1_000, 5_000, 10_000, 50_000], []),
    "RBF, 10 classes": (GAUSSIAN, False, [1_000, 2_000, 5_000, 10_000], [50_000]),
    "Laplacian, 10 classes": (EXPONENTIAL, False, [1_000, 2_000, 5_000, 10_000], []),
}


def data(n, reduce):
    """The poster's M2, as 10 classes or as (hit, confidence)."""
    y, p = widmann_model("M2", n, rng=n)
    return top_label(y, p) if reduce else (y, p)


def make_kernel(name, bandwidth):
    """The package's kernel."""
    return rbf(bandwidth=bandwidth) if name == GAUSSIAN else laplacian(bandwidth)


def path(kernel, p):
    """Which way `Gram` chose."""
    gram = Gram(kernel, p)
    return "tiles" if gram.features is None else f"rank {gram.features.shape[1]}"


# --- estimate ---


def seconds_of(function, *args):
    """(seconds, result)."""
    start = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - start, result


def looped_skce(y, p, name, bandwidth):
    """The definition: for every pair of rows, kernel times inner product of residuals. Lists, no arrays."""
    if p.ndim == 1:
        rows = [[float(v)] for v in p]
        residuals = [[float(v) - float(hit)] for v, hit in zip(p, y, strict=True)]
    else:
        rows = p.tolist()
        residuals = [[v - (label == k) for k, v in enumerate(row)] for label, row in zip(y, rows, strict=True)]
    total, n = 0.0, len(rows)
    for i in range(n):
        for j in range(n):
            if i != j:
                square = sum((a - b) ** 2 for a, b in zip(rows[i], rows[j], strict=True))
                weight = square / (2 * bandwidth**2) if name == GAUSSIAN else math.sqrt(square) / bandwidth
                total += math.exp(-weight) * sum(a * b for a, b in zip(residuals[i], residuals[j], strict=True))
    return total / (n * (n - 1))


def estimate(title, long):
    """Print ours for growing n; where the loop can follow, time, ratio and difference as well."""
    name, reduce, sizes, more = CASES[title]
    sizes = sizes + more if long else sizes
    rows, times = [], {}
    for n in sorted({*LOOP_SIZES, *sizes}):
        y, p = data(n, reduce)
        bandwidth = median_bandwidth(p)
        kernel = make_kernel(name, bandwidth)
        fast, peak, found = measure(partial(skce, kernel=kernel), y, p, repeats=3 if n < 10_000 else 1)
        times.setdefault("ours", {})[n] = fast
        row = [n, path(kernel, p), f"{fast:.3f}", peak, f"{found:.5f}"]
        if n in LOOP_SIZES:
            slow, wanted = seconds_of(looped_skce, y, p, name, bandwidth)
            times.setdefault("loop", {})[n] = slow
            row += [f"{slow:.2f}", f"{slow / fast:.0f}", f"{abs(found - wanted):.0e}"]
        else:
            row += ["", "", ""]
        rows.append(row)
    header = ["n", "path", "s", "MB", "SKCE_uq", "loop s", "loop / ours", "differs by"]
    print_table(f"SKCE_uq, {title}, simulated M2", header, rows)
    ours = {n: s for n, s in times["ours"].items() if n in sizes}
    slope, (before, last) = exponent(list(ours), list(ours.values())), sorted(ours)[-2:]
    step = np.log(ours[last] / ours[before]) / np.log(last / before)
    loop_slope = exponent(LOOP_SIZES, list(times["loop"].values()))
    print(f"growth exponents: ours {slope:.2f} (last step {step:.2f}), loop {loop_slope:.2f} (n <= {LOOP_SIZES[-1]:,})")
    # Not measured: the loop makes n(n − 1) equal steps, so exponent 2 from its largest run.
    beyond = times["loop"][LOOP_SIZES[-1]] * (last / LOOP_SIZES[-1]) ** 2
    far = f"loop {beyond:,.0f} s, {beyond / ours[last]:,.0f} times ours"
    print(f"at n = {last:,}, extrapolated from n = {LOOP_SIZES[-1]} as n²: {far}")


# --- tests ---


def label_test(y, p, kernel, n_draws):
    """Ours: the null distribution."""
    return kce_test(y, p, kernel=kernel, n_resamples=n_draws, rng=SEED).null_distribution


def unbiased(K, y, p):
    """SKCE_uq from the whole kernel matrix."""
    delta = p - np.eye(p.shape[1])[y]
    h = K * (delta @ delta.T)
    return (h.sum() - np.trace(h)) / (len(y) * (len(y) - 1))


def labels_from_scratch(y, p, kernel, n_draws):
    """One draw at a time, the kernel matrix made for each."""
    labels = draw_labels(p, DRAWS, SEED)
    return np.array([unbiased(kernel(p), labels[:, b], p) for b in range(n_draws)])


def labels_kernel_kept(y, p, kernel, n_draws):
    """One draw at a time, with one kernel matrix."""
    labels, K = draw_labels(p, DRAWS, SEED), kernel(p)
    return np.array([unbiased(K, labels[:, b], p) for b in range(n_draws)])


def bootstrap(y, p, kernel, n_draws):
    """Ours: the bootstrap distribution of A_uq."""
    return kce_test(y, p, kernel=kernel, method="asymptotic", n_resamples=n_draws, rng=SEED).null_distribution


def _h_and_counts(y, p, kernel):
    n = len(y)
    delta = p - np.eye(p.shape[1])[y]
    counts = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return kernel(p) * (delta @ delta.T), counts


def bootstrap_as_written(y, p, kernel, n_draws):
    """n⁻² Σ_i C_i Σ_j (n/(n−1)(C_j − 1[i=j]) − 2) h_ij, one replicate at a time, as an n × n array of weights."""
    (h, counts), n = _h_and_counts(y, p, kernel), len(y)
    return np.array([
        (c[:, None] * (n / (n - 1) * (c - np.eye(n)) - 2) * h).sum() / n**2 for c in counts[:n_draws]
    ])  # fmt: skip


def bootstrap_by_products(y, p, kernel, n_draws):
    """The same sum from one matrix-vector product a replicate."""
    (h, counts), n = _h_and_counts(y, p, kernel), len(y)
    own, rows = np.diag(h), h.sum(axis=1)
    return np.array([(n / (n - 1) * (c @ (h @ c) - c @ own) - 2 * c @ rows) / n**2 for c in counts[:n_draws]])


# title: ours, then loops: (function, whether so slow that some draws must stand for all)
TESTS = {
    "Labels redrawn": (
        label_test,
        {"kernel made again": (labels_from_scratch, True), "kernel kept": (labels_kernel_kept, False)},
    ),
    "A_uq, centred bootstrap": (
        bootstrap,
        {"as written": (bootstrap_as_written, True), "by products": (bootstrap_by_products, False)},
    ),
}


def measure_twin(twin, slow, args):
    """(seconds for all draws, peak MB, the draws made)."""
    if not slow:
        return measure(twin, *args, DRAWS)
    made = TWIN_ROWS // len(args[0])
    once = min(seconds_of(twin, *args, 0)[0] for _ in range(3))  # what is done whatever the number of draws
    some, peak, found = measure(twin, *args, made)
    return once + (some - once) * DRAWS / made, peak, found


def test(title, long):
    """Print one of the tests beside loops over its replicates; with `long` all of them make all draws."""
    ours, twins = TESTS[title]
    rows, times = [], {name: [] for name in ("ours", *twins)}
    for n in TEST_SIZES:
        y, p = data(n, False)
        kernel = make_kernel(GAUSSIAN, median_bandwidth(p))
        fast, peak, found = measure(ours, y, p, kernel, DRAWS)
        times["ours"].append(fast)
        row = [n, path(kernel, p), f"{fast:.2f}", peak]
        for name, (twin, slow) in twins.items():
            seconds, large, wanted = measure_twin(twin, slow and not long, (y, p, kernel))
            times[name].append(seconds)
            off = np.abs(found[: len(wanted)] - wanted).max() / np.abs(wanted).max()
            row += [f"{seconds:.1f}", large, f"{seconds / fast:.1f}", f"{off:.0e}"]
        rows.append(row)
    header = ["n", "path", "s", "MB"]
    for name in twins:
        header += [f"{name}: s", "MB", "/ ours", "differs by"]
    scaled = ", ".join(name for name, (_, slow) in twins.items() if slow and not long)
    note = f"; {scaled}: timed for {TWIN_ROWS:,}/n draws and scaled" if scaled else ""
    print_table(f"{title}, {DRAWS} draws, RBF, 10 classes, simulated M2{note}", header, rows)
    slopes = ", ".join(f"{side} {exponent(TEST_SIZES, seconds):.2f}" for side, seconds in times.items())
    print(f"growth exponents: {slopes}")


def main(long=False):
    """Print estimates and tests; with `long` the estimates go to n = 50,000 and the loops make every draw."""
    threads = ", ".join(f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info())
    print(f"threads: {threads}")
    for title in CASES:
        estimate(title, long)
    for title in TESTS:
        test(title, long)
