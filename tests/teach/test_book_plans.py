"""A plan's page shows what the plan names, in its order; each notebook has its small picture."""

import re
import runpy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from calibtutor.teach.book import plans
from calibtutor.teach.notebooks import NOTEBOOKS, discover

PLAN = Path(__file__).with_name("plan.md").read_text(encoding="utf-8")


def test_a_plans_page_shows_what_it_names_in_its_order(tmp_path, monkeypatch):
    monkeypatch.setattr(plans, "NOTEBOOKS", tmp_path)
    code = {"01_a": ["scenes.first()"], "02_b": ["guess.one()", "scenes.second()", "scenes.third()"]}
    for name, sources in code.items():
        nb = new_notebook(cells=[new_markdown_cell("# T"), new_markdown_cell("## 1 · S"), *map(new_code_cell, sources)])
        nbformat.write(nb, tmp_path / f"{name}.ipynb")
    kinds = {"cells": {}, "scene": {}, "picture": {}, "derivation": {}, "guess": {}, "exercise": {}}
    captured = {tmp_path / "01_a.ipynb": kinds | {"cells": {2: [["scene", "l.first"]]}, "scene": {"l.first": "1"}},
                tmp_path / "02_b.ipynb": kinds | {
                    "cells": {2: [["guess", "l.one"]], 3: [["scene", "l.second"]], 4: [["scene", "l.third"]]},
                    "scene": {"l.second": "2", "l.third": "3"}, "guess": {"l.one": "?"}}}
    plan = plans.plans(PLAN)["one"]
    assert [path.stem for path in plan.notebooks] == ["02_b", "01_a"], "what is for home is not shown"
    cells, caught = plans.page_of(plan, captured)
    assert [cell.source.partition("\n")[0] for cell in cells] == [
        "## 0:00", "guess.one()", "scenes.second()", "## 0:05", "scenes.first()", "## 0:10", "## 0:15"]
    assert caught["scene"] == {"l.second": "2", "l.first": "1"} and caught["guess"] == {"l.one": "?"}
    assert list(caught["cells"]) == [1, 2, 4]


@pytest.mark.parametrize("plan", plans.plans().values(), ids=lambda plan: plan.name)
def test_each_row_of_a_plan_shows_something(plan):
    """What a notebook will show is read from its code: nothing is run."""
    captured = {path: shown_by(path) for path in plan.notebooks}
    assert captured
    cells, caught = plans.page_of(plan, captured)
    heads = [k for k, cell in enumerate(cells) if cell.cell_type == "markdown"]
    empty = [cells[k].source for k, after in zip(heads, [*heads[1:], len(cells)], strict=True) if after == k + 1]
    silent = [row for row in empty if "write" not in row and "three lines" not in row]
    assert silent == [], "what they write, and the summary, have no picture"


def shown_by(path):
    """A capture of the calls in a notebook's cells."""
    rooms = {"scene": "scenes", "derivation": "derivations", "guess": "guess"}
    caught = {kind: {} for kind in ("scene", "picture", "derivation", "guess", "exercise")} | {"cells": {}}
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        for kind, room in rooms.items():
            for name in re.findall(rf"\b{room}\.(\w+)", cell.source) if cell.cell_type == "code" else []:
                caught["cells"].setdefault(number, []).append([kind, name])
                caught[kind][name] = ""
    return caught


def test_each_notebook_has_its_small_picture():
    script = runpy.run_path(str(NOTEBOOKS / "pictures" / "small.py"))
    made = {f"{path.stem}.png": script["small"](nbformat.read(path, as_version=4)) for path in discover()}
    stored = {path.name: path.read_bytes() for path in script["FOLDER"].glob("*.png")}
    differ = [name for name in stored | made if stored.get(name) != made.get(name)]  # pytest would compare their bytes
    assert differ == [], "python notebooks/pictures/small.py"
    assert sum(map(len, stored.values())) < 1e6
