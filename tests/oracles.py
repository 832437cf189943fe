"""The estimators' definitions as plain loops over Python numbers: slow, and easy to compare with the formulas.

Nothing here shares code with the package. Labels and predictions are lists; a row of a prediction is a list too.
The kernel loops have forty digits.
"""

import math

import numpy as np
from mpmath import MPContext

MP = MPContext()
MP.dps = 40


def as_rows(p):
    """Scores become rows of one number."""
    return np.reshape(np.asarray(p, float), (len(p), -1))


def residual_rows(y, p):
    """p − e_y, or p − y in a row of one for scores."""
    p, y = as_rows(p), np.asarray(y, int)
    return p - (y[:, None] if p.shape[1] == 1 else y[:, None] == np.arange(p.shape[1]))


def two_columns(p):
    """P(Y = 1) as rows (1 − p, p); rows as they are."""
    return [[1.0 - score, score] for score in p] if np.ndim(p) == 1 else p


def top_label(labels, p):
    """(hits, confidences); ties go to the smallest class."""
    rows = [list(row) for row in two_columns(p)]
    best = [row.index(max(row)) for row in rows]
    return [int(y == k) for y, k in zip(labels, best, strict=True)], [max(row) for row in rows]


def class_wise(labels, p, k):
    """(is it class k, p_k)."""
    return [1 if y == k else 0 for y in labels], [row[k] for row in two_columns(p)]


def brier(labels, rows):
    """n⁻¹ Σ_i Σ_k (p_ik − 1[y_i = k])², of scores n⁻¹ Σ_i (p_i − y_i)²."""
    return np.sum(residual_rows(labels, rows) ** 2) / len(rows)


# --- bins: a list of upper ends; bin m holds the scores above end m − 1 and up to end m ---


def uniform_ends(n_bins):
    """m / n_bins, as written."""
    return [m / n_bins for m in range(1, n_bins + 1)]


def equal_mass_ends(scores, n_bins):
    """End m: the smallest score with at least m·n/n_bins of the scores at or below it, so that ties stay together."""
    ends, ordered = [], sorted(scores)
    for m in range(1, n_bins):
        score = next(s for rank, s in enumerate(ordered, 1) if rank * n_bins >= m * len(scores))
        if score not in ends and score < 1:
            ends.append(score)
    return [*ends, 1.0]


def bins(hits, scores, ends):
    """(count, mean score, mean hit) of every bin, NaN in empty ones; the first holds 0 too."""
    found = []
    for m in range(len(ends)):
        inside = [(score, hit) for hit, score in zip(hits, scores, strict=True)
                  if score <= ends[m] and (m == 0 or score > ends[m - 1])]
        found.append((len(inside), *np.mean(inside, axis=0)) if inside else (0, math.nan, math.nan))
    return found


def ends_of(scores, n_bins, strategy):
    """Upper ends of a strategy by its name."""
    return uniform_ends(n_bins) if strategy == "uniform" else equal_mass_ends(scores, n_bins)


def ece(hits, scores, *, n_bins=15, strategy="uniform", norm=1, debias=False):
    """(Σ_m (n_m/n) |conf_m − acc_m|^q)^{1/q}, the largest gap, or the debiased root with its sign."""
    full = [each for each in bins(hits, scores, ends_of(scores, n_bins, strategy)) if each[0]]
    count, confidence, frequency = np.array(full).T
    gap, share = np.abs(confidence - frequency), count / len(scores)
    if norm != 2:
        return gap.max() if norm == "max" else share @ gap
    square = gap**2
    if debias:  # a bin of one counts 0
        square = np.where(count > 1, square - frequency * (1 - frequency) / np.maximum(count - 1, 1), 0)
    return math.copysign(math.sqrt(abs(share @ square)), share @ square)


# --- kernels ---


def log_kernels(points, centres, bandwidth, clip):
    """log Dir(point | centre/h + 1) for every point (raised to `clip`) and centre."""
    h, one = MP.mpf(bandwidth), MP.mpf(1)
    alphas = [[MP.mpf(c) / h + one for c in centre] for centre in centres]
    norms = [MP.loggamma(MP.fsum(alpha)) - MP.fsum([MP.loggamma(a) for a in alpha]) for alpha in alphas]
    table = []
    for point in points:
        logs = [MP.log(MP.mpf(max(x, clip))) for x in point]
        table.append([norm + MP.fsum([(a - one) * log for a, log in zip(alpha, logs, strict=True)])
                      for alpha, norm in zip(alphas, norms, strict=True)])
    return table


def kde_ratio(labels, p, bandwidth, clip, *, at=None, leave_one_out=True):
    """r̂(p) = Σ_j k(p; p_j) e_{y_j} / Σ_j k(p; p_j), with j ≠ i if one is left out; of scores, the second column."""
    rows = two_columns(p)
    table = log_kernels(rows if at is None else two_columns(at), rows, bandwidth, clip)
    ratios = []
    for i, logs in enumerate(table):
        kept = [j for j in range(len(rows)) if not (leave_one_out and at is None and j == i)]
        highest = max(logs[j] for j in kept)  # cancels in the ratio; without it floats would underflow
        weights = {j: MP.exp(logs[j] - highest) for j in kept}
        total = MP.fsum(weights.values())
        above = [MP.fsum([weights[j] for j in kept if labels[j] == k]) for k in range(len(rows[0]))]
        ratios.append([float(weight / total) for weight in above])
    return np.array(ratios)[:, 1] if np.ndim(p) == 1 else np.array(ratios)


def kde_error(labels, p, bandwidth, clip, *, norm=2, leave_one_out=True):
    """n⁻¹ Σ_i Σ_k |p_ik − r̂_k(p_i)|^q; of scores without the sum."""
    return np.sum(np.abs(p - kde_ratio(labels, p, bandwidth, clip, leave_one_out=leave_one_out)) ** norm) / len(p)


def log_likelihood(p, bandwidth, clip):
    """Σ_i log( (n − 1)⁻¹ Σ_{j≠i} k(p_i; p_j) )."""
    table, n = log_kernels(two_columns(p), two_columns(p), bandwidth, clip), len(p)
    terms = []
    for i, logs in enumerate(table):
        others = [logs[j] for j in range(n) if j != i]
        highest = max(others)
        terms.append(highest + MP.log(MP.fsum([MP.exp(x - highest) for x in others]) / (n - 1)))
    return float(MP.fsum(terms))
