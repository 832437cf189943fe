#!/usr/bin/env bash
# tqdm 4.70.1, tqdm(…, disable=True): a bar that shows nothing starts a thread, and where none can start it warns.
#
# Expected: `disable` turns the bar off, so that a library can pass its caller's wish on; nothing is left to watch.
# Seen: the first bar of a process starts the thread tqdm_monitor whether it is shown or not. Where threads cannot start,
# as in a browser (Pyodide) or under WASI, whoever did not ask for a bar gets a TqdmMonitorWarning instead.
# For whom it matters: libraries with a quiet default. A subclass with `monitor_interval = 0` starts none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q tqdm==4.70.1
"$folder/venv/bin/python" - <<'PY'
import threading
import warnings
from importlib.metadata import version

from tqdm import TqdmMonitorWarning, tqdm

class Quiet(tqdm):
    monitor_interval = 0

names = lambda: [thread.name for thread in threading.enumerate()]
assert list(Quiet(range(3), disable=True)) == [0, 1, 2] and names() == ["MainThread"]
start = threading.Thread.start

def refused(self):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refused
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    list(tqdm(range(3), disable=True))
threading.Thread.start = start
warned = [each.category for each in caught]
tqdm.monitor_interval = 10  # it was set to 0 with the warning
list(tqdm(range(3), disable=True))
print(f"tqdm {version('tqdm')}: after a hidden bar the threads are {names()}; without threads it warns {warned}")
assert names() == ["MainThread", "tqdm_monitor"] and warned == [TqdmMonitorWarning], "it has changed"
PY
echo "as stated above"
