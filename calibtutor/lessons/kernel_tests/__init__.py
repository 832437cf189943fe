"""Notebook 08: tests of all classes with the SKCE, by redrawn labels, and what other tests do."""

from ...teach.stepper import derive, play
from . import derivations, scenes
from .exercises import check, guess
from .simulations import tests_of_a_network, unknown_tests
