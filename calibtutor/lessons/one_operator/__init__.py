"""Lesson 07: one operator behind all kernel errors."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess

__all__ = ["check", "derivations", "derive", "guess", "play", "scenes"]
