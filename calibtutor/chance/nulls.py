"""What a kernel statistic is compared with if the model is calibrated: labels redrawn, or residuals, or a bound.

Redrawn labels are exact: kernels of finite rank go by sums over rows (`kce_in_parts`), others by forms (`gram`).
Redrawn rows or residuals are right as n grows, if at all.
"""

import numpy as np

from ..door.arrays import check_clusters, check_weights
from ..door.inputs import InputError, check_number, check_rng
from ..kernels import Landmarks, as_rows
from ..kernels.gram import Gram, ProductKernel
from ..kernels.pair_sums import of_form, runs, skce_of_labels, skce_of_residuals
from .kce_in_parts import OfTopLabel, Rows, values_of_parts
from .pvalues import CalibrationTestResult, aggregated_pvalue, bound_pvalue, ranked
from .resampling import chunks_of_draws, draw_labels

PART_ROWS = 8192  # one table is cut into parts of so many rows


def label_test(kernels, X, y_true, y_prob, *, several, estimator="unbiased", n_resamples, rng, weights=None,
               cluster=None, n_jobs=None, progress):
    """The exact test: labels redrawn from the predictions, the same ones for all kernels; `several` aggregates.

    A kernel sees X, or the confidences if it is `OfTopLabel`.
    """
    weights, cluster, method = check_weights(weights, len(y_prob)), check_clusters(cluster, y_prob), "labels"
    if cluster is not None:
        order = np.argsort(cluster, kind="stable")
        y_true, y_prob, X, cluster = y_true[order], y_prob[order], X[order], cluster[order]
        weights = weights if weights is None else weights[order]
        method += f" of {len(runs(cluster)):,} clusters"
    top = y_prob.argmax(axis=1) if any(isinstance(kernel, OfTopLabel) for kernel in kernels) else None
    confidence = None if top is None else y_prob.max(axis=1).astype(float)
    # Of each kernel: itself, what it sees, and the top labels if it asks about them.
    looks = [(k.kernel, confidence, top) if isinstance(k, OfTopLabel) else (k, X, None) for k in kernels]
    if estimator == "unbiased" and all(isinstance(kernel, Landmarks) for kernel, *_ in looks):
        parts = [*Rows(y_true, y_prob, X, weights, cluster).blocks(PART_ROWS)]
        table = values_of_parts(parts, kernels, n_resamples, check_rng(rng).integers(2**63), n_jobs, progress)
        method += f", {len(looks[0][0].points)} landmarks"
    else:
        table, rng = np.empty((len(kernels), n_resamples + 1)), check_rng(rng)
        grams = [None if estimator == "linear" else Gram(kernel, seen) for kernel, seen, _ in looks]
        for draws in chunks_of_draws(len(y_prob), n_resamples + 1):
            observed = y_true if draws.start == 0 else None
            n_draws = len(draws) - (observed is not None)
            labels = draw_labels(y_prob, n_draws, rng, observed=observed, cluster=cluster)
            for row, (kernel, seen, tops), gram in zip(table, looks, grams, strict=True):
                options = {"weights": weights, "cluster": cluster, "gram": gram, "progress": progress}
                data = (y_prob, labels) if tops is None else (confidence, labels == tops[:, None])
                row[draws.start : draws.stop] = skce_of_labels(kernel, seen, *data, estimator, **options)
    if not several:
        return ranked(table[0], method)
    smallest, pvalue, single = aggregated_pvalue(table)
    return CalibrationTestResult(smallest[0], pvalue, smallest[1:], f"{method}, aggregated", table[:, 0], single)


def centred_bootstrap(kernel, X, delta, n_resamples, rng, progress):
    """The test by T = n/(n−1) SKCE_uq − SKCE_b and its draws n⁻² Σ_i C_i Σ_j (n/(n−1)(C_j − 1[i=j]) − 2) h_ij.

    C are multinomial counts. n times the bootstrapped and centred U-statistic has the limit law of n SKCE_uq
    (Arcones & Giné 1992).
    """
    from sklearn.gaussian_process.kernels import DotProduct  # slow to import, and only needed here

    X, n = as_rows(X), len(delta)
    # h is a kernel itself, k times ⟨δ, δ'⟩: its tiles are made once, and a draw is then one column, not d.
    gram = Gram(ProductKernel(kernel, DotProduct(sigma_0=0), X.shape[1]), np.hstack([X, delta]))
    own, row_sums = gram.diagonal, gram.apply(np.ones((n, 1)))[:, 0]  # h_ii and Σ_j h_ij
    unbiased, biased = (of_form(row_sums.sum(), own.sum(), n, kind) for kind in ("unbiased", "biased"))
    drawn = []
    for draws in chunks_of_draws(n, n_resamples, size=2):
        counts = np.empty((len(draws), n), dtype=np.min_scalar_type(n))
        for draw in range(len(draws)):
            counts[draw] = rng.multinomial(n, np.full(n, 1 / n))
        make = lambda rows, part, counts=counts: counts[part, None, rows].T.astype(float)
        forms, _ = gram.forms(make, len(draws), progress=progress)
        linear = np.array([(n / (n - 1) * own + 2 * row_sums) @ count for count in counts])
        drawn.append((n / (n - 1) * forms - linear) / n**2)
    return ranked(np.concatenate([[n / (n - 1) * unbiased - biased], *drawn]), "asymptotic", float(unbiased))


def residual_test(kernel, X, delta, null, n_resamples, rng, progress):
    """The test whose residuals are redrawn, permuted or flipped."""
    n, rng, gram, values = len(delta), check_rng(rng), Gram(kernel, X), []
    for draws in chunks_of_draws(n, n_resamples + 1, size=1 if null == "signs" else 4):
        make = _redrawn(delta, draws, null, rng)
        values.append(of_form(*gram.forms(make, len(draws), progress=progress), n, "unbiased"))
    values = np.concatenate(values)
    if null == "centred-permutation":
        values[1:] -= values[1:].mean()
    return ranked(values, null)


def _redrawn(delta, draws, null, rng):
    """For `Gram.forms`: residuals of these draws, number 0 being the observed ones."""
    n, observed = len(delta), draws.start == 0
    if null == "signs":
        heads = rng.integers(0, 2, (n, len(draws) - observed), dtype=np.int8)
        heads = np.insert(heads, 0, 1, axis=1) if observed else heads
        return lambda rows, part: delta[rows, :, None] * (2.0 * heads[rows, None, part] - 1)
    order = np.empty((len(draws), n), dtype=np.min_scalar_type(n - 1))
    order[:observed] = np.arange(n)
    for row in range(observed, len(draws)):
        order[row] = rng.integers(n, size=n) if null == "residuals" else rng.permutation(n)
    return lambda rows, part: delta[order[part, rows]].transpose(1, 2, 0)


def bound_test(kernel, X, delta, estimator, bound, method):
    """The test by `bound_pvalue`, with sup |h| = 2 k(x, x) (one column: k(x, x)) unless `bound` is given."""
    if bound is not None:
        bound = check_number(bound, "bound", above=0)
    elif hasattr(kernel, "is_stationary") and kernel.is_stationary():
        bound = float(kernel.diag(as_rows(X)[:1])[0]) * min(delta.shape[1], 2)
    else:
        wanted = "sup |h| (2 sup k; binary vector: sup k)"
        raise InputError("bound", wanted, found=bound, hint="this kernel does not tell its own")
    estimate = skce_of_residuals(kernel, X, delta, estimator)
    pvalue = bound_pvalue(estimate, len(delta), bound, biased=estimator == "biased")
    return CalibrationTestResult(estimate, pvalue, None, method, estimate)
