"""What a worker process does: one notebook, from its code to its frames; and how it is known what may be kept.

A worker is a fresh process that imports nothing of the book's pages: the modules that it has loaded in the end are
those that its pictures are made of.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import nbformat

import calibtutor

from . import data, frames
from .capture import capture

PACKAGE = Path(calibtutor.__file__).parent
MAKERS = ("numpy", "matplotlib", "pillow")
STORED = (".json", ".npz", ".js")  # what was computed ahead, and scripts of pictures in hand


def made_of():
    """Files of the package that this process has loaded, and what was computed ahead beside them."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "calibtutor"]
    loaded = {Path(module.__file__) for module in modules if getattr(module, "__file__", None)}
    beside = {file for folder in {each.parent for each in loaded} for file in folder.iterdir() if file.suffix in STORED}
    return sorted(file.relative_to(PACKAGE).as_posix() for file in loaded | beside)


def key(path, files):
    """A hash of all that a notebook's pictures are made of; "" if a file is gone."""
    nb = nbformat.read(path, as_version=4)
    code = [(number, cell.source) for number, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    needs = nb.metadata.get("calibtutor", {}).get("data", [])
    found = hashlib.sha256(json.dumps([code, needs, [version(each) for each in MAKERS], files]).encode())
    try:
        for file in files:
            found.update(hashlib.sha256((PACKAGE / file).read_bytes()).digest())
    except FileNotFoundError:
        return ""
    return found.hexdigest()


def perform(path, out):
    """Run a notebook and write the frames of its scenes and its pictures."""
    cells, found = capture(path)
    caught = {"cells": cells, "scene": {}, "picture": {}}
    caught["derivation"] = {ident: data.derivation(shown.derivation) for ident, shown in found["derivation"].items()}
    caught["guess"] = {ident: data.guess(shown) for ident, shown in found["guess"].items()}
    caught["exercise"] = {ident: data.exercise(shown.exercise) for ident, shown in found["exercise"].items()}
    for ident in list(found["scene"]):
        shown, folder = found["scene"].pop(ident), out / "frames" / ident  # one less to hold in memory
        frames.write(shown, ident, folder)
        caught["scene"][ident] = {"folder": f"frames/{ident}", "code": shown.code} | frames.opening(folder)
    for ident, shown in found["picture"].items():
        file = f"pictures/{ident}.png"
        caught["picture"][ident] = {"file": file, "code": shown.code} | frames.still(shown, out / file)
    files = made_of()
    return {"caught": caught, "files": files, "key": key(path, files)}
