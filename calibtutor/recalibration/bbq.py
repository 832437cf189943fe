"""BBQ: not one histogram but all of them, each believed as far as the labels speak for it."""

import numpy as np
from scipy.special import betaln, softmax

from ..door.inputs import check_number
from ..estimates.binning import bin_of, tied
from .base import ScoreMap

MIDPOINTS = (0.005, 0.995)  # of a bin's interval, as the prior mean: Beta(0, ·) is no distribution


class BBQ(ScoreMap):
    r"""Bayesian binning into quantiles: histograms with equal-mass bins, averaged by their marginal likelihood.

    In a model with B bins the frequency θ_b of bin b has the prior Beta(α_b, β_b), α_b = (N'/B) m_b and
    β_b = (N'/B)(1 − m_b): N' imagined predictions shared by the bins, with the midpoint m_b of the bin's interval as
    mean (kept within [.005, .995]). With s_b labels 1 among n_b

        score(B) = Π_b B(s_b + α_b, n_b − s_b + β_b) / B(α_b, β_b)
        p ↦ Σ_B score(B) (s_b + α_b)/(n_b + N'/B) / Σ_B score(B)      b: the bin of p in model B

    where B(·, ·) is the beta function: all models are equally probable beforehand, and each predicts by its posterior
    mean. It takes (n,) alone and no `sample_weight`: how many bins are tried, and how far a bin is believed, are
    counts of rows.

    Parameters
    ----------
    prior_strength : float > 0
        N'.

    Attributes
    ----------
    edges : list of ndarray
        Bin edges of each model, from 0 to 1; bins are right-closed. Inner edges lie half-way between scores.
    frequencies : list of ndarray
        Posterior means of each model's bins.
    weights : ndarray, shape (number of models,)
        Posterior probabilities of the models.

    Raises
    ------
    InputError
        For a prior strength that is not positive, an (n, d) y_prob, or a `sample_weight`.

    Notes
    -----
    Naeini, Cooper & Hauskrecht (2015), with B from n^{1/3}/10 to min(10 n^{1/3}, n/5) and no model pruned. Equal scores
    are never split, so there may be fewer bins than asked for; a binning that comes up twice counts once. The BBQ of
    Vashistha & Farahi's Figure 4 is netcal's, by default with bins of equal width and the BIC for a score.

    Examples
    --------
    >>> from calibtutor import BBQ
    >>> y_true, y_prob = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.8, 0.9]
    >>> BBQ().fit(y_true, y_prob).predict_proba([0.1, 0.9]).round(3)
    array([0.443, 0.553])
    """

    _learned = ("weights",)
    _takes = "scores"

    def __init__(self, prior_strength=2.0):
        self.prior_strength = prior_strength

    def _learn(self, y_true, y_prob, weight):
        strength = check_number(self.prior_strength, "prior_strength", above=0)
        scores, place = tied(y_prob)
        below = np.cumsum(np.bincount(place))  # predictions up to each score, and the labels 1 among them
        hits_below = np.cumsum(np.bincount(place, weights=y_true))
        self.edges, self.frequencies, log_scores = [], [], []
        for last in _equal_mass_cuts(below):  # the place of the highest score of each bin
            lower, upper = scores[last[:-1]], scores[last[:-1] + 1]
            inner = np.minimum((lower + upper) / 2, np.nextafter(upper, 0))  # neighbouring floats stay apart
            edges = np.concatenate([[0.0], inner, [1.0]])
            n, hits = (np.diff(total[last], prepend=0) for total in (below, hits_below))
            prior = strength / len(n)
            alpha = prior * np.clip((edges[:-1] + edges[1:]) / 2, *MIDPOINTS)
            self.edges.append(edges)
            self.frequencies.append((hits + alpha) / (n + prior))
            log_scores.append((betaln(hits + alpha, n - hits + prior - alpha) - betaln(alpha, prior - alpha)).sum())
        self.weights = softmax(log_scores)

    def _apply(self, y_prob):
        models = zip(self.weights, self.edges, self.frequencies, strict=True)
        return sum(weight * frequency[bin_of(y_prob, edges)] for weight, edges, frequency in models)


def _equal_mass_cuts(below):
    """Different ways to cut n sorted predictions, `below` of them up to each score, into bins of equal mass."""
    n = int(below[-1])
    root = np.cbrt(n)
    tried = range(max(1, int(root / 10)), int(np.ceil(min(10 * root, n / 5))) + 1)
    cuts = [np.unique(np.searchsorted(below, np.arange(1.0, n_bins + 1) * n / n_bins)) for n_bins in tried]
    return {last.tobytes(): last for last in cuts}.values()
