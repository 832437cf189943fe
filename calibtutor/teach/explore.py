"""Sliders and a picture that answers at once.

    explore(setup, update, bins=(1, 40, 1), model=["forest", "naive Bayes"])

`setup(fig)` draws the picture once and returns the artists that move; `update(artists, **values)` moves
them and returns the sentence that says what the picture shows. Everything `setup` does not return is drawn
once and kept as a background, which is what makes the answer fast.
"""

import html
import inspect
import threading
import traceback

import ipywidgets as widgets
import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist

from ..plots import STYLE, new_figure, still_twin
from .canvas import QuickCanvas, png
from .still import WithStill

__all__ = ["Explorable", "explore"]

DPI = 100


def explore(setup, update, *, size=(9, 4), labels=None, **controls):
    """A picture with controls: live in a running notebook, a still PNG everywhere else.

    Parameters
    ----------
    setup : callable(fig) -> artists
        Makes the artists. Those that move are returned: an Artist, or lists, dicts or objects with an
        ``artists`` attribute that hold them.
    update : callable(artists, **values) -> str
        Moves the artists in place and returns one sentence of alternative text. Its keyword defaults are
        the controls' first values.
    size : (float, float)
        Width and height in inches at 100 dots per inch; fixed, so the page never jumps.
    labels : dict, optional
        Control name -> what the reader sees (default: the name with spaces; a button shows its own text).
    **controls
        (min, max, step) -> slider; list of strings -> drop-down; other list -> slider over its values;
        True or False -> check box; a string -> button with that text, whose value is an int that grows by 1
        with every click, from `update`'s default or 0: ``more="draw another data set"``.

    Returns
    -------
    Explorable

    Raises
    ------
    ValueError
        For a control that is none of these, or that `update` does not take, or a button whose default in
        `update` is no int.
    """
    return Explorable(setup, update, size, labels or {}, controls)


class Explorable(WithStill, widgets.VBox):
    """Controls above a picture above a sentence; see `explore`.

    Attributes
    ----------
    controls : dict of str -> widget
    image : widgets.Image
    message : widgets.HTML
        The sentence about the picture, or the error that kept it from being drawn.
    sentence, png, error, values
        What was drawn last: text, bytes, None or the error's text, and the controls' values.
    """

    def __init__(self, setup, update, size, labels, controls):
        accepted = {
            name: parameter.default for name, parameter in list(inspect.signature(update).parameters.items())[1:]
        }
        for name in controls:
            if name not in accepted:
                raise ValueError(f"controls: update takes {sorted(accepted)}, got {name!r}")
        # Events arrive on a second thread (JupyterLab >= 4.4): one drawing at a time, or pictures mix.
        self._lock = threading.RLock()
        self._update = update
        self._figure = new_figure(*size, dpi=DPI)
        self._canvas = QuickCanvas(self._figure)
        with rc_context(STYLE):
            self._artists = setup(self._figure)
        self._moving = sorted(_find_artists(self._artists), key=lambda artist: artist.get_zorder())
        for artist in self._moving:
            artist.set_animated(True)  # left out of the background
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self._figure.bbox)
        self.controls = {
            name: _control(name, spec, accepted[name], labels.get(name, name.replace("_", " ")))
            for name, spec in controls.items()
        }
        width, height = (round(side * DPI) for side in size)
        self.image = widgets.Image(
            format="png",
            width=width,
            height=height,
            layout=widgets.Layout(width=f"{width}px", height="auto", max_width="100%", object_fit="contain"),
        )
        self.message = widgets.HTML(layout=widgets.Layout(max_width=f"{width}px", min_height="3.2em"))
        self.sentence, self.png, self.error, self._drawn = "", b"", None, None
        for control in self.controls.values():
            control.observe(self._redraw, names="value")
        row = widgets.HBox(
            list(self.controls.values()), layout=widgets.Layout(flex_flow="row wrap", max_width=f"{width}px")
        )
        self._redraw()
        if self.error:  # a scene that fails at its defaults is a bug, not a reader's doing
            raise RuntimeError(self.error)
        super().__init__([row, self.image, self.message])

    @property
    def values(self):
        return {name: control.value for name, control in self.controls.items()}

    def set(self, **values):
        """Move the controls as a reader would; returns self."""
        for name, value in values.items():
            self.controls[name].value = value
        return self

    def _redraw(self, change=None):
        with self._lock:
            values = self.values
            if values == self._drawn:
                return
            try:
                sentence = self._update(self._artists, **values)
                if not isinstance(sentence, str) or not sentence:
                    raise TypeError(f"update returned {sentence!r}, expected a sentence about the picture")
                png = self._render()
            except Exception as problem:
                # Jupyter swallows exceptions of callbacks: without this line the old picture would stay and lie.
                self._drawn, self.error = None, "".join(traceback.format_exception_only(problem)).strip()
                self.image.layout.opacity = "0.25"
                self.message.value = (
                    f'<div role="alert" style="color:#b00020"><b>This picture could not be drawn for '
                    f"{html.escape(str(values))}</b><br>{html.escape(self.error)}</div>"
                )
                return
            self._drawn, self.error, self.sentence, self.png = values, None, sentence, png
            self.image.layout.opacity = "1"
            self.image.value = png
            self.message.value = (
                f'<div role="status" aria-live="polite" style="line-height:1.45">{html.escape(sentence)}</div>'
            )

    def _render(self):
        self._canvas.restore_region(self._background)
        for artist in self._moving:
            self._figure.draw_artist(artist)
        return png(np.asarray(self._canvas.buffer_rgba()))

    def still(self):
        """The picture and its sentence."""
        return still_twin(self.png, self.sentence)


class _CountingButton(widgets.Button, widgets.ValueWidget):
    """A button whose value counts its clicks: observed and set like any control, and unknown to the page."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.on_click(self._count)

    def _count(self, button):
        self.value += 1


def _find_artists(tree):
    if isinstance(tree, Artist):
        return [tree]
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list | tuple):
        return [artist for branch in tree for artist in _find_artists(branch)]
    return _find_artists(tree.artists) if hasattr(tree, "artists") else []


def _control(name, spec, default, label):
    style = {"description_width": "initial"}
    common = {"description": label, "style": style, "layout": widgets.Layout(width="280px")}
    has_default = default is not inspect.Parameter.empty
    if isinstance(spec, bool):
        return widgets.Checkbox(
            value=default if has_default else spec, indent=False, **{**common, "layout": widgets.Layout(width="auto")}
        )
    if isinstance(spec, str) and spec:
        start = default if has_default else 0
        if type(start) is not int:  # ["forest"] without its brackets
            raise ValueError(f"controls: {name} is the button {spec!r}, expected an int as default, got {start!r}")
        return _CountingButton(value=start, description=spec, layout=widgets.Layout(width="auto"))
    if isinstance(spec, list) and spec:
        kind = widgets.Dropdown if all(isinstance(option, str) for option in spec) else widgets.SelectionSlider
        return kind(options=spec, value=default if has_default else spec[0], **common)
    if isinstance(spec, tuple) and len(spec) == 3:
        low, high, step = spec
        kind = widgets.IntSlider if all(isinstance(v, int) for v in spec) else widgets.FloatSlider
        value = default if has_default else low
        decimals = len(f"{step:.10f}".rstrip("0").partition(".")[2])
        digits = {} if kind is widgets.IntSlider else {"readout_format": f".{decimals}f"}
        return kind(value=value, min=low, max=high, step=step, **digits, **common)
    raise ValueError(f"controls: {name} is {spec!r}, expected (min, max, step), a list, True/False or a text")
