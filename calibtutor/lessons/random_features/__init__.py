"""Random Fourier features of kernel (8), and proofs of what 11 and 12 state."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
