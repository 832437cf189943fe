#!/usr/bin/env python3
"""A class on a JupyterHub, measured on this machine: seconds, memory and how pictures follow the sliders.

    .venv-test/bin/python -m pip install jupyterhub==6.1.1
    npm install --prefix hub-proxy configurable-http-proxy@5.3.0
    .venv-test/bin/python tests/benchmarks/hub.py --proxy hub-proxy/node_modules/.bin/configurable-http-proxy

--students says how many (2), --notebooks what each has open: by default 00 and 03, as in the class of 90 minutes. Each
is a tab of one browser with an account and a server of its own, and all run their cells at the same moment; then a
slider of one is moved by keys, while the others rest, and while each drags one by 10 steps every 10 seconds or so.
Memory is PSS: a page that k processes share counts 1/k in each; the browser's is left out. What goes wrong ends the
script with a sentence. The hub listens on 127.0.0.1 only, lets anybody in, and ends with the script.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

import lab  # noqa: E402
import numpy as np  # noqa: E402
import psutil  # noqa: E402
from slider import press  # noqa: E402
from tables import median_p95, print_table  # noqa: E402

CLASS = ["00_start_here.ipynb", "03_chance.ipynb"]
PRESSES = 60
GB, SYSTEM_MB = 16, 1024  # of the server that is asked about; what its system keeps
CONFIG = """
c.JupyterHub.bind_url = {address!r}
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"  # no system users: a folder each
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.notebook_dir = {homes!r} + "/{{username}}"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.args = [
    "--allow-root", "--LabApp.expose_app_in_browser=True", "--LabApp.app_settings_dir=" + {root!r} + "/binder",
]
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
# A core for each: with more threads a student than cores, everybody waits.
c.Spawner.environment = {{
    "OMP_NUM_THREADS": "1", "PYTHONPATH": {path!r}, "JUPYTER_CONFIG_PATH": {root!r} + "/binder",
    "JUPYTERLAB_SETTINGS_DIR": {settings!r},
}}
c.JupyterHub.log_level = "WARN"
"""
PICTURES = ".jp-OutputArea-output:has(.noUi-handle):has(img)"  # that the kernel draws


@contextlib.contextmanager
def hub(proxy, names):
    """A JupyterHub with a copy of the notebooks for each name; yields its address and process."""
    with tempfile.TemporaryDirectory(prefix="hub-") as folder:
        homes, log = Path(folder, "homes"), Path(folder, "log")
        for name in names:
            shutil.copytree(ROOT / "notebooks", homes / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        settings = lab.write_settings(Path(folder, "settings"))
        address = f"http://127.0.0.1:{lab.free_port()}"
        ports = {"hub_port": lab.free_port(), "proxy_port": lab.free_port()}
        places = {"proxy": proxy, "homes": str(homes), "python": sys.executable, "root": str(ROOT)}
        places["path"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        text = CONFIG.format(address=address, settings=str(settings), **ports, **places)
        Path(folder, "jupyterhub_config.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "jupyterhub", "-f", "jupyterhub_config.py"]
        with log.open("w+", encoding="utf-8") as stream:
            process = psutil.Popen(command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT)
            try:
                lab.wait_for(process, f"{address}/hub/api", stream)
                yield address, process
            finally:
                started = process.children(recursive=True)
                process.terminate()  # the hub ends its servers and its proxy
                with contextlib.suppress(psutil.TimeoutExpired):
                    process.wait(60)
                for left in [each for each in [process, *started] if each.is_running()]:
                    with contextlib.suppress(psutil.Error):
                        left.kill()


def memory(hub):
    """{student, or "hub" for hub and proxy: [MB of the server, MB of its kernels]}."""
    found = {"hub": [hub.memory_full_info().pss / 2**20, 0.0]}
    for child in hub.children():
        with contextlib.suppress(psutil.Error):  # a process may end after being listed
            held = found.setdefault(child.environ().get("JUPYTERHUB_USER", "hub"), [0.0, 0.0])
            for process in (child, *child.children(recursive=True)):
                held[process is not child] += process.memory_full_info().pss / 2**20
    return found


def log_in(chromium, address, name):
    """A tab whose student has a server; it need not be ready."""
    page = chromium.new_context(viewport={"width": 1300, "height": 1600}).new_page()
    page.goto(f"{address}/hub/login?next=/hub/spawn")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", "any")
    page.click("input[type=submit], button[type=submit]")
    return page


def keys(page):
    """Milliseconds from key to picture on the first slider."""
    output = page.query_selector(PICTURES)
    output.query_selector(".noUi-handle").scroll_into_view_if_needed()
    spent = []
    for turn in range(PRESSES + 1):
        spent.append(press(page, output, "ArrowLeft" if turn // 3 % 2 else "ArrowRight"))
        page.wait_for_timeout(200)
    return spent[1:]  # the first warms up


def measure(proxy, names, notebooks):
    """Run the class: seconds until the last has a server, and has run; MB; milliseconds alone and beside the others."""
    with hub(proxy, names) as (address, process), lab.browser() as chromium:
        start = time.perf_counter()
        pages = {log_in(chromium, address, name): f"{address}/user/{name}" for name in names}
        for page in pages:
            page.wait_for_url("**/user/*/**", timeout=300_000)
        seconds = [time.perf_counter() - start]
        for notebook in notebooks:
            lab.open_notebooks(pages, notebook)
        seconds.append(time.perf_counter() - start)
        if said := sum(map(lab.errors, pages), []):
            raise RuntimeError(said[0])
        held, (first, *others) = memory(process), pages
        alone = keys(first)
        for page in others:
            page.query_selector(f"{PICTURES} .noUi-handle").evaluate(lab.IN_PAGE["dragNowAndThen"])
        return seconds, held, alone, keys(first)


def report(seconds, held, alone, beside, notebooks):
    """Print the tables, and how many students the memory of a server of `GB` holds."""
    shared = sum(held.pop("hub"))
    server, kernel = np.mean([*held.values()], axis=0)
    title = f"{len(held)} students begin at once, {os.cpu_count()} cores: seconds until the last"
    print_table(title, ["has a server", "has run all cells"], [[f"{each:.1f}" for each in seconds]])
    rows = {"a student: server": server, "its kernels": kernel, "both": server + kernel, "hub and proxy": shared}
    title = f"Memory after {' and '.join(notebooks)} have run, MB"
    print_table(title, ["", "PSS"], [[what, f"{mb:.0f}"] for what, mb in rows.items()])
    rows = [[what, len(spent), *median_p95(spent), f"{max(spent):.0f}"]
            for what, spent in (("the class at rest", alone), ("beside the class", beside))]
    print_table("From a key to its picture", ["", "keys", "median ms", "p95 ms", "worst"], rows)
    holds = int((GB * 1024 - SYSTEM_MB - shared) / (server + kernel))
    print(f"\n{GB} GB hold {holds} students ({SYSTEM_MB} MB for the system, {shared:.0f} for hub and proxy).")


def stop(*_):
    """Whoever ends the script ends the hub, even if they ask twice."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit("ended from outside")


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=2)
    parser.add_argument("--notebooks", nargs="+", default=CLASS, metavar="NAME", help="what each opens; default 00, 03")
    parser.add_argument("--proxy", default="configurable-http-proxy", help="the command, if it is not on the path")
    chosen = parser.parse_args()
    proxy = shutil.which(chosen.proxy)
    if proxy is None:
        parser.error(f"{chosen.proxy} is not there: npm install configurable-http-proxy, then --proxy says where")
    if lab.find_browser() is None:
        parser.error(f"no browser found: looked for {', '.join(lab.BROWSERS)}")
    signal.signal(signal.SIGTERM, stop)
    names = [f"student{k:02}" for k in range(chosen.students)]
    try:
        measured = measure(str(Path(proxy).absolute()), names, chosen.notebooks)
    except Exception as problem:
        sys.exit(f"hub: {type(problem).__name__}: {problem}")
    report(*measured, chosen.notebooks)


if __name__ == "__main__":
    main()
