"""The case studies: real predictions, one notebook each."""

from . import scenes
from .exercises import check, guess
