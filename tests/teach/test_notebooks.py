"""Every stored notebook keeps every rule, and exports are whole."""

import subprocess
import sys

import nbformat
import notebook_rules as rules
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook

from calibtutor.teach.notebooks import NOTEBOOKS, discover, execute

FOUND = discover()
every_notebook = pytest.mark.parametrize("path", FOUND, ids=lambda p: p.relative_to(NOTEBOOKS).as_posix())
DEFAULT_ALT = "No description has been provided for this image"
SENTENCE = "A reliability diagram with ten bins."


@every_notebook
def test_a_notebook_keeps_every_rule(path):
    nb = nbformat.read(path, as_version=4)
    said = [f"{rule.__name__}: {complaint}" for rule in rules.RULES for complaint in rule(nb, path)]
    assert said + complaints_about_html(nb) == []


def complaints_about_html(nb):
    """What is missing from a static page: pictures, or the words for them."""
    pictures, complaints = sum(len(rules.pngs(cell)) for cell in nb.cells), []
    html, _ = HTMLExporter(template_name="classic").from_notebook_node(nb)  # the lab template drops alternative texts
    shown = BeautifulSoup(html, "html.parser").select("img[src^='data:image/png']")
    if len(shown) != pictures:
        complaints.append(f"{len(shown)} pictures in the page, {pictures} in the notebook")
    wordless = [i for i in shown if not i["alt"].strip() or i["alt"] == DEFAULT_ALT]
    return complaints + [f"{len(wordless)} pictures without alternative text"] * bool(wordless)


def nbval(path):
    """Run pytest --nbval on one notebook as the suite does, in a process of its own."""
    sanitize = NOTEBOOKS.parent / "tests" / "nbval_sanitize.cfg"
    (path.parent / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    options = ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={sanitize}"]
    command = [sys.executable, "-m", "pytest", "-q", "-c", "pytest.ini", *options, path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_nbval_sees_a_changed_number(tmp_path):
    number, path = "print(f'{1 / 8:.3f}', object())", tmp_path / "01_tiny.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(number), new_code_cell(number)]), path)
    execute(path)
    stored = nbformat.read(path, as_version=4)
    assert all(cell.outputs[0].text.startswith("0.125 <object object at 0x") for cell in stored.cells)
    stored.cells[1].outputs[0].text = stored.cells[1].outputs[0].text.replace("0.125", "0.126")
    nbformat.write(stored, path)
    result = nbval(path)  # the first cell prints another address, which is no matter
    assert result.returncode == 1 and "1 failed, 1 passed" in result.stdout and "0.126" in result.stdout, result.stdout
