"""Many rows: a kernel sees them gathered in cells, and a byte decides most labels.

What kernels compare is the mean prediction of a cell; labels, residuals, bins, groups, intercepts and slopes stay those
of the rows. Any fixed functional of predictions and labels keeps redrawn labels exact.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ..kernels import slices
from ..predictions import two_columns
from ..resampling import FEW_CLASSES

MANY = 20_000  # rows; of fewer none are gathered
ALONG = 1000  # cells of one number, at most; of fewer different numbers, one each
CELLS = 4096  # cells of several numbers, at most
BLOCK_ROWS, BLOCK_DRAWS = 4096, 128
TABLE_BYTES = 2**27  # of the uniform numbers of clusters


def are_many(panel, n_sets):
    """Whether rows are many, and the numbers that clusters share not too many."""
    n_units = 0 if panel.cluster is None else panel.cluster.max() + 1
    return len(panel) > MANY and 8 * n_units * n_sets <= TABLE_BYTES


def cells_along(values):
    """The cell of each number: equal ones in one, and of more than 1,000 different ones nearly equal ones, too."""
    different, cell = np.unique(values, return_inverse=True)
    if len(different) > ALONG:
        edges = np.quantile(values, np.arange(1, ALONG) / ALONG)
        cell = np.unique(np.searchsorted(edges, values), return_inverse=True)[1]
    return cell


def cells_in_space(X):
    """An order of the rows, and the cell of each in it: rows are halved where they differ most, again and again."""
    parts = [np.arange(len(X))]
    while 2 * len(parts) <= CELLS:
        parts = [half for rows in parts for half in _halves(X, rows)]
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(rows) for rows in parts])


def _halves(X, rows):
    widest = X[rows[:: max(1, len(rows) // 64)]].var(axis=0).argmax()
    return np.array_split(rows[np.argpartition(X[rows, widest], len(rows) // 2)], 2)


@dataclass
class _Sums:
    """Σ_i w_i f_i (v_i − v̄_i), (columns, sets, numbers v), of a target's values v; rows go by in their order."""

    target: object
    block: object  # rows -> (w f, (columns, rows), and features of the columns, (columns, r), or None)
    total: np.ndarray
    diagonal: object = 0.0  # Σ_i w_i² f_i² Var v_i

    def start(self, rows, mean, variance):
        """The block that `add` is about."""
        self.now, self.features = self.block(rows)
        self.centre = (self.now @ mean.astype(np.float32))[:, None]
        spread = self.now.power(2) @ variance
        self.diagonal = self.diagonal + (spread if self.features is None else spread @ (self.features**2).sum(axis=1))

    def add(self, part, values):
        """Values (rows, sets, numbers) of some sets."""
        sums = (self.now @ values.reshape(len(values), -1)).reshape(-1, *values.shape[1:]) - self.centre
        if self.features is not None:
            sums = (self.features.T @ sums.reshape(len(sums), -1)).reshape(-1, *values.shape[1:])
        self.total[:, part] += sums


def sums_of_many(panel, asked, linear, plan, rng, observed, bar):
    """Residual sums of `linear`, (columns, sets), and {question: statistics (sets,)}.

    A statistic is ‖Σ_c φ(x̄_c) Σ_{i ∈ c} w_i (v_i − v̄_i)‖² with cells c, minus what its terms i = j have on average.
    """
    n_sets, weights = observed + sum(count for _, count in plan), panel.weights.astype(np.float32)
    order, cell = np.argsort(panel.said, kind="stable"), None
    for each in asked.kernels:
        if each.X.shape[1] > 1 and each.targets != ("said",):
            order, cell = cells_in_space(each.X)

    def of(target, block, columns):
        width = asked.projection.shape[1] if target == "signs" else 1
        return _Sums(target, block, np.zeros((columns, n_sets, width), dtype=np.float32))

    def of_columns(target, matrix):
        matrix = matrix[order].astype(np.float32)
        return of(target, lambda rows: (matrix[rows].T.tocsr(), None), matrix.shape[1])

    def of_space(target, kernel, X):
        def block(rows):
            low = cell[rows.start]
            where = cell[rows] - low, np.arange(rows.stop - rows.start)
            return csr_array((weights[order[rows]], where)), phi[low : cell[rows.stop - 1] + 1]

        return of(target, block, kernel.rank)

    def of_rows(target, kernel, X):
        def block(rows):
            where = np.arange(rows.stop - rows.start)
            return csr_array((weights[order[rows]], (where, where))), kernel.features(X[order[rows]]).astype(np.float32)

        return of(target, block, kernel.rank)

    first = of_columns("said", linear)
    pieces, after = {each.name: [] for each in asked.kernels}, {}
    for each in asked.kernels:
        if each.X.shape[1] == 1:
            index, x = cells_along(each.X[:, 0]), each.X[:, 0]
            after[each.name] = each.kernel.features(np.bincount(index, x) / np.bincount(index))
            pieces[each.name] = [of_columns(each.targets[0], csr_array((weights, index, np.arange(len(x) + 1))))]
        elif each.targets == ("said",):
            pieces[each.name] = [of_rows("said", each.kernel, each.X)]
        else:
            mean = np.add.reduceat(each.X[order], np.searchsorted(cell, np.arange(cell[-1] + 1)))
            phi = each.kernel.features(mean / np.bincount(cell)[:, None]).astype(np.float32)
            targets = each.targets if asked.projection is None else ("signs",)
            pieces[each.name] = [of_space(target, each.kernel, each.X) for target in targets]
    work = {}
    for piece in [first, *(piece for some in pieces.values() for piece in some)]:
        work.setdefault(piece.target, []).append(piece)
    codes = panel.cluster
    shared = [None if codes is None else rng.random((codes.max() + 1, count)) for _, count in plan]
    signs = None if asked.projection is None else asked.projection.astype(np.float32)
    for rows in slices(len(panel), BLOCK_ROWS if len(panel.names) <= FEW_CLASSES else BLOCK_ROWS // 8):
        at = order[rows]
        p, top = panel.y_prob[at], 1 if panel.two else panel.top[at, None]
        for target, some in work.items():
            mean = {"said": panel.said[at, None]}.get(target)
            if mean is None:
                mean = p @ asked.projection if target == "signs" else p[:, [target]]
            second = mean if target != "signs" else asked.projection[0, 0] ** 2
            for piece in some:
                piece.start(rows, mean, (second - mean**2).sum(axis=1))
        start = 0
        for labels in _labels(panel, at, p, plan, rng, observed, shared):
            part = slice(start, start := start + labels.shape[1])
            for target, some in work.items():
                if target == "signs":
                    values = signs[labels]
                else:
                    values = (labels == (top if target == "said" else target)).astype(np.float32)[:, :, None]
                for piece in some:
                    piece.add(part, values)
        bar.update(len(at))
    values = {}
    for name, some in pieces.items():
        values[name] = np.zeros(n_sets)
        for piece in some:
            if name in after:
                phi = after[name]
                values[name] += ((phi.T @ piece.total[:, :, 0]) ** 2).sum(axis=0) - (phi**2).sum(axis=1) @ piece.diagonal
            else:
                values[name] += np.einsum("rbm,rbm->b", piece.total, piece.total, dtype=float) - piece.diagonal
    return first.total[:, :, 0].astype(float), values


def _labels(panel, at, p, plan, rng, observed, shared):
    """Labels of rows, (rows, sets), in parts."""
    if observed:
        yield panel.y_true[at, None]
    for (tilt, count), numbers in zip(plan, shared, strict=True):
        tilted = two_columns(p if tilt is None else tilt(p))
        if numbers is None and tilted.shape[1] <= FEW_CLASSES:
            yield from _by_bytes(tilted, count, rng)
            continue
        below = np.cumsum(tilted, axis=1)
        below /= below[:, -1:]
        for part in slices(count, BLOCK_DRAWS):
            u = rng.random((len(p), part.stop - part.start)) if numbers is None else numbers[panel.cluster[at], part]
            if below.shape[1] <= FEW_CLASSES:
                yield sum((u >= edge[:, None]).view(np.uint8) for edge in below.T[:-1])
            else:
                found = (np.searchsorted(edges, each, side="right") for edges, each in zip(below, u, strict=True))
                yield np.array(list(found))


def _by_bytes(p, count, rng):
    """Labels of Cat(p_i) by one byte each, and by a number in [0, 1) more where it leaves them open.

    With a_k = ⌊255 p_k⌋ the label is k for a_k of 256 bytes; for the other ones it is drawn from p − a/256.
    """
    whole = np.floor(255 * p)
    ends, rest = np.cumsum(whole, axis=1).astype(np.uint8), np.cumsum(p - whole / 256, axis=1)
    for part in slices(count, BLOCK_DRAWS):
        size = part.stop - part.start
        byte = rng.integers(2**64 - 1, size=(len(p), -(-size // 8)), dtype=np.uint64, endpoint=True)
        byte, labels = byte.view(np.uint8)[:, :size], np.zeros((len(p), size), dtype=np.uint8)
        for end in ends.T:
            labels += byte >= end[:, None]
        left = np.flatnonzero(labels == p.shape[1])
        edges = rest[left // size]
        labels.ravel()[left] = (rng.random((len(left), 1)) * edges[:, -1:] >= edges[:, :-1]).sum(axis=1)
        yield labels
