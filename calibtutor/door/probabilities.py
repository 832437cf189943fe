"""The third stage: the table's numbers are probabilities, or it is said what they may be; then doubts."""

import numpy as np

from .inputs import InputError, reject, shown_row
from .table import listed, plain, table_of

# Softmax outputs stored as float32 miss 1 by a few 1e-7; anything beyond 1e-5 is not a rounding error.
SUM_TOLERANCE = 1e-5
# Ten entries of two decimals miss 1 by .05 at most: what is further off was not rounded, it is something else.
MOST_ROUNDING = 0.05
LOG_TOLERANCE = 0.01  # of the sum of exp: half precision
FALSE_ALARM = 0.003  # of the doubt about two classes, by Mann & Whitney
NEVER = 0.001  # probability that a label that should occur never does
SLICE_ENTRIES = 2**16  # of a table that are looked at at once: half a megabyte of doubles


def check_probabilities(y_prob, name="y_prob", min_rows=2, *, as_given=False):
    """Probabilities alone, as `check_predictions` reads them."""
    return in_range(table_of(y_prob, name=name)[0], name, min_rows, as_given=as_given)


def in_range(table, name="y_prob", min_rows=2, normalise=False, as_given=False):
    """Probabilities, where they are rounded set right, in doubles; `as_given` if that changes nothing."""
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
    if not vector and low >= 0:
        sums = "sum to {:.3g} at least and {:.3g} at most".format(*np.quantile(rows.sum(axis=1), [0, 1]))
        return f"looks like scores whose rows {sums}: divide by the sums, or, of logits, {apply}"
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


def in_slices(table, kind=np.float64):
    """Pairs of a slice of rows and these rows in this type, in C order: what is made of them stays small."""
    step = max(1, SLICE_ENTRIES // max(1, table[:1].size))
    for start in range(0, len(table), step):
        rows = slice(start, start + step)
        yield rows, np.asarray(table[rows], dtype=kind, order="C")


def two_columns(y_prob):
    """P(Y = 1) as rows (1 − p, p), other rows as they are."""
    return np.column_stack([1 - y_prob, y_prob]) if y_prob.ndim == 1 else y_prob
