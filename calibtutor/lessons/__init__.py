"""The lessons, one folder a notebook: its scenes, derivations, exercises and guesses, and what these need."""

from importlib import import_module
from pkgutil import iter_modules

from ..teach.derive import Derivation
from ..teach.exercise import Checks
from ..teach.guess import Guesses

__all__ = ["discover"]


def discover(kind):
    """All of one kind in all lessons, so that tests, the book and handouts need no list.

    Parameters
    ----------
    kind : {"scenes", "derivations", "exercises", "guesses"}

    Returns
    -------
    dict
        "lesson.name" -> a function that makes the Explorable or Picture; a Derivation; an Exercise; or a function
        that makes the Predict or Recall.

    Raises
    ------
    ValueError
        For any other kind.
    """
    if kind not in _KINDS:
        raise ValueError(f"kind: expected one of {', '.join(_KINDS)}, got {kind!r}")
    room, find = _KINDS[kind]
    found = {}
    for lesson in iter_modules(__path__):
        if any(part.name == room for part in iter_modules([f"{__path__[0]}/{lesson.name}"])):
            module = import_module(f"{__name__}.{lesson.name}.{room}")
            found |= {f"{lesson.name}.{name}": each for name, each in find(module).items()}
    return found


def _of(module, kind):
    return [each for each in vars(module).values() if isinstance(each, kind)]


_KINDS = {
    "scenes": ("scenes", lambda module: {name: getattr(module, name) for name in module.__all__}),
    "derivations": ("derivations", lambda module: {k: v for k, v in vars(module).items() if isinstance(v, Derivation)}),
    "exercises": ("exercises", lambda module: {e.name: e for checks in _of(module, Checks) for e in checks}),
    "guesses": ("exercises", lambda module: {k: getattr(g, k) for g in _of(module, Guesses) for k in g})}
