"""Recalibration behind `fit` and `predict_proba`: maps of the prediction, `Multicalibration`, which sees groups, and
`Recalibrated`, a classifier with its map.
"""

from .bbq import BBQ
from .multicalibration import Multicalibration
from .posthoc import IsotonicCalibration, PlattScaling, TemperatureScaling
from .recalibrated import Recalibrated

__all__ = [
    "BBQ",
    "IsotonicCalibration",
    "Multicalibration",
    "PlattScaling",
    "Recalibrated",
    "TemperatureScaling",
]
