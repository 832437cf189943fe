"""calibtutor: can a probabilistic classifier be trusted? An interactive course and the package behind it.

What you want to do, and what does it; `(y_true, y_prob)` come first everywhere.

audit     audit  compare
measure   expected_calibration_error  maximum_calibration_error  smooth_calibration_error  brier_score
          kde_calibration_error  skce  jkce  ckce  conditional_error  klce  simplex_calibration_error
          reliability_curve  reliability_diagram  corp_reliability  conditional_frequency  variational_error
test      kce_test  kce_test_parts  klce_test  consistency_band  resampled_errors
locate    kce_witness  local_calibration_bias  calibration_spectrum  spectrum_of_features  ranking_flips
repair    PlattScaling  BetaCalibration  IsotonicCalibration  BBQ  TemperatureScaling  VectorScaling
          DirichletCalibration  Multicalibration  Recalibrated
choose    select_estimator  calibration_risk  fit_binning  fit_kde  fit_kkr  fit_ukkr  fit_recalibration
          select_bandwidth  select_regularization
prepare   as_predictions  residuals  top_label  class_wise  FeatureSpace  InputError
          rbf  laplacian  linear_plus_gaussian  median_bandwidth  kernel_grid  low_rank  landmarks  fourier_features

Whatever is drawn is drawn anew at each call, unless `rng` is given: an int or a Generator. Only the rows that a median
heuristic looks at are the same each time (`rng=0`), so that a kernel is. A result prints on one line; its `summary()`
is for a person, its `to_dict()` for JSON.

"errata G19" in a docstring is a row of notebooks/errata.md in the repository: what a paper or its code prints or leaves
unsaid, what holds, and where that is shown. Rows that are no more than our criticism stand apart there.
"""

from contextlib import contextmanager

import lazy_loader

__version__ = "2.0.0"

# A room is loaded when one of its names is first asked for (SPEC 1). Where a function has its room's name, `audit`,
# `calibtutor.audit` is the function, also after `import calibtutor.audit`: lazy_loader sees to it.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


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
