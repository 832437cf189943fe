"""Chance: redrawn labels, R by rank, and what several looks do to it."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
