"""Lesson 08_kernel_tests."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess

__all__ = ["check", "derivations", "derive", "guess", "play", "scenes"]
