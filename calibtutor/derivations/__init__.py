"""The derivations of each notebook, one module a notebook; `discover` finds them all, so tests need no list."""

from importlib import import_module
from pkgutil import iter_modules

from ..derive import Derivation

__all__ = ["discover"]


def discover():
    """Every derivation: {"module.name": Derivation}."""
    found = {}
    for info in iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        found |= {f"{info.name}.{k}": v for k, v in vars(module).items() if isinstance(v, Derivation)}
    return found
