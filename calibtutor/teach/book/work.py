"""What a worker process does: one notebook, from its code to its frames; and how it is known what may be kept.

A worker is a fresh process that imports nothing of the book's pages: the modules that it has loaded in the end are
those that its pictures are made of.
"""

import contextlib
import hashlib
import json
import sys
import time
from importlib.metadata import version
from multiprocessing import parent_process
from pathlib import Path

import nbformat

import calibtutor

from . import frames
from .capture import capture

__all__ = ["connect", "key", "perform"]

PACKAGE = Path(calibtutor.__file__).parent
MAKERS = ("numpy", "matplotlib", "pillow")
STORED = (".json", ".npz", ".js")  # what was computed ahead, and scripts of pictures in hand
EVERY = 0.2  # seconds between two reports
_report = []


def connect(queue):
    """Report to this queue: (pictures to come, pictures made)."""
    _report[:] = [queue]


def made_of():
    """Files of the package that this process has loaded, and what was computed ahead beside them."""
    loaded = {
        Path(module.__file__)
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == "calibtutor" and getattr(module, "__file__", None)
    }
    beside = {file for folder in {each.parent for each in loaded} for file in folder.iterdir() if file.suffix in STORED}
    return sorted(file.relative_to(PACKAGE).as_posix() for file in loaded | beside)


def key(path, files):
    """A hash of all that a notebook's pictures are made of; "" if a file is gone."""
    nb = nbformat.read(path, as_version=4)
    code = [cell.source for cell in nb.cells if cell.cell_type == "code"]
    where = [number for number, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    needs = nb.metadata.get("calibtutor", {}).get("data", [])
    found = hashlib.sha256(json.dumps([code, where, needs, [version(each) for each in MAKERS], files]).encode())
    try:
        for file in files:
            found.update(hashlib.sha256((PACKAGE / file).read_bytes()).digest())
    except FileNotFoundError:
        return ""
    return found.hexdigest()


def perform(path, out):
    """Run a notebook and write the frames of its scenes and its pictures."""
    start = time.perf_counter()
    found = capture(path)
    files = made_of()
    made_from = key(path, files)
    caught = {"cells": found.cells, "scene": {}, "picture": {}, **found.plain}
    try:
        counts = {ident: frames.count(shown) for ident, shown in found.scenes.items()}
    except ValueError as error:
        raise RuntimeError(f"{path.name}: {error}") from error
    with _reporting(sum(counts.values())) as progress:
        for ident in list(found.scenes):
            shown, folder = found.scenes.pop(ident), out / "frames" / ident  # one less to hold in memory
            try:
                frames.write(shown, ident, folder, made_from, progress)
            except ValueError as error:
                raise RuntimeError(f"{path.name}: {error}") from error
            caught["scene"][ident] = {"folder": f"frames/{ident}", "code": shown.code} | frames.opening(folder)
    for ident, shown in found.pictures.items():
        file = out / "pictures" / f"{ident}.png"
        caught["picture"][ident] = {"file": f"pictures/{ident}.png", "code": shown.code} | frames.still(shown, file)
    return {"caught": caught, "files": files, "key": made_from, "seconds": time.perf_counter() - start}


@contextlib.contextmanager
def _reporting(coming):
    """Yields what is to be called with the number of pictures just made; reports now and then, if anybody listens."""
    made, last = 0, time.monotonic()

    def send(coming=0):
        nonlocal made, last
        for queue in _report:
            queue.put((coming, made))
        made, last = 0, time.monotonic()

    def progress(pictures):
        nonlocal made
        made += pictures
        if parent_process() and not parent_process().is_alive():
            raise SystemExit("the build has been ended")
        if time.monotonic() > last + EVERY:
            send()

    send(coming)
    yield progress
    send()
