"""Estimates of the squared kernel error from residuals: sums over pairs of rows, for one set of labels or for many."""

from itertools import pairwise

import numpy as np

from .gram import BLOCK_ENTRIES, Gram
from .kernels import as_rows, entries, paired, slices


def label_residuals(y_prob, labels):
    """For `Gram.forms`: residuals p − e_y of drawn labels, made a part at a time."""
    if y_prob.ndim == 1:
        return lambda rows, draws: y_prob[rows, None, None] - labels[rows, None, draws]
    classes = np.arange(y_prob.shape[1])[:, None]
    return lambda rows, draws: y_prob[rows, :, None] - (labels[rows, None, draws] == classes)


def of_form(form, own, weight, estimator, own_weight=None):
    """An estimate from Σ_ij w_i w_j h_ij and Σ_i w_i² h_ii; weights 1 have Σ_i w_i = Σ_i w_i² = n."""
    own_weight = weight if own_weight is None else own_weight
    return form / weight**2 if estimator == "biased" else (form - own) / (weight**2 - own_weight)


def runs(cluster):
    """Slices of equal neighbours of a sorted array."""
    cuts = [0, *(np.flatnonzero(cluster[1:] != cluster[:-1]) + 1), len(cluster)]
    return [slice(int(start), int(end)) for start, end in pairwise(cuts)]


def own_weight(weights, cluster=None):
    """Σ_c (Σ_{i∈c} w_i)², each row a cluster of its own by default."""
    if cluster is None:
        return float((weights**2).sum())
    return float(sum(weights[rows].sum() ** 2 for rows in runs(cluster)))


def within_forms(block_of, make, groups, n_draws):
    """Σ over groups (slices) of Σ_k v_kᵀKv_k of their own rows: `Gram.forms` of a matrix of blocks.

    `block_of(rows)` is K of the rows of a group, `make` as in `Gram.forms`.
    """
    found = np.zeros(n_draws)
    for rows in groups:
        block = block_of(rows)
        for draws in slices(n_draws, BLOCK_ENTRIES // (len(block) * make(rows, slice(0, 1)).shape[1])):
            V = make(rows, draws)
            flat = V.reshape(len(V), -1)
            found[draws] += ((block @ flat) * flat).sum(axis=0).reshape(V.shape[1], -1).sum(axis=0)
    return found


def pair_terms(kernel, X, delta):
    """h_{2i−1,2i}, shape (⌊n/2⌋,): independent terms with the mean SKCE."""
    return paired(kernel, *_pairs(X)) * np.multiply(*_pairs(delta)).sum(axis=1)


def skce_of_residuals(kernel, X, delta, estimator="unbiased"):
    """An SKCE estimate from residuals (n, d) and the rows that the kernel sees."""
    if estimator == "linear":
        return float(pair_terms(kernel, X, delta).mean())
    gram = Gram(kernel, X)
    return float(of_form(gram.form(delta), gram.diagonal @ (delta**2).sum(axis=1), len(delta), estimator))


def skce_of_labels(
    kernel, X, y_prob, labels, estimator="unbiased", *, weights=None, cluster=None, gram=None, progress=False
):
    """An SKCE estimate for each column of labels (n, m), in one pass over the kernel; shape (m,).

    With `weights`, pairs count w_i w_j; with a sorted `cluster`, pairs within one are left out.
    """
    make = label_residuals(y_prob, labels)
    if estimator == "linear":
        weight, draws = paired(kernel, *_pairs(X)), range(labels.shape[1])
        products = (np.multiply(*_pairs(make(slice(None), slice(b, b + 1)))).sum(axis=(1, 2)) for b in draws)
        return np.array([weight @ product for product in products]) / len(weight)
    gram, w, plain = Gram(kernel, X) if gram is None else gram, np.ones(len(labels)), make
    if weights is not None:
        w, make = weights, lambda rows, draws: weights[rows, None, None] * plain(rows, draws)
    form, own = gram.forms(make, labels.shape[1], progress=progress)
    if cluster is not None:
        X = as_rows(X)
        own = within_forms(lambda rows: entries(kernel, X[rows], X[rows]), make, runs(cluster), labels.shape[1])
    return of_form(form, own, w.sum(), estimator, own_weight(w, cluster))


def _pairs(rows):
    """Rows 1, 3, … and 2, 4, …; an odd last row is left out."""
    half = 2 * (len(rows) // 2)
    return rows[0:half:2], rows[1:half:2]
