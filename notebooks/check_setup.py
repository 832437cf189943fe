#!/usr/bin/env python3
"""Is this machine ready for the course? Says in words what is missing and what to do, some days before a lab.

    python3 notebooks/check_setup.py

Start it with the Python that the course shall use; it needs nothing installed, and any Python from 3.8 on can read
it. Ends with 0 when the sessions are ready, else with 1. What is only worth knowing is a note, and what only the case
studies need may come later.
"""

import os
import re
import shutil
import socket
import sys
import urllib.request
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent
ROOT = NOTEBOOKS.parent
PYTHON = f'"{sys.executable}"' if " " in sys.executable else sys.executable  # as it is typed
OK, NOTE, LATER, MISSING = "ok", "note", "later", "MISSING"
LAB_MB = 300  # JupyterLab without a notebook, and what a system wants left
DISK_MB, INSTALLED_MB = 200, 1500  # for notebooks and downloads; for all packages
PORT = 8888  # JupyterLab's first choice
SECONDS = 10  # to wait for a far machine
WIDGETS = {"jupyterlab": 4, "ipywidgets": 8, "jupyterlab_widgets": 3}  # the oldest that show sliders together
PAGES = "@jupyter-widgets/jupyterlab-manager/package.json"
# What a lesson does: draws a picture with a slider, and another one when the slider moves.
SCENE = """
import sys
from calibtutor.lessons.notions import scenes
shown = scenes.ladder()
first = shown.png
shown.set(strength=0.5)
print(sys.executable, len(first), shown.png != first and shown.error is None)
shown
"""


def numbers(version):
    """The leading numbers of a version: "2.4.6rc1" -> (2, 4, 6)."""
    return tuple(int(part) for part in re.match(r"[\d.]*", version).group().strip(".").split(".") if part)


def read(path):
    """A text file's lines, stripped, without comments and blank ones."""
    lines = [line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line]


def own_python():
    """The Python of the environment in this folder, as a reader would type it."""
    return r".venv\Scripts\python.exe" if os.name == "nt" else ".venv/bin/python"


def check_python(found=sys.version_info[:3]):
    """Is this Python new enough? One line: what kind, what is the case, what to do."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    oldest = re.search(r'requires-python = ">=([\d.]+)"', text).group(1)
    name = "Python " + ".".join(map(str, found))
    if tuple(found) >= numbers(oldest):
        return OK, name, ""
    do = f"Install Python {oldest} or newer, for example from https://www.python.org/downloads/"
    if (ROOT / ".venv").exists():
        do += ", remove the folder .venv"
    return MISSING, f"{name} is too old: the course needs {oldest} or newer", f"{do}, and start this again with it."


def installed(name):
    """Version of a distribution, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def how_to_install():
    """The next step for somebody without the packages."""
    if sys.prefix != sys.base_prefix or "CONDA_PREFIX" in os.environ:  # in an environment of their own
        return f"In {ROOT}: {PYTHON} -m pip install -r requirements.txt"
    if (ROOT / own_python()).exists():
        return f"There is an environment in {ROOT}. Start this with its Python: {own_python()} notebooks/check_setup.py"
    return (
        f"In {ROOT}: {PYTHON} -m venv .venv, then {own_python()} -m pip install -r requirements.txt, "
        f"then start this again: {own_python()} notebooks/check_setup.py"
    )


def check_packages(installed=installed):
    """Are the packages there, and in which versions?"""
    pins = dict(line.split("==") for line in read(ROOT / "binder" / "requirements.txt"))
    found = {name: installed(name) for name in [*pins, "calibtutor"]}
    missing = [name for name, version in found.items() if version is None]
    if missing:
        many = f"{', '.join(missing[:4])} and {len(missing) - 4} more" if len(missing) > 5 else ", ".join(missing)
        return MISSING, f"not installed: {many}", how_to_install()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    floors = dict(re.findall(r'^    "([\w-]+)>=([\d.]+)",$', project, flags=re.M))
    old = [f"{name} {found[name]} (needs {low})" for name, low in floors.items() if numbers(found[name]) < numbers(low)]
    if old:
        return MISSING, f"too old: {', '.join(old)}", how_to_install()
    other = [f"{name} {found[name]} for {pin}" for name, pin in pins.items() if found[name] != pin]
    if other:
        do = "Pictures and last digits may differ from those of the course. The tested versions: " + how_to_install()
        return NOTE, f"other versions than the course was tested with: {', '.join(other)}", do
    return OK, f"{len(pins)} packages, in the versions that the course was tested with", ""


def check_import(room=None):
    """Is the calibtutor that Python finds the one beside the notebooks?"""
    import calibtutor

    room = room or Path(calibtutor.__file__).resolve().parent
    if room == ROOT / "calibtutor":
        return OK, f"calibtutor {calibtutor.__version__} of this folder", ""
    do = f"{PYTHON} -m pip install --no-deps -e {ROOT}"
    return MISSING, f"Python finds another calibtutor, in {room}: the notebooks may not fit it", do


def check_widgets(installed=installed, folders=None):
    """Will JupyterLab show sliders, and not their names as text?"""
    for name, oldest in WIDGETS.items():
        version = installed(name)
        if version is None or numbers(version)[0] < oldest:
            return MISSING, f"{name} is {version or 'not installed'}: sliders need {oldest} or newer", how_to_install()
    if folders is None:
        from jupyter_core.paths import jupyter_path

        folders = jupyter_path("labextensions")
    if not any(Path(folder, PAGES).is_file() for folder in folders):
        do = f"{PYTHON} -m pip install --force-reinstall --no-deps jupyterlab_widgets"
        return MISSING, "JupyterLab does not find the part that draws sliders", do
    return OK, f"sliders: ipywidgets {installed('ipywidgets')} in JupyterLab {installed('jupyterlab')}", ""


def reachable(address):
    """None if a machine on the network answers, else why it does not."""
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=SECONDS).close()
    except OSError as error:
        return str(error)
    return None


def check_data(reachable=reachable):
    """Are the case studies' files here and whole, or can they be had?"""
    from calibtutor.data import downloads

    here = [name for name in downloads.FILES if downloads.available(name)]
    for name in here:
        try:
            downloads.fetch(name, progress=False)
        except (ValueError, OSError) as error:  # damaged; OSError: and cannot be fetched anew
            return MISSING, f"{name} is damaged: {error}", f"Remove that file, then: {PYTHON} -m calibtutor data"
    absent = [name for name in downloads.FILES if name not in here]
    if not absent:
        return OK, f"all {len(here)} files of the case studies", ""
    only = f"not here yet: {', '.join(absent)} (only the case studies need them)"
    why = reachable(downloads.CACHE.get_url(absent[0]))
    if why is None:
        return LATER, only, f"While there is a network: {PYTHON} -m calibtutor data"
    do = f"In another network: {PYTHON} -m calibtutor data. Or put them into a folder named by {downloads.DATA_DIR}."
    return LATER, f"{only}, and their source cannot be reached: {why}", do


def free_memory(limits=("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")):
    """Bytes that this machine, or the container we are in, has left."""
    import psutil

    free = psutil.virtual_memory().available
    for limit in map(Path, limits):
        if limit.is_file() and limit.read_text().strip().isdigit():
            free = min(free, int(limit.read_text()))
    return free


def check_memory(free=None):
    """Is there room for the largest notebook?"""
    table = (NOTEBOOKS / "README.md").read_text(encoding="utf-8")
    peak = max(int(mb) for mb in re.findall(r"^\| \[.*\| *(\d+) *\| *\d+ *\|$", table, flags=re.M))
    free, needed = (free_memory() if free is None else free) / 2**20, peak + LAB_MB
    if free >= needed:
        return OK, f"{free / 1024:.1f} GB of memory are free; a notebook takes up to {peak} MB", ""
    do = "Close other programs, browser tabs and notebooks: each open notebook keeps its memory."
    return MISSING, f"only {free:.0f} MB of memory are free; {needed} MB are needed, {peak} of them by a notebook", do


def check_disk(free=None, needed=DISK_MB):
    """Is there room on the disk, and may we write into the notebooks' folder?"""
    free = (shutil.disk_usage(str(ROOT)).free if free is None else free) / 2**20
    if free < needed:
        return MISSING, f"only {free:.0f} MB are free on the disk of {ROOT}; {needed} MB are needed", "Make room there."
    if not os.access(str(NOTEBOOKS), os.W_OK):
        do = "Copy the whole folder to where you may write, and start this there."
        return MISSING, f"{NOTEBOOKS} cannot be written: JupyterLab could not save your work", do
    return OK, f"{free / 1024:.1f} GB are free on the disk", ""


def check_port(port=PORT):
    """Can a page talk to this machine, and is JupyterLab's port free?"""
    try:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen(1)
            socket.create_connection(server.getsockname(), timeout=SECONDS).close()
    except OSError as error:
        do = "A firewall or a virus scanner forbids it: allow Python to use 127.0.0.1, the machine itself."
        return MISSING, f"programs of this machine cannot talk to one another: {error}", do
    try:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        do = "JupyterLab will take the next one: use the address that it prints, not an old tab."
        return NOTE, f"port {port} is taken, perhaps by another JupyterLab", do
    return OK, f"port {port} is free", ""


def check_scene(source=SCENE):
    """Does a notebook's kernel draw a picture that follows its slider?"""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from nbformat.v4 import new_code_cell, new_notebook

    nb = new_notebook(cells=[new_code_cell(source)])
    errors = ["--IPKernelApp.log_level=40"]  # warnings of a kernel on this one machine are no news
    place = {"metadata": {"path": str(NOTEBOOKS)}}
    client = NotebookClient(nb, timeout=120, kernel_name="python3", extra_arguments=errors, resources=place)
    ask = "Show this line, and those above, to your teacher."
    try:
        client.execute()
    except CellExecutionError as error:
        return MISSING, f"a picture could not be drawn. {error.ename}: {error.evalue}", ask
    except Exception as error:  # whatever keeps a kernel from starting, in its own words
        return MISSING, f"no notebook can run here. {type(error).__name__}: {error}", ask
    text = "".join(output.text for output in nb.cells[0].outputs if output.output_type == "stream")
    python, size, moved = text.strip().splitlines()[-1].rsplit(maxsplit=2)
    if Path(python).parent.resolve() != Path(sys.executable).parent.resolve():
        do = f"Remove the other one: {PYTHON} -m jupyter kernelspec remove python3"
        return MISSING, f"notebooks would run with another Python, {python}", do
    kinds = {kind for output in nb.cells[0].outputs for kind in output.get("data", {})}
    if moved != "True" or int(size) == 0 or "image/png" not in kinds:
        return MISSING, f"a picture does not follow its slider: {text.strip()}, {sorted(kinds)}", ask
    return OK, "a notebook draws a picture, and it follows its slider", ""


def lines():
    """What there is to say, line by line; without the packages only what can be said without them."""
    yield check_python()
    if check_python()[0] != OK:
        return
    packages = check_packages()
    yield packages
    yield check_port()
    yield check_disk(needed=INSTALLED_MB if packages[0] == MISSING else DISK_MB)
    if packages[0] != MISSING:
        for check in (check_import, check_widgets, check_memory, check_data, check_scene):
            yield check()


def main():
    """Print one line a check, and what to do; returns the exit code."""
    kinds = set()
    for kind, says, do in lines():
        kinds.add(kind)
        print(f"{kind:8} {says}" + (f"\n{'':8} -> {do}" if do else ""), flush=True)
    if MISSING in kinds:
        print("\nNot ready: do what the arrow says, then start this again.")
    else:
        print("\nReady: the sessions. The case studies wait for their files." if LATER in kinds else "\nReady.")
    return int(MISSING in kinds)


if __name__ == "__main__":
    sys.exit(main())
