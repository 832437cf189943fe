"""Two jobs by one process and by a local Dask cluster: seconds, and the same bytes?

The simulation of lesson 05's Figure 3, and the audit's test of all rows of a folder. On a real cluster, whose machines
have the course installed and see one folder:

    dask scheduler --port 8786                                        # on one machine, HOST
    OMP_NUM_THREADS=1 dask worker tcp://HOST:8786 --nworkers auto --nthreads 1     # on each of the others
    python -m calibtutor.reproductions.local --dask tcp://HOST:8786 --folder local-runs
    python -m calibtutor audit FOLDER --label y --prob 'p_*' --out report.html --dask tcp://HOST:8786
"""

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from joblib import parallel_config
from tables import print_table
from threadpoolctl import threadpool_limits

from calibtutor.audit.columns import Columns
from calibtutor.audit.folder import pvalue_of_all_rows, read_folder
from calibtutor.data.worlds import widmann_model
from calibtutor.reproductions import local
from calibtutor.reproductions.blocks import in_blocks

WORKERS, DATA_SETS, BLOCK = 2, 10, 5  # data sets: of each design
DESIGNS = [name for name, study in local.STUDIES.items() if study.figure == 3]
FILES, FILE_ROWS, CLASSES = 10, 20_000, 10


def figure_3(each):
    """p-values of so many data sets of each design; nothing is kept."""
    columns = {name: local.STUDIES[name].columns for name in DESIGNS}
    settings = {"seed": local.SEED, "n_resamples": local.RESAMPLES}
    with tempfile.TemporaryDirectory() as folder:
        wanted = dict.fromkeys(DESIGNS, each)
        found = in_blocks(folder, wanted, local.one_data_set, columns, settings, block=BLOCK, progress=False)
    return np.vstack(list(found.values()))


def parquet_files(folder, files):
    """Write so many files of predictions; what the audit reads of them first: columns, drawn rows, names."""
    for number in range(files):
        y, p = widmann_model("M2", FILE_ROWS, n_classes=CLASSES, rng=number)
        table = pd.DataFrame(p, columns=[f"p_{k}" for k in range(CLASSES)]).assign(y=y)
        table.to_parquet(Path(folder, f"{number:03d}.parquet"))
    columns = Columns("y", ["p_*"])
    rows, _, parts = read_folder(folder, columns, rng=0)
    return columns, rows, parts


def all_rows(columns, rows, parts):
    """p of the audit's test of all rows."""
    return np.array(pvalue_of_all_rows(parts, columns, rows, rng=0))


def timed(job):
    """What a job returns, and its seconds."""
    start = time.perf_counter()
    return job(), time.perf_counter() - start


def main(long=False):
    """Print two tables; with `long` ten times as many data sets, 1,000 in all, and five times as many rows."""
    each, files = (10 * DATA_SETS, 5 * FILES) if long else (DATA_SETS, FILES)
    with tempfile.TemporaryDirectory() as folder:
        read = parquet_files(folder, files)
        jobs = {
            f"Figure 3, {len(DESIGNS)} designs × {each} data sets": lambda: figure_3(each),
            f"Audit, all rows: {files} files × {FILE_ROWS:,} rows, {CLASSES} classes": lambda: all_rows(*read),
        }
        with threadpool_limits(1):  # as each worker has
            alone = {title: timed(job) for title, job in jobs.items()}
        os.environ["OMP_NUM_THREADS"] = "1"  # the workers read it when they start
        with (
            LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster),
            parallel_config(backend="dask"),
        ):
            figure_3(1)  # workers import what they need
            together = {title: timed(job) for title, job in jobs.items()}
    for title, (wanted, serial) in alone.items():
        found, seconds = together[title]
        same = "identical" if found.tobytes() == wanted.tobytes() else "DIFFERENT"
        rows = [["one process", f"{serial:.1f}", "", ""]]
        rows += [[f"Dask, {WORKERS} workers", f"{seconds:.1f}", f"{serial / seconds:.2f}", same]]
        print_table(title, ["engine", "s", "times as fast", "p-values, bytes"], rows)


if __name__ == "__main__":
    main()
