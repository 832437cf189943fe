"""Run what has changed since the book was built last, one process a notebook."""

import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tqdm import tqdm

from . import work

KEPT = ".kept"  # folder of what was caught of each notebook, and of what it was made


class BuildError(RuntimeError):
    """Notebooks that could not be run or drawn; each line names one."""


def run(out, notebooks, jobs=2):
    """Run the notebooks that have changed and write their frames: notebook's path -> what it shows, as `data` says.

    In so many processes. BuildError once all have run, if some failed: what the others made is kept.
    """
    for folder in ("frames", "pictures", KEPT):
        (out / folder).mkdir(parents=True, exist_ok=True)
    captured = {path: _kept(out, path) for path in notebooks}
    # The longest first, or one of them would keep the others waiting in the end; a notebook is as long as its pictures.
    todo = sorted((path for path in notebooks if captured[path] is None), key=lambda path: -path.stat().st_size)
    if todo:
        captured |= _run(out, todo, jobs)
    _refuse_twins(captured)
    return captured


def _kept(out, path):
    """What was caught of a notebook, if all that it was made of is as it was, and all that was made is there."""
    try:
        kept = json.loads((out / KEPT / f"{path.stem}.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):  # not there, or cut off
        return None
    caught = kept["caught"]
    made = [each.get("folder") or each["file"] for kind in ("scene", "picture") for each in caught[kind].values()]
    if not all((out / each).exists() for each in made) or kept["key"] != work.key(path):
        return None
    # JSON makes words of cells' numbers.
    return caught | {"cells": {int(cell): shown for cell, shown in caught["cells"].items()}}


def _run(out, todo, jobs):
    captured, failed = {}, []
    for path in todo:  # until it is whole again
        (out / KEPT / f"{path.stem}.json").unlink(missing_ok=True)
    pool = ProcessPoolExecutor(min(jobs, len(todo)), get_context("spawn"), max_tasks_per_child=1)
    try:
        futures = {pool.submit(work.perform, path, out): path for path in todo}
        for future in tqdm(as_completed(futures), total=len(todo), unit=" notebooks", disable=None):
            path = futures[future]
            if error := future.exception():
                failed.append(f"{path.name}: {error or type(error).__name__}")
                continue
            made = future.result()
            (out / KEPT / f"{path.stem}.json").write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
            captured[path] = made["caught"]
    finally:
        pool.shutdown(cancel_futures=True)
    if failed:
        raise BuildError("\n".join(failed))
    return captured


def _refuse_twins(captured):
    owner = {}
    for path, caught in captured.items():
        for kind in ("scene", "picture", "derivation", "guess", "exercise"):
            for ident in caught[kind]:
                first = owner.setdefault((kind, ident), path).name
                if first != path.name:
                    raise BuildError(
                        f"{path.name}: {ident} is shown in {first} too; a {kind} has one place in the book")
