"""The exact test at any size: beside the exact kernel of the first edition, and alone for growing n."""

import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from risk import exponent
from tables import print_table

from calibtutor import kce_test, landmarks, laplacian, median_bandwidth
from calibtutor.data.worlds import widmann_model
from calibtutor.parts import RANK

DRAWS, SEED, CORES = 999, 0, 2
TWO_CLASSES, TWIN_ROWS = 50_000, 10_000  # the twin is timed for fewer rows and scaled up, unless --long
SIZES, LONG_SIZES = [10_000, 30_000, 100_000], [1_000_000]
PART_ROWS = 20_000
MEASURED = ["s", "CPU s", "peak MB", "grown MB"]  # on a busy machine CPU seconds say more
BAR = {"exponent": 1.05, "seconds": 120, "MB": 500}


def data(n, classes):
    """The poster's M2, drawn a part at a time so that drawing sets no mark in memory."""
    y, p = np.empty(n, dtype=np.int64), np.empty((n, classes))
    for start in range(0, n, PART_ROWS):
        rows = slice(start, min(start + PART_ROWS, n))
        y[rows], p[rows] = widmann_model("M2", rows.stop - start, n_classes=classes, rng=[start, n])
    return y, p


def default_test(y, p):
    """Ours, as called without options."""
    return kce_test(y, p, n_resamples=DRAWS, rng=SEED, n_jobs=CORES)


def exact_test(y, p):
    """The first edition's default: every pair of rows."""
    return kce_test(y, p, kernel=laplacian(median_bandwidth(p)), n_resamples=DRAWS, rng=SEED)


def landmarks_test(y, p):
    """Ours for many rows, for few as well."""
    kernel = landmarks(laplacian(median_bandwidth(p)), p, rank=RANK, rng=0)
    return kce_test(y, p, kernel=kernel, n_resamples=DRAWS, rng=SEED, n_jobs=CORES)


def _highest():
    status = Path("/proc/self/status")
    return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024 if status.exists() else np.nan  # Linux only


def _measured(function, n, classes):
    y, p = data(n, classes)
    before, start, used = _highest(), time.perf_counter(), time.process_time()
    method = function(y, p).method
    return time.perf_counter() - start, time.process_time() - used, _highest(), _highest() - before, method


def in_a_fresh_process(function, n, classes):
    """(seconds, CPU seconds, peak MB of the process, MB above imports and data, method), all of the same run."""
    with get_context("spawn").Pool(1) as pool:
        found = pool.apply(_measured, (function, n, classes))
        pool.close()  # let the process end by itself, so that it cleans up
        pool.join()
    return found


def beside_the_exact_kernel(long):
    """Print the default of a large test beside the exact kernel; with `long` the twin sees all rows."""
    made = TWO_CLASSES if long else TWIN_ROWS
    fast, used, peak, grown, method = in_a_fresh_process(default_test, TWO_CLASSES, 2)
    slow, twin_used, twin_peak, twin_grown, twin = in_a_fresh_process(exact_test, made, 2)
    scaled = slow * (TWO_CLASSES / made) ** 2
    rows = [
        [method, f"{TWO_CLASSES:,}", *_said(fast, used, peak, grown), f"{fast:.1f}"],
        [f"{twin}, exact kernel", f"{made:,}", *_said(slow, twin_used, twin_peak, twin_grown), f"{scaled:.0f}"],
    ]
    note = "" if long else f"; the twin is timed for {made:,} rows and scaled up as n²"
    header = ["method", "rows", *MEASURED, f"s at n = {TWO_CLASSES:,}"]
    print_table(f"kce_test, default kernel, two classes, {DRAWS} draws, simulated M2{note}", header, rows)
    print(f"at n = {TWO_CLASSES:,}: {scaled / fast:.0f} times faster")


def alone(long):
    """Print seconds and memory for growing n, ten classes, and the growth exponent."""
    rows, seconds, cpu, sizes = [], [], [], SIZES + LONG_SIZES if long else SIZES
    for n in sizes:
        taken, used, peak, grown, method = in_a_fresh_process(landmarks_test, n, 10)
        seconds.append(taken)
        cpu.append(used)
        rows.append([f"{n:,}", method, *_said(taken, used, peak, grown)])
    header = ["n", "method", *MEASURED]
    print_table(f"kce_test, 10 classes, {DRAWS} draws, {CORES} threads, simulated M2", header, rows)
    slope, of_cpu, last = exponent(sizes, seconds), exponent(sizes, cpu), exponent(sizes[-2:], cpu[-2:])
    said = [
        f"growth exponent {slope:.2f}, wanted at most {BAR['exponent']}: {_met(slope <= BAR['exponent'])}; "
        f"of CPU seconds {of_cpu:.2f}, of their last step {last:.2f}"
    ]
    if long:
        within = taken <= BAR["seconds"] and peak <= BAR["MB"]
        said.append(f"n = {n:,}: wanted at most {BAR['seconds']} s and {BAR['MB']} MB: {_met(within)}")
    print("\n".join(said))


def _said(seconds, used, peak, grown):
    return [f"{seconds:.1f}", f"{used:.1f}", f"{peak:.0f}", f"{grown:.0f}"]


def _met(held):
    return "met" if held else "MISSED"


def main(long=False):
    """Print all three; with `long` the exact kernel sees all rows, and n goes to 10⁶."""
    beside_the_exact_kernel(long)
    alone(long)


if __name__ == "__main__":
    main()
