"""Redrawn labels, the same ones for all questions, and p-values that pay for the number of questions."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import hstack
from tqdm.auto import tqdm

from ..kce_in_parts import BLOCK_ROWS, blocks
from ..pvalues import TIE, rank_pvalues
from ..resampling import draw_labels
from .many import are_many, sums_of_many
from .questions import CURVE


@dataclass(frozen=True)
class Draws:
    """What label vectors give, the observed one first if it was asked for."""

    values: dict  # question -> statistics, (m,)
    sums: np.ndarray  # Σ_i w_i z_i (t_i − t̄_i), (columns of the linear questions, m)


def statistics(panel, asked, plan, rng, *, observed=True, progress=False, tables=()):
    """`Draws` of the observed labels (if `observed`) and of redrawn ones.

    `plan` lists probabilities to draw from, as a function of a block of predictions (None: these themselves), and how
    many; `tables`, sparse (n, ·), are more sums over the residuals of "said" that are wanted, appended to `sums`.
    """
    n_sets = observed + sum(count for _, count in plan)
    linear = hstack([asked.linear, *tables], format="csr") if tables else asked.linear
    bar = tqdm(total=len(panel), disable=not progress, desc="rows")
    if are_many(panel, n_sets):
        residual, values = sums_of_many(panel, asked, linear, plan, rng, observed, bar)
        bar.close()
        return _draws(asked, residual, values)
    hits, said = np.zeros((linear.shape[1], n_sets)), linear.T @ panel.said
    names = dict.fromkeys(target for each in asked.kernels for target in each.targets)
    targets = {name: [each for each in asked.kernels if name in each.targets] for name in names}
    sums = {name: np.zeros((sum(each.kernel.rank + 1 for each in some), n_sets)) for name, some in targets.items()}
    for rows in blocks(panel.cluster, len(panel), BLOCK_ROWS):
        labels = _labels(panel, rows, plan, rng, observed)
        of_said = np.equal(labels, 1 if panel.two else panel.top[rows, None]).astype(np.float32)
        hits += (linear[rows].astype(np.float32)).T @ of_said
        phi = {each.name: each.kernel.features(each.X[rows]) for each in asked.kernels}
        for target, kernels in targets.items():
            V, *promise = _values(asked, panel, rows, labels, of_said, target)
            F, shift = _features(panel, rows, [phi[each.name] for each in kernels], *promise)
            sums[target] += F.astype(np.float32).T @ V + shift[:, None]
        bar.update(rows.stop - rows.start)
    bar.close()
    values = {each.name: np.zeros(n_sets) for each in asked.kernels}
    for target, kernels in targets.items():
        ends = np.cumsum([each.kernel.rank + 1 for each in kernels])
        for each, part in zip(kernels, np.split(sums[target], ends[:-1]), strict=True):  # φ, and i = j
            values[each.name] += np.einsum("rb,rb->b", part[:-1], part[:-1]) - part[-1]
    return _draws(asked, hits - said[:, None], values)


def _draws(asked, residual, values):
    for name, columns in asked.columns.items():
        S = residual[columns]
        values[name] = np.einsum("ib,ij,jb->b", S, asked.inverse[name], S)
    for name, columns in asked.bins.items():
        each = np.abs(residual[columns]) / asked.spread[name][:, None]
        values[name] = each.max(axis=0) if name == CURVE else (each**2).sum(axis=0)
    return Draws(values, residual)


def _labels(panel, rows, plan, rng, observed):
    p, cluster = panel.y_prob[rows], None if panel.cluster is None else panel.cluster[rows]
    parts = [panel.y_true[rows, None].astype(np.min_scalar_type(max(1, len(panel.names) - 1)))] if observed else []
    parts += [draw_labels(p if tilt is None else tilt(p), count, rng, cluster=cluster) for tilt, count in plan]
    return parts[0] if len(parts) == 1 else np.hstack(parts)


def _values(asked, panel, rows, labels, of_said, target):
    """Values v of the labels, their mean m, and c and e of (v − m)² = c + e v."""
    if target == "said":
        V, mean = of_said, panel.said[rows]
    elif target >= 0:
        V, mean = np.equal(labels, target).astype(np.float32), panel.y_prob[rows, target]
    else:  # a random direction of the residuals, signs of one size
        signs = asked.projection[:, target]
        mean = panel.y_prob[rows] @ signs
        return signs.astype(np.float32)[labels], mean, signs[0] ** 2 + mean**2, -2 * mean
    return V, mean, mean**2, 1 - 2 * mean


def _features(panel, rows, blocks, mean, constant, tilt):
    """Columns whose sums over the targets' values, and what is added, give residual sums and their i = j part."""
    w, columns, shift = panel.weights[rows], [], []
    for phi in blocks:
        weighted, height = phi * w[:, None], w**2 * (phi**2).sum(axis=1)
        columns += [weighted, (height * tilt)[:, None]]
        shift += [-(mean @ weighted), [height @ constant]]
    return np.hstack(columns), np.concatenate(shift)


def scores(table, null=None):
    """How surprising each statistic is, comparable between questions, of every data set.

    Minus the rank p-value in whole steps; of equal ones, which are many where draws are few, the standardised
    statistic decides within the step. Ranks stay exact: all data sets are treated alike. `table`, (m, data sets), is
    ranked among `null`, (m, draws), by default itself.
    """
    null = table if null is None else null
    spread, centre = null.std(axis=1, keepdims=True), null.mean(axis=1, keepdims=True)
    moves = spread > TIE * np.abs(null).max(axis=1, keepdims=True)
    z = np.where(moves, (table - centre) / np.where(moves, spread, 1), 0.0)
    if null is table:
        rank = rank_pvalues(table) * table.shape[1]
    else:
        rank = np.empty(table.shape)
        for row, (values, drawn) in enumerate(zip(table, np.sort(null, axis=1), strict=True)):
            slack = TIE * np.abs(drawn).max()
            rank[row] = 1 + len(drawn) - np.searchsorted(drawn, values - slack, side="left")
    return z / (1 + np.abs(z)) / 2 - np.round(rank)


def adjusted_pvalues(table):
    """Westfall–Young step-down: p-values of several questions that hold the family-wise error.

    The most surprising question is ranked among the draws' most surprising answers to all questions, the next one
    among those to the questions that are left, and so on; an adjusted p is never below the one before it (Westfall &
    Young 1993, algorithm 2.8). `table`, (m, B + 1), has every statistic on the same data sets, the observed one first;
    raw and adjusted p-values come back.

    The first step is exact at any n, hence is the family-wise error if the model is calibrated in every respect. If it
    fails in some, the error among the others holds under subset pivotality.
    """
    raw, score = rank_pvalues(table)[:, 0], scores(table)
    order = np.argsort(-score[:, 0], kind="stable")
    adjusted, last = np.empty(len(table)), 0.0
    largest = np.maximum.accumulate(score[order[::-1]], axis=0)[::-1]  # over the questions that are left
    for place, question in enumerate(order):
        last = max(last, float(rank_pvalues(largest[place])[0]))
        adjusted[question] = last
    return raw, adjusted


def largest_by_chance(values, question, level):
    """The largest value of a question's statistic that is no finding among all questions.

    A larger one has an adjusted p of at most `level`, whatever the others say: its score is one that the largest score
    of a draw reaches in so few draws.
    """
    score = scores(np.array(list(values.values())))
    largest = np.sort(score[:, 1:].max(axis=0))[::-1]
    usual = largest[int(level * score.shape[1] * (1 + 1e-12)) - 1]
    return values[question][score[list(values).index(question)] <= usual].max()
