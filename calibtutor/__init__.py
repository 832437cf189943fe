"""calibtutor: can a probabilistic classifier be trusted? An interactive course and the package behind it."""

from .binning import (
    ReliabilityCurve,
    brier_score,
    consistency_band,
    expected_calibration_error,
    maximum_calibration_error,
    reliability_curve,
    resampled_errors,
)
from .kde import conditional_frequency, kde_calibration_error, select_bandwidth
from .predictions import class_wise, residuals, top_label

__version__ = "0.1.0"

__all__ = [
    "ReliabilityCurve",
    "brier_score",
    "class_wise",
    "conditional_frequency",
    "consistency_band",
    "expected_calibration_error",
    "kde_calibration_error",
    "maximum_calibration_error",
    "reliability_curve",
    "resampled_errors",
    "residuals",
    "select_bandwidth",
    "top_label",
]
