"""Notions of calibration, which implies which, and the three parts of the Brier score."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
