"""Lessons of notebooks in further/: what is asked of each of them runs with what is slow."""

import pytest

__all__ = ["FURTHER", "sessions_first"]

FURTHER = {"bins_and_bets", "bounds", "many_features", "random_features", "spectrum_proofs"}


def sessions_first(names):
    """Parameters of a test: "lesson.name" as it is, marked as slow where the lesson is one of FURTHER."""
    return [pytest.param(n, marks=pytest.mark.slow) if n.partition(".")[0] in FURTHER else n for n in names]
