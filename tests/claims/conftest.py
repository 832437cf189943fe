"""The claims' one source of seeds."""

import pytest
import seeds as room
from remembered import forget


@pytest.fixture
def seeds():
    """The seeds of this run's base (tests/claims/seeds.py)."""
    return room.seeds


@pytest.fixture(autouse=True, scope="module")
def nothing_is_kept(request):
    """What a file's claims have computed is kept for them alone: all of it would be half a gigabyte a worker."""
    yield
    forget(request.module.__name__, "splits", "calibtutor.lessons")
