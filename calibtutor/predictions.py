"""Predictions and labels: one set of checks, and the reductions every calibration notion starts from.

All rooms call :func:`check_predictions` first, so bad input fails in the same words everywhere.
"""

from dataclasses import fields
from numbers import Real

import numpy as np

__all__ = [
    "Result",
    "as_rows",
    "check_count",
    "check_number",
    "check_numbers",
    "check_predictions",
    "class_wise",
    "one_hot",
    "residuals",
    "top_label",
]

# Softmax outputs stored as float32 miss 1 by a few 1e-7; anything beyond 1e-5 is not a rounding error.
SUM_TOLERANCE = 1e-5


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


def check_predictions(y_true, y_prob):
    """Check labels and predicted probabilities; return them as clean arrays.

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
        Labels ``0..d-1`` (booleans and whole-number floats are accepted); binary: 0 or 1.
    y_prob : array-like of float, shape (n, d) or (n,)
        Predicted probabilities: rows on the simplex, or P(Y = 1) for a binary problem. n >= 2, d >= 2.

    Returns
    -------
    y_true : ndarray of int, shape (n,)
    y_prob : ndarray of float64, shape (n, d) or (n,)

    Raises
    ------
    ValueError
        Naming the argument, the first offending row and what was expected.
    """
    indexes = [getattr(values, "index", None) for values in (y_true, y_prob)]  # of a list it is a method
    y_prob = check_probabilities(y_prob)
    y_true = _as_numbers(y_true, "y_true")
    if y_true.ndim != 1:
        raise ValueError(f"y_true: expected labels of shape (n,), got shape {y_true.shape}")
    if len(y_true) != len(y_prob):
        raise ValueError(f"y_true and y_prob: expected equal lengths, got {len(y_true)} and {len(y_prob)} rows")
    if not any(index is None or callable(index) for index in indexes) and not indexes[0].equals(indexes[1]):
        row = int(np.argmin(indexes[0] == indexes[1]))
        found = f"{indexes[0][row]} and {indexes[1][row]}"
        raise ValueError(f"y_true and y_prob: expected equal indexes, row {row} has {found}; align them first")
    n_classes = 2 if y_prob.ndim == 1 else y_prob.shape[1]
    wrong = ~np.isin(y_true, np.arange(n_classes))  # catches NaN, fractions and labels out of range at once
    if wrong.any():
        row = int(np.argmax(wrong))
        hint = "; labels that start at 1: subtract 1" if y_true.min() >= 1 else ""
        raise ValueError(f"y_true: row {row} is {y_true[row]}, expected a label among 0..{n_classes - 1}{hint}")
    return y_true.astype(np.int64), y_prob


def check_probabilities(y_prob, name="y_prob", min_rows=2):
    """Check predicted probabilities alone; return float64 of shape (n, d) or (n,). See `check_predictions`."""
    y_prob = _as_numbers(y_prob, name)
    if y_prob.ndim not in (1, 2):
        raise ValueError(f"{name}: expected shape (n, d) or (n,), got shape {y_prob.shape}")
    if len(y_prob) < min_rows:
        raise ValueError(f"{name}: expected at least {min_rows} rows, got {len(y_prob)}")
    if y_prob.ndim == 2 and y_prob.shape[1] < 2:
        raise ValueError(
            f"{name}: expected at least 2 columns, got {y_prob.shape[1]}; "
            "pass binary probabilities P(Y = 1) as a vector of shape (n,)"
        )
    by_row = y_prob[:, None] if y_prob.ndim == 1 else y_prob
    wrong = ~np.isfinite(by_row).all(axis=1)
    _reject(wrong, by_row, name, "expected finite numbers")
    wrong = ((by_row < 0) | (by_row > 1 + SUM_TOLERANCE)).any(axis=1)
    _reject(wrong, by_row, name, "expected probabilities between 0 and 1")
    if y_prob.ndim == 2:
        total = y_prob.sum(axis=1)
        wrong = np.abs(total - 1) > SUM_TOLERANCE
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"{name}: row {row} sums to {total[row]:.6g}, expected 1")
    return np.minimum(y_prob, 1.0)


def one_hot(y_true, n_classes):
    """Unit vectors e_y, shape (n, n_classes), of checked integer labels."""
    return np.eye(n_classes)[y_true]


def residuals(y_true, y_prob):
    """Residuals δ_i = p_i − e_{y_i} (binary vector input: δ_i = p_i − y_i).

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
    y_prob : array-like of float, shape (n, d) or (n,)

    Returns
    -------
    ndarray, same shape as `y_prob`
        Values in [−1, 1]; each row of an (n, d) result sums to 0.

    Raises
    ------
    ValueError
        For input that `check_predictions` rejects.

    Notes
    -----
    A model is canonically calibrated when E[δ | f(X)] = 0 (Gruber & Bach, eq. 6).
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    return y_prob - (y_true if y_prob.ndim == 1 else one_hot(y_true, y_prob.shape[1]))


def top_label(y_true, y_prob):
    """Reduce to the top label: was the most probable class right, and how sure was the model?

    Parameters
    ----------
    y_true : array-like of int, shape (n,)
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
        For input that `check_predictions` rejects.

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
    y_prob : array-like of float, shape (n, d) or (n,)
    k : int
        Class, 0..d−1 (binary vector: 0 or 1).

    Returns
    -------
    is_k : ndarray of int, shape (n,)
    probability : ndarray of float, shape (n,)

    Raises
    ------
    ValueError
        For input that `check_predictions` rejects, or a class out of range.
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    if y_prob.ndim == 1:
        y_prob = np.column_stack([1 - y_prob, y_prob])
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k not in range(y_prob.shape[1]):
        raise ValueError(f"k: expected a class among 0..{y_prob.shape[1] - 1}, got {k!r}")
    return (y_true == k).astype(np.int64), y_prob[:, k]


def _as_numbers(values, name):
    """A real-valued array that owes nothing to silent conversion (objects and strings are refused)."""
    if np.ma.is_masked(values):  # asarray would bring back what the mask hides
        row = int(np.argwhere(np.ma.getmaskarray(values))[0][0])
        raise ValueError(f"{name}: row {row} is masked, expected numbers; leave such rows out")
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged rows
        raise ValueError(f"{name}: expected a rectangular array of numbers ({error})") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected real numbers, got dtype {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{name}: expected at least one row, got an empty array of shape {array.shape}")
    return array.astype(np.float64)


def _reject(wrong, rows, name, expected):
    if wrong.any():
        row = int(np.argmax(wrong))
        shown = rows[row, 0] if rows.shape[1] == 1 else np.array2string(rows[row], precision=4, threshold=8)
        raise ValueError(f"{name}: row {row} is {shown}, {expected}")


def check_count(value, name, least=1):
    """Refuse what is not a whole number of at least `least`; True is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: expected a whole number of at least {least}, got {value!r}")


def check_number(value, name, least=0, most=np.inf, *, above=-np.inf, below=np.inf):
    """A finite number from `least` to `most`, and strictly between `above` and `below`, as float; True is none."""
    if isinstance(value, Real) and not isinstance(value, bool) and least <= value <= most and above < value < below:
        return float(value)
    if min(most, below) < np.inf:
        ends = f"({above:g}" if above >= least else f"[{least:g}", f"{below:g})" if below <= most else f"{most:g}]"
        wanted = f"a number in {', '.join(ends)}"
    else:
        wanted = "a positive finite number" if above == 0 else f"a finite number of at least {least:g}"
    raise ValueError(f"{name}: expected {wanted}, got {value!r}")


def check_numbers(values, name, *, columns=0, rows=0, vectors=True):
    """Finite real numbers, (n, m) or (n,), as float64; what is something else is refused, not converted.

    At least so many `rows`, and `columns` of a matrix; vectors may be refused too.
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


def as_rows(X, name="X"):
    """Rows of numbers: a 1-d score becomes one column."""
    X = np.asarray(X, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    _reject(~np.isfinite(X).all(axis=tuple(range(1, X.ndim))), X, name, "expected finite numbers")
    return X
