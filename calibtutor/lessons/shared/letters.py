"""What the letters of derivations are in a world; several lessons use these."""

import numpy as np

from ...teach.expressions import Letters
from .kce_atoms import laplace

__all__ = []  # for the derivations only


def population(world, *, k=laplace, **others):
    """The draw o, an outcome, of a `FiniteWorld`: a prediction, its frequencies and a label; k is a kernel, classes the set of k.

    Letters: p, r = P(Y | p), the label Y (from 0), its unit vector e_Y, the residual delta = p − e_Y; r_bar = P(Y).
    """
    m, d = world.predictions.shape
    p, r = (np.repeat(each, d, axis=0) for each in (world.predictions, world.frequencies))
    e = np.tile(np.eye(d), (m, 1))
    drawn = {"p": p, "r": r, "e_Y": e, "delta": p - e, "Y": np.tile(np.arange(d), m)}
    mass = (world.weights[:, None] * world.conditionals).ravel()
    return Letters({"o": (mass, drawn)}, {"r_bar": world.marginal, "k": k, **others}, {"classes": d})
