"""Many data sets, made in blocks that are written when they are done: a run that was stopped goes on where it was."""

import json
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

__all__ = ["in_blocks"]


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
