"""Lesson 08: your own model, what an audit of it says, and what breaks it."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .data import arrays, example, read, spoil
from .exercises import check, guess
from .paragraph import look_over
from .questions import residual_sums
from .upload import upload

__all__ = ["arrays", "check", "derivations", "derive", "example", "guess", "look_over", "play", "read", "residual_sums", "scenes", "spoil",
           "upload"]  # fmt: skip
