"""Bins for whole vectors: the simplex cut into cubes, and the calibration error that such cells give.

With `n_steps` steps along each of d probabilities nearly every prediction soon has a cell of its own: there the
"frequency" is one label. That is why this estimator of the ECE fails where the kernel estimators do not.
"""

import numpy as np
from scipy.sparse import csr_matrix

from .binning import bin_of
from .inputs import InputError, check_count
from .predictions import check_predictions, one_hot


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
        In [0, 1]. Twice this is the L¹ form (Moskvichev & Sejdinovic, eq. 10). Where most cells hold one
        prediction, it measures them and not the model.

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
    y_true, y_prob = _checked(y_true, y_prob, n_steps)
    return float(errors_of_labels(cell_of(y_prob, n_steps), y_prob, y_true[:, None])[0])


def simplex_cells(y_true, y_prob, *, n_steps=6, min_count=5):
    """Bins for whole vectors: predictions whose entries agree when cut into `n_steps` steps share a cell.

    Mean prediction and label frequencies, (m, d), and count, (m,), of each cell of at least `min_count` predictions.
    """
    y_true, y_prob = _checked(y_true, y_prob, n_steps)
    cell = cell_of(y_prob, n_steps)
    count = np.bincount(cell)
    member = csr_matrix((1 / count[cell], (cell, np.arange(len(cell)))))[count >= min_count]
    return member @ y_prob, member @ one_hot(y_true, y_prob.shape[1]), count[count >= min_count]


def cell_of(y_prob, n_steps):
    """Number of each prediction's cell, 0, 1, …; cells are closed on the left, the last step on both sides.

    As in `bin_of`, what is an edge but for its rounding is on it.
    """
    key = n_steps - 1 - bin_of(1 - y_prob, np.arange(n_steps + 1) / n_steps)
    return np.unique(key, axis=0, return_inverse=True)[1].ravel()


def errors_of_labels(cell, y_prob, labels):
    """`simplex_calibration_error` for each column of labels (n, m); `cell` holds the cells' numbers, shape (n,)."""
    rows = np.broadcast_to(np.arange(len(y_prob))[:, None], labels.shape)
    return errors_of_pairs(cell, y_prob, rows, labels)


def errors_of_pairs(cell, y_prob, rows, labels):
    """`simplex_calibration_error` of data sets whose predictions are ``y_prob[rows[:, b]]``, both (n, m)."""
    (n, n_classes), n_draws = y_prob.shape, labels.shape[1]
    # Σ over a cell of p − e_y, for each class and draw: one count a prediction replaces sums over rows.
    draw = np.arange(n_draws)
    times = np.bincount((rows * n_draws + draw).ravel(), minlength=n * n_draws).reshape(n, n_draws)
    member = csr_matrix((np.ones(n), (cell, np.arange(n))))  # most cells of many classes hold few rows
    total = np.zeros(n_draws)
    for k in range(n_classes):
        hits = labels == k
        seen = np.bincount((cell[rows] * n_draws + draw)[hits], minlength=member.shape[0] * n_draws)
        promised = member @ (times * y_prob[:, k : k + 1])
        total += np.abs(promised - seen.reshape(promised.shape)).sum(axis=0)
    return total / (2 * n)


def _checked(y_true, y_prob, n_steps):
    y_true, y_prob = check_predictions(y_true, y_prob)
    if y_prob.ndim == 1:
        raise InputError("y_prob", "shape (n, d)", found="a vector", hint="use reliability_curve")
    check_count(n_steps, "n_steps")
    return y_true, y_prob
