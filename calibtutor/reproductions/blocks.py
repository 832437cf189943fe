"""Many data sets, made in blocks that joblib keeps: a run that was stopped goes on where it was."""

import argparse
import json
from importlib import import_module
from pathlib import Path

import numpy as np
from joblib import Memory, Parallel, delayed
from tqdm.auto import tqdm


def in_blocks(folder, wanted, module, seed, *, block, n_jobs):
    """{design: results (data sets, k)} of `wanted` {design: number of data sets}; the folder keeps what is done.

    The function `one_data_set(design, number, seed=seed)` of the module gives the k results of one data set, and may
    depend on nothing else. `n_jobs` is joblib's, and results do not depend on it. A folder is for one state of the
    code.
    """
    kept = Memory(folder, verbose=0).cache(_block)
    keys = [(design, range(at, min(at + block, n))) for design, n in wanted.items() for at in range(0, n, block)]
    done = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(kept)(module, *key, seed) for key in keys)
    found = {design: [] for design in wanted}
    for (design, _), rows in zip(keys, tqdm(done, total=len(keys), unit="block", disable=None), strict=True):
        found[design].append(rows)
    return {design: np.vstack(rows) for design, rows in found.items()}


def _block(module, design, numbers, seed):
    one_data_set = import_module(module).one_data_set
    return np.array([one_data_set(design, number, seed=seed) for number in numbers])


def stored_summary(name):
    """The summary of the full run of the module `name`, as stored beside it."""
    module = import_module(name if "." in name else f"{__package__}.{name}")
    return json.loads(Path(module.__file__).with_suffix(".json").read_text(encoding="utf-8"))


def from_command_line(name, arguments=None):
    """Run the reproduction in the module `name` as its command line says; its summary is written, told and returned.

    Of the module are `one_data_set`, `FULL`, the number of data sets of each design, of which --share is a part, at
    least two, `BLOCK`, how many of them are a block, `summarise` of all results, and `tell`, which prints of it.
    """
    module = import_module(name)
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=module.__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the full numbers of data sets")
    parser.add_argument("--jobs", type=int, default=None, help="processes; results do not depend on it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", default=f"{name.rpartition('.')[2]}-runs", help="blocks and summary.json go here")
    chosen = parser.parse_args(arguments)
    wanted = {design: max(2, round(chosen.share * number)) for design, number in module.FULL.items()}
    results = in_blocks(chosen.folder, wanted, name, chosen.seed, block=module.BLOCK, n_jobs=chosen.jobs)
    about_it = {"command": f"{parser.prog} --share {chosen.share:g} --seed {chosen.seed}", "seed": chosen.seed}
    summary = about_it | module.summarise(results)
    Path(chosen.folder, "summary.json").write_text(json.dumps(summary))
    module.tell(summary)
    return summary
