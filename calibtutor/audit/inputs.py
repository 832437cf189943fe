"""Arguments as people have them become a panel, groups and periods; what was noted on the way is a table."""

import numpy as np
import pandas as pd
from scipy.special import entr
from sklearn.metrics import roc_auc_score

from ..class_names import by_classes, by_number, plain
from ..features import as_frame, holds_numbers
from ..inputs import InputError, as_array, check_clusters, check_rows, check_weights, reject
from ..predictions import LOG_TOLERANCE, as_numbers, doubted_predictions
from .doubts import MISSES, data_doubts
from .questions import FEWEST_ROWS, Panel

SUM_MISS = 1e-5  # float32 rounding stays below
MANY_VALUES = 20  # a column of more numbers is cut at its quartiles
MOST_LEVELS = 500
PERIODS = 12
LEAST_EFFECTIVE = 10
NEAR = 0.01  # how far logarithms may be apart that are equal, and as a share of them: half precision
LEAST = 1e-300  # of what logits leave to other classes: no log-odds beyond 690


def panel_of(y_true, y_prob, classes=None, weights=None, cluster=None, design="holdout", logits=False, percent=False,
             candidates=None):  # fmt: skip
    """Checked rows sorted by cluster, their order in the input, and notes (what, value, note) of what was doubted.

    `candidates`: (log_prob, entropy), each may be None, if `y_prob` is what `_candidates` takes.
    """
    came = entropy = None
    if candidates is not None:
        y_true, y_prob, classes, came, entropy = _candidates(y_true, y_prob, *candidates)
    if percent:
        table = as_numbers(y_prob, "y_prob")[0].reshape(len(y_prob), -1)
        wrong = ~((table >= 0) & (table <= 100)).all(axis=1) | (table.max() <= 1)
        reject(wrong, table, "y_prob", "percents from 0 to 100, some above 1")
        y_prob = as_frame(y_prob, "y_prob") / 100 if hasattr(y_prob, "columns") else table / 100
    ranked = candidates is not None
    given, logs_of, notes = _softmax(y_prob, classes, ranked) if logits or ranked else (y_prob, None, [])
    labels, probabilities, names, doubts = doubted_predictions(y_true, given, classes, normalise=True, as_given=True)
    names = [plain(each) for each in names or range(2 if probabilities.ndim == 1 else probabilities.shape[1])]
    logs = None if logs_of is None else logs_of(labels)
    if ranked:  # of what came itself, not of all that is beyond
        logs[:, 1] = np.where(np.isnan(came), logs[:, 1], came)
    notes += [("doubt", "", each) for each in doubts]
    raw = as_array(given, "y_prob")
    miss = np.abs(raw.sum(axis=1, dtype=float) - 1) if raw.ndim == 2 and raw.shape[1] > 1 else np.zeros(1)
    if count := int((miss > SUM_MISS).sum()):
        notes.append(("rows divided by their sum", count, f"they missed 1 by {miss.max():.2g} at most"))
    if probabilities.size <= 2 * len(probabilities):
        probabilities = np.array(probabilities.reshape(len(probabilities), -1)[:, -1], dtype=float)
    w = check_weights(weights, len(labels))
    w = np.ones(len(labels)) if w is None else w / w.max()
    codes = check_clusters(cluster, labels)
    if np.ptp(w):
        _check_no_label({"weights": w}, Panel(labels, probabilities, w, codes, names))
    order = np.arange(len(labels)) if codes is None else np.argsort(codes, kind="stable")
    order = order[w[order] > 0]  # a weight of 0 is the row left out
    if codes is not None:
        codes = codes[order]
        check_clusters(codes, codes)  # of the rows that count
    w = w[order] / w[order].mean()
    if codes is not None or len(order) < len(labels):
        labels, probabilities = labels[order], probabilities[order]
    if len(w) ** 2 / (w**2).sum() < min(LEAST_EFFECTIVE, len(w) / 2):
        heaviest = f"{w.max() / len(w):.3g} of the weight, so that the others count for nothing"
        raise InputError("weights", "none above 1/10", found=heaviest, row=order[np.argmax(w)])
    logs, entropy = (None if each is None else each[order] for each in (logs, entropy))
    panel = Panel(labels, probabilities, w, codes, names, logs, entropy)
    return panel, order, notes + [("doubt", "", doubt) for doubt in data_doubts(panel, design)]


def _candidates(y_true, y_prob, log_prob, entropy):
    """Of ranks and log-probabilities (n, k): labels, scores, their classes, log_prob and entropy (NaN if not known).

    Classes are ranks, and all that is beyond: none in a row with −inf. Of two scores are log-odds of the first.
    """
    top = as_numbers(y_prob, "y_prob")[0]
    least = max(2.0**-23, np.finfo(np.result_type(top, np.float16)).eps)  # of what is left beside a sum near 1
    top, n = np.array(top, dtype=float).reshape(len(top), -1), len(top)
    with np.errstate(over="ignore"):
        mass, whole, there = np.exp(top).sum(axis=1), top[:, -1] == -np.inf, (top > -np.inf).sum(axis=1)
    wrong = ~(top <= NEAR).all(axis=1) | (top[:, 0] < -700) | (top[:, 1:] > top[:, :-1]).any(axis=1)
    wrong |= (mass > 1 + LOG_TOLERANCE) | whole & (mass < 1 - LOG_TOLERANCE)
    wanted = f"log-probabilities, the likeliest first, whose exp sum to 1 at most, beside −inf to 1 (± {LOG_TOLERANCE})"
    hint = "take np.log of probabilities, log_softmax of scores, of all outcomes; then -np.sort(-y_prob, axis=1)[:, :k]"
    reject(wrong, top, "y_prob", wanted, hint)
    rank, hint = check_weights(y_true, n, "y_true", 0), "0 is the likeliest, k or more is beyond the k"
    wrong = (rank % 1 != 0) | whole & (rank >= there) | (rank.min() > 0) & (np.exp(top[:, 0]).sum() > MISSES)
    reject(wrong, rank[:, None], "y_true", "ranks of what came, from 0 on (else subtract 1), of no −inf", hint)
    k, rest = there.max(), np.where(whole, 0, np.maximum(1 - mass, least))
    label, names = np.minimum(rank, k).astype(int), np.array([*(f"rank {j}" for j in range(k)), f"beyond rank {k - 1}"])
    top, last = top[:, :k], top[np.arange(n), np.minimum(label, there - 1)]
    with np.errstate(divide="ignore"):
        scores, came, known = np.column_stack([top, np.log(rest)]), np.full(n, np.nan), np.full(n, np.nan)
    if k > 1 and rest.max() <= least and label.max() < k:  # candidates are all there is
        scores, names, came = top - np.log(mass)[:, None], names[:-1], last - np.log(mass)
        known = entr(np.exp(scores)).sum(axis=1)
    if log_prob is not None:
        came, order = -check_weights(-as_array(log_prob, "log_prob"), n, "-log_prob", 0), "do ranks start at 0?"
        wrong = (label < k) * np.abs(came - last) + (label == k) * (came - last) > NEAR * np.maximum(1, -came)
        wanted = "of a candidate that of its rank, and beyond no more than the last one's"
        reject(wrong, np.column_stack([came, rank]), "log_prob and y_true", wanted, order)
    if entropy is not None:
        known, last = check_weights(entropy, n, "entropy", 0), top[np.arange(n), there - 1]
        wrong = ~(known + 0 * came >= (1 - NEAR) * (entr(np.exp(top)).sum(axis=1) - rest * last) - NEAR)
        wanted = "at least that of the candidates, with log_prob beside it"
        reject(wrong, known[:, None], "entropy", wanted, "−Σ p log p of all outcomes, in nats")
    if len(names) == 2:
        scores, label, names = scores[:, 0] - scores[:, 1], 1 - label, names[::-1]
    return names[label], scores, names, came, known


def _softmax(y_prob, classes, ranked=False):
    """Probabilities of scores (n, d), or of log-odds of class 1 (n,); a function from labels to `Panel.logs`; notes."""
    table, names = as_numbers(y_prob, "y_prob")
    table, names = by_number(table, names) if classes is None else by_classes(table, names, classes)
    table = np.array(table, dtype=float, order="C")
    vector, low, high = table.ndim == 1, table.min(), table.max()
    scores = np.column_stack([np.zeros(len(table)), table]) if vector else table
    wrong, wanted = ~np.isfinite(scores.max(axis=1)), "finite logits, or −inf where a class is ruled out"
    reject(wrong, table.reshape(len(table), -1), "y_prob", wanted, "leave such rows out")
    doubted = low >= 0 and high <= 1 and (vector or np.abs(scores.sum(axis=1) - 1).max() <= LOG_TOLERANCE)
    each, top = np.arange(len(scores)), scores[:, : 1 if ranked and not vector else None].argmax(axis=1)
    scores -= scores[each, top][:, None]
    p = np.exp(scores)
    p[each, top] = 0
    rest = np.maximum(p.sum(axis=1), LEAST)  # added to 1 it would be lost
    p[each, top] = 1
    p /= 1 + rest[:, None]
    odds = -np.log(rest) * (np.where(top == 1, 1, -1) if scores.shape[1] == 2 else 1)
    ends = f"{low:.4g} to {high:.4g}".replace("-", "−").replace("inf", "∞")
    what = "log-probabilities" if ranked else "logits"
    notes = [(what, ends, f"the largest probability is 1 − {rest.min() / (1 + rest.min()):.2g}")]
    if doubted:
        notes.append(("doubt", "", "y_prob: rows are probabilities; are they logits, as logits=True (--logits) says?"))
    given = p[:, 1] if vector else p if names is None else pd.DataFrame(p, getattr(y_prob, "index", None), names)
    return given, lambda labels: np.column_stack([odds, scores[each, labels] - np.log1p(rest)]), notes


def data_table(panel, notes):
    """What came in: counts, mapping, repairs and doubts."""
    n, d, two = len(panel), len(panel.names), panel.two
    count, w = np.bincount(panel.y_true, minlength=d), panel.weights
    said = [f"column {k}" * (not panel.ranked) for k in range(d)]
    said = ["its probability is 1 − P", "P is its probability"] if two else said
    each = " to ".join(f"{k:,}" for k in sorted({count[20:].min(initial=n), count[20:].max(initial=0)}))
    area = roc_auc_score(panel.y_true, panel.said) if two and count.all() else np.nan
    rows = [(True, "rows", n, "their order makes no difference to the test"),
            (panel.cluster is not None, "clusters", len(np.unique(panel.cluster)), "their labels may depend"),
            (np.ptp(w), "weights, effective rows", round(w.sum() ** 2 / (w**2).sum(), 1), "(Σ w)²/Σ w²"),
            (True, "ranks" if panel.ranked else "classes", d, ""),
            *((True, f"rows of {panel.kind}{panel.names[k]}", int(count[k]), said[k]) for k in range(min(d, 20))),
            (d > 20, f"rows of the {d - 20} other classes", int(count[20:].sum()), f"{each} each"),
            (area == area, "area under the ROC curve", round(float(area), 4), f"of P(Y = {panel.names[1]})"),
            (True, "distinct predictions", len(pd.unique(panel.code)), "")]  # fmt: skip
    return pd.DataFrame([*(row[1:] for row in rows if row[0]), *notes], columns=["what", "value", "note"], dtype=object)


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
    _check_no_label({f"features[{name!r}]": values for name, values in pd.DataFrame(features).items()}, panel)
    return features


def groups_of(groups, time, rows, order, panel):
    """{column: {level: rows}} of a table, a mapping of columns, or one column; the periods of `time` are one more."""
    periods, groups = {}, {} if groups is None else as_frame(groups, "groups")
    if time is not None:
        time = in_order(time, "time", rows, order)
        _check_no_label({"time": time}, panel)
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
    _check_no_label({f"groups[{name!r}]": values for name, values in columns.items()}, panel)
    return {name: levels_of("groups", name, values) for name, values in columns.items()} | periods


def probability_of(panel):
    """What was said of what happened."""
    if panel.logs is not None and not panel.ranked:
        return np.exp(panel.logs[:, 1])
    if panel.two:
        return np.where(panel.y_true == 1, panel.said, 1 - panel.said)
    return panel.y_prob[np.arange(len(panel)), panel.y_true].astype(float)


def _check_no_label(columns, panel):
    """Refuse columns that determine the label, one class, or whether the top label is right.

    A column of names does if every name stands beside one label only, numbers if their order sorts the labels, and the
    predictions promised at least ten other labels than these (where it is right: ten misses).
    """
    expected, hint = "what is known before the label", "leave it out; if labels belong to patients, say cluster"
    sure = np.maximum(panel.said, 1 - panel.said) if panel.two else panel.said
    right = panel.y_true == (panel.said > 0.5) if panel.two else panel.hit == 1

    def kinds():
        yield panel.y_true, probability_of(panel)
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
