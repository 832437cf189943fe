"""Estimating without bins: a kernel, what its bandwidth does to a calibrated model, and when to distrust it."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
