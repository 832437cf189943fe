#!/usr/bin/env python3
"""smooth_calibration_error beside relplot, the package of the authors of smECE: values, and seconds at n = 100,000.

In an environment of its own, so that no other test sees relplot's requirements:

    python3 -m venv peer
    peer/bin/python -m pip install . relplot==1.0.3
    peer/bin/python tests/benchmarks/smooth_against_peer.py

The table of relplot's values is the one that tests/smooth_oracles.py stores.
"""

import sys
import time
import tracemalloc
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
import relplot  # noqa: E402
from smooth_oracles import ten_sets  # noqa: E402

from calibtutor import smooth_calibration_error  # noqa: E402

WIDTH = 0.05


def timed(function, *arguments):
    """The result, seconds, and megabytes at the peak."""
    start = time.perf_counter()
    result = function(*arguments)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    function(*arguments)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return result, seconds, peak


def main():
    """Print both tables."""
    print("set     n    smECE: relplot  here      at σ = .05: relplot  here")
    for seed, (y, p) in enumerate(ten_sets()):
        both = relplot.smECE(p, y), smooth_calibration_error(y, p)
        fixed = relplot.smECE_sigma(p, y, WIDTH), smooth_calibration_error(y, p, bandwidth=WIDTH)
        print(f"{seed:3} {len(y):6}         {both[0]:.5f}  {both[1]:.5f}            {fixed[0]:.5f}  {fixed[1]:.5f}")
    ends = np.repeat([0.0, 0.5], 500)
    y = np.concatenate([np.tile([1, 0, 0, 0, 0], 100), np.tile([0, 1], 250)])
    print(f"half of the scores are 0, of which a fifth happen: "
          f"{relplot.smECE(ends, y):.5f}  {smooth_calibration_error(y, ends):.5f}")  # fmt: skip
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    y = (rng.random(len(p)) < p).astype(int)
    for name, function, arguments in (("relplot", relplot.smECE, (p, y)), ("here", smooth_calibration_error, (y, p))):
        value, seconds, peak = timed(function, *arguments)
        print(f"n = 100,000, calibrated, {name:8} {value:.5f}  {seconds:.2f} s  {peak:.0f} MB")


if __name__ == "__main__":
    main()
