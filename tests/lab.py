"""A real JupyterLab in a real browser, for the browser tests and the slider benchmark; and notebooks to run."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import nbformat

BROWSERS = ("chromium", "google-chrome", "chromium-browser")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]
# All cells in the page, as by default: what is scrolled away must still be found.
SETTINGS = "notebook-extension/tracker", '{"windowingMode": "contentVisibility"}'
ROOT = Path(__file__).parent.parent
CONFIG = ROOT / "binder" / "jupyter_server_config.json"  # as the README says
START_SECONDS, RUN_SECONDS, DRAW_SECONDS = 90, 300, 30
SCRIPTS = Path(__file__).with_name("in_page.js").read_text(encoding="utf-8")
IN_PAGE = dict(re.findall(r"^const (\w+) = (.+?);\n(?=\n|\Z)", SCRIPTS, flags=re.M | re.S))  # functions by their names
KERNEL_READY = IN_PAGE["kernelReady"]
POLL = 250  # ms; by default Playwright asks at every frame
# JupyterLab gives exceptions the mimetype of stderr; a reader should see neither.
ERRORS = "[data-mime-type='application/vnd.jupyter.stderr']"


def find_browser():
    """Path of an installed Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextlib.contextmanager
def browser():
    """A headless browser; needs playwright and `find_browser`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = {"headless": True, "args": FLAGS, "ignore_default_args": ["--headless"]}
        chromium = playwright.chromium.launch(executable_path=find_browser(), **options)
        yield chromium
        chromium.close()


def free_port():
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_settings(folder):
    """Write `SETTINGS` as JupyterLab reads them from a folder; returns it."""
    plugin, text = SETTINGS
    file = Path(folder, "@jupyterlab", f"{plugin}.jupyterlab-settings")
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return folder


@contextlib.contextmanager
def serve(folder, config=CONFIG, cwd=ROOT):
    """JupyterLab on a folder, started in `cwd`, with nobody's settings but ours; yields its address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as home, open(Path(home, "log"), "w+", encoding="utf-8") as log:
        write_settings(Path(home, "settings"))
        own = {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}
        own |= {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython"}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
        command += ["--allow-root", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", f"--config={config}"]
        env = os.environ | {name: str(Path(home, sub)) for name, sub in own.items()}
        server = subprocess.Popen([*command, "--expose-app-in-browser"], stdout=log, stderr=log, cwd=cwd, env=env)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(server, f"{address}/api", log)
            yield address
        finally:
            server.terminate()  # the server ends its kernels
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:  # on a busy machine a kernel may not let go; it ends with its parent
                server.kill()
                server.wait()


def wait_for(server, address, log):
    """Return when the process answers at an address; RuntimeError with the end of its log if it does not."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    log.seek(0)
    raise RuntimeError(f"{address} did not answer:\n{log.read()[-2000:]}")


def open_notebook(page, address, name):
    """Open a notebook with a fresh kernel and run all its cells; returns when the kernel rests."""
    open_notebooks({page: address}, name)


def open_notebooks(pages, name):
    """The same on several pages at once, each with the address of its server."""
    for page, address in pages.items():
        page.goto(f"{address}/doc/tree/{name}?reset")
    for page in pages:
        page.wait_for_function(KERNEL_READY, timeout=START_SECONDS * 1000, polling=POLL)
        # Stored counts would look like cells that ran.
        page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    for page in pages:
        page.wait_for_function(IN_PAGE["allRun"], timeout=RUN_SECONDS * 1000, polling=POLL)
        page.wait_for_function(IN_PAGE["allDrawn"], timeout=DRAW_SECONDS * 1000, polling=POLL)


def write_notebook(path, *sources, words="# A question"):
    """Write a notebook of words and code cells; returns its path."""
    cells = [nbformat.v4.new_markdown_cell(words), *map(nbformat.v4.new_code_cell, sources)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def errors(page):
    """The texts of exceptions and warnings in the open notebook."""
    return [element.inner_text() for element in page.query_selector_all(ERRORS)]


def shut_down(page):
    """End a page and its kernel, whose memory the next notebook may need."""
    page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()
