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
from .ckce import ConditionalError, RegularizationChoice, ckce, conditional_error, jkce, select_regularization
from .features import FeatureSpace
from .kce import CalibrationTest, kce_test, kce_witness, kernel_grid, skce
from .kde import conditional_frequency, kde_calibration_error, select_bandwidth
from .kernels import fourier_features, laplacian, linear_plus_gaussian, low_rank, median_bandwidth, rbf
from .klce import LocalBiasResult, klce, klce_test, local_calibration_bias
from .predictions import class_wise, residuals, top_label
from .risk import EstimationFunction, calibration_risk, fit_binning, fit_kde, fit_kkr, fit_ukkr
from .selection import EstimatorSelectionResult, select_estimator
from .simplex import SimplexOccupancy, simplex_calibration_error, simplex_occupancy
from .spectrum import CalibrationSpectrum, calibration_spectrum, ranking_flips, spectrum_of_features

__version__ = "0.1.0"

__all__ = [
    "CalibrationSpectrum",
    "CalibrationTest",
    "ConditionalError",
    "EstimationFunction",
    "EstimatorSelectionResult",
    "FeatureSpace",
    "LocalBiasResult",
    "RegularizationChoice",
    "ReliabilityCurve",
    "SimplexOccupancy",
    "brier_score",
    "calibration_risk",
    "calibration_spectrum",
    "ckce",
    "class_wise",
    "conditional_error",
    "conditional_frequency",
    "consistency_band",
    "expected_calibration_error",
    "fit_binning",
    "fit_kde",
    "fit_kkr",
    "fit_ukkr",
    "fourier_features",
    "jkce",
    "kce_test",
    "kce_witness",
    "kde_calibration_error",
    "kernel_grid",
    "klce",
    "klce_test",
    "laplacian",
    "linear_plus_gaussian",
    "local_calibration_bias",
    "low_rank",
    "maximum_calibration_error",
    "median_bandwidth",
    "ranking_flips",
    "rbf",
    "reliability_curve",
    "resampled_errors",
    "residuals",
    "select_bandwidth",
    "select_estimator",
    "select_regularization",
    "simplex_calibration_error",
    "simplex_occupancy",
    "skce",
    "spectrum_of_features",
    "top_label",
]
