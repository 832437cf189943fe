"""What runs in the guest: pytest, in a process without threads, processes and what has no pure version."""

import os
import sys
import types

os.getuid = lambda: 0  # WASI has no users, Pyodide has
for name in ("psutil", "nbclient", "nbclient.exceptions"):  # that store notebooks, which no reader does
    sys.modules[name] = types.ModuleType(name)
sys.modules["nbclient"].NotebookClient = sys.modules["nbclient.exceptions"].CellExecutionError = None

import pytest  # noqa: E402

os.chdir("/course")
WITHOUT = ("cacheprovider", "faulthandler", "threadexception")
OPTIONS = ["--capture=sys", "-q", "--tb=short", "-W", "error::tqdm.TqdmMonitorWarning"]
sys.exit(pytest.main([*OPTIONS, *(f"-pno:{each}" for each in WITHOUT), *sys.argv[1:]]))
