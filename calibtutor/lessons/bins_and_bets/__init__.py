"""Proofs about bins, bets and ridge regression that a session does not need, and notebook 04's bets as their picture."""

from ...teach.stepper import derive, play
from ..bets_and_kernels import scenes
from . import derivations

__all__ = ["derivations", "derive", "play", "scenes"]
