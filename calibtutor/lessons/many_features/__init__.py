"""Many features, and the proofs about local calibration that nobody needs in class."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
