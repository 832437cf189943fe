"""What would have been found: labels redrawn from tilted predictions, through the same questions."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from .clusters import redrawn
from .family import scores
from .questions import LINE
from .sections import Section

FACTORS = (0.3, 0.55, 0.8, 1.05, 1.35, 1.7, 2.2, 3.0)
SETS = 100  # data sets a size
NEEDED = 10.0  # squared shift in standard errors that one question of two numbers finds with 80 %


def tilts(error, amount):
    """What happens with the frequencies, as a function of predictions, if the model is wrong by so much.

    "shift": the logit of P(Y = 1), or of the top label, is lower by `amount`. "slope": logits are multiplied by
    exp(−amount): the model is over-confident.
    """
    factor = np.exp(-amount)

    def tilt(p):
        if error == "slope":
            tilted = p**factor
            return tilted / (tilted.sum(axis=1, keepdims=True) if p.ndim == 2 else tilted + (1 - p) ** factor)
        if p.ndim == 1:
            return p * factor / (p * factor + 1 - p)
        tilted = p.copy()
        tilted[np.arange(len(p)), p.argmax(axis=1)] *= factor
        return np.divide(tilted, tilted.sum(axis=1, keepdims=True), out=tilted)

    return tilt


def missed(evidence):
    """The share of data sets in which an error of some size is found: columns error, size (RMS), found."""
    panel, asked, null = evidence.panel, evidence.asked, evidence.null
    plan = [(error, tilts(error, amount)) for error, column in (("shift", 0), ("slope", 1))
            for amount in _amounts(panel, asked, null, column)]  # fmt: skip
    squares, shares = np.zeros(len(plan)), []
    if plan:
        sets = [(_measured(tilt, squares[place : place + 1]), SETS) for place, (_, tilt) in enumerate(plan)]
        drawn = redrawn(panel, asked, sets, evidence.rng["missed"], observed=False, progress=evidence.progress)
        shares = _found(asked, null, drawn, evidence.level).reshape(-1, SETS).mean(axis=1)
    sizes = np.sqrt(squares / panel.weights.sum())
    return Section(pd.DataFrame({"error": [error for error, _ in plan], "size": sizes, "found": shares}))


def _amounts(panel, asked, null, column):
    """Around what the question of intercept and slope would find, by the spread of its sum over the draws."""
    columns = asked.columns[LINE]
    z, variance = panel.z, panel.said * (1 - panel.said)
    inside = panel.weights**2 * variance
    moved = z - np.average(z, weights=inside) if inside.sum() > 0 else z
    information = panel.weights @ (variance * (1.0 if column == 0 else moved**2))
    spread = null.sums[columns.start + column, 1:].std()
    known = information > 1e-9 * len(panel) and spread > 0
    return [factor * np.sqrt(NEEDED) * spread / information for factor in (FACTORS if known else ())]


def _measured(tilt, square):
    """The tilt of a panel's rows, that adds Σ w (happens − said)² to `square`."""

    def tilted(rows):
        p = tilt(rows.y_prob)
        happens = p if rows.two else p[np.arange(len(rows)), rows.top]
        square[:] += rows.weights @ (happens - rows.said) ** 2
        return p

    return tilted


def _found(asked, null, drawn, level):
    """Whether the smallest adjusted p of each drawn data set is at most `level`."""
    table = np.array([null.values[name][1:] for name in asked.family])
    other = np.array([drawn.values[name] for name in asked.family])
    usual = np.sort(scores(table).max(axis=0))
    largest = scores(other, null=table).max(axis=0)
    beyond = len(usual) - np.searchsorted(usual, largest, side="left")
    return (1 + beyond) / (len(usual) + 1) <= level


def size_found(table, error, share):
    """The size that is found with probability `share`, by a curve through the table; None beyond the sizes tried.

    Φ(a + b size) fitted by maximum likelihood: the power of a test whose statistic shifts with the error.
    """
    rows = table[(table["error"] == error) & (table["size"] > 0)]
    size, found = rows["size"].to_numpy(dtype=float), rows["found"].to_numpy(dtype=float)
    if len(size) < 3 or not found.min() < share < found.max():
        return None
    unit = size.mean()

    def loss(theta):
        p = np.clip(ndtr(theta[0] + np.exp(theta[1]) * size / unit), 1e-9, 1 - 1e-9)
        return -(found * np.log(p) + (1 - found) * np.log1p(-p)).sum()

    low, slope = minimize(loss, [-1.5, 1.0], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-10}).x
    return float(max(unit * (ndtri(share) - low) / np.exp(slope), 0.0))
