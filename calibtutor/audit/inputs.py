"""Labels and predictions as people have them become a panel; what was noted on the way is a table."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import entr
from sklearn.metrics import roc_auc_score

from ..door.arrays import as_array, check_clusters, check_weights
from ..door.inputs import InputError, reject
from ..door.labels import labels_of
from ..door.probabilities import LOG_TOLERANCE, SUM_TOLERANCE, doubts_of, in_range
from ..door.table import plain, table_of
from .columns import check_no_label
from .doubts import data_doubts
from .questions import MISSES, Panel

LEAST_EFFECTIVE = 10
NEAR = 0.01  # how far logarithms may be apart that are equal, and as a share of them: half precision
LEAST = 1e-300  # of what logits leave to other classes: no log-odds beyond 690


def panel_of(y_true, y_prob, classes=None, weights=None, cluster=None, design="holdout", logits=False, percent=False,
             candidates=None):
    """Checked rows sorted by cluster, their order in the input, and notes (what, value, note) of what was doubted.

    `candidates`: (log_prob, entropy), each may be None, if `y_prob` is what `_candidates` takes.
    """
    (table, names), entropy, ranked = table_of(y_prob, classes), None, candidates is not None
    if ranked:
        label, table, names, came, entropy = _candidates(y_true, table, *candidates)
    if percent:
        rows = table.reshape(len(table), -1)
        wrong = ~((rows >= 0) & (rows <= 100)).all(axis=1) | (rows.max() <= 1)
        reject(wrong, rows, "y_prob", "percents from 0 to 100, some above 1")
        table = table / 100
    table, logs_of, notes = _softmax(table, ranked) if logits or ranked else (table, None, [])
    probabilities = in_range(table, normalise=True, as_given=True)
    labels = label if ranked else labels_of(y_true, y_prob, probabilities, names, classes)
    notes += [("doubt", "", each) for each in doubts_of(labels, probabilities, names)]
    names = [plain(each) for each in names or range(2 if probabilities.ndim == 1 else probabilities.shape[1])]
    logs = None if logs_of is None else logs_of(labels)
    if ranked:  # of what came itself, not of all that is beyond
        logs[:, 1] = np.where(np.isnan(came), logs[:, 1], came)
    miss = np.abs(table.sum(axis=1, dtype=float) - 1) if table.ndim == 2 else np.zeros(1)
    if count := int((miss > SUM_TOLERANCE).sum()):
        notes.append(("rows divided by their sum", count, f"they missed 1 by {miss.max():.2g} at most"))
    if probabilities.size <= 2 * len(probabilities):
        probabilities = np.array(probabilities.reshape(len(probabilities), -1)[:, -1], dtype=float)
    w = check_weights(weights, len(labels))
    w, codes = np.ones(len(labels)) if w is None else w / w.max(), check_clusters(cluster, labels)
    panel = Panel(labels, probabilities, w, codes, names, logs, entropy)
    if np.ptp(w):
        check_no_label({"weights": w}, panel)
    order = np.arange(len(labels)) if codes is None else np.argsort(codes, kind="stable")
    order = order[w[order] > 0]  # a weight of 0 is the row left out
    if codes is not None or len(order) < len(labels):
        panel = panel.take(order)
        check_clusters(panel.cluster, panel.cluster)  # of the rows that count
    w = panel.weights / panel.weights.mean()
    if len(w) ** 2 / (w**2).sum() < min(LEAST_EFFECTIVE, len(w) / 2):
        heaviest = f"{w.max() / len(w):.3g} of the weight, so that the others count for nothing"
        raise InputError("weights", "none above 1/10", found=heaviest, row=order[np.argmax(w)])
    panel = replace(panel, weights=w)
    return panel, order, notes + [("doubt", "", doubt) for doubt in data_doubts(panel, design)]


def _candidates(y_true, top, log_prob, entropy):
    """Of ranks and log-probabilities (n, k): labels, scores, their classes, log_prob and entropy (NaN if not known).

    Classes are ranks, and all that is beyond: none in a row with −inf. Of two scores are log-odds of the first.
    """
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
    label, names = np.minimum(rank, k).astype(int), [*(f"rank {j}" for j in range(k)), f"beyond rank {k - 1}"]
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
    return label, scores, names, came, known


def _softmax(table, ranked):
    """Probabilities of scores (n, d), or of log-odds of class 1 (n,); a function from labels to `Panel.logs`; notes."""
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
    logs_of = lambda labels: np.column_stack([odds, scores[each, labels] - np.log1p(rest)])
    return p[:, 1] if vector else p, logs_of, notes


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
            (True, "distinct predictions", len(pd.unique(panel.code)), "")]
    return pd.DataFrame([*(row[1:] for row in rows if row[0]), *notes], columns=["what", "value", "note"], dtype=object)
