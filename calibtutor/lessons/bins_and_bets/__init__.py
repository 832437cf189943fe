"""Lesson further/05_bins_and_bets."""

from ...teach.stepper import derive, play
from . import derivations, scenes

__all__ = ["derivations", "derive", "play", "scenes"]
