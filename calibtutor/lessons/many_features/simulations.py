"""Power of the exact test against one unused feature among many."""

import numpy as np

from ...data.worlds import hidden_feature
from ...errors.klce import klce_test
from ...kernels import rbf
from ..shared.stored import stored

DIMENSIONS = [2, 5, 10, 20, 40]
WIDTHS = [1.0, 2.0, 5.0, 10.0, 20.0]
POWER_N, POWER_SETS = 200, 60


@stored(DIMENSIONS)
def power(dimension):
    """Share rejected at .05 by the exact test, (one a feature width, aggregated): the last feature is not used."""
    probs, features = rbf(width=5.0), [rbf(width=w) for w in WIDTHS]
    single, aggregated = [], []
    for number in range(POWER_SETS):
        rng = np.random.default_rng([8, number])
        y, p, X = hidden_feature(POWER_N, dimension, rng)
        result = klce_test(y, p, X, prob_kernel=probs, feature_kernel=features, n_resamples=99, rng=rng)
        single.append(result.single_pvalues)
        aggregated.append(result.pvalue)
    return (np.array(single) <= 0.05 + 1e-12).mean(axis=0), float((np.array(aggregated) <= 0.05 + 1e-12).mean())
