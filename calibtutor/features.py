"""Features of different kinds in one kernel: numbers on their own scale, categories equal or not.

A kernel compares; a column that is measured in dollars decides alone beside one that is 0 or 1, and the number that
codes a category means nothing. So numbers are scaled, and categories get the Kronecker kernel 1[c = c'].
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .inputs import InputError, check_choice, check_number, check_numbers
from .kernels import as_rows, median_bandwidth, rbf

__all__ = ["FeatureSpace", "MixedKernel", "rows_in", "space_of"]


@dataclass(frozen=True)
class MixedKernel:
    """l(x, x') = exp(−‖u − u'‖²/(2σ²)) ∏_c (1[c = c'] + leak · 1[c ≠ c']) on rows (numbers u, codes c).

    σ is the bandwidth, in units of the scaled numbers, of which there are `n_numbers` before the codes; with leak 0
    different categories have nothing in common (Kronecker kernel).
    """

    bandwidth: float
    n_numbers: int
    leak: float = 0.0

    def __post_init__(self):
        check_number(self.bandwidth, "bandwidth", above=0)
        check_number(self.leak, "leak", 0, 1)

    def __call__(self, X, Y=None):
        Y, k = X if Y is None else Y, self.n_numbers
        if min(X.shape[1], Y.shape[1]) < k or X.shape[1] != Y.shape[1]:
            raise InputError("X", f"rows of {k} numbers, then codes", found=f"shapes {X.shape} and {Y.shape}")
        block = np.ones((len(X), len(Y))) if k == 0 else rbf(bandwidth=self.bandwidth)(X[:, :k], Y[:, :k])
        for column in range(k, X.shape[1]):
            same = X[:, column, None] == Y[None, :, column]
            block *= same if self.leak == 0 else np.where(same, 1.0, self.leak)
        return block

    def diag(self, X):
        """The values l(x, x) = 1."""
        return np.ones(len(X))

    def is_stationary(self):
        """Whether l(x, x) is the same for all x, as scikit-learn's kernels say it."""
        return True


class FeatureSpace(TransformerMixin, BaseEstimator):
    """Rows of a table as numbers that `MixedKernel` compares.

    Parameters
    ----------
    categories : list of str, optional
        Columns whose values are names. Default: those that do not hold numbers (text, bool, pandas categories).
    leak : float in [0, 1]
        Of `MixedKernel`.
    missing : {"refuse", "level"}
        "level": a category that is missing is a category of its own; a number that is missing takes the mean, and a
        category beside it says so.

    Attributes
    ----------
    numbers_ : list of str
    gaps_ : list of str
        Those of `numbers_` that miss values in `fit`.
    centre_, scale_ : ndarray
        Mean and standard deviation of each number in `fit`. A constant column gets scale 1: it never separates.
    levels_ : dict
        Column → its categories in `fit`, sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibtutor import FeatureSpace
    >>> space = FeatureSpace().fit(pd.DataFrame({"age": [20, 40, 60], "city": ["A", "B", "A"]}))
    >>> space.transform(pd.DataFrame({"age": [40], "city": ["B"]}))
    array([[0., 1.]])
    """

    def __init__(self, categories=None, *, leak=0.0, missing="refuse"):
        self.categories = categories
        self.leak = leak
        self.missing = missing

    def fit(self, table, y=None):
        """Learn scales and categories.

        Parameters
        ----------
        table : DataFrame, shape (n, m)
            One row a case.
        y : ignored
            It is there for scikit-learn's pipelines.

        Returns
        -------
        FeatureSpace
            Itself.

        Raises
        ------
        InputError
            For anything that is not a table with distinct columns, a missing or infinite value, numbers that are
            complex, categories that cannot be told apart, an unknown name in `categories`, a leak outside [0, 1], or an
            unknown `missing`.
        """
        return self._fit(table, "table")

    def _fit(self, table, called):
        check_choice(self.missing, "missing", ("refuse", "level"))
        table = _checked(table, called, gaps=self.missing == "level")
        check_number(self.leak, "leak", 0, 1)
        if isinstance(self.categories, str):  # would be read letter by letter
            raise InputError("categories", "a list of names", found=repr(self.categories))
        names = [c for c in table if not holds_numbers(table[c])] if self.categories is None else list(self.categories)
        for name in names:
            if name not in table.columns:
                raise InputError("categories", "names of columns", found=repr(name))
        self.numbers_ = [c for c in table if c not in names]
        self.levels_ = {name: _sorted(table[name], f"{called}[{name!r}]") for name in names}
        values = _numbers(table, self.numbers_, called)
        self.gaps_ = [name for name, column in zip(self.numbers_, values.T, strict=True) if np.isnan(column).any()]
        for name, column in zip(self.numbers_, values.T, strict=True):
            if np.isnan(column).all():
                raise InputError(f"{called}[{name!r}]", "some value", found="none", hint="leave the column out")
        self.centre_, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        self.scale_ = np.where(spread > 1e-12 * np.abs(self.centre_), spread, 1.0)
        return self

    def transform(self, table):
        """Scaled numbers, then codes of categories; columns are found by name.

        Parameters
        ----------
        table : DataFrame, shape (n, m)
            Columns that `fit` has not seen are left out.

        Returns
        -------
        ndarray, shape (n, m)
            Columns in the order of `numbers_`, `levels_` and `gaps_`, whatever the table's.

        Raises
        ------
        InputError
            As in `fit`; for a column that is missing or a category that `fit` has not seen, with its row.
        """
        check_is_fitted(self)
        return self._transform(table, "table")

    def _transform(self, table, called):
        table = _checked(table, called, [*self.numbers_, *self.levels_], gaps=self.missing == "level")
        values = _numbers(table, self.numbers_, called)
        gaps = np.isnan(values)
        for name, column in zip(self.numbers_, gaps.T, strict=True):
            if column.any() and name not in self.gaps_:
                raise InputError(f"{called}[{name!r}]", "a value as in `fit`", found="missing", row=np.argmax(column))
        columns = [(np.where(gaps, self.centre_, values) - self.centre_) / self.scale_]
        for name, levels in self.levels_.items():
            code = {level: k for k, level in enumerate(levels)}
            values = _named(table[name])
            for row, value in enumerate(values):
                if not isinstance(value, Hashable) or value not in code:
                    known = ", ".join(map(repr, levels[:8])) + (", …" if len(levels) > 8 else "")
                    raise InputError(f"{called}[{name!r}]", f"one of {known}", found=repr(value), row=row)
            columns.append(np.array([code[value] for value in values], dtype=float)[:, None])
        columns += [gaps[:, [self.numbers_.index(name)]].astype(float) for name in self.gaps_]
        return np.hstack(columns)

    def kernel(self, X, *, bandwidth=None):
        """The kernel for rows of `transform`.

        Parameters
        ----------
        X : ndarray, shape (n, m)
            Rows of `transform`, for the median heuristic.
        bandwidth : float > 0, optional
            σ; default: the median distance between the scaled numbers (1 without numbers, where it has no effect).

        Returns
        -------
        MixedKernel
            With this space's leak.

        Raises
        ------
        InputError
            For rows of another width, a bandwidth that is not positive, or a median distance of 0.
        """
        check_is_fitted(self)
        X, k = as_rows(X), len(self.numbers_)
        width = k + len(self.levels_) + len(self.gaps_)
        if X.ndim != 2 or X.shape[1] != width:
            raise InputError("X", f"rows of `transform`, {width} columns", found=f"shape {X.shape}")
        if bandwidth is None:
            bandwidth = median_bandwidth(X[:, :k]) if k else 1.0
        return MixedKernel(bandwidth, k, self.leak)


def space_of(features):
    """A fitted `FeatureSpace` of a table or an array; columns with two values, and those of names, are categories.

    None for an array without such columns. A table may have gaps, an array may not.
    """
    table = _as_table(features, "features")
    names = [c for c in table if not holds_numbers(table[c]) or table[c].nunique() == 2]
    if not names and table is not features:
        return None
    return FeatureSpace(names, missing="level")._fit(table, "features")


def rows_in(space, features, name="features"):
    """Rows of a table or an array in a space of `space_of`; errors name the argument."""
    return space._transform(_as_table(features, name), name)


def _as_table(features, name):
    return features if hasattr(features, "columns") else pd.DataFrame(as_rows(check_numbers(features, name, columns=1)))


def holds_numbers(column):
    """Whether a column of a table holds numbers; truth values are names."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _checked(table, called, names=None, *, gaps=False):
    """The columns that are asked for, without gaps unless these are allowed."""
    if not isinstance(table, pd.DataFrame):
        raise InputError(called, "a pandas DataFrame", found=type(table).__name__)
    if not table.size or not table.columns.is_unique:
        raise InputError(called, "rows, and columns with distinct names", found=f"shape {table.shape}")
    for name in [] if names is None else names:
        if name not in table.columns:
            raise InputError(called, f"a column {name!r}", found=", ".join(map(str, table.columns)))
    table = table if names is None else table[names]
    missing = table.isna().to_numpy()
    if missing.any() and not gaps:
        row, column = np.argwhere(missing)[0]
        where, hint = f"{called}[{table.columns[column]!r}]", 'missing="level" takes such rows'
        raise InputError(where, "a value", found="missing", row=row, hint=hint)
    return table


def _numbers(table, names, called):
    for name in names:
        if not holds_numbers(table[name]) or pd.api.types.is_complex_dtype(table[name]):
            raise InputError(f"{called}[{name!r}]", "real numbers, or its name in categories", found=table[name].dtype)
    values = table[names].to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise InputError(f"{called}[{names[column]!r}]", "a finite number", found=values[row, column], row=row)
    return values


def _named(column):
    """The values of a category as a list, None where one is missing."""
    return column.astype(object).where(column.notna(), None).tolist()


def _sorted(column, called):
    try:
        return sorted(set(_named(column)), key=lambda value: (type(value).__name__, value))
    except TypeError as error:  # lists, say
        raise InputError(called, "names that can be sorted", hint=str(error)) from None
