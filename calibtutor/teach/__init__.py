"""The teaching elements: pictures with sliders, derivations, exercises, and the notebooks they stand in."""

from importlib.util import find_spec

from .. import _course

with _course():
    # Looked for, not loaded: JupyterLab's server takes `connection` from here, and would hold 30 MB for each student.
    for name in ("ipywidgets", "matplotlib"):
        if find_spec(name) is None:
            raise ModuleNotFoundError(name=name)
