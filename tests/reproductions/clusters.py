"""How often the test by clusters rejects, calibrated models and others: our own, of what nobody has proved.

    PYTHONPATH=tests python -m reproductions.clusters --jobs 2 --folder clusters-runs

makes the summary that is stored beside this file, as in `calibtutor.reproductions`.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import softmax

from calibtutor.errors.kce import kce_test
from calibtutor.kernels import landmarks, laplacian
from calibtutor.reproductions.blocks import from_command_line

LABELS = {"independent": 0.0, "half dependent": 0.5, "equal": 1.0, "equal by noise": 1.0}
PREDICTIONS = ("spread", "confident")
LEVELS = (0.01, 0.05, 0.1)
RESAMPLES, BLOCK = 199, 100
SURE = {2: 0.02, 5: (0.92, 0.02, 0.02, 0.02, 0.02)}  # what a confident model says of 95 rows in 100


@dataclass(frozen=True)
class Cell:
    """One design: so many clusters of so many rows each, and how their labels and predictions come about.

    Predictions are uniform (on the simplex; of two classes (n,)), or 95 % of the rows at `SURE` and the others uniform.
    A row keeps its cluster's prediction with probability ½ and draws its own otherwise. Its label is F^{-1}(u) of its
    law, u the cluster's uniform number with the probability `LABELS`, else its own. "equal by noise": argmax_k log q_k
    + g_k with the cluster's Gumbel noise g: no order of classes. Labels follow softmax(slope · log p); 1 is calibrated.
    """

    classes: int
    clusters: int
    rows: int
    predictions: str
    labels: str
    slope: float = 1.0
    data_sets: int = 500

    def __str__(self):
        within = "" if self.rows == 1 else f", {self.labels}"
        wrong = "" if self.slope == 1 else f", slope {self.slope:g}"
        return f"{self.classes} classes, {self.clusters} × {self.rows}, {self.predictions}{within}{wrong}"

    def draw(self, rng):
        """Labels, predictions and clusters."""
        cluster = np.repeat(np.arange(self.clusters), self.rows)
        own, shared = self._say(len(cluster), rng), self._say(self.clusters, rng)[cluster]
        p = np.where(rng.random((len(cluster), 1)) < 0.5, shared, own)
        log_q = self.slope * np.log(p)
        if self.labels == "equal by noise":
            y = (log_q + rng.gumbel(size=(self.clusters, self.classes))[cluster]).argmax(axis=1)
        else:
            theirs, one = rng.random(len(cluster)), rng.random(self.clusters)[cluster]
            uniform = np.where(rng.random(len(cluster)) < LABELS[self.labels], one, theirs)
            y = (uniform[:, None] >= softmax(log_q, axis=1).cumsum(axis=1)[:, :-1]).sum(axis=1)
        return y, p[:, 1] if self.classes == 2 else p, cluster

    def _say(self, n, rng):
        p = rng.dirichlet(np.ones(self.classes), n)
        if self.predictions == "confident":
            sure = SURE[self.classes]
            p[rng.random(n) < 0.95] = (1 - sure, sure) if self.classes == 2 else sure
        return p


def _cells():
    """Sizes, then powers. One row a cluster leaves nothing to depend on, and two classes have one order only."""
    sizes, powers = ((2, 5), (50, 200), (1, 4, 10), PREDICTIONS, (1.0,)), ((2, 5), (100,), (4,), PREDICTIONS, (1.8,))
    for design, labels in product([*product(*sizes), (10, 50, 10, "spread", 1.0), *product(*powers)], LABELS):
        classes, clusters, rows, predictions, slope = design
        many = labels == "equal by noise" and predictions == "spread" and slope == 1
        if (rows > 1 or labels == "independent") and (classes > 2 or "noise" not in labels):
            if classes < 10 or "equal" in labels:
                yield Cell(classes, clusters, rows, predictions, labels, slope, 2000 if many else 500)


CELLS = {str(cell): cell for cell in _cells()}
FULL = {name: cell.data_sets for name, cell in CELLS.items()}


def kernel_of(classes):
    """Laplacian of width ¼ on 32 landmarks that are the same for all data sets."""
    points = np.random.default_rng(0).dirichlet(np.ones(classes), 32)
    if classes in SURE:
        points[0] = (1 - SURE[2], SURE[2]) if classes == 2 else SURE[5]
    return landmarks(laplacian(0.25), points[:, 1] if classes == 2 else points, rank=32, rng=0)


def streams(name, number, seed=0):
    """Generators of one data set: for the data, and for labels redrawn."""
    cell = CELLS[name]
    where = [PREDICTIONS.index(cell.predictions), list(LABELS).index(cell.labels), round(10 * cell.slope)]
    return np.random.default_rng([seed, cell.classes, cell.clusters, cell.rows, *where, number]).spawn(2)


def one_data_set(name, number, *, seed=0, n_resamples=RESAMPLES):
    """The p-value of one data set."""
    of_data, of_labels = streams(name, number, seed)
    y_true, y_prob, cluster = CELLS[name].draw(of_data)
    options = {"kernel": kernel_of(CELLS[name].classes), "n_resamples": n_resamples, "rng": of_labels}
    return np.array([kce_test(y_true, y_prob, cluster=cluster, **options).pvalue])


def summarise(results):
    """What is stored: how many data sets had each p-value, a multiple of 1/(B + 1); plain numbers."""
    cells = {}
    for name, pvalues in results.items():
        ranks = np.round(pvalues[:, 0] * (RESAMPLES + 1)).astype(int)
        counts = np.bincount(ranks, minlength=RESAMPLES + 2)[1:].tolist()
        cells[name] = {"data_sets": len(pvalues), "counts": counts, "first": pvalues[:5, 0].tolist()}
    return {"n_resamples": RESAMPLES, "cells": cells}


def rejected(summary, name, level=0.05):
    """Share of a cell's data sets with p ≤ level."""
    counts = summary["cells"][name]["counts"]
    return sum(counts[: int(level * len(counts) + 1e-9)]) / sum(counts)


def tell(summary):
    for name in summary["cells"]:
        print(f"{name}: {rejected(summary, name):.3f}")


if __name__ == "__main__":
    from_command_line("reproductions.clusters")
