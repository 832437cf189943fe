#!/usr/bin/env python3
"""smooth_calibration_error and corp_reliability beside the packages of their authors, in one run.

Values on ten data sets each, and seconds at n = 100,000. In an environment of its own, so that no other test sees the
peers' requirements:

    python3 -m venv peers
    peers/bin/python -m pip install . relplot==1.0.3 model-diagnostics==1.5.0
    peers/bin/python tests/benchmarks/reliability_against_peers.py

The peers' values are those that tests/smooth_oracles.py and tests/corp_oracles.py store.
"""

import sys
import timeit
import tracemalloc
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import corp_oracles  # noqa: E402
import numpy as np  # noqa: E402
import relplot  # noqa: E402
import smooth_oracles  # noqa: E402
from model_diagnostics.scoring import LogLoss, SquaredError, decompose  # noqa: E402

from calibtutor import corp_reliability, smooth_calibration_error  # noqa: E402

WIDTH = 0.05
PARTS = "miscalibration", "discrimination", "uncertainty"
SCORES = {"brier": SquaredError(), "log": LogLoss()}


def smooth():
    """smECE, with the bandwidth that is its own value and with one for all."""
    print("set      n    smECE: relplot  here      at σ = .05: relplot  here")
    for seed, (y, p) in enumerate(smooth_oracles.ten_sets()):
        both = relplot.smECE(p, y), smooth_calibration_error(y, p)
        fixed = relplot.smECE_sigma(p, y, WIDTH), smooth_calibration_error(y, p, bandwidth=WIDTH)
        print(f"{seed:3} {len(y):6}         {both[0]:.5f}  {both[1]:.5f}            {fixed[0]:.5f}  {fixed[1]:.5f}")
    p = np.repeat([0.0, 0.5], 500)
    y = np.concatenate([np.tile([1, 0, 0, 0, 0], 100), np.tile([0, 1], 250)])
    both = relplot.smECE(p, y), smooth_calibration_error(y, p)
    print(f"half of the scores are 0, of which a fifth happen: {both[0]:.5f}  {both[1]:.5f}")


def of_peer(y, p, weights=None, scoring="brier"):
    """MCB, DSC and UNC by model-diagnostics."""
    table = decompose(y, p, weights=weights, scoring_function=SCORES[scoring])
    return [float(table[part][0]) for part in PARTS]


def decomposed():
    """CORP, with two scores, and weights where a set has them."""
    print("\nset      n  scoring  model-diagnostics: MCB      DSC      UNC      largest difference")
    for seed, (y, p, weights) in enumerate(corp_oracles.ten_sets()):
        for scoring in SCORES:
            theirs = of_peer(y, p, weights, scoring)
            found = corp_reliability(y, p, scoring=scoring, weights=weights)
            gap = max(abs(a - getattr(found, part)) for a, part in zip(theirs, PARTS, strict=True))
            print(f"{seed:3} {len(y):6}  {scoring:7}  {'':16} {'  '.join(f'{each:.5f}' for each in theirs)}  {gap:.1e}")


def timed():
    """Seconds of a second call, and megabytes at the peak of a third."""
    print()
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    y = (rng.random(len(p)) < p).astype(int)
    calls = {
        "smECE, relplot": lambda: relplot.smECE(p, y),
        "smECE, here": lambda: smooth_calibration_error(y, p),
        "CORP, model-diagnostics": lambda: of_peer(y, p),
        "CORP, here": lambda: corp_reliability(y, p),
    }
    for name, call in calls.items():
        call()
        seconds = timeit.timeit(call, number=1)
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        print(f"n = 100,000, calibrated, {name:23}  {seconds:.3f} s  {peak:.0f} MB")


if __name__ == "__main__":
    smooth()
    decomposed()
    timed()
