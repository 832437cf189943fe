"""Twenty splits of the digits: of which models, and when a risk is told apart from the smallest."""

import numpy as np

CAST = ["random forest", "logistic regression", "neural network", "naive Bayes"]
SPLITS = 20
# The candidates of `select_estimator`, and how a picture names them.
NAMES = {"h = 0": "h = 0", "15 bins": "15 bins", "binning": "bins, number chosen", "kde": "kernel (05)", "kkr": "kkr",
         "ukkr": "ukkr"}


def in_spreads(worse_by, spread):
    """How many spreads over the folds a risk lies above the smallest of its split; beyond 2 it is told apart."""
    return np.divide(worse_by, spread, out=np.zeros_like(worse_by), where=spread > 0)
