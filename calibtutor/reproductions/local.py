"""Figure 3 of Vashistha & Farahi: how often tests of local calibration miss a hidden feature, by their null."""

from functools import partial

import numpy as np
import pandas as pd

from ..data.worlds import hidden_feature
from ..errors.klce import klce_test
from ..kernels import rbf
from .blocks import from_command_line, stored_summary

RESAMPLES, BLOCK, LEVEL = 199, 100, 0.05
# Widths (prediction, features): the authors' pair, then each of the two smaller and larger on its own.
PAIRS = ((5.0, 5.0), (1.0, 5.0), (25.0, 5.0), (5.0, 2.5), (5.0, 10.0))
COLUMNS = ["residuals 5/5", "permutation 5/5", *(f"labels {w:g}/{v:g}" for w, v in PAIRS), "aggregated"]
DESIGNS = {f"n = {n}, d = {d}": (n, d) for n in (500, 1000) for d in (10, 20, 30, 40, 50)}
FULL = dict.fromkeys(DESIGNS, 1000)
# Share not rejected at .05 in 1,000 data sets, with 1,000 permutations and p = #{drawn > observed}/1,000, as the
# authors' notebook prints it.
PUBLISHED = dict(zip(DESIGNS, (0.006, 0.069, 0.242, 0.426, 0.534, 0.0, 0.001, 0.012, 0.051, 0.15), strict=True))


def streams(design, number, seed=0):
    """Generators of one data set: for the data, for residuals, permutations and labels."""
    of_data, of_rows, of_orders, _, of_labels = np.random.default_rng([seed, 3, *DESIGNS[design], number]).spawn(5)
    return of_data, of_rows, of_orders, of_labels


def one_data_set(design, number, *, seed=0, n_resamples=RESAMPLES):
    """The p-values of one data set, in the order of `COLUMNS`."""
    of_data, of_rows, of_orders, of_labels = streams(design, number, seed)
    test = partial(klce_test, *hidden_feature(*DESIGNS[design], of_data), n_resamples=n_resamples)
    k, l = ([rbf(width=width) for width in widths] for widths in zip(*PAIRS, strict=True))
    residuals = test(prob_kernel=k[0], feature_kernel=l[0], null="residuals", rng=of_rows)
    permutation = test(prob_kernel=k[0], feature_kernel=l[0], null="permutation", rng=of_orders)
    labels = test(prob_kernel=k, feature_kernel=l, rng=of_labels)
    return np.array([residuals.pvalue, permutation.pvalue, *labels.single_pvalues, labels.pvalue])


def summarise(results, columns=COLUMNS):
    """Of p-values (data sets, columns) of each design: how many are at most .05, and the first ones; plain numbers."""
    designs = {}
    for design, pvalues in results.items():
        # Room for a rounding error: p-values are multiples of 1/(B + 1).
        rejected = dict(zip(columns, (pvalues <= LEVEL + 1e-12).sum(axis=0).tolist(), strict=True))
        first = pvalues[:5].tolist()  # to be made again and compared
        designs[design] = {"data_sets": len(pvalues), "rejected": rejected, "first": first}
    return {"n_resamples": RESAMPLES, "designs": designs}


def beside_published():
    """Table of the stored shares at level .05, the authors' values in brackets.

    A cell is a Type II error (share not rejected), a column n and the number of features. The authors permuted
    residuals, so their values stand beside "permutation".
    """
    columns = {}
    for design, found in stored_summary("local")["designs"].items():
        cells = {name: f"{1 - count / found['data_sets']:.3f}" for name, count in found["rejected"].items()}
        cells["permutation 5/5"] += f" ({PUBLISHED[design]:.3f})"
        columns[design] = cells
    return pd.DataFrame(columns)


def tell(summary):
    """Print the shares of a summary of p-values, a line for each design."""
    for design, each in summary["designs"].items():
        rates = (f"{name} {count / each['data_sets']:.3f}" for name, count in each["rejected"].items())
        print(design, "rejected at .05:", ", ".join(rates))


if __name__ == "__main__":
    from_command_line(__spec__.name)
