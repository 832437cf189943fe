"""The first stage of the door, and of all else that comes as rows: what was given becomes an array, or is refused.

A list, a table of another library, a tensor, what is masked or sparse. Nothing is guessed, and pandas is loaded only
for what plain arrays are not.
"""

import numpy as np

from .inputs import InputError, reject

NUMBERS = "biuf"  # kinds of dtype: boolean, integer, unsigned, float
OBJECTS = {"boolean": bool, "integer": np.int64, "floating": float, "mixed-integer-float": float, "decimal": float}
FEWEST_CLUSTERS = 30


def as_array(values, name):
    """What numpy makes of it, where that hides nothing: no masked value, no string read as a number."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):  # asarray would bring back what it hides
        row = np.argwhere(np.ma.getmaskarray(values))[0][0]
        raise InputError(name, "a value", found="masked", row=row, hint="leave such rows out")
    if hasattr(values, "toarray"):
        raise InputError(name, "an array", found=f"a sparse {type(values).__name__}", hint=f"pass {name}.toarray()")
    try:
        if hasattr(values, "iloc") and np.ndim(values) == 2:
            array = _of_frame(values)
        elif hasattr(values, "isna") and not isinstance(values.dtype, np.dtype):
            array = _of_extension(values)
        else:
            array = np.asarray(values)
        if array.dtype.kind == "V" and array.dtype.names is None and np.can_cast(array.dtype, float):
            return array.astype(float)  # bfloat16 and its like of ml_dtypes, exactly
        return of_objects(array) if array.dtype == object and array.size else array
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:  # ragged; with a gradient; 10²⁰
        hint = f"{error}: pass {name}.float()" if "BFloat16" in str(error) else str(error)  # torch's
        raise InputError(name, "a rectangular array of numbers", hint=hint) from None


def _of_frame(frame):
    if all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in frame.dtypes):
        return np.asarray(frame)  # beside other kinds, numbers would become objects
    columns = [frame.iloc[:, k] for k in range(frame.shape[1])]
    return np.column_stack([c if isinstance(c.dtype, np.dtype) else _of_extension(c) for c in columns])


def _of_extension(values):
    """A column of pandas' own dtypes; a missing number is NaN."""
    kind = values.dtype.kind
    if kind not in NUMBERS:
        return np.asarray(values)
    if values.isna().any():
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return values.to_numpy(dtype={"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}[kind])


def of_objects(array):
    """Objects that are all numbers as numbers, a missing one as NaN; others as they are."""
    import pandas as pd  # what is known of objects without a loop; not loaded for plain arrays

    dtype = OBJECTS.get(pd.api.types.infer_dtype(array.ravel(), skipna=True))
    if dtype is None:
        return array
    missing = pd.isna(array)
    return np.where(missing, np.nan, array).astype(float) if missing.any() else array.astype(dtype)


def check_numbers(values, name, *, columns=0):
    """Finite real numbers as float64, (n,) or (n, m) with so many columns; what is something else is not converted.

    A copy only where the type was another.
    """
    array = as_array(values, name)
    if array.dtype.kind not in NUMBERS or array.ndim not in (1, 2) or array.ndim == 2 and array.shape[1] < columns:
        raise InputError(name, "real numbers, (n, m) or (n,)", found=f"dtype {array.dtype}, shape {array.shape}")
    as_rows(array, name)
    return array.astype(float, copy=False)


def as_rows(X, name="X", single=False):
    """Rows of finite numbers, `single` precision as it stands: a 1-d score becomes one column."""
    X = np.asarray(X, dtype=np.float32 if single and getattr(X, "dtype", None) == np.float32 else float)
    X = X[:, None] if X.ndim == 1 else X
    reject(~np.isfinite(X).all(axis=tuple(range(1, X.ndim))), X, name, "finite numbers")
    return X


def check_weights(weights, n, name="weights", least=2):
    """Weights as float64, one number of at least 0 a row and at least so many above 0; None for None."""
    if weights is None:
        return None
    weights = check_numbers(weights, name)
    if weights.shape != (n,):
        raise InputError(name, f"one number a row, ({n},)", found=f"shape {weights.shape}")
    reject(weights < 0, weights[:, None], name, "at least 0")
    if (weights > 0).sum() < least:
        raise InputError(name, f"rows whose weight is not zero, at least {least}", found=(weights > 0).sum())
    return weights


def check_clusters(cluster, y_prob):
    """Numbers of clusters, (n,), or None."""
    if cluster is None:
        return None
    values = as_array(cluster, "cluster")
    if values.shape != (len(y_prob),):
        raise InputError("cluster", f"one name a row, ({len(y_prob)},)", found=f"shape {values.shape}")
    from pandas import factorize

    codes, names = factorize(values)
    reject(codes < 0, values[:, None], "cluster", "a name", "give it one, or leave the row out")
    if len(names) < FEWEST_CLUSTERS:
        raise InputError("cluster", f"at least {FEWEST_CLUSTERS} clusters", found=len(names), hint="too few to tell")
    return codes
