"""Recalibration behind `fit` and `predict_proba`.

Maps of the prediction are in `posthoc` and `bbq`, on what they share, `base`; `classifier` puts any of them into
scikit-learn's protocol; `multicalibration` changes given predictions, but looks at groups while it does; `penalised`
trains a model with a penalty on its local error.
"""

from .bbq import BBQ
from .classifier import ProbabilityCalibrator
from .multicalibration import Multicalibration
from .penalised import PenalisedLogisticRegression
from .posthoc import IsotonicCalibration, PlattScaling, TemperatureScaling

__all__ = [
    "BBQ",
    "IsotonicCalibration",
    "Multicalibration",
    "PenalisedLogisticRegression",
    "PlattScaling",
    "ProbabilityCalibrator",
    "TemperatureScaling",
]
