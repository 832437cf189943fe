"""The command line: ``python -m calibtutor COMMAND``; each command says its options with --help."""

import argparse
import sys

from . import __version__


def main(argv=None):
    """Run one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m calibtutor", description="Commands of the course.")
    parser.add_argument("--version", action="version", version=f"calibtutor {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    about = "download the case studies' files, for a machine that will be without a network later"
    commands.add_parser("data", help=about, description=about)
    # With parsers of their own: what they need is imported when it is asked for.
    commands.add_parser("notebooks", help="run notebooks from a clean kernel and store them", add_help=False)
    commands.add_parser("handout", help="hand out lessons without solutions, and judge what comes back", add_help=False)
    chosen, rest = parser.parse_known_args(argv)
    try:
        if chosen.command == "notebooks":
            from .teach import notebooks

            return notebooks.main(rest)
        if chosen.command == "handout":
            from .teach import handout

            return handout.main(rest)
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        from .data import downloads

        return downloads.fetch_all()
    except ModuleNotFoundError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
