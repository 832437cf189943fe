"""Side by side: two data sets of one model, or two models on one data set, and what of their difference is chance."""

import numpy as np
import pandas as pd
from scipy.special import expit, stdtrit

from ..binning import bin_of, equal_mass_edges
from .intervals import _by_cluster, _covariances, bins_for, cox_line, enough
from .sections import _losses

GAP = "said − happened"
QUANTITIES = ("said", "happened", GAP, "intercept", "slope", "log loss", "Brier score")


def estimates(panel):
    """Each of QUANTITIES, (7,), and how much each row adds to its error, (n, 7): of slopes by the sandwich, HC3."""
    w, hit, z = panel.weights / panel.weights.sum(), panel.hit, panel.z
    square, loss = _losses(panel)
    columns = np.column_stack([panel.said, hit, panel.said - hit, np.full((len(w), 2), np.nan), loss, square])
    with np.errstate(invalid="ignore"):
        found = w @ columns
        errors = w[:, None] * (columns - found)
    found[3], found[4] = (line[0] for line in cox_line(hit, panel.said, panel.weights, z=z))
    at_slope = cox_line(hit, panel.said, panel.weights, z=found[4] * z)[0][0] if np.isfinite(found[4]) else np.nan
    for k, eta in ((3, found[3] + z), (4, at_slope + found[4] * z)):
        if np.isfinite(found[k]):
            Z, p = np.vander(z, k - 2, increasing=True), expit(eta)
            v = w * p * (1 - p)
            bread = np.linalg.inv((Z * v[:, None]).T @ Z)
            leverage = np.minimum(v * np.einsum("ij,jk,ik->i", Z, bread, Z), 0.9)
            errors[:, k] = Z @ bread[-1] * w * (hit - p) / (1 - leverage)
    return found, errors


def spread(errors, units, side):
    """Variance of sums of errors over units, and degrees of freedom (Welch): units of one side, of the other, of both."""
    units = np.unique(units, return_inverse=True)[1]
    sums = _by_cluster(errors, units)
    kind = (np.bincount(units, side == 0) > 0) + 2 * (np.bincount(units, side == 1) > 0)
    variance, fourth = np.full((2, sums.shape[1]), 1e-300)
    for some in (sums[kind == k] for k in (1, 2, 3)):
        free = max(len(some) - 1, 1)
        part = len(some) / free * (some**2).sum(axis=0)
        variance, fourth = variance + part, fourth + part**2 / free
    return variance, variance**2 / fourth


def squares(panels, units):
    """Squared errors between bins of equal mass, as many bins of either, (2,), and the covariance of the two."""
    n_bins = bins_for(min(map(len, panels)))
    index, start = [], 0
    for panel in panels:
        edges = equal_mass_edges(np.sort(panel.said), n_bins)
        used, place = np.unique(bin_of(panel.said, edges), return_inverse=True)
        index.append(place + start)
        start += len(used)
    side = (np.arange(start) > index[0].max()).astype(int)
    index = np.concatenate(index)
    hit, said, w = (np.concatenate([getattr(panel, name) for panel in panels]) for name in ("hit", "said", "weights"))
    total = np.bincount(index, w)
    gap = np.bincount(index, w * (said - hit)) / total
    unbiased, covariance = _covariances(index, hit, said - hit - gap[index], w / total[index], units)
    A = total / np.bincount(side, total)[side] * (side == [[0], [1]])
    theta = A @ (gap**2 - np.diag(unbiased))
    return theta, A, gap, covariance
