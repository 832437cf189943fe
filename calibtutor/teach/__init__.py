"""The teaching elements: pictures with sliders, derivations, exercises, and the notebooks they stand in."""

from .. import _course

with _course():
    import ipywidgets  # noqa: F401
    import matplotlib  # noqa: F401
