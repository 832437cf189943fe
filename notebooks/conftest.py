"""Case studies run only where their data can be had without a network; the report's head says which do not."""

import json
import os
from pathlib import Path

import pytest

from calibtutor.data.downloads import available

HERE = Path(__file__).parent


def _missing(path):
    about = json.loads(path.read_text(encoding="utf-8"))["metadata"].get("calibtutor", {})
    return [name for name in about.get("data", []) if not available(name)]


without_data = {path: missing for path in HERE.rglob("*.ipynb") if (missing := _missing(path))}
collect_ignore = [str(path) for path in without_data]


def pytest_configure(config):
    """How `pytest --nbval` runs a notebook, wherever it is started; without --nbval nothing reads this."""
    config.option.nbval_current_env = True
    config.option.nbval_cell_timeout = 120.0
    config.option.nbval_sanitize_with = str(HERE.parent / "tests" / "nbval_sanitize.cfg")
    if os.environ.get("CALIBTUTOR_OUTPUTS") == "compare" and config.option.nbval_lax:  # .ci/run: what is stored, too
        config.option.nbval, config.option.nbval_lax = True, False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """By default the sessions run; what stands in folders is marked slow, and .ci/run runs it, too."""
    for item in items:
        if HERE in item.path.parents and item.path.parent != HERE:
            item.add_marker("slow")


def pytest_report_header():
    return [
        f"skipped: notebooks/{path.relative_to(HERE).as_posix()} needs {', '.join(missing)} (python -m calibtutor data)"
        for path, missing in without_data.items()
    ]
