#!/usr/bin/env python3
"""Measure the course and print tables; nothing here can fail a test.

    python tests/benchmarks/run.py [slider] [book] [many]

Without names all of them. Needs tests/requirements.txt, and for "book" and half of "slider" a Chromium or Chrome. Run
it on a machine that does nothing else. A class on a hub (hub.py) says itself what to install first.
"""

import importlib
import os
import platform
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "browser"), str(TESTS.parent)]
PARTS = ("slider", "book", "many")

if __name__ == "__main__":
    if unknown := set(sys.argv[1:]) - set(PARTS):
        sys.exit(f"unknown: {', '.join(sorted(unknown))}\n{__doc__}")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    for part in sys.argv[1:] or PARTS:
        importlib.import_module(part).main()
