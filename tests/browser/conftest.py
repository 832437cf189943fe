"""JupyterLab on a copy of the notebooks, and a browser.

Both end with the module: Playwright keeps an event loop running in its thread, which the notebook runners of
other test files would stumble over.
"""

import importlib.util
import os
import shutil

import lab
import pytest

from calibtutor.teach.notebooks import NOTEBOOKS


@pytest.fixture(scope="module")
def chromium():
    """A headless browser. Where there is none a reader's tests are skipped, CI's fail."""
    missing = None
    if importlib.util.find_spec("playwright") is None:
        missing = "playwright is not installed (tests/requirements.txt)"
    elif lab.find_browser() is None:
        missing = f"no browser found: looked for {', '.join(lab.BROWSERS)}"
    if missing and os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    with lab.browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def served(chromium, tmp_path_factory):
    """(folder, address) of a JupyterLab on a copy of the notebooks."""
    folder = tmp_path_factory.mktemp("lab") / "notebooks"
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    with lab.serve(folder) as address:
        yield folder, address
