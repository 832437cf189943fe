"""What calibration promises, a reliability diagram, and what a forecast costs."""

from ...teach.stepper import derive
from . import derivations, scenes
from .exercises import check, guess
