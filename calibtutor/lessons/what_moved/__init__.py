"""The CKCE while inputs shift: what moved, how the penalty lets the crowd in, another crowd of digits."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
