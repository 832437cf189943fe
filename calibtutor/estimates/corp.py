"""CORP reliability: how often it happened, fitted with the one thing that is assumed, that it rises with what was said.

Dimitriadis, Gneiting & Jordan (2021): consistent, optimally binned, reproducible, by pool-adjacent-violators (PAV).
There is no number of bins to choose: neighbours whose frequencies fall are pooled until none fall.
"""

from dataclasses import dataclass

import numpy as np

from ..chance.pvalues import rank_pvalues
from ..door.arrays import check_weights
from ..door.inputs import check_count, check_rng, same_rows
from ..door.predictions import binary_pair
from ..door.results import Result
from ..progress import progress_bar
from .binning import tied


@dataclass(frozen=True, eq=False, repr=False)
class CorpResult(Result):
    """A CORP reliability curve, block by block, and its decomposition of a score.

    Attributes
    ----------
    score : float
        Brier score of the predictions: miscalibration − discrimination + uncertainty.
    miscalibration : float
        MCB, how much better the score would be with what was said replaced by the fitted frequencies; at least 0.
    discrimination : float
        DSC, how much better the fitted frequencies score than the overall frequency alone; at least 0.
    uncertainty : float
        UNC, the score of the overall frequency.
    low, high, confidence : ndarray, shape (b,)
        The smallest, the largest and the mean prediction of each block.
    frequency : ndarray, shape (b,)
        How often it happened in each block, rising strictly.
    count : ndarray, shape (b,)
        Rows in each block.
    chance : ndarray, shape (n_resamples,)
        The miscalibration that these predictions have with labels redrawn from them.
    pvalue : float
        Of "the predictions are calibrated", by that; NaN without `n_resamples`.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    low: np.ndarray
    high: np.ndarray
    confidence: np.ndarray
    frequency: np.ndarray
    count: np.ndarray
    chance: np.ndarray
    pvalue: float


@same_rows
def corp_reliability(y_true, y_prob, *, n_resamples=0, weights=None, rng=None, progress=False):
    r"""Reliability without bins: isotonic regression of what happened on what was said, and its decomposition.

    With the fitted frequencies r̂_i (the rising values with the smallest Σ (r̂_i − y_i)²), the overall frequency ȳ
    and the mean S of (p_i − y_i)² over the rows (Dimitriadis, Gneiting & Jordan 2021, eqs. 2 and 3):

        S(p) = MCB − DSC + UNC,   MCB = S(p) − S(r̂),   DSC = S(ȳ) − S(r̂),   UNC = S(ȳ).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n, d) is reduced to the top label; (n,) is P(Y = 1).
    n_resamples : int >= 0, default 0
        How often labels are redrawn from the predictions, for `chance` and `pvalue`.
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows, in the fit and in all means; rows of weight 0 are left out. The draws are as they are without.
    rng : int, Generator or None
        Draws them.
    progress : bool
        Show a progress bar of the draws.

    Returns
    -------
    CorpResult
        The curve, with a block for each value of r̂, and the decomposition.

    Notes
    -----
    MCB and DSC are at least 0, since r̂ scores best among all rising functions of p, to which p itself and the constant
    ȳ belong. DSC and the blocks depend on the order of the predictions alone.

    The fit follows the labels' noise too, so that MCB and DSC are too large on average: a calibrated model has an MCB
    above 0, the smaller the more data. `chance` says how large, and `pvalue` how often as large as the observed one,
    (1 + #{chance ≥ MCB})/(1 + n_resamples): exact for independent labels. A model whose frequencies fall somewhere as
    its predictions rise is seen only as far as a rising curve can follow. It takes O(n log n), for sorting.

    Examples
    --------
    >>> from calibtutor import corp_reliability
    >>> y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    >>> found = corp_reliability(y_true, y_prob)
    >>> found.count, found.frequency
    (array([2, 4]), array([0., 1.]))
    >>> print(f"{found.score:.3f} = {found.miscalibration:.3f} - {found.discrimination:.3f} + {found.uncertainty:.3f}")
    0.112 = 0.112 - 0.222 + 0.222
    """
    from sklearn.isotonic import isotonic_regression

    y_true, y_prob = binary_pair(y_true, y_prob)
    check_count(n_resamples, "n_resamples", least=0)
    weights = check_weights(np.ones(len(y_prob)) if weights is None else weights, len(y_prob))
    y_true, y_prob, weights = (each[weights > 0] for each in (y_true, y_prob, weights))
    said, which = tied(y_prob)
    mass, total = np.bincount(which, weights), weights.sum()

    def parts(labels):
        came = np.bincount(which, weights * labels)
        fit = isotonic_regression(came / mass, sample_weight=mass)
        starts = np.flatnonzero(np.diff(fit, prepend=-1) > 1e-12)  # two shares of a million rows differ by more
        frequency = np.minimum(np.add.reduceat(came, starts) / np.add.reduceat(mass, starts), 1)
        fitted = np.repeat(frequency, np.diff(starts, append=len(said)))
        scores = [(came * (1 - p) ** 2 + (mass - came) * p**2).sum() for p in (said, fitted, came.sum() / total)]
        return starts, frequency, np.array(scores) / total

    starts, frequency, (score, fitted, uncertainty) = parts(y_true)
    # Rounding may leave −1e-17 where both are equal.
    miscalibration, discrimination = (max(each - fitted, 0.0) for each in (score, uncertainty))
    rng, chance = check_rng(rng), np.empty(n_resamples)
    for draw in progress_bar(range(n_resamples), shown=progress):
        _, _, (redrawn, best, _) = parts(rng.random(len(y_prob)) < y_prob)
        chance[draw] = max(redrawn - best, 0.0)
    pvalue = rank_pvalues(np.append(miscalibration, chance))[0] if n_resamples else np.nan
    ends, count = np.append(starts[1:], len(said)) - 1, np.add.reduceat(np.bincount(which), starts)
    confidence = np.add.reduceat(mass * said, starts) / np.add.reduceat(mass, starts)
    return CorpResult(*map(float, (score, miscalibration, discrimination, uncertainty)), said[starts], said[ends],
                      confidence, frequency, count, chance, float(pvalue))
