"""Arguments as people have them become a panel, groups and periods; what was noted on the way is a table."""

import warnings

import numpy as np
import pandas as pd

from ..door import as_predictions
from ..parts import check_clusters
from ..predictions import check_weights
from ..reading import as_array, key, names_of_columns, plain
from .questions import Panel

__all__ = ["data_table", "groups_of", "in_order", "panel_of", "periods_of"]

SUM_MISS = 1e-5  # float32 rounding stays below
MANY_VALUES = 20  # a column of more numbers is cut at its quartiles
PERIODS = 12


def panel_of(y_true, y_prob, classes, weights, cluster):
    """Checked rows sorted by cluster, their order in the input, and what the door doubted.

    Returns
    -------
    panel : Panel
    order : ndarray of int
    notes : list of (what, value, note)
    """
    raw = as_array(y_prob, "y_prob")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        labels, probabilities = as_predictions(y_true, y_prob, classes=classes, normalise=True)
    names = _names(y_prob, classes, probabilities)
    notes = [("doubt", "", str(each.message)) for each in caught if issubclass(each.category, UserWarning)]
    if raw.ndim == 2 and raw.shape[1] > 1:
        miss = np.abs(np.asarray(raw, dtype=float).sum(axis=1) - 1)
        count = int((miss > SUM_MISS).sum())
        if count:
            notes.append(("rows divided by their sum", count, f"they missed 1 by {miss.max():.2g} at most"))
    if probabilities.ndim == 2 and probabilities.shape[1] == 2:
        probabilities = np.ascontiguousarray(probabilities[:, 1])
    given = check_weights(weights, len(labels))
    codes = check_clusters(cluster, labels)
    order = np.arange(len(labels)) if codes is None else np.argsort(codes, kind="stable")
    w = np.ones(len(labels)) if given is None else given
    kept = w[order] > 0  # a weight of 0 is the row left out
    order = order[kept]
    codes = None if codes is None else codes[order]
    if codes is not None:
        check_clusters(codes, codes)  # of the rows that count
    return Panel(labels[order], probabilities[order], w[order], codes, names), order, notes


def _names(y_prob, classes, probabilities):
    d = 2 if probabilities.ndim == 1 else probabilities.shape[1]
    if classes is not None:
        return [plain(each) for each in classes]
    names = names_of_columns(y_prob, "y_prob")
    if probabilities.ndim == 1 or names is None or sorted(map(key, names)) == sorted(map(str, range(d))):
        return list(range(d))
    return [plain(each) for each in names]


def data_table(panel, notes, duplicates=None):
    """What came in: counts, mapping, repairs and doubts."""
    n, d = len(panel), len(panel.names)
    count = np.bincount(panel.y_true, minlength=d)
    rows = [("rows", n, "their order makes no difference to the test")]
    if panel.cluster is not None:
        rows.append(("clusters", len(np.unique(panel.cluster)), "labels within one may depend on one another"))
    if np.ptp(panel.weights):
        effective = panel.weights.sum() ** 2 / (panel.weights**2).sum()
        rows.append(("weights, effective rows", round(effective, 1), "(Σ w)²/Σ w²"))
    rows.append(("classes", d, ""))
    for k in range(min(d, 20)):
        rows.append((f"rows of class {panel.names[k]}", int(count[k]), f"column {k}"))
    absent = [str(panel.names[k]) for k in np.flatnonzero(count == 0)]
    if absent:
        rows.append(("absent classes", len(absent), ", ".join(absent[:8]) + (", …" if len(absent) > 8 else "")))
    if panel.two and count.all():
        from scipy.stats import rankdata

        area = (rankdata(panel.said)[panel.y_true == 1].mean() - (count[1] + 1) / 2) / count[0]
        rows.append(("area under the ROC curve", round(float(area), 4), "of P(Y = 1)"))
    ends = (panel.y_prob == 0) | (panel.y_prob == 1)
    ends = ends if panel.two else (panel.y_prob == 1).any(axis=1)
    rows.append(
        ("share of certain predictions", round(float(ends.mean()), 4), "0 or 1" if panel.two else "a class at 1")
    )
    given = (
        panel.y_prob[np.arange(n), panel.y_true]
        if not panel.two
        else np.where(panel.y_true, panel.said, 1 - panel.said)
    )
    if (given == 0).any():
        note = "what has probability 0 does not happen if predictions are right"
        rows.append(("labels given probability 0", int((given == 0).sum()), note))
    distinct = pd.util.hash_pandas_object(pd.DataFrame(panel.y_prob), index=False).nunique()
    rows.append(("distinct predictions", distinct, "equal ones may be equal cases, or rounded" if distinct < n else ""))
    if duplicates:
        rows.append(("rows equal in everything", duplicates, "copies are not independent: are they one case?"))
    return pd.DataFrame([*rows, *notes], columns=["what", "value", "note"], dtype=object)


def in_order(values, name, y_prob, order):
    """A column or table of the input, checked against its rows, in the panel's order."""
    index, other = getattr(values, "index", None), getattr(y_prob, "index", None)
    if index is not None and other is not None and not callable(index) and not callable(other):
        if not index.equals(other):
            raise ValueError(f"{name}: expected the index of y_prob, in its order; align it first")
    n = len(y_prob)
    if len(values) != n:
        raise ValueError(f"{name}: expected one entry a row, {n}, got {len(values)}")
    return values.iloc[order] if hasattr(values, "iloc") else np.asarray(values)[order]


def groups_of(groups, y_prob, order):
    """{column: {level: rows}} of a table, a mapping of columns, or one column."""
    if groups is None:
        return {}
    if hasattr(groups, "columns"):
        columns = {str(name): groups[name] for name in groups.columns}
    elif isinstance(groups, dict):
        columns = {str(name): values for name, values in groups.items()}
    else:
        columns = {str(getattr(groups, "name", None) or "group"): groups}
    for name, values in columns.items():
        if np.ndim(values) != 1:
            raise ValueError(f"groups: column {name!r}: expected one value a row, got shape {np.shape(values)}")
    return {name: _levels(in_order(values, "groups", y_prob, order)) for name, values in columns.items()}


def _levels(values):
    column = pd.Series(values).reset_index(drop=True)
    numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if numbers and column.nunique() > MANY_VALUES:
        column = _cut(column, 4)
    levels = _rows(column)
    if column.isna().any():
        levels["missing"] = column.isna().to_numpy()
    return levels


def _rows(column):
    """{level in words: rows}, the levels sorted."""
    levels = _sorted(column.dropna().unique())
    return {
        name: (column == level).to_numpy(dtype=bool, na_value=False)
        for name, level in zip(_in_words(levels), levels, strict=True)
    }


def periods_of(time, y_prob, order):
    """{period: rows}, in the order of time; more than twelve times are cut into as many rows each."""
    if time is None:
        return {}
    values = in_order(time, "time", y_prob, order)
    column = pd.Series(values).reset_index(drop=True)
    if column.isna().any():
        row = int(order[int(np.argmax(column.isna().to_numpy()))])
        raise ValueError(f"time: row {row} has none; leave such rows out")
    if column.nunique() > PERIODS:
        if column.dtype == object or isinstance(column.dtype, pd.CategoricalDtype | pd.StringDtype):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # words are parsed one by one, if they are dates
                    column = pd.to_datetime(column)
            except (ValueError, TypeError) as error:
                raise ValueError(f"time: expected numbers, dates or at most {PERIODS} names ({error})") from None
        column = _cut(column, PERIODS - 4)
    return _rows(column)


def _cut(column, parts):
    """Intervals of about as many rows each, as text that sorts like the numbers."""
    place = pd.qcut(column.rank(method="dense"), parts, duplicates="drop").cat.codes
    ends = column.groupby(place[place >= 0]).agg(["min", "max"])
    words = _in_words([*ends["min"], *ends["max"]])
    names = [f"{low} to {high}" for low, high in zip(words[: len(ends)], words[len(ends) :], strict=True)]
    shown = dict(zip(ends.index, names, strict=True))
    return pd.Series(pd.Categorical([shown.get(code) for code in place], categories=names, ordered=True))


def _in_words(values):
    """Short words for values; longer ones where different values would have the same."""
    shown = [_shown(value) for value in values]
    return shown if len(set(shown)) == len(set(values)) else [repr(plain(value)) for value in values]


def _sorted(levels):
    if isinstance(levels, pd.Categorical):
        return [each for each in levels.categories if each in set(levels)]
    try:
        return sorted(levels)
    except TypeError:
        return sorted(levels, key=str)


def _shown(value):
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    value = plain(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
