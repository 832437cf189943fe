"""Build the book: run what has changed, one process a notebook, then write the pages."""

import json
import os
import re
import shutil
from concurrent.futures import ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from queue import Empty

import nbformat
from tqdm import tqdm

from ..notebooks import NOTEBOOKS, discover
from . import work

__all__ = ["BuildError", "build", "lessons"]

KEPT = ".kept"  # folder of what was caught of each notebook, and of what it was made


class BuildError(RuntimeError):
    """Notebooks that could not be run or drawn; each line names one."""


def lessons(root=NOTEBOOKS):
    """Notebooks by lesson: the lesson's name -> its notebooks, in reading order."""
    found = {}
    for path in discover(root):
        code = "\n".join(c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code")
        for name in dict.fromkeys(re.findall(r"^from calibtutor\.lessons\.(\w+)", code, flags=re.M)):
            found.setdefault(name, [])
            found[name] += [path] if path not in sum(found.values(), []) else []
    return {name: paths for name, paths in found.items() if paths}


def build(out, notebooks, *, jobs=2, hub=None, quiet=False):
    """Build the book, or renew it: what is there already and has not changed is kept.

    Parameters
    ----------
    out : Path
    notebooks : list of Path
        In reading order.
    jobs : int
        Processes at once.
    hub : str, optional
        Address that opens a notebook, with {notebook} where its path goes.
    quiet : bool
        Without a progress bar.

    Raises
    ------
    BuildError
        Once all notebooks have run, if some of them failed. What the others made is kept, pages are not written.
    """
    from . import pages  # not at the top: the pages are not what frames are made of

    captured = run(out, notebooks, jobs=jobs, quiet=quiet)
    pages.write(out, captured, hub)


def run(out, notebooks, *, jobs=2, quiet=False):
    """Run the notebooks that have changed and write their frames: notebook's path -> what it shows, as `data` says."""
    for folder in ("frames", "pictures", KEPT):
        (out / folder).mkdir(parents=True, exist_ok=True)
    captured = {path: _kept(out, path) for path in notebooks}
    # The longest first, or one of them would keep the others waiting in the end; a notebook is as long as its pictures.
    todo = sorted((path for path in notebooks if captured[path] is None), key=lambda path: -path.stat().st_size)
    if todo:
        captured |= _run(out, todo, jobs, quiet)
    _refuse_twins(captured)
    _clear(out, captured, everything=set(notebooks) == set(discover()))
    return captured


def _kept(out, path):
    """What was caught of a notebook, if all that it was made of is as it was, and all that was made is there."""
    try:
        kept = json.loads((out / KEPT / f"{path.stem}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    caught = kept["caught"]
    keys = [out / scene["folder"] / "key" for scene in caught["scene"].values()]
    if kept["key"] != work.key(path, kept["files"]):
        return None
    if not all(file.is_file() and file.read_text() == kept["key"] for file in keys):
        return None
    if not all((out / picture["file"]).is_file() for picture in caught["picture"].values()):
        return None
    return _numbered(caught)


def _numbered(caught):
    """JSON makes words of cells' numbers."""
    return caught | {"cells": {int(cell): shown for cell, shown in caught["cells"].items()}}


def _run(out, todo, jobs, quiet):
    captured, failed, context = {}, [], get_context("spawn")
    queue = context.Queue()
    pool = ProcessPoolExecutor(min(jobs, len(todo)), context, work.connect, (queue,), max_tasks_per_child=1)
    bar = tqdm(total=0, unit=" pictures", disable=quiet, smoothing=0.05, mininterval=1)
    with bar:
        try:
            futures = {pool.submit(work.perform, path, out): path for path in todo}
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, timeout=0.2)
                for future in done:
                    path, error = futures[future], future.exception()
                    if error is None:
                        captured[path] = _keep(out, path, future.result())
                    else:
                        named = isinstance(error, RuntimeError) and path.name in str(error)
                        failed.append(str(error) if named else f"{path.name}: {type(error).__name__}: {error}")
                _show(bar, queue, f"{len(todo) - len(waiting)} of {len(todo)} notebooks")
        finally:
            pool.shutdown(cancel_futures=True)
    if failed:
        raise BuildError("\n".join(failed))
    return captured


def _show(bar, queue, words):
    try:
        while True:
            coming, made = queue.get_nowait()
            bar.total += coming
            bar.update(made)
    except Empty:
        bar.set_postfix_str(words, refresh=False)


def _keep(out, path, made):
    file = out / KEPT / f"{path.stem}.json"
    whole = file.with_suffix(".making")
    whole.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
    os.replace(whole, file)
    return made["caught"]


def _refuse_twins(captured):
    owner = {}
    for path, caught in captured.items():
        for kind in ("scene", "picture", "derivation", "guess", "exercise"):
            for ident in caught[kind]:
                if owner.setdefault((kind, ident), path) != path:
                    first = owner[kind, ident].name
                    raise BuildError(
                        f"{path.name}: {ident} is shown in {first} too; a {kind} has one place in the book"
                    )


def _clear(out, captured, everything):
    """Take away what an ended build left and, if everything was built, what no notebook shows any more."""
    frames = {Path(scene["folder"]).name for caught in captured.values() for scene in caught["scene"].values()}
    pictures = {Path(picture["file"]).name for caught in captured.values() for picture in caught["picture"].values()}
    for folder in (out / "frames").iterdir():
        if folder.name.startswith(".") or everything and folder.name not in frames:
            shutil.rmtree(folder)
    for file in (out / "pictures").iterdir():
        if file.name.startswith(".") or everything and file.name not in pictures:
            file.unlink()
