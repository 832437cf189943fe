"""Gaussian, Laplacian and linear plus Gaussian kernels, and the median heuristic for their bandwidths."""

import numpy as np
from scipy.spatial.distance import pdist

from ..door.arrays import as_rows
from ..door.inputs import InputError, check_number, check_rng

MEDIAN_ROWS = 2000  # distances among more rows than this are sampled


def rbf(*, gamma=None, bandwidth=None, width=None):
    """Gaussian kernel in any of the papers' three conventions; give exactly one.

    Parameters
    ----------
    gamma : float > 0
        exp(−γ‖x − y‖²) (Gruber & Bach).
    bandwidth : float > 0
        exp(−‖x − y‖²/(2γ²)) (Moskvichev & Sejdinovic), scikit-learn's ``length_scale``.
    width : float > 0
        exp(−‖x − y‖²/w²) (the code of Vashistha & Farahi).

    Returns
    -------
    sklearn.gaussian_process.kernels.RBF
        With a fixed length scale.

    Raises
    ------
    InputError
        Unless exactly one is given, and positive.
    """
    from sklearn.gaussian_process.kernels import RBF

    given = {k: v for k, v in dict(gamma=gamma, bandwidth=bandwidth, width=width).items() if v is not None}
    if len(given) != 1:
        raise InputError("gamma, bandwidth, width", "exactly one of the three", found=", ".join(given) or "none")
    ((name, value),) = given.items()
    value = check_number(value, name, above=0)
    scale = {"gamma": 1 / np.sqrt(2 * value), "bandwidth": value, "width": value / np.sqrt(2)}[name]
    return RBF(length_scale=scale, length_scale_bounds="fixed")


def laplacian(bandwidth):
    """exp(−‖x − y‖/ν) with the Euclidean norm (Widmann et al.), as ``Matern(nu=0.5, length_scale=ν)``.

    Parameters
    ----------
    bandwidth : float > 0
        ν above.

    Returns
    -------
    sklearn.gaussian_process.kernels.Matern
        With a fixed length scale.

    Raises
    ------
    InputError
        For a bandwidth that is not positive.
    """
    from sklearn.gaussian_process.kernels import Matern

    return Matern(length_scale=check_number(bandwidth, "bandwidth", above=0), length_scale_bounds="fixed", nu=0.5)


def linear_plus_gaussian(bandwidth):
    """⟨x, y⟩ + exp(−‖x − y‖²/(2γ²)) (Moskvichev & Sejdinovic, eq. 8).

    Parameters
    ----------
    bandwidth : float > 0
        γ above, with the error of `laplacian`.

    Returns
    -------
    sklearn.gaussian_process.kernels.Sum
        A `DotProduct` without constant and an `RBF`, both fixed.
    """
    from sklearn.gaussian_process.kernels import DotProduct

    return DotProduct(sigma_0=0, sigma_0_bounds="fixed") + rbf(bandwidth=bandwidth)


def median_bandwidth(X, *, rng=0):
    """Median heuristic: the median of the pairwise Euclidean distances ‖x_i − x_j‖, i < j.

    Parameters
    ----------
    X : array-like, shape (n, d) or (n,)
        With more than 2,000 rows, 2,000 of them are drawn without replacement.
    rng : int, Generator or None, default 0
        Draws the rows, if there are more.

    Returns
    -------
    float
        Above 0. Each model has its own, so sizes from default kernels do not compare: give all models one number.

    Raises
    ------
    InputError
        For fewer than two rows, and where the median is 0 (a constant model, errata C4): no kernel has that bandwidth.
    """
    X = as_rows(X, single=True)
    if len(X) < 2:
        raise InputError("X", "at least 2 rows", found=len(X))
    if len(X) > MEDIAN_ROWS:
        X = X[check_rng(rng).choice(len(X), MEDIAN_ROWS, replace=False)]
    median = float(np.median(pdist(X)))
    if median == 0:
        found, hint = "0: at least half of all pairs are equal", "choose a bandwidth, or a kernel, yourself"
        above = pdist(np.unique(X, axis=0))
        if len(above):
            hint += f", such as laplacian({np.median(above):.3g}): the median distance of different ones"
        raise InputError("X", "a median distance above 0", found=found, hint=hint)
    return median
