"""In a real browser: a notebook runs, is set in lines that one can read, every control answers, an error is shown.

By default the first notebook as it is; when slow, the code cells of two others.
"""

import re
import subprocess
import urllib.request

import lab
import nbformat
import pytest
from drive import drive
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from calibtutor.teach.notebooks import clean

FIRST = "00_start_here.ipynb"
OTHERS = ["10_map_and_repair.ipynb", "14_your_own_model.ipynb"]


@pytest.mark.parametrize("name", [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_a_notebook_runs_and_every_control_answers(name, chromium, served):
    if name != FIRST:
        keep_controls_only(served[0] / name)
    report = drive(chromium, served[1], name)
    assert report.complaints == []
    assert report.controls and report.pictures


def keep_controls_only(path):
    """Leave out text and stored outputs: they hold no control, and drawing them is a quarter of the work."""
    nb = nbformat.read(path, as_version=4)
    nb.cells = [cell for cell in nb.cells if cell.cell_type == "code"]
    for cell in nb.cells:
        cell.outputs, cell.execution_count = [], None
    nbformat.write(nb, path)


SETUP = """
import copy
from calibtutor.lessons.start import derivations, guess
from calibtutor.teach.stepper import derive
from calibtutor.teach.explore import explore

def setup(fig):
    return fig.add_subplot(xlim=(0, 9)).plot([0, 1], [0, 1])

def update(artists, **values):
    artists[0].set_xdata([0, sum(v if isinstance(v, (int, float)) else len(v) for v in values.values())])
    return f"A line for {values}."
"""


@pytest.mark.slow
def test_every_kind_of_control_answers_and_an_error_is_shown(chromium, served):
    kinds = """
explore(setup, lambda a, whole=1, half=0.5, word="b", few="qq", power=0.1, box=True, more=0: update(
    a, whole=whole, half=half, word=word, few=few, power=power, box=box, more=more,
), whole=(0, 3, 1), half=(0.0, 1.0, 0.5), word=["a", "b", "c", "d", "eee"], few=["p", "qq", "rrr"],
power=[0.01, 0.1, 1.0], box=True, more="more")
"""
    fails = """
def fail(artists, x=1):
    if x == 3:
        raise ArithmeticError("three is too many")
    return update(artists, x=x)

explore(setup, fail, x=(0, 3, 1))
"""
    all_shown = "shown = copy.copy(derivations.one_forecast)\nshown.write = None\nderive(shown)"
    cells = [new_code_cell(source) for source in (SETUP, kinds, fails, all_shown, "guess.near_seventy()")]
    nbformat.write(clean(new_notebook(cells=cells), "kinds.ipynb"), served[0] / "kinds.ipynb")
    report = drive(chromium, served[1], "kinds.ipynb")
    assert report.controls == [
        *(f"output 0: {name}" for name in ("whole", "half", "power", "word", "box", "p", "rrr", "more", "qq")),
        "output 1: x", "output 2: world", "output 2: Next ▶", "output 2: ◀ Back",
        "output 2: line 4",  # the other choice goes away with the answer
        *(f"output 3: {answer}" for answer in ("about 150", "about 175", "about 192", "all 201"))]
    # At the upper end, and gone at the lower one.
    assert len(report.complaints) == 1 and "three is too many" in report.complaints[0], report.complaints


WORDS = " ".join(["Of all the answers that a model gives with this confidence, so many are right."] * 12)
LETTERS = """p => { const style = getComputedStyle(p);
    return p.textContent.length / Math.round(p.offsetHeight / parseFloat(style.lineHeight)); }"""


@pytest.mark.slow
def test_a_line_of_prose_has_about_eighty_characters(chromium, served):
    nb = clean(new_notebook(cells=[new_markdown_cell(f"{WORDS}\n\n$$x = 1$$")]), "prose.ipynb")
    nbformat.write(nb, served[0] / "prose.ipynb")
    page = chromium.new_page(viewport={"width": 1600, "height": 900})
    page.goto(f"{served[1]}/doc/tree/prose.ipynb?reset")
    page.wait_for_function(lab.KERNEL_READY, timeout=lab.START_SECONDS * 1000, polling=lab.POLL)
    paragraphs = page.locator(".jp-MarkdownOutput > p")
    paragraphs.first.wait_for()
    assert 65 <= paragraphs.first.evaluate(LETTERS) <= 85
    assert paragraphs.last.evaluate("p => p.offsetWidth") > 1000, "a formula has all the room there is"
    page.close()


@pytest.mark.slow
def test_a_hub_that_starts_anywhere_has_the_courses_style(tmp_path):
    text = (lab.ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"<!-- hub command -->\s+```bash\s+(.*?)\s+```", text)
    (tmp_path / "home").mkdir()
    subprocess.run(["bash", "-c", command.replace("/etc/jupyter", str(tmp_path))], cwd=lab.ROOT, check=True)
    with lab.serve(tmp_path / "home", tmp_path / "jupyter_server_config.json", tmp_path) as address:
        style = urllib.request.urlopen(f"{address}/custom/custom.css", timeout=10).read()
    assert style == (lab.ROOT / "binder" / "custom.css").read_bytes()
