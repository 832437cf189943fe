"""Predictions in files, read for the shell command: csv, parquet, npz, or a folder of parquet files.

What is wrong is said in one line that names the file, the row and the column.
"""

import re
import zipfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd

from ..door import as_predictions
from .columns import columns_of_file, columns_or_parts, listed_names

__all__ = ["Rows", "read_rows"]

KINDS = (".csv", ".tsv", ".csv.gz", ".parquet", ".npz")
NOTHING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"]


@dataclass(frozen=True)
class Rows:
    """What `audit` takes, from a file."""

    y_true: pd.Series
    y_prob: pd.DataFrame | pd.Series
    classes: list | None
    groups: pd.DataFrame | None
    features: pd.DataFrame | None
    cluster: np.ndarray | None
    weights: np.ndarray | None
    time: np.ndarray | None


def read_rows(path, columns, take=None):
    """One file, checked.

    Parameters
    ----------
    path : path
        csv (tsv, csv.gz), parquet or npz.
    columns : Columns
    take : ndarray of int, optional
        The rows wanted, when all have been checked; default all.

    Returns
    -------
    Rows

    Raises
    ------
    ValueError
        Naming file, row and column, for what cannot be read, columns that are not there, labels or probabilities that
        `as_predictions` refuses, and gaps where a value is needed.
    OSError
        For a file that is not there.
    """
    table = _table(Path(path), columns)
    names, classes = columns_of_file(path, list(table.columns), columns)
    place = _Place(path)
    for name in names:
        table[name] = _numbers(table[name], name, place)
    for name in [columns.weight] if columns.weight else []:
        table[name] = _numbers(table[name], name, place, least=0)
    for name in filter(None, (columns.label, columns.cluster, columns.time)):
        _no_gap(table[name], name, place)
    labels, prob = table[columns.label], table[names]
    prob.columns = classes if len(names) > 1 else names
    prob = prob if len(names) > 1 else prob.iloc[:, 0].rename(None)
    _check(labels, prob, columns, names, place)
    if take is not None:
        table, labels, prob = table.iloc[take], labels.iloc[take], prob.iloc[take]
    table = table.reset_index(drop=True)
    one = lambda name: table[name].to_numpy() if name else None
    return Rows(
        labels.reset_index(drop=True),
        prob.reset_index(drop=True),
        columns.classes,
        table[list(columns.groups)] if columns.groups else None,
        table[columns_or_parts(columns.features, table)] if columns.features else None,
        one(columns.cluster),
        one(columns.weight),
        one(columns.time),
    )


# --- reading ---


def _table(path, columns):
    """The columns that are asked for, of one file."""
    kind = next((kind for kind in KINDS if path.name.lower().endswith(kind)), None)
    if kind is None:
        raise ValueError(f"{path}: expected a file that ends in {', '.join(KINDS)}, or a folder of parquet files")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        if kind == ".npz":
            table = _of_arrays(path, columns)
        elif kind == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = _of_text(path, columns)
    except (ValueError, OSError, KeyError, EOFError, zipfile.BadZipFile) as error:
        text = " ".join(str(error).split())
        raise ValueError(text if text.startswith(str(path)) else f"{path}: cannot be read as {kind} ({text})") from None
    if not len(table):
        raise ValueError(f"{path}: expected rows, found none")
    table = table.reset_index(drop=table.index.names == [None])  # what pandas wrote as an index is a column of the file
    table.columns = table.columns.map(str)
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise ValueError(f"{path}: column {twice[0]!r} is there twice")
    return table


def _of_text(path, columns):
    """csv; in a column that only names groups "NA" may be Namibia."""
    look = {"sep": "\t" if ".tsv" in path.name.lower() else ",", "keep_default_na": False}
    found = pd.read_csv(path, header=None, nrows=1, dtype=str, **look).iloc[0].tolist()
    twice = [name for name in found if found.count(name) > 1]
    if twice:
        raise ValueError(f"{path}: column {twice[0]!r} is there twice")
    names, _ = columns_of_file(path, found, columns)
    pd.read_csv(path, header=None, nrows=2, **look)  # complains of a first row that is too long, else read as an index
    others = {*columns.features, columns.label, columns.time, columns.cluster, columns.weight, *names}
    groups = [name for name in columns.groups if name not in others]
    nothing = {name: NOTHING for name in found if name not in groups}
    # All columns are read: of rows that are too long nothing is said if only some are.
    table = pd.read_csv(path, dtype=dict.fromkeys(groups, str), na_values=nothing, low_memory=False, **look)
    table = table[list(dict.fromkeys([*names, *columns.others()]))].copy()
    for name in groups:
        table[name] = _group(table[name].str.strip())
    return table


def _group(cells):
    """Numbers if all that is written are numbers, else names."""
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers if (numbers.notna() | cells.isin(NOTHING)).all() else cells.where(cells != "")


def _of_arrays(path, columns):
    """npz: an array a column; a matrix becomes columns named p[0], p[1], …"""
    if not zipfile.is_zipfile(path):
        raise ValueError("numpy.savez writes a zip archive, this is none")
    with np.load(path, allow_pickle=False) as arrays:
        patterns = [*columns.prob, *columns.others()]
        wanted = [name for name in arrays.files if any(fnmatchcase(name, each) for each in patterns)]
        if not wanted:
            raise ValueError(f"{path}: no array {columns.label!r}; the file has {listed_names(arrays.files)}")
        found = {}
        for name in wanted:
            try:
                array = arrays[name]
            except ValueError:
                hint = "save it as numbers or text, array.astype(str)"
                raise ValueError(f"{path}: array {name!r} holds Python objects; {hint}") from None
            if array.ndim not in (1, 2):
                raise ValueError(f"{path}: array {name!r} has shape {array.shape}, expected (n,) or (n, d)")
            if array.ndim == 2 and array.shape[1] > 1:
                found |= {f"{name}[{k}]": column for k, column in enumerate(array.T)}
            else:
                found[name] = array.reshape(len(array))
    lengths = {name: len(column) for name, column in found.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{path}: expected arrays of one length, got {lengths}")
    return pd.DataFrame(found)


# --- checks that know the column ---


class _Place:
    """Where something is wrong: the file, the column, the row, and in a csv its line in an editor."""

    def __init__(self, path):
        self.path, self.is_text = Path(path), not str(path).endswith((".parquet", ".npz"))

    def __call__(self, row, name):
        line = f" (line {row + 2})" if self.is_text else ""
        return f"{self.path}: column {name!r}, row {row}{line}"


def _numbers(column, name, place, least=None):
    """A column of finite numbers, as float."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
        numbers = column.astype(float)
    else:
        numbers = column.map(lambda cell: np.nan if np.ndim(cell) else cell)
        numbers = pd.to_numeric(numbers, errors="coerce").astype(float)
    wrong = ~np.isfinite(numbers.to_numpy(dtype=float, na_value=np.nan))
    wrong |= False if least is None else (numbers < least).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        value = column.iloc[row]
        if np.ndim(value):
            shown = "a list"
        else:
            shown = "nothing" if pd.isna(value) else repr(value) if isinstance(value, str) else f"{value}"
        hint = ", written with a point" if isinstance(value, str) and re.fullmatch(r"-?\d*,\d+", value.strip()) else ""
        at_least = "" if least is None else f" of at least {least}"
        raise ValueError(f"{place(row, name)}: expected a finite number{at_least}{hint}, got {shown}")
    return numbers


def _no_gap(column, name, place):
    gap = column.isna().to_numpy()
    if gap.any():
        row = int(np.argmax(gap))
        raise ValueError(f"{place(row, name)}: expected a value, got nothing; give it one, or leave the row out")


def _check(labels, prob, columns, names, place):
    """Refuse what the one door refuses, in the words of files."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they become rows of the audit's table "data"
            as_predictions(labels, prob, classes=columns.classes, normalise=True)
    except ValueError as error:
        raise ValueError(_of_file(str(error), prob, columns, names, place)) from None


CLASSES = "say --classes, the label of each probability column in order (of one column two: it predicts the second)"
WORDS = [  # what is said of arguments, and what is said of columns
    (r"apply .* first$", "the file needs probabilities: apply softmax, or the sigmoid, first"),
    (r"; rename the columns, or pass y_prob\.to_numpy\(\)", "; leave --classes out, or rename the columns"),
    (r"the names of y_prob's columns", "the classes in the names of the columns"),
    (r"y_prob has no names of classes", "the probabilities have no names of classes"),
]


def _of_file(text, prob, columns, names, place):
    """The door's message, with file, row and column for the arguments of a function."""
    argument, _, said = text.partition(": ")
    row = re.match(r"row (\d+) (is|sums)", said)
    if argument == "y_true" and row:
        said = f"{place(int(row[1]), columns.label)} {said[row.start(2) :].partition('; ')[0]}; {CLASSES}"
    elif argument == "y_prob" and row:
        values = np.atleast_1d(np.asarray(prob.iloc[int(row[1])], dtype=float))
        outside = np.flatnonzero((values < 0) | (values > 1))
        column = names[int(outside[0])] if len(outside) else " + ".join(names) if len(names) < 5 else columns.prob[0]
        said = f"{place(int(row[1]), column)} {said[row.start(2) :]}"
    else:
        said = f"{place.path}: {text}"
    for old, new in WORDS:
        said = re.sub(old, new, said)
    return said
