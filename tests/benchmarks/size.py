"""The exact test for growing n: seconds and memory, each in a fresh process.

    python tests/benchmarks/size.py --long      # to 10⁶ rows, some minutes
"""

import sys
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from tables import print_table

from calibtutor import kce_test, landmarks, laplacian, median_bandwidth
from calibtutor.data.worlds import widmann_model

DRAWS, SEED, CORES, RANK = 999, 0, 2, 256
SIZES, LONG_SIZES = [10_000, 30_000, 100_000], [1_000_000]
PART_ROWS = 20_000
BAR = {"exponent": 1.05, "seconds": 120, "MB": 500}  # the last two at 10⁶ rows


def data(n, classes):
    """The poster's M2, drawn a part at a time so that drawing sets no mark in memory."""
    y, p = np.empty(n, dtype=np.int64), np.empty((n, classes))
    for start in range(0, n, PART_ROWS):
        rows = slice(start, min(start + PART_ROWS, n))
        y[rows], p[rows] = widmann_model("M2", rows.stop - start, n_classes=classes, rng=[start, n])
    return y, p


def _highest():
    status = Path("/proc/self/status")
    return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024 if status.exists() else np.nan  # Linux only


def _measured(n, classes):
    y, p = data(n, classes)
    before, start, used = _highest(), time.perf_counter(), time.process_time()
    kernel = landmarks(laplacian(median_bandwidth(p)), p, rank=RANK, rng=0)
    kce_test(y, p, kernel=kernel, n_resamples=DRAWS, rng=SEED, n_jobs=CORES)
    return time.perf_counter() - start, time.process_time() - used, _highest(), _highest() - before


def main(long=False):
    """Print a row for each n, and the growth exponent; on a busy machine CPU seconds say more."""
    rows, sizes = [], SIZES + LONG_SIZES if long else SIZES
    for n in sizes:
        with get_context("spawn").Pool(1) as pool:
            rows.append([n, *pool.apply(_measured, (n, 10))])
            pool.close()  # let the process end by itself, so that it cleans up
            pool.join()
    header = ["n", "s", "CPU s", "peak MB", "grown MB"]
    print_table(
        f"kce_test, 10 classes, {DRAWS} draws, {RANK} landmarks, {CORES} threads, simulated M2",
        header,
        [[f"{n:,}", *(f"{value:.1f}" for value in rest)] for n, *rest in rows],
    )
    slope = np.polyfit(np.log(sizes[-2:]), np.log([row[2] for row in rows[-2:]]), 1)[0]
    met = _met(slope <= BAR["exponent"])
    print(f"CPU seconds, last step: growth exponent {slope:.2f}, wanted at most {BAR['exponent']}: {met}")
    if long:
        _, seconds, _, peak, _ = rows[-1]
        within = seconds <= BAR["seconds"] and peak <= BAR["MB"]
        print(f"at the last: wanted at most {BAR['seconds']} s and {BAR['MB']} MB: {_met(within)}")


def _met(held):
    return "met" if held else "MISSED"


if __name__ == "__main__":
    main(long="--long" in sys.argv)
