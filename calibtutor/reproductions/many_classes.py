"""What the exact test finds of a model that is too sure, as only its number of classes grows.

Nobody has published this table; notebook 08 shows it.
"""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from ..chance.pvalues import aggregated_pvalue, rank_pvalues
from ..chance.resampling import draw_labels
from ..data.worlds import tempered_model
from ..kernels import median_bandwidth
from .blocks import from_command_line

RESAMPLES, BLOCK, DATA_SETS, LEVEL = 199, 20, 200, 0.05
TEMPERATURES = (1.0, 1.1, 1.2, 1.3, 1.5)
SIZES, CLASSES = (300, 1000, 3000), (3, 10, 30, 100, 300, 1000)
TESTS = ("canonical", "top-label", "both")
DESIGNS = {f"n = {n}, d = {d}": (n, d) for n in SIZES for d in CLASSES}
FULL = dict.fromkeys(DESIGNS, DATA_SETS)
DENSE_CLASSES = 30  # up to so many, one matrix product is faster than a look at the pairs of equal labels


def one_data_set(design, number, *, seed=0, n_resamples=RESAMPLES):
    """p-values of the three tests at each temperature, then the temperatures' mean confidence − accuracy.

    All temperatures share the predictions, and so the redrawn labels.
    """
    n, d = DESIGNS[design]
    of_rows, of_labels = ([seed, 8, n, d, number, k] for k in range(2))
    # The same rng gives the same predictions, and labels from the same uniform numbers.
    found = [tempered_model(n, d, temperature=T, rng=np.random.default_rng(of_rows)) for T in TEMPERATURES]
    observed, p = np.column_stack([y for y, _ in found]), found[0][1]
    labels = np.hstack([observed, draw_labels(p, n_resamples, np.random.default_rng(of_labels))])
    top, confidence = p.argmax(axis=1), p.max(axis=1)
    hits = labels == top[:, None]
    table = np.array([canonical(p, labels), of_top_label(confidence, hits)])
    several, drawn = len(TEMPERATURES), table[:, len(TEMPERATURES) :]
    pvalues = []
    for k in range(several):
        sets = np.column_stack([table[:, k], drawn])
        pvalues += [*rank_pvalues(sets)[:, 0], aggregated_pvalue(sets)[1]]
    return np.array([*pvalues, *(confidence[:, None] - hits[:, :several]).mean(axis=0)])


def canonical(p, labels):
    """The unbiased SKCE of each column of labels, by what these change: Σ K⟨p, p'⟩ − 2 Σ (Kp)_y + Σ K 1[y = y']."""
    n, d = p.shape
    K = _kernel(p)
    G = K @ p
    value = (p * G).sum() - 2 * np.take_along_axis(G, labels.astype(np.intp), axis=1).sum(axis=0)
    for b, y in enumerate(labels.T):
        if d <= DENSE_CLASSES:
            ones = np.eye(d, dtype=np.float32)[y]
            value[b] += np.einsum("ik,ik->", K @ ones, ones, dtype=float)
            continue
        order = np.argsort(y, kind="stable")
        equal = np.split(order, np.flatnonzero(np.diff(y[order])) + 1)
        value[b] += sum(K[rows[:, None], rows].sum(dtype=float) for rows in equal)
    return value / (n * (n - 1))


def of_top_label(confidence, hits):
    """The unbiased SKCE of confidence and each column of hits."""
    n, delta = len(confidence), hits - confidence[:, None]
    return ((_kernel(confidence[:, None]) @ delta.astype(np.float32)) * delta).sum(axis=0) / (n * (n - 1))


def _kernel(X):
    """The test's default kernel with a diagonal of 0, in single precision."""
    K = np.exp(-squareform(pdist(X)) / median_bandwidth(X)).astype(np.float32)
    np.fill_diagonal(K, 0)
    return K


def summarise(results):
    """Shares rejected at .05 by each test, and the gap, at each temperature; plain numbers."""
    designs = {}
    for design, rows in results.items():
        pvalues = rows[:, : len(TEMPERATURES) * len(TESTS)].reshape(len(rows), len(TEMPERATURES), len(TESTS))
        rejected = (pvalues <= LEVEL + 1e-12).sum(axis=0)  # room for rounding: they are multiples of 1/(B + 1)
        names, gaps = [f"{T:g}" for T in TEMPERATURES], rows[:, pvalues[0].size :].mean(axis=0)
        counts = [dict(zip(TESTS, each.tolist(), strict=True)) for each in rejected]
        designs[design] = {
            "data_sets": len(rows),
            "rejected": dict(zip(names, counts, strict=True)),
            "gap": {T: round(float(each), 4) for T, each in zip(names, gaps, strict=True)},
            "first": rows[:2].tolist()}  # to be made again and compared
    return {"n_resamples": RESAMPLES, "designs": designs}


def tell(summary):
    for design, each in summary["designs"].items():
        print(design, each["rejected"], each["gap"])


if __name__ == "__main__":
    from_command_line(__spec__.name)
