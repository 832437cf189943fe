"""Arguments as people have them become a panel, groups and periods; what was noted on the way is a table."""

import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from ..class_names import key, names_of_columns, plain
from ..features import holds_numbers
from ..inputs import InputError, as_array, check_clusters, check_index, check_rows, check_weights
from ..predictions import as_predictions
from .questions import FEWEST_ROWS, Panel

__all__ = ["data_table", "groups_of", "in_order", "panel_of", "parts_of", "periods_of"]

SUM_MISS = 1e-5  # float32 rounding stays below
MANY_VALUES = 20  # a column of more numbers is cut at its quartiles
MOST_LEVELS = 500
PERIODS = 12
LEAST_EFFECTIVE = 10
MISSES = 10  # so many promised, and none, is no luck
WHOLE = 1e4  # whole numbers that span less are not rounded to tens
SLACK = 10  # an edge may be rounded if it moves no more than this part of an interval's rows


def panel_of(y_true, y_prob, classes=None, weights=None, cluster=None, rows=None):
    """Checked rows sorted by cluster, their order in the input, and notes (what, value, note) of what was doubted."""
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
    for name, values in (("weights", weights), ("cluster", cluster)):
        if values is not None:
            check_index(values, rows, name, "y_prob")
    w = check_weights(weights, len(labels))
    w = np.ones(len(labels)) if w is None else w
    codes = check_clusters(cluster, labels)
    order = np.arange(len(labels)) if codes is None else np.argsort(codes, kind="stable")
    order = order[w[order] > 0]  # a weight of 0 is the row left out
    if codes is not None:
        codes = codes[order]
        check_clusters(codes, codes)  # of the rows that count
    w = w[order] / w[order].mean()
    if len(w) ** 2 / (w**2).sum() < min(LEAST_EFFECTIVE, len(w) / 2):
        heaviest = f"{w.max() / len(w):.3g} of the weight, so that the others count for nothing"
        raise InputError("weights", "none above 1/10", found=heaviest, row=order[np.argmax(w)])
    panel = Panel(labels[order], probabilities[order], w, codes, names)
    return panel, order, notes + [("doubt", "", doubt) for doubt in _doubts(panel)]


def _doubts(panel):
    """What a file that was put together wrongly looks like, of more than two classes."""
    if panel.two or len(panel) < FEWEST_ROWS:
        return []
    n, d, misses = len(panel), len(panel.names), (1 - panel.said).sum()
    tops, labels = (np.bincount(each, minlength=d) / n for each in (panel.top, panel.y_true))
    share, chance = panel.hit.mean(), tops @ labels
    is_chance = tops.max() < 1 and share <= chance + 2 * np.sqrt(chance * (1 - chance) / n)
    is_flat = (panel.y_prob.max(axis=1) <= np.e * (1 + 1e-6) * panel.y_prob.min(axis=1)).all()
    doubts = [
        (is_chance, f"y_prob: its top label is right in {share:.0%} of rows, as often as by chance ({chance:.0%}); are "
         "rows or columns in another order?"),
        (panel.hit.all() and misses > MISSES, f"y_true: every top label is right, and {misses:.0f} misses are "
         "promised; are these the model's answers?"),
        (is_flat, "y_prob: in no row is a probability more than e times another; was softmax applied twice?"),
    ]  # fmt: skip
    return [doubt for holds, doubt in doubts if holds]


def _names(y_prob, classes, probabilities):
    d = 2 if probabilities.ndim == 1 else probabilities.shape[1]
    if classes is not None:
        return [plain(each) for each in classes]
    names = names_of_columns(y_prob, "y_prob")
    if probabilities.ndim == 1 or names is None or sorted(map(key, names)) == sorted(map(str, range(d))):
        return list(range(d))
    return [plain(each) for each in names]


def data_table(panel, notes, features=None):
    """What came in: counts, mapping, repairs and doubts."""
    n, d, two = len(panel), len(panel.names), panel.two
    count, w, p = np.bincount(panel.y_true, minlength=d), panel.weights, panel.y_prob
    p = np.column_stack([1 - p, p]) if two else p
    said = ["its probability is 1 − P", "P is its probability"] if two else [f"column {k}" for k in range(d)]
    absent = [str(panel.names[k]) for k in np.flatnonzero(count == 0)]
    never = int((p[np.arange(n), panel.y_true] == 0).sum())
    distinct = pd.util.hash_pandas_object(pd.DataFrame(panel.y_prob), index=False).nunique()
    duplicates = 0 if features is None else _duplicates(panel, features)
    clusters = 0 if panel.cluster is None else len(np.unique(panel.cluster))
    area = roc_auc_score(panel.y_true, panel.said) if two and count.all() else np.nan
    rows = [
        (True, "rows", n, "their order makes no difference to the test"),
        (clusters, "clusters", clusters, "labels within one may depend on one another"),
        (np.ptp(w), "weights, effective rows", round(w.sum() ** 2 / (w**2).sum(), 1), "(Σ w)²/Σ w²"),
        (True, "classes", d, ""),
        *((True, f"rows of class {panel.names[k]}", int(count[k]), said[k]) for k in range(min(d, 20))),
        (absent, "absent classes", len(absent), ", ".join([*absent[:8], *["…"] * (len(absent) > 8)])),
        (area == area, "area under the ROC curve", round(float(area), 4), f"of P(Y = {panel.names[1]})"),
        (True, "share of certain predictions", round(float((p == 1).any(axis=1).mean()), 4),
         "0 or 1" if two else "a class at 1"),
        (never, "labels given probability 0", never, "what has probability 0 does not happen if predictions are right"),
        (True, "distinct predictions", distinct, "equal ones may be equal cases, or rounded" if distinct < n else ""),
        (duplicates, "rows equal in all that was given", duplicates,
         "predictions, features and label: are they copies of one case?"),
    ]  # fmt: skip
    rows = [row[1:] for row in rows if row[0]]
    return pd.DataFrame([*rows, *notes], columns=["what", "value", "note"], dtype=object)


def _duplicates(panel, features):
    """Rows that are equal to an earlier one in features, predictions and label."""
    table = pd.DataFrame(features).reset_index(drop=True).astype(str)
    p = pd.DataFrame(panel.y_prob).add_prefix("p")
    return int(pd.concat([table, p, pd.Series(panel.y_true, name="y")], axis=1).duplicated().sum())


def in_order(values, name, rows, order):
    """A column or table, checked against `rows` (labels or predictions: what has an index), in the panel's order."""
    if isinstance(values, str | dict):
        shown = repr(values) if isinstance(values, str) else "a dict"
        raise InputError(name, "values, one a row, such as table[['age', 'dose']]", found=shown)
    check_rows(values, rows, len(values), len(rows), name, "y_prob")
    return values.iloc[order] if hasattr(values, "iloc") else np.asarray(values)[order]


def groups_of(groups, rows, order):
    """{column: {level: rows}} of a table, a mapping of columns, or one column."""
    if groups is None:
        return {}
    if not (hasattr(groups, "columns") or isinstance(groups, dict)):
        groups = {getattr(groups, "name", None) or "group": groups}
    columns = {str(name): groups[name] for name in groups}
    for name, values in columns.items():
        if np.ndim(values) != 1 and not isinstance(values, str):
            raise InputError(f"groups[{name!r}]", "one value a row", found=f"shape {np.shape(values)}")
    return {name: _levels(name, in_order(values, "groups", rows, order)) for name, values in columns.items()}


def parts_of(groups, periods):
    """{question: rows} of all groups and periods."""
    parts = [(f"{column} = {name}", rows) for column, levels in groups.items() for name, rows in levels.items()]
    parts += [(f"time {name}", rows) for name, rows in periods.items()]
    names = [name for name, _ in parts]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("groups", "different names", found=f"{twice!r} twice", hint="rename a column, or a level")
    return dict(parts)


def _levels(name, values):
    column = pd.Series(values).reset_index(drop=True)
    if holds_numbers(column) and column.nunique() > MANY_VALUES:
        column = _cut(column, 4)
    levels = _rows(column)
    largest = max((rows.sum() for rows in levels.values()), default=0)
    if len(levels) > MOST_LEVELS or len(levels) > MANY_VALUES and largest < FEWEST_ROWS:
        wanted = f"at most {MOST_LEVELS} names, some of {FEWEST_ROWS} rows"
        hint = "merge them, or say cluster if they say what belongs together"
        raise InputError(f"groups[{name!r}]", wanted, found=f"{len(levels)}, of {largest} rows at most", hint=hint)
    if column.isna().any():
        levels["missing" if "missing" not in levels else "no value"] = column.isna().to_numpy()
    return levels


def _rows(column):
    """{level in words: rows}, the levels sorted."""
    codes, levels = pd.factorize(column)
    order = {level: place for place, level in enumerate(levels)}
    levels = _sorted(levels)
    return dict(zip(_in_words(levels), (codes == order[level] for level in levels), strict=True))


def periods_of(time, rows, order):
    """{period: rows}, in the order of time; more than twelve times are cut into as many rows each."""
    if time is None:
        return {}
    column = pd.Series(in_order(time, "time", rows, order)).reset_index(drop=True)
    if column.isna().any():
        raise InputError("time", "a time", found="missing", row=order[np.argmax(column.isna())],
                         hint="leave such rows out")  # fmt: skip
    if column.nunique() > PERIODS:
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(column.cat.categories.dtype)
        column = column.infer_objects()
        if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
            dates = pd.to_datetime(column, format="ISO8601", errors="coerce")  # is 01/02 in January? nobody knows
            if dates.isna().any():
                row, wanted = np.argmax(dates.isna()), f"numbers, dates such as 2024-01-31, or at most {PERIODS} names"
                raise InputError("time", wanted, found=repr(column[row]), row=order[row])
            column = dates
        column = _cut(column, PERIODS - 4)
    return _rows(column)


def _cut(column, parts):
    """Intervals of about as many rows each, ends included, named by numbers that can be read."""
    ranks = column if holds_numbers(column) else column.rank(method="dense")
    values = ranks.to_numpy(dtype=float, na_value=np.nan)
    known = values[~np.isnan(values)]
    edges, places = np.unique(np.quantile(known, np.arange(1, parts) / parts, method="lower")), None
    if ranks is column:
        edges, places = _readable(known, edges)
    part = pd.Series(np.searchsorted(edges, values)).where(~np.isnan(values))
    codes, used = pd.factorize(part, sort=True)
    if places is None or (known == np.round(known, places)).all():
        words = _in_words([*column.groupby(part).min(), *column.groupby(part).max()])
        pairs = zip(words[: len(used)], words[len(used) :], strict=True)
    else:
        unit = 10.0**-places
        ends = np.floor(known.min() / unit) * unit, *edges, np.ceil(known.max() / unit) * unit
        words = [f"{end + 0.0:{'g' if places > 6 else f'.{max(places, 0)}f'}}" for end in ends]
        pairs = (words[k : k + 2] for k in used.astype(int))
    names = [low if low == high else f"{low} to {high}" for low, high in pairs]
    return pd.Series(pd.Categorical.from_codes(codes, names, ordered=True))


def _readable(values, edges):
    """Edges rounded to as few decimals as leave about as many rows in each part; and the decimals, None if none do."""
    count = lambda cuts: np.bincount(np.searchsorted(cuts, values), minlength=len(cuts) + 1)
    span = np.ptp(values[np.isfinite(values)])
    first = -int(np.floor(np.log10(span)))
    if (values == np.round(values)).all() and span < WHOLE:
        first = max(first, 0)
    for places in range(first, first + 12):
        short = np.unique(np.round(edges, places))
        if len(short) == len(edges) and (np.abs(count(short) - count(edges)) <= len(values) / SLACK / len(edges)).all():
            return short, places
    return edges, None


def _in_words(values):
    """Short words for values; longer ones where different values would have the same."""
    shown = [_shown(value) for value in values]
    return shown if len(set(shown)) == len(set(values)) else [repr(plain(value)).removesuffix(".0") for value in values]


def _sorted(levels):
    if isinstance(levels.dtype, pd.CategoricalDtype):
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
