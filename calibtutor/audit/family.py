"""Redrawn labels, the same ones for all questions, and p-values that pay for the number of questions."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array, hstack
from tqdm.auto import tqdm

from ..kernels import slices
from ..pair_sums import BLOCK_ROWS, blocks
from ..pvalues import TIE, rank_pvalues
from ..resampling import draw_labels
from .cells import BLOCK_DRAWS, are_many, cells_alike, cells_along, cells_in_space, hits_in_cells, quick_labels
from .questions import CURVE, FEW_TARGETS, SIGNS, one_column_a_row

ROWS_A_CELL = 100  # at least, or labels one by one are faster
MANY_ROWS = 4096  # summed at once, where rows are many


@dataclass(frozen=True)
class Draws:
    """What label vectors give, the observed one first if it was asked for."""

    values: dict  # question -> statistics, (m,)
    sums: np.ndarray  # Σ_i w_i z_i (t_i − t̄_i), (columns of the linear questions, m)
    few: tuple | None = None  # of signs of clusters: questions whose labels were redrawn, and those left open


def statistics(panel, asked, plan, rng, *, observed=True, progress=False, tables=()):
    """`Draws` of the observed labels (if `observed`) and of redrawn ones.

    `plan` lists probabilities to draw from, as a function of a panel's rows (None: their predictions), and how many;
    `tables`, sparse (n, ·), are more sums over the residuals of "said" that are wanted, appended to `sums`.

    Above 20,000 rows kernels see cells (`cells`): of two classes that are all that is asked about, hits are drawn for a
    cell at once; else labels are drawn row by row, in few random bits, and summed by cell.
    """
    n_sets = observed + sum(count for _, count in plan)
    many = are_many(panel, n_sets)
    linear = hstack([asked.linear, *tables], format="csr") if tables else asked.linear
    plain = panel.two and panel.cluster is None and not np.ptp(panel.weights)
    if many and plain and all(each.X.shape[1] == 1 for each in asked.kernels):
        cell = cells_alike(panel.said, linear)
        if (cell.max() + 1) * ROWS_A_CELL <= len(panel):
            return _answers(asked, *_counted(panel, asked, linear, cell, plan, rng, observed, progress))
    order, work = _work(panel, asked, linear, n_sets, many)
    if many and panel.cluster is not None:
        plan = [(tilt, rng.random((panel.cluster[-1] + 1, count))) for tilt, count in plan]
    step = MANY_ROWS if many else BLOCK_ROWS
    with tqdm(total=len(panel), disable=not progress, desc="rows") as bar:
        for rows in slices(len(panel), step) if many else blocks(panel.cluster, len(panel), step):
            block, start, values_of = panel.take(order[rows], float), 0, {}
            for target, some in work.items():
                values_of[target], *promise = _target(asked, block, target)
                for each in some:
                    each.start(rows, block.weights, *promise)
            for labels in _labels(block, plan, rng, observed, many):
                part = slice(start, start := start + labels.shape[1])
                for target, some in work.items():
                    values = values_of[target](labels)
                    for each in some:
                        each.add(part, values)
            bar.update(len(block))
    residual = work["said"].pop(0).total[:, :, 0] - (linear.T @ panel.said)[:, None]
    values = {each.name: np.zeros(n_sets) for each in asked.kernels}
    for each in sum(work.values(), []):
        values[each.name] += each.statistics()
    return _answers(asked, residual, values)


def _counted(panel, asked, linear, cell, plan, rng, observed, progress):
    """Residual sums of `linear` and {question: statistics} by the hits in cells."""
    order = np.argsort(cell, kind="stable")
    size, starts = np.bincount(cell), np.flatnonzero(np.diff(cell[order], prepend=-1))
    rows, hits = panel.take(order), [np.bincount(cell, panel.hit)[:, None]] if observed else []
    said = rows.said
    with tqdm(total=sum(count for _, count in plan), disable=not progress, desc="draws") as bar:
        for tilt, count in plan:
            for part in hits_in_cells(said if tilt is None else tilt(rows), starts, count, rng):
                hits.append(part)
                bar.update(part.shape[1])
    mean, variance = np.add.reduceat(said, starts), np.add.reduceat(said - said**2, starts)
    missed, values = np.hstack(hits) - mean[:, None], {}
    for each in asked.kernels:
        phi = each.kernel.features(mean / size)
        values[each.name] = ((phi.T @ missed) ** 2).sum(axis=0) - (phi**2).sum(axis=1) @ variance
    of_cells = one_column_a_row(1 / size[cell], cell).T @ linear
    return of_cells.T @ missed, values


def _answers(asked, residual, values):
    """`Draws` of residual sums, and of the kernel questions' statistics."""
    for name, columns in asked.columns.items():
        S = residual[columns]
        values[name] = np.einsum("ib,ij,jb->b", S, asked.inverse[name], S)
    for name, columns in asked.bins.items():
        each = np.abs(residual[columns]) / asked.spread[name][:, None]
        values[name] = each.max(axis=0) if name == CURVE else (each**2).sum(axis=0)
    return Draws(values, residual)


def _labels(block, plan, rng, observed, many):
    """Labels of a block, (rows, sets), in parts."""
    for tilt, count in plan:
        p = block.y_prob if tilt is None else tilt(block)
        if many:
            parts = quick_labels(p, count if block.cluster is None else count[block.cluster], rng)
        else:
            drawn = draw_labels(p, count, rng, cluster=block.cluster)
            size = BLOCK_DRAWS if len(block.names) > FEW_TARGETS else count  # a label is 32 numbers
            parts = (drawn[:, part] for part in slices(count, size))
        for labels in parts:
            if observed:  # beside draws, or equal labels might have sums that differ in the last bit
                observed, labels = False, np.hstack([block.y_true[:, None].astype(labels.dtype), labels])
            yield labels


def _target(asked, block, target):
    """labels -> values v of a target, (rows, sets, 1); their means m, Σ of variances, and e of (v − m)² = c + e v.

    Of SIGNS labels stay what they are: a label's values are 32 numbers, which `_Sums` looks up.
    """
    if target == SIGNS:
        mean = block.y_prob @ asked.projection
        return lambda labels: labels, mean, (asked.projection[0] ** 2 - mean**2).sum(axis=1), -2 * mean
    mean = block.said[:, None] if target == "said" else block.y_prob[:, [target]]
    wanted = target if target != "said" else 1 if block.two else block.top[:, None]
    values = lambda labels: (labels == wanted).astype(np.float32)[:, :, None]
    return values, mean, (mean - mean**2)[:, 0], 1 - 2 * mean


@dataclass
class _Sums:
    """Σ_i w_i f_i (v_i − m_i), (columns, sets, numbers), of the values v of a target."""

    name: str
    source: object  # first row, last + 1 -> w f, (columns, rows), and features of the columns, (columns, r), or None
    total: np.ndarray
    phi: np.ndarray | None = None  # features of the columns, if these are summed first
    signs: np.ndarray | None = None  # the numbers of each label, if values are labels
    diagonal: object = 0.0  # the expected part i = j
    excess: np.ndarray | None = None  # and what is beyond it, where each row is a column

    def start(self, rows, weights, mean, variance, slope):
        """The block of rows that `add` is about."""
        self.now, self.features = self.source(rows.start, rows.stop)
        self.centre = (self.now @ mean.astype(np.float32))[:, None] if self.name else 0
        height = 1.0 if self.features is None else (self.features**2).sum(axis=1, dtype=float)
        self.diagonal = self.diagonal + np.dot(self.now.power(2) @ variance, height)
        if self.excess is not None:
            self.slope = ((weights * height)[:, None] * slope).astype(np.float32)

    def add(self, part, values):
        """Values (rows, sets, 1), or labels (rows, sets), of some sets."""
        if self.signs is None:
            sums = (self.now @ values[:, :, 0])[:, :, None] - self.centre
        else:  # a row for each set and column, with the weight of each label in it: rows stand in the columns' order
            ends, n_sets = self.now.indptr, values.shape[1]
            ends = np.append(0, ends[1:] + ends[-1] * np.arange(n_sets)[:, None])
            shape, given = (len(ends) - 1, len(self.signs)), (np.tile(self.now.data, n_sets), values.T.ravel(), ends)
            sums = csr_array(given, shape=shape) @ self.signs
            sums = sums.reshape(n_sets, -1, sums.shape[1]).swapaxes(0, 1) - self.centre
        if self.excess is not None:  # of each row w (v − m): where it is 0, so is the sum, to the last bit
            self.excess[part] += np.tensordot(self.slope, sums, axes=((0, 1), (0, 2)))
        if self.features is not None:
            sums = (self.features.T @ sums.reshape(len(sums), -1)).reshape(-1, *sums.shape[1:])
        self.total[:, part] += sums

    def statistics(self):
        """‖Σ_i w_i φ_i (v_i − m_i)‖² without the part i = j."""
        total, diagonal = self.total, self.diagonal
        if self.phi is not None:
            total, diagonal = np.tensordot(self.phi.T, total, axes=1), (self.phi**2).sum(axis=1) @ diagonal
        found = np.einsum("rbm,rbm->b", total, total, dtype=float) - diagonal
        return found if self.excess is None else found - self.excess


def _work(panel, asked, linear, n_sets, many):
    """The order in which rows are summed, and {target: sums}: those of `linear` first, then one for each question."""
    spaces = [each.X for each in asked.kernels if many and each.X.shape[1] > 1 and each.targets != ("said",)]
    order, cell = np.argsort(panel.said, kind="stable") if many else np.arange(len(panel)), None
    if spaces:
        order, cell = cells_in_space(spaces[0])
    w = panel.weights[order].astype(np.float32)

    def columns(matrix):
        matrix = matrix[order].astype(np.float32)
        return lru_cache(1)(lambda start, stop: (matrix[start:stop].T.tocsr(), None))

    def cells(kernel, X, place, cell):
        def source(start, stop):
            low, high = cell[start], cell[stop - 1] + 1
            where = cell[start:stop] - low, np.arange(stop - start)
            weights = csr_array((w[start:stop], where), shape=(high - low, stop - start))
            return weights, kernel.features(X[place[low:high]]).astype(np.float32)

        return lru_cache(1)(source)

    work = {"said": [_Sums("", columns(linear), np.zeros((linear.shape[1], n_sets, 1)))]}
    for each in asked.kernels:
        phi, alone, length = None, False, each.kernel.rank
        if many and each.X.shape[1] == 1:
            index = cells_along(each.X[:, 0])
            phi = each.kernel.features(np.bincount(index, each.X[:, 0]) / np.bincount(index))
            length, source = len(phi), columns(one_column_a_row(panel.weights, index))
        elif many and each.targets != ("said",):
            rows_of_cells = np.split(order, np.flatnonzero(np.diff(cell)) + 1)
            mean = np.array([each.X[rows].mean(axis=0, dtype=float) for rows in rows_of_cells])
            source = cells(each.kernel, mean, np.arange(len(mean)), cell)
        else:
            source, alone = cells(each.kernel, each.X, order, np.arange(len(panel))), True
        for target in each.targets:
            signs = asked.projection.astype(np.float32) if target == SIGNS else None
            total = np.zeros((length, n_sets, 1 if signs is None else FEW_TARGETS), dtype=np.float32)
            sums = _Sums(each.name, source, total, phi, signs, excess=np.zeros(n_sets) if alone else None)
            work.setdefault(target, []).append(sums)
    return order, work


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
    largest = np.maximum.accumulate(score[order[::-1]], axis=0)[::-1]  # over the questions that are left
    adjusted = np.empty(len(table))
    adjusted[order] = np.maximum.accumulate(rank_pvalues(largest)[:, 0])
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
