"""Lesson 03_chance."""

from . import scenes
from .exercises import check, guess

__all__ = ["check", "guess", "scenes"]
