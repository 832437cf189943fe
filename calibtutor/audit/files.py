"""Predictions in files, read for the shell command: csv, parquet, npz, or a folder of parquet files.

What is wrong is said in one line that names the file, the row and the column.
"""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from ..predictions import as_predictions
from .columns import Form, columns_of_file, columns_or_parts, listed_names, may_be_cases
from .inputs import PERIODS
from .tables import in_numbers, table_of

__all__ = ["Rows", "read_rows"]


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
    cases: pd.DataFrame  # hashes of the columns that `may_be_cases`
    left_out: int = 0  # rows of the file, for their gaps
    gaps: dict = field(default_factory=dict)  # how many of these had one, by column


def read_rows(path, columns, take=None, form=None):
    """One file, checked.

    Parameters
    ----------
    path : path
        A file of csv (tsv, csv.gz), parquet or npz.
    columns : Columns
    take : ndarray of int, optional
        The rows wanted, when all have been checked; default all.
    form : Form, optional

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
    form = Form() if form is None else form
    table = table_of(Path(path), columns, form)
    names, classes = columns_of_file(path, list(table.columns), columns)
    others = may_be_cases(list(table.columns), columns, names)
    place = _Place(path, len(table))
    needed = [columns.label, *names, columns.weight, columns.cluster, columns.time]
    table, left_out, gaps = _without_gaps(table, dict.fromkeys(filter(None, needed)), place, form.drop_missing)
    for name in names:
        table[name] = _numbers(table[name], name, place, form.decimal) / (100 if form.percent else 1)
    for name in [columns.weight] if columns.weight else []:
        table[name] = _numbers(table[name], name, place, form.decimal, least=0)
    labels, prob = table[columns.label], table[names]
    prob.columns = classes if len(names) > 1 else names
    prob = prob if len(names) > 1 else prob.iloc[:, 0].rename(None)
    _check(labels, prob, columns, names, place)
    times = _times(table[columns.time], columns.time, place, form.date_format) if columns.time else None
    if take is not None:
        table, labels, prob = table.iloc[take], labels.iloc[take], prob.iloc[take]
        times = times.iloc[take] if columns.time else None
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
        times.to_numpy() if columns.time else None,
        table[others].apply(_hashes),
        left_out,
        gaps,
    )


def _hashes(column):
    """A number a value; of lists, and what else Python cannot hash, those of their text."""
    column = column.astype(str) if column.dtype == object else column
    return pd.util.hash_pandas_object(column, index=False)


# --- checks that know the column ---


class _Place:
    """Where something is wrong: the file, the column, the row, and in a csv its line in an editor."""

    def __init__(self, path, n):
        self.path, self.is_text = Path(path), not str(path).endswith((".parquet", ".npz"))
        self.rows = np.arange(n)  # of the file, those that are still there

    def __call__(self, row, name):
        row = self.rows[row]
        line = f" (line {row + 2})" if self.is_text else ""
        return f"{self.path}: column {name!r}, row {row}{line}"


def _numbers(column, name, place, decimal, least=None):
    """A column of finite numbers, as float."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
        numbers = column.astype(float)
    else:
        numbers = column.map(lambda cell: np.nan if np.ndim(cell) else cell)
        numbers = in_numbers(numbers, decimal).astype(float)
    wrong = ~np.isfinite(numbers.to_numpy(dtype=float, na_value=np.nan))
    wrong |= False if least is None else (numbers < least).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        value = column.iloc[row]
        shown = "a list" if np.ndim(value) else repr(value) if isinstance(value, str) else f"{value}"
        at_least, written, hint = "" if least is None else f" of at least {least}", "", ""
        other = {".": ",", ",": "."}[decimal]
        if isinstance(value, str) and re.fullmatch(rf"-?[\d.,]*[{other}]\d+", value.strip()):
            written = f", written with a {'point' if decimal == '.' else 'comma'}"
            hint = "; if all have decimal commas, say --decimal ','" if decimal == "." and place.is_text else ""
        raise ValueError(f"{place(row, name)}: expected a finite number{at_least}{written}, got {shown}{hint}")
    return numbers


def _without_gaps(table, needed, place, drop):
    """The rows with a value in each of the columns, how many have none, and in which column how many."""
    gap = {name: table[name].isna().to_numpy() for name in needed}
    gap = {name: rows for name, rows in gap.items() if rows.any()}
    if not gap:
        return table, 0, {}
    rows = np.logical_or.reduce(list(gap.values()))
    name = next(iter(gap))
    if not drop:
        many = f"rows with a gap in {listed_names(list(gap))}: {rows.sum():,} of {len(rows):,}"
        got = f"{place(int(np.argmax(gap[name])), name)}: expected a value, got nothing"
        raise ValueError(f"{got}; {many}; give them values, or --drop-missing")
    if rows.all():
        raise ValueError(f"{place.path}: each of the {len(rows):,} rows has a gap in {listed_names(list(gap))}")
    place.rows = np.flatnonzero(~rows)
    kept = table[~rows].reset_index(drop=True)
    return kept, int(rows.sum()), {name: int(each.sum()) for name, each in gap.items()}


SWAPS = re.compile(r"(\d{1,2})([/.-])\d{1,2}\2(\d{4}|\d{2})( \d{1,2}:\d{2}(:\d{2})?)?")


def _times(column, name, place, date_format):
    """Periods, numbers or dates; of a date in which day and month could be swapped, the format must be told."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.nunique() > PERIODS:
        column = column.astype(column.cat.categories.dtype)
    column = column.infer_objects()
    is_date = pd.api.types.is_datetime64_any_dtype(column.dtype)
    if date_format and not is_date:
        dates = pd.to_datetime(column.astype(str).str.strip(), format=date_format, errors="coerce")
        if dates.isna().any():
            row = int(np.argmax(dates.isna().to_numpy()))
            raise ValueError(f"{place(row, name)}: expected a date written as {date_format}, got {str(column[row])!r}")
        return dates
    if not (column.dtype == object or isinstance(column.dtype, pd.StringDtype)):
        return column
    for row, value in column.drop_duplicates().items():
        seen = SWAPS.fullmatch(str(value).strip())
        if seen:
            clock = "" if not seen[4] else " %H:%M:%S" if seen[5] else " %H:%M"
            first, second = (f"{each}{seen[2]}%{'Y' if len(seen[3]) == 4 else 'y'}{clock}"
                             for each in (f"%d{seen[2]}%m", f"%m{seen[2]}%d"))  # fmt: skip
            raise ValueError(
                f"{place(row, name)}: expected a date such as 2024-01-31, got {value!r}, in which day and month could "
                f"be swapped; say --date-format '{first}' (or '{second}', if the month comes first)"
            )
    if column.nunique() > PERIODS:
        wrong = pd.to_datetime(column, format="ISO8601", errors="coerce").isna().to_numpy()
        if wrong.any():
            row = int(np.argmax(wrong))
            wanted = f"a number, a date such as 2024-01-31, or one of at most {PERIODS} names"
            hint = "of dates that are written in another way say the --date-format"
            raise ValueError(f"{place(row, name)}: expected {wanted}, got {str(column[row])!r}; {hint}")
    return column


def _check(labels, prob, columns, names, place):
    """Refuse what the one door refuses, in the words of files."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they become rows of the audit's table "data"
            as_predictions(labels, prob, classes=columns.classes, normalise=True)
    except ValueError as error:
        raise ValueError(_of_file(str(error), labels, prob, columns, names, place)) from None


CLASSES = "say --classes, the label of each probability column in order (of one column two: it predicts the second)"


def _order_of_two(labels, label, name):
    """The option to paste, of one column of probabilities and labels that are words."""
    found = sorted(map(str, labels.unique()))
    if len(found) != 2:
        has = f"column {label!r} has {listed_names(found)}"
        return f"{CLASSES}; {has}, one column of probabilities is for two"
    options = (f"--classes {shlex.quote(','.join(order))} if {name} is P({order[1]})" for order in (found, found[::-1]))
    return f"say {', '.join(options)}"


WORDS = [  # what is said of arguments, and what is said of columns
    (r"percentages: divide by 100", "percentages: say --percent"),
    (r"apply .* first$", "the file needs probabilities: apply softmax, or the sigmoid, first"),
    (r"; rename the columns, or pass y_prob\.to_numpy\(\)", "; leave --classes out, or rename the columns"),
    (r"the names of y_prob's columns", "the classes in the names of the columns"),
    (r"y_prob has no names of classes: ", "the probabilities have no names of classes, and "),
]


def _of_file(text, labels, prob, columns, names, place):
    """The door's message, with file, row and column for the arguments of a function."""
    argument, _, said = text.partition(": ")
    row = re.match(r"row (\d+) (is|sums)", said)
    if argument == "y_true" and row:
        hint = CLASSES if columns.classes or len(names) > 1 else _order_of_two(labels, columns.label, names[0])
        said = f"{place(int(row[1]), columns.label)} {said[row.start(2) :].partition('; ')[0]}; {hint}"
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
