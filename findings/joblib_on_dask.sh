#!/usr/bin/env bash
# joblib on a Dask cluster of one worker with one thread sends it nothing: all calls run in the process that asks.
# So "two workers against one" compares two workers with none: whoever times one asks for two threads.
#
# Seen with joblib 1.6.0 and distributed 2026.8.0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q joblib==1.6.0 dask==2026.8.0 distributed==2026.8.0
cat > "$folder/seen.py" <<'PY'
import os

from distributed import Client, LocalCluster
from joblib import Parallel, delayed, parallel_config


def where(threads):
    with LocalCluster(n_workers=1, threads_per_worker=threads, dashboard_address=":0") as cluster, Client(cluster):
        with parallel_config("dask"):
            return set(Parallel()(delayed(os.getpid)() for _ in range(8)))


if __name__ == "__main__":
    assert where(1) == {os.getpid()}, "one thread is used now"
    assert os.getpid() not in where(2), "two threads are not used"
    print("one worker with one thread: all calls ran here; with two threads: all ran there")
PY
"$folder/venv/bin/python" -W ignore "$folder/seen.py"
