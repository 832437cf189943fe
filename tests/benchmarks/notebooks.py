"""What each notebook takes from a clean kernel. Nothing is stored."""

import nbformat
from nbclient.exceptions import CellExecutionError
from tables import print_table

from calibtutor.teach.notebooks import NOTEBOOKS, discover, run


def main():
    """Run every notebook once and print seconds and peak memory."""
    rows = []
    for path in discover():
        name, size = path.relative_to(NOTEBOOKS), path.stat().st_size / 1024
        try:
            seconds, mb = run(nbformat.read(path, as_version=4), path.parent)
            rows.append([name, f"{seconds:.1f}", f"{mb:.0f}", f"{size:.0f}"])
        except CellExecutionError as error:
            rows.append([name, "failed", error.ename, f"{size:.0f}"])
    print_table(
        "Notebooks from a clean kernel (bars: 60 s, 700 MB, 1024 kB)",
        ["notebook", "seconds", "peak MB", "stored kB"],
        rows,
    )
