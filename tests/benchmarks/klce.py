"""Local calibration on a survey-like table: ours, the definition as a loop, and the n × n kernel held in memory."""

import math
from multiprocessing import get_context

import numpy as np
import pandas as pd
from kce import seconds_of
from risk import exponent, grown
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from tables import print_table
from threadpoolctl import threadpool_info

from calibtutor import klce, klce_test
from calibtutor.data.downloads import available
from calibtutor.data.tables import load_housing
from calibtutor.features import FeatureSpace
from calibtutor.gram import Gram, ProductKernel
from calibtutor.kernels import rbf
from calibtutor.resampling import draw_labels

FULL = 48_660  # rows of the American Housing Survey that the paper tests
LOOP_SIZES = [200, 400, 800]  # a loop in plain Python: seconds for the largest
SIZES, HELD_SIZES, LONG_SIZES = [1_000, 2_000, 4_000, 12_165], [1_000, 2_000, 4_000], [FULL]
DRAWS, SEED, WIDTH = 999, 0, 0.1
GAMMAS = (0.5, 25)  # of the authors' kernel on features, both beside a prediction width of .1
MAX_SECONDS, MAX_MB = 60, 1_500  # for the test of all rows
# The constant model on the authors' 12,165 test rows. Their library divides equation 4 by the mean kernel value.
PUBLISHED_CONSTANT, PUBLISHED_SPLIT = 0.0028152461, {"test_size": 0.25, "random_state": 1090}


def survey(n):
    """A made-up table: (labels, predictions, rows of `FeatureSpace`); the model sees a third column, the kernel not."""
    rng = np.random.default_rng(n)
    table = pd.DataFrame({"income": rng.normal(size=n), "member": rng.random(n) < 0.15, "age": rng.uniform(15, 85, n)})
    score = 0.6 + 0.8 * table.income - 0.6 * table.member + 0.04 * (table.age - 50)
    owner = (rng.random(n) < expit(score)).astype(int)
    everything = FeatureSpace().fit_transform(table)
    p = LogisticRegression().fit(everything, owner).predict_proba(everything)[:, 1]
    return owner, p, FeatureSpace().fit_transform(table[["income", "member"]])


def survey_kernels(gamma):
    """The package's: exp(−γ u²) on the scaled number, equal or not on the category."""
    space = FeatureSpace().fit(pd.DataFrame({"income": [0.0, 1.0], "member": [False, True]}))
    features = space.kernel(np.zeros((1, 2)), bandwidth=1 / math.sqrt(2 * gamma))
    return {"prob_kernel": rbf(width=WIDTH), "feature_kernel": features}


# --- what is measured ---


def estimate(y, p, X, kernels):
    """Ours."""
    return klce(y, p, X, **kernels)


def looped(y, p, X, gamma):
    """The definition: for every pair of rows, kernel times product of residuals. Lists, no arrays."""
    rows = [(q, u, c, q - label) for q, (u, c), label in zip(p.tolist(), X.tolist(), y.tolist(), strict=True)]
    total, n = 0.0, len(rows)
    for i, (q, u, c, residual) in enumerate(rows):
        for j, (r, v, d, other) in enumerate(rows):
            if i != j and c == d:
                total += math.exp(-(((q - r) / WIDTH) ** 2) - gamma * (u - v) ** 2) * residual * other
    return total / (n * (n - 1))


def label_test(y, p, X, kernels):
    """Ours: the estimate, then those of the drawn labels."""
    found = klce_test(y, p, X, **kernels, n_resamples=DRAWS, rng=SEED)
    return np.concatenate([[found.statistic], found.null_distribution])


def held(y, p, X, gamma):
    """The same with the whole kernel matrix in memory, and one matrix product for all draws."""
    K = np.exp(-cdist(p[:, None], p[:, None], "sqeuclidean") / WIDTH**2 - gamma * cdist(X[:, :1], X[:, :1]) ** 2)
    K *= X[:, 1] == X[:, 1:]
    np.fill_diagonal(K, 0)
    delta = p[:, None] - np.column_stack([y, draw_labels(p, DRAWS, SEED)])
    return ((K @ delta) * delta).sum(axis=0) / (len(y) * (len(y) - 1))


def alone(function, y, *args):
    """(seconds, MB by which memory grew, result) in a process of its own; few rows: the fastest of three calls."""
    with get_context("spawn").Pool(1) as pool:
        found = pool.apply(_timed, (function, (y, *args), 3 if len(y) < 10_000 else 1))
        pool.close()
        pool.join()
    return found


def _timed(function, args, repeats):
    made = []
    grew = grown(lambda: made.extend(seconds_of(function, *args) for _ in range(repeats)), ())
    return min(seconds for seconds, _ in made), grew, made[0][1]


def gram_of(p, X, kernels):
    """The operator that klce and klce_test use."""
    return Gram(ProductKernel(kernels["prob_kernel"], kernels["feature_kernel"], 1), np.column_stack([p, X]))


def path(p, X, kernels):
    """How `Gram` holds the kernel, and how much of its trace that leaves out at most."""
    gram = gram_of(p, X, kernels)
    way = "tiles" if gram.features is None else f"rank {gram.features.shape[1]}"
    return [way, f"{gram.left_out:.0e}"]


# --- tables ---


def estimates(gamma, sizes):
    """Print klce for growing n, where the loop can follow beside it."""
    rows, ours, loop, kernels = [], {}, {}, survey_kernels(gamma)
    for n in sorted({*LOOP_SIZES, *sizes}):
        data = survey(n)
        ours[n], peak, found = alone(estimate, *data, kernels)
        row = [n, *path(*data[1:], kernels), f"{ours[n]:.2f}", f"{peak:.0f}", f"{found:.2e}", "", "", ""]
        if n in LOOP_SIZES:
            loop[n], wanted = seconds_of(looped, *data, gamma)
            row[-3:] = [f"{loop[n]:.2f}", f"{loop[n] / ours[n]:.0f}", f"{abs(found - wanted):.0e}"]
        rows.append(row)
    header = ["n", "path", "left out", "s", "MB", "KLCE²", "loop s", "loop / ours", "differs by"]
    print_table(f"klce, width {WIDTH}, gamma {gamma:g}, made-up survey", header, rows)
    slopes = f"ours {slope(ours, sizes):.2f} (n >= {sizes[0]:,}), loop {slope(loop, LOOP_SIZES):.2f}"
    far = loop[LOOP_SIZES[-1]] * (sizes[-1] / LOOP_SIZES[-1]) ** 2  # not measured: n² equal steps
    print(f"growth exponents: {slopes}; loop at n = {sizes[-1]:,}, extrapolated as n²: {far:,.0f} s")


def tests(gamma, sizes):
    """Print the exact test for growing n, where memory allows beside the n × n kernel."""
    rows, ours, twin, kernels = [], {}, {}, survey_kernels(gamma)
    for n in sizes:
        data = survey(n)
        ours[n], peak, found = alone(label_test, *data, kernels)
        row = [n, *path(*data[1:], kernels), f"{ours[n]:.2f}", f"{peak:.0f}", f"{pvalue(found):.3f}", "", "", ""]
        if n in HELD_SIZES:
            twin[n], large, wanted = alone(held, *data, gamma)
            off = np.abs(found - wanted).max() / np.abs(wanted).max()
            row[-3:] = [f"{twin[n]:.2f}", f"{large:.0f}", f"{off:.0e}"]
        rows.append(row)
    header = ["n", "path", "left out", "s", "MB", "p", "held s", "held MB", "differs by"]
    print_table(f"klce_test, labels, {DRAWS} draws, width {WIDTH}, gamma {gamma:g}, made-up survey", header, rows)
    print(f"growth exponents: ours {slope(ours, sizes):.2f}, held {slope(twin, HELD_SIZES):.2f}")
    if sizes[-1] == FULL:
        judge(ours[FULL], peak)


def housing():
    """Print the paper's two models on the real table: the constant one on its rows, and tests of all rows."""
    table = load_housing(progress=False)
    columns = [name for name in table if name != "OWNER"]
    y, X = table.OWNER.to_numpy(), table[["HINCP", "BLACK"]].to_numpy(dtype=float)
    kernels = {"prob_kernel": rbf(width=WIDTH), "feature_kernel": rbf(gamma=0.5)}
    train, test = train_test_split(np.arange(len(y)), **PUBLISHED_SPLIT)
    constant = np.full(len(y), y[train].mean())
    found = klce(y[test], constant[test], X[test], **kernels)
    mean = gram_of(constant[test], X[test], kernels).form(np.ones((len(test), 1))) / len(test) ** 2
    print(f"\nconstant model, the authors' {len(test):,} rows: KLCE² {found:.7f}, ", end="")
    print(f"over the mean kernel {found / mean:.10f}, as published: {PUBLISHED_CONSTANT}")
    model = LogisticRegression(max_iter=3000).fit(table[columns].iloc[train], y[train])
    rows, costs = [], []
    for name, p in (("constant", constant), ("logistic", model.predict_proba(table[columns])[:, 1])):
        seconds, peak, values = alone(label_test, y, p, X, kernels)
        way = path(p, X, kernels)
        rows.append([name, len(y), *way, f"{seconds:.1f}", f"{peak:.0f}", f"{values[0]:.2e}", f"{pvalue(values):.3f}"])
        costs.append((seconds, peak))
    header = ["model", "n", "path", "left out", "s", "MB", "KLCE²", "p"]
    print_table(f"klce_test, labels, {DRAWS} draws, width {WIDTH}, gamma 1/2, American Housing Survey", header, rows)
    judge(*np.max(costs, axis=0))


def pvalue(values):
    """Rank of the first."""
    return (values >= values[0]).mean()


def slope(seconds, sizes):
    """Growth exponent over some of the sizes."""
    return exponent(sizes, [seconds[n] for n in sizes])


def judge(seconds, peak):
    """Beside the bar for all rows."""
    met = "met" if seconds <= MAX_SECONDS and peak <= MAX_MB else "MISSED"
    print(f"{FULL:,} rows: {seconds:.0f} s and {peak:.0f} MB, wanted {MAX_SECONDS} s and {MAX_MB} MB: {met}")


def main(long=False):
    """Print estimates and tests; with `long` tests of 48,660 rows too, made up and (where the file is) real."""
    threads = ", ".join(f"{pool['internal_api']} {pool['num_threads']}" for pool in threadpool_info())
    print(f"threads: {threads}; the n × n kernel alone at n = {FULL:,}: {8 * FULL**2 / 1e9:.0f} GB")
    for gamma in GAMMAS:
        estimates(gamma, SIZES + LONG_SIZES)
    for gamma in GAMMAS:
        tests(gamma, SIZES + LONG_SIZES if long else SIZES)
    if not available("AHS_2019_Cleaned.csv"):
        print("\nAmerican Housing Survey: not here (set CALIBTUTOR_DATA_DIR), left out")
    elif long:
        housing()
