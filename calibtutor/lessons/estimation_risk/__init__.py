"""Estimation risk: what the risk of a calibration estimate is, and how it chooses among estimates."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
