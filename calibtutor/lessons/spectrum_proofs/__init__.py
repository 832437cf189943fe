"""The spectrum's proofs: noise in an error, and each error of four papers as a sum over eigendirections."""

from ...teach.stepper import derive
from . import derivations, scenes
from .exercises import check, guess
