"""kkr and ukkr by `select_estimator`, beside the same pipeline with n × n matrices, on the same data and split."""

import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import risk_oracles
from tables import print_table

from calibtutor import low_rank, rbf, select_estimator, top_label
from calibtutor.data.datasets import load_cifar10
from calibtutor.data.downloads import available
from calibtutor.data.worlds import widmann_model

FOLDS, SEED = 5, 0
SIZES, LONG_SIZES = [500, 1_000, 2_000], [500, 1_000, 2_000, 4_000]
ALONE = [1_000, 3_000, 10_000, 30_000, 100_000]  # below, Python's own overhead is what one sees
GRIDS = {
    "top-label": {"kkr": 10.0 ** np.arange(-1, -18, -2), "ukkr": 10.0 ** np.arange(-1, -10, -1)},
    "canonical": {"kkr": 10.0 ** np.arange(8, -10, -1), "ukkr": 10.0 ** np.arange(4, -5, -0.5)},
}
BARS = {"top-label": 100, "canonical": 8}
MAX_EXPONENT = 1.2


def predictions(n):
    """Real ones where they can be had without a network: CIFAR-10's first n. Else the poster's, of nearly full rank."""
    if not available("cifar_probs.dat"):
        return widmann_model("M2", n, rng=n)
    cifar = load_cifar10(progress=False)
    return cifar.y_true[:n], cifar.y_prob[:n]


def ours(y, p, notion):
    """name -> (setting, validation risk, estimate)."""
    table = select_estimator(y, p, notion=notion, candidates=["kkr", "ukkr"], folds=FOLDS, rng=SEED).table
    return {name: (float(row["setting"]), row["risk"], row["estimate"]) for name, row in table.iterrows()}


def literal(y, p, notion):
    """The same from n × n matrices."""
    y, p = top_label(y, p) if notion == "top-label" else (y, p)
    order = np.random.default_rng(SEED).permutation(len(y))
    return risk_oracles.square_pipeline(y, p, order, folds=FOLDS, grids=GRIDS[notion])


def grown(function, args):
    """In a process of its own: MB by which the largest memory ever used grew during a call."""

    def highest():
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    before = highest()
    function(*args)
    return highest() - before


def measure(function, *args, repeats=1):
    """(seconds of the fastest run, peak MB as text, result)."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function(*args)
        seconds.append(time.perf_counter() - start)
    if not Path("/proc/self/status").exists():  # Linux only
        return min(seconds), "?", result
    with get_context("spawn").Pool(1) as pool:
        peak = pool.apply(grown, (function, args))
        pool.close()  # let the process end by itself, so that it cleans up
        pool.join()
    return min(seconds), f"{peak:.0f}", result


def exponent(sizes, seconds):
    """Slope of log time against log n, by least squares."""
    return np.polyfit(np.log(sizes), np.log(seconds), 1)[0]


def compare(notion, sizes):
    """Print time, memory and agreement of both, and the bar at n = 2,000."""
    rows, times, ratios = [], {"ours": [], "literal": []}, {}
    for n in sizes:
        y, p = predictions(n)
        fast, small, found = measure(ours, y, p, notion, repeats=3 if notion == "top-label" else 1)
        slow, large, wanted = measure(literal, y, p, notion)
        times["ours"].append(fast)
        times["literal"].append(slow)
        ratios[n] = slow / fast
        off = max(abs(found[name][1] / wanted[name][1] - 1) for name in found)
        alike = sum(bool(np.isclose(found[name][0], wanted[name][0])) for name in found)
        rows.append(
            [n, f"{fast:.3f}", f"{slow:.2f}", f"{slow / fast:.0f}", small, large, f"{off:.0e}", f"{alike}/2"]
        )  # fmt: skip
    header = ["n", "s", "literal s", "literal / ours", "MB", "literal MB", "risk differs by", "same λ"]
    data = "CIFAR-10" if available("cifar_probs.dat") else "simulated M2"
    print_table(f"kkr and ukkr, {notion}, 10 classes, {data}, {FOLDS} folds, all λ of the paper", header, rows)
    slopes = ", ".join(f"{side} {exponent(sizes, seconds):.2f}" for side, seconds in times.items())
    print(f"growth exponents: {slopes}")
    met = "met" if ratios[2_000] >= BARS[notion] else "MISSED"
    print(f"at n = 2,000: {ratios[2_000]:.0f} times faster, wanted {BARS[notion]}: {met}")


def alone():
    """Print ours for large n, top-label, and the growth exponent."""
    rows, times = [], []
    for n in ALONE:
        y, p = widmann_model("M2", n, rng=n)
        seconds, peak, found = measure(ours, y, p, "top-label", repeats=3)
        times.append(seconds)
        rows.append([n, f"{seconds:.3f}", peak, f"{found['ukkr'][2]:.5f}"])
    print_table("kkr and ukkr, top-label, ours alone", ["n", "s", "MB", "ukkr estimate"], rows)
    slope = exponent(ALONE, times)
    last = np.log(times[-1] / times[-2]) / np.log(ALONE[-1] / ALONE[-2])
    met = "met" if max(slope, last) <= MAX_EXPONENT else "MISSED"
    print(f"growth exponent {slope:.2f}, of the last step {last:.2f}; wanted at most {MAX_EXPONENT}: {met}")


def one_pass_a_pivot(kernel, X, rank):
    """The greedy factor of this rank, with a pass over the features for each new one."""
    rows, left = np.empty((rank, len(X))), kernel.diag(X)
    for r in range(rank):
        i = int(np.argmax(left))
        rows[r] = (kernel(X[i : i + 1], X)[0] - rows[:r, i] @ rows[:r]) / np.sqrt(left[i])
        left = left - rows[r] ** 2
        left[i] = 0
    return rows.T


def factors():
    """Print `low_rank` beside one pass a pivot: many features, few, and hardly fewer than rows."""
    rng, rows = np.random.default_rng(SEED), []
    for name, X, kernel, tol in (
        ("the predictions above, n = 6,400", predictions(6_400)[1], rbf(gamma=1.0), 1e-12),
        ("ten classes, spread, n = 5,000", rng.dirichlet(np.ones(10), 5_000), rbf(bandwidth=0.3), 1e-8),
        ("one column, n = 8,000", rng.random((8_000, 1)), rbf(bandwidth=0.05), 1e-10),
        ("no low rank, n = 3,000", rng.dirichlet(np.ones(10), 3_000), rbf(bandwidth=0.02), 1e-8),
    ):
        fast, _, factor = measure(partial(low_rank, tol=tol), kernel, X, repeats=3)
        slow, _, twin = measure(one_pass_a_pivot, kernel, X, factor.rank, repeats=3)
        off = np.abs(factor.features - twin).max()
        rows.append([name, factor.rank, f"{fast:.4f}", f"{slow:.4f}", f"{slow / fast:.1f}", f"{off:.0e}"])
    header = ["rows", "features", "s", "one pass each s", "ratio", "features differ by"]
    print_table("pivoted Cholesky factor of a Gaussian kernel", header, rows)


def main(long=False):
    """Print both comparisons, ours alone, and low rank; with `long` the comparisons go to n = 4,000."""
    for notion in GRIDS:
        compare(notion, LONG_SIZES if long else SIZES)
    alone()
    factors()
