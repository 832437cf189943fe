"""Would anybody notice? Plant faults one at a time in a scratch clone and see which tests fail.

    python tests/faults.py                plants all of them, a line each; exits with 1 if one is missed
    python tests/faults.py clusters bin   plants those with one of these words in their names

A fault of faults.json is its name, a file, what stands there, what is written instead, and the tests that run, in this
order, until one fails. Of claims_faults.json it is a claim's test, what stands there, and a neighbour of which the
words are false: as near as a reader would take it for another statement, a half for a third, few for most. It is
no test that runs by itself (half an hour on two cores): run it after tests or layers were changed.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 420
FAULTS, CLAIMS = (json.loads((ROOT / f"tests/{of}faults.json").read_text("utf-8")) for of in ("", "claims_"))
for test, old, new in CLAIMS:
    file = f"tests/claims/test_{test.split('::')[0]}.py"
    where = shlex.quote(f"tests/claims/test_{test.replace('::', '.py::')}")
    FAULTS.append([f"claim {test}", file, old, new, [f"{where} -m ''"]])


def plant(folder, file, old, new):
    """Write the fault; a place that is not there, or there twice, is an error."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{file}: expected once, found {text.count(old)} times: {old}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def caught_by(folder, tests):
    """The first test that fails, or None."""
    env = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    for test in tests:
        options = ["-q", "-x", "-p", "no:cacheprovider", *["--nbval"] * test.endswith(".ipynb")]
        command = [sys.executable, "-m", "pytest", *shlex.split(test), *options]
        try:
            ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"{test}: no end after {SECONDS} s"
        if ran.returncode == 1:
            found = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, flags=re.M)
            return found[1] if found else test
        if ran.returncode:  # no such file, nothing collected: the table is out of date
            raise ValueError(f"{test}: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    return None


def main(words):
    missed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
        trained = Path(".pytest_cache", "trained")  # tests/claims/splits.py: no model is trained twice
        for each in (ROOT / trained, (folder / trained).parent):
            each.mkdir(parents=True, exist_ok=True)
        (folder / trained).symlink_to(ROOT / trained)
        for name, file, old, new, tests in FAULTS:
            if words and not any(word in name for word in words):
                continue
            start = time.time()
            plant(folder, file, old, new)
            found = caught_by(folder, tests)
            subprocess.run(["git", "-C", folder, "checkout", "-q", "."], check=True)
            missed += found is None
            said = "MISSED by " + ", ".join(tests) if found is None else found
            print(f"{name:55} {said} ({time.time() - start:.0f} s)", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
