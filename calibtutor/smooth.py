"""The smooth calibration error: residuals smoothed along the scores before their sizes are added (smECE).

Błasiok & Nakkiran (2023). The residuals y_i − p_i, shares of the data at the points p_i of [0, 1], are spread by a
Gaussian that is reflected at 0 and 1. A cosine series says the same exactly, with damped terms:

    g_σ(t) = Σ_i w_i (y_i − p_i) k_σ(t, p_i) = c_0 + 2 Σ_{k ≥ 1} c_k e^{−(kπσ)²/2} cos(kπt),
    c_k = Σ_i w_i (y_i − p_i) cos(kπp_i).

The terms die out at k of about 3/σ, so that neither memory nor time grows like the square of n.
"""

import numpy as np

from .inputs import check_number, check_weights
from .predictions import check_predictions, top_label

__all__ = ["smooth_calibration_error"]

LEAST = 1e-5  # a bandwidth; sizes below it are no calibration error that anybody asks for
DAMPED = 8.6  # kπσ from which on e^{−(kπσ)²/2} is below 1e-16
OVER = 4  # points of the grid a term, on which scores are spread
SPREAD, REACH = 1.5, 12  # of a score on that grid, in its steps: standard deviation, and where a Gaussian is 1e-14
FINE = 16  # points a term, from which an area is taken


def smooth_calibration_error(y_true, y_prob, *, bandwidth=None, weights=None):
    r"""Smooth calibration error: the smECE of Błasiok & Nakkiran (2023), with no bins and no bandwidth to choose.

    At a bandwidth σ it is ∫_0^1 \|Σ_i w_i (y_i − p_i) k_σ(t, p_i)\| dt with weights that sum to 1, where k_σ(t, p) is
    a Gaussian around p of standard deviation σ, reflected at 0 and 1: the mean size of the residuals after they are
    averaged with their neighbours. It falls as σ grows. The default is the one value that is its own bandwidth,
    σ = smECE_σ.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n, d) is reduced to the top label; (n,) is P(Y = 1).
    bandwidth : float in [1e-05, inf), optional
        A σ of your own: models are then compared at the same one.
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows, w_i above; they are divided by their sum.

    Returns
    -------
    float
        In [0, 1], from the size of the mean residual to the mean size of the residuals. Below 1e-05 without a
        bandwidth it is taken at σ = 1e-05, which is off by less than that.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, a bandwidth below 1e-05, or weights that are negative.

    Notes
    -----
    The *distance to calibration* D is the smallest E\|p − q\| over calibrated predictions q of the same events
    (Błasiok, Gopalan, Hu & Nakkiran 2023, their lower distance). Without a bandwidth D/2 ≤ smECE ≤ 2√D: it is small
    where small changes make a model calibrated, and nowhere else. No constant factor links the two, as the root says:
    of two small values the smaller one need not belong to the model that is nearer to calibration. If no score (n,)
    moves by more than m, it moves by at most m (1 + √(2/π)/σ), σ being the larger of both values or the bandwidth;
    the ECE promises nothing of the kind.

    It is computed from labels and not from r(p), so that noise adds to it as to any ECE: a calibrated model has a
    value above 0, the larger the fewer data. What that value would be, labels redrawn from the predictions tell.

    relplot 1.0.3, the authors' package, takes the integral from a grid of some hundred points and looks for σ in steps
    of 1/1024: on ten data sets without scores near 0 and 1 both agree to .001. Its grid counts scores of exactly 0 and
    1 half, so that it may say .068 where the definition, and this function, give .1 (tests/test_smooth.py).

    Examples
    --------
    >>> from calibtutor import smooth_calibration_error
    >>> y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    >>> print(f"{smooth_calibration_error(y_true, y_prob):.3f}")
    0.174
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if y_prob.ndim == 2:
        y_true, y_prob = top_label(y_true, y_prob)
    weights = check_weights(weights, len(y_true))
    share = (y_true - y_prob) * (1 / len(y_true) if weights is None else weights / weights.sum())
    if bandwidth is not None:
        bandwidth = check_number(bandwidth, "bandwidth", least=LEAST)
        return float(_area(_coefficients(y_prob, share, bandwidth), bandwidth))
    return float(_fixed_point(y_prob, share))


def _fixed_point(score, share):
    """The σ that is its own error: halved until the error is no smaller, then closed in on between the last two."""
    from scipy.optimize import brentq

    score, which = np.unique(score, return_inverse=True)
    share = np.bincount(which, weights=share)
    high = np.abs(share).sum()  # no error is larger
    while high > LEAST:
        low = max(high / 2, LEAST)
        terms = _coefficients(score, share, low)

        def beyond(width, terms=terms):
            return _area(terms, width) - width

        if beyond(low) >= 0:
            return brentq(beyond, low, high, xtol=1e-8 * low) if beyond(high) < 0 else high
        if low == LEAST:
            return _area(terms, low)
        high = low
    return high


def _coefficients(score, share, width):
    """c_k = Σ_i share_i cos(kπ score_i) for all k that a bandwidth of at least `width` does not damp away.

    By Gaussian gridding (Greengard & Lee 2004): each score is spread over a grid by a narrow Gaussian, reflected at the
    ends, a cosine transform is taken, and what the Gaussian damped is restored.
    """
    from scipy.fft import dct, next_fast_len

    n_terms = next_fast_len(int(np.ceil(DAMPED / (np.pi * width))) + 8)
    points = OVER * n_terms  # the middles (j + ½)/points
    nearest = np.minimum((score * points).astype(np.int64), points - 1)
    off = score * points - 0.5 - nearest  # in steps
    spread = np.zeros(points)
    for step in range(-REACH, REACH + 1):
        at = nearest + step
        at = np.where(at < 0, -1 - at, np.where(at >= points, 2 * points - 1 - at, at))
        spread += np.bincount(at, weights=share * np.exp(-0.5 * ((step - off) / SPREAD) ** 2), minlength=points)
    spread /= SPREAD * np.sqrt(2 * np.pi)
    k = np.arange(n_terms)
    return dct(spread, type=2)[:n_terms] / 2 * np.exp((k * np.pi * SPREAD / points) ** 2 / 2)


def _area(terms, width):
    """∫_0^1 |g|, with g = c_0 + 2 Σ c_k e^{−(kπσ)²/2} cos(kπt).

    Between two points of the grid g is integrated exactly where it keeps its sign, and as a line where it changes it.
    """
    from scipy.fft import dct, dst

    k, points = np.arange(len(terms)), FINE * len(terms)
    damped = terms * np.exp(-((k * np.pi * width) ** 2) / 2)
    g = dct(np.pad(damped, (0, points + 1 - len(k))), type=1)
    waves = dst(np.pad(damped[1:] / (np.pi * k[1:]), (0, points - len(k))), type=1)
    cells = np.diff(np.concatenate([[0], waves, [0]])) + damped[0] / points
    left, right = g[:-1], g[1:]
    changes = np.flatnonzero(left * right < 0)
    left, right = left[changes], right[changes]
    cells[changes] = (left**2 + right**2) / (2 * np.abs(left - right)) / points
    return np.abs(cells).sum()
