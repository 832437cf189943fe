"""What the exact test finds of a model that is too sure, as only its number of classes grows.

Nobody has published this table; notebook 08 shows it.
"""

import numpy as np

from ..chance.pvalues import aggregated_pvalue, rank_pvalues
from ..chance.resampling import draw_labels
from ..data.worlds import tempered_model
from ..kernels import laplacian, median_bandwidth
from ..kernels.pair_sums import skce_of_labels
from .blocks import from_command_line

RESAMPLES, BLOCK, DATA_SETS, LEVEL = 199, 20, 200, 0.05
TEMPERATURES = (1.0, 1.1, 1.2, 1.3, 1.5)
SIZES, CLASSES = (300, 1000, 3000), (3, 10, 30, 100, 300, 1000)
TESTS = ("canonical", "top-label", "both")
DESIGNS = {f"n = {n}, d = {d}": (n, d) for n in SIZES for d in CLASSES}
FULL = dict.fromkeys(DESIGNS, DATA_SETS)


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
    confidence, hits = p.max(axis=1), labels == p.argmax(axis=1)[:, None]
    said = (p, labels), (confidence, hits)
    table = np.array([skce_of_labels(laplacian(median_bandwidth(x)), x, x, y) for x, y in said])
    several, drawn = len(TEMPERATURES), table[:, len(TEMPERATURES) :]
    pvalues = []
    for k in range(several):
        sets = np.column_stack([table[:, k], drawn])
        pvalues += [*rank_pvalues(sets)[:, 0], aggregated_pvalue(sets)[1]]
    return np.array([*pvalues, *(confidence[:, None] - hits[:, :several]).mean(axis=0)])


def summarise(results):
    """Shares rejected at .05 by each test, and the gap, at each temperature; plain numbers."""
    designs = {}
    for design, rows in results.items():
        pvalues = rows[:, : len(TEMPERATURES) * len(TESTS)].reshape(len(rows), len(TEMPERATURES), len(TESTS))
        rejected = (pvalues <= LEVEL + 1e-12).sum(axis=0)  # room for rounding: they are multiples of 1/(B + 1)
        names, gaps = [f"{T:g}" for T in TEMPERATURES], rows[:, pvalues[0].size :].mean(axis=0)
        counts = [dict(zip(TESTS, each.tolist(), strict=True)) for each in rejected]
        designs[design] = {"data_sets": len(rows), "rejected": dict(zip(names, counts, strict=True)),
                           "gap": {T: round(float(each), 4) for T, each in zip(names, gaps, strict=True)},
                           "first": rows[:2].tolist()}  # to be made again and compared
    return {"n_resamples": RESAMPLES, "designs": designs}


def tell(summary):
    for design, each in summary["designs"].items():
        print(design, each["rejected"], each["gap"])


if __name__ == "__main__":
    from_command_line(__spec__.name)
