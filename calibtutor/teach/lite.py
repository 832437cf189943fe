"""Build the course as a site whose notebooks run in the reader's browser: JupyterLite, and Python in WebAssembly.

    python -m calibtutor lite SITE [--pyodide URL]

Put SITE on any web server. It holds JupyterLab, the notebooks with their pictures, and wheels of the course and of what
Pyodide lacks; all else a kernel takes from URL. Pictures show at once, and Python starts when a notebook is run.
"""

import argparse
import html
import json
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from string import Template

from .. import _course
from .notebooks import NOTEBOOKS, discover, minutes

with _course("course,lite"):
    import nbformat
    from jupyter_core.paths import jupyter_path
    from jupyterlite_pyodide_kernel.constants import PYODIDE_KERNEL_NPM_NAME, PYODIDE_KERNEL_PLUGIN_ID

ROOT = NOTEBOOKS.parent
PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/pyodide.mjs"  # the one place that says which, and where
WHEELS = "anywidget", "comm", "ipywidgets", "jupyterlab_widgets", "lazy_loader", "pooch", "psygnal"  # Pyodide has none
SOURCES = "calibtutor", "pyproject.toml", "README.md", "LICENSE"  # what the course's wheel is made of
WIDGETS = "@jupyter-widgets/jupyterlab-manager", "anywidget", PYODIDE_KERNEL_NPM_NAME
FIRST = "# A browser tab starts without the course: this fetches it, once in each tab that runs this notebook.\n"
FIRST += "%pip install -q calibtutor ipywidgets anywidget matplotlib pillow pooch"
KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}


def main(argv=None):
    """Command line; returns the exit code."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m calibtutor lite", description=__doc__, formatter_class=raw)
    if not NOTEBOOKS.is_dir():
        parser.error("no folder notebooks/ beside the package: run this in a clone")
    parser.add_argument("site", type=Path, metavar="SITE", help="the site's folder, which is made anew")
    parser.add_argument("--pyodide", default=PYODIDE, metavar="URL", help=f"its pyodide.mjs (default: {PYODIDE})")
    args = parser.parse_args(argv)
    is_ours = (args.site / "jupyter-lite.json").is_file()
    if args.site.is_file() or args.site.is_dir() and any(args.site.iterdir()) and not is_ours:
        parser.error(f"SITE: {args.site} holds something else; name a new folder, or one with such a site")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        _wheels(work)
        _contents(work / "contents" / "notebooks")
        _settings(work, args.pyodide)
        build = [sys.executable, "-m", "jupyterlite_core", "build"]
        made = subprocess.run(build, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            print(f"The site was not built:\n{made.stdout[-3000:]}", file=sys.stderr)
            return 1
        _front(work / "site", args.pyodide)
        shutil.rmtree(args.site, ignore_errors=True)
        shutil.copytree(work / "site", args.site)
    print(f"{len(discover())} notebooks: {(args.site / 'index.html').resolve()}")
    return 0


def _wheels(work):
    """Wheels of the course, made from a copy (a build leaves files), and of what it needs, as installed here."""
    source, wheels = work / "source", work / "pypi"
    source.mkdir()
    for name in SOURCES:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", wheels, source], check=True)
    pure = ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none", "--python-version=3.14"]
    pinned = [f"{name}=={version(name)}" for name in WHEELS]
    subprocess.run([*pip, "download", "--no-deps", *pure, "--dest", wheels, *pinned], check=True)


def _contents(folder):
    """The notebooks as they are stored, and a first code cell that brings the course into the tab."""
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns("pictures", "*.py", ".ipynb_checkpoints", "my_*"))
    for path in discover(folder):
        nb = nbformat.read(path, as_version=4)
        first = next(place for place, cell in enumerate(nb.cells) if cell.cell_type == "code")
        nb.cells.insert(first, nbformat.v4.new_code_cell(FIRST, id="in-a-browser"))
        nb.metadata["kernelspec"] = KERNEL
        nbformat.write(nb, path)


def _settings(work, pyodide):
    """What JupyterLite reads in the folder where it is called."""
    shutil.copy(ROOT / "binder" / "overrides.json", work)
    folders = [Path(each) for each in jupyter_path("labextensions")]
    extensions = [next(str(each / name) for each in folders if (each / name).is_dir()) for name in WIDGETS]
    build = {"apps": ["lab"], "no_sourcemaps": True, "no_unused_shared_packages": True, "contents": ["contents"],
             "output_dir": "site", "ignore_sys_prefix": ["federated_extensions"], "federated_extensions": extensions}
    kernel = {"pyodideUrl": pyodide, "disablePyPIFallback": True}
    config = {"appName": "Calibration, hands on", "litePluginSettings": {PYODIDE_KERNEL_PLUGIN_ID: kernel}}
    of_the_site = {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}
    (work / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": build}), encoding="utf-8")
    (work / "jupyter-lite.json").write_text(json.dumps(of_the_site), encoding="utf-8")


def _front(site, pyodide):
    """The course's style, and a first page with the sessions in the place of one that leads to an empty JupyterLab."""
    style = (ROOT / "binder" / "custom.css").read_text(encoding="utf-8")
    page = site / "lab" / "index.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</head>", f"<style>{style}</style></head>"), "utf-8")
    shutil.copytree(NOTEBOOKS / "pictures", site / "pictures", ignore=shutil.ignore_patterns("*.py", "*.gif"))
    entries = "".join(map(_entry, discover()))
    front = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
    (site / "index.html").write_text(front.substitute(entries=entries, pyodide=pyodide), encoding="utf-8")


def _entry(path):
    nb = nbformat.read(path, as_version=4)
    title = next(c.source for c in nb.cells if c.cell_type == "markdown").lstrip("# ").partition("\n")[0]
    about, place = nb.metadata.get("calibtutor", {}), path.relative_to(ROOT).as_posix()
    has_look = (NOTEBOOKS / "pictures" / f"{path.stem}.png").is_file()
    look = f'<img src="pictures/{path.stem}.png" alt="" loading="lazy" width="240">' if has_look else ""
    needs = "<p>Downloads a file of other people's when it is run.</p>" if about.get("data") else ""
    return (f'<li><a href="lab/index.html?path={place}">{look}{html.escape(title)}</a> '
            f"<small>{minutes(nb)} min</small>{needs}</li>\n")
