"""The guest lecture: pictures and guesses of four lessons, and one guess of its own, in the order of the hour."""

from types import SimpleNamespace

from .. import calibration_tests, local_calibration, notions, start
from . import exercises

__all__ = ["guess", "scenes"]

scenes = SimpleNamespace(
    four_models=start.scenes.four_models,
    reveal_reliability=start.scenes.reveal_reliability,
    perfect_diagonal=notions.scenes.perfect_diagonal,
    is_that_bad=calibration_tests.scenes.is_that_bad,
    redraw_what=calibration_tests.scenes.redraw_what,
    worn_scanner=local_calibration.scenes.worn_scanner,
    repair=local_calibration.scenes.repair,
)
guess = SimpleNamespace(
    near_seventy=start.guess.near_seventy,
    perfect_diagonal=notions.guess.perfect_diagonal,
    is_point_04_bad=calibration_tests.guess.is_point_04_bad,
    redraw_what=calibration_tests.guess.redraw_what,
    worn_quarters=exercises.guess.worn_quarters,
)
