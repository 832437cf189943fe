"""The scenes of each notebook, one module a notebook; `discover` finds them all, so tests need no list."""

from importlib import import_module
from pkgutil import iter_modules

__all__ = ["discover"]


def discover():
    """Every scene: {"module.function": function}; calling one makes its Explorable or Picture."""
    found = {}
    for info in iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        found |= {f"{info.name}.{name}": getattr(module, name) for name in module.__all__}
    return found
