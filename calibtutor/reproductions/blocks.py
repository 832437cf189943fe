"""Many data sets, made in blocks that are kept when they are done: a run that was stopped goes on where it was."""

import argparse
import contextlib
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
from joblib import Memory, Parallel, delayed, parallel_config
from joblib.memory import _FUNCTION_HASHES
from tqdm.auto import tqdm

__all__ = ["from_command_line", "in_blocks", "stored_summary"]


def in_blocks(folder, wanted, make, columns, settings, *, block=100, n_jobs=None, progress=True):
    """Rows of results, from the folder where it holds them already.

    Parameters
    ----------
    folder : path
        Of a `joblib.Memory`. Each block is found by its name, numbers, columns and settings, so that runs that differ
        in any of them never mix.
    wanted : dict
        Name of a design -> number of its data sets.
    make : callable(name, number, **settings) -> ndarray, shape (k,)
        The results of one data set; they may depend on nothing else.
    columns : dict
        Name of a design -> names of the k results.
    settings : dict
        Plain values.
    block : int
        Data sets a block.
    n_jobs : int, optional
        Of joblib; None leaves it to `joblib.parallel_config`. Results do not depend on it.
    progress : bool

    Returns
    -------
    dict of ndarray
        Name -> results, shape (number of data sets, k).
    """
    keys = [(name, range(start, start + block)) for name, number in wanted.items() for start in range(0, number, block)]
    # str: joblib takes a Path for another place. Absolute: a worker of a cluster may work elsewhere.
    place = str(Path(folder).absolute())
    calls = (delayed(_kept)(place, make, *key, tuple(columns[key[0]]), settings) for key in keys)
    done = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    found = {name: [] for name in wanted}
    for (name, _), rows in zip(keys, tqdm(done, total=len(keys), disable=not progress, unit="block"), strict=True):
        found[name].append(rows)
    return {name: np.vstack(rows)[: wanted[name]] for name, rows in found.items()}


def _kept(place, *arguments):
    # joblib notes a function's source in the first folder of a process only, and trusts no folder without that note.
    _FUNCTION_HASHES.pop(_made, None)
    return Memory(place, verbose=0).cache(_made, ignore=["make"])(*arguments)


def _made(make, name, numbers, columns, settings):
    return np.array([make(name, number, **settings) for number in numbers])


def stored_summary(name):
    """The summary of the full run of `calibtutor.reproductions.<name>`, as stored with the package."""
    return json.loads(files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8"))


def from_command_line(name, about, run, summarise, full, *, seed, arguments=None):
    """Run a reproduction as its command line says, write `summary.json` into its folder, and return the summary.

    Parameters
    ----------
    name : str
        The module, calibtutor.reproductions.<name>; the folder is <name>-runs unless told.
    about : str
        Printed by --help.
    run : callable(folder, *, data_sets, seed, n_jobs) -> dict of ndarray
    summarise : callable(results, *, command, seed) -> dict
    full : dict of int, or int
        Data sets of the full run; --share is a part of them, at least two.
    seed : int
        If none is given.
    arguments : list of str, optional
        Instead of those of the process.

    Returns
    -------
    dict
    """
    parser = argparse.ArgumentParser(prog=f"python -m calibtutor.reproductions.{name}", description=about)
    parser.add_argument("--share", type=float, default=1.0, help="of the full numbers of data sets")
    parser.add_argument("--jobs", type=int, default=None, help="processes; results do not depend on it")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler, for --jobs; its workers see the folder")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--folder", default=f"{name}-runs", help="blocks and summary.json go here")
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
