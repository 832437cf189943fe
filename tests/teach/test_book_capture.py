"""Whatever a notebook shows is caught as what it is, before it becomes a picture; a cell that fails is named."""

import builtins
import json
import os
import sys

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from lab import write_notebook

from calibtutor.lessons.start import check, derivations, guess
from calibtutor.teach.book import data
from calibtutor.teach.book.capture import capture
from calibtutor.teach.exercise import Exercise, Mistake
from calibtutor.teach.stepper import derive

SOURCES = [
    "from calibtutor.lessons.start import check, derivations, derive, guess, scenes\n"
    "from calibtutor.plots import Finding, new_figure\nfrom calibtutor.teach.still import Picture\n\ndef nothing():\n"
    "    return Picture(new_figure(4, 3), Finding('Nothing', 'an empty figure'))\n\nprint('said, not shown')",
    "nothing()",
    "guess.near_seventy()",
    "from calibtutor.teach.explore import explore\n\ndef setup(fig):\n    return fig.add_subplot().plot([0], [0])\n\n"
    "explore(setup, lambda artists, x=1: f'A dot beside the number {x}.', x=(0, 2, 1))",
    "derive(derivations.one_forecast)",
    "answer = None\ncheck.most_over_confident(answer)",
    "check.animals(16)",
    "def gap(hit, confidence):\n    ...\n\n\ncheck.gap(gap)",
    "check.report()",
    "display(nothing(), 3)\nnothing()",
    "nothing();",
    "{'a': 1}"]


pytestmark = pytest.mark.usefixtures("forget_widgets")


def notebook(folder, *sources):
    return write_notebook(folder / "07_mine.ipynb", *sources)


def test_each_kind_is_caught_where_it_is_shown(tmp_path):
    cells, found = capture(notebook(tmp_path, *SOURCES))
    assert cells == {  # the heading is cell 0
        2: [("picture", "07_mine.cell-2")],
        3: [("guess", "start.near_seventy")],
        4: [("scene", "07_mine.cell-4")],
        5: [("derivation", "start.one_forecast")],
        6: [("exercise", "start.most_over_confident")],
        7: [("stored", "")],  # answered
        8: [("exercise", "start.gap")],
        9: [("stored", "")],
        10: [("picture", "07_mine.cell-10"), ("stored", ""), ("picture", "07_mine.cell-10-2")],
        12: [("stored", "")]}
    assert list(found["scene"]) == ["07_mine.cell-4"] and len(found["picture"]) == 3
    assert found["scene"]["07_mine.cell-4"].finding.sentence == "A dot beside the number 1."
    assert data.guess(found["guess"]["start.near_seventy"]) == data.guess(guess.near_seventy())


def test_a_notebook_runs_where_it_lies_and_leaves_nothing(tmp_path, capsys):
    before = sys.modules["__main__"], sys.displayhook, os.getcwd(), sys.excepthook, set(vars(builtins))
    (tmp_path / "beside.txt").write_text("found")
    path = notebook(tmp_path, "text = open('beside.txt').read()\ntext", "text")
    assert capture(path)[0] == {1: [("stored", "")], 2: [("stored", "")]}
    assert before == (sys.modules["__main__"], sys.displayhook, os.getcwd(), sys.excepthook, set(vars(builtins)))
    assert not InteractiveShell.initialized() and capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("source", "says"), [
    ("1 / 0", "ZeroDivisionError: division by zero"), ("a b", "SyntaxError"), ("%nothing", "UsageError")])
def test_a_cell_that_fails_is_named(source, says, tmp_path, capsys):
    with pytest.raises(RuntimeError, match=f"^cell 2: {says}"):
        capture(notebook(tmp_path, "x = 1", source, "y = 2"))
    assert capsys.readouterr() == ("", "") and not InteractiveShell.initialized()


@pytest.mark.parametrize("seed", [0, 3, 20])
def test_a_derivations_data_are_what_the_live_one_shows(seed):
    derivation = derivations.one_forecast
    live, made = derive(derivation), data.derivation(derivation)
    live.world.value = seed
    live.gap.show.click()
    for _ in made["lines"]:
        live.next.click()
    (choice,) = made["choices"]
    live.buttons[choice[0]].click()
    assert len(made["worlds"]) == live.world.max + 1 == 21
    world = made["worlds"][seed]
    assert world["about"] == live.about.value
    assert made["choices"] == [[3, 4]] and [bool(made["lines"][k]["printed"]) for k in choice] == [True, False]
    for line, value, holds, row in zip(made["lines"], world["values"], world["holds"], live.rows, strict=True):
        assert f"${line['math']}$" in row.value and f"<code>{value}</code>" in row.value and line["reason"] in row.value
        assert ("refute it" in row.value) == (bool(line["printed"]) and not holds)
        assert ("start here" in row.value) == (holds is None)


def test_an_exercise_is_checked_in_the_page_unless_it_asks_for_a_function():
    kinds = {name: data.exercise(getattr(check, name))["kind"] for name in ("most_over_confident", "animals")}
    assert kinds == {"most_over_confident": "word", "animals": "number"}
    assert data.exercise(check.gap) == {"name": "gap", "kind": "function", "hint": check.gap.nudge}
    several = Exercise("two", np.array([1, 2]), "Because.", Mistake([2, 1], "Turned."), hint="Count.")
    assert data.exercise(several) == {
        "name": "two", "kind": "numbers", "hint": "Count.", "reference": [1, 2], "shown": "[1., 2.]", "accept": [],
        "tolerance": 1e-5,
        "mistakes": [[[2, 1], "Turned."]], "explanation": "Because."}


def test_a_script_can_be_read_and_what_is_no_number_is_refused():
    text = data.script("scene", "a.b", {"x": "} ); ü “", "y": [1.5, None]})
    assert text.startswith('book.scene("a.b", {') and json.loads(text[18:-3]) == {"x": "} ); ü “", "y": [1.5, None]}
    with pytest.raises(ValueError, match="Out of range"):
        data.script("exercise", "a.b", {"reference": float("nan")})
