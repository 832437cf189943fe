"""The case studies: real predictions, one notebook each."""

from . import scenes
from .exercises import check

__all__ = ["check", "scenes"]
