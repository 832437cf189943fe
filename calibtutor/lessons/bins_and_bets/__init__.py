"""Proofs about bins, bets and ridge regression that a session does not need, maps as estimates, and a truthful measure."""

from ...teach.stepper import derive, play
from . import derivations, scenes
