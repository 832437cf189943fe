"""The command line: ``python -m calibtutor COMMAND``; each command says its options with --help."""

import os
import signal
import sys


def _interrupted(*_):
    """Ctrl-C while modules are loaded: one line, and the end; there an exception is a page of text, or gets lost."""
    os.write(2, b"python -m calibtutor: interrupted\n")
    os._exit(130)


def _loaded():
    """From here on there may be something to tidy up: Ctrl-C is an exception again."""
    if signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # first of all
    signal.signal(signal.SIGINT, _interrupted)

import argparse  # noqa: E402
import importlib  # noqa: E402
import runpy  # noqa: E402
from pathlib import Path  # noqa: E402

from . import __version__  # noqa: E402

# With parsers of their own: what they need is imported when it is asked for.
COMMANDS = {
    "audit": (".audit.command", "audit predictions in a file: how far off, for whom, and what chance explains"),
    "compare": (".audit.comparison", "two models, or two data sets, side by side: what differs, with intervals"),
    "notebooks": (".teach.notebooks", "run notebooks from a clean kernel and store them"),
    "book": (".teach.book.command", "build the course as pages on which every slider moves"),
    "lite": (".teach.lite", "build the course as a site whose notebooks run in a browser, without a server"),
    "handout": (".teach.handout", "hand out lessons as assignments for nbgrader, without solutions")}


def main(argv=None):
    """Run one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m calibtutor", description="Commands of the course.")
    parser.add_argument("--version", action="version", version=f"calibtutor {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    about = "download the case studies' files, for a machine that will be without a network later"
    commands.add_parser("data", help=about, description=about)
    about = "is this machine ready for a lab? says in words what is missing"
    commands.add_parser("check", help=about, description=about)
    for name, (_, about) in COMMANDS.items():
        commands.add_parser(name, help=about, add_help=False)
    chosen, rest = parser.parse_known_args(argv)
    try:
        if chosen.command in COMMANDS:
            command = importlib.import_module(COMMANDS[chosen.command][0], __package__).main
            _loaded()
            if chosen.command != "handout":
                return command(rest)
            from .lessons import discover  # handed on: what teaches knows nothing of what is taught

            return command(rest, discover)
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        _loaded()
        if chosen.command == "check":  # a script of its own, so that it can say what keeps us from starting
            script = Path(__file__).resolve().parent.parent / "notebooks" / "check_setup.py"
            if not script.is_file():
                parser.error("no notebooks/check_setup.py beside the package: run this in a clone")
            return runpy.run_path(str(script))["main"]()
        from .data import downloads

        return downloads.fetch_all()
    except ModuleNotFoundError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        print("python -m calibtutor: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
