"""Build the course as a book: a folder of pages on which every slider moves, and nothing runs.

    python -m calibtutor book OUT [--lesson NAME ...] [--plan class] [--jobs 2] [--hub URL]

Open OUT/index.html, or put the folder on any web server. Notebooks run only if their code, or the package, has
changed since OUT was built last; a build that was ended goes on where it was. NAME is a notebook's, 00_start_here.
"""

import argparse
import sys
from pathlib import Path

from ... import _course
from .. import notebooks

with _course("course,book"):
    from . import build, pages, plans


def main(argv=None):
    """Command line; returns the exit code."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m calibtutor book", description=__doc__, formatter_class=raw)
    if not notebooks.NOTEBOOKS.is_dir():
        parser.error("no folder notebooks/ beside the package: run this in a clone")
    known, there = {path.stem: path for path in notebooks.discover()}, plans.plans()
    parser.add_argument("out", type=Path, metavar="OUT", help="the book's folder")
    parser.add_argument("--lesson", nargs="+", action="extend", default=[], choices=known, metavar="NAME")
    parser.add_argument("--plan", choices=there, help="only what a course plan shows; its page is plan-NAME.html")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at once, each up to 700 MB (default: 2)")
    parser.add_argument("--hub", help="address that runs a notebook, with {notebook} where its path goes")
    args = parser.parse_args(argv)
    if args.jobs < 1:
        parser.error(f"--jobs: expected 1 or more, got {args.jobs}")
    if args.hub and "{notebook}" not in args.hub:
        parser.error(f"--hub: expected an address with {{notebook}} in it, got {args.hub!r}")
    if args.out.is_file() or args.out.is_dir() and any(args.out.iterdir()) and not (args.out / build.KEPT).is_dir():
        parser.error(f"OUT: {args.out} holds something else; name a new folder, or one with a book")
    wanted = {known[name] for name in args.lesson} | {*(there[args.plan].notebooks if args.plan else [])}
    chosen = [path for path in known.values() if path in wanted or not wanted]
    try:
        pages.write(args.out, build.run(args.out, chosen, args.jobs), args.hub)
    except build.BuildError as error:
        print(f"The book was not written:\n{error}", file=sys.stderr)
        return 1
    print(f"{len(chosen)} notebooks: {(args.out / 'index.html').resolve()}")
    return 0
