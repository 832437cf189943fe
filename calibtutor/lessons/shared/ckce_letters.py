"""What several lessons use: ckce letters."""

from itertools import product

import numpy as np


def _drawn(w):
    """All label vectors Z ~ p, and their probabilities."""
    z = np.array(list(product(range(3), repeat=w.n)))
    return w.p[np.arange(w.n), z].prod(axis=1), z
