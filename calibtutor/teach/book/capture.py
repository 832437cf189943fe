"""Run a notebook's code with nothing filled in, and catch what it shows, before it becomes a picture or a widget."""

import contextlib
import os
import re
import tempfile

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

# kind: what is shown, and the lesson's room by whose names it is called
KINDS = {"scene": (Explorable, "scenes"), "picture": (Picture, "scenes"), "derivation": (Stepper, "derivations"),
         "guess": (Predict, "guess"), "exercise": (Reply, "check")}


class _Catcher(DisplayFormatter):
    """Keeps what is displayed, by a cell's last line or by `display`, instead of formatting it."""

    seen = List()

    def format(self, obj, include=None, exclude=None):
        self.seen.append(obj)
        return {"text/plain": ""}, {}


def capture(path):
    """Run a notebook's code cells from top to bottom; RuntimeError names a cell that fails.

    Gives {cell's index: [(kind, id), …]}, see `data`, and {kind: {id: what was shown}}.
    """
    nb = nbformat.read(path, as_version=4)
    code = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
    lesson = re.search(r"calibtutor\.lessons\.(\w+)", code)
    cells, found = {}, {kind: {} for kind in KINDS}
    with _shell(path.parent) as (shell, catcher):
        for number, cell in enumerate(nb.cells):
            if cell.cell_type != "code":
                continue
            result = shell.run_cell(cell.source, store_history=True)  # else a last “;” is not seen
            if problem := result.error_before_exec or result.error_in_exec:
                raise RuntimeError(f"cell {number}: {type(problem).__name__}: {problem}") from problem
            shown, catcher.seen = catcher.seen, []
            for each in shown:
                kind = _kind(each)
                called = kind != "stored" and re.findall(rf"\b{KINDS[kind][1]}\.(\w+)", cell.source)
                first = f"{lesson[1]}.{called[-1]}" if lesson and called else f"{path.stem}.cell-{number}"
                ident = "" if kind == "stored" else data.free(first, found[kind])
                if ident:
                    found[kind][ident] = each
                cells.setdefault(number, []).append((kind, ident))
    return cells, found


def _kind(shown):
    """What the book plays it as; "stored" if it shows what the notebook stores."""
    kind = next((kind for kind, (of, _) in KINDS.items() if isinstance(shown, of)), "stored")
    answered = kind == "exercise" and not (shown.exercise and shown.status == "blank")
    return "stored" if answered else kind


@contextlib.contextmanager
def _shell(folder):
    """An IPython without history, prompts or home, in a folder; what it prints is dropped."""
    with (tempfile.TemporaryDirectory() as home,
          open(os.devnull, "w", encoding="utf-8") as nowhere,
          contextlib.chdir(folder)):
        os.environ["CALIBTUTOR_MINE"] = os.devnull  # nothing of who builds the book
        shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}), ipython_dir=home)
        catcher = shell.display_formatter = _Catcher(parent=shell)
        shell.showtraceback = lambda *args, **kwargs: None  # raised by us
        try:
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                yield shell, catcher
        finally:
            del os.environ["CALIBTUTOR_MINE"]
            shell.restore_sys_module_state()
            InteractiveShell.clear_instance()
