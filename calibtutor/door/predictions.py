"""The one door: labels and probabilities as people have them come in, clean arrays or what to do come out.

Every room calls `check_predictions` first, so that bad input fails in the same words everywhere. `as_predictions` is
the same door for who has something to choose (`classes=`, `normalise=`), and it says what it doubts. Its stages have a
file each: `arrays`, `table`, `probabilities`, `labels`. Then reductions that all notions start from.
"""

import warnings

import numpy as np

from .inputs import InputError, check_choice
from .labels import labels_of
from .probabilities import doubts_of, in_range, in_slices, two_columns
from .table import table_of


def as_predictions(y_true, y_prob, *, classes=None, normalise=False):
    """Labels and probabilities, in whatever shape they are, as the arrays that every function here takes.

    Parameters
    ----------
    y_true : array-like, shape (n,), (n, 1) or (n, d)
        Labels: numbers 0..d−1, booleans, words, categories, or one-hot rows. Whatever `numpy.asarray` reads: lists,
        arrays, pandas objects (nullable and arrow dtypes too), tensors.
    y_prob : array-like of float, shape (n, d), (n, 1) or (n,)
        Probabilities of the d classes, or P(Y = 1). n >= 2, d >= 2. The columns of a DataFrame are classes and are
        found by name ("1", 1 and 1.0 are one name; so are True and 1); of two pandas objects the indexes must be equal.
    classes : sequence of d labels, optional
        The label of each column, in the order of the columns (scikit-learn: ``model.classes_``). For a vector two, and
        y_prob is the probability of the second: ``classes=("no", "yes")``. A DataFrame whose columns have these names
        is put into this order. It is needed wherever the order cannot be known: for words beside columns without
        names, words beside a vector, labels 1..d beside an array. The sorted order is never guessed.
    normalise : bool
        Divide rows by their sum, if no row misses 1 by more than .05, or than rounding to the one or two digits that
        they show explains (d/2 units of the last). A vector stays as it is.

    Returns
    -------
    y_true : ndarray of int64, shape (n,)
        k where the label is that of column k.
    y_prob : ndarray of float64, shape (n, d) or (n,)
        A copy. Columns in the order of `classes`; else 0, …, d − 1 if these are their names; else as they were.

    Raises
    ------
    InputError
        Naming the argument, the first row and what to do: for an order of classes that cannot be known, a label of no
        column, missing or masked values, indexes or lengths that differ, numbers outside [0, 1] (logits, percentages),
        rows that do not sum to 1 ± 1e-5, or, with `normalise`, to 1 ± .05.

    Warns
    -----
    UserWarning
        For a label that never occurs; y_prob of 0 and 1 only (labels that were predicted?); two classes with an area
        under the ROC curve significantly below 1/2, p ≤ .003 (the probability of the other class?); or more classes, if
        labels have more probability with the columns in another order, by 2 + √d standard errors. Of a calibrated model
        the expected sum Σ_i p_i[y_i] is largest in the right order, since the matrix E[p_j p_k] is positive
        semidefinite.

    Notes
    -----
    Every function that takes `(y_true, y_prob)` reads them as this one does, without the two choices and the warnings.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibtutor import as_predictions
    >>> y_prob = pd.DataFrame({"dog": [0.9, 0.3, 0.4], "cat": [0.1, 0.7, 0.6]})
    >>> as_predictions(["dog", "cat", "cat"], y_prob)[0]
    array([0, 1, 1])
    >>> as_predictions(["no", "yes", "yes"], [0.1, 0.7, 0.6], classes=("no", "yes"))
    (array([0, 1, 1]), array([0.1, 0.7, 0.6]))
    >>> as_predictions([0, 1, 1], [[0.6667, 0.3334], [0.25, 0.75], [0.125, 0.875]], normalise=True)[1].round(4)
    array([[0.6666, 0.3334],
           [0.25  , 0.75  ],
           [0.125 , 0.875 ]])
    """
    y_true, y_prob, names = _enter(y_true, y_prob, classes, normalise)
    for doubt in doubts_of(y_true, y_prob, names):
        warnings.warn(doubt, UserWarning, stacklevel=2)
    return y_true, y_prob


def check_predictions(y_true, y_prob, *, as_given=False):
    """Labels and probabilities as `as_predictions` reads them if nothing is chosen, without its warnings.

    `as_given`: no copies of what is float32 or float64 and needs no clipping, for who reads them `in_slices`.
    """
    return _enter(y_true, y_prob, as_given=as_given)[:2]


def _enter(y_true, y_prob, classes=None, normalise=False, as_given=False):
    table, names = table_of(y_prob, classes)
    table = in_range(table, normalise=normalise, as_given=as_given)
    labels = labels_of(y_true, y_prob, table, names, classes)
    return np.array(labels, copy=None if as_given else True), table, names


def residuals(y_true, y_prob):
    """Residuals δ_i = p_i − e_{y_i} (binary vector input: δ_i = p_i − y_i).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.

    Returns
    -------
    ndarray, same shape as `y_prob`
        Values in [−1, 1]; each row of an (n, d) result sums to 0.

    Notes
    -----
    A model is canonically calibrated when E[δ | f(X)] = 0 (Gruber & Bach, eq. 6).
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    return y_prob - (y_true if y_prob.ndim == 1 else y_true[:, None] == np.arange(y_prob.shape[1]))


def top_label(y_true, y_prob):
    """Reduce to the top label: whether the most probable class was right, and how sure the model was.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. A binary vector is read as the two-class problem (1 − p, p).

    Returns
    -------
    hit : ndarray of int, shape (n,)
        1[y = argmax_k p_k]; ties go to the smallest class, as in ``numpy.argmax``.
    confidence : ndarray of float, shape (n,)
        max_k p_k, in [1/d, 1].

    Notes
    -----
    The pair of Gruber & Bach, eq. 8 (*top-label confidence*; called *confidence calibration* by
    Guo et al. 2017). The paper's binning formulas print argmax where the value max is meant (errata G19).
    """
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    hit, confidence = np.empty(len(y_true), dtype=np.int64), np.empty(len(y_true))
    for rows, part in in_slices(y_prob):
        part = two_columns(part)
        hit[rows], confidence[rows] = y_true[rows] == part.argmax(axis=1), part.max(axis=1)
    return hit, confidence


def binary_pair(y_true, y_prob):
    """Checked labels and P(Y = 1) as they are given, float32 too; rows reduced to the top label."""
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    return top_label(y_true, y_prob) if y_prob.ndim == 2 else (y_true, y_prob)


def class_wise(y_true, y_prob, k):
    """Reduce to class `k` against the rest: the pair (1[y = k], p_k).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    k : int
        Class, 0..d−1 (binary vector: 0 or 1).

    Returns
    -------
    is_k : ndarray of int, shape (n,)
        Whether the label is k.
    probability : ndarray of float, shape (n,)
        What the model said for k.
    """
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    y_prob = y_prob if y_prob.ndim == 2 else two_columns(y_prob.astype(float))
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k not in range(y_prob.shape[1]):
        raise InputError("k", f"a class among 0..{y_prob.shape[1] - 1}", found=repr(k))
    return (y_true == k).astype(np.int64), y_prob[:, k].astype(float)


def pairs_of_notion(y_true, y_prob, notion):
    """The pairs (labels, predictions) whose errors a notion averages; a vector is its own but for "top-label"."""
    check_choice(notion, "notion", ("canonical", "top-label", "class-wise"))
    y_true, y_prob = check_predictions(y_true, y_prob)
    if notion == "top-label":
        return [top_label(y_true, y_prob)]
    if notion == "class-wise" and y_prob.ndim == 2:
        return [((y_true == k).astype(np.int64), p) for k, p in enumerate(y_prob.T)]
    return [(y_true, y_prob)]
