"""What a worker process does: one notebook, from its code to its frames; and how it is known what may be kept."""

import hashlib
import json
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import nbformat

import calibtutor

from . import data, frames
from .capture import capture

PACKAGE = Path(calibtutor.__file__).parent
MAKERS = ("numpy", "matplotlib", "pillow")
STORED = (".py", ".json", ".npz", ".js")  # code, what was computed ahead, and scripts of pictures in hand


@lru_cache
def package():
    """A hash of all that any notebook's pictures are made of."""
    found = hashlib.sha256(" ".join(map(version, MAKERS)).encode())
    for file in sorted(file for file in PACKAGE.rglob("*") if file.suffix in STORED):
        found.update(file.read_bytes())
    return found.hexdigest()


def key(path):
    """A hash of all that this notebook's pictures are made of; words are not."""
    nb = nbformat.read(path, as_version=4)
    code = [(number, cell.source) for number, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    needs = nb.metadata.get("calibtutor", {}).get("data", [])
    return hashlib.sha256(json.dumps([code, needs, package()]).encode()).hexdigest()


def perform(path, out):
    """Run a notebook and write the frames of its scenes and its pictures."""
    made_of = key(path)
    cells, found = capture(path)
    caught = {"cells": cells, "scene": {}, "picture": {}}
    caught["derivation"] = {ident: data.derivation(shown.derivation) for ident, shown in found["derivation"].items()}
    caught["guess"] = {ident: data.guess(shown) for ident, shown in found["guess"].items()}
    caught["exercise"] = {ident: data.exercise(shown.exercise) for ident, shown in found["exercise"].items()}
    for ident in list(found["scene"]):
        shown, folder = found["scene"].pop(ident), out / "frames" / ident  # one less to hold in memory
        scene = frames.opening(frames.write(shown, ident, folder))
        caught["scene"][ident] = {"folder": f"frames/{ident}", "code": shown.code} | scene
    for ident, shown in found["picture"].items():
        file = f"pictures/{ident}.png"
        caught["picture"][ident] = {"file": file, "code": shown.code} | frames.still(shown, out / file)
    return {"caught": caught, "key": made_of}
