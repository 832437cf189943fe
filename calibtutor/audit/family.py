"""Redrawn labels, the same ones for all questions, and p-values that pay for the number of questions."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array

from ..chance.pvalues import TIE, rank_pvalues, standardised
from ..chance.resampling import draw_labels
from ..kernels import slices
from ..kernels.pair_sums import BLOCK_ROWS, blocks
from ..progress import progress_bar
from .cells import BLOCK_DRAWS, are_many, cells_along, cells_in_space, quick_labels
from .questions import CURVE, FEW_TARGETS, SIGNS, one_column_a_row

MANY_ROWS = 4096  # summed at once, where rows are many


@dataclass(frozen=True)
class Draws:
    """What label vectors give, the observed one first if it was asked for."""

    values: dict  # question -> statistics, (m,)
    sums: np.ndarray  # Σ_i w_i z_i (t_i − t̄_i), (columns of the linear questions, m)
    tilts: tuple = ()  # what draws were moved by
    moved: dict | None = None  # question -> statistics of the draws moved by each tilt, (tilts, m)
    few: tuple | None = None  # of signs of clusters: questions whose labels were redrawn, and those left open


def statistics(panel, asked, plan, rng, *, observed=True, progress=False, tables=(), tilts=()):
    """`Draws` of the observed labels (if `observed`) and of redrawn ones.

    `plan` lists probabilities to draw from, as a function of a panel's rows (None: their predictions), and how many;
    `tables`, sparse (n, ·), are more sums over the residuals of "said" that are wanted, appended to `sums`.

    Above 20,000 rows kernels see cells (`cells`), labels are drawn in few random bits and rows of weight 1 counted in
    bytes. There `tilts` cost little: if S are sums of labels drawn from the predictions, those drawn from a small tilt
    are √(v'/v) S + their exact mean, v' and v the variance of the sum of all hits with and without the tilt.
    """
    n_sets = observed + sum(count for _, count in plan)
    many = are_many(panel, n_sets)
    order, work = _work(panel, asked, tables, n_sets + len(tilts), many)
    spread = np.zeros(1 + len(tilts))  # v, and v' of each tilt
    if many and panel.cluster is not None:
        plan = [(tilt, rng.random((panel.cluster[-1] + 1, count))) for tilt, count in plan]
    step = MANY_ROWS if many else BLOCK_ROWS
    with progress_bar(total=len(panel), shown=progress, desc="rows") as bar:
        for rows in slices(len(panel), step) if many else blocks(panel.cluster, len(panel), step):
            block, start, values_of = panel.take(order[rows], float), 0, {}
            for target, some in work.items():
                values_of[target], *promise = target_of(asked, block, target)
                for each in some:
                    each.start(rows, block.weights, *promise)
            for labels in _labels(block, plan, rng, observed, many):
                for target, some in work.items():
                    values = values_of[target](labels)
                    for each in some:
                        each.add(start, values)
                start += labels.shape[1]
            means = [{target: _means(asked, block, p, target) for target in work}
                     for p in (tilt(block) for tilt in tilts)]
            for target, some in work.items() if tilts else ():
                values = np.stack([each[target] for each in means], axis=1, dtype=np.float32)
                for each in some:
                    each.add(n_sets, values)
            happens = np.array([block.said, *(each["said"][:, 0] for each in means)])
            spread += (happens * (1 - happens)) @ block.weights**2
            bar.update(len(block))
    said = [(matrix, work["said"].pop(0)) for matrix in (asked.linear, *tables)]
    residual = np.vstack([each.total[:, :, 0] - (matrix.T @ panel.said)[:, None] for matrix, each in said])
    scale = np.sqrt(spread[1:] / spread[0])[:, None]
    values = {each.name: np.zeros((1 + len(tilts), n_sets)) for each in asked.kernels}
    for each in sum(work.values(), []):
        values[each.name] += each.statistics(scale)
    residual, moves = residual[:, :n_sets], residual.T[n_sets:]
    both = zip([1.0, *scale], [np.zeros(len(residual)), *moves], strict=True)
    linear = [linear_answers(asked, s * residual + move[:, None]) for s, move in both]
    values |= {name: np.array([each[name] for each in linear]) for name in linear[0]}
    moved = {name: each[1:, observed:] for name, each in values.items()}
    return Draws({name: each[0] for name, each in values.items()}, residual, tilts, moved)


def linear_answers(asked, residual):
    """{question: statistics} of the linear questions."""
    values = {name: np.einsum("ib,ij,jb->b", residual[columns], asked.inverse[name], residual[columns])
              for name, columns in asked.columns.items()}
    for name, columns in asked.bins.items():
        each = np.abs(residual[columns]) / asked.spread[name][:, None]
        values[name] = each.max(axis=0) if name == CURVE else (each**2).sum(axis=0)
    return values


def _labels(block, plan, rng, observed, many):
    """Labels of a block, (rows, sets), in parts."""
    for tilt, count in plan:
        p = block.y_prob if tilt is None else tilt(block)
        if many:
            drawn = quick_labels(p, count if block.cluster is None else count[block.cluster], rng)
        else:
            drawn = draw_labels(p, count, rng, cluster=block.cluster)
        for part in slices(drawn.shape[1], BLOCK_DRAWS if len(block.names) > FEW_TARGETS else drawn.shape[1]):
            labels = drawn[:, part]  # of 32 numbers each, where classes are many
            if observed:  # beside draws, or equal labels might have sums that differ in the last bit
                observed, labels = False, np.hstack([block.y_true[:, None].astype(labels.dtype), labels])
            yield labels


def target_of(asked, block, target):
    """labels -> values v of a target, (rows, sets); their means m, Σ of variances, and e of (v − m)² = c + e v.

    Of SIGNS labels stay what they are: a label's values are 32 numbers, which `_Sums` looks up.
    """
    mean = _means(asked, block, block.y_prob, target)
    if target == SIGNS:
        return lambda labels: labels, mean, (asked.projection[0] ** 2 - mean**2).sum(axis=1), -2 * mean
    wanted = target if target != "said" else 1 if block.two else block.top[:, None]
    return lambda labels: labels == wanted, mean, (mean - mean**2)[:, 0], 1 - 2 * mean


def _means(asked, block, p, target):
    """What a target's values are on average if labels are drawn from p, (rows, numbers)."""
    if target == SIGNS:
        return p @ asked.projection
    if target == "said":
        return p[:, None] if block.two else np.take_along_axis(p, block.top[:, None], axis=1)
    return p[:, [target]]


@dataclass
class _Sums:
    """Σ_i w_i f_i (v_i − m_i), (columns, sets, numbers), of the values v of a target."""

    name: str
    source: object  # first row, last + 1 -> w f, (columns, rows), and features of the columns, (columns, r), or None
    total: np.ndarray
    step: int  # so many sets at once
    phi: np.ndarray | None = None  # features of the columns, if these are summed first
    signs: np.ndarray | None = None  # the numbers of each label, if values are labels
    diagonal: object = 0.0  # the expected part i = j
    mean: object = 0.0  # Σ w m of the columns, where it is subtracted last
    excess: np.ndarray | None = None  # and what is beyond it, where each row is a column

    def start(self, rows, weights, mean, variance, slope):
        """The block of rows that `add` is about."""
        self.now, self.features = self.source(rows.start, rows.stop)
        self.counts = self.now.dtype.kind == "u"  # rows of weight 1
        if self.features is None:
            self.mean = self.mean + self.now @ mean
        else:
            self.centre = (self.now @ mean.astype(np.float32))[:, None]
        height = 1.0 if self.features is None else (self.features**2).sum(axis=1, dtype=float)
        self.diagonal = self.diagonal + np.dot((self.now if self.counts else self.now.power(2)) @ variance, height)
        if self.excess is not None:
            self.slope = ((weights * height)[:, None] * slope).astype(np.float32)

    def add(self, first, values):
        """Hits or labels, (rows, sets), or values, (rows, sets, numbers), of sets from the first one on."""
        for some in slices(values.shape[1], self.step):
            part, v = slice(first + some.start, first + some.stop), values[:, some]
            if v.ndim == 3:
                sums = (self.now @ v.reshape(len(v), -1)).reshape(-1, *v.shape[1:])
            elif self.signs is None:
                sums = (self.now @ (v.view(np.uint8) if self.counts else v.astype(np.float32)))[:, :, None]
            else:  # a row for each set and column, with the weight of each label in it: rows stand in their order
                ends, n_sets = self.now.indptr, v.shape[1]
                ends = np.append(0, ends[1:] + ends[-1] * np.arange(n_sets)[:, None])
                shape, given = (len(ends) - 1, len(self.signs)), (np.tile(self.now.data, n_sets), v.T.ravel(), ends)
                sums = csr_array(given, shape=shape) @ self.signs
                sums = sums.reshape(n_sets, -1, sums.shape[1]).swapaxes(0, 1)
            if self.features is not None:
                sums = sums - self.centre
                if self.excess is not None:  # of each row w (v − m): where it is 0, so is the sum, to the last bit
                    self.excess[part] += np.tensordot(self.slope, sums, axes=((0, 1), (0, 2)))
                sums = (self.features.T @ sums.reshape(len(sums), -1)).reshape(-1, *sums.shape[1:])
            self.total[:, part] += sums

    def statistics(self, scale):
        """‖S‖² without the part i = j, S = Σ_i w_i φ_i (v_i − m_i); and ‖s S + Δ‖², s of `scale`, Δ the last sums."""
        total, diagonal = self.total, self.diagonal
        if self.features is None:
            total = total - self.mean[:, None]
        if self.phi is not None:
            total, diagonal = np.tensordot(self.phi.T, total, axes=1), (self.phi**2).sum(axis=1) @ diagonal
        n_sets = total.shape[1] - len(scale)
        excess = 0.0 if self.excess is None else self.excess[:n_sets]
        sums, move = total[:, :n_sets], total[:, n_sets:]
        found = np.einsum("rbm,rbm->b", sums, sums, dtype=float) - diagonal - excess
        both = np.tensordot(move, sums, axes=((0, 2), (0, 2)))
        moved = (move**2).sum(axis=(0, 2), dtype=float)[:, None] + 2 * scale * both + scale**2 * found
        return np.vstack([found, moved])


def _work(panel, asked, tables, n_sets, many):
    """The order in which rows are summed, and {target: sums}: linear ones first, then one for each question."""
    spaces = [each.X for each in asked.kernels if many and each.X.shape[1] > 1 and each.targets != ("said",)]
    order, cell = np.argsort(panel.said, kind="stable") if many else np.arange(len(panel)), None
    if spaces:
        order, cell = cells_in_space(spaces[0])
    w, counted = panel.weights[order].astype(np.float32), many and bool((panel.weights == 1).all())

    def columns(matrix):
        counts = counted and bool((matrix.data == 1).all())
        matrix = matrix.astype(np.uint8 if counts else np.float32)[order]

        def source(start, stop):
            some = matrix[start:stop]
            return (some.astype(_smallest(some.indices)) if counts else some).T, None

        return lru_cache(1)(source)

    def cells(kernel, X, place, cell, counts=False):
        def source(start, stop):
            low, high = cell[start], cell[stop - 1] + 1
            where = cell[start:stop] - low, np.arange(stop - start)
            some = w[start:stop].astype(_smallest(where[0])) if counts else w[start:stop]
            weights = csr_array((some, where), shape=(high - low, stop - start))
            return weights, kernel.features(X[place[low:high]]).astype(np.float32)

        return lru_cache(1)(source)

    step = BLOCK_DRAWS if many else n_sets
    linear = [(matrix, np.zeros((matrix.shape[1], n_sets, 1))) for matrix in (asked.linear, *tables)]
    work = {"said": [_Sums("", columns(matrix), total, step) for matrix, total in linear]}
    for each in asked.kernels:
        phi, alone, length = None, False, each.kernel.rank
        if many and each.X.shape[1] == 1:
            index = cells_along(each.X[:, 0])
            phi = each.kernel.features(np.bincount(index, each.X[:, 0]) / np.bincount(index))
            length, source = len(phi), columns(one_column_a_row(panel.weights, index))
        elif many and each.targets != ("said",):
            rows_of_cells = np.split(order, np.flatnonzero(np.diff(cell)) + 1)
            mean = np.array([each.X[rows].mean(axis=0, dtype=float) for rows in rows_of_cells])
            source = cells(each.kernel, mean, np.arange(len(mean)), cell, counted and SIGNS not in each.targets)
        else:
            source, alone = cells(each.kernel, each.X, order, np.arange(len(panel))), True
        for target in each.targets:
            signs = asked.projection.astype(np.float32) if target == SIGNS else None
            total = np.zeros((length, n_sets, 1 if signs is None else FEW_TARGETS), dtype=np.float32)
            size = step if alone or not counted and signs is None else n_sets
            sums = _Sums(each.name, source, total, size, phi, signs, excess=np.zeros(n_sets) if alone else None)
            work.setdefault(target, []).append(sums)
    return order, work


def _smallest(column):
    """The smallest type for how many rows are in a column."""
    return np.min_scalar_type(np.bincount(column).max(initial=0))


def scores(table, null=None):
    """How surprising each statistic is, comparable between questions, of every data set.

    Minus the rank p-value in whole steps; of equal ones, which are many where draws are few, the standardised
    statistic decides within the step. Ranks stay exact: all data sets are treated alike. `table`, (m, data sets), is
    ranked among `null`, (m, draws), by default itself.
    """
    itself, null = null is None, table if null is None else null
    z, least = standardised(table, null), table - TIE * np.abs(null).max(axis=1, keepdims=True)
    below = [np.searchsorted(np.sort(drawn), values) for drawn, values in zip(null, least, strict=True)]
    return z / (1 + np.abs(z)) / 2 - (null.shape[1] + (not itself) - np.array(below))


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
