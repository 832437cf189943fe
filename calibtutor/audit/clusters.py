"""Rows that belong together: of whole clusters the signs are redrawn, or labels where few hold a hit or a miss.

If the model is calibrated and clusters are independent, their sums S_c = Σ_{i ∈ c} w_i φ(x_i)(t_i − t̄_i) have mean 0,
however rows of a cluster depend. If they were symmetric, Σ_c ε_c S_c with random signs would be distributed as Σ_c S_c
(Canay, Romano & Shaikh 2017; a wild bootstrap of scores: Kline & Santos 2012); sums of many clusters nearly are.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, hstack

from ..kernels import slices
from .family import _answers, statistics
from .questions import SIGNS

DEPENDENCE = ("robust", "worst")
FEWEST_HOLDING = 20  # clusters that hold a hit, and a miss: with fewer, sums are too skewed for signs
UNITS = 1000  # more clusters are put together at random
ROWS = 4096  # at once


def has_few(event, cluster):
    """Whether something happened, or failed to happen, in fewer than 20 clusters."""
    return min(len(np.unique(cluster[event == each])) for each in (0, 1)) < FEWEST_HOLDING


def by_signs(panel):
    """Whether signs are redrawn; each row a cluster is a row alone, and labels are exact."""
    alone = panel.cluster is None or len(np.unique(panel.cluster)) == len(panel)
    return panel.robust and not alone and not has_few(panel.hit, panel.cluster)


def on_few(panel, asked):
    """Names of questions about a class, or about some of the rows, whose hits or misses few clusters hold."""
    columns, classes = asked.linear.tocsc(), [each for each in asked.kernels if type(each.targets[-1]) is int]
    few = [each.name for each in classes[1:] if has_few(panel.y_true == each.targets[0], panel.cluster)]
    for name, part in asked.columns.items():
        rows = columns.indices[slice(*columns.indptr[part.start : part.start + 2])]
        few += [name] if has_few(panel.hit[rows], panel.cluster[rows]) else []
    return few


def redrawn(panel, asked, plan, rng, **options):
    """`Draws` as of `statistics`, the same signs for all questions; of those `on_few` clusters labels are redrawn."""
    if not by_signs(panel):
        return statistics(panel, asked, plan, rng, **options)
    found, few = _signed(panel, asked, plan, rng, **options), on_few(panel, asked)
    if few:
        columns = {name: part for name, part in asked.columns.items() if name in few}
        kernels = [each for each in asked.kernels if each.name in few]
        some = replace(asked, bins={}, columns=columns, kernels=kernels)
        found.values.update(statistics(panel, some, plan, rng, **options | {"tables": ()}).values)
    return found


def _signed(panel, asked, plan, rng, *, observed=True, tables=(), **_):
    """Draws of signs: ‖Σ_c ε_c S_c‖² − Σ_c ‖S_c‖². If labels were tilted, linear sums are shifted by what they gain.

    Kernel questions are not, so that what a tilt would have shown is a little less than it says.
    """
    unit = np.unique(panel.cluster, return_inverse=True)[1]
    unit = np.random.default_rng(0).permutation(unit.max() + 1)[unit] % UNITS
    linear, residual, values = hstack([asked.linear, *tables], format="csr"), [], [[] for _ in asked.kernels]
    first, *others = _sums(panel, asked, linear, unit)
    for tilt, count in plan:
        signs = rng.choice([-1.0, 1.0], size=(count, len(first)))
        signs, observed = np.vstack([np.ones((int(observed), len(first))), signs]), False
        residual.append((signs @ first + _gained(panel, linear, tilt)).T)
        for found, each in zip(values, others, strict=True):
            found.append(((signs @ each) ** 2).sum(axis=1) - (each**2).sum())
    names = [each.name for each in asked.kernels]
    return _answers(asked, np.hstack(residual), dict(zip(names, map(np.hstack, values), strict=True)))


def _gained(panel, linear, tilt):
    """What labels of tilted predictions add to the expected sums of `linear`."""
    total = np.zeros(linear.shape[1])
    for rows in slices(len(panel), ROWS) if tilt else ():
        block = panel.take(rows, float)
        p = tilt(block)
        total += linear[rows].T @ ((p if block.two else p[np.arange(len(block)), block.top]) - block.said)
    return total


def _sums(panel, asked, linear, unit):
    """Sums over the rows of each unit, (units, ·): of `linear`, and of each kernel question."""
    total = [np.zeros((unit.max() + 1, 1))] * (1 + len(asked.kernels))
    for rows in slices(len(panel), ROWS):
        block = panel.take(rows, float)
        add = csr_array((np.ones(len(block)), (unit[rows], np.arange(len(block)))), shape=(len(total[0]), len(block)))
        found = [(add @ linear[rows].multiply((block.hit - block.said)[:, None])).toarray()]
        for each in asked.kernels:
            missed, phi = _missed(asked, block, each.targets), each.kernel.features(each.X[rows])
            found.append(np.hstack([add @ (phi * (block.weights * column)[:, None]) for column in missed.T]))
        total = [old + new for old, new in zip(total, found, strict=True)]
    return total


def _missed(asked, block, targets):
    """What happened − its promise, (rows, ·), of each target."""
    if targets == (SIGNS,):
        return asked.projection[block.y_true] - block.y_prob @ asked.projection
    if targets == ("said",):
        return (block.hit - block.said)[:, None]
    return (block.y_true[:, None] == targets) - block.y_prob[:, targets]
