"""Predictions and labels: the reductions every calibration notion starts from, and checks of other arguments."""

from dataclasses import fields
from numbers import Real

import numpy as np

from .door import as_predictions, check_predictions, check_probabilities
from .reading import reject

__all__ = [
    "Result",
    "as_predictions",
    "as_rows",
    "check_count",
    "check_number",
    "check_numbers",
    "check_predictions",
    "check_probabilities",
    "check_weights",
    "class_wise",
    "one_hot",
    "residuals",
    "top_label",
]


class Result:
    """What a function found: printed on one line, with its arrays counted and not shown; equal to itself alone."""

    def __repr__(self):
        shown = (f"{f.name}={_in_short(getattr(self, f.name))}" for f in fields(self) if not f.name.startswith("_"))
        return f"{type(self).__name__}({', '.join(shown)})"

    def to_dict(self):
        """The named fields as plain Python, which `json.dumps` takes, ``allow_nan=False`` too.

        Returns
        -------
        dict
            Arrays become lists, tables lists of rows, NaN None, ±∞ "inf" and "-inf"; results inside become dicts;
            kernels and other callables the text they print.
        """
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if not f.name.startswith("_")}

    def summary(self):
        """What was found, in a few lines for a person; `to_dict` has the numbers themselves.

        Returns
        -------
        str
            A heading, and a line for each field.
        """
        names = [f.name for f in fields(self) if not f.name.startswith("_")]
        width = max(map(len, names))
        about = (type(self).__doc__ or "").partition("\n")[0]
        lines = [f"    {name:{width}}  {_in_words(getattr(self, name))}" for name in names]
        return "\n".join([f"{type(self).__name__}: {about}", *lines])


def _in_words(value):
    if not isinstance(value, np.ndarray) or not value.size:
        return "none" if value is None else str(value) if isinstance(value, str) else _in_short(value)
    missing = int(np.isnan(value).sum())
    span = f", from {np.nanmin(value):.4g} to {np.nanmax(value):.4g}" if missing < value.size else ""
    return f"{' × '.join(map(str, value.shape))} numbers{span}{f', {missing} missing' if missing else ''}"


def _plain(value):
    """What JSON knows; see `Result.to_dict`."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if np.isfinite(value) else None if np.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "to_dict"):  # a result, or a table of pandas
        return value.to_dict() if isinstance(value, Result) else _plain(value.reset_index().to_dict("records"))
    text = repr(value)
    return text if " at 0x" not in text else f"<{type(value).__name__}>"  # an address is another one tomorrow


def _in_short(value):
    if isinstance(value, np.ndarray):
        return f"<{' × '.join(map(str, value.shape))} numbers>"
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = repr(value)
    return text if len(text) <= 80 and "\n" not in text and " at 0x" not in text else f"<{type(value).__name__}>"


def one_hot(y_true, n_classes):
    """Unit vectors e_y, shape (n, n_classes), of checked integer labels.

    Parameters
    ----------
    y_true : ndarray of int, shape (n,)
        Labels in 0..n_classes − 1.
    n_classes : int
        How many classes there are.

    Returns
    -------
    ndarray, shape (n, n_classes)
        A row for each label.
    """
    return np.eye(n_classes)[y_true]


def residuals(y_true, y_prob):
    """Residuals δ_i = p_i − e_{y_i} (binary vector input: δ_i = p_i − y_i).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
        Labels, as in `as_predictions`.
    y_prob : array-like of float, shape (n, d) or (n,)
        Predictions, as in `as_predictions`.

    Returns
    -------
    ndarray, same shape as `y_prob`
        Values in [−1, 1]; each row of an (n, d) result sums to 0.

    Raises
    ------
    ValueError
        For input that `as_predictions` rejects.

    Notes
    -----
    A model is canonically calibrated when E[δ | f(X)] = 0 (Gruber & Bach, eq. 6).
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    return y_prob - (y_true if y_prob.ndim == 1 else one_hot(y_true, y_prob.shape[1]))


def top_label(y_true, y_prob):
    """Reduce to the top label: whether the most probable class was right, and how sure the model was.

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
        Labels, as in `as_predictions`.
    y_prob : array-like of float, shape (n, d) or (n,)
        A binary vector is read as the two-class problem (1 − p, p).

    Returns
    -------
    hit : ndarray of int, shape (n,)
        1[y = argmax_k p_k]; ties go to the smallest class, as in ``numpy.argmax``.
    confidence : ndarray of float, shape (n,)
        max_k p_k, in [1/d, 1].

    Raises
    ------
    ValueError
        For input that `as_predictions` rejects.

    Notes
    -----
    The pair of Gruber & Bach, eq. 8 (*top-label confidence*; called *confidence calibration* by
    Guo et al. 2017). The paper's binning formulas print argmax where the value max is meant (errata G19).
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if y_prob.ndim == 1:
        y_prob = np.column_stack([1 - y_prob, y_prob])
    return (y_true == y_prob.argmax(axis=1)).astype(np.int64), y_prob.max(axis=1)


def class_wise(y_true, y_prob, k):
    """Reduce to class `k` against the rest: the pair (1[y = k], p_k).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
        Labels, as in `as_predictions`.
    y_prob : array-like of float, shape (n, d) or (n,)
        Predictions, as in `as_predictions`.
    k : int
        Class, 0..d−1 (binary vector: 0 or 1).

    Returns
    -------
    is_k : ndarray of int, shape (n,)
        Whether the label is k.
    probability : ndarray of float, shape (n,)
        What the model said for k.

    Raises
    ------
    ValueError
        For input that `as_predictions` rejects, or a class out of range.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if y_prob.ndim == 1:
        y_prob = np.column_stack([1 - y_prob, y_prob])
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k not in range(y_prob.shape[1]):
        raise ValueError(f"k: expected a class among 0..{y_prob.shape[1] - 1}, got {k!r}")
    return (y_true == k).astype(np.int64), y_prob[:, k]


def check_count(value, name, least=1):
    """Refuse what is not a whole number of at least `least`; True is none.

    Parameters
    ----------
    value : int
        What was given.
    name : str
        What the message calls it.
    least : int
        The smallest that is allowed.

    Raises
    ------
    ValueError
        For anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: expected a whole number of at least {least}, got {value!r}")


def check_number(value, name, least=0, most=np.inf, *, above=-np.inf, below=np.inf):
    """A finite number from `least` to `most`, and strictly between `above` and `below`, as float; True is none.

    Parameters
    ----------
    value : float
        What was given.
    name : str
        What the message calls it.
    least, most : float
        The range, ends included.
    above, below : float
        The range, ends excluded.

    Returns
    -------
    float
        The value.

    Raises
    ------
    ValueError
        For anything else.
    """
    if isinstance(value, Real) and not isinstance(value, bool) and least <= value <= most and above < value < below:
        return float(value)
    if min(most, below) < np.inf:
        ends = f"({above:g}" if above >= least else f"[{least:g}", f"{below:g})" if below <= most else f"{most:g}]"
        wanted = f"a number in {', '.join(ends)}"
    else:
        wanted = "a positive finite number" if above == 0 else f"a finite number of at least {least:g}"
    raise ValueError(f"{name}: expected {wanted}, got {value!r}")


def check_numbers(values, name, *, columns=0, rows=0, vectors=True):
    """Finite real numbers as float64; what is something else is refused, not converted.

    Parameters
    ----------
    values : array-like, shape (n, m) or (n,)
        What was given.
    name : str
        What the message calls it.
    columns, rows : int
        A matrix has at least so many columns, and either at least so many rows.
    vectors : bool
        Whether (n,) is allowed.

    Returns
    -------
    ndarray of float64
        A copy only where the type was another.

    Raises
    ------
    ValueError
        For ragged rows, another type or shape, and numbers that are not finite, with their row.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged
        raise ValueError(f"{name}: {error}") from None
    good = array.dtype.kind in "biuf" and (array.ndim == 2 and array.shape[1] >= columns or array.ndim == 1 and vectors)
    if not good:
        shapes = "(n, m) or (n,)" if vectors else "(n, m)"
        raise ValueError(f"{name}: expected real numbers, {shapes}, got dtype {array.dtype}, shape {array.shape}")
    if len(array) < rows:
        raise ValueError(f"{name}: expected at least {rows} rows, got {len(array)}")
    as_rows(array, name)
    return array.astype(float, copy=False)


def check_weights(weights, n, name="weights", least=2):
    """Refuse weights that are not one number of at least 0 a row.

    Parameters
    ----------
    weights : array-like, shape (n,), or None
        What was given.
    n : int
        How many rows there are.
    name : str
        What the message calls them.
    least : int
        How many of them must be above 0.

    Returns
    -------
    ndarray of float64, shape (n,), or None
        None for None.

    Raises
    ------
    ValueError
        For another shape, a negative weight, or too few above 0.
    """
    if weights is None:
        return None
    weights = check_numbers(weights, name)
    if weights.shape != (n,):
        raise ValueError(f"{name}: expected one number a row, ({n},), got shape {weights.shape}")
    reject(weights < 0, weights[:, None], name, "at least 0")
    if (weights > 0).sum() < least:
        raise ValueError(f"{name}: expected rows whose weight is not zero, at least {least}, got {(weights > 0).sum()}")
    return weights


def as_rows(X, name="X"):
    """Rows of numbers: a 1-d score becomes one column.

    Parameters
    ----------
    X : array-like, shape (n,) or (n, ...)
        Scores, or rows.
    name : str
        What the message calls it.

    Returns
    -------
    ndarray of float, shape (n, 1) or (n, ...)
        The same numbers.

    Raises
    ------
    ValueError
        For a number that is not finite, with its row.
    """
    X = np.asarray(X, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    reject(~np.isfinite(X).all(axis=tuple(range(1, X.ndim))), X, name, "finite numbers")
    return X
