"""Accepted functions of a reader: kept as text beside the notebooks, and run again only where a cell asks for them."""

import inspect
import os
from pathlib import Path
from symtable import symtable

import numpy as np

from ..door.inputs import InputError
from ..whole import write


def place():
    """Where a reader's own things lie: where the notebook runs, and nowhere while notebooks are stored for others."""
    return Path(os.environ.get("CALIBTUTOR_MINE", ""))


def keep(exercise, function):
    """Keep the source of an accepted function of a notebook, with those it calls; what is to be said of it."""
    texts, wanting = {}, set()
    _collect(function, texts, wanting)
    if not texts:
        return ""
    if wanting:
        return f" It takes {', '.join(sorted(wanting))} from another cell: with that inside it, it would be kept."
    path, source = file_of(exercise), "\n\n".join(reversed(texts.values()))
    try:
        path.parent.mkdir(exist_ok=True)
        write({path: f"# Accepted; check.{exercise.name}.mine() runs it.\n{source}"})
    except (InputError, OSError):
        return f" It could not be kept in {path.parent}: copy it where you need it again."
    return f" Kept in {path.as_posix()}."


def _collect(function, texts, wanting):
    """Name -> source of a notebook's function and of those it calls, which come later; and what else it takes."""
    try:
        source = inspect.getsource(function) if function.__module__ == "__main__" else ""
    except (OSError, TypeError, AttributeError):
        source = ""
    if not source.startswith("def "):
        return
    texts[function.__name__] = source
    scopes, names = [symtable(source, "", "exec")], set()
    for scope in scopes:  # one for each function in it, too
        scopes += scope.get_children()
        names |= {each.get_name() for each in scope.get_symbols() if each.is_global()}
    for name in sorted(names & function.__globals__.keys() - texts.keys() - {"np"}):
        _collect(function.__globals__[name], texts, wanting)
        wanting |= {name} - texts.keys()


def bring_back(exercise):
    """Run a kept function's text and return the function; None if there is none, or if it no longer runs."""
    names = {"np": np}
    try:
        exec(file_of(exercise).read_text(encoding="utf-8"), names)
    except Exception:  # a reader may have edited it: the reference stands in
        return None
    return next((each for each in reversed(names.values()) if inspect.isfunction(each)), None)


def file_of(exercise):
    """Where the function of this exercise is kept, named by its lesson and the exercise."""
    return place() / "my_functions" / f"{exercise.reference.__module__.split('.')[-2:][0]}.{exercise.name}.py"
