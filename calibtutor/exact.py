"""The exact test of one table, with any kernels: labels are redrawn from the predictions.

Kernels of finite rank go by sums over rows (`parts`), others by quadratic forms (`gram`).
"""

import numpy as np

from .estimates import runs, skce_of_labels
from .gram import Gram
from .kernels import Landmarks
from .parts import check_clusters, parts_of, values_of_parts
from .predictions import check_weights
from .resampling import CalibrationTestResult, aggregated_pvalue, chunks_of_draws, draw_labels, ranked

__all__ = ["label_test"]


def label_test(
    kernels,
    X,
    y_true,
    y_prob,
    *,
    several,
    estimator="unbiased",
    n_resamples,
    rng,
    weights=None,
    cluster=None,
    n_jobs=None,
    progress,
):
    """The exact test: labels redrawn from the predictions, the same ones for all kernels; `several` aggregates."""
    weights, cluster = check_weights(weights, len(y_prob)), check_clusters(cluster, y_prob)
    method = "labels"
    if cluster is not None:
        order = np.argsort(cluster, kind="stable")
        y_true, y_prob, X, cluster = y_true[order], y_prob[order], X[order], cluster[order]
        weights = weights if weights is None else weights[order]
        method += f" of {len(runs(cluster)):,} clusters"
    if estimator == "unbiased" and all(isinstance(kernel, Landmarks) for kernel in kernels):
        parts, seed = parts_of(y_true, y_prob, X, weights, cluster), np.random.default_rng(rng).integers(2**63)
        table = [values_of_parts(parts, kernel, n_resamples, seed, n_jobs, progress) for kernel in kernels]
        table, method = np.array(table), f"{method}, {len(kernels[0].points)} landmarks"
    else:
        table, rng = np.empty((len(kernels), n_resamples + 1)), np.random.default_rng(rng)
        grams = [None if estimator == "linear" else Gram(kernel, X) for kernel in kernels]
        for draws in chunks_of_draws(len(y_prob), n_resamples + 1):
            observed = y_true if draws.start == 0 else None
            n_draws = len(draws) - (observed is not None)
            labels = draw_labels(y_prob, n_draws, rng, observed=observed, cluster=cluster)
            for row, kernel, gram in zip(table, kernels, grams, strict=True):
                options = {"weights": weights, "cluster": cluster, "gram": gram, "progress": progress}
                row[draws.start : draws.stop] = skce_of_labels(kernel, X, y_prob, labels, estimator, **options)
    if not several:
        return ranked(table[0], method)
    smallest, pvalue, single = aggregated_pvalue(table)
    return CalibrationTestResult(smallest[0], pvalue, smallest[1:], f"{method}, aggregated", table[:, 0], single)
