"""What would have been found: labels redrawn from tilted predictions, through the same questions."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from .cells import are_many
from .clusters import redrawn
from .family import scores
from .questions import LINE
from .sections import Section

FACTORS = (0.3, 0.55, 0.8, 1.05, 1.35, 1.7, 2.2, 3.0)
SETS = 100  # data sets a size
NEEDED = 10.0  # squared shift in standard errors that one question of two numbers finds with 80 %


@dataclass
class Tilt:
    """What happens with which frequency in a panel's rows if the model is wrong, as `statistics` takes it.

    "shift": the logit of P(Y = 1), or of the top label, is lower by `amount`. "slope": logits are multiplied by
    exp(−amount): the model is too extreme.
    """

    error: str
    amount: float
    square: float = 0.0  # Σ w (happens − said)² of the rows it was asked about

    def __call__(self, rows):
        p = self.of(rows.said if rows.ranked else rows.y_prob)
        happens = p if p.ndim == 1 else p[np.arange(len(rows)), rows.top]
        self.square += rows.weights @ (happens - rows.said) ** 2
        if p.ndim < rows.y_prob.ndim:  # of ranks the first is tilted, and the others share the rest as before
            p = np.column_stack([p, rows.y_prob[:, 1:] * ((1 - p) / np.maximum(1 - rows.said, 1e-300))[:, None]])
        return p

    def of(self, p):
        """What happens, of predictions."""
        factor = np.exp(-self.amount)
        if self.error == "slope":
            tilted = p**factor
            return tilted / (tilted.sum(axis=1, keepdims=True) if p.ndim == 2 else tilted + (1 - p) ** factor)
        if p.ndim == 1:
            return p * factor / (p * factor + 1 - p)
        tilted = p.copy()
        tilted[np.arange(len(p)), p.argmax(axis=1)] *= factor
        return np.divide(tilted, tilted.sum(axis=1, keepdims=True), out=tilted)


def sizes_of(panel, asked, null=None):
    """Tilts around what the question of intercept and slope would find, by the spread of its sum.

    That is the draws' (`null`), or what rows that are many and no clusters have if the model is calibrated.
    """
    if null is None and (panel.cluster is not None or not are_many(panel, 0)):
        return ()
    z, variance, found = panel.z, panel.said * (1 - panel.said), []
    inside = panel.weights**2 * variance
    moved = z - np.average(z, weights=inside) if inside.sum() > 0 else z
    for column, (error, slope) in enumerate((("shift", np.ones(len(z))), ("slope", moved))):
        information = panel.weights @ (variance * slope**2)
        spread = np.sqrt(inside @ slope**2) if null is None else null.sums[asked.columns[LINE].start + column, 1:].std()
        if information > 1e-9 * len(panel) and spread > 0:
            found += [Tilt(error, factor * np.sqrt(NEEDED) * spread / information) for factor in FACTORS]
    return tuple(found)


def missed(evidence):
    """The share of data sets in which an error of some size is found: columns error, size (RMS), found."""
    panel, asked, null = evidence.panel, evidence.asked, evidence.null
    drawn, tilted = null.moved, null.tilts or sizes_of(panel, asked, null)
    if not tilted:
        return Section(pd.DataFrame(columns=["error", "size", "found"]))
    if not null.tilts:
        sets, rng = [(tilt, SETS) for tilt in tilted], evidence.rng["missed"]
        drawn = redrawn(panel, asked, sets, rng, observed=False, progress=evidence.progress).values
    table = np.array([null.values[name][1:] for name in asked.family])
    usual = np.sort(scores(table).max(axis=0))
    largest = scores(np.array([drawn[name].ravel() for name in asked.family]), null=table).max(axis=0)
    smallest = (1 + len(usual) - np.searchsorted(usual, largest)) / (len(usual) + 1)  # adjusted p of each data set
    shares = (smallest <= evidence.level).reshape(len(tilted), -1).mean(axis=1)
    sizes = np.sqrt([each.square for each in tilted]) / np.sqrt(panel.weights.sum())
    return Section(pd.DataFrame({"error": [each.error for each in tilted], "size": sizes, "found": shares}))


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
