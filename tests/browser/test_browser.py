"""In a real browser: a notebook runs, every control answers, and what goes wrong is shown.

By default the first notebook as it is; when slow, the code cells of four others. test_scenes.py moves the controls of
all scenes without a browser, nbval runs all cells.
"""

import nbformat
import pytest
from drive import drive
from nbformat.v4 import new_code_cell, new_notebook

from calibtutor.data.downloads import available
from calibtutor.teach.notebooks import NOTEBOOKS, clean

FIRST = "00_start_here.ipynb"
OTHERS = ["03_chance.ipynb", "10_map_and_repair.ipynb", "14_your_own_model.ipynb",
          "case_studies/03_housing_who_owns.ipynb"]  # fmt: skip


@pytest.mark.parametrize("name", [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_a_notebook_runs_and_every_control_answers(name, chromium, served):
    about = nbformat.read(NOTEBOOKS / name, as_version=4).metadata.get("calibtutor", {})
    missing = [file for file in about.get("data", []) if not available(file)]
    if missing:
        pytest.skip(f"{name} needs {', '.join(missing)}")
    if name != FIRST:
        keep_controls_only(served[0] / name)
    report = drive(chromium, served[1], name)
    assert report.complaints() == []
    # Case studies show a method at work and need no controls.
    assert report.controls and report.pictures or name.startswith("case_studies/")


def keep_controls_only(path):
    """Leave out text and stored outputs: they hold no control, and drawing them is a quarter of the work."""
    nb = nbformat.read(path, as_version=4)
    nb.cells = [cell for cell in nb.cells if cell.cell_type == "code"]
    for cell in nb.cells:
        cell.outputs, cell.execution_count = [], None
    nbformat.write(nb, path)


def make(served, name, *sources):
    """Put a notebook of our own among the served ones; returns its address under the root."""
    folder, _ = served
    nb = clean(new_notebook(cells=[new_code_cell(source) for source in (SETUP, *sources)]), name)
    nbformat.write(nb, folder / name)
    return name


SETUP = """
import dataclasses
import ipywidgets
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
    others = ["derive(dataclasses.replace(derivations.one_forecast, write=None))", "guess.near_seventy()"]
    report = drive(chromium, served[1], make(served, "kinds.ipynb", kinds, fails, *others))
    assert [control.name for control in report.controls] == [
        *(f"output 0: {name}" for name in ("whole", "half", "power", "word", "box", "p", "rrr", "more", "qq")),
        "output 1: x", "output 2: world", "output 2: Next ▶", "output 2: ◀ Back",
        "output 2: line 4",  # the other choice goes away with the answer
        *(f"output 3: {answer}" for answer in ("about 150", "about 175", "about 192", "all 201")),
    ]  # fmt: skip
    assert report.dead() == report.mute() == report.jumps == []
    # At the upper end, and gone at the lower one.
    assert len(report.errors) == 1 and "three is too many" in report.errors[0], report.errors


@pytest.mark.slow
def test_the_driver_sees_what_is_wrong(chromium, served):
    dead = "explore(setup, lambda a, x=1: 'A line that never moves.', x=(0, 3, 1))"
    mute = "explore(setup, lambda a, x=1: update(a, x=x)[:6], x=(0, 3, 1))"
    jump = """
shown = explore(setup, lambda a, x=1: update(a, x=x), x=(0, 3, 1))
def spoil(change):
    shown.image.layout.width = f"{300 + 100 * change['new']}px"
shown.controls["x"].observe(spoil, names="value")
shown
"""
    loud = "raise KeyError('a cell that fails')"
    button = "ipywidgets.VBox([ipywidgets.Button(description='nothing'), ipywidgets.HTML('words')])"
    report = drive(chromium, served[1], make(served, "wrong.ipynb", dead, mute, jump, button, loud), patience=1.5)
    assert report.dead() == ["output 0: x", "output 3: nothing"]
    assert report.mute() == ["output 1: x"]
    assert report.jumps and all(j.startswith("output 2: x") for j in report.jumps)
    assert len(report.errors) == 1 and "a cell that fails" in report.errors[0]
    assert len(report.complaints()) == 4 + len(report.jumps)
