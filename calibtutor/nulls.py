"""The squared kernel error of many label vectors at once, and the p-values that need no draws.

Written for residuals δ (n, d) and kernel inputs X (n, ·), so that the local error, whose kernel sees features too,
is the same code.
"""

import numpy as np
from scipy import stats
from sklearn.gaussian_process.kernels import DotProduct

from .gram import Gram, ProductKernel, paired
from .kernels import as_rows
from .resampling import label_residuals

__all__ = ["bound_pvalue", "centred_bootstrap", "of_form", "pair_terms", "skce_of_labels", "t_pvalue"]

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
    return float(score), max(float(stats.t.sf(score, len(terms) - 1)), TINY)


def centred_bootstrap(kernel, X, delta, n_resamples, rng, *, progress=False):
    """T = n/(n−1) SKCE_uq − SKCE_b and its bootstrap draws n⁻² Σ_i C_i Σ_j (n/(n−1)(C_j − 1[i=j]) − 2) h_ij.

    C are multinomial counts. n times the bootstrapped and centred U-statistic has the limit law of n SKCE_uq
    (Arcones & Giné 1992).

    Returns
    -------
    unbiased, statistic : float
    drawn : ndarray, shape (n_resamples,)
    """
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
