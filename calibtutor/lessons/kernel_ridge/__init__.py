"""Kernel ridge regression: estimators that learn h from pairs, and the choice among them on real predictions."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
