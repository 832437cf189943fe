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
    # Parsers of their own: what they need is imported when it is asked for.
    about = "audit predictions in a file: how far off, for whom, and what chance explains"
    commands.add_parser("audit", help=about, add_help=False)
    commands.add_parser("notebooks", help="run notebooks from a clean kernel and store them", add_help=False)
    commands.add_parser("book", help="build the course as pages on which every slider moves", add_help=False)
    chosen, rest = parser.parse_known_args(argv)
    try:
        if chosen.command == "audit":
            from .audit import command

            return command.main(rest)
        if chosen.command == "notebooks":
            from .teach import notebooks

            return notebooks.main(rest)
        if chosen.command == "book":
            from .teach.book import command

            return command.main(rest)
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        from .data import downloads

        return downloads.fetch_all()
    except ModuleNotFoundError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
