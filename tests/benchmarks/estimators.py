"""Estimators beside their definitions written as plain loops, on the same data in the same run."""

import math
import time

import numpy as np
from tables import print_table

from calibtutor import expected_calibration_error, kde_calibration_error

N_CLASSES, N_BINS, BANDWIDTH = 3, 15, 0.1


def looped_ece(y_true, y_prob):
    """The definition: for every bin, look at every prediction."""
    labels, rows = y_true.tolist(), y_prob.tolist()
    n, error = len(rows), 0.0
    for m in range(N_BINS):
        gap = 0.0
        for y, p in zip(labels, rows, strict=True):
            confidence = max(p)
            if m / N_BINS < confidence <= (m + 1) / N_BINS:
                gap += confidence - (p.index(confidence) == y)
        error += abs(gap) / n
    return error


def looped_kde(y_true, y_prob):
    """The definition: for every prediction, weigh every other one by its Dirichlet density."""
    labels, rows = y_true.tolist(), y_prob.tolist()
    n, error = len(rows), 0.0
    scaled = [[p / BANDWIDTH for p in row] for row in rows]
    norms = [math.lgamma(sum(a) + N_CLASSES) - sum(math.lgamma(x + 1) for x in a) for a in scaled]
    for i in range(n):
        logs = [math.log(p) for p in rows[i]]
        weights = [0.0] * N_CLASSES
        for j in range(n):
            if j != i:
                a = scaled[j]
                power = norms[j] + a[0] * logs[0] + a[1] * logs[1] + a[2] * logs[2]
                weights[labels[j]] += math.exp(power)
        total = sum(weights)
        frequency = [w / total for w in weights]
        error += sum((p - r) ** 2 for p, r in zip(rows[i], frequency, strict=True)) / n
    return error


def timed(function, *args, repeats):
    """(milliseconds of the fastest of some calls, result)."""
    best = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        result = function(*args)
        best = min(best, 1000 * (time.perf_counter() - start))
    return best, result


def compare(title, fast, loop, sizes):
    """Print time, ratio, growth and difference of an estimator and its loop."""
    rng = np.random.default_rng(0)
    rows, before = [], None
    for n in sizes:
        y_prob = rng.dirichlet(np.ones(N_CLASSES), n)
        # Labels of an over-confident model, so that there is an error to find.
        blurred = 0.8 * y_prob + 0.2 / N_CLASSES
        y_true = (rng.random((n, 1)) > blurred.cumsum(axis=1)[:, :-1]).sum(axis=1)
        ms, value = timed(fast, y_true, y_prob, repeats=5)
        loop_ms, wanted = timed(loop, y_true, y_prob, repeats=1)
        growth = "" if before is None else f"{math.log(ms / before[1]) / math.log(n / before[0]):.2f}"
        rows.append([n, f"{ms:.2f}", f"{loop_ms:.0f}", f"{loop_ms / ms:.0f}", growth, f"{abs(value - wanted):.0e}"])
        before = n, ms
    header = ["n", "ms", "loop ms", "loop / ours", "growth exponent", "difference"]
    print_table(title, header, rows)


def main():
    """Print both comparisons."""
    compare(
        f"Expected calibration error, {N_BINS} bins, {N_CLASSES} classes",
        lambda y, p: expected_calibration_error(y, p, n_bins=N_BINS),
        looped_ece,
        [1_000, 10_000, 100_000],
    )
    compare(
        f"Canonical KDE error, bandwidth {BANDWIDTH}, {N_CLASSES} classes",
        lambda y, p: kde_calibration_error(y, p, bandwidth=BANDWIDTH, notion="canonical"),
        looped_kde,
        [500, 1_000, 2_000, 5_000],
    )
