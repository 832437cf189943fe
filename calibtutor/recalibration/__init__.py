"""Recalibration behind `fit` and `predict_proba`.

Maps of the prediction are in `posthoc` and `bbq`; `multicalibration` changes given predictions, but looks at groups
while it does; `penalised` trains a model with a penalty on its local error.
"""

from .bbq import BBQ
from .multicalibration import Multicalibration
from .penalised import PenalisedLogisticRegression
from .posthoc import IsotonicCalibration, PlattScaling, TemperatureScaling

__all__ = [
    "BBQ",
    "IsotonicCalibration",
    "Multicalibration",
    "PenalisedLogisticRegression",
    "PlattScaling",
    "TemperatureScaling",
]
