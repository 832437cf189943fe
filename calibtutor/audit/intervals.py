"""How large: intercept, slope and RMS error with intervals whose coverage is measured in tests/audit."""

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.special import chdtr, chndtr, expit, ndtri, stdtrit
from scipy.stats import beta

from ..estimates.binning import bin_of, equal_mass_edges

CLIP = 1e-6  # probabilities of 0 and 1 have no logit
FEWEST = 20  # hits, and misses: with fewer no interval is printed; of a mean alone, half of them
FAR = 1e5  # beyond, the noncentral χ² is not computed well
NOTHING = (np.nan, np.nan, np.nan)


def logit(p):
    """log(p/(1 − p)) with p kept 1e-6 away from 0 and 1."""
    p = np.clip(p, CLIP, 1 - CLIP)
    return np.log(p) - np.log1p(-p)


def _by_cluster(values, cluster):
    """Sums over clusters, (clusters, ·); each row is one without."""
    if cluster is None:
        return values
    units = np.unique(cluster, return_inverse=True)[1]
    return csr_array((np.ones(len(units)), (units, np.arange(len(units))))) @ values


def enough(hit, weights, fewest=FEWEST):
    """Whether there are hits and misses for an interval; of rows with weights, (Σ w)²/Σ w² are effective."""
    effective = weights.sum() ** 2 / (weights**2).sum() / len(hit) * (1 + 1e-9)
    return min(hit.sum(), len(hit) - hit.sum()) * effective >= fewest


def mean_interval(values, weights, cluster=None, level=0.05):
    """Weighted mean and its interval (NaN of one unit, or of infinite values), by Student's t over rows or clusters."""
    mean = float(weights @ values / weights.sum())
    variance, units = _variance(values, weights, cluster) if np.isfinite(mean) else (np.nan, 0)
    if units < 2:
        return mean, np.nan, np.nan
    reach = stdtrit(units - 1, 1 - level / 2) * np.sqrt(variance)
    return mean, mean - reach, mean + reach


def design_effect(values, weights, cluster):
    """The variance of a weighted mean by clusters over that by rows (Kish 1965); 1 if both are 0."""
    ours, theirs = (_variance(values, weights, each)[0] for each in (cluster, None))
    return ours / theirs if theirs else 1.0


def _variance(values, weights, cluster):
    """Of a weighted mean, and over how many rows or clusters."""
    share = weights / weights.sum()
    units = _by_cluster((share * (values - share @ values))[:, None], cluster)
    return len(units) / max(len(units) - 1, 1) * float((units**2).sum()), len(units)


def gap_interval(panel, level=0.05, fewest=FEWEST // 2):
    """Mean of said − happened and its interval.

    With fewer than `fewest` hits or misses Student's t would be too sure: then it is what was said minus the interval
    of Clopper & Pearson (1934) for how often it happened, and NaN with weights, or clusters of which it knows nothing.
    """
    hit, said, clusters = panel.hit, panel.said, panel.cluster
    if enough(hit, panel.weights, fewest) and (clusters is None or len(np.unique(clusters)) >= FEWEST):
        return mean_interval(said - hit, panel.weights, clusters, level)
    mean = float(panel.weights @ (said - hit) / panel.weights.sum())
    if clusters is not None or np.ptp(panel.weights):
        return mean, np.nan, np.nan
    n, k, mean_said = len(hit), hit.sum(), float(said.mean())
    low = beta.ppf(level / 2, k, n - k + 1) if k else 0.0
    high = beta.ppf(1 - level / 2, k + 1, n - k) if k < n else 1.0
    return mean, float(mean_said - high), float(mean_said - low)


def cox_line(hit, said, weights, cluster=None, level=0.05, z=None):
    """Intercept (at slope 1) and slope of what happens on what is said, on the logit scale (Cox 1958).

        intercept   P(hit) = expit(a + logit(said))
        slope       P(hit) = expit(c + b logit(said))

    Both as (estimate, low, high), by the sandwich with leverages (HC3) and Student's t; NaN where there are fewer than
    20 hits or misses (`enough`), where hits are separated, or, of a slope, where all that is said is equal.
    """
    if not enough(hit, weights):
        return NOTHING, NOTHING
    z = logit(said) if z is None else z  # exact log-odds, of logits
    ones = np.ones((len(z), 1))
    intercept = _logistic(ones, hit, weights, cluster, level, offset=z)
    Z = np.column_stack([ones, z])
    return intercept, NOTHING if np.ptp(z) < 1e-9 else _logistic(Z, hit, weights, cluster, level)


def _logistic(Z, hit, weights, cluster, level, offset=0.0):
    """The last coefficient of a logistic regression, (estimate, low, high), by Newton's method."""
    theta, w = np.arange(Z.shape[1], dtype=float), weights / weights.mean()  # of one the intercept, of two the slope 1
    loss = lambda eta: w @ (np.logaddexp(0, eta) - hit * eta)
    for _ in range(50):
        eta = Z @ theta + offset
        p = expit(eta)
        information = (Z * (w * p * (1 - p))[:, None]).T @ Z
        try:
            step = np.linalg.solve(information, Z.T @ (w * (hit - p)))
        except np.linalg.LinAlgError:
            return NOTHING
        length = 1.0
        while loss(Z @ (theta + length * step) + offset) > loss(eta) + 1e-9 * abs(loss(eta)) and length > 1e-6:
            length /= 2
        theta = theta + length * step
        if np.abs(step).max() < 1e-9:
            break
        if np.abs(theta).max() > 1e3:  # hits are separated
            return NOTHING
    else:
        return NOTHING
    p = expit(Z @ theta + offset)
    bread = np.linalg.inv((Z * (w * p * (1 - p))[:, None]).T @ Z)
    leverage = np.minimum(w * p * (1 - p) * np.einsum("ij,jk,ik->i", Z, bread, Z), 0.9)
    meat = _by_cluster(Z * (w * (hit - p) / (1 - leverage))[:, None], cluster)
    variance = (bread @ (meat.T @ meat) @ bread)[-1, -1] * len(meat) / (len(meat) - 1)
    reach = stdtrit(max(len(meat) - 1, 1), 1 - level / 2) * np.sqrt(max(variance, 0.0))
    return float(theta[-1]), float(theta[-1] - reach), float(theta[-1] + reach)


def bins_for(n):
    """How many bins n rows are cut into: n^0.4, at least 5."""
    return max(5, round(n**0.4))


def equal_mass(said, n_bins):
    """The bin of each row, of equal mass; bins that hold rows are numbered from 0."""
    return np.unique(bin_of(said, equal_mass_edges(np.sort(said), n_bins)), return_inverse=True)[1]


def rms_error(hit, said, weights, cluster=None, level=0.05):
    r"""RMS error √E(said − P(hit | said))², its noise subtracted, over bins of equal mass.

    With gaps g_m of K = n^0.4 bins, shares s_m and the covariance V of the gaps (by rows or clusters):

        θ̂ = Σ_m s_m g_m² − tr(SV)      unbiased for the squared error between bins if V is

    and Σ_m s_m g_m² is nearly τ χ²_k(θ/τ), noncentral, where k and τ are such that mean and variance are right at θ = 0
    (Satterthwaite); τ is at least Σ_m u_m s_m V_mm with u_m the share of bin m in the error, or an error in few, noisy
    bins would be taken for surer than it is. The interval holds each θ at which the observed sum is in neither tail.
    For its upper end a sum that is smaller than its mean at θ = 0 counts as that mean: no error is ruled out that the
    data could not show.

    Returns (estimate, low, high), NaN with fewer than 20 hits or misses, and K. What changes within a bin is not
    counted.
    """
    index = equal_mass(said, bins_for(len(hit)))
    n_bins = int(index.max()) + 1
    if not enough(hit, weights):
        return NOTHING, n_bins
    total, gap, unbiased, covariance = gaps_of_bins(index, hit, said, weights, cluster)
    share = total / total.sum()
    noise = share[:, None] * covariance  # SV
    first, second = np.trace(noise), np.trace(noise @ noise)
    observed = float(share @ gap**2)
    estimate = float(np.sqrt(max(observed - share @ np.diag(unbiased), 0.0)))
    excess = share * np.maximum(gap**2 - np.diag(covariance), 0)
    where = excess @ np.diag(noise) / excess.sum() if excess.any() else 0.0
    scale = max(second / first, where)
    freedom = first / scale
    low = _noncentrality(observed / scale, freedom, 1 - level / 2)
    high = _noncentrality(max(observed, first) / scale, freedom, level / 2)  # luck gives no narrower a bound
    low, high = (float(min(np.sqrt(scale * end), 1)) for end in (low, high))
    return (estimate, min(low, estimate), max(high, estimate)), n_bins


def gaps_of_bins(index, hit, said, weights, cluster):
    """Weight and gap of each bin, and of the gaps two covariances: unbiased, and with no bin that is without noise.

    With v = said − happened, rows or clusters of shares u of a bin, Σ u = 1, and of one variance have the expected
    Σ u² (v − Σ u v)² of that of the gap times 1 − 2 Σ u³/Σ u² + Σ u². A bin of hits alone, or of misses, has no spread
    to be seen; in the second covariance it has that of half a row more of either.
    """
    total = np.bincount(index, weights)
    gap = np.bincount(index, weights * (said - hit)) / total
    values, share = said - hit - gap[index], weights / total[index]
    parts = (csr_array((each, (np.arange(len(hit)), index))) for each in (share, share * values))
    u, sums = (_by_cluster(each, cluster) for each in parts)
    squares, cubes = (np.asarray((u**k).sum(axis=0)) for k in (2, 3))
    seen = np.sqrt(np.maximum(1 - 2 * cubes / squares + squares, 1e-12))
    found = (sums.T @ sums).toarray() / seen / seen[:, None]
    count, hits = np.bincount(index), np.bincount(index, hit)
    near = (hits + 0.5) / (count + 1)
    least = np.where((hits == 0) | (hits == count), near * (1 - near) * np.bincount(index, share**2), 0.0)
    return total, gap, found, found + np.diag(np.maximum(least - np.diag(found), 0))


def _noncentrality(value, freedom, tail):
    """λ >= 0 at which P(χ²_k(λ) <= value) is `tail`; 0 where it is less at once."""
    if value > FAR:  # √χ² is normal
        return (np.sqrt(value) - ndtri(tail)) ** 2
    if chdtr(freedom, value) <= tail:
        return 0.0
    high = max(value, 1.0)
    while chndtr(value, freedom, high) > tail:
        high *= 2
    return brentq(lambda shift: chndtr(value, freedom, shift) - tail, 1e-12, high)
