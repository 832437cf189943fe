"""Chance: redrawn labels, R by rank, and what several looks do to it."""

from . import scenes
from .exercises import check, guess

__all__ = ["check", "guess", "scenes"]
