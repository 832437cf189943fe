"""The Dirichlet kernel itself, as a matrix; the library takes its ratios a tile at a time."""

import numpy as np

from ...door.inputs import InputError, check_number
from ...door.probabilities import check_probabilities, two_columns
from ...estimates.kde import TINY, log_normaliser


def dirichlet_log_kernel(points, centres, bandwidth):
    """log k(points_i; centres_j) of the Dirichlet (vectors: Beta) kernel with α = centre/bandwidth + 1, shape (n, m).

    Zeros of points are raised to the smallest normal double.
    """
    points = two_columns(check_probabilities(points, "points", min_rows=1))
    centres = two_columns(check_probabilities(centres, "centres", min_rows=1))
    if points.shape[1] != centres.shape[1]:
        raise InputError("centres", f"{points.shape[1]} columns as in points", found=centres.shape[1])
    bandwidth = check_number(bandwidth, "bandwidth", above=0)
    return np.log(np.maximum(points, TINY)) @ (centres / bandwidth).T + log_normaliser(centres, bandwidth)
