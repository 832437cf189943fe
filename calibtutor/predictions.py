"""The one door: labels and probabilities as people have them come in, clean arrays or what to do come out.

Every room calls :func:`check_predictions` first, so that bad input fails in the same words everywhere. `as_predictions`
is the same door for who has something to choose (`classes=`, `normalise=`), and it says what it doubts. An audit takes
its stages one by one: `table_of`, `in_range`, `labels_of`, `doubts_of`. Then reductions that all notions start from.
"""

import warnings

import numpy as np

from .class_names import by_classes, by_number, labels_of, listed, names_of_columns, plain
from .inputs import NUMBERS, InputError, as_array, check_choice, reject, shown_row

# Softmax outputs stored as float32 miss 1 by a few 1e-7; anything beyond 1e-5 is not a rounding error.
SUM_TOLERANCE = 1e-5
# Ten entries of two decimals miss 1 by .05 at most: what is further off was not rounded, it is something else.
MOST_ROUNDING = 0.05
LOG_TOLERANCE = 0.01  # of the sum of exp: half precision
FALSE_ALARM = 0.003  # of the doubt about two classes, by Mann & Whitney
NEVER = 0.001  # probability that a label that should occur never does
SLICE_ENTRIES = 2**16  # of a table that are looked at at once: half a megabyte of doubles


def as_predictions(y_true, y_prob, *, classes=None, normalise=False):
    """Labels and probabilities, in whatever shape they are, as the arrays that every function here takes.

    Parameters
    ----------
    y_true : array-like, shape (n,), (n, 1) or (n, d)
        Labels: numbers 0..d−1, booleans, words, categories, or one-hot rows. Whatever `numpy.asarray` reads: lists,
        arrays, pandas objects (nullable and arrow dtypes too), tensors.
    y_prob : array-like of float, shape (n, d), (n, 1) or (n,)
        Probabilities of the d classes, or P(Y = 1). n >= 2, d >= 2. The columns of a DataFrame are classes and are
        found by name ("1", 1 and 1.0 are one name; so are True and 1); of two pandas objects the indexes must be equal.
    classes : sequence of d labels, optional
        The label of each column, in the order of the columns (scikit-learn: ``model.classes_``). For a vector two, and
        y_prob is the probability of the second: ``classes=("no", "yes")``. A DataFrame whose columns have these names
        is put into this order. It is needed wherever the order cannot be known: for words beside columns without
        names, words beside a vector, labels 1..d beside an array. The sorted order is never guessed.
    normalise : bool
        Divide rows by their sum, if no row misses 1 by more than .05, or than rounding to the one or two digits that
        they show explains (d/2 units of the last). A vector stays as it is.

    Returns
    -------
    y_true : ndarray of int64, shape (n,)
        k where the label is that of column k.
    y_prob : ndarray of float64, shape (n, d) or (n,)
        A copy. Columns in the order of `classes`; else 0, …, d − 1 if these are their names; else as they were.

    Raises
    ------
    InputError
        Naming the argument, the first row and what to do: for an order of classes that cannot be known, a label of no
        column, missing or masked values, indexes or lengths that differ, numbers outside [0, 1] (logits, percentages),
        rows that do not sum to 1 ± 1e-5, or, with `normalise`, to 1 ± .05.

    Warns
    -----
    UserWarning
        For a label that never occurs; y_prob of 0 and 1 only (labels that were predicted?); two classes with an area
        under the ROC curve significantly below 1/2, p ≤ .01 (the probability of the other class?); or more classes, if
        labels have more probability with the columns in another order, by 2 + √d standard errors. Of a calibrated model
        the expected sum Σ_i p_i[y_i] is largest in the right order, since the matrix E[p_j p_k] is positive
        semidefinite.

    Notes
    -----
    Every function that takes `(y_true, y_prob)` reads them as this one does, without the two choices and the warnings.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibtutor import as_predictions
    >>> y_prob = pd.DataFrame({"dog": [0.9, 0.3, 0.4], "cat": [0.1, 0.7, 0.6]})
    >>> as_predictions(["dog", "cat", "cat"], y_prob)[0]
    array([0, 1, 1])
    >>> as_predictions(["no", "yes", "yes"], [0.1, 0.7, 0.6], classes=("no", "yes"))
    (array([0, 1, 1]), array([0.1, 0.7, 0.6]))
    >>> as_predictions([0, 1, 1], [[0.6667, 0.3334], [0.25, 0.75], [0.125, 0.875]], normalise=True)[1].round(4)
    array([[0.6666, 0.3334],
           [0.25  , 0.75  ],
           [0.125 , 0.875 ]])
    """
    y_true, y_prob, names = _enter(y_true, y_prob, classes, normalise)
    for doubt in doubts_of(y_true, y_prob, names):
        warnings.warn(doubt, UserWarning, stacklevel=2)
    return y_true, y_prob


def check_predictions(y_true, y_prob, *, as_given=False):
    """Labels and probabilities as `as_predictions` reads them if nothing is chosen, without its warnings.

    `as_given`: no copies of what is float32 or float64 and needs no clipping, for who reads them `in_slices`.
    """
    return _enter(y_true, y_prob, as_given=as_given)[:2]


def check_probabilities(y_prob, name="y_prob", min_rows=2, *, as_given=False):
    """Probabilities alone, as `check_predictions` reads them."""
    return in_range(table_of(y_prob, name=name)[0], name, min_rows, as_given=as_given)


def in_slices(table, kind=np.float64):
    """Pairs of a slice of rows and these rows in this type, in C order: what is made of them stays small."""
    step = max(1, SLICE_ENTRIES // max(1, table[:1].size))
    for start in range(0, len(table), step):
        rows = slice(start, start + step)
        yield rows, np.asarray(table[rows], dtype=kind, order="C")


def _enter(y_true, y_prob, classes=None, normalise=False, as_given=False):
    table, names = table_of(y_prob, classes)
    table = in_range(table, normalise=normalise, as_given=as_given)
    labels = labels_of(y_true, y_prob, table, names, classes)
    return np.array(labels, copy=None if as_given else True), table, names


def table_of(y_prob, classes=None, name="y_prob"):
    """The door's first stage: numbers, (n,) or (n, d), their columns in order, and names of these or None."""
    table, names = _as_numbers(y_prob, name)
    return by_number(table, names) if classes is None else by_classes(table, names, classes)


def _as_numbers(values, name):
    """Numbers as an array, and the names of its columns, if it has any."""
    several = f"a table a label, as a multi-label model gives them? One at a time: {name}[k], y_true[:, k]"
    if isinstance(values, list | tuple) and len(values) and len(getattr(values[0], "shape", ())) == 2:
        raise InputError(name, "shape (n, d) or (n,)", found=f"{len(values)} tables", hint=several)
    array = as_array(values, name)
    if array.dtype.kind not in NUMBERS:
        first = array.flat[0] if array.size else None
        rows = array.ndim and hasattr(first, "__len__") and not isinstance(first, str | bytes)
        hint = f"a row is a {type(first).__name__}: pass numpy.stack({name})" if rows else ""
        word = next((i for i, each in enumerate(array.flat) if isinstance(each, str) and not _is_number(each)), None)
        if word is not None and array.ndim:
            row = word // (array.size // len(array))
            found, hint = str(array.flat[word]), "a point for the comma: pandas.read_csv(…, decimal=',')"
            hint = hint if _is_number(found.replace(",", ".")) else ""
            raise InputError(name, "real numbers", found=repr(found), row=row, hint=hint)
        hint = f"pass what its predict_proba(X) gives, as {name}" if hasattr(values, "predict_proba") else hint
        found = f"dtype {array.dtype}" if array.ndim else f"a {type(values).__name__}"
        raise InputError(name, "real numbers", found=found, hint=hint)
    if array.size == 0:
        raise InputError(name, "at least one row", found=f"an empty array of shape {array.shape}")
    if array.ndim == 2 and array.shape[1] == 1:  # P(Y = 1) as a column
        array = array[:, 0]
    if array.ndim not in (1, 2):
        hint = several if array.ndim == 3 else ""
        raise InputError(name, "shape (n, d) or (n,)", found=f"shape {array.shape}", hint=hint)
    return array, names_of_columns(values, name)


def _is_number(word):
    try:
        return float(word) == float(word)
    except ValueError:
        return False


def in_range(table, name="y_prob", min_rows=2, normalise=False, as_given=False):
    """The second: probabilities, where they are rounded set right, in doubles; `as_given` if that changes nothing."""
    if len(table) < min_rows:
        raise InputError(name, f"at least {min_rows} rows", found=len(table))
    with np.errstate(all="ignore"):  # of what is refused
        ends = [(part.min(), part.max(), np.abs(part.sum(axis=-1) - 1).max()) for _, part in in_slices(table)]
    low, high, miss = np.min(ends, axis=0)[0], *np.max(ends, axis=0)[1:]
    right = low >= 0 and high <= 1 and (table.ndim == 1 or miss <= SUM_TOLERANCE)
    if as_given and right and table.dtype in (np.float32, np.float64):
        return table
    table = np.array(table, dtype=np.float64, order="C")
    rows = table[:, None] if table.ndim == 1 else table
    most = 1 + (MOST_ROUNDING if normalise and table.ndim == 2 else SUM_TOLERANCE)
    if not (low >= -SUM_TOLERANCE and high <= most):  # false for NaN too; 1 − a sum may be −1e-17
        if rows.shape[1] > 1 and rows.max() <= 0 and (np.abs(np.exp(rows).sum(axis=1) - 1) <= LOG_TOLERANCE).all():
            hint = f"looks like log-probabilities, whose exp has the sum 1: pass numpy.exp({name})"
            raise InputError(name, "probabilities between 0 and 1", found=shown_row(rows[0]), row=0, hint=hint)
        reject(~np.isfinite(rows).all(axis=1), rows, name, "finite numbers", "leave such rows out")
        wrong = ((rows < -SUM_TOLERANCE) | (rows > most)).any(axis=1)
        reject(wrong, rows, name, "probabilities between 0 and 1", _likely(rows, name))
    if table.ndim == 2:
        _sum_to_one(table, name, normalise)
    return np.clip(table, 0.0, 1.0, out=table)


def _sum_to_one(table, name, normalise):
    total = table.sum(axis=1)
    miss = np.abs(total - 1)
    rounding = max(MOST_ROUNDING, _rounding(table) if miss.max() > SUM_TOLERANCE else 0)
    bound = rounding * (1 + 1e-9) if normalise else SUM_TOLERANCE
    if miss.max() > bound:
        row = int(np.argmax(miss > bound))
        hint = f"if they were rounded, divide rows by their sum, {name} / {name}.sum(axis=1, keepdims=True, "
        hint += "dtype=float), or pass normalise=True to as_predictions"
        if np.abs(table.sum(axis=0) - 1).max() <= bound:
            hint = f"columns have the sum 1: pass {name}.T"
        elif miss.max() > rounding * (1 + 1e-9):
            hint = "more than rounding explains: is a class left out, or are these "
            hint += "scores of one class against the rest?"
        hint = f"{(miss > bound).sum()} of {len(table)} rows miss it, by {miss.max():.2g} at most; {hint}"
        shown = f"{shown_row(table[row])} with sum {total[row]:.6g}"
        raise InputError(name, "a sum of 1", found=shown, row=row, hint=hint)
    if normalise:
        table /= total[:, None]


def _rounding(table):
    """By how much a row may miss 1 if its numbers were rounded to the one or two digits that they show; else 0."""
    for digits in (1, 2):
        if np.abs(table * 10**digits - np.round(table * 10**digits)).max() < 1e-6:
            return table.shape[1] / 2 * 10.0**-digits
    return 0


def _likely(rows, name):
    """What numbers outside [0, 1] may be, and what to do."""
    low, high, vector = rows.min(), rows.max(), rows.shape[1] == 1
    if low >= -MOST_ROUNDING and high <= 1 + MOST_ROUNDING:
        return ""
    if vector and low >= 0 and (rows == np.floor(rows)).all():
        return "looks like labels (y_true comes first) or percentages: divide by 100 (audit: percent=True, --percent)"
    if low >= 0 and (high <= 100 and np.mean(rows > 1) >= 0.5 if vector else np.abs(rows.sum(axis=1) - 100).max() < 5):
        return "looks like percentages: divide by 100 (audit: percent=True, --percent)"
    apply = f"sigmoid (scipy.special.expit({name}))" if vector else f"softmax (scipy.special.softmax({name}, axis=1))"
    if not vector and high <= 0 and (rows[:, 1:] <= rows[:, :-1]).all():
        return "looks like log-probabilities of the likeliest outcomes (audit: candidates=True, --candidates)"
    log = "log-probabilities (apply numpy.exp) or " if vector and high <= 0 else ""
    return f"looks like {log}logits: apply {apply} first, or in an audit say logits=True (--logits)"


def doubts_of(y_true, y_prob, names):
    """What may be, and yet is more often a mistake."""
    p = y_prob if y_prob.ndim == 1 else y_prob[:, 1]
    n_classes = 2 if y_prob.ndim == 1 else y_prob.shape[1]
    named, count = [plain(name) for name in names or range(n_classes)], np.bincount(y_true, minlength=n_classes)
    promised = sum(two_columns(part).sum(axis=0) for _, part in in_slices(y_prob))
    # Of n labels none is k with probability exp(-promised) at most.
    never = np.flatnonzero((count == 0) & (promised >= np.log(n_classes / NEVER)))
    if len(never):
        never = listed(named[k] for k in never)
        yield f"y_true: no row has the label {never}; if some should, check that labels and classes are numbered alike"
    if all(((part == 0) | (part == 1)).all() for _, part in in_slices(y_prob)):
        yield "y_prob: only 0 and 1; if these are predicted labels, pass probabilities (predict_proba)"
    if n_classes == 2 and count.all():
        from scipy.stats import mannwhitneyu  # not loaded for who does not come this way

        below = mannwhitneyu(p[y_true == 1], p[y_true == 0], alternative="less")
        if below.pvalue <= FALSE_ALARM:
            area = below.statistic / count[0] / count[1]
            other = "pass 1 - y_prob" if y_prob.ndim == 1 else "the columns are in the other order"
            lower = f"labels {named[1]!r} have lower probabilities than labels {named[0]!r} (AUC = {area:.3g} < 1/2)"
            yield f"y_prob: {lower}; is this P(Y = {named[0]!r})? If so, {other}"
    elif n_classes > 2:
        from scipy.optimize import linear_sum_assignment
        from scipy.sparse import csr_array

        ones = csr_array((np.ones(len(p)), y_true, np.arange(len(p) + 1)), shape=(len(p), n_classes))
        sums = sum(ones[rows].T @ part for rows, part in in_slices(y_prob))
        best = linear_sum_assignment(sums, maximize=True)[1]  # the column that suits each label
        row = np.arange(len(y_true))
        gain = y_prob[row, best[y_true]].astype(float) - y_prob[row, y_true]
        if gain.sum() > (2 + np.sqrt(n_classes)) * np.sqrt((gain**2).sum()):
            moved = np.flatnonzero((best != np.arange(n_classes)) & (count > 0))
            labels, others = (listed(named[k] for k in each) for each in (moved, best[moved]))
            more = f"labels {labels} have more probability in the columns of {others}"
            yield f"y_prob: {more}; if the columns are in another order, pass classes="


def one_hot(y_true, n_classes):
    """Unit vectors e_y, shape (n, n_classes), of checked integer labels."""
    return np.eye(n_classes)[y_true]


def two_columns(y_prob):
    """P(Y = 1) as rows (1 − p, p), other rows as they are."""
    return np.column_stack([1 - y_prob, y_prob]) if y_prob.ndim == 1 else y_prob


def residuals(y_true, y_prob):
    """Residuals δ_i = p_i − e_{y_i} (binary vector input: δ_i = p_i − y_i).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.

    Returns
    -------
    ndarray, same shape as `y_prob`
        Values in [−1, 1]; each row of an (n, d) result sums to 0.

    Notes
    -----
    A model is canonically calibrated when E[δ | f(X)] = 0 (Gruber & Bach, eq. 6).
    """
    y_true, y_prob = check_predictions(y_true, y_prob)
    return y_prob - (y_true if y_prob.ndim == 1 else y_true[:, None] == np.arange(y_prob.shape[1]))


def top_label(y_true, y_prob):
    """Reduce to the top label: whether the most probable class was right, and how sure the model was.

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`. A binary vector is read as the two-class problem (1 − p, p).

    Returns
    -------
    hit : ndarray of int, shape (n,)
        1[y = argmax_k p_k]; ties go to the smallest class, as in ``numpy.argmax``.
    confidence : ndarray of float, shape (n,)
        max_k p_k, in [1/d, 1].

    Notes
    -----
    The pair of Gruber & Bach, eq. 8 (*top-label confidence*; called *confidence calibration* by
    Guo et al. 2017). The paper's binning formulas print argmax where the value max is meant (errata G19).
    """
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    hit, confidence = np.empty(len(y_true), dtype=np.int64), np.empty(len(y_true))
    for rows, part in in_slices(y_prob):
        part = two_columns(part)
        hit[rows], confidence[rows] = y_true[rows] == part.argmax(axis=1), part.max(axis=1)
    return hit, confidence


def binary_pair(y_true, y_prob):
    """Checked labels and P(Y = 1) as they are given, float32 too; rows reduced to the top label."""
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    return top_label(y_true, y_prob) if y_prob.ndim == 2 else (y_true, y_prob)


def class_wise(y_true, y_prob, k):
    """Reduce to class `k` against the rest: the pair (1[y = k], p_k).

    Parameters
    ----------
    y_true, y_prob : array-like, shapes (n,) and (n, d) or (n,)
        As in `as_predictions`.
    k : int
        Class, 0..d−1 (binary vector: 0 or 1).

    Returns
    -------
    is_k : ndarray of int, shape (n,)
        Whether the label is k.
    probability : ndarray of float, shape (n,)
        What the model said for k.
    """
    y_true, y_prob = check_predictions(y_true, y_prob, as_given=True)
    y_prob = y_prob if y_prob.ndim == 2 else two_columns(y_prob.astype(float))
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k not in range(y_prob.shape[1]):
        raise InputError("k", f"a class among 0..{y_prob.shape[1] - 1}", found=repr(k))
    return (y_true == k).astype(np.int64), y_prob[:, k].astype(float)


def pairs_of_notion(y_true, y_prob, notion):
    """The pairs (labels, predictions) whose errors a notion averages; a vector is its own but for "top-label"."""
    check_choice(notion, "notion", ("canonical", "top-label", "class-wise"))
    y_true, y_prob = check_predictions(y_true, y_prob)
    if notion == "top-label":
        return [top_label(y_true, y_prob)]
    if notion == "class-wise" and y_prob.ndim == 2:
        return [((y_true == k).astype(np.int64), p) for k, p in enumerate(y_prob.T)]
    return [(y_true, y_prob)]
