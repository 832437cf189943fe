"""Rows that belong together: of whole clusters the signs are redrawn, or labels where few hold a hit or a miss.

Why: notes of `audit` (Canay, Romano & Shaikh 2017); a wild bootstrap of scores is much the same (Kline & Santos 2012).
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, hstack

from ..kernels import slices
from .family import Draws, linear_answers, statistics, target_of
from .questions import LINE, RIDGE, SIGNS

DEPENDENCE = ("robust", "worst")
FEWEST_HOLDING = 20  # clusters that hold a hit, and a miss: with fewer, sums are too skewed for signs
FEWEST_EFFECTIVE = 4  # clusters, (Σ_c ‖S_c‖²)²/Σ_c ‖S_c‖⁴: sums that fewer make up are evidence of nothing
UNITS = 1000  # more clusters are put together at random
ROWS = 4096  # at once


def redrawn(panel, asked, plan, rng, *, observed=True, tables=(), tilts=(), progress=False):
    """`Draws` as of `statistics`, of signs if the panel is `robust`: the same ones for all questions.

    Labels are redrawn, by one number a cluster, of questions whose hits or misses few clusters hold, and of all if
    intercept and slope is such a one, or if each row is a cluster. What few clusters make up is left open: p is 1.
    """
    options = {"observed": observed, "progress": progress}
    unit = np.arange(len(panel)) if panel.cluster is None else np.unique(panel.cluster, return_inverse=True)[1]
    if panel.robust and unit.max() + 1 < len(panel):
        unit = np.random.default_rng(0).permutation(unit.max() + 1)[unit] % UNITS
        linear = hstack([asked.linear, *tables], format="csr")
        sums = _sums(panel, asked, linear, unit)
        few, left = _on_few(panel, asked, [each for _, each in sums])
        if LINE not in few:
            found = _signed(panel, asked, plan, rng, observed, linear, unit, sums)
            columns = {name: part for name, part in asked.columns.items() if name in few}
            kernels = [each for each in asked.kernels if each.name in few]
            some = replace(asked, bins={}, columns=columns, kernels=kernels)
            again = [(tilt and replace(tilt), count) for tilt, count in plan]  # what a tilt adds is counted once
            found.values.update(statistics(panel, some, again, rng, **options).values if few else {})
            found.values.update({name: 0 * found.values[name] for name in left})
            return replace(found, few=(few, left))
    return statistics(panel, asked, plan, rng, **options, tables=tables, tilts=tilts)


def _on_few(panel, asked, sums):
    """Questions whose hits or misses few clusters hold, and others whose sums few clusters make up."""
    found, columns, S = [], asked.linear.tocsc(), sums[0]
    for each, own in zip(asked.kernels, sums[1:], strict=True):
        of_class = len(each.targets) == 1 and each.targets[0] not in ("said", SIGNS)
        event = panel.y_true == each.targets[0] if of_class else panel.hit
        found.append((each.name, event, slice(None), (own**2).sum(axis=1)))
    for name, part in asked.columns.items():
        rows = columns.indices[slice(*columns.indptr[part.start : part.start + 2])]
        found.append((name, panel.hit, rows, np.einsum("ci,ij,cj->c", S[:, part], asked.inverse[name], S[:, part])))
    few = [name for name, event, rows, _ in found
           if min(len(np.unique(panel.cluster[rows][event[rows] == k])) for k in (0, 1)) < FEWEST_HOLDING]
    return few, [name for name, *_, square in found if name not in few
                 and square.sum() ** 2 < FEWEST_EFFECTIVE * (square**2).sum()]


def _signed(panel, asked, plan, rng, observed, linear, unit, sums):
    """Draws of signs: ‖Σ_c ε_c S_c‖² − Σ_c ‖S_c‖², the linear sums shifted by what a tilt adds.

    Kernel questions are not shifted: what a tilt would have shown is a little more.
    """
    residual, values = [], [[] for _ in asked.kernels]
    for tilt, count in plan:
        signs = rng.choice([-1.0, 1.0], size=(count, len(sums[0][1])))
        first, *others = (np.vstack([total[None, :][:observed], signs @ each]) for total, each in sums)
        residual.append((first + (0 if tilt is None else _gained(panel, linear, unit, sums[0][1], tilt))).T)
        for found, total, (_, each) in zip(values, others, sums[1:], strict=True):
            found.append((total**2).sum(axis=1) - (each**2).sum())
        observed = False
    residual = np.hstack(residual)
    found = {each.name: np.hstack(some) for each, some in zip(asked.kernels, values, strict=True)}
    return Draws(found | linear_answers(asked, residual), residual)


def _gained(panel, linear, unit, own, tilt):
    """What tilted labels add to the sums of `linear`, over how much more their own signs would vary than ours."""
    p, said, rows = tilt(panel), panel.said, np.arange(len(panel))
    p = p if panel.two else p[rows, panel.top].astype(float)
    gain = csr_array((p - said, (unit, rows))) @ linear
    more = linear.power(2).T @ (p - p**2 - said + said**2) + gain.power(2).sum(axis=0)
    return gain.sum(axis=0) / np.sqrt(1 + np.maximum(more, 0) / ((own**2).sum(axis=0) + RIDGE))


def _sums(panel, asked, linear, unit):
    """Σ_c S_c, and S_c, (units, ·), of `linear` and of each kernel question.

    S_c are made as large as independent rows would have them, if they are smaller: where surprises are rare and none
    was seen, all signs together would vary by less than chance.
    """
    variance = [linear.power(2).T @ (panel.said - panel.said**2), *(0.0 for _ in asked.kernels)]
    total = [np.zeros((unit.max() + 1, 1))] * len(variance)
    for rows in slices(len(panel), ROWS):
        block = panel.take(rows, float)
        add = csr_array((np.ones(len(block)), (unit[rows], np.arange(len(block)))), shape=(len(total[0]), len(block)))
        found = [(add @ linear[rows].multiply((block.hit - block.said)[:, None])).toarray()]
        for place, each in enumerate(asked.kernels, 1):
            phi = each.kernel.features(each.X[rows]) * block.weights[:, None]
            height, own = (phi**2).sum(axis=1), []
            for target in each.targets:
                values_of, mean, chance, _ = target_of(asked, block, target)
                came = asked.projection[block.y_true] if target == SIGNS else values_of(block.y_true[:, None])
                variance[place] += height @ chance
                own += [add @ (phi * column[:, None]) for column in (came - mean).T]
            found.append(np.hstack(own))
        total = [old + new for old, new in zip(total, found, strict=True)]
    seen = [(each**2).sum(axis=None if np.ndim(v) == 0 else 0) for each, v in zip(total, variance, strict=True)]
    least = (np.sqrt(np.maximum(1, v / (s + RIDGE**2))) for v, s in zip(variance, seen, strict=True))
    return [(each.sum(axis=0), each * more) for each, more in zip(total, least, strict=True)]
