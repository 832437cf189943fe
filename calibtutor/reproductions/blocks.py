"""Many data sets, made in blocks that are written when they are done: a run that was stopped goes on where it was."""

import argparse
import json
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

__all__ = ["from_command_line", "in_blocks"]


def in_blocks(folder, wanted, make, settings, *, block=100, n_jobs=None, progress=True):
    """Rows of results, from the folder where it holds them already.

    Parameters
    ----------
    folder : path
        Holds `settings.json` and a file for each block, `<name>-<first number>.npy`.
    wanted : dict
        Name of a design -> number of its data sets.
    make : callable(name, number, **settings) -> ndarray, shape (k,)
        The results of one data set; they may depend on nothing else.
    settings : dict
        Plain values; a folder keeps to the ones that it began with.
    block : int
        Data sets a block.
    n_jobs : int, optional
        Of joblib; None leaves it to `joblib.parallel_config`. Results do not depend on it.
    progress : bool

    Returns
    -------
    dict of ndarray
        Name -> results, shape (number of data sets, k).

    Raises
    ------
    ValueError
        For a folder with other settings.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = folder / "settings.json"
    if about.exists() and json.loads(about.read_text()) != settings:
        raise ValueError(f"folder: {folder} holds runs with {about.read_text()}, expected {settings}")
    about.write_text(json.dumps(settings))
    path = {
        (name, start): folder / f"{name}-{start:06d}.npy"
        for name, number in wanted.items()
        for start in range(0, number, block)
    }
    missing = [key for key, file in path.items() if not file.exists()]
    calls = (delayed(_write)(path[key], make, *key, block, settings) for key in missing)
    done = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)
    for _ in tqdm(done, total=len(missing), disable=not progress, unit="block"):
        pass
    return {
        name: np.vstack([np.load(path[name, start]) for start in range(0, number, block)])[:number]
        for name, number in wanted.items()
    }


def _write(file, make, name, start, block, settings):
    results = [make(name, number, **settings) for number in range(start, start + block)]
    part = file.with_suffix(".part")
    with open(part, "wb") as stream:
        np.save(stream, np.array(results))
    part.rename(file)  # a block is there whole or not at all


def from_command_line(name, about, run, summarise, full, *, seed, least=1, arguments=None):
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
        Data sets of the full run; --share is a part of them.
    seed : int
        If none is given.
    least : int
        Data sets are never fewer.
    arguments : list of str, optional
        Instead of those of the process.

    Returns
    -------
    dict
    """
    parser = argparse.ArgumentParser(prog=f"python -m calibtutor.reproductions.{name}", description=about)
    parser.add_argument("--share", type=float, default=1.0, help="of the full numbers of data sets")
    parser.add_argument("--jobs", type=int, default=None, help="processes; results do not depend on it")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--folder", default=f"{name}-runs", help="blocks and summary.json go here")
    chosen = parser.parse_args(arguments)

    def part(number):
        return max(least, round(chosen.share * number))

    data_sets = {key: part(number) for key, number in full.items()} if isinstance(full, dict) else part(full)
    results = run(chosen.folder, data_sets=data_sets, seed=chosen.seed, n_jobs=chosen.jobs)
    command = f"{parser.prog} --share {chosen.share:g} --seed {chosen.seed}"
    summary = summarise(results, command=command, seed=chosen.seed)
    Path(chosen.folder, "summary.json").write_text(json.dumps(summary))
    return summary
