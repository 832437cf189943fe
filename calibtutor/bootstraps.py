"""Nulls that redraw rows or residuals where the exact test redraws labels: right as n grows, if at all."""

import numpy as np

from .estimates import of_form
from .gram import Gram, ProductKernel
from .kernels import as_rows
from .resampling import chunks_of_draws

__all__ = ["centred_bootstrap", "residual_statistics"]


def centred_bootstrap(kernel, X, delta, n_resamples, rng, progress):
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
    drawn = []
    for draws in chunks_of_draws(n, n_resamples, size=2):
        counts = np.empty((len(draws), n), dtype=np.min_scalar_type(n))
        for draw in range(len(draws)):
            counts[draw] = rng.multinomial(n, np.full(n, 1 / n))
        make = lambda rows, part, counts=counts: counts[part, None, rows].T.astype(float)
        forms, _ = gram.forms(make, len(draws), progress=progress)
        linear = np.array([(n / (n - 1) * own + 2 * row_sums) @ count for count in counts])
        drawn.append((n / (n - 1) * forms - linear) / n**2)
    return float(unbiased), float(n / (n - 1) * unbiased - biased), np.concatenate(drawn)


def residual_statistics(kernel, X, delta, null, n_resamples, rng, progress):
    """The statistic with the observed residuals, then with residuals that are redrawn, permuted or flipped."""
    n, rng, gram, values = len(delta), np.random.default_rng(rng), Gram(kernel, X), []
    for draws in chunks_of_draws(n, n_resamples + 1, size=1 if null == "signs" else 4):
        make = _redrawn(delta, draws, null, rng)
        values.append(of_form(*gram.forms(make, len(draws), progress=progress), n, "unbiased"))
    values = np.concatenate(values)
    if null == "centred-permutation":
        values[1:] -= values[1:].mean()
    return values


def _redrawn(delta, draws, null, rng):
    """For `Gram.forms`: residuals of these draws, number 0 being the observed ones."""
    n, observed = len(delta), draws.start == 0
    if null == "signs":
        heads = rng.integers(0, 2, (n, len(draws) - observed), dtype=np.int8)
        heads = np.insert(heads, 0, 1, axis=1) if observed else heads
        return lambda rows, part: delta[rows, :, None] * (2.0 * heads[rows, None, part] - 1)
    order = np.empty((len(draws), n), dtype=np.min_scalar_type(n - 1))
    for row, draw in enumerate(draws):
        if draw == 0:
            order[row] = np.arange(n)
        else:
            order[row] = rng.integers(n, size=n) if null == "residuals" else rng.permutation(n)
    return lambda rows, part: delta[order[part, rows]].transpose(1, 2, 0)
