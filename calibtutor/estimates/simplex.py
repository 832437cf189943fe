"""Bins for whole vectors: the simplex cut into cubes, and the calibration error that such cells give."""

import numpy as np

from ..door.inputs import InputError, check_count
from ..door.predictions import check_predictions, residuals
from .binning import bin_of


def simplex_calibration_error(y_true, y_prob, *, n_steps=10):
    """Binned canonical error Σ_cells (n_c/n) ½‖mean p − frequencies‖₁ (poster: ÊCE; total variation distance).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d)
        As in `as_predictions`, but no vector y_prob.
    n_steps : int >= 1
        Equal steps along each probability; predictions that agree in all of them share a cell.

    Returns
    -------
    float
        In [0, 1]. Twice this is the L¹ form (Moskvichev & Sejdinovic, eq. 10). In many classes most cells soon hold one
        prediction and their "frequency" is one label: this measures them and not the model, where kernels do not.

    Raises
    ------
    InputError
        For input that `as_predictions` rejects, a vector y_prob, or n_steps < 1.

    Examples
    --------
    >>> from calibtutor import simplex_calibration_error
    >>> y_true, y_prob = [0, 1, 1], [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]
    >>> print(f"{simplex_calibration_error(y_true, y_prob):.3f}")
    0.267
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if y_prob.ndim == 1:
        raise InputError("y_prob", "shape (n, d)", found="a vector", hint="use reliability_curve")
    check_count(n_steps, "n_steps")
    cell = cell_of(y_prob, n_steps)
    miss = np.zeros((cell.max() + 1, y_prob.shape[1]))  # n_c (mean p − frequencies) of each cell
    np.add.at(miss, cell, residuals(y_true, y_prob))
    return float(np.abs(miss).sum() / (2 * len(cell)))


def cell_of(y_prob, n_steps):
    """Number of each prediction's cell, 0, 1, …; cells are closed on the left, the last step on both sides.

    As in `bin_of`, what is an edge but for its rounding is on it.
    """
    key = n_steps - 1 - bin_of(1 - y_prob, np.arange(n_steps + 1) / n_steps)
    return np.unique(key, axis=0, return_inverse=True)[1].ravel()
