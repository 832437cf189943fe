"""All label vectors of a few predictions, with their probabilities."""

from itertools import product

import numpy as np

from ...teach.expressions import Letters


def label_vectors(r):
    """All 2ⁿ label vectors y of independent labels with frequencies r, and their probabilities."""
    y = np.array(list(product([0, 1], repeat=len(r))))
    return np.where(y == 1, r, 1 - r).prod(axis=1), {"y": y}


def bin_of_labels(w, **more):
    """A bin's label vectors, its mean confidence, its frequencies r_i and their mean."""
    n = len(w["r"])
    known = {"conf_m": w["c"].mean(), "r": w["r"], "r_bar": w["r"].mean(), "n_m": n, **more}
    return Letters({"s": label_vectors(w["r"])}, known, {"rows": n})
