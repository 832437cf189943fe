"""JupyterLab, as the README starts it or a hub does, sets the course's prose in lines that one can read."""

import re
import subprocess
import urllib.request

import lab
import nbformat
import pytest

from calibtutor.teach.notebooks import clean

pytestmark = pytest.mark.slow
WORDS = " ".join(["Of all the answers that a model gives with this confidence, so many are right."] * 12)
LINES = """p => { const range = document.createRange(), tops = {};
    const text = p.firstChild;
    for (let k = 0; k < text.length; k++) {
        range.setStart(text, k); range.setEnd(text, k + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        tops[top] = (tops[top] ?? 0) + 1;
    }
    return Object.values(tops).slice(0, -1); }"""


def test_a_line_of_prose_has_about_eighty_characters(chromium, served):
    nb = clean(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"{WORDS}\n\n$$x = 1$$")]), "prose.ipynb")
    nbformat.write(nb, served[0] / "prose.ipynb")
    page = chromium.new_page(viewport={"width": 1600, "height": 900})
    page.goto(f"{served[1]}/doc/tree/prose.ipynb?reset")
    page.wait_for_function(lab.KERNEL_READY, timeout=lab.START_SECONDS * 1000, polling=lab.POLL)
    paragraphs = page.locator(".jp-MarkdownOutput > p")
    paragraphs.first.wait_for()
    lines = paragraphs.first.evaluate(LINES)
    assert len(lines) > 5 and 70 <= sum(lines) / len(lines) <= 85, lines
    assert paragraphs.last.evaluate("p => p.offsetWidth") > 1000, "a formula has all the room there is"
    page.close()


def test_a_hub_that_starts_anywhere_has_the_courses_style(tmp_path):
    text = (lab.ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"<!-- hub command -->\s+```bash\s+(.*?)\s+```", text)
    (tmp_path / "home").mkdir()
    subprocess.run(["bash", "-c", command.replace("/etc/jupyter", str(tmp_path))], cwd=lab.ROOT, check=True)
    with lab.serve(tmp_path / "home", tmp_path / "jupyter_server_config.json", tmp_path) as address:
        style = urllib.request.urlopen(f"{address}/custom/custom.css", timeout=10).read()
    assert style == (lab.ROOT / "binder" / "custom.css").read_bytes()
