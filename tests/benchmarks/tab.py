"""What a browser tab downloads: Pyodide, and an estimate of its packages, whose list says no sizes.

The estimate: the same versions for Linux, from PyPI. Compiled ones hold libraries that Pyodide packs otherwise: the
sum says the order of magnitude and no more. Needs npm and PyPI; `python tests/benchmarks/tab.py`.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.utils import canonicalize_name

from calibtutor.teach.lite import PYODIDE

WANTED = "micropip ipython jedi numpy scipy scikit-learn pandas joblib threadpoolctl tqdm matplotlib pillow packaging "
WANTED += "platformdirs requests typing-extensions"  # what the kernel, the course and pooch name
RUNTIME = "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"
LINUX = [f"--platform={each}" for each in ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "any")]


def main():
    """Print sizes in MB."""
    with tempfile.TemporaryDirectory() as name:
        files, wheels = Path(name) / "node_modules" / "pyodide", Path(name) / "wheels"
        npm = ["npm", "install", "--silent", "--prefix", name, f"pyodide@{PYODIDE.split('/v')[1].partition('/')[0]}"]
        subprocess.run(npm, check=True)
        print(f"Pyodide: {sum((files / each).stat().st_size for each in RUNTIME) / 1e6:.1f} MB")
        packages = json.loads((files / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
        wanted = WANTED.split()
        for each in wanted:
            wanted += [need for need in map(canonicalize_name, packages[each]["depends"]) if need not in wanted]
        kept = [packages[each] for each in wanted if packages[each]["package_type"] == "package"]
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", wheels]
        pins = [f"{each['name']}=={each['version']}" for each in kept]
        subprocess.run([*pip, *LINUX, "--python-version=3.14", *pins], check=True)
        sizes = sorted((-path.stat().st_size / 1e6, path.name.split("-")[0]) for path in wheels.iterdir())
    print(f"{len(sizes)} packages for Linux: {-sum(size for size, _ in sizes):.0f} MB")
    print("the largest: " + ", ".join(f"{name} {-size:.0f}" for size, name in sizes[:7]))


if __name__ == "__main__":
    main()
