"""Estimates of the squared kernel error from residuals: sums over pairs of rows, for one set of labels or for many.

A redraw of the labels costs the same whatever the number of classes, as δ_i is a prediction minus a one-hot vector:
⟨δ_i, δ_j⟩ = ⟨p_i, p_j⟩ − p_i[y_j] − p_j[y_i] + 1[y_i = y_j], and only the last term is one of pairs of labels.
"""

from itertools import pairwise

import numpy as np
from scipy.sparse import csc_array

from ..door.probabilities import two_columns
from ..progress import progress_bar
from .gram import CHUNK_ENTRIES, Gram
from .matrix import entries, paired, slices

BLOCK_ROWS = 512  # rows summed at once
SUM_ENTRIES = 2**23  # of the sums held at once, 67 MB: more draws take another pass over the rows
STRIP_ENTRIES = 2**21  # of the kernel's matrix made at once, 16 MB
FREQUENT = 0.1  # a class of more labels is cheaper as a column in a product with the matrix than pair by pair
FEW_CLASSES = 7  # for so many, a product each is cheaper than sums by label


def of_form(form, own, weight, estimator, own_weight=None):
    """An estimate from Σ_ij w_i w_j h_ij and Σ_i w_i² h_ii; weights 1 have Σ_i w_i = Σ_i w_i² = n."""
    own_weight = weight if own_weight is None else own_weight
    return form / weight**2 if estimator == "biased" else (form - own) / (weight**2 - own_weight)


def runs(cluster):
    """Slices of equal neighbours of a sorted array."""
    cuts = [0, *(np.flatnonzero(cluster[1:] != cluster[:-1]) + 1), len(cluster)]
    return [slice(int(start), int(end)) for start, end in pairwise(cuts)]


def blocks(cluster, n, step):
    """Slices of about `step` of n rows, cut where a cluster (sorted) ends."""
    end = 0
    while end < n:
        start, end = end, min(end + step, n)
        if cluster is not None:
            end = int(np.searchsorted(cluster, cluster[end - 1], side="right"))
        yield slice(start, end)


def own_weight(weights, cluster=None):
    """Σ_c (Σ_{i∈c} w_i)², each row a cluster of its own by default."""
    if cluster is None:
        return float((weights**2).sum())
    return float(sum(weights[rows].sum() ** 2 for rows in runs(cluster)))


def pair_terms(kernel, X, delta):
    """h_{2i−1,2i}, shape (⌊n/2⌋,): independent terms with the mean SKCE."""
    return paired(kernel, *_pairs(X)) * np.multiply(*_pairs(delta)).sum(axis=1)


def skce_of_residuals(kernel, X, delta, estimator="unbiased"):
    """An SKCE estimate from residuals (n, d) and the rows that the kernel sees."""
    if estimator == "linear":
        return float(pair_terms(kernel, X, delta).mean())
    gram = Gram(kernel, X)
    return float(of_form(gram.form(delta), gram.diagonal @ (delta**2).sum(axis=1), len(delta), estimator))


def skce_of_labels(kernel, X, y_prob, labels, estimator="unbiased", *, weights=None, cluster=None, gram=None,
                   progress=False):
    """An SKCE estimate for each column of labels (n, m), in one pass over the kernel; shape (m,).

    With `weights`, pairs count w_i w_j; with a sorted `cluster`, pairs within one are left out.
    """
    p, share = two_columns(np.asarray(y_prob, dtype=float)), 2 / y_prob.ndim  # (p − y)² is half of two squares
    if estimator == "linear":
        weight, (first, second) = paired(kernel, *_pairs(X)), _pairs(p)
        rows, both = np.arange(len(first)), (first * second).sum(axis=1)
        pairs = (_pairs(column.astype(np.intp)) for column in labels.T)
        found = [weight @ (both - first[rows, z] - second[rows, y] + (y == z)) for y, z in pairs]
        return np.array(found) / len(weight) / share
    gram, w = Gram(kernel, X) if gram is None else gram, np.ones(len(p)) if weights is None else weights
    cluster = cluster if estimator == "unbiased" else None
    if gram.features is None:
        form = _between(gram, p, labels, w, np.arange(len(p)) if cluster is None else cluster, progress)
        form += _own_terms(w**2 * gram.diagonal, p, labels) if estimator == "biased" else 0
        return of_form(form, 0, w.sum(), estimator, own_weight(w, cluster)) / share
    phi, sums, found = gram.features * w[:, None], Sums(p.shape[1], gram.features.shape[1], labels.shape[1]), []
    for rows in blocks(cluster, len(p), BLOCK_ROWS):
        sums.add(phi[rows], p[rows], w[rows], labels[rows], cluster if cluster is None else cluster[rows])
    for draws in progress_bar(slices(labels.shape[1], SUM_ENTRIES // sums.promised.size), shown=progress):
        found.append(sums.estimates(label_sums(phi, labels[:, draws], p.shape[1]), draws, estimator))
    return np.concatenate(found) / share


def _between(gram, p, labels, w, cluster, progress):
    """Σ w_i w_j K_ij⟨δ_i, δ_j⟩ over pairs of different clusters (sorted), for each column of labels; K is made once.

    With S_ij = 2 w_i w_j K_ij for i < j and G = (S + Sᵀ)P it is ½⟨P, G⟩ − Σ_i G[i, y_i] + Σ_{i<j} S_ij 1[y_i = y_j].
    Frequent classes are columns in a product with S. Of the others, each row looks up the later rows of its label.
    """
    (n, d), m = p.shape, labels.shape[1]
    frequent, twice = np.flatnonzero(p.mean(axis=0) > FREQUENT), d == 2
    if twice:  # one column will do: δ = (p_0 − 1 + y, p_1 − y), and the pairs' term is 2 y_i y_j
        p, frequent = p - [1, 0], [1]
    looked_up = len(frequent) < d and not twice
    order, places, counts = _later_rows(labels, d, frequent) if looked_up else [None] * 3
    G, form = np.zeros((n, d)), np.zeros(m)
    for rows in progress_bar(slices(n, STRIP_ENTRIES // n), shown=progress):
        rest = slice(rows.start, n)
        S = entries(gram.kernel, gram.X[rows], gram.X[rest]) * (2 * w[rows, None] * w[rest])
        S[cluster[rows, None] >= cluster[rest]] = 0
        G[rows] += S @ p[rest]
        G[rest] += S.T @ p[rows]
        for draws in slices(m, CHUNK_ENTRIES // n):
            for k in frequent:
                V = (labels[rest, draws] == k).astype(float)
                form[draws] += (1 + twice) * ((S @ V) * V[: len(S)]).sum(axis=0)
        for i, row in enumerate(S if looked_up else (), rows.start):
            many = counts[i].astype(np.intp)
            draws, ends = np.flatnonzero(many), np.cumsum(many)
            at = np.repeat(np.arange(1, m * n, n) + places[i] - ends + many, many)
            at += np.arange(len(at))
            form[draws] += np.add.reduceat(row.take(order.ravel().take(at) - rows.start), (ends - many)[draws])
    form += (p * G).sum() / 2
    if twice:
        G = np.column_stack([np.zeros(n), G[:, 1] - G[:, 0]])
    return form - _at_labels(G, labels)


def _later_rows(labels, d, frequent):
    """For each draw rows sorted by label, (m, n); each row's place, and how many follow in a class not frequent."""
    (n, m), kind, rare = labels.shape, np.min_scalar_type(len(labels)), ~np.isin(np.arange(d), frequent)
    order, places, counts = np.empty((3, m, n), kind)
    for b, column in enumerate(labels.T):
        order[b] = np.argsort(column, kind="stable")
        places[b, order[b]] = np.arange(n)
        ends = np.cumsum(np.bincount(column, minlength=d))
        counts[b] = (ends[column] - 1 - places[b]) * rare[column]
    return order, places.T.copy(), counts.T.copy()


def _at_labels(table, labels):
    """Σ_i of each row's entry at its label, for each column of labels."""
    found = np.zeros(labels.shape[1])
    for rows in slices(len(table), BLOCK_ROWS):
        found += np.take_along_axis(table[rows], labels[rows].astype(np.intp), axis=1).sum(axis=0)
    return found


def _own_terms(heights, p, labels):
    """Σ_i a_i‖p_i − e_{y_i}‖² for each column of labels, with ‖δ‖² = ‖p‖² + 1 − 2 p_y."""
    return heights @ ((p**2).sum(axis=1) + 1) - 2 * _at_labels(heights[:, None] * p, labels)


class Sums:
    """Over rows with features φ: what, beside their `label_sums`, the estimate of each draw needs. Parts add up."""

    def __init__(self, d, r, draws):
        self.promised = np.zeros((d, r))  # Σ_i w_i p_ik φ_i
        self.total = np.zeros(r)  # Σ_i w_i φ_i
        self.own = np.zeros(draws)  # Σ_i w_i²‖φ_i‖²‖δ_i‖², or the same over pairs within a cluster
        self.weight = self.own_weight = 0.0  # Σ_i w_i; Σ_i w_i², or Σ_c (Σ_{i∈c} w_i)² of clusters

    def add(self, phi, p, w, labels, cluster=None):
        """Rows more: φ_i times w_i, and whole clusters."""
        self.promised += p.T @ phi
        self.total += phi.sum(axis=0)
        self.own += _own_terms((phi**2).sum(axis=1), p, labels)
        self.weight += w.sum()
        self.own_weight += own_weight(w, cluster)
        if cluster is None:
            return
        G = np.zeros_like(p)
        for rows in slices(len(p), 64):
            rest = slice(rows.start, np.searchsorted(cluster, cluster[rows.stop - 1], side="right"))
            K = np.triu(2 * phi[rows] @ phi[rest].T, 1)
            K[cluster[rows, None] != cluster[rest]] = 0
            G[rows] += K @ p[rest]
            G[rest] += K.T @ p[rows]
            (first, second), seen = np.nonzero(K), labels[rest]
            classes = range(p.shape[1] if len(first) > K.size * p.shape[1] / 10 else 0)  # products are cheaper
            for k in classes:
                V = (seen == k).astype(float)
                self.own += ((K @ V) * V[: len(K)]).sum(axis=0)
            for part in slices(0 if classes else len(first), BLOCK_ROWS):
                self.own += K[first[part], second[part]] @ (seen[first[part]] == seen[second[part]])
        self.own += (p * G).sum() / 2 - _at_labels(G, labels)

    def estimates(self, hits, draws, estimator="unbiased"):
        """Of some draws, from their `label_sums`, which are overwritten; their form is ‖Σ_i w_i φ_i ⊗ δ_i‖²."""
        last = self.promised[-1] - (self.total - hits.sum(axis=1))
        missed = np.subtract(self.promised[:-1], hits, out=hits)
        form = np.einsum("bkr,bkr->b", missed, missed) + np.einsum("br,br->b", last, last)
        return of_form(form, self.own[draws], self.weight, estimator, self.own_weight)

    def __iadd__(self, other):
        for name, value in vars(other).items():
            vars(self)[name] += value
        return self


def label_sums(phi, labels, d, hits=None):
    """Σ_{i: y_i = k} φ_i of each draw, (draws, d − 1, r) in double, added to `hits`: the last class has what is left.

    Sums of few rows are in the precision of φ, (n, r): by a product a class where these are few, else by a sparse
    matrix with a 1 for each label, in pieces whose sums fit into a core's cache.
    """
    m, r = labels.shape[1], phi.shape[1]
    hits = np.zeros((m, d - 1, r)) if hits is None else hits
    if d <= FEW_CLASSES:
        for rows in slices(len(phi), BLOCK_ROWS):
            for k in range(d - 1):
                hits[:, k] += (labels[rows] == k).astype(phi.dtype).T @ phi[rows]
        return hits
    for rows in slices(len(phi), max(BLOCK_ROWS, 64 * d)):
        for draws in slices(m, 2**18 // (d * r)):
            step = draws.stop - draws.start
            places = labels[rows, draws] + d * np.arange(step, dtype=np.int32)
            ones, starts = np.ones(places.size, dtype=phi.dtype), np.arange(0, places.size + 1, step, dtype=np.int32)
            given = csc_array((ones, places.ravel(), starts), shape=(step * d, len(places)))
            hits[draws] += (given @ phi[rows]).reshape(step, d, r)[:, :-1]
    return hits


def _pairs(rows):
    """Rows 1, 3, … and 2, 4, …; an odd last row is left out."""
    half = 2 * (len(rows) // 2)
    return rows[0:half:2], rows[1:half:2]
