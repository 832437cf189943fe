"""Your own model: what an audit of it says, what it does not, and what faults of the data do to it."""

from ...teach.stepper import derive
from . import derivations, scenes
from .data import arrays, clinic, example, new_files, read
from .exercises import check, guess
from .paragraph import look_over
from .questions import residual_sums
