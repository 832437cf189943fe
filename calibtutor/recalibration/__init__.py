"""Recalibration behind `fit` and `predict_proba`: maps of the prediction, and `Multicalibration`, which sees groups."""

from .bbq import BBQ
from .multicalibration import Multicalibration
from .posthoc import IsotonicCalibration, PlattScaling, TemperatureScaling

__all__ = [
    "BBQ",
    "IsotonicCalibration",
    "Multicalibration",
    "PlattScaling",
    "TemperatureScaling",
]
