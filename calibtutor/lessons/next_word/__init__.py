"""The next word: what a small language model says, by kinds of text and passages."""

from ...teach.stepper import derive
from . import derivations, scenes, simulations
from .exercises import check, guess
