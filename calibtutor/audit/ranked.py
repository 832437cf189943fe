"""Of many outcomes the likeliest few, as one keeps them of a language model: how they come in, and their tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import entr

from ..inputs import InputError, check_numbers, check_rows, refuse_beside, reject
from ..predictions import LOG_TOLERANCE, as_numbers
from .doubts import MISSES
from .inputs import LEAST, SUM_MISS
from .intervals import mean_interval
from .questions import question_of
from .sections import Section, part_table
from .sentences import beside

NEAR = 0.01  # how far logarithms may be apart that are equal, and as a share of them: half precision
ROUNDING = 2.0**-23  # of a mass near 1
ENDS = ("estimate", "low", "high")


def candidates_of(y_true, y_prob, classes=None, log_prob=None, entropy=None):
    """Of ranks and log-probabilities (n, k): (labels, probabilities, names, `Panel.logs`, `Panel.kept`), notes.

    A label is a rank, or k for all that is beyond, which has the probability that is left; none beside −inf.
    """
    refuse_beside("candidates", classes=classes)
    top, first = as_numbers(y_prob, "y_prob")[0], "take log_softmax over all outcomes, then the likeliest"
    least = max(ROUNDING, np.finfo(top.dtype).eps if top.dtype.kind == "f" else 0)
    top = np.array(top, dtype=float).reshape(len(top), -1)
    hint = "these are probabilities: take np.log" if top.min() >= 0 and top.max() <= 1 else first
    reject(~(top <= NEAR).all(axis=1) | (top[:, 0] == -np.inf), top, "y_prob", "log-probabilities, at most 0", hint)
    hint = "sort them, -np.sort(-y_prob, axis=1), and count ranks in that order"
    reject((top[:, 1:] > top[:, :-1]).any(axis=1), top, "y_prob", "the likeliest candidate first", hint)
    mass, whole, there = np.exp(top).sum(axis=1), top[:, -1] == -np.inf, (top > -np.inf).sum(axis=1)
    wanted = f"probabilities with a sum of 1 at most, and of 1 beside −inf (± {LOG_TOLERANCE})"
    wrong = (mass > 1 + LOG_TOLERANCE) | whole & (mass < 1 - LOG_TOLERANCE)
    reject(wrong, top, "y_prob", wanted, f"{first}; −inf says that there are no others")
    rank, hint = _column(y_true, "y_true", y_prob), "0 is the likeliest; from k on it is none of the k candidates"
    reject(~(rank >= 0) | (rank % 1 != 0), rank[:, None], "y_true", "the rank of what came, a whole number", hint)
    hint = "−inf says that there are no others"
    reject(whole & (rank >= there), rank[:, None], "y_true", "the rank of one of the row's candidates", hint)
    if rank.min() > 0 and np.exp(top[:, 0]).sum() > MISSES:
        raise InputError("y_true", "ranks from 0", found=f"none below {rank.min():g}", hint="subtract 1")
    top, k, each = top[:, : there.max()], there.max(), np.arange(len(top))
    inside, label = rank < k, np.minimum(rank, k).astype(np.int64)
    rest = np.where(whole, 0.0, np.maximum(1 - mass, least))
    beyond = bool(k == 1 or not inside.all() or rest.max() > least)
    with np.errstate(divide="ignore"):
        logs = np.column_stack([top, np.log(rest)][: 1 + beyond])
    total = np.exp(logs).sum(axis=1)
    logs -= np.log(total)[:, None]
    p, came = np.exp(logs), logs[each, label]
    surprise, of_all = (np.full(len(p), np.nan),) * 2 if beyond else (-came, entr(p).sum(axis=1))
    if log_prob is not None:
        surprise, last = -_column(log_prob, "log_prob", y_prob), top[each, np.minimum(label, there - 1)]
        slack, hint = NEAR * np.maximum(1, surprise), "it is that of what came; do ranks start at 0, and logs at e?"
        wrong = ~(-surprise <= last + slack) | inside & (-surprise < last - slack)
        wanted = "at the candidate's rank its log-probability, beyond no more than the last one's"
        reject(wrong, np.column_stack([-surprise, rank]), "log_prob and y_true", wanted, hint)
    if entropy is not None:
        if np.isnan(surprise).any():
            raise InputError("entropy", "log_prob beside it", hint="surprise and entropy are compared")
        of_all, hint = _column(entropy, "entropy", y_prob), "it is −Σ p log p over all outcomes, in nats"
        least = entr(np.exp(top)).sum(axis=1) - rest * top[each, there - 1]  # no outcome beyond is likelier
        reject(of_all < least * (1 - NEAR) - NEAR, of_all[:, None], "entropy", "at least that of the candidates", hint)
    shares = f"a row, with {p[:, :k].sum() / len(p):.3g} of the probability and {inside.mean():.3g} of what came"
    notes, off = [("candidates", int(k), shares)], np.abs(total - 1)
    if count := int((off > SUM_MISS).sum()):
        notes.append(("rows divided by their sum", count, f"they missed 1 by {off.max():.2g} at most"))
    odds = logs[:, 0] - np.log(np.maximum(p[:, 1:].sum(axis=1), LEAST))
    logs, kept = np.column_stack([odds, came]), np.column_stack([surprise, of_all])
    names = [f"rank {j}" for j in range(k)] + [f"beyond rank {k - 1}"] * beyond
    return ((1 - label, p[:, 0], names[::-1], logs, kept) if k == 1 else (label, p, names, logs, kept)), notes


def _column(values, name, y_prob):
    column = check_numbers(values, name)
    column = column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column
    if column.ndim != 1:
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
        one = replace(panel, y_true=hit, y_prob=said, names=["no", name], logs=None if k else panel.logs, kept=None)
        found = evidence.answers.get(question_of(panel, k))
        parts.append(part_table(one, [({"rank": name}, rows)], [found], evidence.level))
    why = "candidates have ranks, whatever they are called"
    return Section(pd.concat(parts).drop(columns=["n", "tested"]) if parts else None, [("classes by name", why)])


def surprise(evidence):
    """Of all rows and of each group the mean of −log p of what came, of the entropy, and of their difference."""
    panel, table = evidence.panel, []
    if not panel.ranked or np.isnan(panel.kept).any():
        why = "log_prob and entropy of all outcomes were not given"
        return Section(not_run=[("surprise − entropy", why)] if panel.ranked else [])
    parts = [(column, *level) for column, levels in evidence.groups.items() for level in levels.items()]
    for *name, rows in [("all rows", "", np.ones(len(panel), dtype=bool)), *parts]:
        some = panel.take(np.flatnonzero(rows))
        difference = mean_interval(some.kept @ [1, -1], some.weights, some.cluster, evidence.level)
        table.append([*name, len(some), *np.average(some.kept, axis=0, weights=some.weights), *difference])
    columns = "column level n surprise entropy difference difference_low difference_high".split()
    why = "redrawn labels are ranks, and one rank is all that is beyond; it has an interval"
    return Section(pd.DataFrame(table, columns=columns), [("a test of surprise − entropy", why)])


def sentence(tables):
    """What page one says of what is beyond the candidates, and of all outcomes."""
    said = ""
    if "ranks" in tables and (row := tables["ranks"].iloc[-1])["rank"].startswith("beyond"):
        ends = dict(zip(ENDS, row["said"] - row[["gap", "gap_high", "gap_low"]], strict=True))
        said = " Beyond the candidates: said {}, happened {}.".format(*beside(ends, row["said"]))
    if "surprise" in tables:
        row = tables["surprise"].iloc[0]
        words = beside(dict(zip(ENDS, row.iloc[-3:], strict=True)), row["surprise"], row["entropy"])
        said += " Of all outcomes: surprise {} nats, entropy {}, difference {} (0 if right; not tested).".format(*words)
    return said
