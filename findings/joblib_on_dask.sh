#!/usr/bin/env bash
# joblib on a Dask cluster: two things that `kce_test_parts` cannot see or mend.
#
# Seen with joblib 1.6.0 and distributed 2026.8.0:
#   a cluster of one worker with one thread    gets nothing: all calls run in the process that asks
#   a call that ends its worker each time      distributed gives up after 4 workers (KilledWorker, as plain Dask raises),
#                                              joblib's Parallel is not told and waits: here for a minute longer
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q joblib==1.6.0 dask==2026.8.0 distributed==2026.8.0
cat > "$folder/seen.py" <<'PY'
import os
import threading
import time

from distributed import Client, LocalCluster
from joblib import Parallel, delayed, parallel_config

OPTIONS = {"threads_per_worker": 1, "dashboard_address": ":0"}


def end_of_worker(home, k):
    if k == 2 and os.getpid() != home:
        os._exit(1)
    return k


def ask(home):
    with parallel_config("dask"):
        Parallel()(delayed(end_of_worker)(home, k) for k in range(4))


if __name__ == "__main__":
    with LocalCluster(n_workers=1, **OPTIONS) as cluster, Client(cluster), parallel_config("dask"):
        where = set(Parallel()(delayed(os.getpid)() for _ in range(4)))
    assert where == {os.getpid()}, "one thread is used now"
    with LocalCluster(n_workers=2, **OPTIONS) as cluster, Client(cluster):
        asked = threading.Thread(target=ask, args=[os.getpid()], daemon=True)
        asked.start()
        while "erred" not in (states := [task.state for task in cluster.scheduler.tasks.values()]) and asked.is_alive():
            time.sleep(1)
        asked.join(60)
        print(f"distributed: {states}; joblib has {'not ' * asked.is_alive()}returned")
        assert asked.is_alive(), "joblib is told now"
        os._exit(0)  # nothing would end that thread
PY
"$folder/venv/bin/python" -W ignore "$folder/seen.py" 2> "$folder/log" || { tail -5 "$folder/log"; exit 1; }
echo "as stated above"
