"""Lesson 02: binning and kernel density ratios."""

from ...teach.derive import derive
from . import derivations, scenes
from .exercises import check, guess

__all__ = ["check", "derivations", "derive", "guess", "scenes"]
