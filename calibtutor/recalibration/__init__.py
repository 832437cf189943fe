"""Recalibration behind `fit` and `predict_proba`: maps of the prediction, `Multicalibration`, which sees groups, and
`Recalibrated`, a classifier with its map and the one that is a classifier of scikit-learn. And what a map says of the
error that it mends.
"""

from .bbq import BBQ
from .linear_in_logs import BetaCalibration, DirichletCalibration, VectorScaling
from .multicalibration import Multicalibration
from .posthoc import IsotonicCalibration, PlattScaling, TemperatureScaling
from .recalibrated import Recalibrated
from .variational import fit_recalibration, variational_error

__all__ = ["BBQ", "BetaCalibration", "DirichletCalibration", "IsotonicCalibration", "Multicalibration", "PlattScaling",
           "Recalibrated", "TemperatureScaling", "VectorScaling", "fit_recalibration", "variational_error"]
