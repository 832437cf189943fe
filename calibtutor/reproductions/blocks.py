"""Many data sets, made in blocks that are kept when they are done: a run that was stopped goes on where it was."""

import argparse
import contextlib
import json
import os
from importlib import import_module
from pathlib import Path

import joblib
import numpy as np
from joblib import Parallel, delayed, parallel_config
from tqdm.auto import tqdm

__all__ = ["from_command_line", "in_blocks", "stored_summary"]


def in_blocks(folder, wanted, make, columns, settings, *, block=100, n_jobs=None, progress=True):
    """{name: results (data sets, k)} of `wanted` {design: number of data sets}; the folder keeps what is done.

    A block is a file named by its design, numbers, columns and settings, so that runs that differ in any of them never
    mix. `make(name, number, **settings)` gives the k results of one data set, named in `columns`, and may depend on
    nothing else; `n_jobs` is joblib's, and results do not depend on it.
    """
    keys = [(name, range(start, start + block)) for name, number in wanted.items() for start in range(0, number, block)]
    place = Path(folder).absolute()  # a worker of a cluster may work elsewhere
    place.mkdir(parents=True, exist_ok=True)
    calls = (delayed(_kept)(place, make, *key, tuple(columns[key[0]]), settings) for key in keys)
    done = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    found = {name: [] for name in wanted}
    for (name, _), rows in zip(keys, tqdm(done, total=len(keys), disable=not progress, unit="block"), strict=True):
        found[name].append(rows)
    return {name: np.vstack(rows)[: wanted[name]] for name, rows in found.items()}


def _kept(place, make, name, numbers, columns, settings):
    file = place / f"{joblib.hash((make.__module__, name, numbers, columns, settings))}.npy"
    with contextlib.suppress(OSError, ValueError, EOFError):  # not made yet, or cut short by a full disk
        return np.load(file)
    rows = np.array([make(name, number, **settings) for number in numbers])
    written = file.with_suffix(f".{os.getpid()}.tmp")
    with open(written, "wb") as opened:
        np.save(opened, rows)
    os.replace(written, file)  # whole or not at all
    return rows


def stored_summary(name):
    """The summary of the full run of the module `name`, as stored beside it."""
    module = import_module(name if "." in name else f"{__package__}.{name}")
    return json.loads(Path(module.__file__).with_suffix(".json").read_text(encoding="utf-8"))


def from_command_line(name, about, run, summarise, full, *, seed, arguments=None):
    """Run a reproduction as its command line says, write `summary.json` into its folder, and return the summary.

    `full` is the number of data sets of the full run, or one for each design; --share is a part of them, at least two.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=about)
    parser.add_argument("--share", type=float, default=1.0, help="of the full numbers of data sets")
    parser.add_argument("--jobs", type=int, default=None, help="processes; results do not depend on it")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler, for --jobs; its workers see the folder")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--folder", default=f"{name.rpartition('.')[2]}-runs", help="blocks and summary.json go here")
    chosen = parser.parse_args(arguments)

    def part(number):
        return max(2, round(chosen.share * number))

    data_sets = {key: part(number) for key, number in full.items()} if isinstance(full, dict) else part(full)
    engine = parallel_config("dask", scheduler_host=chosen.dask) if chosen.dask else contextlib.nullcontext()
    with engine:
        results = run(chosen.folder, data_sets=data_sets, seed=chosen.seed, n_jobs=chosen.jobs)
    command = f"{parser.prog} --share {chosen.share:g} --seed {chosen.seed}"
    summary = summarise(results, command=command, seed=chosen.seed)
    Path(chosen.folder, "summary.json").write_text(json.dumps(summary))
    return summary
