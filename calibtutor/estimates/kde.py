"""Kernel density ratio estimates of calibration errors (Popordanoska et al. 2022; Gruber & Bach, eq. 11).

The conditional frequency r(p) = P(Y | f(X) = p) is estimated by a Nadaraya–Watson ratio with the
Dirichlet kernel (Beta on [0, 1]), a density in its *evaluation* point p with its mode at the data point p_j:

    k(p; p_j) = Dir(p | α = p_j / h + 1),    r̂(p) = Σ_j k(p; p_j) e_{y_j} / Σ_j k(p; p_j).

It is not symmetric (errata G10). Everything is computed from logarithms, so that no bandwidth underflows.
"""

import numpy as np
from scipy.special import gammaln

from ..door.inputs import InputError, check_number
from ..door.predictions import check_predictions, pairs_of_notion
from ..door.probabilities import check_probabilities, two_columns
from ..kernels import slices
from ..progress import progress_bar

# The grid of Popordanoska et al. and of Gruber & Bach, appendix B.
BANDWIDTHS = np.concatenate([np.logspace(-5, -1, 15), np.linspace(0.2, 1, 5)])
# A zero in p would give log 0; the smallest normal double keeps 0·log 0 = 0 and a vanishing density finite.
TINY = np.finfo(float).tiny
# Likelihoods look at the density itself, which is 0 at a zero: there rounding-size ε is the honest resolution.
LIKELIHOOD_CLIP = np.finfo(float).eps
CELLS = 2**13  # that more than twice as many scalars are gathered in, to choose a bandwidth
FAR = -700.0  # exp of numbers that underflow takes five times as long
TILE_ENTRIES = 2**15  # entries of a block of kernel rows: two of 256 KB, which stay in the cache


def conditional_frequency(y_true, y_prob, *, at=None, bandwidth, leave_one_out=None):
    """Nadaraya–Watson estimate r̂ of what happens given the prediction (Gruber & Bach, eq. 11).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`; predictions are the centres of the kernel.
    at : array-like, shape (m, d) or (m,), optional
        Where r̂ is wanted; by default at the data themselves.
    bandwidth : float > 0
        Of the kernel: small is narrow.
    leave_one_out : bool, optional
        Leave prediction i out of its own estimate; default True at the data and False elsewhere.

    Returns
    -------
    ndarray, shape (m, d) or (m,)
        Estimated frequencies of the classes (vector input: of class 1), in [0, 1]. Example: `kde_calibration_error`.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, a bad bandwidth, or leave_one_out with `at`.
    """
    (y_true, y_prob), bandwidth = check_predictions(y_true, y_prob), check_number(bandwidth, "bandwidth", above=0)
    if at is not None and leave_one_out:
        raise InputError("leave_one_out", "at=None", hint="it is defined at the data only")
    leave_out = at is None if leave_one_out is None else leave_one_out
    points = y_prob if at is None else check_probabilities(at, "at", min_rows=1)
    if points.shape[1:] != y_prob.shape[1:]:
        raise InputError("at", f"rows of shape {y_prob.shape[1:]}", found=points.shape[1:])
    return frequencies(y_true, y_prob, points, [bandwidth], leave_out)[0]


def frequencies(y_true, y_prob, at, bandwidths, leave_out=False, progress=False):
    """`conditional_frequency` at each bandwidth, (bandwidths, m, d) or (bandwidths, m); inner products are shared."""
    points, centres = two_columns(at), two_columns(y_prob)
    labels, ratio = np.eye(centres.shape[1])[y_true], np.empty((len(bandwidths), *points.shape))
    own = np.full(len(points), -np.inf) if leave_out else None
    for rows, m, _, weight in _weights(points, TINY, centres, bandwidths, own, progress):
        np.matmul(weight, labels, out=ratio[m, rows])
    ratio /= ratio.sum(axis=2, keepdims=True)
    return ratio[:, :, 1] if y_prob.ndim == 1 else ratio


def kde_calibration_error(y_true, y_prob, *, bandwidth=None, notion="canonical", norm=2, leave_one_out=True,
                          progress=False):
    r"""Kernel density estimate of E‖f(X) − r(f(X))‖_q^q, q = `norm` (no root is taken).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. A vector is the binary problem with the scalar error |p − r(p)|^q, whatever the notion
        ("top-label" first reduces it to (hit, confidence)).
    bandwidth : float > 0, optional
        Default: `select_bandwidth` of the (reduced) predictions; for "class-wise", of each class.
    notion : {"canonical", "top-label", "class-wise"}
        Whole vector; (hit, confidence); or the mean over classes k of the error of (1[y = k], p_k).
    norm : float >= 1, default 2
        The q above.
    leave_one_out : bool, default True
        False gives the printed estimator, which tends to the Brier score (norm=2) as the bandwidth
        tends to 0 (errata G9).
    progress : bool
        Show progress bars: the time goes like the square of the rows, and 20 times as long without a bandwidth.

    Returns
    -------
    float
        In [0, 2] (canonical) or [0, 1].

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, an unknown notion, a bad bandwidth or norm < 1; and without a
        bandwidth for predictions that are all equal (see `select_bandwidth`).

    Examples
    --------
    >>> import numpy as np
    >>> from calibtutor import conditional_frequency, kde_calibration_error, select_bandwidth
    >>> y_prob = np.linspace(0.05, 0.95, 200)
    >>> y_true = np.random.default_rng(0).random(200) < y_prob**2  # over-confident everywhere
    >>> conditional_frequency(y_true, y_prob, at=[0.2, 0.8], bandwidth=0.05).round(2)
    array([0.05, 0.57])
    >>> print(f"{kde_calibration_error(y_true, y_prob, bandwidth=0.05):.4f}", f"{select_bandwidth(y_prob):g}")
    0.0424 0.026827
    """
    check_number(norm, "norm", 1)
    errors = []
    for y, p in pairs_of_notion(y_true, y_prob, notion):
        h = select_bandwidth(p, progress=progress) if bandwidth is None else bandwidth
        ratio = frequencies(y, p, p, [check_number(h, "bandwidth", above=0)], leave_one_out, progress)[0]
        errors.append((np.abs(p - ratio) ** norm).sum() / len(p))
    return float(np.mean(errors))


def log_likelihood(y_prob, bandwidths=BANDWIDTHS, progress=False):
    """Leave-one-out log-likelihood of the kernel density of the predictions, one value a bandwidth.

        L(h) = Σ_i log( (n − 1)⁻¹ Σ_{j≠i} k_h(p_i; p_j) )

    Zeros are raised to the machine epsilon 2.2e-16: the kernel's density vanishes there. More than 16,384 scalars are
    gathered in 8,192 cells, whose width is at most an eighth of the kernel's at h = 10⁻⁵. k is a density already; the
    released code of Popordanoska et al. subtracts a further log h for each prediction, which drives the choice to the
    bottom of the grid (errata U1).
    """
    points = two_columns(check_probabilities(y_prob))
    bandwidths = [check_number(h, "bandwidth", above=0) for h in np.atleast_1d(bandwidths)]
    n, total, count = len(points), np.zeros(len(bandwidths)), np.ones(len(points))
    if np.ndim(y_prob) == 1 and n > 2 * CELLS:  # equal in arcsin √p, where the kernel's width is √bandwidth/2
        cell, count = np.unique(np.floor(np.arcsin(np.sqrt(points[:, 1])) * 2 / np.pi * CELLS), return_counts=True)
        points = two_columns(np.sin((cell + 0.5) * np.pi / 2 / CELLS) ** 2)
    with np.errstate(divide="ignore"):  # a prediction alone in its cell is left out whole
        own = np.log(1 - 1 / count)
    for rows, m, highest, weight in _weights(points, LIKELIHOOD_CLIP, points, bandwidths, own, progress, count):
        total[m] += count[rows] @ (highest + np.log(weight.sum(axis=1)))
    return total - n * np.log(n - 1)


def select_bandwidth(y_prob, *, progress=False):
    """Bandwidth of the largest leave-one-out likelihood (see `log_likelihood`). Example: `kde_calibration_error`.

    Parameters
    ----------
    y_prob : array-like of float, shape (n, d) or (n,)
        Predictions, as in `as_predictions`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    float
        Out of 10^-5 … 10^-1 in 15 logarithmic steps, then .2 … 1 in 5 linear ones; the first of equals.

    Raises
    ------
    InputError
        For predictions that `as_predictions` rejects, and for predictions that are all equal: their
        likelihood grows without bound as h → 0, so no bandwidth is best.
    """
    y_prob = check_probabilities(y_prob)
    if (y_prob == y_prob[0]).all():
        wanted, found = "two different predictions to choose a bandwidth by likelihood", f"{len(y_prob)} equal rows"
        raise InputError("y_prob", wanted, found=found, hint="pass bandwidth= instead")
    return float(BANDWIDTHS[np.argmax(log_likelihood(y_prob, progress=progress))])


def log_normaliser(centres, bandwidth):
    """log k(p; centre) without Σ_k centre_k log p_k / bandwidth, a number for each centre (m, d)."""
    alpha = centres / bandwidth + 1
    return gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)


def _weights(points, clip, centres, bandwidths, own, progress, count=1):
    """Tiles (rows, number of the bandwidth, largest log k of each row, count · k over that), of which the next is made.

    `own` is added to log k of a point and the centre with its number, to leave the point itself out.
    """
    log_points = np.log(np.maximum(points, clip))
    normaliser = [log_normaliser(centres, h) + np.log(count) for h in bandwidths]
    for rows in progress_bar(slices(len(log_points), TILE_ENTRIES // len(centres)), shown=progress):
        inner = log_points[rows] @ centres.T  # shared by all bandwidths
        log_kernel, place = np.empty_like(inner), np.arange(rows.start, rows.stop)
        for m, h in enumerate(bandwidths):
            np.multiply(inner, 1 / h, out=log_kernel)
            log_kernel += normaliser[m]
            if own is not None:
                log_kernel[place - rows.start, place] += own[rows]
            highest = log_kernel.max(axis=1)
            log_kernel -= highest[:, None]
            np.maximum(log_kernel, FAR, out=log_kernel)
            yield rows, m, highest, np.exp(log_kernel, out=log_kernel)
