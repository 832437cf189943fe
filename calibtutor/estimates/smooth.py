"""The smooth calibration error: residuals smoothed along the scores before their sizes are added (smECE)."""

import numpy as np

from ..door.arrays import check_weights
from ..door.inputs import same_rows
from ..door.predictions import binary_pair

POINTS = 2**13  # of the grid; scores are spread over the two points next to them
LEAST = 8 / POINTS  # a bandwidth that the grid can tell


@same_rows
def smooth_calibration_error(y_true, y_prob, *, weights=None):
    r"""Smooth calibration error: the smECE of Błasiok & Nakkiran (2023), with no bins and no bandwidth to choose.

    smECE_σ = ∫_0^1 \|Σ_i (y_i − p_i) k_σ(t, p_i)/n\| dt, where k_σ(t, p) is a Gaussian around p of standard deviation
    σ, reflected at 0 and 1: the mean size of the residuals after they are averaged with their neighbours. It falls as σ
    grows, and smECE is the one value that is its own bandwidth, σ = smECE_σ.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. (n, d) is reduced to the top label; (n,) is P(Y = 1).
    weights : array-like of float >= 0, shape (n,), optional
        Of the rows: w_i/Σ w in the place of 1/n.

    Returns
    -------
    float
        In [0, 1], to about .0002; below .001 it is taken at σ = .001.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, or weights that are negative.

    Notes
    -----
    The *distance to calibration* D is the smallest E\|p − q\| over calibrated predictions q of the same events
    (Błasiok, Gopalan, Hu & Nakkiran 2023, their lower distance): D/2 ≤ smECE ≤ 2√D. It is computed from labels, so that
    noise adds to it: a calibrated model has a value above 0, the larger the fewer data. relplot, the authors' package,
    counts scores of exactly 0 and 1 half.

    Examples
    --------
    >>> from calibtutor import smooth_calibration_error
    >>> y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.9, 0.6]
    >>> print(f"{smooth_calibration_error(y_true, y_prob):.3f}")
    0.174
    """
    y_true, y_prob = binary_pair(y_true, y_prob)
    weights = check_weights(weights, len(y_true))
    share = 1 / len(y_true) if weights is None else weights / weights.sum()
    return smooth_error(y_prob.astype(float), (y_true - y_prob) * share)


def smooth_error(score, share):
    """SmECE of residuals `share`, which are divided by n, at scores in [0, 1]: a cosine series, damped term by term."""
    from scipy.fft import dct, idct
    from scipy.optimize import brentq

    place = np.clip(score * POINTS - 0.5, 0, POINTS - 1)
    left = np.minimum(place.astype(int), POINTS - 2)
    right = share * (place - left)
    spread = np.bincount(left, share - right, POINTS) + np.bincount(left + 1, right, POINTS)
    terms, k = dct(spread, type=2), np.arange(POINTS)

    def beyond(width):
        return np.abs(idct(terms * np.exp(-((k * np.pi * width) ** 2) / 2), type=2)).sum() - width

    return float(brentq(beyond, LEAST, 1.1, xtol=1e-7)) if beyond(LEAST) > 0 else float(beyond(LEAST) + LEAST)
