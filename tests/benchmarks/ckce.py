"""The conditional error three ways, beside the trace formula with whole matrices and an explicit inverse."""

import time
from multiprocessing import get_context
from pathlib import Path

import ckce_oracles
import numpy as np
from risk import exponent
from scipy.spatial.distance import cdist
from tables import print_table
from threadpoolctl import threadpool_info

from calibtutor.ckce import conditional_error
from calibtutor.data.worlds import widmann_model
from calibtutor.kernels import linear_plus_gaussian, median_bandwidth

CLASSES = (2, 10, 100, 1000)
EXACT_SIZES = [250, 500, 1_000, 2_000]
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000]
MOST_ENTRIES = 10**7  # of the predictions: 1,000 classes end at n = 10,000
FREQUENCIES, DRAWS, SEED = 100, 10, 0
FROM = 10_000  # growth is also measured from here on: below, fixed costs count
BAR_SIZE, BAR_CLASSES, MAX_SECONDS, MAX_MB, MAX_EXPONENT = 100_000, 10, 10, 1_000, 1.2


def data(n, n_classes):
    """The poster's M2: predictions from Dir(.1, …, .1), half of the labels forced to be class 0."""
    return widmann_model("M2", n, n_classes=n_classes, rng=n)


def ours(y, p, method, seed=SEED):
    """Value, certificate and number of features, the median heuristic included; all defaults."""
    found = conditional_error(y, p, method=method, n_frequencies=FREQUENCIES, rng=seed)
    return found.value, found.certificate, found.n_features


def literal(y, p):
    """Tr(W[M*M + L − M*Ψ − Ψ*M]WK) with W = (K + λnI)⁻¹ inverted; four n × n matrices and more."""
    K = p @ p.T + np.exp(-cdist(p, p, "sqeuclidean") / (2 * median_bandwidth(p) ** 2))
    return ckce_oracles.trace_formula(K, y, p, len(p) ** -0.25), 0.0, None


def fourier_spread(y, p):
    """Root mean square of the relative distance of `DRAWS` draws from the exact value."""
    kernel = linear_plus_gaussian(median_bandwidth(p))
    exact = conditional_error(y, p, kernel=kernel).value
    found = [
        conditional_error(y, p, kernel=kernel, method="fourier", n_frequencies=FREQUENCIES, rng=seed).value
        for seed in range(DRAWS)
    ]
    return np.sqrt(np.mean((np.array(found) / exact - 1) ** 2))


# --- time and memory, each in a process of its own ---


def alone(function, n, n_classes, *args):
    """(seconds, MB added, MB in all, result); data are made there, and the fastest of three runs counts."""
    with get_context("spawn").Pool(1) as pool:
        found = pool.apply(_measured, (function, n, n_classes, args))
        pool.close()
        pool.join()
    return found


def _measured(function, n, n_classes, args):
    y, p = data(n, n_classes)
    function(*data(50, 3), *args)  # imports and thread pools are not what is measured
    before, seconds = _forget_peak(), []
    for _ in range(3):
        start = time.perf_counter()
        result = function(y, p, *args)
        seconds.append(time.perf_counter() - start)
    peak = _status("VmHWM")
    return min(seconds), peak - before, peak, result


def _forget_peak():
    """Let the record of the highest memory start again (making the data took some), and return what is used now."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")
    return _status("VmRSS")


def _status(field):
    """MB; NaN where the system does not say."""
    status = Path("/proc/self/status")
    return int(status.read_text().split(f"{field}:")[1].split()[0]) / 1024 if status.exists() else np.nan


# --- tables ---


def exact_part(n_classes):
    """Print exact beside literal; low-rank and Fourier against them."""
    rows, times = [], {"exact": [], "literal": []}
    for n in EXACT_SIZES:
        seconds, grew, _, (value, _, _) = alone(ours, n, n_classes, "exact")
        slow, large, _, (wanted, _, _) = alone(literal, n, n_classes)
        y, p = data(n, n_classes)
        low, certificate, rank = ours(y, p, "low-rank")
        times["exact"].append(seconds)
        times["literal"].append(slow)
        rows.append(
            [
                n, f"{seconds:.3f}", f"{slow:.3f}", f"{grew:.0f}", f"{large:.0f}", f"{wanted:.4f}",
                f"{abs(value / wanted - 1):.0e}", rank, f"{abs(low / wanted - 1):.0e}", f"{certificate / low:.0e}",
                f"{fourier_spread(y, p):.3f}",
            ]
        )  # fmt: skip
    header = ["n", "exact s", "literal s", "exact MB", "literal MB", "CKCE", "exact off", "rank", "low-rank off",
              "certified", f"Fourier D = {FREQUENCIES} off"]  # fmt: skip
    print_table(f"CKCE, {n_classes} classes, M2, kernel (8); distances are relative", header, rows)
    print("growth exponents: " + ", ".join(f"{name} {exponent(EXACT_SIZES, t):.2f}" for name, t in times.items()))


def large_part(n_classes):
    """Print low-rank and Fourier for large n; (seconds, MB in all, exponent) of both at the last."""
    sizes = [n for n in SIZES if n * n_classes <= MOST_ENTRIES]
    rows, times, last = [], {"low-rank": [], "fourier": []}, {}
    for n in sizes:
        row, values = [n], {}
        for method in times:
            seconds, grew, peak, found = alone(ours, n, n_classes, method)
            times[method].append(seconds)
            values[method], last[method] = found, (seconds, peak)
            row += [f"{seconds:.3f}", f"{grew:.0f}", found[2]]
        low, certificate, _ = values["low-rank"]
        rows.append([*row, f"{low:.5f}", f"{certificate / low:.0e}", f"{values['fourier'][0] / low - 1:+.1%}"])
    header = ["n", "low-rank s", "MB", "rank", "Fourier s", "MB", "features", "CKCE", "certified", "Fourier differs by"]
    print_table(f"CKCE, {n_classes} classes, M2, kernel (8), Fourier D = {FREQUENCIES}", header, rows)
    large = [k for k, n in enumerate(sizes) if n >= FROM]
    for method, seconds in times.items():
        slope = exponent(sizes, seconds)
        late = exponent([sizes[k] for k in large], [seconds[k] for k in large]) if len(large) > 1 else np.nan
        print(f"growth exponent, {method}: {slope:.2f} (n >= {FROM:,}: {late:.2f})")
        last[method] = *last[method], slope if np.isnan(late) else max(slope, late)
    return last


def judge(last):
    """Beside the bar."""
    for method, (seconds, peak, slope) in last.items():
        fast = seconds <= MAX_SECONDS and peak <= MAX_MB
        print(
            f"{method}, n = {BAR_SIZE:,}, {BAR_CLASSES} classes: {seconds:.2f} s, {peak:.0f} MB in all, wanted "
            f"{MAX_SECONDS} s and {MAX_MB} MB: {'met' if fast else 'MISSED'}; exponent {slope:.2f}, wanted "
            f"{MAX_EXPONENT}: {'met' if slope <= MAX_EXPONENT else 'MISSED'}"
        )


def main():
    """Print both tables for each number of classes, and the bar."""
    threads = ", ".join(f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info())
    print(f"threads: {threads}")
    for n_classes in CLASSES:
        exact_part(n_classes)
    for n_classes in CLASSES:
        last = large_part(n_classes)
        if n_classes == BAR_CLASSES:
            bar = last
    judge(bar)
