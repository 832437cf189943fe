"""The README's test command has two workers share two cores."""

import os
import sys

import pytest

# One thread each for linear algebra, or they wait for each other. Results do not depend on it; a reader's own
# notebooks use all threads.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# Some images forbid bytecode, and every process that a test starts would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_configure(config):
    # pytest-xdist would hand out files with many tests first; here few tests may take long (pyproject.toml: testpaths).
    config.option.loadscopereorder = False


@pytest.fixture(autouse=True, scope="session")
def nothing_is_downloaded():
    """A test that needs a published file is skipped where there is no copy of it: no test waits for a network."""
    from calibtutor.data import downloads

    real = downloads._downloaded

    def of_copies(filename, progress):
        if not downloads.available(filename) and downloads.CACHE.get_url(filename).startswith("https://"):
            pytest.skip(f"needs {filename} (python -m calibtutor data)")
        return real(filename, progress)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "_downloaded", of_copies)
        yield


@pytest.fixture
def forget_widgets():
    """ipywidgets keeps every widget, with its figure and data, until it is closed; lessons keep what they computed."""
    yield
    from ipywidgets import Widget
    from remembered import forget

    Widget.close_all()
    forget("calibtutor.lessons")
