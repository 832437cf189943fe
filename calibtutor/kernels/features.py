"""Features of different kinds in one kernel: numbers on their own scale, categories equal or not.

A kernel compares; a column that is measured in dollars decides alone beside one that is 0 or 1, and the number that
codes a category means nothing. So numbers are scaled, and categories get the Kronecker kernel 1[c = c'].
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..door.arrays import as_array, as_rows, check_numbers
from ..door.inputs import InputError
from ..door.table import listed, names_of_columns
from .families import median_bandwidth, rbf


@dataclass(frozen=True)
class MixedKernel:
    """l(x, x') = exp(−‖u − u'‖²/(2σ²)) ∏_c 1[c = c'], σ the bandwidth, on rows: `n_numbers` numbers u, then codes c."""

    bandwidth: float
    n_numbers: int

    def __call__(self, X, Y=None):
        Y, k = X if Y is None else Y, self.n_numbers
        if min(X.shape[1], Y.shape[1]) < k or X.shape[1] != Y.shape[1]:
            raise InputError("X", f"rows of {k} numbers, then codes", found=f"shapes {X.shape} and {Y.shape}")
        block = np.ones((len(X), len(Y))) if k == 0 else rbf(bandwidth=self.bandwidth)(X[:, :k], Y[:, :k])
        for column in range(k, X.shape[1]):
            block *= X[:, column, None] == Y[None, :, column]
        return block

    def diag(self, X):
        """The values l(x, x) = 1."""
        return np.ones(len(X))

    def is_stationary(self):
        """Whether l(x, x) is the same for all x, as scikit-learn's kernels say it."""
        return True


class FeatureSpace:
    """Rows of a table as numbers that `MixedKernel` compares.

    Columns of names, of truth values or of two values are categories, a missing one a category of its own. Other
    numbers are scaled; a missing one takes the mean, and a category beside it says so.

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

    def fit(self, table, name="table"):
        """Learn scales and categories.

        Parameters
        ----------
        table : DataFrame, or table of polars or arrow, shape (n, m)
            One row a case.
        name : str
            What errors call it.

        Returns
        -------
        FeatureSpace
            Itself.

        Raises
        ------
        InputError
            For anything that is not a table with distinct columns, an infinite or complex number, a number that is
            always missing, or categories that cannot be told apart.
        """
        table = _checked(table, name)
        categories = [c for c in table if not holds_numbers(table[c]) or table[c].nunique() == 2]
        self.levels_ = {column: _sorted(table[column], f"{name}[{column!r}]") for column in categories}
        self.numbers_ = [column for column in table if column not in categories]
        values = _numbers(table, self.numbers_, name)
        gaps = dict(zip(self.numbers_, np.isnan(values).T, strict=True))
        for column, missing in gaps.items():
            if missing.all():
                raise InputError(f"{name}[{column!r}]", "some value", found="none", hint="leave the column out")
        self.gaps_ = [column for column, missing in gaps.items() if missing.any()]
        self.centre_, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        self.scale_ = np.where(spread > 1e-12 * np.abs(self.centre_), spread, 1.0)
        return self

    def transform(self, table, name="table"):
        """Scaled numbers, then codes of categories; columns are found by name.

        Parameters
        ----------
        table : DataFrame, or table of polars or arrow, shape (n, m)
            Columns that `fit` has not seen are left out.
        name : str
            As in `fit`.

        Returns
        -------
        ndarray, shape (n, m)
            Columns in the order of `numbers_`, `levels_` and `gaps_`, whatever the table's.

        Raises
        ------
        InputError
            As in `fit`; for a column that is missing, a category or a gap that `fit` has not seen, with its row.
        """
        table = _checked(table, name, [*self.numbers_, *self.levels_])
        values = _numbers(table, self.numbers_, name)
        gaps = np.isnan(values)
        for column, missing in zip(self.numbers_, gaps.T, strict=True):
            if missing.any() and column not in self.gaps_:
                row = np.argmax(missing)
                raise InputError(f"{name}[{column!r}]", "a value as in `fit`", found="missing", row=row)
        columns = [(np.where(gaps, self.centre_, values) - self.centre_) / self.scale_]
        for column, levels in self.levels_.items():
            code, values = {level: k for k, level in enumerate(levels)}, _named(table[column])
            for row, value in enumerate(values):
                if not isinstance(value, Hashable) or value not in code:
                    raise InputError(f"{name}[{column!r}]", f"one of {listed(levels)}", found=repr(value), row=row)
            columns.append(np.array([[code[value]] for value in values], dtype=float))
        columns += [gaps[:, [self.numbers_.index(column)]] for column in self.gaps_]
        return np.hstack(columns)

    def kernel(self, X):
        """The kernel for rows of `transform`.

        Parameters
        ----------
        X : ndarray, shape (n, m)
            Rows of `transform`: σ is the median distance of their numbers (1 without numbers, where it has no effect).

        Returns
        -------
        MixedKernel
            Of these columns.

        Raises
        ------
        InputError
            For a median distance of 0.
        """
        k = len(self.numbers_)
        return MixedKernel(median_bandwidth(as_rows(X)[:, :k]) if k else 1.0, k)


def space_of(features):
    """A fitted `FeatureSpace` of a table or an array; None for an array without columns of two values."""
    space = FeatureSpace().fit(as_table(features), "features")
    return space if space.levels_ or hasattr(features, "columns") else None


def as_table(features, name="features"):
    """A table as it is, an array as one."""
    if hasattr(features, "columns"):
        return features
    array = as_array(features, name)
    names = array.ndim == 1 and array.dtype.kind in "OTU"
    return pd.DataFrame(array if names else as_rows(check_numbers(array, name, columns=1)))


def as_frame(values, name):
    """A table of another library (polars, arrow) as a DataFrame, column by column; anything else as it is."""
    if isinstance(values, pd.DataFrame) or not hasattr(values, "columns"):
        return values
    if hasattr(values, "collect"):
        raise InputError(name, "a table", found=f"a {type(values).__name__}", hint=f"pass {name}.collect()")
    return pd.DataFrame({column: np.asarray(values[column]) for column in names_of_columns(values, name)})


def holds_numbers(column):
    """Whether a column of a table holds numbers; truth values are names."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _checked(table, name, columns=None):
    """The columns that are asked for."""
    table = as_frame(table, name)
    if not isinstance(table, pd.DataFrame):
        raise InputError(name, "a table, as of pandas", found=type(table).__name__)
    if not table.size or not table.columns.is_unique:
        raise InputError(name, "rows, and columns with distinct names", found=f"shape {table.shape}")
    for column in columns or []:
        if column not in table.columns:
            raise InputError(name, f"a column {column!r}", found=", ".join(map(str, table.columns)))
    return table if columns is None else table[columns]


def _numbers(table, columns, name):
    for column in columns:
        if not holds_numbers(table[column]) or pd.api.types.is_complex_dtype(table[column]):
            raise InputError(f"{name}[{column!r}]", "real numbers", found=table[column].dtype)
    values = table[columns].to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise InputError(f"{name}[{columns[column]!r}]", "a finite number", found=values[row, column], row=row)
    return values


def _named(column):
    """The values of a category as a list, None where one is missing."""
    return column.astype(object).where(column.notna(), None).tolist()


def _sorted(column, name):
    try:
        return sorted(set(_named(column)), key=lambda value: (type(value).__name__, value))
    except TypeError as error:  # lists, say
        raise InputError(name, "names that can be sorted", hint=str(error)) from None
