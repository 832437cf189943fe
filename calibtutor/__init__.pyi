# The public names, and the rooms that they are loaded from when first used (calibtutor/__init__.py); editors read it.
from .audit import Audit as Audit, audit as audit
from .audit.comparison import Comparison as Comparison, compare as compare
from .estimates.binning import (
    ReliabilityCurve as ReliabilityCurve,
    brier_score as brier_score,
    consistency_band as consistency_band,
    expected_calibration_error as expected_calibration_error,
    maximum_calibration_error as maximum_calibration_error,
    reliability_curve as reliability_curve,
    resampled_errors as resampled_errors,
)
from .errors.ckce import (
    ConditionalErrorResult as ConditionalErrorResult,
    RegularizationResult as RegularizationResult,
    ckce as ckce,
    conditional_error as conditional_error,
    jkce as jkce,
    select_regularization as select_regularization,
)
from .estimates.corp import CorpResult as CorpResult, corp_reliability as corp_reliability
from .kernels.features import FeatureSpace as FeatureSpace
from .door.inputs import InputError as InputError
from .errors.kce import kce_test as kce_test, kce_witness as kce_witness, kernel_grid as kernel_grid, skce as skce
from .estimates.kde import (
    conditional_frequency as conditional_frequency,
    kde_calibration_error as kde_calibration_error,
    select_bandwidth as select_bandwidth,
)
from .kernels import (
    fourier_features as fourier_features,
    landmarks as landmarks,
    laplacian as laplacian,
    linear_plus_gaussian as linear_plus_gaussian,
    low_rank as low_rank,
    median_bandwidth as median_bandwidth,
    rbf as rbf,
)
from .errors.klce import (
    LocalBiasResult as LocalBiasResult,
    klce as klce,
    klce_test as klce_test,
    local_calibration_bias as local_calibration_bias,
)
from .plots import reliability_diagram as reliability_diagram
from .door.predictions import (
    as_predictions as as_predictions,
    class_wise as class_wise,
    residuals as residuals,
    top_label as top_label,
)
from .chance.pvalues import CalibrationTestResult as CalibrationTestResult
from .recalibration import (
    BBQ as BBQ,
    BetaCalibration as BetaCalibration,
    DirichletCalibration as DirichletCalibration,
    IsotonicCalibration as IsotonicCalibration,
    Multicalibration as Multicalibration,
    PlattScaling as PlattScaling,
    Recalibrated as Recalibrated,
    TemperatureScaling as TemperatureScaling,
    VectorScaling as VectorScaling,
    fit_recalibration as fit_recalibration,
    variational_error as variational_error,
)
from .estimates.risk import (
    EstimationFunction as EstimationFunction,
    calibration_risk as calibration_risk,
    fit_binning as fit_binning,
    fit_kde as fit_kde,
    fit_kkr as fit_kkr,
    fit_ukkr as fit_ukkr,
)
from .chance.kce_in_parts import kce_test_parts as kce_test_parts
from .estimates.selection import (
    EstimatorSelectionResult as EstimatorSelectionResult,
    select_estimator as select_estimator,
)
from .estimates.simplex import simplex_calibration_error as simplex_calibration_error
from .estimates.smooth import smooth_calibration_error as smooth_calibration_error
from .errors.spectrum import (
    CalibrationSpectrum as CalibrationSpectrum,
    calibration_spectrum as calibration_spectrum,
    ranking_flips as ranking_flips,
    spectrum_of_features as spectrum_of_features,
)

__version__: str
