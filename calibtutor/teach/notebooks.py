"""Run notebooks from a clean kernel and store them with their pictures.

    python -m calibtutor notebooks [NOTEBOOK ...]

Without names: every notebook under notebooks/. A notebook is replaced only after all its cells ran; running
one twice writes the same bytes unless a result changed. Prints seconds, peak memory and size of each.
"""

import argparse
import contextlib
import os
import pathlib
import re
import sys
import threading
import time
import uuid

from .. import _course

with _course():
    import nbformat
    import psutil
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

from .still import repacked

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebooks"
VIEW = "application/vnd.jupyter.widget-view+json"
MINUTES = re.compile(r"\*\*Minutes:\*\* (\d+)")


def discover(root=NOTEBOOKS):
    """Notebooks under a folder in reading order: the course first, then its case studies."""
    found = [p for p in root.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts]
    return sorted(found, key=lambda p: (len(p.parts), p))


def minutes(nb):
    """How long a notebook takes its reader, without what is optional, as its opening says; None if it does not."""
    said = MINUTES.search("\n".join(c.source for c in nb.cells if c.cell_type == "markdown"))
    return int(said[1]) if said else None


@contextlib.contextmanager
def peak_memory():
    """Yield a dict whose "mb" is, at exit, the most memory this process's children held together."""
    peak, done = {"mb": 0.0}, threading.Event()

    def watch():
        while not done.wait(0.05):
            held = 0
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):  # a child may end after being listed
                    held += child.memory_info().rss
            peak["mb"] = max(peak["mb"], held / 2**20)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def clean(nb, name):
    """Drop what a stored notebook must not hold, and what would differ from one run to the next; return it."""
    # With widget state stored, static pages show an empty widget instead of the picture beside it.
    nb.metadata.pop("widgets", None)
    nb.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nb.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    for i, cell in enumerate(nb.cells):
        for key in ("execution", "ExecuteTime", "scrolled", "collapsed", "slideshow"):
            cell.metadata.pop(key, None)
        if not cell.get("id") or len(cell.id) > 40:
            cell["id"] = f"cell-{i:02d}"
        for j, output in enumerate(cell.get("outputs", [])):
            if VIEW in output.get("data", {}):
                # The model is gone with the kernel; a name of our own keeps the file the same every run.
                output.data[VIEW]["model_id"] = uuid.uuid5(uuid.NAMESPACE_OID, f"{name}/{i}/{j}").hex
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = repacked(output.data["image/png"])
    return nb


def execute(path):
    """Run a notebook from a clean kernel and store it; (seconds, peak MB). If a cell fails: raise, store nothing."""
    nb = nbformat.read(path, as_version=4)
    client = NotebookClient(
        nb, timeout=300, kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=40"],  # warnings of a kernel on this one machine are no news
        resources={"metadata": {"path": str(path.parent)}}, record_timing=False, coalesce_streams=True)
    start = time.perf_counter()
    with peak_memory() as peak:
        client.execute(env=os.environ | {"CALIBTUTOR_MINE": os.devnull})  # nothing of who stores it
    seconds = time.perf_counter() - start
    nbformat.validate(clean(nb, path.stem))
    nbformat.write(nb, path)
    return seconds, peak["mb"]


def main(argv=None):
    """Command line; returns the number of notebooks that failed."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m calibtutor notebooks", description=__doc__, formatter_class=raw)
    parser.add_argument("notebook", nargs="*", type=pathlib.Path)
    args = parser.parse_args(argv)
    if not NOTEBOOKS.is_dir() and not args.notebook:
        parser.error("no folder notebooks/ beside the package: run this in a clone, or name notebooks")
    if missing := [str(path) for path in args.notebook if not path.is_file()]:
        parser.error(f"{missing[0]}: no such file")
    failed = 0
    for path in args.notebook or discover():
        try:
            seconds, mb = execute(path.resolve())
        except CellExecutionError as error:
            failed += 1
            print(f"{path.name}: NOT stored, a cell failed\n{error}", file=sys.stderr)
            continue
        print(f"{path.name}: {seconds:.1f} s, peak {mb:.0f} MB, {path.stat().st_size / 1024:.0f} kB", flush=True)
    return failed
