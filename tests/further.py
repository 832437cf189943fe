"""Lessons of notebooks in further/ and case_studies/: what is asked of each of them runs with what is slow."""

import pytest

from calibtutor.teach.assignment import LESSON
from calibtutor.teach.notebooks import NOTEBOOKS

PATHS = [path for folder in ("further", "case_studies") for path in NOTEBOOKS.glob(f"{folder}/*.ipynb")]
FURTHER = {LESSON.search(path.read_text(encoding="utf-8"))[1] for path in PATHS}


def sessions_first(names):
    """Parameters of a test: "lesson.name" as it is, marked as slow where the lesson is one of FURTHER."""
    return [pytest.param(n, marks=pytest.mark.slow) if n.partition(".")[0] in FURTHER else n for n in names]
