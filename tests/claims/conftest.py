"""The claims' one source of seeds, and how many comparisons chance could spoil."""

import pytest
import seeds as room
from remembered import forget


@pytest.fixture
def seeds():
    """The seeds of this run's base (tests/claims/seeds.py)."""
    return room.seeds


_others = []  # what pytest-xdist's workers counted


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["compared"] = room.compared()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    _others.append(node.workeroutput.get("compared", 0))


def pytest_terminal_summary(terminalreporter):
    if count := room.compared() + sum(_others):
        risk = count * room.RISK
        terminalreporter.write_line(f"claims: base {room.seeds.base}, {count} comparisons, false alarms ≤ {risk:.1e}")


@pytest.fixture(autouse=True, scope="module")
def nothing_is_kept(request):
    """What a file's claims have computed is kept for them alone: all of it would be half a gigabyte a worker."""
    yield
    forget(request.module.__name__, "splits", "calibtutor.lessons")
