"""Right on average, wrong for whom? Misses of groups, what they do to a conclusion, and kernels on predictions and features."""

from ...teach.stepper import derive
from . import derivations, scenes
from .exercises import check, guess
