#!/usr/bin/env python3
"""corp_reliability beside model-diagnostics (`decompose`): ten data sets, two scores, and seconds at n = 100,000.

In an environment of its own, so that no other test sees its requirements:

    python3 -m venv peer
    peer/bin/python -m pip install . model-diagnostics==1.5.0
    peer/bin/python tests/benchmarks/corp_against_peer.py

The table of its values is the one that tests/corp_oracles.py stores.
"""

import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
from corp_oracles import ten_sets  # noqa: E402
from model_diagnostics.scoring import LogLoss, SquaredError, decompose  # noqa: E402

from calibtutor import corp_reliability  # noqa: E402

PARTS = "miscalibration", "discrimination", "uncertainty"
PEERS = {"brier": SquaredError(), "log": LogLoss()}


def of_peer(y, p, weights, scoring):
    """Its three parts."""
    table = decompose(y, p, weights=weights, scoring_function=PEERS[scoring])
    return [float(table[part][0]) for part in PARTS]


def main():
    """Print the table, and the largest difference."""
    largest = 0.0
    print("set      n  scoring  model-diagnostics: MCB      DSC      UNC      largest difference")
    for seed, (y, p, weights) in enumerate(ten_sets()):
        for scoring in PEERS:
            theirs = of_peer(y, p, weights, scoring)
            found = corp_reliability(y, p, scoring=scoring, weights=weights)
            gap = max(abs(a - getattr(found, part)) for a, part in zip(theirs, PARTS, strict=True))
            largest = max(largest, gap)
            print(f"{seed:3} {len(y):6}  {scoring:7}  {'':16} {'  '.join(f'{each:.5f}' for each in theirs)}  {gap:.1e}")
    print(f"largest difference: {largest:.1e}")
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    y = (rng.random(len(p)) < p).astype(int)
    calls = {"model-diagnostics": lambda: of_peer(y, p, None, "brier"), "here": lambda: corp_reliability(y, p)}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        print(f"n = 100,000, {name:17} {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
