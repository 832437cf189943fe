"""One operator: four errors as weights for the eigendirections of one matrix."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
