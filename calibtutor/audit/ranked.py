"""Of many outcomes the likeliest few, as one keeps them of a language model: how they come in, and their table."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import entr

from ..inputs import InputError, check_numbers, check_rows, refuse_beside, reject
from ..predictions import LOG_TOLERANCE, as_numbers
from .doubts import MISSES
from .questions import question_of
from .sections import SURPRISE, Section, part_table
from .sentences import beside

NEAR = 0.01  # how far logarithms may be apart that are equal, and as a share of them: half precision
ROUNDING = 2.0**-23  # of a mass near 1
FARTHEST = -700  # of a likeliest outcome there would be more than particles


def candidates_of(y_true, y_prob, classes=None, log_prob=None, entropy=None):
    """Of ranks and log-probabilities (n, k): labels, scores, their classes, and log_prob and entropy (NaN: unknown).

    A label is a rank, or beyond: all together, with the probability that is left, none in a row with −inf. Of two
    classes scores are the log-odds of the first candidate.
    """
    refuse_beside("candidates", classes=classes)
    top, rank = as_numbers(y_prob, "y_prob")[0], _column(y_true, "y_true", y_prob)
    least = max(ROUNDING, np.finfo(top.dtype).eps if top.dtype.kind == "f" else 0)
    top, hint = np.array(top, dtype=float).reshape(len(top), -1), "take log_softmax of all outcomes, then the likeliest"
    log = "these are probabilities: take np.log" if top.min() >= 0 and top.max() <= 1 else hint
    reject(~((top <= NEAR).all(axis=1) & (top[:, 0] > FARTHEST)), top, "y_prob", "log-probabilities, at most 0", log)
    log = "sort them, -np.sort(-y_prob, axis=1), and count ranks in that order"
    reject((top[:, 1:] > top[:, :-1]).any(axis=1), top, "y_prob", "the likeliest candidate first", log)
    mass, whole, there = np.exp(top).sum(axis=1), top[:, -1] == -np.inf, (top > -np.inf).sum(axis=1)
    wrong = (mass > 1 + LOG_TOLERANCE) | whole & (mass < 1 - LOG_TOLERANCE)
    wanted = "probabilities that sum to 1 at most, and to 1 beside −inf, which says that there are no others (± .01)"
    reject(wrong, top, "y_prob", wanted, hint)
    hint = f"0 is the likeliest; from {top.shape[1]} on it is none of the candidates"
    reject(~(rank >= 0) | (rank % 1 != 0), rank[:, None], "y_true", "the rank of what came, a whole number", hint)
    reject(whole & (rank >= there), rank[:, None], "y_true", "the rank of a candidate that is not −inf")
    if rank.min() > 0 and np.exp(top[:, 0]).sum() > MISSES:
        raise InputError("y_true", "ranks from 0", found=f"none below {rank.min():g}", hint="subtract 1")
    k, each = there.max(), np.arange(len(top))
    top, label, rest = top[:, :k], np.minimum(rank, k).astype(int), np.where(whole, 0, np.maximum(1 - mass, least))
    kept, last = np.full((len(top), 2), np.nan), top[each, np.minimum(label, there - 1)]
    with np.errstate(divide="ignore"):
        scores = np.column_stack([top, np.log(rest)])
    names = [*(f"rank {j}" for j in range(k)), f"beyond rank {k - 1}"]
    if k > 1 and rest.max() <= least and label.max() < k:
        scores, names, kept = top, names[:-1], np.column_stack([last, entr(np.exp(top)).sum(axis=1)])
    if log_prob is not None:
        kept[:, 0], hint = _column(log_prob, "log_prob", y_prob), "it is that of what came; do ranks start at 0?"
        slack = NEAR * np.maximum(1, -kept[:, 0])
        wrong = (kept[:, 0] > last + slack) | (label < k) & (kept[:, 0] < last - slack)
        wanted = "at a candidate's rank its log-probability, and beyond no more than the last one's"
        reject(wrong, np.column_stack([kept[:, 0], rank]), "log_prob and y_true", wanted, hint)
    if entropy is not None:
        if np.isnan(kept[:, 0]).any():
            raise InputError("entropy", "log_prob beside it", hint="surprise and entropy are compared")
        kept[:, 1], hint = _column(entropy, "entropy", y_prob), "it is −Σ p log p of all outcomes, in nats"
        least = (1 - NEAR) * (entr(np.exp(top)).sum(axis=1) - rest * top[each, there - 1]) - NEAR  # none is likelier
        reject(kept[:, 1] < least, kept[:, 1:], "entropy", "at least that of the candidates", hint)
    if len(names) == 2:
        scores, label, names = scores[:, 0] - scores[:, 1], 1 - label, names[::-1]
    return np.array(names)[label], scores, names, kept


def _column(values, name, y_prob):
    column = check_numbers(values, name)
    column = column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column
    if column.ndim > 1:
        raise InputError(name, "one number a row", found=f"shape {column.shape}")
    check_rows(values, y_prob, len(column), len(y_prob), name, "y_prob")
    return column


def ranks(evidence):
    """Gap and slope of each rank, and of all that is beyond the candidates."""
    panel, parts, rows = evidence.panel, [], np.ones(len(evidence.panel), dtype=bool)
    if not panel.ranked:
        return Section()
    for k, name in enumerate(() if panel.two else panel.names):
        hit, said = (panel.y_true == k).astype(np.int64), panel.y_prob[:, k].astype(float)
        one = replace(panel, y_true=hit, y_prob=said, names=["no", name], logs=None if k else panel.logs, entropy=None)
        found = evidence.answers.get(question_of(panel, k))
        parts.append(part_table(one, [({"rank": name}, rows)], [found], evidence.level))
    not_run = [("classes by name", "candidates have ranks, whatever they are called"),
               (f"a test of {SURPRISE}", "redrawn labels are ranks, and all that is beyond is one")]  # fmt: skip
    if np.isnan(panel.entropy).any():
        not_run.append((SURPRISE, "log_prob and entropy of all outcomes were not given"))
    return Section(pd.concat(parts).drop(columns=["n", "tested"]) if parts else None, not_run)


def sentence(tables):
    """What page one says of what is beyond the candidates, and of all outcomes."""
    size, table, said = tables["size"].set_index("quantity"), tables.get("ranks"), ""
    if table is not None and (row := table.iloc[-1])["rank"].startswith("beyond"):
        ends = dict(zip(size.columns, row["said"] - row[["gap", "gap_high", "gap_low"]], strict=False))
        said = " Beyond the candidates: said {}, happened {}.".format(*beside(ends, row["said"]))
    if SURPRISE in size.index:
        said += f" Surprise − entropy of all outcomes: {beside(size.loc[SURPRISE])[0]} nats (0 if right; not tested)."
    return said
