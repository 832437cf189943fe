"""In a real browser: every notebook runs, every control answers, and what goes wrong is shown."""

import nbformat
import pytest
from drive import drive
from nbformat.v4 import new_code_cell, new_notebook

from calibtutor.data.downloads import available
from calibtutor.teach.notebooks import NOTEBOOKS, clean, discover

FOUND = [path.relative_to(NOTEBOOKS).as_posix() for path in discover()]
reports = {}


@pytest.fixture(params=FOUND)
def report(request, chromium, served):
    """The Report of a notebook, driven once for all tests that read it."""
    about = nbformat.read(NOTEBOOKS / request.param, as_version=4).metadata.get("calibtutor", {})
    missing = [name for name in about.get("data", []) if not available(name)]
    if missing:
        pytest.skip(f"{request.param} needs {', '.join(missing)}")
    if request.param not in reports:
        reports[request.param] = drive(chromium, served[1], request.param)
    return reports[request.param]


def test_runs_without_an_error(report):
    assert report.errors == []


def is_case_study(request):
    """Case studies show a method at work and need no controls."""
    return request.node.callspec.params["report"].startswith("case_studies/")


def test_every_control_changes_its_cell(report, request):
    assert report.controls or is_case_study(request), "no slider, list, box or button in this notebook"
    assert report.dead() == []


def test_words_follow_the_picture(report):
    assert report.mute() == []


def test_pictures_keep_size_and_place(report, request):
    assert report.pictures > 0 or is_case_study(request)
    assert report.jumps == []


SETUP = """
import ipywidgets
from calibtutor.teach.explore import explore

def setup(fig):
    return fig.add_subplot(xlim=(0, 9)).plot([0, 1], [0, 1])
"""


def make(served, name, *sources):
    """Put a notebook of our own among the served ones; returns its address under the root."""
    folder, _ = served
    nb = clean(new_notebook(cells=[new_code_cell(source) for source in (SETUP, *sources)]), name)
    nbformat.write(nb, folder / name)
    return name


def test_an_error_in_an_update_is_shown(chromium, served):
    source = """
def update(artists, x=1):
    artists[0].set_xdata([0, x])
    if x == 3:
        raise ArithmeticError("three is too many")
    return f"A line to {x}."

explore(setup, update, x=(0, 3, 1))
"""
    report = drive(chromium, served[1], make(served, "failing.ipynb", source))
    assert len(report.errors) == 1, report.errors  # at the upper end, and gone at the lower one
    assert "three is too many" in report.errors[0]


def test_the_driver_sees_what_is_wrong(chromium, served):
    dead = "explore(setup, lambda a, x=1: 'A line that never moves.', x=(0, 3, 1))"
    mute = "explore(setup, lambda a, x=1: a[0].set_xdata([0, x]) or 'A line.', x=(0, 3, 1))"
    jump = """
shown = explore(setup, lambda a, x=1: a[0].set_xdata([0, x]) or f"A line to {x}.", x=(0, 3, 1))
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
