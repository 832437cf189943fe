"""Arguments that many functions have in common: checked in one place, refused in the same words."""

import numpy as np

__all__ = ["as_rows", "check_count", "check_numbers"]


def check_count(value, name, least=1):
    """Refuse what is not a whole number of at least `least`; True is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}: expected a whole number of at least {least}, got {value!r}")


def check_numbers(values, name, *, columns=0):
    """Finite real numbers in one or two dimensions, as float64; what is something else is refused, not converted.

    A matrix must have at least so many `columns`.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biuf" and array.ndim in (1, 2) and (array.ndim == 1 or array.shape[1] >= columns):
            as_rows(array)
            return array.astype(float, copy=False)
    except ValueError as error:  # ragged, or not finite
        raise ValueError(f"{name}: " + str(error).removeprefix("X: ")) from None
    raise ValueError(f"{name}: expected real numbers, (n, m) or (n,), got dtype {array.dtype}, shape {array.shape}")


def as_rows(X):
    """Rows of numbers: a 1-d score becomes one column."""
    X = np.asarray(X, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    wrong = ~np.isfinite(X).all(axis=tuple(range(1, X.ndim)))
    if wrong.any():
        raise ValueError(f"X: row {int(np.argmax(wrong))} is {X[np.argmax(wrong)]}, expected finite numbers")
    return X
