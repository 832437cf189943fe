"""How large a calibration error is, by bins: what averaging and noise do to it, how many bins, and CORP without any."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
