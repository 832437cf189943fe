"""Drawing data sets under “the model is calibrated”, and p-values from the draws.

If the model is calibrated, then given the predictions the labels are independent draws Y_i ~ Cat(p_i). The observed
labels and B redrawn ones are then exchangeable, so a rank among the B + 1 is an exact p-value, whatever n, the
statistic and its distribution.
"""

import numpy as np
from joblib import Parallel, delayed
from scipy.special import stdtr
from tqdm.auto import tqdm

from .gram import Gram, ProductKernel, paired
from .kernels import as_rows

__all__ = [
    "aggregated_pvalue",
    "bound_pvalue",
    "centred_bootstrap",
    "draw_labels",
    "draw_pairs",
    "label_residuals",
    "of_form",
    "pair_terms",
    "rank_pvalues",
    "skce_of_labels",
    "statistics_of_draws",
    "t_pvalue",
]

# Equal data sets give sums that differ in the last bits; a draw this close below counts as a tie, hence against us.
TIE = 1e-9


def draw_labels(y_prob, n_draws, rng=None):
    """Labels drawn from the predictions, independently.

    Parameters
    ----------
    y_prob : ndarray, shape (n, d) or (n,)
    n_draws : int
    rng : int, Generator or None

    Returns
    -------
    ndarray of int, shape (n, n_draws)
    """
    rng = np.random.default_rng(rng)
    labels = np.empty((len(y_prob), n_draws), dtype=np.int32)
    if y_prob.ndim == 1:
        for row, p in enumerate(y_prob):
            labels[row] = rng.random(n_draws) < p
        return labels
    below = np.cumsum(y_prob, axis=1)
    below /= below[:, -1:]  # rows may miss 1 by a rounding error, which must not fall to the last class
    for row, edges in enumerate(below):
        labels[row] = np.searchsorted(edges, rng.random(n_draws), side="right")
    return labels


def draw_pairs(y_prob, n_draws, rng=None):
    """Consistency resampling: predictions drawn with replacement, then their labels (Bröcker & Smith 2007).

    Returns
    -------
    rows, labels : ndarray of int, shape (n, n_draws)
        Draw b holds the predictions ``y_prob[rows[:, b]]`` and the labels ``labels[:, b]``.
    """
    rng = np.random.default_rng(rng)
    n = len(y_prob)
    rows = rng.integers(n, size=(n, n_draws), dtype=np.int32)
    uniform = rng.random((n, n_draws))
    if y_prob.ndim == 1:
        return rows, (uniform < y_prob[rows]).astype(np.int32)
    below = np.cumsum(y_prob, axis=1)
    below /= below[:, -1:]
    labels = np.zeros((n, n_draws), dtype=np.int32)
    for k in range(y_prob.shape[1] - 1):
        labels += uniform >= below[rows, k]
    return rows, labels


def label_residuals(y_prob, labels):
    """For `Gram.forms`: residuals p − e_y of drawn labels, made a chunk at a time."""
    if y_prob.ndim == 1:
        return lambda start, draws: (y_prob[start:, None] - labels[start:, draws])[:, None, :]

    def make(start, draws):
        drawn = labels[start:, draws]
        delta = np.repeat(y_prob[start:, :, None], drawn.shape[1], axis=2)
        delta[np.arange(len(drawn))[:, None], drawn, np.arange(drawn.shape[1])] -= 1
        return delta

    return make


def statistics_of_draws(statistic, data_sets, n_draws, *, n_jobs=None, progress=False):
    """Any statistic(y_true, y_prob) of many data sets, through joblib, in the order of the draws."""
    calls = (delayed(statistic)(*data) for data in data_sets)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    return np.array([float(value) for value in tqdm(found, total=n_draws, disable=not progress)])


def rank_pvalues(statistics):
    """p-value of each data set among all of them: the share that is at least as large, ties counted.

    Parameters
    ----------
    statistics : ndarray, shape (..., B + 1)
        The observed statistic first, then those of the B draws.

    Returns
    -------
    ndarray, shape (..., B + 1)
        (1 + #{other draws ≥ this one})/(B + 1), between 1/(B + 1) and 1.

    Raises
    ------
    ValueError
        For a statistic that is NaN: it has no rank.
    """
    n_sets = statistics.shape[-1]
    if np.isnan(statistics).any():
        raise ValueError(f"statistic: expected a number for each data set, got NaN for {np.isnan(statistics).sum()}")
    slack = TIE * np.abs(np.where(np.isinf(statistics), 0, statistics)).max(axis=-1, keepdims=True)
    flat = statistics.reshape(-1, n_sets)
    ranks = [
        n_sets - np.searchsorted(np.sort(values), values - width, side="left")
        for values, width in zip(flat, slack.reshape(-1), strict=True)
    ]
    return np.reshape(ranks, statistics.shape) / n_sets


def aggregated_pvalue(statistics):
    """Exact p-value of several statistics at once: the smallest of their p-values, ranked among the draws'.

    Few draws leave many equal smallest p-values. Between these the largest standardised statistic decides: any
    symmetric function of the data sets keeps the ranks exact, and less power is lost than by counting all as ties.

    Parameters
    ----------
    statistics : ndarray, shape (m, B + 1)
        Every statistic on the same data sets, the observed one first.

    Returns
    -------
    smallest : ndarray, shape (B + 1,)
        The smallest p-value of each data set.
    pvalue : float
        Rank of the observed data set among all; what is still tied counts against it.
    single : ndarray, shape (m,)
        The p-value of each statistic alone.
    """
    each = rank_pvalues(statistics)
    smallest, n_sets = each.min(axis=0), statistics.shape[1]
    spread = statistics.std(axis=1, keepdims=True)
    centred = statistics - statistics.mean(axis=1, keepdims=True)
    still = TIE * np.abs(statistics).max(axis=1, keepdims=True)  # a statistic that never changes decides nothing
    largest = np.where(spread > still, centred / np.where(spread > still, spread, 1), 0.0).max(axis=0)
    score = largest / (1 + np.abs(largest)) / 2 - np.round(smallest * n_sets)  # whole steps, and less than one between
    return smallest, float(rank_pvalues(score)[0]), each[:, 0]


TINY = np.finfo(float).tiny  # e^{−x} may underflow; a p-value is never 0


def of_form(form, own, n, estimator):
    """An estimate from Σ_ij h_ij and Σ_i h_ii."""
    return form / n**2 if estimator == "biased" else (form - own) / (n * (n - 1))


def pair_terms(kernel, X, delta):
    """h_{2i−1,2i}, shape (⌊n/2⌋,): independent terms with the mean SKCE."""
    return paired(kernel, *_pairs(X)) * np.multiply(*_pairs(delta)).sum(axis=1)


def skce_of_labels(kernel, X, y_prob, labels, estimator="unbiased", *, progress=False):
    """An SKCE estimate for each column of labels (n, m), in one pass over the kernel; shape (m,)."""
    if estimator == "linear":
        weight = paired(kernel, *_pairs(X))
        products = (_label_products(y_prob, *_pairs(column)) for column in labels.T)
        return np.array([weight @ product for product in products]) / len(weight)
    gram = Gram(kernel, X)
    forms = gram.forms(label_residuals(y_prob, labels), labels.shape[1], progress=progress)
    return of_form(forms, gram.diagonal @ _own_products(y_prob, labels), len(labels), estimator)


def bound_pvalue(estimate, n, bound, *, biased):
    """Distribution-free bound on P(estimate or more | calibrated), |h| ≤ bound (bounded differences; Hoeffding)."""
    if biased:
        exponent = max(0.0, np.sqrt(n * max(estimate, 0.0) / bound) - 1) ** 2 / 2
    else:  # a negative estimate speaks for calibration: without the max its square would count against (errata U5)
        exponent = (n // 2) * max(0.0, estimate) ** 2 / (2 * bound**2)
    return max(float(np.exp(-exponent)), TINY)


def t_pvalue(terms):
    """One-sided t test of independent terms with mean 0: (score, p-value)."""
    mean, error = terms.mean(), terms.std(ddof=1) / np.sqrt(len(terms))
    if error > 0:
        score = mean / error
    else:  # equal terms: the limit of the formula
        score = np.copysign(np.inf, mean) if mean else 0.0
    return float(score), max(float(stdtr(len(terms) - 1, -score)), TINY)


def centred_bootstrap(kernel, X, delta, n_resamples, rng, *, progress=False):
    """T = n/(n−1) SKCE_uq − SKCE_b and its bootstrap draws n⁻² Σ_i C_i Σ_j (n/(n−1)(C_j − 1[i=j]) − 2) h_ij.

    C are multinomial counts. n times the bootstrapped and centred U-statistic has the limit law of n SKCE_uq
    (Arcones & Giné 1992).

    Returns
    -------
    unbiased, statistic : float
    drawn : ndarray, shape (n_resamples,)
    """
    from sklearn.gaussian_process.kernels import DotProduct  # slow to import, and only needed here

    X, n = as_rows(X), len(delta)
    # h is a kernel itself, k times ⟨δ, δ'⟩: its tiles are made once, and a draw is then one column, not d.
    gram = Gram(ProductKernel(kernel, DotProduct(sigma_0=0), X.shape[1]), np.hstack([X, delta]))
    own, row_sums = gram.diagonal, gram.apply(np.ones((n, 1)))[:, 0]  # h_ii and Σ_j h_ij
    unbiased, biased = (of_form(row_sums.sum(), own.sum(), n, kind) for kind in ("unbiased", "biased"))
    rng = np.random.default_rng(rng)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).T.astype(np.int32)

    forms = gram.forms(lambda start, draws: counts[start:, None, draws].astype(float), n_resamples, progress=progress)
    drawn = (n / (n - 1) * (forms - own @ counts) - 2 * row_sums @ counts) / n**2
    return float(unbiased), float(n / (n - 1) * unbiased - biased), drawn


def _pairs(rows):
    """Rows 1, 3, … and 2, 4, …; an odd last row is left out."""
    half = 2 * (len(rows) // 2)
    return rows[0:half:2], rows[1:half:2]


def _own_products(y_prob, labels):
    """‖p_i − e_y‖² for each label, shape (n, m)."""
    if y_prob.ndim == 1:
        return (y_prob[:, None] - labels) ** 2
    squares = (y_prob**2).sum(axis=1, keepdims=True)
    return np.take_along_axis(squares - 2 * y_prob + 1, labels, axis=1)


def _label_products(y_prob, first, second):
    """⟨δ_{2i−1}, δ_{2i}⟩ for labels of the pairs."""
    p, q = _pairs(y_prob)
    if y_prob.ndim == 1:
        return (p - first) * (q - second)
    rows = np.arange(len(p))
    return (p * q).sum(axis=1) - p[rows, second] - q[rows, first] + (first == second)
