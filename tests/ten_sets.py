"""Ten data sets that other packages were asked about too; what they said stands in the oracles."""

import numpy as np


def ten_with_generators(root):
    """(y, p, generator) of ten sets: n from 60 to 20,000, scores spread out, piled up, rounded; calibrated and bent."""
    for seed in range(10):
        rng = np.random.default_rng([root, seed])
        n = (60, 200, 1000, 5000, 20_000)[seed % 5]
        scores = (rng.random(n), rng.beta(0.3, 0.3, n), rng.beta(2, 8, n), rng.random(n).round(1), rng.beta(5, 1, n))
        p = np.clip(scores[(seed + seed // 5) % 5], 0.01, 0.99)
        bend = (1, 0.5, 2, 1, 3, 1, 0.7, 1.3, 1, 0.4)[seed]
        r = p**bend / (p**bend + (1 - p) ** bend)
        yield (rng.random(n) < r).astype(int), p, rng
