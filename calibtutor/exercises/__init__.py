"""The exercises of each notebook, one module a notebook; `discover` finds them all, so tests need no list."""

from importlib import import_module
from pkgutil import iter_modules

from ..exercise import Checks, Guesses

__all__ = ["discover", "discover_guesses"]


def discover():
    """Every exercise: {"module.name": Exercise}."""
    found = {}
    for info in iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        checks = [v for v in vars(module).values() if isinstance(v, Checks)]
        found |= {f"{info.name}.{e.name}": e for check in checks for e in check}
    return found


def discover_guesses():
    """Every question asked before a picture: {"module.name": function that makes its Predict}."""
    found = {}
    for info in iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        for guesses in (v for v in vars(module).values() if isinstance(v, Guesses)):
            found |= {f"{info.name}.{name}": getattr(guesses, name) for name in guesses}
    return found
