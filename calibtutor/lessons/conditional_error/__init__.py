"""A conditional mean, the CKCE as the length of the miss, its kernel, and what its λ lets it see."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
