"""Where is it wrong, and can it be mended? Nulls of the local test, a map of the local miss, which rows, and repairs."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
