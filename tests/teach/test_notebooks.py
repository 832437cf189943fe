"""Every stored notebook keeps every rule, and exports are whole."""

import nbformat
import notebook_rules as rules
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter

from calibtutor.teach.notebooks import NOTEBOOKS, discover

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
