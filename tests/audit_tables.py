"""An audit with all sections, for what shows audits; not to be changed in place."""

from functools import lru_cache

import numpy as np
import pandas as pd

import calibtutor as ct


@lru_cache
def real():
    """Three classes, over-confident; two groups with letters that HTML minds."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1, 1], 600)
    y = np.array([rng.choice(3, p=row**2 / (row**2).sum()) for row in p])
    site, age = rng.choice(["A & B", "C<D"], 600), rng.normal(50, 10, 600)
    return ct.audit(y, p, groups=pd.DataFrame({"site": site}), features=pd.DataFrame({"age": age}),
                    time=np.repeat([2023, 2024], 300), n_resamples=99, rng=0)  # fmt: skip
