"""Notebook 04: a calibration error is the best payoff of an opponent who may place certain bets."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
