"""What four kinds of bets earn, and proofs about bins, bets and kernel density that a session does not need."""

from ...teach.stepper import derive, play
from . import derivations, scenes

__all__ = ["derivations", "derive", "play", "scenes"]
