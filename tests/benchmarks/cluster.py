"""The simulation of lesson 05's Figure 3 by one process and by a local Dask cluster: seconds, and the same bytes?

On a real cluster, whose machines have the course installed and see one folder:

    dask scheduler --port 8786                                        # on one machine, HOST
    OMP_NUM_THREADS=1 dask worker tcp://HOST:8786 --nworkers auto --nthreads 1     # on each of the others
    python -m calibtutor.reproductions.local --dask tcp://HOST:8786 --folder local-runs
"""

import os
import tempfile
import time

import numpy as np
from distributed import Client, LocalCluster
from joblib import parallel_config
from tables import print_table
from threadpoolctl import threadpool_limits

from calibtutor.reproductions import local
from calibtutor.reproductions.blocks import in_blocks

WORKERS, DATA_SETS, BLOCK = 2, 10, 5  # data sets: of each design
DESIGNS = [name for name, study in local.STUDIES.items() if study.figure == 3]


def figure_3(each):
    """p-values of so many data sets of each design, and the seconds they took; nothing is kept."""
    columns = {name: local.STUDIES[name].columns for name in DESIGNS}
    settings = {"seed": local.SEED, "n_resamples": local.RESAMPLES}
    with tempfile.TemporaryDirectory() as folder:
        start, wanted = time.perf_counter(), dict.fromkeys(DESIGNS, each)
        found = in_blocks(folder, wanted, local.one_data_set, columns, settings, block=BLOCK, progress=False)
        return np.vstack(list(found.values())), time.perf_counter() - start


def main(long=False):
    """Print one table; with `long` ten times as many data sets, 1,000 in all."""
    each = 10 * DATA_SETS if long else DATA_SETS
    with threadpool_limits(1):  # as each worker has
        alone, serial = figure_3(each)
    os.environ["OMP_NUM_THREADS"] = "1"  # the workers read it when they start
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        figure_3(1)  # workers import what they need
        found, seconds = figure_3(each)
    same = "identical" if found.tobytes() == alone.tobytes() else "DIFFERENT"
    rows = [["one process", f"{serial:.1f}", "", ""]]
    rows += [[f"Dask, {WORKERS} workers", f"{seconds:.1f}", f"{serial / seconds:.2f}", same]]
    title = f"Figure 3, {len(DESIGNS)} designs × {each} data sets, {local.RESAMPLES} draws a test"
    print_table(title, ["engine", "s", "times as fast", "p-values, bytes"], rows)


if __name__ == "__main__":
    main()
