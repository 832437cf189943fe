#!/usr/bin/env python3
"""A class on a JupyterHub, measured on this machine: seconds, memory and how pictures follow the sliders.

    .venv-test/bin/python -m pip install jupyterhub==6.1.1
    npm install --prefix hub-proxy configurable-http-proxy@5.3.0
    .venv-test/bin/python tests/benchmarks/hub.py --proxy hub-proxy/node_modules/.bin/configurable-http-proxy

--students says how many (20), --notebooks what each has open: by default 00 and 03, as in the class of 90 minutes. All
begin at the same moment: each gets a server of its own, opens these and runs all cells; then each drags sliders of the
last, 10 steps, and reads for 5 to 15 seconds. They speak with their kernels as JupyterLab does (student.py); beside
them one real browser measures from the key to the picture. Memory is PSS: a page that k processes share counts 1/k in
each. What goes wrong with a student or the browser ends the script with a sentence. The hub listens on 127.0.0.1 only,
lets anybody in, and ends with the script.
"""

import argparse
import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

import lab  # noqa: E402
import numpy as np  # noqa: E402
import psutil  # noqa: E402
from slider import press  # noqa: E402
from student import REST, STEP_PAUSE, STEPS, Student, everyone  # noqa: E402
from tables import median_p95, print_table  # noqa: E402

CLASS = ["00_start_here.ipynb", "03_chance.ipynb"]
WITH_BROWSER = "browser"
SECONDS, PRESSES = 60, 50  # of moving sliders; keys in the browser while the class rests
GB, SYSTEM_MB = 16, 1024  # of the server that is asked about; what its system keeps
CONFIG = """
c.JupyterHub.bind_url = {address!r}
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.services = [{{"name": "class", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "class", "services": ["class"], "scopes": ["admin:users", "admin:servers", "access:servers"]}}
]
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
    "OMP_NUM_THREADS": "1", "PYTHONPATH": {root!r}, "JUPYTER_CONFIG_PATH": {root!r} + "/binder",
    "JUPYTERLAB_SETTINGS_DIR": {settings!r},
}}
c.JupyterHub.log_level = "WARN"
"""


@contextlib.contextmanager
def hub(proxy, names):
    """A JupyterHub with a copy of the notebooks for each name; yields its address, token and process."""
    with tempfile.TemporaryDirectory(prefix="hub-") as folder:
        homes, log = Path(folder, "homes"), Path(folder, "log")
        for name in names:
            shutil.copytree(ROOT / "notebooks", homes / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        settings = lab.write_settings(Path(folder, "settings"))
        address, token = f"http://127.0.0.1:{lab.free_port()}", secrets.token_hex(16)
        ports = {"hub_port": lab.free_port(), "proxy_port": lab.free_port()}
        places = {"proxy": proxy, "homes": str(homes), "python": sys.executable, "root": str(ROOT)}
        text = CONFIG.format(address=address, token=token, settings=str(settings), **ports, **places)
        Path(folder, "jupyterhub_config.py").write_text(text, encoding="utf-8")
        stream = log.open("w+", encoding="utf-8")
        command = [sys.executable, "-m", "jupyterhub", "-f", "jupyterhub_config.py"]
        process = psutil.Popen(command, cwd=folder, stdout=stream, stderr=subprocess.STDOUT)
        try:
            lab.wait_for(process, f"{address}/hub/api", stream)
            yield address, token, process
        except BaseException:
            print(log.read_text(encoding="utf-8")[-3000:], file=sys.stderr)
            raise
        finally:
            _end(process)
            stream.close()


def _end(process):
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


def log_in(page, address):
    """As a student with a browser does."""
    page.goto(f"{address}/hub/login?next=/hub/home")
    page.fill("input[name=username]", WITH_BROWSER)
    page.fill("input[name=password]", "any")
    page.click("input[type=submit], button[type=submit]")
    page.wait_for_url("**/hub/home")


def keys(page, until=None):
    """Milliseconds from key to picture on the first slider: so many times, or until a future is done."""
    outputs = page.query_selector_all(".jp-OutputArea-output")
    drawn = [each for each in outputs if each.query_selector(".noUi-handle") and each.query_selector("img")]
    if not drawn:
        raise RuntimeError("the browser's page has no slider of a picture that the kernel draws")
    drawn[0].query_selector(".noUi-handle").scroll_into_view_if_needed()
    spent = []
    while not until.done() if until else len(spent) <= PRESSES:
        for key in ("ArrowRight",) * 3 + ("ArrowLeft",) * 3:
            spent.append(press(page, drawn[0], key))
            page.wait_for_timeout(200)
    return spent[1:]  # the first warms up


def measure(proxy, n, notebooks):
    """Run the class; returns the students, what they held, and the browser's milliseconds alone and beside them."""
    names = [f"student{k:02}" for k in range(n)]
    with hub(proxy, [*names, WITH_BROWSER]) as (address, token, process), ThreadPoolExecutor(1) as thread:
        loop = asyncio.new_event_loop()  # one thread in which the class lives
        students, latecomer = [Student(address, token, name) for name in names], Student(address, token, WITH_BROWSER)

        def together(act, whom=students):
            return thread.submit(loop.run_until_complete, everyone(whom, act))

        together(lambda student: student.begin(notebooks)).result()
        time.sleep(2)
        held = memory(process)
        together(Student.start_server, [latecomer]).result()
        with lab.browser() as chromium:
            page = chromium.new_page(viewport={"width": 1300, "height": 1600})
            log_in(page, address)
            lab.open_notebook(page, f"{address}/user/{WITH_BROWSER}", notebooks[-1])
            alone = keys(page)
            moving = together(lambda student: student.move(SECONDS))
            beside = keys(page, moving)
            moving.result()  # a problem of a student is raised here
        together(Student.leave).result()
    return students, held, alone, beside


def report(students, held, alone, beside, notebooks):
    """Print the tables, and how many students the memory of a server of `GB` holds."""
    rows = [
        [what, *(f"{value:.1f}" for value in np.quantile([getattr(s, of) for s in students], [0.5, 0.95, 1]))]
        for what, of in (
            ("server ready", "started"), ("first picture", "first_picture"), ("notebooks have run", "finished")
        )
    ]  # fmt: skip
    title = f"{len(students)} students begin at once, {os.cpu_count()} cores: seconds until"
    print_table(title, ["", "median", "95 %", "last"], rows)

    server, kernel = np.mean([held[student.name] for student in students], axis=0)
    shared = sum(held["hub"])
    rows = {"a student: server": server, "its kernels": kernel, "both": server + kernel, "hub and proxy": shared}
    title = f"Memory after {' and '.join(notebooks)} have run, MB"
    print_table(title, ["", "PSS"], [[what, f"{mb:.0f}"] for what, mb in rows.items()])

    rows = [
        [what, len(spent), *median_p95(spent), f"{max(spent):.0f}"]
        for what, spent in (
            ("the class, through the websocket", sum((student.steps for student in students), [])),
            ("a browser, the class at rest", alone), ("a browser, beside the class", beside),
        )
    ]  # fmt: skip
    title = f"Sliders: {STEPS} steps {STEP_PAUSE} s apart, then {REST[0]} to {REST[1]} s of reading, for {SECONDS} s"
    print_table(title, ["from a move to its picture", "moves", "median ms", "p95 ms", "worst"], rows)
    holds = int((GB * 1024 - SYSTEM_MB - shared) / (server + kernel))
    print(f"\n{GB} GB hold {holds} students ({SYSTEM_MB} MB for the system, {shared:.0f} for hub and proxy).")


def stop(*_):
    """Whoever ends the script ends the hub, even if they ask twice."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit("ended from outside")


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=20)
    parser.add_argument("--notebooks", nargs="+", default=CLASS, metavar="NAME", help="what each opens; default 00, 03")
    parser.add_argument("--proxy", default="configurable-http-proxy", help="the command, if it is not on the path")
    chosen = parser.parse_args()
    proxy = shutil.which(chosen.proxy)
    if proxy is None:
        parser.error(f"{chosen.proxy} is not there: npm install configurable-http-proxy, then --proxy says where")
    if lab.find_browser() is None:
        parser.error(f"no browser found: looked for {', '.join(lab.BROWSERS)}")
    signal.signal(signal.SIGTERM, stop)
    try:
        measured = measure(str(Path(proxy).absolute()), chosen.students, chosen.notebooks)
    except Exception as problem:
        sys.exit(f"hub: {type(problem).__name__}: {problem}")
    report(*measured, chosen.notebooks)


if __name__ == "__main__":
    main()
