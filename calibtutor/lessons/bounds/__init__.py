"""Notebook further/01: bounds on the p-value, the law of the SKCE's estimates, and the poster at full size."""

from ...teach.stepper import derive
from . import derivations, scenes
from .exercises import check, guess
