"""A book for the browser tests: of every control a few values only, so that it is built in seconds."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat

MOST = 3  # values of a control: the first it has, the one it starts at, and the last


def build(out, notebooks, hub=None, left_out=()):
    """Build the pages of some notebooks, each run in a process of its own but for cells with a word `left_out`."""
    from calibtutor.teach.book import pages

    for folder in ("frames", "pictures"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, out]
    pipe = {"env": os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, "stdout": subprocess.PIPE}
    running = {path: subprocess.Popen([*command, path, *left_out], **pipe) for path in notebooks}
    captured = {}
    for path, process in running.items():
        said, _ = process.communicate()
        assert process.returncode == 0, path
        caught = json.loads(said)
        captured[path] = caught | {"cells": {int(cell): shown for cell, shown in caught["cells"].items()}}
    pages.write(out, captured, hub)


def scene_data(folder):
    """What a scene's script hands to the player."""
    return json.loads(re.search(r"{.*}", (folder / "scene.js").read_text(encoding="utf-8"))[0])


def _run(out, path, *left_out):
    from calibtutor.teach.book import frames, work

    all_of = frames.settings

    def few(shown):
        found = {}
        if shown.hand:
            return all_of(shown)
        for name, steps in all_of(shown).items():
            kept = sorted({0, steps.start, len(steps.values) - 1})[:MOST]
            values, texts = ([column[i] for i in kept] for column in (steps.values, steps.texts))
            found[name] = steps._replace(values=values, texts=texts, start=kept.index(steps.start))
        return found

    frames.settings = few
    nb = nbformat.read(path, as_version=4)
    for cell in nb.cells:
        cell.source = "" if any(word in cell.source for word in left_out) else cell.source
    copy = out / "pictures" / path.name
    nbformat.write(nb, copy)
    print(json.dumps(work.perform(copy, out)["caught"]))


if __name__ == "__main__":
    _run(*map(Path, sys.argv[1:3]), *sys.argv[3:])
