#!/usr/bin/env bash
# jupyterlite-pyodide-kernel 0.8.6: a notebook's kernel installs `comm` when it starts, and brings no wheel of it.
#
# Expected: what each start needs lies on the site or in Pyodide, so that a site without other packages asks no third party.
# Seen: the start installs ipykernel, comm, pyodide-kernel, jedi and ipython; the site's own list has ipykernel and
# pyodide-kernel, Pyodide's (314.0.6, for which it is made, and 314.0.7) jedi and ipython; comm is in neither, so PyPI is
# asked in each tab. For whom it matters: a school without PyPI, and who promises that no one else is asked. A wheel of comm
# in the folder pypi/ beside the notebooks, when the site is built, helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q jupyterlite-core==0.8.6 jupyterlite-pyodide-kernel==0.8.6
cd "$folder"
for version in 314.0.6 314.0.7; do
    npm pack --silent "pyodide@$version" > name
    mkdir "$version" && tar -xzf "$(cat name)" -C "$version"
done
mkdir work && cd work
../venv/bin/jupyter lite build --apps lab > ../log 2>&1 || { cat ../log; exit 1; }
../venv/bin/python - <<'PY'
import json
import re
from pathlib import Path

static = Path("_output/extensions/@jupyterlite/pyodide-kernel-extension/static")
(worker,) = static.glob("comlink.worker*.js")
wanted = json.loads(re.search(r"async initKernel\(.*?(\[\"ipykernel\".*?\])", worker.read_text())[1])
ours = set().union(*(json.loads(path.read_text()) for path in Path("_output").rglob("pypi/all.json")))
for version in ("314.0.6", "314.0.7"):
    theirs = json.loads(Path(f"../{version}/package/pyodide-lock.json").read_text())["packages"]
    left = [name for name in wanted if name not in ours and name not in theirs]
    print(f"Pyodide {version}: a start installs {wanted}; neither the site nor Pyodide has {left}")
    assert left == ["comm"], "it has changed"
PY
echo "as stated above"
