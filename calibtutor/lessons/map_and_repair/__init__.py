"""Lesson 10_map_and_repair."""

from . import scenes
from .exercises import check, guess

__all__ = ["check", "guess", "scenes"]
