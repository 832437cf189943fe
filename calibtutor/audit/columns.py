"""Columns beside the predictions: features, groups and periods, in the panel's order; none of them is the label."""

import numpy as np
import pandas as pd

from ..door.arrays import as_array
from ..door.inputs import InputError, check_rows
from ..door.table import plain
from ..kernels.features import as_frame, holds_numbers
from .questions import FEWEST_ROWS, MISSES

MANY_VALUES = 20  # a column of more numbers is cut at its quartiles
MOST_LEVELS = 500
PERIODS = 12


def in_order(values, name, rows, order):
    """A column or table, checked against `rows` (labels or predictions: what has an index), in the panel's order."""
    if isinstance(values, str | dict):
        shown = repr(values) if isinstance(values, str) else "a dict"
        raise InputError(name, "values, one a row, such as table[['age', 'dose']]", found=shown)
    values = as_frame(values, name)
    check_rows(values, rows, len(values), len(rows), name, "y_prob")
    if isinstance(values, pd.Categorical):  # numpy would forget the order of its levels
        return values[order]
    return values.iloc[order] if hasattr(values, "iloc") else as_array(values, name)[order]


def features_of(features, rows, order, panel):
    """Features in the panel's order, none of which is the label."""
    if features is None:
        return None
    features = in_order(features, "features", rows, order)
    if np.ndim(features) > 2:
        raise InputError("features", "one or more columns, (n, m)", found=f"shape {np.shape(features)}")
    check_no_label({f"features[{name!r}]": values for name, values in pd.DataFrame(features).items()}, panel)
    return features


def groups_of(groups, time, rows, order, panel):
    """{column: {level: rows}} of a table, a mapping of columns, or one column; the periods of `time` are one more."""
    periods, groups = {}, {} if groups is None else as_frame(groups, "groups")
    if time is not None:
        time = in_order(time, "time", rows, order)
        check_no_label({"time": time}, panel)
        periods = {"time": periods_of(time, order)}
    if not (hasattr(groups, "columns") or isinstance(groups, dict)):
        groups = {getattr(groups, "name", None) or "group": groups}
    columns = {str(name): groups[name] for name in getattr(groups, "columns", groups)}
    for name, values in columns.items():
        shape = as_array(values, f"groups[{name!r}]").shape
        if len(shape) != 1 and not isinstance(values, str):
            hint = "several columns are a DataFrame, or a dict of columns, of different names"
            raise InputError(f"groups[{name!r}]", "one value a row", found=f"shape {shape}", hint=hint)
    if periods and "time" in columns:
        raise InputError("groups", "no column 'time' beside time", hint="rename it")
    columns = {name: in_order(values, "groups", rows, order) for name, values in columns.items()}
    check_no_label({f"groups[{name!r}]": values for name, values in columns.items()}, panel)
    return {name: levels_of("groups", name, values) for name, values in columns.items()} | periods


def check_no_label(columns, panel):
    """Refuse columns that determine the label, one class, or whether the top label is right.

    A column of names does if every name stands beside one label only, numbers if their order sorts the labels, and the
    predictions promised at least ten other labels than these (where it is right: ten misses).
    """
    expected, hint = "what is known before the label", "leave it out; if labels belong to patients, say cluster"
    sure = np.maximum(panel.said, 1 - panel.said) if panel.two else panel.said
    right = panel.y_true == (panel.said > 0.5) if panel.two else panel.hit == 1

    def kinds():
        yield panel.y_true, panel.given
        yield right, np.where(right, sure, 1.0)
        for k in [] if panel.two else range(panel.y_prob.shape[1]):
            yield panel.y_true == k, np.where(panel.y_true == k, panel.y_prob[:, k], 1 - panel.y_prob[:, k])

    for name, values in columns.items():
        column = pd.Series(values).reset_index(drop=True)
        codes = pd.factorize(column, use_na_sentinel=False)[0]
        order, later = np.argsort(column.to_numpy()) if holds_numbers(column) else None, column.duplicated().to_numpy()
        for y, said in kinds():
            runs = len(np.unique(y)) - 1
            sorts = order is not None and (np.diff(y[order].astype(int)) != 0).sum() == runs
            free = (1 - said)[slice(None) if sorts else later].sum()  # of a name the first row says which label it has
            if runs and free > MISSES and pd.Series(y).groupby(codes).nunique().max() == 1:
                raise InputError(name, expected, found="what determines it", hint=hint)


def tested_parts(groups):
    """{question: rows} of the groups and periods that have rows enough to be tested."""
    parts = [(f"{column} = {name}", rows) for column, levels in groups.items() for name, rows in levels.items()]
    names = [name for name, _ in parts]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("groups", "different names", found=f"{twice!r} twice", hint="rename a column, or a level")
    return {name: rows for name, rows in parts if rows.sum() >= FEWEST_ROWS}


def levels_of(argument, name, values):
    """{level: rows} of a column."""
    column = pd.Series(values).reset_index(drop=True)
    if holds_numbers(column) and column.nunique() > MANY_VALUES:
        column = _cut(column, 4)
    levels = _rows(column)
    largest = max((rows.sum() for rows in levels.values()), default=0)
    if len(levels) > MOST_LEVELS or len(levels) > MANY_VALUES and largest < FEWEST_ROWS:
        wanted = f"at most {MOST_LEVELS} names, some of {FEWEST_ROWS} rows"
        hint = "merge them; or say cluster if they say what belongs together, time if they are dates"
        raise InputError(f"{argument}[{name!r}]", wanted, found=f"{len(levels)}, of {largest} rows at most", hint=hint)
    if column.isna().any():
        levels["missing" if "missing" not in levels else "no value"] = column.isna().to_numpy()
    return levels


def _rows(column):
    """{level in words: rows}, the levels sorted."""
    codes, levels = pd.factorize(column)
    order = {level: place for place, level in enumerate(levels)}
    if isinstance(levels.dtype, pd.CategoricalDtype):
        levels = [each for each in levels.categories if each in order]
    else:
        levels = sorted(levels, key=str if pd.api.types.infer_dtype(levels).startswith("mixed") else None)
    return dict(zip(_in_words(levels), (codes == order[level] for level in levels), strict=True))


def periods_of(time, order):
    """{period: rows} of a column in `order`, sorted; more than twelve times are cut into as many rows each."""
    column = pd.Series(time).reset_index(drop=True)
    never = column.isna() | column.isin([np.inf, -np.inf])
    if never.any():
        row = np.argmax(never)
        raise InputError("time", "a time", found=str(column[row]), row=order[row], hint="leave such rows out")
    if column.nunique() > PERIODS:
        column = column.infer_objects()
        if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
            zoned = column.astype(str).str.contains(r":\d\d.*(?:Z|[+-]\d\d(?::?\d\d)?)$").any()  # of several zones: UTC
            dates = pd.to_datetime(column, format="ISO8601", errors="coerce", utc=bool(zoned))  # 01/02 is unclear
            if dates.isna().any():
                row, wanted = np.argmax(dates.isna()), f"numbers, dates such as 2024-01-31, or at most {PERIODS} names"
                raise InputError("time", wanted, found=repr(column[row]), row=order[row])
            column = dates
        column = _cut(column, PERIODS - 4)
    return _rows(column)


def _cut(column, parts):
    """Intervals of about as many rows each, named by the smallest and the largest value in each."""
    with np.errstate(invalid="ignore"):  # from ∞ to ∞
        part = pd.qcut(column, parts, labels=False, duplicates="drop")
    ends = column.groupby(part).agg(["min", "max"])
    names = _in_words(list(ends.itertuples(index=False, name=None)))
    return pd.Series(pd.Categorical.from_codes(part.fillna(-1).astype(int), names, ordered=True))


def _in_words(values):
    """Words for values, or for (lowest, highest), as short as leave different ones different."""
    for digits in (4, 6, 9, 17):
        shown = [_shown(value, digits) for value in values]
        if len(set(shown)) == len(set(values)):
            return shown
    return [repr(plain(value)) for value in values]


def _shown(value, digits):
    if isinstance(value, tuple):
        return " to ".join(dict.fromkeys(_shown(each, digits) for each in value))
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    value = plain(value)
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if 1e15 > abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
