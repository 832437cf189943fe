"""The course in a browser tab: its site from a local server, and Pyodide's own files from another.

No registry has NumPy for Pyodide, so no whole notebook runs here: tests/wasm/ has the numbers, this has the tab.
"""

import contextlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from functools import partial
from hashlib import sha256

import lab
import pytest
from packaging.utils import canonicalize_name

import calibtutor

pytestmark = pytest.mark.slow
WHEELS = ["micropip", "ipython", "jedi", "lazy-loader", "requests", "platformdirs", "packaging"]  # pure; of Pyodide
NOTEBOOK = "notebooks/00_start_here.ipynb"
RUN = """async code => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({code}), said = [];
    future.onIOPub = ({content}) => content.text ? said.push(content.text)
        : content.ename ? said.push(content.ename + ': ' + content.evalue) : 0;
    await future.done;
    return said.join('');
}"""
WRITE = """async text => {
    const panel = jupyterapp.shell.currentWidget;
    [...panel.content.model.cells].at(-1).sharedModel.source = text;
    await panel.context.save();
}"""
LAST = "() => [...jupyterapp.shell.currentWidget.content.model.cells].at(-1).sharedModel.source"
PICTURES = """() => {
    const seen = [...document.querySelectorAll('.jp-OutputArea-output img')];
    return seen.length > 2 && seen.every(each => each.complete && each.naturalWidth > 200);
}"""


LINE = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}  # 40 ms
SENT = []  # bytes of each file that a server here gave


class Files(http.server.SimpleHTTPRequestHandler):
    """Files for any page, as Pyodide's server gives them; kept for ten minutes, as elsewhere, but not packed."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def copyfile(self, source, outputfile):
        SENT.append(os.fstat(source.fileno()).st_size)
        super().copyfile(source, outputfile)

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def served(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory):
    """Files of npm's package, and of the packages that its lock names those that are pure and asked for."""
    from calibtutor.teach.lite import PYODIDE

    folder = tmp_path_factory.mktemp("pyodide")
    npm = ["npm", "pack", "--silent", f"pyodide@{PYODIDE.split('/v')[1].partition('/')[0]}"]
    archive = subprocess.run(npm, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(folder / archive) as opened:
        opened.extractall(folder, filter="data")
    folder /= "package"
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
    wanted, packages = list(WHEELS), lock["packages"]
    for name in wanted:
        needs = map(canonicalize_name, packages[name]["depends"])
        wanted += [each for each in needs if each not in wanted]
    pure = [packages[name] for name in wanted if packages[name]["file_name"].endswith("none-any.whl")]
    pins = [f"{each['name']}=={each['version']}" for each in pure]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform=any"]
    pip += ["--implementation=py", "--abi=none", "--python-version=3.14", "--dest", folder, *pins]
    subprocess.run(pip, check=True)
    files = {canonicalize_name(path.name.partition("-")[0]): path.name for path in folder.glob("*.whl")}
    for each in pure:
        each["file_name"] = files[canonicalize_name(each["name"])]
        each["sha256"] = sha256((folder / each["file_name"]).read_bytes()).hexdigest()  # Pyodide packs them anew
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    with served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def site(pyodide, tmp_path_factory):
    from calibtutor.__main__ import main

    folder = tmp_path_factory.mktemp("site") / "run"
    assert main(["lite", str(folder), "--pyodide", f"{pyodide}/pyodide.mjs"]) == 0
    settings = json.loads((folder / "jupyter-lite.json").read_text(encoding="utf-8"))
    settings["jupyter-config-data"]["exposeAppInBrowser"] = True  # for us
    (folder / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
    still = shutil.copytree(folder, folder.parent / "still") / "jupyter-lite.json"  # its Python is missing
    still.write_text(still.read_text(encoding="utf-8").replace("/pyodide.mjs", "/missing.mjs"), encoding="utf-8")
    with served(folder.parent) as address:
        yield f"{address}/run"


def test_a_tab_runs_the_course(chromium, site, pyodide, capsys):
    context = chromium.new_context()
    page, asked = context.new_page(), []
    context.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}/index.html")
    assert page.locator("li a").count() > 20
    page.locator(f"a[href$='{NOTEBOOK}']").click()
    began = time.monotonic()
    page.wait_for_function(PICTURES, timeout=180_000)  # before anything runs
    page.wait_for_function(lab.KERNEL_READY, timeout=180_000, polling=250)
    with capsys.disabled():
        print(f"\nfrom the click to an idle kernel: {time.monotonic() - began:.1f} s, {len(asked)} requests")
    run = lambda code: page.evaluate(RUN, code)
    assert run("print(1 + 1)") == "2\n"
    bring = "import piplite; await piplite.install({}, deps={})\n"
    code = bring.format("['calibtutor']", False) + bring.format("['lazy-loader>=0.6', 'pooch', 'comm']", True)
    code += "import calibtutor, pooch; print(calibtutor.__version__, 'skce' in dir(calibtutor))"
    assert run(code) == f"{calibtutor.__version__} True\n"
    # What `calibtutor.data.downloads` does, which imports NumPy: pooch takes the browser's fetch.
    code = f"pooch.get_logger().setLevel(30)\nprint(open(pooch.retrieve({f'{site}/pypi/all.json'!r}, None)).read(1))"
    assert run(code) == "{\n"
    page.evaluate(WRITE, "mine = 1")
    page.reload()
    page.wait_for_function(lab.KERNEL_READY, timeout=180_000, polling=250)
    assert page.evaluate(LAST) == "mine = 1"
    assert origins(asked) == origins([site, pyodide])
    context.close()


def origins(addresses):
    return {"/".join(url.split("/")[:3]) for url in addresses if url.startswith("http")}


def test_pictures_show_without_python_on_a_slow_line(chromium, site, pyodide, capsys):
    """Prints how long they take, the first time and the second, with what the site's server gave."""
    context, asked = chromium.new_context(), []
    context.on("request", lambda request: asked.append(request.url))
    for visit in "first", "second":
        page, before, began = context.new_page(), len(SENT), time.monotonic()
        line = context.new_cdp_session(page)
        line.send("Network.enable")
        line.send("Network.emulateNetworkConditions", LINE)
        page.goto(f"{site.removesuffix('run')}still/lab/index.html?path={NOTEBOOK}")
        page.wait_for_function(PICTURES, timeout=180_000)
        seconds, files = time.monotonic() - began, SENT[before:]
        with capsys.disabled():
            print(f"\n{visit} look: {seconds:.1f} s, {len(files)} files, {sum(files) / 1e6:.1f} MB")
        page.wait_for_timeout(1000)  # for what is asked late
        page.close()
    assert sum(files) < 0.1e6, "the browser kept the rest"
    assert origins(asked) <= origins([site, pyodide])
    context.close()
