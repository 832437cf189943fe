#!/usr/bin/env bash
# jupyterlite-core 0.8.6: with a first page of one's own, a JupyterLite site shows an empty page instead of JupyterLab.
#
# Expected: lab/ is an application by itself; the page at the site's root, which only leads there, may be replaced by another.
# Seen: lab/ reads the root's index.html, too, and takes the script with the id jupyter-config-data out of it; without it
# the console says "Cannot read properties of null (reading 'textContent')", the reader nothing, and the page stays empty.
# For whom it matters: whoever gives a site a first page. One such tag with {} in it is enough. Needs Chromium.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q jupyterlite-core==0.8.6 playwright==1.61.0
cd "$folder"
mkdir work && cd work
../venv/bin/jupyter lite build --apps lab > ../log 2>&1 || { cat ../log; exit 1; }
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ../venv/bin/python - <<'PY'
import http.server
import os
import threading
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory="_output"))
threading.Thread(target=server.serve_forever, daemon=True).start()
TAG = '<script id="jupyter-config-data" type="application/json">{}</script>'
pages, seen = {"as built": None, "own": "<p>hi</p>", "own, with the tag": f"<p>hi</p>{TAG}"}, {}
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
    for name, text in pages.items():
        if text:
            Path("_output/index.html").write_text(text)
        page, errors = browser.new_context().new_page(), []
        page.on("pageerror", lambda error, errors=errors: errors.append(error.message))
        page.goto(f"http://127.0.0.1:{server.server_port}/lab/index.html")
        for _ in range(60):
            page.wait_for_timeout(500)
            if errors or page.locator("#jp-main-dock-panel").count():
                break
        seen[name] = bool(page.locator("#jp-main-dock-panel").count()), errors
        print(f"first page {name}: JupyterLab shows: {seen[name][0]}; errors: {errors}")
    browser.close()
said = ["Cannot read properties of null (reading 'textContent')"]
assert seen == {"as built": (True, []), "own": (False, said), "own, with the tag": (True, [])}, "it has changed"
PY
echo "as stated above"
