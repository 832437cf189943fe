"""calibtutor: can a probabilistic classifier be trusted? An interactive course and the package behind it.

What you want to do, and what does it; `(y_true, y_prob)` come first everywhere.

audit     audit
measure   expected_calibration_error  maximum_calibration_error  smooth_calibration_error  brier_score
          kde_calibration_error  skce  jkce  ckce  conditional_error  klce  simplex_calibration_error  simplex_occupancy
          reliability_curve  reliability_diagram  corp_reliability  conditional_frequency
test      kce_test  kce_test_parts  klce_test  consistency_band  resampled_errors
locate    kce_witness  local_calibration_bias  calibration_spectrum  spectrum_of_features  ranking_flips
repair    PlattScaling  TemperatureScaling  IsotonicCalibration  BBQ  Multicalibration  PenalisedLogisticRegression
          ProbabilityCalibrator
choose    select_estimator  calibration_risk  fit_binning  fit_kde  fit_kkr  fit_ukkr
          select_bandwidth  select_regularization
prepare   as_predictions  residuals  top_label  class_wise  FeatureSpace  InputError
          rbf  laplacian  linear_plus_gaussian  median_bandwidth  kernel_grid  low_rank  landmarks  fourier_features

Whatever is drawn is drawn anew at each call, unless `rng` is given: an int or a Generator. Only the rows that a median
heuristic looks at are the same each time (`rng=0`), so that a kernel is. A result prints on one line; its `summary()`
is for a person, its `to_dict()` for JSON.

"errata G19" in a docstring is a row of notebooks/errata.md in the repository: what a paper or its code prints or leaves
unsaid, what holds, and where that is shown. Rows that are no more than our criticism stand apart there.
"""

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

__version__ = "1.0.0"

# Rooms and their public names. A room is loaded when it, or one of its names, is first asked for (SPEC 1), so that
# the package costs nothing to import. Editors read __init__.pyi instead.
_ROOMS = {
    "inputs": "InputError",
    "reading": "",
    "door": "",
    "predictions": "as_predictions class_wise residuals top_label",
    "binning": "ReliabilityCurve brier_score consistency_band expected_calibration_error maximum_calibration_error "
    "reliability_curve resampled_errors",
    "simplex": "SimplexOccupancyResult simplex_calibration_error simplex_occupancy",
    "smooth": "smooth_calibration_error",
    "corp": "CorpResult corp_reliability",
    "kde": "conditional_frequency kde_calibration_error select_bandwidth",
    "kernels": "fourier_features landmarks laplacian linear_plus_gaussian low_rank median_bandwidth rbf",
    "gram": "",
    "estimates": "",
    "parts": "kce_test_parts",
    "exact": "",
    "bootstraps": "",
    "resampling": "",
    "risk": "EstimationFunction calibration_risk fit_binning fit_kde fit_kkr fit_ukkr",
    "selection": "EstimatorSelectionResult select_estimator",
    "kce": "CalibrationTestResult kce_test kce_witness kernel_grid skce",
    "klce": "LocalBiasResult klce klce_test local_calibration_bias",
    "ridge": "",
    "ckce": "ConditionalErrorResult RegularizationResult ckce conditional_error jkce select_regularization",
    "spectrum": "CalibrationSpectrum calibration_spectrum ranking_flips spectrum_of_features",
    "features": "FeatureSpace",
    "plots": "reliability_diagram",
    "audit": "Audit audit",
    "data": "",
    "recalibration": "BBQ IsotonicCalibration Multicalibration PenalisedLogisticRegression PlattScaling "
    "ProbabilityCalibrator TemperatureScaling",
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME and name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = import_module(f"{__name__}.{_HOME.get(name, name)}")
    globals()[name] = getattr(room, name) if name in _HOME else room
    return globals()[name]


def __dir__():
    return sorted({*globals(), *_HOME, *_ROOMS})


class _Package(ModuleType):
    """`calibtutor.ckce` stays the function: Python would put the room here as soon as that is loaded."""

    def __setattr__(self, name, value):
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


@contextmanager
def _course(extras="course"):
    """Around imports that the course or the book needs and the library does not: says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        from pathlib import Path

        clone = Path(__file__).parent.parent
        if (clone / "pyproject.toml").is_file():  # no index need have the package
            remedy = f'the Python in .venv (README.md) has it, or pip install "{clone}[{extras}]" brings it'
        else:
            remedy = f'pip install "calibtutor[{extras}]" brings it'
        raise ModuleNotFoundError(f"{error.name} is missing; {remedy}", name=error.name) from None
