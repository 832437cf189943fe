"""The exact test for growing n: seconds and memory, each in a fresh process.

    python tests/benchmarks/size.py --long      # to 10⁶ rows, some minutes
"""

import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from tables import print_table

from calibtutor import kce_test, landmarks, laplacian, median_bandwidth
from calibtutor.data.worlds import widmann_model

DRAWS, CORES, RANK, CLASSES = 999, 2, 256, 10
SIZES, LONG_SIZES = [10_000, 30_000, 100_000], [1_000_000]
PART_ROWS = 20_000


def data(n):
    """The poster's M2, drawn a part at a time so that drawing sets no mark in memory."""
    y, p = np.empty(n, dtype=np.int64), np.empty((n, CLASSES))
    for start in range(0, n, PART_ROWS):
        rows = slice(start, min(start + PART_ROWS, n))
        y[rows], p[rows] = widmann_model("M2", rows.stop - start, n_classes=CLASSES, rng=[start, n])
    return y, p


def measured(n):
    """n, seconds, processor seconds and the peak of memory in MB."""
    y, p = data(n)
    start, used = time.perf_counter(), time.process_time()
    kernel = landmarks(laplacian(median_bandwidth(p)), p, rank=RANK, rng=0)
    kce_test(y, p, kernel=kernel, n_resamples=DRAWS, rng=0, n_jobs=CORES)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # of kB, on Linux
    return n, time.perf_counter() - start, time.process_time() - used, peak


def main(long=False):
    """Print a row for each n, and the growth exponent; on a busy machine processor seconds say more."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as alone:
        found = list(alone.map(measured, SIZES + LONG_SIZES if long else SIZES))
    title = f"kce_test, {CLASSES} classes, {DRAWS} draws, {RANK} landmarks, {CORES} threads; bar: 120 s, 500 MB at 10⁶"
    print_table(title, ["n", "s", "CPU s", "peak MB"], [[f"{n:,}", *(f"{v:.1f}" for v in rest)] for n, *rest in found])
    (first, _, before, _), (last, _, after, _) = found[-2:]
    print(f"CPU seconds, last step: growth exponent {np.log(after / before) / np.log(last / first):.2f} (bar: 1.05)")


if __name__ == "__main__":
    main(long="--long" in sys.argv)
