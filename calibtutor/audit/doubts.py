"""What the data themselves give reason to doubt: on calibrated, independent rows in at most 2 % of data sets.

The 2 % are of all doubts together, those of `as_predictions` too, and are divided among them: means that are close
1 %, a drift and an area below 1/2 .3 % each, neighbours and the top label about .2 % each, the others next to nothing.
"""

import numpy as np
import pandas as pd
from scipy.stats import chi2, kstwobign
from sklearn.isotonic import IsotonicRegression

from ..door.probabilities import two_columns
from ..kernels import slices
from .questions import FEWEST_ROWS, MISSES

COPIES = 20  # of a row, at most
LAGS = (1, 4)  # rows that stand next to each other, or nearly
ALIKE, NEAR = 4.5, 3.2  # standard deviations; the first statistic is skewed where few groups are large
TREND, CLOSE = 0.003, 0.01  # tail probabilities
SURE = 3.0  # standard deviations of the top label's hits if it is calibrated


def data_doubts(panel, design="holdout"):
    """What a file that was put together wrongly looks like, or predictions that knew these labels."""
    if len(panel) < FEWEST_ROWS:
        return []
    doubts = [(design == "holdout" and _closer_than_chance(panel), "y_prob: how often each class happened is closer to "
               "its mean probability than chance allows; did the model see these labels? Then audit rows that it did "
               "not see. Or those of other folds? Then say design='cv'")]
    if not panel.two:
        n, d, misses = len(panel), len(panel.names), (1 - panel.said).sum()
        tops, labels = (np.bincount(each, minlength=d) / n for each in (panel.top, panel.y_true))
        share, chance = panel.hit.mean(), tops @ labels
        above = (share - panel.said.mean()) * n / np.sqrt((panel.said * (1 - panel.said)).sum() + 1e-12)
        is_chance = tops.max() < 1 and share <= chance + 2 * np.sqrt(chance * (1 - chance) / n) and above < -SURE
        is_flat = above > SURE and (panel.said <= np.e * (1 + 1e-6) * panel.y_prob.min(axis=1).astype(float)).all()
        doubts += [(is_chance, f"y_prob: its top label is right in {share:.0%} of rows, no more often than by chance "
                    f"({chance:.0%}); are rows or columns in another order?"),
                   (panel.hit.all() and misses > MISSES, f"y_true: every top label is right, and {misses:.0f} misses "
                    "are promised; are these the model's answers?"),
                   (is_flat, "y_prob: in no row is a probability more than e times another; was softmax applied "
                    "twice?")]
    return [doubt for holds, doubt in doubts if holds]


def _closer_than_chance(panel):
    """Whether the sums of what was said are those of what happened, class by class, and no chance is left.

    Models are fitted to it, and folds of one size pay back to each other what they took. With the sums' covariance V
    if the model is calibrated, s′V⁺s is χ² with a degree for each class but one: it is in the lowest 1 %.
    """
    # Of few predictions the sums are a lattice, that may hit 0.
    few = all(len(np.unique(some, axis=0)) < MISSES for some in (panel.y_prob[:1000], panel.y_prob))
    if panel.cluster is not None or np.ptp(panel.weights) or few:
        return False
    p = two_columns(panel.y_prob)
    promised = p.sum(axis=0, dtype=float)
    sums = promised - np.bincount(panel.y_true, minlength=p.shape[1])
    parts = (p[rows].astype(float) for rows in slices(len(p), 4096))
    values, vectors = np.linalg.eigh(np.diag(promised) - sum(part.T @ part for part in parts))
    rank, kept = (values > 1e-9 * values.sum()).sum(), values > 1e-9 * values[-1]
    squared_sums = ((sums @ vectors[:, kept]) ** 2 / values[kept]).sum()
    return rank > 0 and values.sum() > MISSES and chi2.cdf(squared_sums, rank) <= CLOSE


def dependence_doubts(panel, features=None, *, timed=False):
    """Rows that seem to belong together, or to drift, in a panel in the order of the file and without clusters.

    With e = what happened − its isotonic regression on what was said: Σ e_i e_j over pairs of rows that are equal in
    all that was given, and over pairs at most four rows apart; and the largest partial sum of e along the rows, a
    Brownian bridge if there is no trend. A file that is sorted by its labels says nothing about the last two.
    """
    if panel.cluster is not None or len(panel) < FEWEST_ROWS:
        return []
    often = IsotonicRegression().fit(panel.said, panel.hit).predict(panel.said)
    e, v = panel.hit - often, often * (1 - often)
    if v.sum() < MISSES / 2:
        return []
    code = panel.code
    if features is not None:
        given = [pd.Series(code), pd.DataFrame(features).reset_index(drop=True).astype(str)]
        code = pd.util.hash_pandas_object(pd.concat(given, axis=1), index=False).to_numpy()
    group = pd.factorize(code)[0]
    size = np.bincount(group)
    few = size <= COPIES  # many equal rows may as well be a group for which the model is wrong
    pairs, spread = (np.bincount(group, each) ** 2 - np.bincount(group, each**2) for each in (e, v))
    alike = pairs[few].sum() > ALIKE * np.sqrt(2 * spread[few].sum()) > 0
    doubts = [(alike, f"rows: {(size[few] - 1).sum():,} are equal to an earlier one, and their labels agree "
               "more than chance allows; are they copies, or cases of one patient? Say which belong together "
               "(cluster)")]
    if (np.diff(panel.y_true) != 0).sum() > 3 * len(panel.names):
        # The sum of few products of rare events is nearly Poisson: two such events are more than its spread by chance.
        near = any(_near(e, lags) > NEAR * np.sqrt(max(_near(v, lags), _near(e**2, lags))) > 0 for lags in LAGS)
        bridge = np.cumsum(e) - np.linspace(0, 1, len(e) + 1)[1:] * e.sum()
        drifts = kstwobign.sf(np.abs(bridge).max() / np.sqrt(v.sum())) <= TREND
        doubts += [(drifts and not timed, "rows: what happens drifts along the file; are they in the order of time, or "
                    "of a place? Say so (time, groups), or which rows belong together (cluster)"),
                   (near and not alike and not drifts, "rows: labels of neighbours agree more than chance allows; do "
                    "rows that follow each other belong together? Say to what (cluster)")]
    return [doubt for holds, doubt in doubts if holds]


def _near(values, lags):
    """Σ of products of values at most so many rows apart."""
    return sum(float(values[lag:] @ values[:-lag]) for lag in range(1, lags + 1))
