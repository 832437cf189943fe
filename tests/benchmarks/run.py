#!/usr/bin/env python3
"""Measure the course and print tables; nothing here can fail a test.

    python tests/benchmarks/run.py [PART ...] [--long]

Parts: slider, notebooks, estimators, risk, kce, klce, ckce, size, book, cluster; without names all of them. Needs
tests/requirements.txt, and for half of "slider" a Chromium or Chrome. Run it on a machine that does nothing else.
"""

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
PARTS = ("slider", "notebooks", "estimators", "risk", "kce", "klce", "ckce", "size", "book", "cluster")
WITH_LONG = ("risk", "kce", "klce", "size", "cluster")


def main():
    """Command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], metavar="part", help=", ".join(PARTS))
    parser.add_argument("--long", action="store_true", help=f"{', '.join(WITH_LONG)}: what takes minutes as well")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    for part in arguments.part or PARTS:
        module = importlib.import_module(part)
        module.main(long=True) if part in WITH_LONG and arguments.long else module.main()


if __name__ == "__main__":
    main()
