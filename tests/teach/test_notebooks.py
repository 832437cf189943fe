"""Every stored notebook keeps every rule, every rule catches one that breaks it, and exports are whole."""

import base64
import io
import subprocess
import sys

import nbformat
import notebook_rules as rules
import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

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


def png_of(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, "png")
    return base64.b64encode(buffer.getvalue()).decode()


def picture(pixels):
    data = {rules.VIEW: {"model_id": "a"}, "image/png": png_of(pixels), "text/plain": SENTENCE}
    return new_output("display_data", data=data, metadata={"image/png": {"alt": SENTENCE}})


def good_notebook():
    """The smallest notebook that keeps every rule."""
    gradient = np.tile(np.arange(256), (20, 1))
    sources = ["from calibtutor.lessons.start import scenes\nscenes.one()"]
    sources += [f"check.{name}(None)" for name in ("a", "b", "c", "d")]
    code = [new_code_cell(s, execution_count=i) for i, s in enumerate(sources, 1)]
    code[0].outputs = [picture(gradient)]
    code[1].outputs = [new_output("stream", name="stdout", text="not yet\n")]
    words = new_markdown_cell("# Tiny\n**Minutes:** 10. [itself](01_tiny.ipynb) [web](https://a.org/home/)")
    nb = new_notebook(cells=[words, *code])
    nb.metadata["calibtutor"] = {"goals": "say what a bin is"}
    nb.metadata["kernelspec"] = {"display_name": "Python 3", "name": "python3"}
    return nb


def widget(data):
    """A spoiler that adds an output of a live widget and these mimetypes."""
    return shown(**data, **{rules.VIEW: {"model_id": "b"}})


def shown(**data):
    """A spoiler that adds an output: mimetypes with _ for /."""
    data = {name.replace("_", "/"): text for name, text in data.items()}
    return lambda nb: nb.cells[2].outputs.append(new_output("display_data", data=data))


def printed(text, name="stdout"):
    return lambda nb: nb.cells[2].outputs.append(new_output("stream", name=name, text=text))


def source(text, cell=2):
    return lambda nb: nb.cells[cell].update(source=text)


ERROR = new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])
SPOILED = {
    "unexecuted cell": (rules.is_executed, lambda nb: nb.cells[2].update(execution_count=None)),
    "cells run out of order": (rules.is_executed, lambda nb: nb.cells[2].update(execution_count=7)),
    "stored exception": (rules.has_no_error, lambda nb: nb.cells[2].outputs.append(ERROR)),
    "error shown in a widget": (rules.has_no_error, shown(text_html='<b role="alert">no picture</b>')),
    "warning": (rules.has_no_stderr, printed("careful", "stderr")),
    "widget alone": (rules.has_twins, widget({"text/plain": SENTENCE})),
    "widget without words": (rules.has_twins, widget({"text/html": "<b>1</b>"})),
    "widget with a repr for words": (rules.has_twins, widget({"text/html": "1", "text/plain": "Box(a, b, c, d)"})),
    "stripped PNG": (rules.has_pictures, lambda nb: nb.cells[1].outputs[0].data.pop("image/png")),
    "cleared picture": (rules.has_pictures, lambda nb: nb.cells[1].update(outputs=[])),
    "picture by another name": (rules.has_pictures, source("import calibtutor as c\nc.plots.reliability_diagram(x)")),
    "machine path printed": (rules.has_no_machine_path, printed("cached in /home/me/data\n")),
    "machine path in HTML": (rules.has_no_machine_path, shown(text_html="<i>see '/tmp/x.csv'</i>")),
    "machine path in code": (rules.has_no_machine_path, source("open('/root/x')")),
    "default repr": (rules.has_no_address, shown(text_plain="<matplotlib.lines.Line2D at 0x7f00aa>")),
    "over 1 MB": (rules.is_small, printed("x" * 2**20)),
    "picture too late": (
        rules.starts_with_picture,
        lambda nb: nb.update(cells=[*map(new_markdown_cell, "abc"), *nb.cells]),
    ),
    "wall of code": (rules.has_short_cells, source("\n".join(["a = 1"] * 13))),
    "three exercises": (rules.has_exercises, source("check.report()")),
    "no goals": (rules.has_syllabus, lambda nb: nb.metadata["calibtutor"].update(goals=" ")),
    "no minutes": (rules.has_syllabus, source("# Tiny\n**Minutes:** an hour.", cell=0)),
    "minutes twice": (rules.has_syllabus, source("# Tiny\n**Minutes:** 10. **Minutes:** 20.", cell=0)),
    "no metadata": (rules.has_syllabus, lambda nb: nb.metadata.pop("calibtutor")),
    "dead link": (rules.has_live_links, source("[next](02_gone.ipynb#top)", cell=0)),
    "dead image": (rules.has_live_links, source('<img src="gone.png">', cell=0)),
}


@pytest.fixture
def saved(tmp_path):
    """Write a notebook as 01_tiny.ipynb and return (what a reader of the file gets, its path)."""

    def save(nb):
        path = tmp_path / "01_tiny.ipynb"
        nbformat.write(nb, path)
        return nbformat.read(path, as_version=4), path

    return save


def test_rules_accept_a_good_notebook(saved):
    nb, path = saved(good_notebook())
    assert [complaint for rule in rules.RULES for complaint in rule(nb, path)] == []


@pytest.mark.parametrize(("rule", "spoil"), SPOILED.values(), ids=SPOILED)
def test_rule_catches_a_spoiled_notebook(rule, spoil, saved):
    nb = good_notebook()
    spoil(nb)
    assert rule(*saved(nb)) != []


def test_every_rule_is_shown_a_spoiled_notebook():
    assert {rule for rule, _ in SPOILED.values()} == set(rules.RULES)


def test_html_check_sees_a_missing_picture_and_missing_words():
    assert complaints_about_html(good_notebook()) == []
    stateful, wordless = good_notebook(), good_notebook()
    # With its model stored, the live widget wins over the picture beside it: the reason not to store it.
    models = {"state": {"a": {}}, "version_major": 2, "version_minor": 0}
    stateful.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": models}
    wordless.cells[1].outputs[0].metadata = {}
    assert "0 pictures in the page" in complaints_about_html(stateful)[0]
    assert "without alternative text" in complaints_about_html(wordless)[0]


def nbval(path):
    """Run pytest --nbval on one notebook as the suite does, in a process of its own."""
    sanitize = NOTEBOOKS.parent / "tests" / "nbval_sanitize.cfg"
    (path.parent / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    options = ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={sanitize}"]
    command = [sys.executable, "-m", "pytest", "-q", "-c", "pytest.ini", *options, path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_nbval_sees_a_changed_number(saved):
    number = "print(f'{1 / 8:.3f}', object())"
    _, path = saved(new_notebook(cells=[new_code_cell(number), new_code_cell(number)]))
    execute(path)
    stored = nbformat.read(path, as_version=4)
    assert all(cell.outputs[0].text.startswith("0.125 <object object at 0x") for cell in stored.cells)
    stored.cells[1].outputs[0].text = stored.cells[1].outputs[0].text.replace("0.125", "0.126")
    nbformat.write(stored, path)
    result = nbval(path)  # the first cell prints another address, which is no matter
    assert result.returncode == 1 and "1 failed, 1 passed" in result.stdout and "0.126" in result.stdout, result.stdout
