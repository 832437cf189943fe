"""Estimators and tests beside their definitions, on the same data in the same run: seconds, ratio, difference.

The definitions are the oracles of the tests: loops over pairs of rows, or n × n matrices as the papers print them.
reliability_against_peers.py has the packages of other authors.
"""

import math
import time

import ckce_oracles
import kce_oracles
import klce_oracles
import numpy as np
import oracles
import risk_oracles
from tables import print_table

import calibtutor as ct
from calibtutor.data.worlds import widmann_model
from calibtutor.resampling import draw_labels

DRAWS, SEED, FOLDS = 199, 0, 5
GRIDS = {"kkr": 10.0 ** np.arange(-1, -18, -2), "ukkr": 10.0 ** np.arange(-1, -10, -1)}


def data(n):
    """The poster's M2 with three classes, and the kernel exp(−‖p − q‖/.5)."""
    return *widmann_model("M2", n, n_classes=3, rng=n), ct.laplacian(0.5)


def one_kernel(a, b):
    """The same for two rows."""
    return math.exp(-math.dist(a, b) / 0.5)


def ece(n):
    """Ours and the definition, ready to be called."""
    y, p, _ = data(n)
    return (
        lambda: ct.expected_calibration_error(y, p, n_bins=15),
        lambda: oracles.ece(*oracles.top_label(y.tolist(), p.tolist())),
    )


def kde(n):
    """Ours and the definition."""
    y, p, _ = data(n)
    p = 0.9 * p + 0.1 / 3  # no score of 0
    return (
        lambda: ct.kde_calibration_error(y, p, bandwidth=0.1, notion="canonical"),
        lambda: oracles.kde_error(y.tolist(), p.tolist(), 0.1, 0.0),
    )


def skce(n):
    """Ours and the definition."""
    y, p, kernel = data(n)
    return lambda: ct.skce(y, p, kernel=kernel), lambda: kce_oracles.unbiased(one_kernel, y.tolist(), p.tolist())


def kce_test(n):
    """Ours, and one draw of labels at a time with the kernel matrix kept."""
    y, p, kernel = data(n)

    def drawn():
        K, labels = kernel(p), draw_labels(p, DRAWS, np.random.default_rng(SEED))
        values = [_unbiased(K, labels[:, b], p) for b in range(DRAWS)]
        return (1 + sum(value >= _unbiased(K, y, p) for value in values)) / (DRAWS + 1)

    return lambda: ct.kce_test(y, p, kernel=kernel, n_resamples=DRAWS, rng=SEED).pvalue, drawn


def _unbiased(K, y, p):
    delta = p - np.eye(p.shape[1])[y]
    h = K * (delta @ delta.T)
    return (h.sum() - np.trace(h)) / (len(y) * (len(y) - 1))


def klce(n):
    """Ours and the definition."""
    y, p, kernel = data(n)
    x = np.random.default_rng(SEED).normal(size=(n, 2))
    return (
        lambda: ct.klce(y, p, x, prob_kernel=kernel, feature_kernel=kernel),
        lambda: klce_oracles.klce(one_kernel, one_kernel, y.tolist(), p.tolist(), x.tolist()),
    )


def ckce(n):
    """Ours, and the trace formula with an explicit inverse."""
    y, p, kernel = data(n)
    return (
        lambda: ct.ckce(y, p, kernel=kernel, regularization=n**-0.25),
        lambda: ckce_oracles.trace_formula(kernel(p), y, p, n**-0.25),
    )


def selection(n):
    """Ours, and kkr and ukkr with n × n matrices over the same folds and regularizations: the risk of ukkr."""
    y, p, _ = data(n)
    order = np.random.default_rng(SEED).permutation(n)

    def ours():
        chosen = {"notion": "top-label", "candidates": ["kkr", "ukkr"], "folds": FOLDS, "rng": SEED}
        return ct.select_estimator(y, p, **chosen).table.loc["ukkr", "risk"]

    return ours, lambda: risk_oracles.square_pipeline(*ct.top_label(y, p), order, folds=FOLDS, grids=GRIDS)["ukkr"][1]


CASES = {ece: (1_000, 10_000), kde: (200, 400), skce: (200, 400), kce_test: (500, 2_000), klce: (200, 400),
         ckce: (500, 2_000), selection: (500, 2_000)}  # fmt: skip


def fastest(function, repeats):
    """(seconds, result)."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def main():
    """Print a row for each estimator and n."""
    rows = []
    for case, sizes in CASES.items():
        for n in sizes:
            ours, twin = case(n)
            fast, found = fastest(ours, 5)
            slow, wanted = fastest(twin, 1)
            rows.append([case.__name__, n, f"{fast:.4f}", f"{slow:.2f}", f"{slow / fast:.0f}",
                         f"{abs(found - wanted) / abs(wanted):.0e}"])  # fmt: skip
    header = ["what", "n", "s", "definition s", "ratio", "differs by"]
    print_table(f"Beside the definitions, three classes, M2; tests with {DRAWS} draws", header, rows)


if __name__ == "__main__":
    main()
