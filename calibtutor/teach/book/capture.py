"""Run a notebook's code with nothing filled in, and catch what it shows, before it becomes a picture or a widget."""

import contextlib
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field

import nbformat
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell
from traitlets import List
from traitlets.config import Config

from ..exercise import Reply
from ..explore import Explorable
from ..guess import Predict
from ..stepper import Stepper
from ..still import Picture
from . import data

ROOMS = {"scene": "scenes", "picture": "scenes", "derivation": "derivations", "guess": "guess", "exercise": "check"}


@dataclass
class Caught:
    """What a notebook shows.

    Attributes
    ----------
    cells : dict
        Cell's index -> [(kind, id), …], see `data`.
    scenes, pictures : dict
        id -> Explorable; id -> Picture.
    plain : dict
        kind -> {id: data} of derivations, guesses and exercises.
    """

    cells: dict = field(default_factory=dict)
    scenes: dict = field(default_factory=dict)
    pictures: dict = field(default_factory=dict)
    plain: dict = field(default_factory=lambda: {"derivation": {}, "guess": {}, "exercise": {}})


class _Catcher(DisplayFormatter):
    """Keeps what is displayed, by a cell's last line or by `display`, instead of formatting it."""

    seen = List()

    def format(self, obj, include=None, exclude=None):
        self.seen.append(obj)
        return {"text/plain": ""}, {}


def capture(path):
    """Run a notebook's code cells from top to bottom; RuntimeError names a cell that fails."""
    nb = nbformat.read(path, as_version=4)
    code = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
    lesson = re.search(r"calibtutor\.lessons\.(\w+)", code)
    caught = Caught()
    with _shell(path.parent) as (shell, catcher):
        for number, cell in enumerate(nb.cells):
            if cell.cell_type != "code":
                continue
            result = shell.run_cell(cell.source, store_history=True)  # else a last “;” is not seen
            if problem := result.error_before_exec or result.error_in_exec:
                raise RuntimeError(f"cell {number}: {type(problem).__name__}: {problem}") from problem
            shown, catcher.seen = catcher.seen, []
            if shown:
                names = _Names(lesson[1] if lesson else None, f"{path.stem}.cell-{number}", cell.source)
                caught.cells[number] = [_sort(each, names, caught) for each in shown]
    return caught


def _sort(shown, names, caught):
    """Put what was shown where it belongs; its kind and id."""
    if isinstance(shown, Explorable):
        return names.keep("scene", caught.scenes, shown)
    if isinstance(shown, Picture):
        return names.keep("picture", caught.pictures, shown)
    if isinstance(shown, Stepper):
        return names.keep("derivation", caught.plain["derivation"], data.derivation(shown.derivation))
    if isinstance(shown, Predict):
        return names.keep("guess", caught.plain["guess"], data.guess(shown))
    if isinstance(shown, Reply) and shown.exercise and shown.status == "blank":
        return names.keep("exercise", caught.plain["exercise"], data.exercise(shown.exercise))
    return "stored", ""


@dataclass
class _Names:
    """Ids for what a cell shows: by the names in its source, or the cell's own."""

    lesson: str | None
    cell: str
    source: str

    def keep(self, kind, known, shown):
        """Keep it under a new id."""
        called = re.findall(rf"\b{ROOMS[kind]}\.(\w+)", self.source)
        ident = first = f"{self.lesson}.{called[-1]}" if self.lesson and called else self.cell
        count = 1
        while ident in known:
            count += 1
            ident = f"{first}-{count}"
        known[ident] = shown
        return kind, ident


@contextlib.contextmanager
def _shell(folder):
    """An IPython without history, prompts or home, in a folder; what it prints is dropped."""
    config, here = Config(), os.getcwd()
    config.HistoryManager.enabled = False
    with tempfile.TemporaryDirectory() as home, open(os.devnull, "w", encoding="utf-8") as nowhere:
        shell = InteractiveShell.instance(config=config, ipython_dir=home)
        catcher = shell.display_formatter = _Catcher(parent=shell)
        shell.showtraceback = lambda *args, **kwargs: None  # raised by us
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                yield shell, catcher
        finally:
            os.chdir(here)
            shell.restore_sys_module_state()
            InteractiveShell.clear_instance()
            sys.stdout.flush()
